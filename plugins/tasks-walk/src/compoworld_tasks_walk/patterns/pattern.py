"""The pattern protocol: ways to go on from a fact, each with how natural it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from attrs import frozen

from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known


@frozen
class Option:
    """One way to go on: how natural it is, and how to do it."""

    weight: float
    """0 is absurd and never tried, 1 is neutral, 3 what people do every day."""
    apply: Callable[[], None]
    """Raises Barren where it does not work out; the draft is then rolled back."""
    tells: tuple[Known, ...] = ()
    """What it would tell, in outline: nothing is planted yet. Of those that only read."""
    table: str = ""
    """The table that it reads."""
    tool: str = ""
    """The tool that it writes with."""
    closes: str = ""
    """The table that tells nothing more after it: of a set, or with a new record in it, no
    single record is spoken of."""


class Pattern(Protocol):
    """A small object that proposes what a visit may do."""

    name: str
    writes: bool
    """Ends in a write, so that it can be the last visit."""
    weight: float
    """How often it is wanted, beside the others."""
    ahead: bool
    """Do its options depend on where the walk goes next?"""
    once: bool
    """Is a task that has it twice a puzzle?"""
    share: float
    """Of how many plans in one it may be a part: what is seldom asked for."""

    @property
    def probes(self) -> tuple[str, ...]:
        """The probes of the certificate that its tasks stand or fall by."""
        ...

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Ways to use a fact of the visit before in the service of this visit.

        A pattern that only reads may be given a key of the hero instead: what it finds is then
        told by this visit's service, and no edge carries the key.
        """
