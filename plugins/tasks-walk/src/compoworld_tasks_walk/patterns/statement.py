"""Statement: something that is the hero's, or about them, says in its text what counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compoworld_tasks_walk import stories
from compoworld_tasks_walk.catalogue import Barren, FieldProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import NEVER, Known, Rec
from compoworld_tasks_walk.patterns.finding import by_tie, speak, unsaid
from compoworld_tasks_walk.patterns.informing import texts
from compoworld_tasks_walk.patterns.notes import said, stated
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import found_before, worth
from compoworld_tasks_walk.patterns.ties import Tie
from compoworld_tasks_walk.planting import Said
from compoworld_tasks_walk.plots import Matter

ARCHETYPES = ("message", "work", "document", "meeting", "comment")


class Statement:
    """Read only: the day or the amount that a text gives goes on."""

    name = "statement"
    writes = False
    weight = 1.7
    ahead = False
    once = False
    share = 1.0
    probes = ("edges-carry", "tolerant-and-strict")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each text of the hero's here."""
        if fact.visit != NEVER:
            return
        left = unsaid(draft)
        for tie, text in texts(draft, visit, fact, ARCHETYPES):
            found = tie.found
            natural = worth(draft, fact, found.service, found.name, self.name)
            read = found_before(draft, found.service, found.name)
            # what was read says what it says; all else is said elsewhere
            for matter in _held(draft, read, text.name) if read else left:

                def apply(
                    tie: Tie = tie, text: FieldProfile = text, matter: Matter = matter
                ) -> None:
                    self._read(draft, visit, tie, text, matter)

                yield Option(natural, apply, (said(found, text, matter),), found.name)

    @staticmethod
    def _read(draft: Draft, visit: int, tie: Tie, text: FieldProfile, matter: Matter) -> None:
        rec = by_tie(draft, visit, tie, prepare=lambda pair: speak(draft, pair, matter))
        assert rec.pair is not None, "whoever is tied to the hero was planted"
        pair = rec.pair
        said = [one for one in pair.said.get(text.name, ()) if one.names is None]
        if not said:
            raise Barren(f"{rec.table} says nothing of the story")
        for one in said:

            def written(value: object, one: Said = one) -> str:
                return pair.text(text.name, one, value)

            values = (one.hero, one.shadow)
            draft.known.append(
                stated(draft, rec, text.name, one.name, one.kind, values, written, visit)
            )


def _held(draft: Draft, read: Sequence[Rec], name: str) -> list[Matter]:
    """The matters that texts of records say."""
    held = [rec.pair.said.get(name, ()) for rec in read if rec.pair]
    says = {one.name for said in held for one in said if not one.names}
    return [matter for matter in stories.of(draft.story).matters if matter.name in says]
