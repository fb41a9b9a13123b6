"""Motives: why a fact is told in a place or a field set to it; without one it never is.

A motive goes by what the fact is to the errand (its subject), by what takes it, and by the
story. The planner weighs by it, and the text says it.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from attrs import frozen

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
FIXED: Final = ("agreed-day", "forecast-day", "contract-day", "deal-day", "project-day")
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
agreed-day work|reminder date|datetime 3.0 = so that it is done by then
forecast-day deal date 3.0 = so that the forecast is right
agreed-day meeting datetime 2.6 = so that nobody books us for anything else
agreed-day comment|document text 2.2 = so that everybody goes by the same day | so that the team knows the day
agreed-day message text 2.4 = so that we all go by the same day
agreed-day message datetime 2.0 = so that they hear from us on that day
forecast-amount deal money|cents 3.0 = so that the forecast is right
agreed-amount comment|document|order|bill|contract text 2.2 = so that everybody goes by the same amount
agreed-amount message text 2.0 = so that there is no doubt about the amount
agreed-amount work money|cents 1.8 = so that the amount is on record
refunded-number comment|document text 2.6 = so that accounting can match the refund
refunded-amount comment|document text 2.6 = so that accounting can book the refund | so that accounting finds the refund
refunded-amount message text 2.4 = so that they know how much they get back
refunded-amount work money|cents 2.0 = so that it shows what they got back
cancelled-number comment|document text 2.6 = so that nobody ships it after all
cancelled-amount comment|document text 2.4 = so that accounting takes it off the books | so that nobody bills them for it
cancelled-number message text 2.0 = so that they know that it is off
voided-number comment|document text 2.4 = so that nobody chases it any more
voided-amount comment|document text 2.6 = so that accounting takes it off the books | so that nobody reminds them of it
voided-amount message text 2.0 = so that they know what they need not pay
sent-number comment|document text 2.6 = so that the team can follow it
sent-amount comment|document text 1.8 = so that accounting can bill it | so that accounting knows what to bill
sent-number message text 2.4 = so that they know which one is on its way
billed-number comment|document text 2.6 = so that anybody can find it when they ask
billed-amount comment|document text 2.6 = so that the team knows what they have to pay
billed-amount message text 2.4 = so that they know what they have to pay
paid-number comment|document text 2.4 = so that nobody asks them for the money again
paid-amount comment|document text 2.6 = so that the team knows what has come in
settled-number comment|document text 1.4 = so that it is clear which one was meant
refunded-number|cancelled-number|voided-number|sent-number|billed-number|paid-number work text 1.8 = so that whoever takes it knows which one to look at
bill-sum comment|document text 2.4 in billing question, overdue payment, cancellation, account review = so that we know how much is open
bill-sum message text 2.0 in overdue payment = so that they know how much is open
order-amount|order-sum comment|document text 1.8 in renewal, expansion = so that our offer fits what they order now | so that whoever writes the offer sees what they order
order-amount|order-sum comment|document text 1.8 in account review = so that we have it at hand in the review | so that whoever takes over sees what they order
order-amount comment|document text 1.6 in damaged delivery, late delivery, missed delivery, outage = so that whoever deals with it knows what the order was worth
bill-amount comment|document text 1.6 in billing question, overdue payment = so that whoever answers them knows which amount they mean
payment-amount comment|document text 1.6 in billing question, damaged delivery, missed delivery, outage = so that whoever deals with it knows how much it is about
contract-amount|contract-sum comment|document text 2.0 in renewal, cancellation, expansion, account review = so that we know what they pay us now
deal-amount comment|document text 1.8 in renewal, expansion, onboarding = so that everybody knows what it is worth
bill-day comment|document text 1.6 in overdue payment, renewal = so that the team knows when their payment is due
bill-day message text 2.4 in renewal = so that they know by when to pay
bill-day reminder|meeting datetime|date 1.6 in overdue payment = so that we can ask for the payment in time
contract-day work|project|deal date 2.0 in renewal, cancellation, expansion = so that it is done before the contract ends
contract-day comment|document text 1.8 in renewal, cancellation = so that the team knows when the contract ends
contract-day meeting|reminder|message datetime 1.8 in renewal = so that we talk before the contract ends
deal-day work|project date 2.0 in renewal, expansion, onboarding = so that it is ready when they sign
deal-day comment|document text 1.6 in renewal, expansion = so that the team knows when they decide
deal-day meeting|reminder datetime 2.0 in renewal, expansion = so that we are ready when they decide
work-day comment text 2.2 = so that whoever talks to them knows when it will be done | so that nobody promises them another day
work-day message text 2.4 = so that they know when it will be done
work-day meeting|reminder datetime 1.2 = so that we can see where it stands on that day
project-day comment|document text 1.8 in onboarding, expansion, account review, outage = so that the team knows when it has to be finished
project-day message text 2.0 in onboarding, expansion = so that they know when everything will be ready
project-day work date 2.0 in onboarding, expansion, outage = so that both are finished on the same day
meeting-day comment|document text 1.8 = so that the team knows when we meet them
before work|project date 2.0 = so that we have some time left before that | to be on the safe side
before reminder|meeting|message datetime 2.0 = to be early enough
work-number comment text 1.4 = as a cross-reference | so that the two can be matched
work-number document text 1.2 = so that the page leads to it
work-number work text 0.8 = so that the two can be matched
new comment|document text 1.6 = as a cross-reference | so that the two can be matched
new work|deal|order|bill text 1.0 = so that the two can be matched
ruled * * 1.0 = as our own rules have it
""")  # noqa: E501  # one row a line reads best
"""Subject, targets, forms, worth, the stories, and the reasons in the asker's words."""


DEEDS: Final = {
    "refund": "refunded", "cancel": "cancelled", "cancelled": "cancelled",
    "canceled": "cancelled", "void": "voided", "fulfill": "sent", "fulfil": "sent",
    "complete": "sent", "completed": "sent", "fulfilled": "sent", "finalize": "billed",
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


@cache
def motive(story: str, of: str, target: str, form: str) -> Motive | None:
    """Why a fact of a subject is told to a record of an archetype; None where nobody would.

    Args:
        story: the story's name.
        of: the fact's subject.
        target: archetype of what takes it.
        form: "text" where it is stated in one, else the kind of the field.
    """
    plain = of.replace("forecast", "agreed")
    for row in MOTIVES:
        fits = (
            row.subject in (of, plain)
            and row.target in ("*", target)
            and row.form in ("*", form)
        )
        if fits and (not row.stories or story in row.stories):
            return row
    return None
