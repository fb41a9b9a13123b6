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
    """Each is said before the request: "so that they know when to pay"."""


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
agreed-day|agreed-amount comment|document|memo text 2.2 = {know}
agreed-day|agreed-amount letter text 2.4 = {tell}
agreed-day work|project|reminder date 3.0 = {due}
early-day work|project|reminder date 3.0 = {due}
agreed-day meeting datetime 2.6 = {meet} so that nobody books us for anything else
agreed-day reminder datetime 0.8 = {meet} so that nobody misses it
agreed-day reminder datetime 0.8 = {due}
forecast-day deal date 3.0 = so that the forecast is right
forecast-amount deal money|cents 3.0 = so that the forecast is right
refunded-number comment|document text 2.6 = so that accounting can match the refund
refunded-amount comment|document text 2.6 = so that accounting can book the refund | so that accounting finds the refund
refunded-amount letter text 2.4 = so that they know how much they get back
cancelled-number comment|document text 2.6 = so that nobody ships it after all
cancelled-amount comment|document text 2.4 = so that nobody bills them for it
refunded-amount memo text 1.6 = so that whoever talks to them can confirm it
cancelled-number|cancelled-amount memo text 1.4 = so that nobody bills them for it
voided-number|voided-amount memo text 1.4 = so that nobody asks them for it any more
sent-number memo text 1.4 = so that whoever answers them can look it up
paid-amount|paid-number memo text 1.6 = so that nobody asks them for the money again
cancelled-number letter text 2.0 = so that they have the cancellation in writing
voided-number comment|document text 2.6 = so that nobody chases it any more
voided-amount comment|document text 2.4 = so that nobody asks them for it any more
voided-amount letter text 2.0 = so that they know that they need not pay it
sent-number comment|document text 2.6 = so that whoever answers them can look it up
sent-amount comment|document text 1.8 = so that it gets on their next invoice
sent-number letter text 2.4 = so that they know which one is on its way
sent-amount letter text 2.0 = so that they know what we will bill them
paid-amount letter text 2.2 = so that they know that the money has arrived
placed-amount comment|document text 2.2 = so that it gets on their next invoice
placed-amount letter text 2.4 = so that they know what they will be billed
billed-number comment|document text 2.6 = so that anybody can find it when they ask
billed-amount comment|document text 2.6 = so that everybody knows what should come in
billed-amount letter text 2.4 = so that they know what they have to pay
paid-number comment|document text 2.4 = so that nobody asks them for the money again
paid-amount comment|document text 2.6 = so that everybody sees what has come in
settled-number comment|document text 0.8 = so that it is clear which one was meant
refunded-number|cancelled-number|voided-number|sent-number|billed-number|paid-number work text 1.8 = so that whoever takes it knows which one to look at
refunded-amount|cancelled-amount|voided-amount|sent-amount|placed-amount|billed-amount|paid-amount work text 1.4 = so that whoever takes it has the amount at hand
bill-sum comment|document|memo text 2.4 in overdue payment = so that whoever calls them knows how much is open
bill-sum comment|document|memo text 2.4 in billing question = so that whoever answers them sees what is still open
bill-sum comment|document text 2.4 in cancellation = so that everybody knows what they still have to pay
bill-sum comment|document text 2.4 in account review = so that whoever takes over knows how much is open
bill-sum letter text 2.0 in overdue payment, cancellation = so that they know how much is open
order-sum comment|document|memo text 2.4 in renewal, expansion = so that whoever writes the offer sees what they order
order-sum comment|document text 2.4 in account review = so that whoever takes over sees what they order
order-amount comment|document text 1.0 in renewal, expansion = so that whoever writes the offer sees how much they order
order-amount comment|document text 1.0 in account review = so that whoever takes over sees how much they order
bill-amount comment|document text 1.6 in overdue payment = so that whoever calls them knows what is open
bill-amount comment|document text 1.6 in billing question = so that whoever answers them sees what we billed
contract-amount|contract-sum comment|document|memo text 2.0 in renewal, expansion = so that whoever writes the offer sees what they pay now
contract-amount|contract-sum comment|document text 2.0 in account review = so that whoever takes over knows what they pay
deal-amount comment|document|memo text 1.8 in renewal, expansion = so that whoever writes the offer knows how much we hope for
deal-amount comment|document text 1.8 in onboarding, account review = so that everybody knows what they have signed
bill-day comment|document text 1.4 in renewal, billing question = so that nobody reminds them too early
bill-day letter text 2.4 in renewal = so that they know by when to pay
contract-day work|project date 2.0 in renewal, cancellation, expansion = so that it is done before the contract ends
contract-day comment|document text 1.8 in renewal, cancellation, account review = so that everybody knows how long the contract runs
contract-day meeting|reminder datetime 1.8 in renewal = so that we talk before the contract ends
deal-day work|project date 2.0 in renewal, expansion, onboarding = so that it is ready when they sign
deal-day comment|document|memo text 1.6 in renewal, expansion = so that whoever writes the offer knows when they decide
deal-day meeting|reminder datetime 2.0 in renewal, expansion = so that we are ready when they decide
work-day comment|document|memo text 2.2 in damaged delivery, late delivery, missed delivery, outage, onboarding, expansion, billing question = so that whoever talks to them knows when it will be done | so that nobody promises them another day
work-day letter text 2.4 in damaged delivery, late delivery, missed delivery, outage, onboarding, expansion, billing question = so that they know when it will be done
project-day comment|document|memo text 2.0 in onboarding, expansion = so that whoever talks to them knows when everything will be ready
project-day letter text 2.0 in onboarding, expansion = so that they know when everything will be ready
project-day work date 2.0 in onboarding, expansion, outage = so that both are finished on the same day
meeting-day comment|document|memo text 1.8 = so that everybody knows when we meet them
before work|project date 2.0 = so that we have some time left before that | to be on the safe side
before reminder|meeting datetime 2.0 = to be early enough
work-number comment text 1.2 = as a cross-reference | so that the two can be matched
work-number work text 0.8 = so that the two can be matched
new comment|document text 1.6 = as a cross-reference | so that the two can be matched
new work|deal|order|bill text 1.0 = so that the two can be matched
ruled * * 1.0 = as our own rules have it
""")  # noqa: E501  # one row a line reads best
"""Subject, targets, forms, worth, the stories, and the reasons in the asker's words: `{know}`,
`{due}` and `{tell}` are those of the matter that is passed on; what stands before others is
what it must have. Of messages, a `letter` goes to the customer, a `memo` to our own people."""


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
            reasons = tuple(_filled(reason, story, named) for reason in row.reasons)
            if all(reasons):
                return evolve(row, reasons=reasons)
    return None


def _filled(reason: str, story: str, named: str) -> str:
    """A reason of a row; that of the matter where the row asks for it."""
    if not reason.startswith("{"):
        return reason
    part, _, plain = reason[1:].partition("} ")
    held = stories.matter(story, named)
    own = "" if held is None else str(getattr(held, part.rstrip("}")))
    return plain if own and plain else own
