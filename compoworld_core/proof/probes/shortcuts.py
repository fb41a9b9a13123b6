"""3b: the carried value is not reachable around its source, by closure over associations.

A record that shares a known key makes all its keys known; where several records of one table
share it, only what all of them tell is, since the key chooses none of them. A description that
chooses by known keys makes the chosen record's keys known. Known at first are the keys that the
instruction names. The source's own records are cut; the carried key must stay unknown. Only
keys that the task planted count: those of the base world (staff, teams) tie all to all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from attrs import frozen
from pydantic import BaseModel

from compoworld_core import facts
from compoworld_core.expressions import All, Lit, Pick, walk
from compoworld_core.patch import patched
from compoworld_core.plan import Carry
from compoworld_core.proof.case import Case, Refuted
from compoworld_core.schema import meaning_of
from compoworld_core.state import Entity, State
from compoworld_core.table import Table
from compoworld_core.types import KEY_KINDS, Kind, Meaning

NAME = "no-shortcut"
_VAGUE = frozenset(
    {
        "status",
        "boolean",
        "tag",
        "quantity",
        "percent",
        "country",
        "currency",
        "date",
        "datetime",
    }
)
"""Kinds of few values: that one of them stands somewhere says nothing."""
_BASE_TOKENS = "\0tokens"


@frozen
class Keys:
    """The keys of a planted row, folded, and where the row stands."""

    service: str
    table: str
    id: Any
    tokens: frozenset[str]


Choice = tuple[frozenset[str], frozenset[str]]
"""A description: the keys by which it chooses, and the keys of the record that it chooses."""


def probe(case: Case) -> dict[str, Any]:
    """For each edge that carries a key: cut its source, close, and look."""
    planted = list(_planted(case))
    literals = {
        _token(e.literal)
        for step in case.plan.steps
        for e in step.expressions()
        if isinstance(e, Lit) and e.kind in KEY_KINDS
    }
    checked = 0
    for carry in case.plan.carries:
        if carry.source != "field" or carry.kind not in KEY_KINDS:
            continue
        value = carry.expr.value(case.replay.scope)
        if not isinstance(value, str):
            continue
        service, token = case.candidate.walk[carry.edge], _token(value)
        cut = [row for row in planted if row.service != service or token not in row.tokens]
        if token in closure(literals, cut, chosen(case, cut)):
            raise Refuted(NAME, f"edge {carry.edge}: {value!r} is reachable around {service}")
        checked += 1
    return {"keys": checked, "unseen": _unseen(case)}


def _unseen(case: Case) -> int:
    """Carried values that the target only writes stand in no row planted there; how many."""
    checked = 0
    shown: dict[str, list[tuple[Entity, str, Any]]] = {}
    for carry in case.plan.carries:
        if carry.source not in ("field", "aggregate") or carry.kind in _VAGUE:
            continue
        value = carry.expr.value(case.replay.scope)
        if isinstance(value, list) or _looked_up(case, carry):
            continue
        source, service = case.candidate.walk[carry.edge : carry.edge + 2]
        if source == service:
            continue  # of a task of one service the target is the source
        if service not in shown:
            shown[service] = list(_shown(case, service))
        for row, field, held in shown[service]:
            if tells(held, carry.kind, value):
                why = f"edge {carry.edge}: {value!r} stands in {field} of {row.id}"
                raise Refuted(NAME, f"{why}, a row of the target {service}")
        checked += 1
    return checked


def _shown(case: Case, service: str) -> Iterator[tuple[Entity, str, Any]]:
    """(row, field, value) of what the rows planted in a service hold, but for their ids."""
    for row in planted_rows(case, service):
        for field in type(row).model_fields:
            if field != "id":
                for held in scalars(getattr(row, field)):
                    yield row, field, held


def tells(held: Any, kind: Kind, value: Any) -> bool:
    """Does a value of a row state this fact?"""
    if isinstance(held, str) and held != value:
        try:
            return facts.mentions(kind, value, held)
        except ValueError:
            return False  # no fact of its kind: it equals only itself
    return facts.equal(kind, held, value)


def _looked_up(case: Case, carry: Carry) -> bool:
    """Does the target visit find a record by the carried value?"""
    steps = [step for step in case.plan.steps if step.visit == carry.edge + 1]
    for step in steps:
        for expr in step.expressions():
            if isinstance(expr, Pick | All) and any(
                carry.expr in walk(condition.equals) for condition in expr.where
            ):
                return True
        if not step.write and carry.expr in step.expressions():
            return True
    return any(
        carry.expr in walk(expr)
        for selection in case.plan.selections
        if selection.step in {step.id for step in steps}
        for _, _, expr in selection.conditions
    )


def planted_rows(case: Case, service: str) -> Iterator[Entity]:
    """The rows that the task planted in a service."""
    for _, row in _rows(case, service):
        yield row


def _rows(case: Case, service: str) -> Iterator[tuple[str, Entity]]:
    """(table, row) of what the task planted in a service."""
    patch = case.candidate.patches.get(service)
    if patch is not None:
        yield from patched(case.initial.states[service], patch)


def _token(value: Any) -> str:
    return fold(str(value))


def fold(text: str) -> str:
    """Case, surrounding space and the mark before a number do not matter to a key."""
    return text.strip().lstrip("#").casefold()


def closure(known: set[str], rows: Sequence[Keys], choices: Sequence[Choice]) -> set[str]:
    """All keys that follow from the known ones."""
    sharing: dict[tuple[str, str, str], list[frozenset[str]]] = {}
    for row in rows:
        for token in sorted(row.tokens):
            sharing.setdefault((row.service, row.table, token), []).append(row.tokens)
    reached = set(known)
    while True:
        told = [
            frozenset.intersection(*held)
            for (*_, token), held in sharing.items()
            if token in reached
        ]
        told += [keys for by, keys in choices if by <= reached]
        grown = reached.union(*told)
        if grown == reached:
            return reached
        reached = grown


def chosen(case: Case, rows: Sequence[Keys]) -> list[Choice]:
    """What the plan's descriptions choose among these rows, and by which keys."""
    scope, found = case.replay.scope, []
    for selection in case.plan.selections:
        if not case.replay.played(selection.step) or selection.many:
            continue
        by = frozenset(
            _token(value)
            for _, kind, expr in selection.conditions
            if kind in KEY_KINDS and isinstance(value := expr.value(scope), str)
        )
        key = selection.key.value(scope)
        found += [
            (by, row.tokens)
            for row in rows
            if (row.service, row.table) == (selection.service, selection.table)
            if row.id == key
        ]
    return found


def _planted(case: Case) -> Iterator[Keys]:
    """The planted keys of each planted row."""
    bases = [base_tokens(state) for state in case.initial.states.values()]
    for name in case.candidate.patches:
        for table, row in _rows(case, name):
            own = frozenset(_tokens(row))
            yield Keys(name, table, row.id, own.difference(*(base & own for base in bases)))


def _tokens(row: Entity) -> Iterator[str]:
    """The keys that a row holds, folded: strings that are not known to mean something else."""
    for field in _key_fields(type(row)):
        held = getattr(row, field)
        for value in (held,) if isinstance(held, str) else scalars(held):
            if isinstance(value, str) and len(value) >= 4:
                yield _token(value)


@lru_cache(maxsize=4096)
def _key_fields(entity: type[Entity]) -> tuple[str, ...]:
    found = []
    for name, info in entity.model_fields.items():
        meaning = meaning_of(info.rebuild_annotation(), Meaning)
        if meaning is None or meaning.kind in KEY_KINDS:
            found.append(name)
    return tuple(found)


def scalars(value: Any) -> Iterator[Any]:
    """The plain values inside a value, at any depth."""
    if isinstance(value, BaseModel):
        value = value.__dict__
    if isinstance(value, dict):
        for item in value.values():
            yield from scalars(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from scalars(item)
    else:
        yield value


def base_tokens(state: State) -> frozenset[str]:
    """All keys of a service's base, folded; computed once per base."""
    tables: list[Table[Any]] = [state.table(name) for name in type(state).tables()]
    if not tables:
        return frozenset()
    cache = tables[0].base.notes
    found: frozenset[str] | None = cache.get(_BASE_TOKENS)
    if found is None:
        found = frozenset(
            token
            for table in tables
            for row in table.base.rows.values()
            for token in _tokens(row)
        )
        cache[_BASE_TOKENS] = found
    return found
