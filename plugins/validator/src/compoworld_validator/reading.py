"""Reading of results: their rows, ids and scalar fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from compoworld_validator.values import normal

Row = Mapping[str, Any]
SCALARS = (str, int, float, bool)
_DERIVED = ("at", "time", "date", "modified", "updated", "created", "version", "etag", "on")
_BAGS = ("properties", "fields", "attributes")
"""Names of objects that hold a record's own fields."""


def rows(data: Any) -> list[Row] | None:
    """The rows of a list's result; None where it is no list."""
    if isinstance(data, dict):
        lists = [v for v in data.values() if isinstance(v, list)]
        named = isinstance(data.get("items"), list)
        if not named and "id" in data:
            return None  # a record with lists in it
        data = data["items"] if named else next((v for v in lists if _objects(v)), None)
    return data if _objects(data) else None


def _objects(data: Any) -> bool:
    return isinstance(data, list) and all(isinstance(row, dict) for row in data)


def identity(row: Row) -> str:
    """What tells a row from others: its id, or all of it."""
    found = row.get("id")
    return str(found) if found is not None else json.dumps(row, sort_keys=True)


def scalars(row: Row) -> dict[str, Any]:
    """Normalised name → value of each scalar field."""
    return {normal(name): v for name, v in row.items() if isinstance(v, SCALARS)}


def fields(row: Row) -> dict[str, Any]:
    """Normalised name → value of each field, those of its `properties` among them."""
    found = {normal(name): value for name, value in row.items()}
    for bag in _BAGS:
        inner = row.get(bag)
        if isinstance(inner, Mapping):
            for name, value in inner.items():
                found.setdefault(normal(name), value)
    return found


def leaves(value: Any) -> Iterator[Any]:
    """All scalars in a JSON value."""
    if isinstance(value, Mapping):
        for part in value.values():
            yield from leaves(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from leaves(part)
    elif value is not None and not isinstance(value, bool):
        yield value


def named(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """(normalised name, value) of each argument, those in objects among them."""
    for name, value in given.items():
        yield normal(name), value
        if isinstance(value, Mapping) and normal(name) in _BAGS:
            yield from named(value)
        elif isinstance(value, list):
            for part in value:
                if isinstance(part, Mapping):
                    yield from named(part)


def mappings(data: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """All objects in a result, outermost first."""
    if isinstance(data, dict):
        yield data
        if depth < 4:
            for value in data.values():
                yield from mappings(value, depth + 1)
    elif isinstance(data, list):
        for value in data[:40]:
            yield from mappings(value, depth + 1)


def same(one: Any, other: Any) -> bool:
    """Equal for a reader: case, outer space and the form of a number do not count."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) < 1e-6
    return _plain(str(one)) == _plain(str(other))


def equal(one: Any, other: Any) -> bool:
    """Equal as values: a number and its text are, texts of another case are not."""
    if one == other:
        return isinstance(one, bool) == isinstance(other, bool)
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(str, one)) == sorted(map(str, other))
    try:
        return not isinstance(one, bool) and abs(float(one) - float(other)) < 1e-9
    except (TypeError, ValueError):
        return empty(one) and empty(other)


def empty(value: Any) -> bool:
    """Whether a value says nothing."""
    return value is None or value in ("", [], {}, ())


def _plain(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum()) or text


def derived(name: str) -> bool:
    """Whether a field looks like one that the service keeps itself: times and versions."""
    return name.endswith(_DERIVED)
