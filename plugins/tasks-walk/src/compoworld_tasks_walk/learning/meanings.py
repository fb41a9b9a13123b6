"""What the fields of a service's entities mean, from their types and their seeded values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from compoworld_core.state import State
from compoworld_core.table import Key
from compoworld_tasks_walk.affordances import JSON, Fact
from compoworld_tasks_walk.learning.parameters import Shape, shape_of


def facts_of(
    state: type[State], rows: Mapping[str, Mapping[Key, Mapping[str, JSON]]]
) -> dict[str, dict[str, Fact]]:
    """Table → field → meaning; fields that hold objects have none."""
    tables = state.tables()
    homes: dict[str, str] = {}
    for table, entity in tables.items():
        homes.setdefault(entity.__name__, table)
    found: dict[str, dict[str, Fact]] = {}
    for table, entity in tables.items():
        facts: dict[str, Fact] = {}
        for name, info in entity.model_fields.items():
            shape = shape_of(info.annotation, info.metadata)
            if shape is None:
                continue
            fact = _fact(shape, homes)
            if name == "id":
                fact = evolve(fact, kind="id", ref="")
            values = [row.get(name) for row in rows[table].values()]
            facts[name] = evolve(fact, distinct=_distinct(values, fact.many))
        found[table] = facts
    return found


def _fact(shape: Shape, homes: Mapping[str, str]) -> Fact:
    return Fact(
        shape.kind,
        shape.role,
        homes.get(shape.ref, ""),
        tuple(str(value) for value in shape.enum),
        optional=shape.optional,
        many=shape.many,
        json_type=shape.json_type,
    )


def _distinct(values: list[Any], many: bool) -> bool:
    if many or len(values) < 2 or any(value is None for value in values):
        return False
    return len(set(map(str, values))) == len(values)
