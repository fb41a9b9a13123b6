"""Filling a write's arguments: carried facts, literals of the topic, and rows that it names."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from attrs import define, field

from compoworld_core.expressions import Const, Expr, Fn, Item, Lit, Path
from compoworld_core.plan import Expect, Goal
from compoworld_core.plan import Fact as PlanFact
from compoworld_core.types import Kind
from compoworld_tasks_walk.affordances import Into, Write, thaw
from compoworld_tasks_walk.arguments import distinct, fill
from compoworld_tasks_walk.calling import label, phrase, spoken
from compoworld_tasks_walk.catalogue import Barren, FieldProfile, usable
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.literals import RECIPIENTS, literal
from compoworld_tasks_walk.naming import named_row
from compoworld_tasks_walk.script import (
    Converted,
    FactOf,
    Make,
    Said,
    Value,
)


@define
class Filled:
    """The arguments of one write and what its criterion must expect."""

    write: Write
    arguments: list[tuple[Path, Expr]] = field(factory=list)
    expects: list[Expect] = field(factory=list)
    said: list[tuple[str, Said]] = field(factory=list)
    states: list[tuple[str, tuple[Value, ...]]] = field(factory=list)
    takes: list[tuple[str, Value]] = field(factory=list)
    places: list[tuple[str, str]] = field(factory=list)
    told: list[str] = field(factory=list)
    """The criterion's words for what was filled: "due date is the event's start"."""
    filled: set[str] = field(factory=set)

    def finish(self, draft: Draft) -> list[tuple[Path, Expr]]:
        """All arguments, the write's constants too."""
        return distinct([*self.arguments, *draft.constants(self.write)])

    def put(self, name: str, expr: Expr) -> None:
        """Fill one sink."""
        self.arguments += fill(self.write.sinks[name].slot, expr)
        self.filled.add(name)

    def mode(self, name: str) -> str:
        """set, append or add."""
        return self.write.sinks[name].mode


def put_fact(
    draft: Draft,
    filled: Filled,
    name: str,
    fact: Known,
    how: str,
    more: Sequence[Known] = (),
) -> None:
    """A carried fact into a sink, typed or stated in a text, which tells more besides."""
    expr = draft.use(fact)
    column = draft.profile(filled.write.service, filled.write.table).fields[name]
    mode = filled.mode(name)
    if how == "typed":
        filled.put(name, expr)
        filled.told.append(f"{spoken(name)} is {phrase(draft, fact)}")
        filled.takes.append((name, fact.value))
        filled.expects.append(
            Expect(
                field=name,
                mode="has" if column.fact.many else "equals",
                kind=fact.kind,
                exprs=(expr,),
                decoys=fact.wrong(),
            )
        )
        return
    told = (fact, *more)
    exprs, kinds = tuple(draft.use(one) for one in told), tuple(one.kind for one in told)
    template = "; ".join(f"{label(one)}: {{}}" for one in told)
    filled.put(name, Fn(name="text", args=exprs, kinds=kinds, template=template))
    filled.states.append((name, tuple(one.value for one in told)))
    said = " and ".join(phrase(draft, one) for one in told)
    filled.told.append(f"{spoken(name)} states {said}")
    filled.expects.append(
        Expect(
            field=name,
            mode="contains",
            kind="text",
            exprs=exprs,
            kinds=kinds,
            currency=currency_of(fact),
            decoys=tuple(w for one in told for w in (*one.wrong(), *others_of(draft, one))),
            keeps=mode == "append",
        )
    )


def currency_of(fact: Known) -> Expr | None:
    """The currency that an amount was converted to; the record's own counts for others."""
    if not isinstance(fact.value, Converted):
        return None
    return Lit(literal=fact.value.currency, kind="currency")


DECOYS = 8
"""Values of the base world that a text may not state beside the fact."""


def others_of(draft: Draft, fact: Known) -> tuple[PlanFact, ...]:
    """Other values of the fact's column: a text that states several of them chose none."""
    column = draft.profile(fact.service, fact.table).fields.get(fact.field)
    own = fact.source == "field" and isinstance(fact.value, FactOf)
    if column is None or not own:
        return ()
    values = [
        v.isoformat() if hasattr(v, "isoformat") else str(v) if isinstance(v, Decimal) else v
        for v in dict.fromkeys(column.values)
    ]
    others = [value for value in values if value != fact.hero]
    drawn = draft.rng.sample(others, min(DECOYS, len(others)))
    return tuple(PlanFact(kind=fact.kind, value=value) for value in drawn)


def fill_rest(draft: Draft, visit: int, filled: Filled, parents: Sequence[Rec] = ()) -> None:
    """Fill the required sinks that are still empty; Barren where no honest value exists.

    Args:
        draft: the plan so far.
        visit: of which visit the call is.
        filled: the write, and what was filled.
        parents: records that the new one belongs to.
    """
    write = filled.write
    profile = draft.profile(write.service, write.table)
    contexts = list(parents)
    for name in [*_addressed(draft, filled), *_telling_first(draft, write)]:
        if name in filled.filled:
            continue
        column = profile.fields.get(name)
        if column is None or name not in write.sinks or not _bare(write.sinks[name]):
            raise Barren(f"{write.service}.{write.tool} needs {name}")
        table = referred(write, name, column)
        if table:
            _put_ref(draft, visit, filled, name, table, contexts)
            continue
        value, kind = literal(draft, write, name, filled.said)
        put_said(filled, name, value, kind, many=column.fact.many)


def referred(write: Write, name: str, column: FieldProfile) -> str:
    """The table whose rows a sink names by their id; empty where it names none.

    Raises Barren where it names them by something else.
    """
    table, key = write.exists.get(name, (column.fact.ref, "id"))
    if table and key != "id":
        raise Barren(f"{write.service}.{write.tool} needs an existing {name}")
    return column.fact.ref or table


def _addressed(draft: Draft, filled: Filled) -> list[str]:
    """Whom a message goes to: nobody leaves that out, whether the tool insists or not."""
    write = filled.write
    if draft.catalogue.archetype(write.service, write.table) != "message":
        return []
    fields = draft.profile(write.service, write.table).fields
    return [
        name
        for name in write.sinks
        if name.lower() in RECIPIENTS and name in fields and fields[name].fact.kind == "email"
    ]


def fillable(draft: Draft, write: Write) -> bool:
    """Were the required sinks of a write ever filled? Tried twice, once for all drafts.

    The draws are the write's own, so that the answer is the same whoever asks first.
    """
    sound, key = draft.catalogue.sound, (write.service, write.tool)
    if key not in sound:
        sound[key] = False
        for attempt in range(2):
            scratch = draft.scratch(write.service, f"{key}:{attempt}")
            try:
                fill_rest(scratch, 0, Filled(write))
            except Barren:
                continue
            sound[key] = True
            break
    return sound[key]


def addable(draft: Draft, write: Write) -> bool:
    """Can a child be added by a write, its parent given: has the rest honest values?

    Tried once for all, with draws of the write's own.
    """
    sound, key = draft.catalogue.sound, ("addable", write.service, write.tool)
    if key not in sound:
        assert write.parent is not None, "a child has a parent"
        scratch = draft.scratch(write.service, str(key))
        named = draft.profile(write.service, write.table).fields.get(write.parent[1])
        try:
            known = named is not None and referred(write, write.parent[1], named)
            fill_rest(scratch, 0, Filled(write, filled={write.parent[1]} if known else set()))
        except Barren:
            sound[key] = False
        else:
            sound[key] = write.parent[1] in write.required
    return sound[key]


def made(
    draft: Draft, visit: int, filled: Filled, step: str, text: str, parent: str = ""
) -> Make:
    """Add the goal of a step that creates a record; the action that says it.

    Args:
        draft: the plan so far.
        visit: of which visit the step is.
        filled: the write with its arguments.
        step: that calls it.
        text: the criterion in words.
        parent: the record that the new one belongs to; empty for none.
    """
    write, goal = filled.write, draft.next_goal()
    draft.goals.append(
        Goal(
            id=goal, step=step, kind="create", service=write.service, table=write.table,
            text=text, new_id=None if write.id_path is None else tuple(write.id_path),
            expects=tuple(filled.expects),
        )
    )  # fmt: skip
    draft.mention_new(goal, write.service, write.table)
    return Make(
        goal, visit, write.tool, goal, tuple(filled.said), tuple(filled.states),
        tuple(filled.takes), tuple(filled.places), parent,
    )  # fmt: skip


def put_said(filled: Filled, name: str, value: Any, kind: Kind, *, many: bool = False) -> None:
    """A literal of the instruction into a sink."""
    if kind == "boolean":
        filled.put(name, Const(literal=value))
        filled.expects.append(_equals(name, kind, Const(literal=value), many))
        filled.said.append((name, Said(value, kind)))
        filled.told.append(f"{spoken(name)} is {value}")
        return
    expr = Lit(literal=value, kind=kind)
    filled.put(name, expr)
    filled.said.append((name, Said(value, kind)))
    filled.told.append(f"{spoken(name)} is {value!r}")
    if kind == "text":
        filled.expects.append(
            Expect(field=name, mode="contains", kind="text", exprs=(expr,), kinds=("text",),
                   keeps=filled.mode(name) == "append")
        )  # fmt: skip
    else:
        filled.expects.append(_equals(name, kind, expr, many))


def _equals(name: str, kind: Kind, expr: Expr, many: bool = False) -> Expect:
    return Expect(field=name, mode="has" if many else "equals", kind=kind, exprs=(expr,))


def _bare(into: Into) -> bool:
    return into.slot.json_type in ("string", "integer", "number", "boolean")


def _telling_first(draft: Draft, write: Write) -> list[str]:
    """The required sinks; a row that tells another one (a repository its owner) comes first."""
    columns = draft.profile(write.service, write.table).fields

    def told(name: str) -> bool:
        ref = columns[name].fact.ref if name in columns else ""
        others = (columns[n].fact.ref for n in write.required if n != name and n in columns)
        return any(
            table and name in draft.profile(write.service, table).fields and ref != table
            for table in others
        )

    return sorted(write.required, key=told)


def _put_ref(
    draft: Draft, visit: int, filled: Filled, name: str, table: str, contexts: list[Rec]
) -> None:
    """The key of another row: the parent's, one that a known row tells, or a named one's."""
    many = draft.profile(filled.write.service, filled.write.table).fields[name].fact.many
    found = next((expr for rec in contexts if (expr := _told(draft, rec, name, table))), None)
    if found is None:
        pre = filled.write.pre
        like = {
            n.partition(".")[2]: tuple(map(thaw, values))
            for n, values in pre.items()
            if n.startswith(f"{name}.")
        }
        place = named_row(draft, visit, filled.write.service, table, like)
        contexts.append(place)
        filled.places.append((name, place.id))
        found = draft.expr(place, "id")
    filled.put(name, found)
    filled.expects.append(
        Expect(field=name, mode="has" if many else "equals", kind="id", exprs=(found,))
    )


def _told(draft: Draft, rec: Rec, name: str, table: str) -> Expr | None:
    """A key that a known record is or tells."""
    told = "id"
    if rec.table != table:
        column = draft.profile(rec.service, rec.table).fields.get(name)
        if column is None or column.fact.ref != table or column.fact.many:
            return None
        told = name
    if rec.many:
        if told not in rec.lookup.reveals:
            return None
        return Item(path=tuple(rec.lookup.reveals[told]))
    return draft.expr(rec, told)


def key_arguments(
    draft: Draft, write: Write, rec: Rec, *, item: bool = False
) -> list[tuple[Path, Expr]]:
    """The arguments that name the row to change; Barren where no tool shows what they need."""
    pairs: list[tuple[Path, Expr]] = []
    for name, by in write.by.items():
        if not usable(by):
            raise Barren(f"{write.tool}: {name} cannot be filled")
        if item:
            if name not in rec.lookup.reveals:
                raise Barren(f"no list shows {write.table}.{name}")
            expr: Expr = Item(path=tuple(rec.lookup.reveals[name]))
        else:
            expr = draft.expr(rec, name)
        pairs += fill(by.slot, expr)
    return pairs
