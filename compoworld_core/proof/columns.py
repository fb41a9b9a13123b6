"""Columns: where the values of a fact stand in s0, so that others of them are told apart.

A criterion names the columns (service, table, field) in which its fact was found. A text that
states another record's value of such a column beside the right one chose none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from compoworld_core import facts
from compoworld_core.environment import Environment
from compoworld_core.expressions import All, Expr, Fn, Item, Lit, Out, Pick, Scope, walk
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
    """The columns of s0 where an expression found a value."""
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
    key = _key(kind, value)
    holding = [
        (table, field)
        for table, field in _fields(type(state), kind)
        if _holds(state.table(table), field, kind, key)
    ]
    named = [(table, field) for table, field in holding if _flat(field) == name]
    # One day or amount stands in many columns by chance; a name does not.
    for table, field in holding if kind in NAMED else named or holding:
        yield _column(kind, origin.service, table, field)


@lru_cache(maxsize=4096)
def _column(kind: Kind, service: str, table: str, field: str) -> Column:
    return Column(kind=kind, service=service, table=table, field=field)


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


def pool(table: Table[Entity], field: str, kind: str) -> tuple[Pool, ...]:
    """The values of a column: of the rows that all worlds share, and of those set on top."""
    name = f"pool {field} {kind}"
    notes, base = table.notes, table.base
    found: tuple[Pool, ...] | None = notes.get(name)
    if found is None:
        shared = base.notes.get(name)
        if shared is None:
            shared = facts.pool_of(kind, _values(base.rows.values(), field))
            base.notes[name] = shared
        late = [row for row in table.overlay.values() if row is not None]
        set_on_top = (facts.pool_of(kind, _values(late, field)),) if late else ()
        found = notes[name] = (shared, *set_on_top)
    return found


def _values(rows: Iterable[Entity], field: str) -> Iterator[Any]:
    for row in rows:
        held = getattr(row, field, None)
        if isinstance(held, tuple):
            yield from held
        else:
            yield held


def _holds(table: Table[Entity], field: str, kind: str, key: Any) -> bool:
    """Whether a column holds the value with this key."""
    named = kind in NAMED
    for values in pool(table, field, kind):  # a generator costs twice as much
        if key in (values.words if named else values.canonical):
            return True
    return False


@lru_cache(maxsize=4096, typed=True)
def _key(kind: str, value: Any) -> Any:
    """A value as the pools of a kind hold it."""
    return " ".join(words_of(str(value))) if kind in NAMED else _canonical(kind, value)


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
            _holds(states[c.service].table(c.table), c.field, c.kind, _key(c.kind, fact.value))
            for c in columns
        )
    )


def rivals(check: Check, text: str, initial: Environment) -> Iterator[tuple[str, Any]]:
    """What a text states beside the facts of a check: (kind, value)."""
    wanted = [(fact.kind, fact.value) for fact in check.values]
    beside = [(fact.kind, fact.value) for fact in check.asides]
    # Where the text names new records too, their ids are no rivals; they are not known yet.
    keys = ("id", "code") if check.variables else ()
    yield from facts.alternatives(text, [w for w in wanted if w[0] not in keys])
    for column in check.columns:
        state = initial.states.get(column.service)
        if state is None:
            continue
        table = state.table(column.table)
        for values in pool(table, column.field, column.kind):
            for value in facts.others(column.kind, text, wanted, beside, values):
                if _signs(column.kind, value, state.ledger.actor) or _belongs(
                    check, column, value, table
                ):
                    quiet = [*beside, (column.kind, value)]
                    if value not in facts.others(column.kind, text, wanted, quiet, values):
                        continue
                yield (column.kind, value)


def _belongs(check: Check, column: Column, value: Any, table: Table[Entity]) -> bool:
    """Whether a value is of the record that the text speaks of, in another of its fields."""
    wanted = [fact.value for fact in check.values if fact.kind == column.kind]
    for row in table:
        own = getattr(row, column.field, None)
        if value in (one for one in row.__dict__.values() if one is not own) and any(
            facts.equal(column.kind, own, one) for one in wanted
        ):
            return True
    return False


def _signs(kind: str, value: Any, actor: str) -> bool:
    """Whether a value is the address or the name of who writes the text."""
    if kind == "email":
        return str(value).casefold() == actor.casefold()
    words = words_of(str(value))
    if kind != "person" or len(words) < 2:
        return False
    name = "".join(words_of(actor.partition("@")[0]))
    return name in ("".join(words), f"{words[0][0]}{words[-1]}", words[0])


def currency_of(
    expr: Expr, kind: Kind, scope: Scope, plan: Plan, step: Step | None, initial: Environment
) -> str:
    """The currency of an amount, where the records that hold it agree on one; else nothing."""
    if isinstance(expr, Fn) and expr.name == "sum":
        expr = expr.args[0]
    amounts = expr.value(scope)
    found = {
        mark
        for amount in (amounts if isinstance(amounts, list) else [amounts])
        for column in columns_of(expr, kind, amount, plan, step, initial.states)
        for mark in _marks(column, amount, initial.states[column.service])
    }
    return found.pop() if len(found) == 1 else ""


def _marks(column: Column, amount: Any, state: State) -> Iterator[str]:
    table, key = state.table(column.table), _canonical(column.kind, amount)
    fields = _currencies(type(state).tables()[column.table])
    for values in pool(table, column.field, column.kind) if fields else ():
        if key in values.canonical:
            for row in table.where(**{column.field: values.canonical[key]}):
                yield str(getattr(row, fields[0]) or "").upper()


@lru_cache(maxsize=1024)
def _currencies(entity: type[Entity]) -> tuple[str, ...]:
    return tuple(name for name in entity.model_fields if kind_of(entity, name) == "currency")
