"""Statement: something that is the hero's, or about them, says in its text what counts."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_tasks_walk import stories
from compoworld_tasks_walk.catalogue import Barren, FieldProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import NEVER, Known
from compoworld_tasks_walk.patterns.drawing import proses
from compoworld_tasks_walk.patterns.finding import by_tie, unsaid
from compoworld_tasks_walk.patterns.notes import said, stated, writes_texts
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import found_before, worth
from compoworld_tasks_walk.patterns.ties import Tie, ties
from compoworld_tasks_walk.planting import Said

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
        matters, left = stories.of(draft.story).matters, unsaid(draft)
        for tie in ties(draft, draft.walk[visit], fact):
            found = tie.found
            if not writes_texts(draft, found, ARCHETYPES):
                continue
            natural = worth(draft, fact, found.service, found.name, self.name)
            read = found_before(draft, found.service, found.name)
            if not (read or left):
                continue  # all that there is to say is said elsewhere
            for text in proses(found):
                held = [rec.pair.said.get(text.name, ()) for rec in read if rec.pair]
                says = {one.name for said in held for one in said if not one.names}
                if not held:  # what is kept for the ending may be said on the way there
                    says = {matter.name for matter in left} | {draft.kept}
                told = tuple(said(found, text, m) for m in matters if m.name in says)
                if not told:
                    continue  # it says something else

                def apply(tie: Tie = tie, text: FieldProfile = text) -> None:
                    self._read(draft, visit, tie, text)

                yield Option(natural, apply, told, found.name)

    def _read(self, draft: Draft, visit: int, tie: Tie, text: FieldProfile) -> None:
        rec = by_tie(draft, visit, tie)
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
