"""Appointment: something is put at an hour of a carried day."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_tasks_walk import moves, stories
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.patterns.create import Create
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.script import FactOf, Figure, Stated
from compoworld_tasks_walk.sinks import DUE
from compoworld_tasks_walk.times import at


class Appointment:
    """A meeting, a reminder, a message to be sent then."""

    name = "appointment"
    writes = True
    weight = 2.0
    ahead = False
    once = True
    share = 1.0
    probes = ("edges-carry", "discoverable", "tolerant-and-strict")

    def __init__(self) -> None:
        self.way = Create()

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each record that begins at some time, with a day that something is due to."""
        if fact.kind != "date" or not isinstance(fact.value, FactOf | Figure | Stated):
            return
        if not isinstance(fact.value, Stated) and moves.tale_worth(fact.field) < DUE:
            return
        if isinstance(fact.value, Stated):
            matter = stories.matter(draft.story, fact.value.name)
            if matter is not None and matter.early and not matter.meet:
                return
        yield from self.way.options(draft, visit, at(fact, 9 + draft.rng.randrange(7)))
