"""Permission: a record that we may not change does not take a fact; it is told another way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import evolve, frozen

from compoworld_core.expressions import Out
from compoworld_core.patch import Operation, Patch
from compoworld_core.plan import When
from compoworld_core.proof.probes.edges import DECISION
from compoworld_core.records import World as OtherWorld
from compoworld_tasks_walk.affordances import Write, thaw
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.filling import Filled, addable, fill_rest, made, put_fact
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.patterns.copying import homes
from compoworld_tasks_walk.patterns.finding import linked, linking
from compoworld_tasks_walk.patterns.pattern import Option
from compoworld_tasks_walk.patterns.records import Like, facts_of
from compoworld_tasks_walk.patterns.writing import changed, remarked, suits, written
from compoworld_tasks_walk.script import Attempt, Change, Make
from compoworld_tasks_walk.sinks import Place, places

REFUSED: Final = "permission_denied"
"""The code of an error that says so."""


@frozen
class Barred:
    """What stands in the way of a write: a lock, or that the record is somebody else's."""

    field: str
    allowed: tuple[Any, ...]
    refused: tuple[Any, ...]


class Permission:
    """ "Add it to the page; if you are not allowed to, put it into a comment there".

    The record does not take it, and in the other world it does, where the first way is the
    right one. So neither way can be taken without trying.
    """

    name = "permission"
    writes = True
    weight = 3.0
    ahead = False
    once = True
    share = 0.3
    probes = ("edges-carry", "criteria-needed", "tolerant-and-strict")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each record that takes the fact in two ways, one of which may be barred."""
        if fact.source == "id":
            return
        for first, table, natural in homes(draft, visit, fact, "copy"):
            bars = _bars(draft, first, table)
            if not bars or not linking(draft, visit, table):
                continue
            for second in draft.catalogue.writes(first.service):
                if second.tool == first.tool or not _takes(draft, second, table, fact):
                    continue
                for bar in bars:
                    like = _like(draft, first, second, bar)
                    if like is None:
                        continue

                    def apply(
                        first: Write = first, second: Write = second, table: str = table,
                        bar: Barred = bar, like: Like = like,
                    ) -> None:  # fmt: skip
                        rec = linked(draft, visit, table, like)
                        self._try(draft, visit, fact, rec, (first, second), bar)

                    yield Option(natural, apply, tool=first.tool, closes=first.table)

    @staticmethod
    def _try(
        draft: Draft,
        visit: int,
        fact: Known,
        rec: Rec,
        ways: tuple[Write, Write],
        bar: Barred,
    ) -> None:
        first, second = ways
        if fact.record == rec.id or (rec.id, fact.record) in draft.told:
            raise Barren("what is copied to and fro is no errand")
        if not suits(draft, rec, second) or any(remarked(draft, rec, way) for way in ways):
            raise Barren(f"{second.tool} does not work on such a record")
        draft.carry(fact, visit)
        draft.told.append((fact.record, rec.id))
        tried = _put(draft, visit, rec, first, fact, None)
        attempt = draft.steps[-1].id
        if draft.trial.code(attempt) != REFUSED:
            raise Barren(f"{first.tool} is not refused there")
        instead = _put(draft, visit, rec, second, fact, attempt)
        draft.actions.append(Attempt(tried, instead, forbidden=True))
        value = draft.rng.choice(bar.allowed)
        allows = Operation(
            op="update", table=rec.table, id=rec.hero["id"], row={bar.field: value}
        )
        draft.worlds.append(
            OtherWorld(
                edge=DECISION, service=rec.service, patch=Patch(operations=[allows]),
                says=f"{rec.table} {rec.hero['id']}: {bar.field} is {value!r}, which allows it",
            )
        )  # fmt: skip
        draft.score += 0.4
        draft.known += [evolve(one, settled="") for one in facts_of(draft, rec, visit)]


def _bars(draft: Draft, write: Write, table: str) -> list[Barred]:
    """The fields of a record that may stand in the way of a write."""
    fields = draft.profile(write.service, table).fields
    found = []
    pre = write.pre if write.op == "update" else write.parent_pre
    for name, values in pre.items():
        if name in fields and (fields[name].fact.enum or fields[name].fact.kind == "boolean"):
            allowed = tuple(map(thaw, values))
            held = dict.fromkeys(fields[name].values)
            refused = tuple(value for value in held if value not in allowed)
            found.append(Barred(name, allowed, refused))
    for name in write.own if write.op == "update" else ():
        mine = draft.catalogue.own(write.service, table, name)
        held = dict.fromkeys(fields[name].values)
        found.append(Barred(name, (mine,), tuple(value for value in held if value != mine)))
    return [bar for bar in found if bar.allowed and bar.refused]


def _takes(draft: Draft, write: Write, table: str, fact: Known) -> bool:
    """Does a write put a fact beside a record of a table, whoever's it is?"""
    if write.op != "create" or write.parent is None or write.table == table:
        return False
    beside = write.parent[0] == table and addable(draft, write)
    return beside and bool(_open(draft, write, fact))


def _open(draft: Draft, write: Write, fact: Known) -> list[Place]:
    """The sinks of a write that take a fact; remarks may be short where they are seeded."""
    found = places(draft, write, fact, "copy")
    remark = draft.catalogue.archetype(write.service, write.table) == "comment"
    if found or not remark or write.op != "create":
        return found
    fields = draft.profile(write.service, write.table).fields
    return [
        Place(name, "text", 1.0)
        for name, into in write.sinks.items()
        if name in fields and fields[name].fact.kind == "text"
        if into.slot.json_type == "string"
    ]


def _like(draft: Draft, first: Write, second: Write, bar: Barred) -> Like | None:
    """What a record must be like for the first write alone to be barred, and by this alone."""
    pre = first.pre if first.op == "update" else first.parent_pre
    like: Like = {name: tuple(map(thaw, v)) for name, v in pre.items() if name != bar.field}
    like[bar.field] = bar.refused
    for name, values in second.parent_pre.items():
        both = tuple(v for v in map(thaw, values) if v in like.get(name, (v,)))
        like[name] = both
    for name in first.own if first.op == "update" else ():
        if name != bar.field:
            like[name] = (draft.catalogue.own(first.service, first.table, name),)
    return like if all(like.values()) else None


def _put(
    draft: Draft, visit: int, rec: Rec, write: Write, fact: Known, attempt: str | None
) -> Make | Change:
    """Add the step and the goal of a write that takes the fact; the action that says it.

    Args:
        draft: the plan so far.
        visit: of which visit the step is.
        rec: the record that takes the fact, or that the new one belongs to.
        write: what is called.
        fact: what is told.
        attempt: the step that is to be refused first; None where this is the one.
    """
    filled, place = Filled(write), _place(draft, rec, write, fact)
    put_fact(draft, filled, place.name, fact, place.how)
    tried = attempt is None
    when = None if attempt is None else When(test="fails", left=Out(step=attempt))
    noun = draft.noun(rec.service, rec.table)
    if write.op == "update":
        text = f"The {noun}: {', '.join(filled.told)}."
        return changed(
            draft, visit, rec, filled, place.name, fact.value, text, when, may_fail=tried
        )
    fill_rest(draft, visit, filled, [rec])
    step = draft.call(
        visit, write.service, write.tool, filled.finish(draft), write=True, when=when,
        may_fail=tried,
    )  # fmt: skip
    child, told = draft.noun(write.service, write.table), ", ".join(filled.told)
    text = f"A new {child} on the {noun}: {told}."
    return made(draft, visit, filled, step, text, rec.id)


def _place(draft: Draft, rec: Rec, write: Write, fact: Known) -> Place:
    """A sink of the write that takes the fact, none that the plan relies on."""
    open_ = _open(draft, write, fact)
    if write.op == "update":
        spent = written(draft, rec) | rec.used
        open_ = [place for place in open_ if place.name not in spent]
        open_ = [place for place in open_ if not set(write.required) - {place.name}]
    if not open_:
        raise Barren(f"{write.tool} takes no such fact")
    return draft.rng.choices(open_, [place.worth for place in open_])[0]
