"""Dedup: two records are the same customer; what the newer one has goes into the older one."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.patterns.extremes import Rank, ranks, select_pair
from compoworld_tasks_walk.patterns.pattern import Option, facts_of, worth
from compoworld_tasks_walk.patterns.writing import (
    change_alone,
    deed,
    like_of,
    state_fact,
    suits,
    updates,
)

ARCHETYPES = ("customer", "firm", "work")


class Dedup:
    """The older record is kept and completed, the newer one is closed."""

    name = "dedup"
    writes = True
    weight = 1.8
    probes = ("edges-carry", "unambiguous", "criteria-needed")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each table in which a key may stand twice, with a tool that closes one of them."""
        for rank in ranks(draft, visit, fact):
            profile = rank.key.profile
            kind = draft.catalogue.archetype(profile.service, profile.name)
            if kind not in ARCHETYPES or rank.by.fact.kind not in ("date", "datetime"):
                continue
            for write in updates(draft, profile.service, profile.name):

                def apply(rank: Rank = rank, write: Write = write) -> None:
                    self._merge(draft, visit, fact, rank, write)

                natural = worth(draft, fact, profile.service, profile.name, self.name)
                yield Option(natural * deed(draft, write), apply)

    def _merge(self, draft: Draft, visit: int, fact: Known, rank: Rank, write: Write) -> None:
        older, newer = select_pair(draft, visit, fact, rank, like_of(draft, write))
        if not suits(draft, newer, write):
            raise Barren(f"{write.tool} does not work on such a record")
        draft.carry(fact, visit)
        moved = False
        for held in draft.shuffled(facts_of(draft, newer, visit)):
            for keep in draft.catalogue.writes(older.service):
                if (keep.op, keep.table) != ("update", older.table) or not keep.by:
                    continue
                mark = draft.mark()
                try:
                    state_fact(draft, visit, older, keep, evolve(held, visit=visit))
                except Barren:
                    draft.back(mark)
                    continue
                moved = True
                break
            if moved:
                break
        change_alone(draft, visit, newer, write)
        draft.known += facts_of(draft, older, visit)
