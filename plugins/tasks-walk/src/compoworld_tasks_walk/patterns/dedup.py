"""Dedup: two records are about the same; the older one is completed, the newer one closed."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import NEVER, Known
from compoworld_tasks_walk.patterns.copying import homes
from compoworld_tasks_walk.patterns.extremes import Rank, ranks, select_pair
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import facts_of
from compoworld_tasks_walk.patterns.writing import (
    add_child,
    change_alone,
    deed,
    like_of,
    state_fact,
    suits,
    updates,
)
from compoworld_tasks_walk.script import Change, Drop

ARCHETYPES = ("customer", "firm", "work")


class Dedup:
    """The carried fact goes into the older record, which is kept."""

    name = "dedup"
    writes = True
    weight = 1.8
    probes = ("edges-carry", "unambiguous", "criteria-needed")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each table in which the hero may stand twice, with a tool that closes one of them."""
        if fact.source == "id":
            return
        anchors = [known for known in draft.known if known.visit == NEVER]
        found = [(rank, anchor) for anchor in anchors for rank in ranks(draft, visit, anchor)]
        for keep, table, natural in homes(draft, visit, fact, "copy"):
            for rank, anchor in found:
                profile = rank.key.profile
                kind = draft.catalogue.archetype(profile.service, profile.name)
                dated = rank.by.fact.kind in ("date", "datetime")
                if profile.name != table or kind not in ARCHETYPES or not dated:
                    continue
                for close in updates(draft, profile.service, profile.name):
                    if not close.effects:
                        continue  # what is done twice is closed, not given another priority

                    def apply(
                        rank: Rank = rank, by: Known = anchor, keep: Write = keep,
                        close: Write = close,
                    ) -> None:  # fmt: skip
                        self._merge(draft, visit, fact, (rank, by), keep, close)

                    yield Option(natural * deed(draft, close), apply)

    def _merge(
        self,
        draft: Draft,
        visit: int,
        fact: Known,
        place: tuple[Rank, Known],
        keep: Write,
        close: Write,
    ) -> None:
        rank, by = place
        like = {**like_of(draft, keep), **like_of(draft, close)}
        older, newer = select_pair(draft, visit, by, rank, like)
        if not (suits(draft, older, keep) and suits(draft, newer, close)):
            raise Barren(f"{close.tool} does not work on such a record")
        draft.carry(fact, visit)
        if keep.op == "update":
            state_fact(draft, visit, older, keep, fact)
        else:
            add_child(draft, visit, older, keep, fact)
        change_alone(draft, visit, newer, close)
        closing = draft.actions[-1]
        assert isinstance(closing, Change | Drop), "a record was closed"
        draft.actions[-1] = evolve(closing, why="both are about the same")
        draft.known += facts_of(draft, older, visit)
