"""Correction: what somebody's latest message says counts; their earlier ones said otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any, Final

from attrs import frozen

from compoworld_core import facts
from compoworld_core.types import Kind
from compoworld_tasks_walk.catalogue import FieldProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.patterns.extremes import Rank, ranks, select_best
from compoworld_tasks_walk.patterns.notes import proses, stated
from compoworld_tasks_walk.patterns.pattern import Option, worth
from compoworld_tasks_walk.planting import Planted
from compoworld_tasks_walk.reach import takes_text
from compoworld_tasks_walk.script import Extreme


@frozen
class Matter:
    """Something that people write about and correct: its name, kind, and sentences for it."""

    name: str
    kind: Kind
    first: str
    later: tuple[str, ...]


MATTERS: Final = (
    Matter("delivery date", "date", "We expect the delivery on {}.",
           ("Please note that the delivery is now planned for {}.",
            "I have to correct myself: the delivery will be on {}.")),
    Matter("review date", "date", "Let us do the review on {}.",
           ("The review has moved, it is on {} now.",
            "Small correction to my last message: the review is on {}.")),
    Matter("agreed amount", "money", "We agreed on {} for this.",
           ("After the call we settled on {}, please use that.",
            "Correction: the amount that counts is {}.")),
    Matter("budget", "money", "Our budget for this is {}.",
           ("Our budget has changed, it is {} now.",
            "Please disregard my earlier figure, the budget is {}.")),
)  # fmt: skip

ARCHETYPES: Final = ("message", "comment", "work")


class Correction:
    """Read only: the fact that the latest text states goes on."""

    name = "correction"
    writes = False
    weight = 2.2
    probes = ("edges-carry", "unambiguous", "tolerant-and-strict")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each table of messages that the key finds several rows of, by their time."""
        last = visit + 1 >= len(draft.walk)
        if not last and not takes_text(draft.catalogue, draft.walk[visit + 1]):
            return
        for rank in ranks(draft, visit, fact):
            profile = rank.key.profile
            written = draft.catalogue.archetype(profile.service, profile.name) in ARCHETYPES
            if not written or rank.by.fact.kind not in ("date", "datetime"):
                continue
            for text in proses(profile):

                def apply(rank: Rank = rank, text: FieldProfile = text) -> None:
                    self._read(draft, visit, fact, rank, text)

                natural = worth(draft, fact, profile.service, profile.name, self.name)
                yield Option(natural, apply, leads=True)

    def _read(
        self, draft: Draft, visit: int, fact: Known, rank: Rank, text: FieldProfile
    ) -> None:
        matter = draft.rng.choice(MATTERS)
        later = draft.rng.choice(matter.later)
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


def drawn(draft: Draft, kind: Kind, count: int) -> list[Any]:
    """Different values of a kind, in their JSON form."""
    rng = draft.rng
    if kind == "date":
        today: date = draft.catalogue.world.cast.today.date()
        days = rng.sample(range(12, 90), count)
        return [(today + timedelta(days=day)).isoformat() for day in days]
    return [
        f"{value}.{rng.randrange(100):02d}" for value in rng.sample(range(310, 9800), count)
    ]
