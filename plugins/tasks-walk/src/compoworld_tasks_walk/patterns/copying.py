"""Copy: a carried fact goes into a record that is known or tied to a known one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from compoworld_tasks_walk.affordances import Write
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.filling import addable
from compoworld_tasks_walk.hero import confusable
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.patterns.finding import linked, linking
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import facts_of, found_before, worth
from compoworld_tasks_walk.patterns.summing import besides
from compoworld_tasks_walk.patterns.writing import (
    add_child,
    changes,
    like_of,
    remarked,
    state_fact,
    suits,
)
from compoworld_tasks_walk.script import Make, Timed, records_of
from compoworld_tasks_walk.sinks import fitting, news

REMARK: Final = 0.25
"""How much less a fact is only remarked on, where a field could be set to it, and how much less
each time that the plan does so: a string of comments is no errand."""
AGAIN: Final = 0.03
"""How much less a record is wanted each time that something was done to it already."""
MOST: Final = 2
"""Things that are done to one record at most: more of them would be said at once."""
REMARKS: Final = 2
"""Remarks of one of the first plans of a try, at most."""


class Copy:
    """The fact is stated in the record's text, set in a field, or told in a child record."""

    name = "copy"
    writes = True
    weight = 2.0
    ahead = False
    once = False
    share = 1.0
    probes = ("edges-carry", "tolerant-and-strict")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each record of this service that is known, or tied to a known one."""
        if fact.source == "id":
            return  # the pattern "write-back"
        for write, table, natural in homes(draft, visit, fact, self.name):
            alike = confusable(draft.catalogue, write.service, write.table, write.tool)
            closed = write.table if write.op == "create" and alike else ""
            for rec in found_before(draft, write.service, table):
                if rec.id == fact.record or _passed(draft, fact, rec):
                    continue
                if write.op == "create" and remarked(draft, rec, write) and draft.strict:
                    continue  # what there is to say on a record is said in one remark
                if suits(draft, rec, write):

                    def back(write: Write = write, rec: Rec = rec) -> None:
                        put(draft, visit, fact, rec, write)

                    told = sum(part.record == rec.id for part in changes(draft))
                    if told >= MOST:
                        continue
                    yield Option(
                        1.2 * AGAIN**told * natural, back, tool=write.tool, closes=closed
                    )

            if linking(draft, visit, table):

                def tied(write: Write = write, table: str = table) -> None:
                    put(
                        draft,
                        visit,
                        fact,
                        linked(draft, visit, table, like_of(draft, write)),
                        write,
                    )

                held = {rec.id for rec in found_before(draft, write.service, table)}
                told = sum(part.record in held for part in changes(draft))
                if write.op == "create" and held and draft.strict:
                    continue
                if told < MOST:
                    natural *= AGAIN**told
                    yield Option(natural, tied, tool=write.tool, closes=closed)


def homes(
    draft: Draft, visit: int, fact: Known, pattern: str
) -> Iterator[tuple[Write, str, float]]:
    """Writes of this visit's service that put a fact into a record: (write, table, worth)."""
    remarks = sum(1 for action in draft.actions if isinstance(action, Make) and action.parent)
    for write, open_ in fitting(draft, draft.walk[visit], fact, pattern):
        table = write.table if write.op == "update" else write.parent and write.parent[0]
        if not table or write.op == "delete" or (write.op == "update" and not write.by):
            continue
        if write.op == "create" and (write.table == table or not addable(draft, write)):
            continue
        waits = draft.noun(write.service, write.table).startswith("scheduled ")
        if write.op == "create" and draft.strict and remarks >= REMARKS:
            continue  # people do things, and note few of them
        if waits and not isinstance(fact.value, Timed):
            continue  # nothing says for which day
        outward = draft.catalogue.archetype(write.service, write.table) == "message"
        if not (outward and write.op == "create" and not news(draft, fact)):
            remark = REMARK ** (1 + remarks) if write.op == "create" else 1.0
            target = write.table if write.op == "create" else table
            natural = worth(draft, fact, write.service, target, pattern)
            yield write, table, remark * natural * max(place.worth for place in open_)


def put(draft: Draft, visit: int, fact: Known, rec: Rec, write: Write) -> None:
    """Put the fact into the record, or into a new child of it; the record's facts go on."""
    if not suits(draft, rec, write):
        raise Barren(f"{write.tool} does not work on such a record")
    draft.carry(fact, visit)
    if _passed(draft, fact, rec):
        raise Barren("what is copied to and fro is no errand")
    draft.told.append((fact.record, rec.id))
    if write.op == "update":
        state_fact(draft, visit, rec, write, fact)
    else:
        add_child(draft, visit, rec, write, fact, besides(draft, visit, fact, write))
    draft.known += facts_of(draft, rec, visit)


def _passed(draft: Draft, fact: Known, rec: Rec) -> bool:
    """Was anything passed on between the two, or can the fact's record be seen from this one?

    Once is an errand; who reads a ticket that names an invoice sees the invoice. Remarks and
    paragraphs count as the page that they are on.
    """
    into, source = _root(draft, rec.id), _root(draft, fact.record)
    pairs = {(_root(draft, one), _root(draft, other)) for one, other in draft.told}
    if into == source or not {(into, source), (source, into)}.isdisjoint(pairs):
        return True
    return not fact.settled and into in {_root(draft, one) for one in _sources(draft, fact)}


def _sources(draft: Draft, fact: Known) -> list[str]:
    """The records by which the fact's record was found, without those of its parents."""
    held = draft.mentioned.get(fact.record)
    traits = held.traits if held is not None else ()
    return [key for trait in traits if not trait.via for key in records_of(trait.value)]


def _root(draft: Draft, key: str) -> str:
    """The record that a record is a part of, as a remark of its page; itself where of none."""
    held = draft.mentioned.get(key)
    if held is None or held.archetype not in ("comment", "document"):
        return key
    owner = next((trait.via for trait in held.traits if trait.via), "")
    return _root(draft, owner) if owner else key
