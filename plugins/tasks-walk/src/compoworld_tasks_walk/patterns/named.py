"""Named: a text of the hero's says which of their records is meant: the order in her email."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from attrs import evolve

from compoworld_core.expressions import Fn
from compoworld_tasks_walk.catalogue import Barren, FieldProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import NEVER, Known, Rec
from compoworld_tasks_walk.patterns.finding import by_tie
from compoworld_tasks_walk.patterns.informing import texts
from compoworld_tasks_walk.patterns.notes import stated
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import found_before, worth
from compoworld_tasks_walk.patterns.targets import Target, nameable, naming
from compoworld_tasks_walk.patterns.ties import Tie
from compoworld_tasks_walk.planting import Pair, Said

WRITERS: Final = ("message", "work", "document")
"""Archetypes whose texts name records of other services."""


class Named:
    """Read only: what the text names goes on, and with it the choice between two records."""

    name = "named"
    writes = False
    weight = 5.0
    ahead = True
    once = False
    share = 1.0
    probes = ("edges-carry", "no-shortcut", "unambiguous")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each text of the hero's here, with each record of the next service that it names.

        One that was read before names what it named then; another can name any of the tables.
        """
        if fact.visit != NEVER or visit + 1 >= len(draft.walk):
            return
        named = {target.place: target for target in nameable(draft, draft.walk[visit + 1])}
        for tie, text in texts(draft, visit, fact, WRITERS) if named else ():
            found = tie.found
            natural = worth(draft, fact, found.service, found.name, "join")
            for target, apply in self._ways(draft, visit, tie, text, named):
                told = target.outline(draft, found, text)
                yield Option(natural, apply, (told,), found.name)

    def _ways(
        self,
        draft: Draft,
        visit: int,
        tie: Tie,
        text: FieldProfile,
        named: dict[tuple[str, str], Target],
    ) -> Iterator[tuple[Target, Callable[[], None]]]:
        read = found_before(draft, tie.found.service, tie.found.name)
        for rec in read:
            for one in rec.pair.said.get(text.name, ()) if rec.pair else ():
                profile = None if one.names is None else one.names.pair.profile
                if profile is not None and (profile.service, profile.name) in named:

                    def tell(rec: Rec = rec, one: Said = one) -> None:
                        self._tell(draft, visit, rec, text, one)

                    yield named[profile.service, profile.name], tell
        for target in named.values() if not read else ():

            def read_it(target: Target = target) -> None:
                self._read(draft, visit, tie, text, target)

            yield target, read_it

    def _read(
        self, draft: Draft, visit: int, tie: Tie, text: FieldProfile, target: Target
    ) -> None:
        one = naming(draft, target)

        def prepare(source: Pair) -> None:
            said = source.said.get(text.name, ())
            kept = [s for s in said if s.names is None and s.kind != target.reads_as]
            source.write(text.name, (one, *kept))

        rec = by_tie(draft, visit, tie, None, prepare)
        if rec.pair is None or one not in rec.pair.said.get(text.name, ()):
            raise Barren(f"{rec.table} was read before it named anything")
        self._tell(draft, visit, rec, text, one)

    def _tell(self, draft: Draft, visit: int, rec: Rec, text: FieldProfile, one: Said) -> None:
        assert rec.pair is not None, "whoever is tied to the hero was planted"
        pair, values = rec.pair, (one.hero, one.shadow)

        def written(value: object) -> str:
            return pair.text(text.name, one, value)

        fact = stated(draft, rec, text.name, one.name, one.kind, values, written, visit)
        if str(one.hero).startswith("#") and fact.expr is not None:
            marked = Fn(name="form", args=(fact.expr,), template="#{}")
            fact = evolve(fact, expr=marked)  # the mark is no part of the number in a text
        draft.known.append(evolve(fact, names=one.names))
