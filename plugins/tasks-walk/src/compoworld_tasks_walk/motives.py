"""Motives: why a fact is told in a place or a field set to it; without one it never is.

A motive goes by what the fact is to the errand (its subject), by what takes it, and by the
story. The planner weighs by it, and the text says it.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from attrs import evolve, frozen

from compoworld_core.types import Kind
from compoworld_tasks_walk import stories
from compoworld_tasks_walk.script import (
    Change,
    Converted,
    Drop,
    FactOf,
    Figure,
    Make,
    NewId,
    Ruled,
    Said,
    Shifted,
    Stated,
    Timed,
    Value,
)

MONEY: Final = ("money", "cents")
DAYS: Final = ("date", "datetime")
WHO: Final = "{who}"
"""In a reason: the colleague who is written to."""
FIXED: Final = ("contract-day", "deal-day", "project-day")
"""Days before which something should be done."""


@frozen
class Motive:
    """One row: of what, into what, in which stories; how natural, and the reasons given."""

    subject: str
    target: str
    form: str
    """"text" where the fact is stated in one, else the kind of the field."""
    stories: tuple[str, ...]
    """Names of those that it belongs to; any where empty."""
    worth: float
    reasons: tuple[str, ...]
    """Of which one is given: "so that they know when to pay", "accounting needs it"."""


def _motives(text: str) -> tuple[Motive, ...]:
    rows = []
    for line in text.strip().splitlines():
        head, _, reasons = line.partition(" = ")
        head, _, stories = head.partition(" in ")
        subjects, targets, forms, worth = head.split()
        rows += [
            Motive(
                subject,
                target,
                form,
                tuple(name.strip() for name in stories.split(",") if name.strip()),
                float(worth),
                tuple(reason.strip() for reason in reasons.split(" | ")),
            )
            for subject in subjects.split("|")
            for target in targets.split("|")
            for form in forms.split("|")
        ]
    return tuple(rows)


MOTIVES: Final = _motives("""
agreed-day|agreed-amount comment|document text 2.2 = {know}
agreed-day|agreed-amount memo text 2.2 = {memo}
agreed-day|agreed-amount letter text 2.4 = {tell}
agreed-day work|project|reminder date 3.0 = {due}
early-day work|project|reminder date 3.0 = {due}
agreed-day meeting datetime 2.6 = {meet} so that we have the time for it
agreed-day reminder datetime 0.8 = {meet} I have to be there myself | I must not miss it | I go there for us | I speak for us there
agreed-day reminder datetime 0.8 = {due}
forecast-day deal date 3.0 = so that our forecast is right | our sales plan counts on that date | the forecast still has another date
forecast-amount deal money|cents 3.0 = so that our forecast is right | our sales plan counts on that sum | the forecast still has another sum
refunded-number comment|document text 2.6 = accounting matches refunds by the number | our bookkeeper looks the refund up by it
refunded-amount comment|document text 2.6 = accounting needs it for the refund | our bookkeeper has to enter the refund | the bank asks for the sum of the refund
refunded-amount letter text 2.4 = so that they know how much they get back | they will look for it on their account
cancelled-number comment|document text 2.6 = the warehouse has to take it off its list | our packers still have it on their list
cancelled-amount comment|document text 2.4 = accounting takes it off their bill | our bookkeeper has to take it off their bill | so that they are not billed for it
refunded-amount memo text 1.6 = {who} enters our refunds | accounting needs it for the refund
cancelled-number memo text 1.4 = {who} runs the warehouse | the warehouse has to take it off its list
cancelled-amount memo text 1.4 = {who} has to take it off their bill | accounting takes it off their bill
voided-number memo text 1.4 = {who} sends our reminders | our reminders go by that number
voided-amount memo text 1.4 = {who} has to take it off their account | accounting takes it off their account
sent-number memo text 1.4 = {who} tracks our parcels | the carrier asks for that number
paid-amount memo text 1.6 = {who} matches the payments | accounting matches the payment by it
paid-number memo text 1.6 = {who} matches the payments | accounting books the payment under it
cancelled-number letter text 2.0 = they asked me for it in writing | their own people file it under that number
voided-number comment|document text 2.6 = our reminders go by that number | accounting strikes it off by the number
voided-amount comment|document text 2.4 = accounting takes it off what they owe | our bookkeeper corrects their balance by that | so that our reminders leave it out
voided-amount letter text 2.0 = they need not pay it any more | they can take it out of their books
sent-number comment|document text 2.6 = the carrier asks for that number | our support looks it up when they call
sent-amount comment|document text 1.8 = it goes on their next bill | accounting bills it this month | our bookkeeper bills it at the end of the month
sent-number letter text 2.4 = they want to look for the parcel | their warehouse books it in under that number
sent-amount letter text 2.0 = so that they know what we will bill them | we bill it this month
paid-amount letter text 2.2 = they asked me to confirm the payment | so that they see what has arrived here
placed-amount comment|document text 2.2 = it goes on their next bill | accounting bills it this month | our bookkeeper bills it at the end of the month
placed-amount letter text 2.4 = so that they know what we will bill them | we bill it this month
billed-number comment|document text 2.6 = they quote that number when they call | their payment will carry that number
billed-amount comment|document text 2.6 = our bookkeeper checks whether that sum arrives | accounting looks out for that sum | so that accounting knows what to expect
billed-amount letter text 2.4 = so that they know what they have to pay | they have to get it approved on their side
paid-number comment|document text 2.4 = our reminders should stop for it | accounting books the payment under it
paid-amount comment|document text 2.6 = accounting matches the payment by it | our bookkeeper was waiting for it | our bookkeeper has to match the payment
settled-number comment|document text 0.8 = they quote that number when they call
refunded-number|cancelled-number|voided-number|sent-number|billed-number|paid-number work text 1.8 = accounting finds it by that number | our bookkeeper works by those numbers
refunded-amount|cancelled-amount|voided-amount|sent-amount|placed-amount|billed-amount|paid-amount work text 1.4 = accounting needs the sum for that | our bookkeeper has to enter that sum
bill-sum comment|document text 2.4 in overdue payment = I go by that figure when I call them | it says how much of our money is at stake
bill-sum memo text 2.4 in overdue payment = {who} calls them tomorrow | I go by that figure when I call them
bill-sum comment|document text 2.4 in billing question = it is what they still have to pay in any case | they asked what is open at all
bill-sum memo text 2.4 in billing question = {who} answers their questions | they asked what is open at all
bill-sum comment|document text 2.4 in cancellation = they have to settle that before they go | accounting collects it before they go
bill-sum comment|document text 2.4 in account review = my successor should know what they owe us
bill-sum letter text 2.0 in overdue payment, cancellation = so that they know how much is open | they asked what is still open
order-sum comment|document text 2.4 in renewal, expansion = our discount depends on how much they buy | I want to quote them a price that fits what they buy
order-sum memo text 2.4 in renewal, expansion = {who} works out their discount | our discount depends on how much they buy
order-sum comment|document text 2.4 in account review = my successor should know how much they buy
order-amount comment|document text 1.0 in renewal, expansion = our discount depends on how much they buy | I want to quote them a price that fits what they buy | so that our offer fits what they buy
order-amount comment|document text 1.0 in account review = my successor should know what they buy | it shows what they usually order
bill-amount comment|document text 1.6 in overdue payment = I want to have the figure when I call them
bill-amount comment|document text 1.6 in billing question = it is one of the amounts that they ask about
contract-amount|contract-sum comment|document text 2.0 in renewal, expansion = our new price is worked out from it | the new offer starts from what they pay now
contract-amount|contract-sum memo text 2.0 in renewal, expansion = {who} works out the new price | our new price is worked out from it
contract-amount|contract-sum comment|document text 2.0 in account review = my successor should know what they pay
deal-amount comment|document text 1.8 in renewal, expansion = our director asked how large the deal is | so that our director sees what is at stake
deal-amount memo text 1.8 in renewal, expansion = {who} plans our sales | our director asked how large the deal is | so that our director sees what is at stake
deal-amount comment|document text 1.8 in onboarding, account review = they have signed for that sum
bill-day comment|document text 1.4 in renewal, billing question = our reminders go out the day after | they have until that day to pay
bill-day letter text 2.4 in renewal = so that they know by when to pay
contract-day work|project date 2.0 in renewal, cancellation, expansion = so that it is done before the contract ends
contract-day comment|document text 1.8 in renewal, account review = their contract ends on that day | we have to have signed by then
contract-day comment|document text 1.8 in cancellation = they have paid up to that day
contract-day meeting|reminder datetime 1.8 in renewal = so that we talk before the contract ends
deal-day work|project date 2.0 in renewal, expansion, onboarding = so that it is ready when they sign
deal-day comment|document text 1.6 in renewal, expansion = they sign on that day, and our offer has to be out by then
deal-day memo text 1.6 in renewal, expansion = {who} gets our offer out, and they sign on that day | our offer has to be out by then
deal-day meeting|reminder datetime 2.0 in renewal, expansion = so that we are ready when they decide
work-day comment|document text 2.2 in damaged delivery, late delivery, missed delivery, outage, onboarding, expansion, billing question = they ask us every day how far we are | we have promised them that day
work-day memo text 2.2 in damaged delivery, late delivery, missed delivery, outage, onboarding, expansion, billing question = {who} takes their calls | they ask us every day how far we are
work-day letter text 2.4 in damaged delivery, late delivery, missed delivery, outage, onboarding, expansion, billing question = they asked me when it will be done | so that they know when it will be done
project-day comment|document text 2.0 in onboarding, expansion = we want to be through with everything by then | their people can start on the day after
project-day memo text 2.0 in onboarding, expansion = {who} tells them how far we are | their people can start on the day after
project-day letter text 2.0 in onboarding, expansion = they asked when everything will be ready
project-day work date 2.0 in onboarding, expansion, outage = so that both are finished on the same day
meeting-day comment|document|memo text 1.8 = we meet them on that day
before work|project date 2.0 = to be on the safe side | so that we have some time left before that
before reminder|meeting datetime 2.0 = to be early enough
work-number comment text 1.2 = so that one leads to the other | so that the two can be found together
work-number work text 0.8 = so that the two can be found together
new comment|document text 1.6 = so that one leads to the other | so that the two can be found together
new work|deal|order|bill text 1.0 = so that the two can be found together
ruled * * 1.0 = as our own rules have it
""")  # noqa: E501  # one row a line reads best
"""Subject, targets, forms, worth, the stories, and the reasons in the asker's words: `{know}`,
`{memo}`, `{due}` and `{tell}` are those of the matter that is passed on; what stands before
others is what it must have. Of messages, a `letter` goes to the customer, a `memo` to our own
people, one of whom `{who}` is. What begins with "so that", "to" or "as" goes on with the
sentence, all else is a sentence of its own."""


DEEDS: Final = {
    "refund": "refunded", "cancel": "cancelled", "cancelled": "cancelled",
    "canceled": "cancelled", "void": "voided", "fulfill": "sent", "fulfil": "sent",
    "complete": "placed", "completed": "placed", "fulfilled": "sent", "finalize": "billed",
    "finalise": "billed", "paid": "paid",
}  # fmt: skip
"""Word of a tool or a state → what has become of the record then."""


def deed(action: Change | Make | Drop) -> str:
    """What an action does to its record: "refunded"; empty where it only tells it a fact."""
    if isinstance(action, Drop):
        effects = dict(action.effect)
    elif isinstance(action, Change) and isinstance(action.value, Said):
        effects = {"": action.value.value}
    else:
        return ""
    words = stories.words_of(action.tool, effects)
    return next((DEEDS[word] for word in words if word in DEEDS), "settled")


def subject(
    value: Value, archetype: str, kind: Kind, *, settled: str = "", story: str = ""
) -> str:
    """What a fact is to the errand; empty where it is nothing.

    Args:
        value: how the instruction refers to it.
        archetype: of the record that it is of.
        kind: of the fact itself.
        settled: what the errand has done to the record.
        story: the story's name.
    """
    if isinstance(value, Timed):
        return subject(value.of, archetype, "date", settled=settled, story=story)
    if isinstance(value, Shifted):
        if isinstance(value.of, Stated):
            return "early-day" if value.way < 0 else ""
        inner = subject(value.of, archetype, "date", settled=settled, story=story)
        return "before" if inner in FIXED and value.way < 0 else ""
    if isinstance(value, Converted):
        return subject(value.of, archetype, "money", settled=settled, story=story)
    if isinstance(value, Ruled):
        return "ruled"
    if isinstance(value, NewId):
        return "new"
    if isinstance(value, Stated):
        matter = stories.matter(story, value.name)
        of = "forecast" if matter is not None and matter.forecast else "agreed"
        return f"{of}-day" if kind in DAYS else f"{of}-amount"
    if isinstance(value, Figure):
        return f"{archetype}-sum" if kind in MONEY else ""
    if not isinstance(value, FactOf):
        return ""
    if kind in MONEY:
        return f"{settled or archetype}-amount"
    if kind == "code":
        numbered = archetype == "work"
        return f"{settled}-number" if settled else "work-number" if numbered else ""
    days = kind in DAYS and not settled
    return f"{archetype}-day" if days else ""


def matter_of(value: Value) -> str:
    """The name of the matter that a value is of, or is reckoned from; empty for others."""
    while isinstance(value, Timed | Shifted | Converted):
        value = value.of
    return value.name if isinstance(value, Stated) else ""


@cache
def motive(story: str, of: str, target: str, form: str, named: str = "") -> Motive | None:
    """Why a fact of a subject is told to a record of an archetype; None where nobody would.

    Args:
        story: the story's name.
        of: the fact's subject.
        target: archetype of what takes it; of a message, "letter" or "memo".
        form: "text" where it is stated in one, else the kind of the field.
        named: the matter that it is of.
    """
    plain = of.replace("forecast", "agreed")
    for row in MOTIVES:
        fits = (
            row.subject in (of, plain)
            and row.target in ("*", target)
            and row.form in ("*", form)
        )
        if fits and (not row.stories or story in row.stories):
            filled = [_filled(reason, story, named) for reason in row.reasons]
            if all(filled):
                return evolve(row, reasons=tuple(why for each in filled for why in each))
    return None


def _filled(reason: str, story: str, named: str) -> tuple[str, ...]:
    """A reason of a row; those of the matter where the row asks for them."""
    if not reason.startswith("{") or reason.startswith(WHO):
        return (reason,)
    part, _, plain = reason[1:].partition("} ")
    held = stories.matter(story, named)
    own = () if held is None else getattr(held, part.rstrip("}"))
    return (plain,) if own and plain else tuple(own)
