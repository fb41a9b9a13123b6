"""Plots: what a story is made of."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from compoworld_core.types import Kind


@frozen
class Matter:
    """Something that people write about in a story, and correct: its name, kind, sentences."""

    name: str
    kind: Kind
    first: str
    later: str
    know: tuple[str, ...] = ()
    """What our own people read it for: "our driver goes by it"; each says the whole reason."""
    memo: tuple[str, ...] = ()
    """The same where one colleague is written to: "{who} books the driver"."""
    due: tuple[str, ...] = ()
    """What a piece of work is due on that day for: "we promised to come that day"."""
    tell: tuple[str, ...] = ()
    """What the customer is told it for; empty where they are not."""
    early: bool = False
    """Is something to be ready before that day?"""
    meet: str = ""
    """Title of the meeting on that day, where people meet then; `{own}` is the company."""
    forecast: bool = False
    """Does it say when a deal is closed, or what it is worth?"""
    stake: bool = False
    """May it depend on the amount how urgent things are?"""
    ask: str = ""
    """What has to be done by that day: a title, `{own}` is the company."""


@frozen
class Story:
    """One reason to ask."""

    name: str
    """As titles have it, in small letters: "late delivery"."""
    openings: tuple[str, ...]
    """Sentences that say it; `{}` is the customer."""
    deeds: Mapping[tuple[str, str], tuple[str, ...]]
    """(archetype, word of the deed) → reasons, each a clause that goes after "since"."""
    matters: tuple[Matter, ...]
    """What the texts of the customer, or about them, say."""
    asks: tuple[str, ...] = ()
    """Titles of what somebody should take up; `{own}` is the company."""
