"""Rivals: values that other rows of s0 hold where the reference found the right one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from heapq import nsmallest
from random import Random
from typing import Any, NamedTuple

from compoworld_core.audit.trial import Trial
from compoworld_core.audit.writes import Slot, Stated, Unfit
from compoworld_core.expressions import Expr
from compoworld_core.state import Entity

_NEAREST = 3
"""Rival rows, nearest first, that one is drawn from."""


class Place(NamedTuple):
    """Where a value stands in s0."""

    table: str
    row: Entity
    field: str


def typed(value: Any) -> list[Any]:
    """What a JSON value may be in a record: itself, a number, a day, an instant."""
    found = [value]
    if isinstance(value, str):
        for read in (_day, _instant, _number):
            try:
                found.append(read(value))
            except (ValueError, InvalidOperation):
                continue
    elif isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
        found.append(Decimal(str(value)))
        found.append(str(value))
    return found


def _day(text: str) -> date:
    return date.fromisoformat(text) if len(text) == 10 else date.fromisoformat("")


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text) if "T" in text else datetime.fromisoformat("")


def _number(text: str) -> Decimal:
    return Decimal(text) if text[:1].isdigit() or text[:1] == "-" else Decimal("")


def fields(row: Entity) -> Iterator[tuple[str, Any]]:
    """(field, value) of a record; what a search remembers on the row is none."""
    held = row.__dict__
    return ((name, held[name]) for name in type(row).model_fields)


def as_json(value: Any) -> Any:
    """A record's value as a tool's JSON shows it."""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    return value


def places(trial: Trial, service: str, value: Any) -> list[Place]:
    """The rows of a service in s0 that hold a value, and in which field."""
    if value in (None, "") or isinstance(value, bool | list | dict):
        return []
    found: list[Place] | None = trial.memory.get(("places", service, value))
    if found is None:
        found = trial.memory["places", service, value] = list(_places(trial, service, value))
    return found


def _places(trial: Trial, service: str, value: Any) -> Iterator[Place]:
    state = trial.initial.states.get(service)
    if state is None:
        return
    wanted = typed(value)
    for table in state.tables():
        for row in state.table(table):
            values = row.__dict__.values()
            if any(one in values for one in wanted):
                yield from (
                    Place(table, row, name)
                    for name, one in fields(row)
                    if one in wanted and not isinstance(one, bool)
                )


def rivals(trial: Trial, service: str, value: Any, rng: Random) -> Iterator[Any]:
    """Values of the same field in other rows, those of look-alikes and planted rows first."""
    for place in places(trial, service, value):
        head = others(trial, service, place)
        rng.shuffle(head)
        yield from (as_json(getattr(row, place.field)) for row in head)


def others(trial: Trial, service: str, place: Place) -> list[Entity]:
    """The nearest other rows of a table with another value in the field, nearest first."""
    key = ("others", service, place.table, place.row.id, place.field)
    found: list[Entity] | None = trial.memory.get(key)
    if found is None:
        found = trial.memory[key] = _others(trial, service, place)
    return found.copy()


def _others(trial: Trial, service: str, place: Place) -> list[Entity]:
    planted = planted_keys(trial, service, place.table)
    mine = getattr(place.row, place.field)
    shared = {v for _, v in fields(place.row) if _tells(v)}
    found = [
        row
        for row in trial.initial.states[service].table(place.table)
        if row.id != place.row.id and _usable(getattr(row, place.field), mine)
    ]

    def nearness(row: Entity) -> tuple[bool, int]:
        return row.id not in planted, -sum(_tells(v) and v in shared for _, v in fields(row))

    return nsmallest(_NEAREST, found, key=nearness)


def _tells(value: Any) -> bool:
    """Is a value one that two rows may have in common for a reason?"""
    return isinstance(value, str | date | Decimal) and value != ""


def _usable(value: Any, mine: Any) -> bool:
    if value in (None, "", ()):
        return False
    if isinstance(value, str) and isinstance(mine, str):
        return (
            value.casefold() not in mine.casefold() and mine.casefold() not in value.casefold()
        )
    return bool(value != mine)


def planted_keys(trial: Trial, service: str, table: str) -> set[Any]:
    """The keys of the rows that the task put into s0."""
    patch = trial.task.s0.patches.get(service)
    if patch is None:
        return set()
    return {
        operation.row.get("id") if operation.id is None else operation.id
        for operation in patch.operations
        if operation.table == table
    }


def rival_of(trial: Trial, held: Slot | Stated, rng: Random, *, service: str = "") -> Any:
    """What a policy would have taken from another row instead of a slot's value, or a fact's.

    For the id of a record that the reference itself made: the id of an older one.
    """
    raw = held.raw
    expr: Expr = held.facts[0].expr if isinstance(held, Slot) and held.facts else held.expr
    source = trial.source_of(expr)
    services = [source, service] if source else [service]
    services += [name for name in trial.task.services if name not in services]
    for name in services:
        for value in rivals(trial, name, raw, rng):
            return like(raw, value)
    new = _new_rows(trial, raw)
    if new:
        return like(raw, rng.choice(new))
    raise Unfit("no other row holds such a value")


def _new_rows(trial: Trial, raw: Any) -> list[Any]:
    """The ids of older rows of the table in which the reference made a row with this id."""
    for service, table, key, before, _after in trial.initial.changes(trial.reference):
        if before is None and key == raw:
            return trial.initial.states[service].table(table).keys()
    return []


def like(model: Any, value: Any) -> Any:
    """A value in the JSON type of another: `"12"` where text is used, 12 where a number is."""
    if isinstance(model, bool) or isinstance(model, str) is isinstance(value, str):
        return value
    if isinstance(model, str):
        return str(value)
    try:
        number = Decimal(value)
    except InvalidOperation:
        return value
    return int(number) if number == number.to_integral_value() else float(number)
