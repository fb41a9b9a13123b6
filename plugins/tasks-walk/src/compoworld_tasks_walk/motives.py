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
SUPPORT: Final = "our support"
"""In a reason: who reads what is posted for them."""
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
agreed-day meeting datetime 2.6 in damaged delivery, renewal, cancellation, onboarding, billing question, overdue payment, outage, expansion, late delivery, missed delivery = {meet} so that we all have the time free
agreed-day reminder datetime 0.8 in damaged delivery, renewal, cancellation, onboarding, billing question, overdue payment, outage, expansion, late delivery, missed delivery = {meet} we must not miss it | we have to be on time | so that we don't forget it
agreed-day reminder datetime 0.8 in damaged delivery, renewal, cancellation, onboarding, billing question, overdue payment, outage, expansion, late delivery, missed delivery = {due}
forecast-day deal date 3.0 = so that our forecast is right | our sales plan goes by the close date | the forecast still shows another date
forecast-amount deal money|cents 3.0 = so that our forecast is right | our sales plan goes by the amount of the deal | the forecast still shows another amount
refunded-number comment|document text 2.6 = accounting matches refunds by the order number | our bookkeeper looks refunds up by the order number
refunded-amount comment|document text 2.6 = our bookkeeper has to enter the refund | accounting has to book the refund
refunded-amount letter text 2.4 = so that they know how much they get back | they will look for the refund on their account
cancelled-number comment|document text 2.6 = the warehouse has to take the order off its list | our packers still have the order on their list
cancelled-amount comment|document text 2.4 = accounting has to take the order off their bill | so that they are not billed for it
refunded-amount memo text 1.6 = {who} enters our refunds | accounting has to book the refund
cancelled-number memo text 1.4 = {who} has to stop the order in the warehouse | the warehouse has to take the order off its list
cancelled-amount memo text 1.4 = {who} has to take the order off their bill | accounting has to take the order off their bill
voided-number memo text 1.4 = {who} has to stop our reminders | our reminders have to stop for that invoice
voided-amount memo text 1.4 = {who} has to correct their balance | accounting has to correct their balance
sent-number memo text 1.4 = {who} tracks the parcel | the carrier asks for the order number
paid-amount memo text 1.6 = {who} has to match the payment | accounting has to match the payment
paid-number memo text 1.6 = {who} books the payment | accounting has to book the payment
cancelled-number letter text 2.0 = they asked me for it in writing | their own people file it under the order number
voided-number comment|document text 2.6 = our reminders have to stop for that invoice | accounting has to strike the invoice off their account
voided-amount comment|document text 2.4 = accounting has to correct their balance | our bookkeeper has to correct their balance | so that we don't send them reminders for it
voided-amount letter text 2.0 = so that they know they don't have to pay it | they have to take it out of their books
sent-number comment|document text 2.6 = the carrier asks for the order number | our support needs the order number when they call
sent-amount comment|document text 1.8 = the order goes on their next bill | accounting bills the order this month | our bookkeeper bills the order at the end of the month
sent-number letter text 2.4 = so that they can track the parcel | their warehouse books it in under the order number
sent-amount letter text 2.0 = so that they know what we will bill them | they asked how much we will bill them
paid-amount letter text 2.2 = they asked me to confirm the payment | so that they know the payment has arrived
placed-amount comment|document text 2.2 = the order goes on their next bill | accounting bills the order this month | our bookkeeper bills the order at the end of the month
placed-amount letter text 2.4 = so that they know what we will bill them | they asked how much we will bill them
billed-number comment|document text 2.6 = our support needs the invoice number when they call | their payment will carry the invoice number
billed-amount comment|document text 2.6 = our bookkeeper is expecting the payment | accounting has to watch for the payment | so that accounting knows what to expect
billed-amount letter text 2.4 = so that they know what they have to pay | they have to get it approved on their side
paid-number comment|document text 2.4 = our reminders have to stop | accounting has to book the payment
paid-amount comment|document text 2.6 = accounting has to match the payment | our bookkeeper was waiting for the payment | our bookkeeper has to match the payment
settled-number comment|document text 0.8 = they quote the number when they call
refunded-number|cancelled-number|sent-number|paid-number work text 1.8 = so that accounting finds the order | our bookkeeper needs the number to find the order
voided-number|billed-number work text 1.8 = so that accounting finds the invoice | our bookkeeper needs the number to find the invoice
refunded-amount|cancelled-amount|voided-amount|sent-amount|placed-amount|billed-amount|paid-amount work text 1.4 = accounting needs the amount | our bookkeeper has to enter the amount
bill-sum comment|document text 2.4 in overdue payment = I need the total when I call them | so that our director sees how much is open
bill-sum memo text 2.4 in overdue payment = {who} calls them tomorrow | I need the total when I call them
bill-sum comment|document text 2.4 in billing question = our answer has to say what is still open
bill-sum memo text 2.4 in billing question = {who} answers their questions | they asked what is still open
bill-sum comment|document text 2.4 in cancellation = they have to settle the open invoices before they go | accounting has to collect the open invoices before they go
bill-sum comment|document text 2.4 in account review = my successor should know what they owe us
bill-sum letter text 2.0 in overdue payment, cancellation = so that they know how much is open | they asked what is still open
order-sum comment|document text 2.4 in renewal, expansion = so that our director sees how much they order | I want to have the total at hand when we talk
order-sum memo text 2.4 in renewal, expansion = {who} plans our sales | so that our director sees how much they order
order-sum comment|document text 2.4 in account review = my successor should know how much they order
order-amount comment|document text 1.0 in renewal, expansion = I want to have the amount at hand when we talk | so that our sales team knows how large the order is
bill-amount comment|document text 1.6 in overdue payment = I need the amount when I call them
bill-amount comment|document text 1.6 in billing question = they say that the amount is too high | our answer has to explain the amount
contract-amount|contract-sum comment|document text 2.0 in renewal, expansion = I want to compare the new price with the old one | so that our director can compare the prices
contract-amount|contract-sum memo text 2.0 in renewal, expansion = {who} compares the new price with the old one | I want to compare the new price with the old one
contract-amount|contract-sum comment|document text 2.0 in account review = my successor should know what they pay us
deal-amount comment|document text 1.8 in renewal, expansion = our director asked how large the deal is | so that our director sees how large the deal is
deal-amount memo text 1.8 in renewal, expansion = {who} plans our sales | our director asked how large the deal is
deal-amount comment|document text 1.8 in onboarding, account review = so that our team sees how large the deal is
bill-day comment|document text 1.4 in renewal, billing question = our reminders go out the day after the due date | accounting sends no reminder before the due date
bill-day letter text 2.4 in renewal = so that they know when to pay
contract-day work|project date 2.0 in renewal, cancellation, expansion = so that it is done before the contract ends
contract-day comment|document text 1.8 in renewal, account review = the new contract has to be signed before the old one ends
contract-day comment|document text 1.8 in cancellation = they have paid up to the renewal date
contract-day meeting|reminder datetime 1.8 in renewal = so that we talk before the contract ends
deal-day work|project date 2.0 in renewal, expansion, onboarding = so that it is ready when they sign
deal-day comment|document text 1.6 in renewal, expansion = our offer has to be out before they sign
deal-day memo text 1.6 in renewal, expansion = {who} gets our offer out before they sign | our offer has to be out before they sign
deal-day meeting|reminder datetime 2.0 in renewal, expansion = so that we are ready when they decide
work-day comment|document text 2.2 in damaged delivery, late delivery, missed delivery, outage, onboarding, expansion, billing question = our support has to tell them when it will be done
work-day memo text 2.2 in damaged delivery, late delivery, missed delivery, outage, onboarding, expansion, billing question = {who} tells them when it will be done | they keep asking when it will be done
work-day letter text 2.4 in damaged delivery, late delivery, missed delivery, outage, onboarding, expansion, billing question = they asked me when it will be done | so that they know when it will be done
project-day comment|document text 2.0 in onboarding, expansion = our support has to tell them when everything will be ready
project-day memo text 2.0 in onboarding, expansion = {who} tells them when everything will be ready | they keep asking when everything will be ready
project-day letter text 2.0 in onboarding, expansion = they asked when everything will be ready
project-day work date 2.0 in onboarding, expansion, outage = so that both are finished on the same day
meeting-day comment|document|memo text 1.8 = we have to be ready for the meeting
before work|project date 2.0 = to be on the safe side | so that we have some time to spare
before reminder|meeting datetime 2.0 = to be on the safe side
work-number comment text 1.2 = so that one leads to the other | so that the two can be found together
work-number work text 0.8 = so that the two can be found together
new comment|document text 1.6 = so that one leads to the other | so that the two can be found together
new work|deal|order|bill text 1.0 = so that the two can be found together
ruled * * 1.0 = as it says in our policy
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
CLOSING: Final = frozenset(("archive", "archived", "close", "closed", "solved"))
"""Words of a tool or a state after which a record is done with."""


def deed(action: Change | Make | Drop) -> str:
    """What an action does to its record: "refunded"; empty where it only tells it a fact."""
    said = _words(action)
    return next((DEEDS[word] for word in said if word in DEEDS), "settled") if said else ""


def closes(action: Change | Make | Drop) -> bool:
    """Is nothing to be done about the record any more, so that nothing is passed on from it?"""
    return not CLOSING.isdisjoint(_words(action))


def _words(action: Change | Make | Drop) -> list[str]:
    """The words that say what an action does; none where it only tells a fact."""
    if isinstance(action, Drop):
        return stories.words_of(action.tool, dict(action.effect))
    if isinstance(action, Change) and isinstance(action.value, Said):
        return stories.words_of(action.tool, {"": action.value.value})
    return []


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
