"""Update the match: find a record by a carried key and change it."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.catalogue import Barren, FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.patterns.join import of_parent, referring
from compoworld_tasks_walk.patterns.pattern import (
    Option,
    by_fact,
    facts_of,
    leads,
    targets,
    worth,
)
from compoworld_tasks_walk.patterns.writing import (
    change_alone,
    deed,
    like_of,
    suits,
    updates,
    written,
)


class Update:
    """A join whose record is changed; its facts go on."""

    name = "update"
    writes = True
    weight = 3.0
    probes = ("edges-carry", "criteria-needed")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each record that the key finds, with each tool that changes such a record."""
        for profile, column in targets(draft, visit, fact):
            for write in updates(draft, profile.service, profile.name):

                def direct(
                    write: Write = write,
                    profile: TableProfile = profile,
                    column: FieldProfile = column,
                ) -> None:
                    rec = by_fact(draft, visit, fact, profile, column, like_of(draft, write))
                    self._write(draft, visit, fact, rec, write)

                on = leads(draft, visit, profile, column.name)
                yield Option(self._worth(draft, fact, write), direct, on)
            for child, ref in referring(draft, profile):
                for write in updates(draft, child.service, child.name):

                    def through(
                        write: Write = write,
                        profile: TableProfile = profile,
                        column: FieldProfile = column,
                        child: TableProfile = child,
                        ref: str = ref,
                    ) -> None:
                        like = like_of(draft, write)
                        rec = of_parent(draft, visit, fact, profile, column, child, ref, like)
                        self._write(draft, visit, fact, rec, write)

                    on = leads(draft, visit, child, ref)
                    yield Option(self._worth(draft, fact, write), through, on)

    def _worth(self, draft: Draft, fact: Known, write: Write) -> float:
        return deed(draft, write) * worth(draft, fact, write.service, write.table, self.name)

    def _write(self, draft: Draft, visit: int, fact: Known, rec: Rec, write: Write) -> None:
        if not suits(draft, rec, write):
            raise Barren(f"{write.tool} does not work on such a record")
        draft.carry(fact, visit)
        found = facts_of(draft, rec, visit)
        change_alone(draft, visit, rec, write)
        changed = written(draft, rec)
        draft.known += [one for one in found if one.field not in changed]
