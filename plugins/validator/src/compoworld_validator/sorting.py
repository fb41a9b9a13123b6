"""Sorting: a list that is told what to sort by is sorted by that."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from compoworld_core.service import Tool
from compoworld_validator.laws import Fault, Judge, guarded
from compoworld_validator.reading import fields, rows
from compoworld_validator.values import normal, resolved
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import World

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_NAMES = ("sort", "orderby", "sortby", "order", "sortorder", "ordering")
_LEAST = 3
"""Rows, all different in the field, without which an order says little."""


def tried(exam: Examination, tool: Tool, steps: list[Step]) -> None:
    """Judge each choice of a parameter that says what to sort by."""
    *before, (_, given) = steps
    for name, part in tool.input_schema.get("properties", {}).items():
        if normal(name) in _NAMES:
            for choice in resolved(part, tool.input_schema).get("enum", ()):
                call = [*before, (tool.name, {**given, name: choice})]
                if choice is not None and exam.world.tried(call):
                    exam.judged(ordered(name), call)


def ordered(name: str) -> Judge:
    """[list]: the values of the field that is chosen only rise, or only fall.

    Args:
        name: the parameter that takes the name of a field.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        played = world.play(steps)
        found = rows(played.last.data) or []
        chosen = normal(str(steps[-1][1].get(name, "")))
        shown: list[Any] = []
        for row in found:
            kept = played.kept(row)
            known = {**(kept[1] if kept else {}), **fields(row)}
            value = next((known[n] for n in (chosen, f"{chosen}at") if n in known), None)
            if not isinstance(value, str | int | float) or isinstance(value, bool):
                return None
            shown.append(value.casefold() if isinstance(value, str) else value)
        if len({type(value) for value in shown}) > 1 or len(set(shown)) < _LEAST:
            return None
        pairs = list(pairwise(shown))
        if all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs):
            return None
        return Reason.FILTER_WRONG, f"the rows are not in the order of {chosen}"

    return judge
