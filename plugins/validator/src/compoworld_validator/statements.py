"""Statements: a query in SQL that is asked for one row, or two, shows just so many."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from compoworld_core.service import Tool
from compoworld_validator.laws import Fault, Judge, guarded
from compoworld_validator.reading import rows
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import World

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_SELECT = re.compile(r"\s*select\b", re.IGNORECASE)
_BOUND = re.compile(r"\b(limit|fetch|top)\b", re.IGNORECASE)
_TRIED = 3


def tried(exam: Examination, tool: Tool) -> None:
    """Judge heads of tables, and the first few queries that say nothing of how many."""
    judged = 0
    for steps in exam.book.accepted(tool.name):
        exam.judged(headed, steps)
        for name, value in steps[-1][1].items():
            fits = isinstance(value, str) and _SELECT.match(value) and not _BOUND.search(value)
            if fits and judged < _TRIED:
                judged += 1
                exam.judged(bounded(name), steps)


def bounded(name: str) -> Judge:
    """[query]: of n rows, `LIMIT 1` leaves one and `LIMIT 2` two.

    Args:
        name: the parameter that takes the statement.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        tool, given = steps[-1]
        found = world.tried(steps)
        every = None if found is None else _rows(found.last.data)
        if not every or not isinstance(given.get(name), str):
            return None
        for size in range(1, min(len(every), 2) + 1):
            text = f"{given[name].rstrip().rstrip(';')} LIMIT {size}"
            seen = world.tried([*steps[:-1], (tool, {**given, name: text})])
            shown = None if seen is None else _rows(seen.last.data)
            if shown is not None and len(shown) != size:
                return Reason.PAGING_WRONG, f"LIMIT {size} shows {len(shown)} rows"
        return None

    return judge


def _rows(data: Any) -> Sequence[Any] | None:
    """The rows of a result, objects or lists of values."""
    found = rows(data)
    if found is not None or not isinstance(data, dict):
        return found
    lists = [v for v in data.values() if isinstance(v, list)]
    return next((v for v in lists if v and all(isinstance(row, list) for row in v)), None)


@guarded
def headed(world: World, steps: Sequence[Step]) -> Fault | None:
    """A list of names that heads a table names each column that its rows have."""
    data = world.play(steps).last.data
    found = rows(data)
    if not found or not isinstance(data, dict):
        return None
    keys = set(found[0])
    if any(set(row) != keys for row in found):
        return None
    for name, value in data.items():
        texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
        if not value or not texts or not set(value) <= keys:
            continue
        if keys - set(value) or len(value) > len(keys):
            return Reason.RESULT_DIFFERS, f"{name} are not those that the rows have"
    return None
