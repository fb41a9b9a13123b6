"""Planted: whether planted rows belong among those that are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from compoworld_core.environment import Environment
from compoworld_core.patch import Operation, Patch
from compoworld_core.references import dangling
from compoworld_core.schema import meaning_of
from compoworld_core.state import State, dump
from compoworld_core.types import Meaning, RefTo
from compoworld_core.world import World

_LOOKED_AT: Final = 80
"""Rows of a table that tell what its rows look like."""


def problems(world: World, initial: Environment, patches: Mapping[str, Patch]) -> Iterator[str]:
    """What gives planted rows away, or is wrong with them, one line each."""
    for service, patch in patches.items():
        touched = {f"{each.table} {_key(each)}" for each in patch.operations}
        for line in dangling(initial.states[service]):
            if line.partition(":")[0] in touched:
                yield f"{service}: {line}"
        for operation in patch.operations:
            yield from _strange(world.states[service], operation, service)


def _key(operation: Operation) -> Any:
    return operation.row.get("id") if operation.id is None else operation.id


def _strange(state: State, operation: Operation, service: str) -> Iterator[str]:
    """Texts that are blank where no other is, and codes that look like no other."""
    entity = state.tables()[operation.table]
    others = [dump(row) or {} for row in islice(state.table(operation.table), _LOOKED_AT)]
    for name, value in operation.row.items():
        held = [row[name] for row in others if isinstance(row.get(name), str)]
        if not isinstance(value, str) or len(held) < len(others) or not held:
            continue
        where = f"{service}: {operation.table} {_key(operation)}, {name}"
        if not value.strip() and all(one.strip() for one in held):
            yield f"{where} is blank, as in no other row"
        annotation = entity.model_fields[name].rebuild_annotation()
        meaning = meaning_of(annotation, Meaning)
        coded = meaning is not None and meaning.kind == "code"
        own_id = name == "id" and meaning_of(annotation, RefTo) is None
        if (coded or own_id) and not _alike(value, held):
            yield f"{where} is {value!r}; others look like {held[0]!r}"


def _alike(value: str, held: list[str]) -> bool:
    """Has a code digits where all have, and about their length?"""
    digits = all(any(c.isdigit() for c in one) for one in held)
    lengths = [len(one) for one in held]
    fits = min(lengths) // 2 <= len(value) <= 2 * max(lengths)
    return fits and (not digits or any(c.isdigit() for c in value))
