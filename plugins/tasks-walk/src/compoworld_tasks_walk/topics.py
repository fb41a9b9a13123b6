"""Topics: the matter that a task is about: its name, and titles and texts about it.

A topic is the customer's company and the story: "Vesgate Foods renewal". Titles of the records
that a task brings or speaks of carry both, so that all of it is one matter.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random
from typing import Final

from compoworld_core import pools
from compoworld_core.cast import fresh_stem
from compoworld_tasks_walk import stories

_TEXTS: Final = {
    "": ("Please look into the {kind} at {own} this week.", "It is about the {kind} at {own}."),
    "reminder": (
        "Call {own} about the {kind}.",
        "Check how far we are with the {kind} at {own}.",
    ),
    "message": ("We will get back to you about the {kind}.", "We are working on the {kind}."),
    "comment": ("We are working on the {kind}.", "I have spoken to {own} about the {kind}."),
}
"""Archetype → short texts that a record about a matter may hold."""

TITLE_WORDS: Final = (
    "follow-up", "next steps", "open points", "details", "to do", "notes", "status", "update",
    "handover", "clarification",
)  # fmt: skip
"""What a new record's title says after the undertaking."""


_GROUPS: Final = (
    "ops", "team", "partners", "planning", "support", "sales", "finance", "updates", "desk",
    "external", "core", "weekly", "prep", "leads",
)  # fmt: skip
"""Who talks in a channel about it."""


def draw(rng: Random, company: str) -> str:
    """An undertaking that concerns a customer's company: "Vesgate Foods renewal"."""
    return f"{company} {rng.choice(stories.NAMES)}"


def parts(topic: str) -> tuple[str, str]:
    """The company's name and the kind of undertaking: ("Vesgate Foods", "renewal")."""
    for name in stories.NAMES:
        if topic.endswith(f" {name}"):
            return topic.removesuffix(f" {name}"), name
    return "", topic


_NEW: Final = {
    "message": ("About the {kind}", "Next steps on the {kind}", "News on the {kind}"),
    "meeting": ("Call with {own} about the {kind}", "{own}: next steps on the {kind}"),
    "memo": ("{own}: {kind}", "{own} {kind}"),
}  # fmt: skip
"""Archetype → titles of new records; messages go to the customer, memos to our own."""


DONE: Final = {
    "refunded": ("Check the refund for {own}", "Book the refund for {own}"),
    "cancelled": ("Check the cancellation for {own}", "Stop the delivery to {own}"),
    "voided": ("Check what {own} still owes us", "Correct the books for {own}"),
    "sent": ("Check the delivery to {own}", "Ask {own} if everything arrived"),
    "placed": ("Check the new order of {own}", "Send {own} the order"),
    "billed": ("Send {own} the invoice", "Check the invoice for {own}"),
    "paid": ("Match the payment of {own}", "Send {own} a receipt"),
}
"""What was done to a record → what somebody has to do then."""


def title(
    topic: str,
    rng: Random,
    taken: Collection[object] = (),
    archetype: str = "",
    asked: Sequence[str] = (),
) -> str:
    """A title for a record that the task brings about, none of those taken.

    Args:
        topic: what the task is about.
        rng: draws.
        taken: titles that other records have.
        archetype: of the record.
        asked: forms of titles that say what has to be done; those of the story where empty.
    """
    own, kind = parts(topic)
    names = [f"{topic} {word}" for word in TITLE_WORDS if word not in topic]
    wanted = _NEW.get(archetype, ())
    if archetype == "work":
        wanted = tuple(asked) or stories.asks(kind)
    if archetype in ("meeting", "memo") and asked:
        wanted = tuple(asked)
    forms = [form.format(own=own, kind=kind) for form in wanted if own]
    free = [name for name in forms if name not in taken] or [n for n in names if n not in taken]
    name = rng.choice(free or names)
    return name[:1].upper() + name[1:]


_FORMS: Final = {
    "work": (
        "{Kind} at {own}",
        "{own}: {kind}",
        "Follow up on the {kind} at {own}",
        "{Kind}, {own}",
    ),
    "project": ("{own} {kind}", "{Kind} at {own}", "{own}: {kind} project", "{Kind} for {own}"),
    "document": ("{Kind} {own}", "{own}: notes on the {kind}", "{own} {kind} plan"),
    "meeting": ("{own}: {kind}", "Call with {own} about the {kind}"),
}
"""Archetype → how people call a record about a matter."""


def planted(topic: str, rng: Random, archetype: str = "") -> str:
    """A title for a record of the world that the task speaks of, as the world's own titles."""
    own, kind = parts(topic)
    if own and archetype in _FORMS:
        form = rng.choice(_FORMS[archetype])
        return form.format(own=own, kind=kind, Kind=kind[:1].upper() + kind[1:])
    form = rng.choice(pools.TOPIC_FORMS)
    return f"{kind[:1].upper()}{kind[1:]} {form} {own or fresh_stem(rng)}"


def slug(topic: str, rng: Random) -> str:
    """A name of small letters and hyphens, as channels have: "vesgate-audit-ops"."""
    own, kind = parts(topic)
    words = [(own or fresh_stem(rng)).split()[0], kind.split()[-1], rng.choice(_GROUPS)]
    return "-".join(words).lower()


def sentence(topic: str, rng: Random, archetype: str = "", asked: Sequence[str] = ()) -> str:
    """A short text that the instruction gives word for word; a reminder says what to do."""
    own, kind = parts(topic)
    if archetype == "reminder" and asked and own:
        return rng.choice(list(asked)).format(own=own)
    return rng.choice(_TEXTS.get(archetype, _TEXTS[""])).format(own=own or "them", kind=kind)
