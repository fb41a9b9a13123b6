"""World: what a state holds, by meaning: keys for references, values of each semantic kind."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import Any, Union, get_args, get_origin

from attrs import define, field
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from compoworld_core.cast import Cast
from compoworld_core.state import Entity, State
from compoworld_core.table import Key
from compoworld_core.types import Meaning

_DEEPEST_FIELD = 4
"""Nesting of models in a row at which the look stops: a model may hold itself."""


@define(slots=True)
class World:
    """What draws may use: a state's values, random numbers, the cast of the composed world."""

    state: State
    rng: Random
    optional: float = 0.5
    cast: Cast | None = None
    _keys: dict[str, list[Key]] = field(factory=dict)

    def row(self, table: str) -> Entity | None:
        """Any row of a table."""
        keys = self._keys.get(table)
        if keys is None:
            keys = self._keys[table] = self.state.table(table).keys()
        if not keys:
            return None
        found: Entity = self.state.table(table)[self.rng.choice(keys)]
        return found

    def key(self, entity: str) -> str | int | None:
        """The key of any row of an entity."""
        names = [n for n, e in self.state.tables().items() if e.__name__ == entity]
        rows = [row for name in names if (row := self.row(name)) is not None]
        return self.rng.choice(rows).id if rows else None

    def at(self, source: Source) -> Any:
        """The value of a field in any row; None where there is none."""
        table, path = source
        value: Any = self.row(table)
        for name in path:
            value = getattr(value, name, None)
            if isinstance(value, tuple):
                value = self.rng.choice(value) if value else None
        return value

    def seen(self, sources: tuple[Source, ...], most: int = 5) -> list[Any]:
        """Some values of some fields."""
        if not sources:
            return []
        values = (self.at(self.rng.choice(sources)) for _ in range(most))
        return [value for value in values if value is not None]

    def known(self, meaning: Meaning) -> list[Any]:
        """Some values of a semantic kind that the state (or the cast) holds."""
        by_kind = sources(type(self.state))[0]
        values = self.seen(by_kind.get((meaning.kind, meaning.role), ()))
        if not values and meaning.role:
            values = self.seen(by_kind.get((meaning.kind, ""), ()))
        if self.cast is not None and (not values or self.rng.random() < 0.1):
            values += _of_cast(self.cast, meaning, self.rng)
        return values


Source = tuple[str, tuple[str, ...]]
"""Where values stand: a table, and the path of field names in a row."""


@lru_cache(maxsize=1024)
def sources(
    state: type[State],
) -> tuple[dict[tuple[str, str], tuple[Source, ...]], dict[str, tuple[Source, ...]]]:
    """Where the values of each (kind, role) stand, and those of each field name.

    The role "" lists all fields of a kind, whatever their role.
    """
    by_kind: dict[tuple[str, str], list[Source]] = {}
    by_name: dict[str, list[Source]] = {}
    for table, entity in state.tables().items():
        for path, markers in _leaves(entity, (), 0):
            source = (table, path)
            by_name.setdefault(path[-1], []).append(source)
            meanings = [m for m in markers if isinstance(m, Meaning)]
            if meanings:
                by_kind.setdefault((meanings[-1].kind, ""), []).append(source)
                if meanings[-1].role:
                    by_kind.setdefault((meanings[-1].kind, meanings[-1].role), []).append(
                        source
                    )
    return (
        {kind: tuple(found) for kind, found in by_kind.items()},
        {name: tuple(found) for name, found in by_name.items()},
    )


def _leaves(
    model: type[BaseModel], path: tuple[str, ...], depth: int
) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    for name, info in model.model_fields.items():
        inner, markers = _unwrapped(annotation_of(info))
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            if depth < _DEEPEST_FIELD:
                yield from _leaves(inner, (*path, name), depth + 1)
        else:
            yield (*path, name), markers


def _unwrapped(annotation: Any) -> tuple[Any, list[Any]]:
    """The innermost type of an optional or repeated value, and all markers on the way."""
    markers: list[Any] = []
    while True:
        origin, parts = get_origin(annotation), get_args(annotation)
        if origin is typing.Annotated:
            markers = [*parts[1:], *markers]
            annotation = parts[0]
        elif origin in (Union, types.UnionType):
            annotation = next((p for p in parts if p is not type(None)), None)
        elif origin in (tuple, list) and parts:
            annotation = parts[0]
        else:
            return annotation, markers


def annotation_of(info: FieldInfo) -> Any:
    """A field's type with its markers, as it was written."""
    if not info.metadata:
        return info.annotation
    return typing.Annotated.__class_getitem__((info.annotation, *info.metadata))  # type: ignore[attr-defined]  # the spelling for a computed number of markers


def _of_cast(cast: Cast, meaning: Meaning, rng: Random) -> list[Any]:
    if meaning.kind == "company":
        return [rng.choice(cast.companies).name]
    person = rng.choice(cast.staff if meaning.role == "staff" else cast.people)
    known = {"person": person.name, "email": person.email, "phone": person.phone}
    known["country"] = person.country
    return [known[meaning.kind]] if meaning.kind in known else []
