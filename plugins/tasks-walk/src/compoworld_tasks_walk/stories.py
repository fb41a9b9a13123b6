"""Stories: why somebody asks for things to be done for a customer, and what fits the reason.

A story opens the instruction, says which deeds make sense with it, and why each is asked for.
It names no service: deeds go by the archetype of a record and a word of the tool or the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from compoworld_tasks_walk.plots import Matter, Story
from compoworld_tasks_walk.storybook import STORIES
from compoworld_tasks_walk.words import split

_PLAIN: Final = ("Something about {} has to be settled.",)
_MATTERS: Final = (
    Matter(
        "review date", "date", "Let us do the review on {}.", "The review is on {} now.",
        know=("our people go by it",),
        due=("the slides have to be ready for the review",),
        tell=("they have to keep the day free",),
    ),
)  # fmt: skip

_BY_NAME: Final = {story.name: story for story in STORIES}
ARCHETYPES: Final = frozenset(kind for story in STORIES for kind, _ in story.deeds)
"""Archetypes of which stories say what may be done to them."""
_ALWAYS: Final = frozenset(("work", "message", "document", "customer", "reminder", "meeting"))
"""Archetypes of records that any story may have to do with."""
NAMES: Final = tuple(_BY_NAME)
"""The names of all stories."""


def of(name: str) -> Story:
    """The story of a name; one without deeds or openings of its own for any other."""
    return _BY_NAME.get(name) or Story(name, _PLAIN, {}, _MATTERS)


def reasons(name: str, archetype: str, words: Sequence[str]) -> tuple[str, ...]:
    """Why a deed is asked for in a story; empty where it does not belong to it."""
    deeds = of(name).deeds
    for word in words:
        if (archetype, word) in deeds:
            return deeds[archetype, word]
    return ()


def words_of(tool: str, effects: Mapping[str, Any]) -> list[str]:
    """Words of what a tool of one effect does, the most telling first."""
    values = [word_of(value) for value in effects.values() if not isinstance(value, bool)]
    flags = [word for name in effects for word in split(name).split()]
    return [*values, *split(tool).split(), *flags]


def word_of(value: object) -> str:
    """The word of a state."""
    return str(value).lower()


def belongs(name: str, archetype: str) -> bool:
    """Has a story anything to do with records of an archetype?"""
    return archetype not in ARCHETYPES - _ALWAYS or any(
        kind == archetype for kind, _ in of(name).deeds
    )


def matter(name: str, called: str) -> Matter | None:
    """A matter of a story by its name."""
    return next((held for held in of(name).matters if held.name == called), None)


def asks(name: str) -> tuple[str, ...]:
    """What somebody could be asked to take up; `{own}` is the company."""
    return of(name).asks


def opening(name: str, rng: Random) -> str:
    """A sentence that says why; `{}` is the customer."""
    return rng.choice(of(name).openings)
