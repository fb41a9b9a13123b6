"""Write-back: the id of a record that was created goes into the record that led to it."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.patterns.copying import homes, put
from compoworld_tasks_walk.patterns.finding import linked, linking
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import found_before
from compoworld_tasks_walk.patterns.writing import like_of


class WriteBack:
    """As a copy, of an id: into a record that is known or tied to one, never a stranger's."""

    name = "write-back"
    writes = True
    weight = 0.9
    ahead = False
    once = False
    share = 1.0
    probes = ("edges-carry", "criteria-needed")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each record of this service that the plan has found, or could find."""
        if fact.source != "id":
            return
        for write, table, natural in homes(draft, visit, fact, self.name):
            for rec in found_before(draft, write.service, table):

                def back(write: Write = write, rec: Rec = rec) -> None:
                    put(draft, visit, fact, rec, write)

                yield Option(1.5 * natural, back)

            if linking(draft, visit, table):

                def tied(write: Write = write, table: str = table) -> None:
                    rec = linked(draft, visit, table, like_of(draft, write))
                    put(draft, visit, fact, rec, write)

                yield Option(natural, tied)
