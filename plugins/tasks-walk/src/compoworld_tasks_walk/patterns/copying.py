"""Copy: a carried fact goes into a record that is known already or described by itself."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.filling import accepts
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.patterns.pattern import Option, describe, facts_of
from compoworld_tasks_walk.patterns.writing import add_child, like_of, state_fact, suits
from compoworld_tasks_walk.reach import describable


class Copy:
    """The fact is stated in the record's text, set in a field, or told in a child record."""

    name = "copy"
    writes = True

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each record of this service that an earlier visit found, and a described one."""
        service = draft.walk[visit]
        for write in draft.catalogue.writes(service):
            table = write.table if write.op == "update" else write.parent and write.parent[0]
            if not table or write.op == "delete" or (write.op == "update" and not write.by):
                continue
            if not any(accepts(draft, write, name, fact) for name in write.sinks):
                continue
            for rec in draft.records.values():
                if (rec.service, rec.table, rec.many) == (service, table, False) and rec.pair:

                    def back(write: Write = write, rec: Rec = rec) -> None:
                        self._write(draft, visit, fact, rec, write)

                    yield Option(1.5, 1.2, back)

            if not describable(draft.catalogue, service, table):
                continue

            def afresh(write: Write = write, table: str = table) -> None:
                rec = describe(draft, visit, like_of(draft, write), table)
                self._write(draft, visit, fact, rec, write)

            yield Option(0.5 if fact.source == "id" else 0.7, 0.0, afresh)

    def _write(self, draft: Draft, visit: int, fact: Known, rec: Rec, write: Write) -> None:
        if not suits(draft, rec, write):
            raise Barren(f"{write.tool} does not work on such a record")
        draft.carry(fact, visit)
        if write.op == "update":
            state_fact(draft, visit, rec, write, fact)
        else:
            add_child(draft, visit, rec, write, fact)
        if rec.visit == visit:
            draft.known += facts_of(draft, rec)
