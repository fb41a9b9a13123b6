"""Update the match: find a record by a carried key and change it."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.patterns.finding import by_tie
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import facts_of, worth
from compoworld_tasks_walk.patterns.ties import Tie, ties
from compoworld_tasks_walk.patterns.writing import (
    change_alone,
    deed,
    like_of,
    settled,
    suits,
    updates,
    written,
)


class Update:
    """A join whose record is changed; its facts go on."""

    name = "update"
    writes = True
    weight = 4.0
    ahead = False
    once = False
    share = 1.0
    probes = ("edges-carry", "criteria-needed")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each record that the key finds, with each tool that changes such a record."""
        aside = fact.service and fact.names is None and not fact.settled
        if aside and not draft.lenient:
            return  # nothing is done to a record for being like one that was only looked at
        for tie in ties(draft, draft.walk[visit], fact):
            found = tie.found
            natural = worth(draft, fact, found.service, found.name, self.name)
            for write in updates(draft, found.service, found.name):
                if not _named_so(draft, fact, write):
                    continue

                def apply(tie: Tie = tie, write: Write = write) -> None:
                    self._write(draft, visit, tie, write)

                yield Option(deed(draft, write) * natural, apply)

    def _write(self, draft: Draft, visit: int, tie: Tie, write: Write) -> None:
        rec = by_tie(draft, visit, tie, like_of(draft, write))
        if not suits(draft, rec, write):
            raise Barren(f"{write.tool} does not work on such a record")
        draft.carry(tie.fact, visit)
        found = facts_of(draft, rec, visit)
        change_alone(draft, visit, rec, write)
        changed = written(draft, rec)
        done = settled(draft, rec)
        draft.known += [evolve(one, settled=done) for one in found if one.field not in changed]


def _named_so(draft: Draft, fact: Known, write: Write) -> bool:
    """Where a text names the record: is it one that the write works on?"""
    if fact.names is None or not fact.names.rows:
        return True
    rows = [fact.names.pair.hero.row, fact.names.pair.shadow.row]
    wanted = like_of(draft, write).items()
    return all(
        row.get(name) in values for name, values in wanted if "." not in name for row in rows
    )
