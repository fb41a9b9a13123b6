"""Which rows a result shows, where, and which of their fields.

A field is revealed at a path only where the JSON value there equals the field's in every row
seen, and the rows differ enough for that not to be chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from attrs import frozen

from compoworld_core.table import Key
from compoworld_tasks_walk.affordances import JSON, Path, at
from compoworld_tasks_walk.learning.world import Row, World

Shown = Literal["one", "many"]


@frozen
class View:
    """Rows of one table at one place of a result."""

    table: str
    shape: Shown
    items: Path
    key: tuple[str, Path]
    """(field, path in an item) by which an item is told to be a row."""

    def rows(self, world: World, data: JSON) -> list[Key] | None:
        """The keys of the rows that a result shows; None where an item is none of them."""
        try:
            place = at(data, self.items)
        except KeyError:
            return []
        items = place if self.shape == "many" else [place]
        if not isinstance(items, list):
            return None
        name, path = self.key
        index = index_of(world, self.table, name)
        found: list[Key] = []
        for item in items:
            try:
                key = index.get(_hashable(at(item, path)))
            except KeyError:
                return None
            if key is None:
                return None
            found.append(key)
        return found

    def pairs(self, world: World, data: JSON) -> list[tuple[JSON, Row]]:
        """(item, row) for what a result shows."""
        keys = self.rows(world, data) or []
        if not keys:
            return []
        place = at(data, self.items)
        items = place if self.shape == "many" else [place]
        held = world.rows[self.table]
        return [(item, held[key]) for item, key in zip(items, keys, strict=True)]


def index_of(world: World, table: str, name: str) -> Mapping[Any, Key]:
    """Value → key for a field whose values differ, kept with the world."""
    cache: dict[tuple[str, str], dict[Any, Key]] = world.__dict__.setdefault("_indexes", {})
    if (table, name) not in cache:
        rows = world.rows[table].items()
        cache[table, name] = {_hashable(row.get(name)): key for key, row in rows}
    return cache[table, name]


def _hashable(value: JSON) -> Any:
    return value if isinstance(value, str | int | float | None) else str(value)


def views(world: World, data: JSON) -> list[View]:
    """The places of a result that show rows, the outermost and fullest first."""
    found: list[View] = []
    for items, shape, objects in _objects(data, ()):
        view = _recognised(world, items, shape, objects)
        if view is not None:
            found.append(view)
    return found


def _objects(value: JSON, path: Path) -> Iterator[tuple[Path, Shown, Sequence[JSON]]]:
    """Each object, and each list of objects or keys; lists inside items are left out."""
    if isinstance(value, Mapping):
        if value:
            yield path, "one", [value]
        for key, item in value.items():
            yield from _objects(item, (*path, key))
    elif isinstance(value, list) and value:
        kinds: tuple[type[Any], ...]
        for kinds in ((Mapping,), (str, int)):
            if all(isinstance(item, kinds) for item in value):
                yield path, "many", value
                break


def leaves_of(item: JSON, path: Path = ()) -> Iterator[tuple[Path, JSON]]:
    """The scalars, and lists of scalars, of an item."""
    if isinstance(item, Mapping):
        for key, value in item.items():
            yield from leaves_of(value, (*path, key))
    elif isinstance(item, list) and len(item) == 1 and isinstance(item[0], Mapping):
        yield from leaves_of(item[0], (*path, 0))
    elif not isinstance(item, list) or all(not isinstance(each, Mapping) for each in item):
        yield path, item


def _recognised(
    world: World, items: Path, shape: Shown, objects: Sequence[JSON]
) -> View | None:
    """The table whose rows these objects are, by their keys; else by values that differ."""
    sample = [dict(leaves_of(each)) for each in objects[:_SAMPLE]]
    first = [(path, value) for path, value in sample[0].items() if _telling(value)]
    for keyed in (True, False):
        best: tuple[float, View] | None = None
        for table, rows in world.rows.items():
            for name in ["id"] if keyed else _naming(world, table):
                index = index_of(world, table, name)
                for path, value in first:
                    if value not in index or (isinstance(value, int) and not keyed):
                        continue
                    keys = [index.get(_hashable(each.get(path))) for each in sample]
                    held = [rows[key] for key in keys if key is not None]
                    score = _likeness(sample, held) if len(held) == len(sample) else 0
                    if score + 0.5 * keyed >= 1 and (best is None or score > best[0]):
                        best = (score, View(table, shape, items, (name, path)))
        if best is not None:
            return best[1]
    return None


_SAMPLE = 6


def _naming(world: World, table: str) -> list[str]:
    """The fields beside the key whose values differ from row to row."""
    return [n for n, fact in world.facts[table].items() if fact.distinct and n != "id"]


def _telling(value: JSON) -> bool:
    """Whether a value says enough to name a row."""
    if isinstance(value, str):
        return len(value) > 2
    return isinstance(value, int) and not isinstance(value, bool)


def _likeness(items: Sequence[Mapping[Path, JSON]], rows: Sequence[Row]) -> float:
    """How many of a row's values its item shows, on the average; those of its own name more."""
    total = 0.0
    for item, row in zip(items, rows, strict=True):
        shown = {_hashable(value) for value in item.values() if value not in (None, "", [])}
        named = {path[-1]: value for path, value in item.items() if path}
        for name, value in row.items():
            if value in (None, "", [], False, True):
                continue
            if name in named and named[name] == value:
                total += 1
            elif _hashable(value) in shown:
                total += 0.6
    return total / len(items)


def reveals(world: World, view: View, pairs: Iterable[tuple[JSON, Row]]) -> dict[str, Path]:
    """Field → path in an item, for the fields that every pair of item and row agrees on."""
    seen = [(dict(leaves_of(item)), row) for item, row in pairs]
    if not seen:
        return {}
    found: dict[str, Path] = {}
    for name in world.facts[view.table]:
        values = {str(row.get(name)) for _, row in seen if row.get(name) not in (None, "", [])}
        if not values:
            continue
        paths = [path for path in seen[0][0] if _agrees(seen, path, name)]
        own = [path for path in paths if path and path[-1] == name]
        if own:
            found[name] = min(own, key=len)
        elif paths and (len(values) >= _ENOUGH or (name == "id" and len(seen) == 1)):
            found[name] = min(paths, key=len)
    return found


_ENOUGH = 2


def _agrees(seen: Sequence[tuple[Mapping[Path, JSON], Row]], path: Path, name: str) -> bool:
    missing = object()
    return all(
        item.get(path, None if row.get(name) is None else missing) == row.get(name)
        for item, row in seen
    )


def same(a: JSON, b: JSON) -> bool:
    """Whether two JSON values are one value: numbers by amount, instants by time."""
    if a == b:
        return not (isinstance(a, bool) ^ isinstance(b, bool))
    if a is None or b is None or isinstance(a, bool) or isinstance(b, bool):
        return False
    if isinstance(a, str) and isinstance(b, str):
        return _instants(a, b) or _numbers(a, b)
    if isinstance(a, str | int | float) and isinstance(b, str | int | float):
        return _numbers(a, b)
    return False


def _numbers(a: str | float, b: str | float) -> bool:
    try:
        return Decimal(str(a)) == Decimal(str(b))
    except InvalidOperation:
        return False


def _instants(a: str, b: str) -> bool:
    if not (a[:2].isdigit() and b[:2].isdigit()):
        return False
    try:
        return datetime.fromisoformat(a) == datetime.fromisoformat(b)
    except (ValueError, TypeError):
        return False
