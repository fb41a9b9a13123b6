"""Correction: what somebody's latest message says counts; their earlier ones said otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from compoworld_core import facts
from compoworld_tasks_walk.catalogue import FieldProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.patterns.drawing import drawn, proses
from compoworld_tasks_walk.patterns.extremes import Rank, ranks, select_best
from compoworld_tasks_walk.patterns.finding import unsaid
from compoworld_tasks_walk.patterns.notes import said, stated
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import worth
from compoworld_tasks_walk.planting import Planted
from compoworld_tasks_walk.plots import Matter
from compoworld_tasks_walk.script import Extreme

ARCHETYPES: Final = ("message", "work")


class Correction:
    """Read only: the fact that the latest text states goes on."""

    name = "correction"
    writes = False
    weight = 2.2
    ahead = False
    once = False
    share = 1.0
    probes = ("edges-carry", "unambiguous", "tolerant-and-strict")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each table of messages that the key finds several rows of, by their time."""
        for rank in ranks(draft, visit, fact):
            profile = rank.key.profile
            written = draft.catalogue.archetype(profile.service, profile.name) in ARCHETYPES
            if not written or rank.by.fact.kind not in ("date", "datetime"):
                continue
            natural = worth(draft, fact, profile.service, profile.name, self.name)
            for text in proses(profile):
                for matter in unsaid(draft):

                    def apply(
                        rank: Rank = rank, text: FieldProfile = text, matter: Matter = matter
                    ) -> None:
                        self._read(draft, visit, fact, rank, text, matter)

                    yield Option(natural, apply, (said(profile, text, matter),), profile.name)

    def _read(
        self,
        draft: Draft,
        visit: int,
        fact: Known,
        rank: Rank,
        text: FieldProfile,
        matter: Matter,
    ) -> None:
        later = matter.later
        values = drawn(draft, matter.kind, 4)

        def prepare(rows: list[Planted]) -> None:
            for planted, value, form in zip(
                rows, values, (later, matter.first, matter.first, later), strict=True
            ):
                planted.row[text.name] = form.format(facts.render(matter.kind, value))

        rec = select_best(draft, visit, fact, rank, Extreme("largest"), prepare)
        draft.carry(fact, visit)
        draft.known.append(
            stated(
                draft, rec, text.name, matter.name, matter.kind, (values[0], values[3]),
                lambda value: later.format(facts.render(matter.kind, value)), visit,
                decoys=tuple(values[1:3]),
            )
        )  # fmt: skip
