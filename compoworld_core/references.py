"""References: which fields name rows of other tables, and whether these are there."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

from compoworld_core.holdings import annotation_of
from compoworld_core.state import Entity, State
from compoworld_core.types import RefTo


def dangling(state: State) -> Iterator[str]:
    """References of a state to rows that are not there, one line each."""
    for table in state.tables():
        for row in state.table(table):
            yield from lost(state, table, row)


def lost(state: State, table: str, row: Entity) -> Iterator[str]:
    """References of a row to rows that are not there, one line each."""
    for path, tables in _paths(type(state), type(row)):
        for key in _values(row, path):
            if not any(key in state.table(name) for name in tables):
                yield f"{table} {row.id}: {'.'.join(path)} names no row: {key!r}"


@lru_cache(maxsize=4096)
def _paths(
    state: type[State], entity: type[Entity]
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """(path of fields, tables that may hold what it names) of each reference."""
    return tuple((path, tables_of(state, name)) for path, name in reference_paths(entity))


def tables_of(state: type[State], entity: str) -> tuple[str, ...]:
    """The tables of a state that hold an entity."""
    return tuple(name for name, held in state.tables().items() if held.__name__ == entity)


def _values(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _values(item, path)
    elif not path:
        if value is not None:
            yield value
    elif value is not None:
        yield from _values(getattr(value, path[0], None), path[1:])


@lru_cache(maxsize=4096)
def reference_paths(model: type[BaseModel]) -> tuple[tuple[tuple[str, ...], str], ...]:
    """(path of fields, entity) of each reference in a model, nested models included."""
    return tuple(_walk(model, (), (model,)))


def _walk(
    model: type[BaseModel], path: tuple[str, ...], above: tuple[type, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    for name, info in model.model_fields.items():
        yield from _parts(annotation_of(info), (*path, name), above)


def _parts(
    annotation: Any, path: tuple[str, ...], above: tuple[type, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        found = [m for m in parts[1:] if isinstance(m, RefTo)]
        if found:
            yield path, found[-1].entity
        else:
            yield from _parts(parts[0], path, above)
    elif origin in (Union, types.UnionType, tuple):
        for part in parts:
            yield from _parts(part, path, above)
    elif (
        isinstance(annotation, type)
        and issubclass(annotation, BaseModel)
        and annotation not in above
    ):
        yield from _walk(annotation, path, (*above, annotation))
