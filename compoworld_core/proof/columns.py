"""Columns: where the values of a fact stand in s0, so that others of them are told apart.

A criterion names the columns (service, table, field) in which its fact was found. A text that
states another record's value of such a column beside the right one chose none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from compoworld_core import facts
from compoworld_core.environment import Environment
from compoworld_core.expressions import All, Expr, Fn, Item, Lit, Out, Pick, walk
from compoworld_core.facts.rivals import NAMED, Pool, words_of
from compoworld_core.plan import Fact, Plan, Step
from compoworld_core.records import Check, Column
from compoworld_core.schema import meaning_of
from compoworld_core.state import Entity, State
from compoworld_core.table import Table
from compoworld_core.types import Kind, Meaning

_KIN: dict[str, frozenset[str]] = {
    "date": frozenset(["date", "datetime"]),
    "datetime": frozenset(["date", "datetime"]),
    "code": frozenset(["code", "id"]),
    "id": frozenset(["code", "id"]),
    "title": frozenset(["title", "text"]),
}
"""Kinds of columns in which a fact of a kind may stand, where it is not its own kind only."""
_UNTOLD = frozenset(["text", "boolean"])
"""Kinds whose other values mean nothing beside the right one."""


def columns_of(
    expr: Expr,
    kind: Kind,
    value: Any,
    plan: Plan,
    step: Step | None,
    states: Mapping[str, State],
) -> Iterator[Column]:
    """The columns of s0 where an expression found a value, those of its field's name first."""
    source = _source(expr, step)
    if source is None or kind in _UNTOLD or not _is_plain(value):
        return
    origin = next((s for s in plan.steps if s.id == source.step), None)
    state = states.get(origin.service) if origin else None
    if origin is None or state is None:
        return
    path = (*source.path, *(expr.path if isinstance(expr, Item) else ()))
    names = [part for part in path if isinstance(part, str)]
    name = _flat(names[-1]) if names else ""
    holding = [
        (table, field)
        for table, field in _fields(type(state), kind)
        if _holds(state.table(table), field, kind, value)
    ]
    named = [(table, field) for table, field in holding if _flat(field) == name]
    for table, field in named or holding:
        yield Column(kind=kind, service=origin.service, table=table, field=field)


def _source(expr: Expr, step: Step | None) -> Out | Pick | All | None:
    """The look-up that an expression passes on."""
    foreach = None if step is None else step.foreach
    while isinstance(expr, Fn) and expr.name in ("largest", "smallest", "date", "form"):
        expr = expr.args[0]
    if isinstance(expr, Item) and foreach is not None:
        expr = foreach
    return expr if isinstance(expr, Out | Pick | All) else None


def _is_plain(value: Any) -> bool:
    return value not in (None, "") and isinstance(value, str | int | float)


@lru_cache(maxsize=4096)
def _flat(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


@lru_cache(maxsize=1024)
def _fields(kind_of_state: type[State], kind: Kind) -> tuple[tuple[str, str], ...]:
    """(table, field) of a service where facts of a kind stand."""
    wanted = _KIN.get(kind, frozenset([kind]))
    return tuple(
        (table, name)
        for table, entity in kind_of_state.tables().items()
        for name in entity.model_fields
        if kind_of(entity, name) in wanted or (name == "id" and "id" in wanted)
    )


@lru_cache(maxsize=4096)
def kind_of(entity: type[Entity], name: str) -> str:
    """What a field of a record means; empty where nothing says so."""
    info = entity.model_fields[name]
    found = next((m for m in reversed(info.metadata) if isinstance(m, Meaning)), None)
    meaning = found or meaning_of(info.annotation, Meaning)
    return "" if meaning is None else str(meaning.kind)


def pool(table: Table[Entity], field: str, kind: str) -> Iterator[Pool]:
    """The values of a column: of the rows that all worlds share, and of those set on top."""
    base, name = table.base, f"pool {field} {kind}"
    found = base.notes.get(name)
    if found is None:
        found = base.notes[name] = facts.pool_of(kind, _values(base.rows.values(), field))
    yield cast("Pool", found)
    late = [row for row in table.overlay.values() if row is not None]
    if late:
        yield facts.pool_of(kind, _values(late, field))


def _values(rows: Iterable[Entity], field: str) -> Iterator[Any]:
    for row in rows:
        held = getattr(row, field, None)
        if isinstance(held, tuple):
            yield from held
        else:
            yield held


def _holds(table: Table[Entity], field: str, kind: str, value: Any) -> bool:
    key = " ".join(words_of(str(value))) if kind in NAMED else _canonical(kind, value)
    return any(
        key in (found.words if kind in NAMED else found.canonical)
        for found in pool(table, field, kind)
    )


def _canonical(kind: str, value: Any) -> Any:
    try:
        return facts.normalise(kind, value)
    except ValueError:
        return None


def literals(plan: Plan) -> tuple[Fact, ...]:
    """What the instruction names: a text may name it too."""
    found: dict[tuple[str, str], Fact] = {}
    for step in plan.steps:
        for expr in step.expressions():
            _note(expr, found)
    for selection in plan.selections:
        for _, _, expr in selection.conditions:
            for part in walk(expr):
                _note(part, found)
    return tuple(found.values())


def _note(expr: Expr, found: dict[tuple[str, str], Fact]) -> None:
    if isinstance(expr, Lit) and _is_plain(expr.literal):
        fact = Fact(kind=expr.kind, value=expr.literal)
        found.setdefault((expr.kind, str(expr.literal)), fact)


def asides(
    columns: Sequence[Column], named: Sequence[Fact], states: Mapping[str, State]
) -> tuple[Fact, ...]:
    """Those of the instruction's values that a column holds too."""
    return tuple(
        fact
        for fact in named
        if any(
            _holds(states[c.service].table(c.table), c.field, c.kind, fact.value)
            for c in columns
        )
    )


def rivals(check: Check, text: str, initial: Environment) -> Iterator[tuple[str, Any]]:
    """What a text states beside the facts of a check: (kind, value)."""
    wanted = [(fact.kind, fact.value) for fact in check.values]
    beside = [(fact.kind, fact.value) for fact in check.asides]
    yield from facts.alternatives(text, wanted, beside)
    for column in check.columns:
        state = initial.states.get(column.service)
        if state is None:
            continue
        table = state.table(column.table)
        for values in pool(table, column.field, column.kind):
            for value in facts.others(column.kind, text, wanted, beside, values):
                if not _belongs(check, column, value, table, str(state.ledger.actor)):
                    yield (column.kind, value)


def _belongs(
    check: Check, column: Column, value: Any, table: Table[Entity], actor: str
) -> bool:
    """Whether a value is of the record that the text speaks of, or names who writes it."""
    wanted = [fact.value for fact in check.values if fact.kind == column.kind]
    for row in table:
        own = getattr(row, column.field, None)
        held = [one for one in row.__dict__.values() if one is not own]
        if actor and own == value and actor in held:
            return True
        if value in held and any(facts.equal(column.kind, own, one) for one in wanted):
            return True
    return False


def currency_of(columns: Iterable[Column], value: Any, states: Mapping[str, State]) -> str:
    """The currency of an amount, where the records that hold it agree on one; else nothing."""
    found: set[str] = set()
    for column in columns:
        table = states[column.service].table(column.table)
        fields = _currencies(type(states[column.service]).tables()[column.table])
        key = _canonical(column.kind, value)
        for values in pool(table, column.field, column.kind) if fields else ():
            if key in values.canonical:
                for row in table.where(**{column.field: values.canonical[key]}):
                    found.add(str(getattr(row, fields[0]) or "").upper())
    return found.pop() if len(found) == 1 else ""


@lru_cache(maxsize=1024)
def _currencies(entity: type[Entity]) -> tuple[str, ...]:
    return tuple(name for name in entity.model_fields if kind_of(entity, name) == "currency")
