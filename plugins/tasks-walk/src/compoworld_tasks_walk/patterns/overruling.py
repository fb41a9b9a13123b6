"""Overruling: a later text in one service says otherwise than a record of another one did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import evolve, frozen

from compoworld_tasks_walk import stories
from compoworld_tasks_walk.catalogue import Barren, FieldProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import NEVER, Known, Rec
from compoworld_tasks_walk.patterns.drawing import drawn
from compoworld_tasks_walk.patterns.finding import by_tie
from compoworld_tasks_walk.patterns.informing import texts
from compoworld_tasks_walk.patterns.notes import said, stated
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import found_before, worth
from compoworld_tasks_walk.patterns.summing import said_in
from compoworld_tasks_walk.patterns.ties import Tie
from compoworld_tasks_walk.planting import Pair, Said
from compoworld_tasks_walk.plots import Matter
from compoworld_tasks_walk.script import Overruling, Stated

LATER: Final = ("message", "work")
"""Archetypes of what people write to say that something has changed."""
EARLIER: Final = ("document", "comment", "work", "message")
"""Archetypes in whose texts stands what is not right any more."""


@frozen
class Stale:
    """A record of another service that says something which no action has passed on."""

    rec: Rec
    fact: Known
    matter: Matter


class Overrule:
    """Read only: what a message says goes on, and not what a note elsewhere says about it."""

    name = "overrule"
    writes = False
    weight = 2.6
    ahead = False
    once = True
    share = 0.3
    probes = ("edges-carry", "unambiguous", "tolerant-and-strict")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each text of the hero's here, for each matter that a record elsewhere speaks of."""
        if fact.visit != NEVER:
            return
        asked = (NEVER, "outdated")
        if asked not in draft.readable:
            draft.readable[asked] = list(_outdated(draft))
        stale_ones: list[Stale] = draft.readable[asked]
        outdated = [one for one in stale_ones if one.rec.service != draft.walk[visit]]
        for tie, text in texts(draft, visit, fact, LATER) if outdated else ():
            found = tie.found
            if found_before(draft, found.service, found.name):
                continue  # it has said what it says
            natural = worth(draft, fact, found.service, found.name, "correction")
            for stale in outdated:

                def apply(
                    tie: Tie = tie, text: FieldProfile = text, stale: Stale = stale
                ) -> None:
                    self._read(draft, visit, tie, text, stale)

                yield Option(natural, apply, (said(found, text, stale.matter),), found.name)

    @staticmethod
    def _read(draft: Draft, visit: int, tie: Tie, text: FieldProfile, stale: Stale) -> None:
        matter = stale.matter
        values = drawn(draft, matter.kind, 2)
        form = Said(matter.name, matter.kind, matter.later, *values)

        def prepare(pair: Pair) -> None:
            pair.said.clear()
            pair.write(text.name, (form,))

        rec = by_tie(draft, visit, tie, prepare=prepare)
        if rec.pair is None or rec.pair.said.get(text.name) != (form,):
            raise Barren(f"{rec.table} says something else")
        decoys = (stale.fact.hero, stale.fact.shadow)
        told = stated(
            draft, rec, text.name, matter.name, matter.kind, (values[0], values[1]),
            form.sentence, visit, decoys=decoys,
        )  # fmt: skip
        value = Overruling(rec.id, text.name, matter.kind, matter.name, stale.rec.id)
        draft.known.append(evolve(told, value=value))
        draft.besides.append(stale.fact)  # nobody passes on what is not right any more


def _outdated(draft: Draft) -> Iterator[Stale]:
    """What records say that nothing was done about."""
    for rec in draft.records.values():
        archetype = draft.catalogue.archetype(rec.service, rec.table)
        if rec.many or archetype not in EARLIER:
            continue
        for fact in said_in(draft, rec.visit, rec):
            named = fact.value.name if isinstance(fact.value, Stated) else ""
            matter = stories.matter(draft.story, named)
            if matter is not None and not draft.spent(fact):
                yield Stale(rec, fact, matter)
