"""Arrivals: what a list that shows everything shows after something new was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compoworld_validator.laws import Fault, guarded
from compoworld_validator.paging import cursor_of
from compoworld_validator.reading import empty, identity, rows
from compoworld_validator.values import QUERIES, normal
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import World

_ALL = 3
"""Records that a list shows all of."""


@guarded
def entered(world: World, steps: Sequence[Step]) -> Fault | None:
    """[create, list]: a list that shows every record of a table shows a new one as well."""
    wrote, read = world.play(steps[:-1]), world.play(steps)
    first = world.play([*steps[:-2], steps[-1]])
    shown, every = rows(read.last.data), rows(first.last.data)
    if shown is None or not every or wrote.last.is_error:
        return None
    if any(normal(name) in QUERIES for name in steps[-1][1]):
        return None
    if cursor_of(read.last.data) or cursor_of(first.last.data):
        return None
    ids = {identity(row) for row in every}
    for change in wrote.changes():
        known = world.rows()[change.table]
        keys = {str(row["id"]) for row in known}
        if change.before is not None or len(keys) < _ALL or keys != ids:
            continue
        if _unlike(change.after or {}, known):
            continue
        if str(change.id) not in [identity(row) for row in shown]:
            return Reason.NOT_LISTED, "the list shows all records but the new one"
    return None


def _unlike(new: Mapping[str, Any], known: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a record differs from all others in a kind, a flag, or in what it lacks."""
    for name, value in new.items():
        values = [row.get(name) for row in known]
        few = len({str(each) for each in values}) <= max(4, len(known) // 3)
        if few and value not in values:
            return True
        if empty(value) not in [empty(each) for each in values]:
            return True
    return False
