"""Page sizes and cursors of a list, found on a crowd of copies of one row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from pydantic import ValidationError

from compoworld_core.observation import LIMIT
from compoworld_tasks_walk.affordances import JSON, Paging, Path, at
from compoworld_tasks_walk.learning.drawing import Values, spread, taken
from compoworld_tasks_walk.learning.parameters import Leaf
from compoworld_tasks_walk.learning.reads import Reading
from compoworld_tasks_walk.learning.world import World

CROWD = 260
_SIZES = (200, 100, 50, 25, 20, 10)
_MARGIN = 1.3
"""Rows of other worlds may be longer than those seen."""


def page(reading: Reading, optional: Sequence[Leaf]) -> None:
    """Learn the page size, the largest that an agent sees whole, and how to turn pages."""
    if reading.view.shape != "many":
        return
    found = _crowded(reading)
    if found is None:
        return
    world, values = found
    shown = reading.found(values, world) or []
    if len(shown) < 2:
        return
    reading.room = max(1, int(LIMIT / (_MARGIN * _length(reading, values))))
    numbers = [leaf for leaf in optional if leaf.shape.json_type == "integer" and not leaf.form]
    reading.size = next(
        (leaf for leaf in numbers if len(reading.found({**values, leaf: 1}, world) or []) == 1),
        None,
    )
    reading.page = len(shown) if len(shown) < CROWD else None
    if reading.size is not None:
        _largest(reading, world, values, reading.size)
        rest = [leaf for leaf in optional if leaf is not reading.size and not leaf.form]
        reading.paging = _turning(reading, world, {**values, reading.size: 2}, rest)


def _largest(reading: Reading, world: World, values: Values, size: Leaf) -> None:
    """Fix the largest page size that works."""
    most = int(size.shape.high) if size.shape.high is not None else CROWD
    for wanted in (most, *(smaller for smaller in _SIZES if smaller < most)):
        shown = reading.found({**values, size: wanted}, world)
        if shown:
            reading.page = len(shown)
            reading.fixed = (*reading.fixed, (size.path, len(shown)))
            return


def _crowded(reading: Reading) -> tuple[World, Values] | None:
    """A world in which very many rows share a row's values, and these values."""
    world, table = reading.world, reading.view.table
    for sample in spread(list(world.rows[table]), 16):
        values = taken(reading.mapped, world, table, world.rows[table][sample])
        found = None if values is None else reading.found(values)
        if values is None or not found:
            continue
        key = found[0]
        state = world.env.state(world.service.name).fork()
        held = state.table(table)
        row, entity = world.rows[table][key], type(held[key])
        for number in range(CROWD):
            fresh = f"{key}{number}" if isinstance(key, str) else key + 100_000 + number
            if fresh not in held:
                try:
                    held.insert(entity.model_validate({**row, "id": fresh}))
                except ValidationError:
                    return None
        return world.grown(state, table), values
    return None


def _length(reading: Reading, values: Values) -> float:
    """Characters of one item, on the average of those shown."""
    outcome = reading.call(values)
    items = at(outcome.data, reading.view.items) if outcome.ok else []
    return max(2.0, len(json.dumps(items)) / max(1, len(items)))


def _turning(
    reading: Reading, world: World, values: Values, optional: Sequence[Leaf]
) -> Paging | None:
    """How the second page is reached: by a token of the first, a number, or its last item."""
    outcome = reading.call(values, world)
    first = reading.view.rows(world, outcome.data) if outcome.ok else None
    if not first:
        return None
    for leaf in optional:
        if leaf.shape.enum or leaf.shape.json_type == "boolean":
            continue
        kind = str if leaf.shape.json_type == "string" else int
        for path, token in _outside(outcome.data, reading.view.items):
            if isinstance(token, kind) and _turns(reading, world, values, leaf, token, first):
                return Paging(leaf.slot, "token", path)
        if kind is int and _turns(reading, world, values, leaf, 2, first):
            return Paging(leaf.slot, "page", None)
        name, path = reading.view.key
        if name == "id" and _turns(reading, world, values, leaf, first[-1], first):
            return Paging(leaf.slot, "after", path)
    return None


def _turns(
    reading: Reading,
    world: World,
    values: Values,
    leaf: Leaf,
    token: JSON,
    first: Sequence[JSON],
) -> bool:
    second = reading.found({**values, leaf: token}, world)
    return (
        bool(second) and not set(second or ()) & set(first) and len(second or ()) == len(first)
    )


def _outside(value: JSON, items: Path, path: Path = ()) -> Iterator[tuple[Path, JSON]]:
    """The scalars of a result that are not inside its items."""
    if path == items:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _outside(inner, items, (*path, key))
    elif (
        not isinstance(value, list) and value not in (None, "") and not isinstance(value, bool)
    ):
        yield path, value
