"""For each: all records of the hero's that pass a filter are changed, or take a fact."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import NEVER, Known
from compoworld_tasks_walk.patterns.copying import homes
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import worth
from compoworld_tasks_walk.patterns.sets import SetKey, select_set, set_keys
from compoworld_tasks_walk.patterns.writing import (
    add_child,
    change_alone,
    deed,
    like_of,
    state_fact,
    suits,
    updates,
)
from compoworld_tasks_walk.reach import UNTOLD
from compoworld_tasks_walk.script import Stated

REMARK = 0.4
"""How much less all records of a set are commented on alike, where a field could be set."""


class Each:
    """One write per record of the set; the set's other facts do not go on."""

    name = "each"
    writes = True
    weight = 6.0
    ahead = False
    once = True
    share = 1.0
    probes: tuple[str, ...] = ("edges-carry", "unambiguous")
    negated = False
    """The set is all but those of one kind."""

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each set that the key finds, to be changed; each of the hero's, to take the fact."""
        for key in set_keys(draft, visit, fact):
            for write in updates(draft, key.profile.service, key.profile.name):

                def apply(write: Write = write, key: SetKey = key) -> None:
                    self._write(draft, visit, fact, key, write, fact)

                natural = worth(draft, fact, key.profile.service, key.profile.name, self.name)
                natural *= deed(draft, write)
                yield Option(natural, apply, tool=write.tool, closes=key.profile.name)
        if fact.source != "id":
            yield from self._told(draft, visit, fact)

    def _told(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Sets of the hero's, each record of which is told the fact."""
        anchors = [known for known in draft.known if known.visit == NEVER]
        for write, table, natural in homes(draft, visit, fact, "copy"):
            if draft.catalogue.archetype(write.service, table) in UNTOLD:
                continue
            if write.op == "create" and not isinstance(fact.value, Stated):
                continue  # what was done to one record is no remark on all of a set
            for anchor in anchors:
                for key in set_keys(draft, visit, anchor):
                    if key.profile.name != table:
                        continue

                    def apply(
                        write: Write = write, key: SetKey = key, anchor: Known = anchor
                    ) -> None:
                        self._write(draft, visit, anchor, key, write, fact)

                    natural *= REMARK if write.op == "create" else 1.0
                    yield Option(natural, apply, tool=write.tool, closes=table)

    def _write(
        self, draft: Draft, visit: int, by: Known, key: SetKey, write: Write, fact: Known
    ) -> None:
        rec = select_set(draft, visit, by, key, like_of(draft, write), negated=self.negated)
        if not suits(draft, rec, write):
            raise Barren(f"{write.tool} does not work on such records")
        draft.carry(fact, visit)
        if by is fact:
            change_alone(draft, visit, rec, write)
        elif write.op == "update":
            state_fact(draft, visit, rec, write, fact)
        else:
            add_child(draft, visit, rec, write, fact)
