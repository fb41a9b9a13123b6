"""Join: look a record up by a key that came from the service before; its facts go on."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.patterns.finding import by_tie, informs
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import facts_of, outlines, worth
from compoworld_tasks_walk.patterns.ties import Tie, ties


class Join:
    """Read only: the record's own facts are what the next visit uses."""

    name = "join"
    writes = False
    weight = 2.0
    ahead = False
    once = False
    share = 1.0
    probes = ("edges-carry", "no-shortcut")

    def __init__(self, *, named: bool = False) -> None:
        self.named = named
        """Also of a record that a text names, to which nothing is to be done."""

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each table that the key finds, and each table whose rows refer to such a record."""
        if fact.names is None and fact.service and not (fact.settled or draft.lenient):
            return
        if fact.names is not None and not self.named:
            return  # a record is named to be changed, and leads on from there
        for tie in ties(draft, draft.walk[visit], fact):
            told = outlines(tie.found, tie.key)
            if not told or not informs(draft, tie):
                continue

            def apply(tie: Tie = tie) -> None:
                rec = by_tie(draft, visit, tie)
                if fact.names is not None and fact.names.key not in rec.lookup.by:
                    raise Barren("what is looked up does not depend on what is named")
                found = facts_of(draft, rec, visit)
                if not found:
                    raise Barren(f"{rec.service}.{rec.table} tells nothing that can go on")
                draft.carry(fact, visit)
                draft.known += found

            natural = worth(draft, fact, tie.found.service, tie.found.name, self.name)
            yield Option(natural, apply, told, tie.found.name)
