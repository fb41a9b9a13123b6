"""Topics: the errand that a task is about: its name, why it is asked for, titles and texts.

A topic is written as people speak of an undertaking: "Vesgate vendor audit". Titles of the
records that a task brings or speaks of carry both words, so that all of it is one errand.
"""

from __future__ import annotations

from collections.abc import Collection
from random import Random
from typing import Final

from attrs import frozen

from compoworld_core import pools
from compoworld_core.cast import fresh_stem


@frozen
class Topic:
    """One kind of undertaking."""

    name: str
    """As the world's own titles have it, in small letters: "vendor audit"."""
    reasons: tuple[str, ...]
    """Why somebody asks for help with just this now; `{}` is the undertaking."""
    fits: frozenset[str]
    """Archetypes that it has to do with; a hiring round has nothing to do with invoices."""


_REASONS: Final = (
    "We went through the {} this morning and these points are still open.",
    "I'm tidying up the loose ends of the {} before I'm away.",
    "I took over the {} and want our systems to say the same thing about it.",
    "There is a call about the {} tomorrow and everything should be in place by then.",
    "A few things around the {} have piled up on my desk.",
    "I promised the others to get on with the {} today.",
    "The {} is on today's agenda and I'd like to report that it's in order.",
    "We're a bit behind with the {} and I want to catch up.",
)
"""Reasons that fit any undertaking."""

_TEXTS: Final = (
    "Please look into the {} this week.",
    "This belongs to the {}.",
    "Raised while preparing the {}.",
    "Needed for the {}, thanks.",
    "Open point from the {}.",
)
"""Short texts that a record about any undertaking may hold."""


_TRADE: Final = frozenset(("order", "bill", "payment", "contract", "product", "deal"))
_TECH: Final = frozenset(("repository", "work", "project"))
_OFFICE: Final = frozenset(("document", "meeting", "message", "channel", "reminder"))
_ALL: Final = _TRADE | _TECH | _OFFICE


def _topic(name: str, fits: frozenset[str], *reasons: str) -> Topic:
    return Topic(name, reasons, fits)


TOPIC_LIST: Final = (
    _topic("launch plan", _ALL, "The {} goes to everybody next week and has gaps in it."),
    _topic(
        "budget check", _TRADE, "Finance wants the {} finished and I'm missing a few pieces."
    ),
    _topic(
        "contract draft", _TRADE | _OFFICE, "Legal sent the {} back with things to put right."
    ),
    _topic(
        "vendor audit", _ALL, "The auditors are coming for the {} and some records are behind."
    ),
    _topic(
        "warehouse move", _TRADE, "The {} is about to start and some customers are affected."
    ),
    _topic(
        "security review", _TECH | _OFFICE, "The {} turned up a few things that need doing."
    ),
    _topic("site visit", _OFFICE, "We're preparing the {} and some of it depends on others."),
    _topic(
        "renewal terms", _TRADE, "The {} are being settled and the details have to be right."
    ),
    _topic("onboarding", _ALL, "The {} is under way and some of it got stuck."),
    _topic("delivery schedule", _TRADE, "The {} has slipped and people need to hear about it."),
    _topic("quarterly report", _ALL, "I'm closing the {} and these points are missing."),
    _topic(
        "staff training", _OFFICE, "The {} is coming up and these things are left to arrange."
    ),
    _topic("website refresh", _TECH | _OFFICE, "The {} is nearly done; this is what is left."),
    _topic("stock count", _TRADE, "The {} showed some differences that we have to clear up."),
    _topic("payment run", _TRADE, "The {} is due and I don't want anything wrong to go out."),
    _topic("trade fair", _ALL, "We're back from the {} and this is what came of it."),
    _topic("hiring round", _OFFICE, "The {} is closing and these things are left to do."),
    _topic("service outage", _ALL, "We're cleaning up after the {} and owe people an answer."),
    _topic("support backlog", _ALL, "We're working down the {} today."),
    _topic("customer survey", _ALL, "The {} came back and some answers need a follow-up."),
    _topic("billing dispute", _TRADE, "The {} has to be settled before the end of the month."),
    _topic("office lease", _OFFICE, "The {} is up for signing and a few things hang on it."),
    _topic(
        "product recall", _TRADE, "The {} is on and everybody affected has to be dealt with."
    ),
    _topic("access request", _TECH, "The {} is waiting on us."),
    _topic("shipping delay", _TRADE, "The {} hit some customers and we want to make it good."),
    _topic(
        "partner meeting", _ALL, "The {} is coming up and I need a few things sorted for it."
    ),
    _topic("roadmap session", _TECH | _OFFICE, "The {} left us with a list of things to do."),
    _topic("feedback round", _ALL, "The {} is over and I promised to act on it."),
    _topic("license renewal", _ALL, "The {} is coming up and I want it out of the way."),
    _topic("insurance claim", _TRADE | _OFFICE, "The insurer asked for more on the {}."),
)

_BY_NAME: Final = {topic.name: topic for topic in TOPIC_LIST}
TOPICS: Final = tuple(_BY_NAME)
"""The names of all kinds of undertakings."""

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


def draw(rng: Random, present: Collection[str] = ()) -> str:
    """An undertaking that nobody has heard of yet: "Vesgate vendor audit".

    Args:
        rng: draws it.
        present: archetypes that the task may deal with; the topic mostly fits them.
    """
    telling = _ALL.intersection(present)
    weights = [
        0.02 + (len(topic.fits & telling) / len(telling)) ** 3 if telling else 1.0
        for topic in TOPIC_LIST
    ]
    return f"{fresh_stem(rng)} {rng.choices(TOPIC_LIST, weights)[0].name}"


def parts(topic: str) -> tuple[str, str]:
    """The undertaking's own name and its kind: ("Vesgate", "vendor audit")."""
    own, _, kind = topic.partition(" ")
    return (own, kind) if own[:1].isupper() and kind else ("", topic)


def title(topic: str, rng: Random, taken: Collection[object] = ()) -> str:
    """A title for a record that the task brings about, none of those taken."""
    names = [f"{topic} {word}" for word in TITLE_WORDS if word not in topic]
    name = rng.choice([name for name in names if name not in taken] or names)
    return name[:1].upper() + name[1:]


def planted(topic: str, rng: Random) -> str:
    """A title for a record of the world that the task speaks of, as the world's own titles."""
    own, kind = parts(topic)
    form = rng.choice(pools.TOPIC_FORMS)
    return f"{kind[:1].upper()}{kind[1:]} {form} {own or fresh_stem(rng)}"


def slug(topic: str, rng: Random) -> str:
    """A name of small letters and hyphens, as channels have: "vesgate-audit-ops"."""
    own, kind = parts(topic)
    words = [own or fresh_stem(rng), kind.split()[-1], rng.choice(_GROUPS)]
    return "-".join(words).lower()


def sentence(topic: str, rng: Random) -> str:
    """A short text that the instruction gives word for word."""
    return rng.choice(_TEXTS).format(topic)


def fitting(topic: str) -> frozenset[str]:
    """The archetypes that an undertaking has to do with."""
    return _of(topic).fits


def reason(topic: str, rng: Random) -> str:
    """A sentence that says why somebody asks, with the undertaking in it."""
    own = _of(topic).reasons
    return rng.choice(own if own and rng.random() < 0.5 else _REASONS).format(topic)


def _of(topic: str) -> Topic:
    """What is known of an undertaking; generic words for one that is not in the list."""
    return _BY_NAME.get(parts(topic)[1]) or _topic(topic, _ALL)
