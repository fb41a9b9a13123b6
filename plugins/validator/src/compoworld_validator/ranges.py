"""Ranges: a bound leaves out only what lies beyond it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from compoworld_core.service import Tool
from compoworld_validator.laws import Fault, Judge, guarded
from compoworld_validator.paging import cursor_of
from compoworld_validator.reading import Row, identity, leaves, rows
from compoworld_validator.values import kind, normal, resolved
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import World

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_LOWER = re.compile(r"(min$|start|from$|since|after$)")
_UPPER = re.compile(r"(max$|end|until|before$)")
_TIME = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d|$)")
_PLACES = (0, 1, 2, 4)


def tried(exam: Examination, tool: Tool, steps: list[Step]) -> None:
    """Judge bounds on times, at the times of rows of the list."""
    *before, (_, given) = steps
    played = exam.world.play(steps)
    listed = rows(played.last.data) or []
    if cursor_of(played.last.data) or len(listed) < 2 or any("id" not in row for row in listed):
        return
    for name, part in tool.input_schema.get("properties", {}).items():
        plain = normal(name)
        one = resolved(part, tool.input_schema)
        if kind(one) != "string" or "enum" in one:
            continue
        lower = bool(_LOWER.search(plain))
        if lower == bool(_UPPER.search(plain)):
            continue
        for place in _PLACES:
            if place < len(listed):
                at = listed[place if lower else -1 - place]
                for time in _times(at)[:2]:
                    call = (tool.name, {**given, name: _moved(time, -2 if lower else 2)})
                    if exam.world.tried([*before, call]):
                        exam.judged(within(name, lower=lower), [*steps, call], least=2)


def _times(row: Row) -> list[str]:
    return [v for v in leaves(row) if isinstance(v, str) and _TIME.match(v)]


def _moved(time: str, days: int) -> str:
    """A time some days later or earlier, in its form."""
    try:
        return str(date.fromisoformat(time[:10]) + timedelta(days=days)) + time[10:]
    except (ValueError, OverflowError):  # no such day: it looked like a time
        return time


def within(name: str, *, lower: bool) -> Judge:
    """[list, bounded list]: no row is lost all of whose times lie within the bound.

    Args:
        name: the parameter.
        lower: whether it is the first time that fits.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        one, two = world.play(steps[:-1]).last, world.play(steps).last
        every, left = rows(one.data), rows(two.data)
        bound: Any = steps[-1][1].get(name)
        if every is None or left is None or not isinstance(bound, str):
            return None
        if cursor_of(one.data) or cursor_of(two.data):
            return None
        first: Any = steps[-2][1].get(name)
        if len(left) >= len(every) or (first and _beyond(first, bound, lower=lower)):
            return None  # the bound was nearer before, or only so many rows are shown
        kept = {identity(row) for row in left}
        for row in every:
            times = _times(row)
            far = [t for t in times if _beyond(t, bound, lower=lower)]
            if identity(row) not in kept and times and len(far) == len(times):
                return Reason.FILTER_WRONG, f"a row well within {name} is lost"
        return None

    return judge


def _beyond(time: str, bound: str, *, lower: bool) -> bool:
    """Whether a time lies on the good side of a bound, by more than a day: zones differ."""
    one, two = time[:10], bound[:10]
    return one > two if lower else one < two
