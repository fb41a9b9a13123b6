"""Positions: each item of a list that is given counts, wherever in the list it stands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from compoworld_core.service import Tool
from compoworld_validator.laws import Fault, Judge, guarded
from compoworld_validator.paging import cursor_of
from compoworld_validator.reading import identity, leaves, rows
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import Played, World

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_ORDERED = re.compile(
    r"sort|order|bind|param|path|arg|column|range|field|propert", re.IGNORECASE
)
"""In the names of lists whose order may rightly matter."""
_AMOUNT = re.compile(r"-?\d{1,9}\.\d\d$")
_TRIED = 3


def tried(exam: Examination, tool: Tool) -> None:
    """Judge calls that give a list of two or more different items, some for each parameter."""
    judged: Counter[str] = Counter()
    for steps in exam.book.accepted(tool.name):
        for name, value in steps[-1][1].items():
            if _several(value) and judged[name] < _TRIED:
                judged[name] += exam.world.tried(_reversed(steps, name)) is not None
                judge = unordered(name) if tool.read_only else whole(name)
                exam.judged(judge, steps)
                if not tool.read_only:
                    exam.judged(summed(name), steps)


def _several(value: Any) -> bool:
    return isinstance(value, list) and len({repr(item) for item in value}) > 1


def _reversed(steps: Sequence[Step], name: str) -> list[Step]:
    tool, given = steps[-1]
    return [*steps[:-1], (tool, {**given, name: given[name][::-1]})]


def _both(world: World, steps: Sequence[Step], name: str) -> tuple[Played, Played] | None:
    """The call and the same with a list in reverse, where its order should not matter."""
    if _ORDERED.search(name) or not _several(steps[-1][1].get(name)):
        return None
    one, two = world.tried(steps), world.tried(_reversed(steps, name))
    return None if one is None or two is None else (one, two)


def unordered(name: str) -> Judge:
    """[read]: the same items in reverse find the same.

    Args:
        name: the parameter that takes a list.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        both = _both(world, steps, name)
        if both is None or cursor_of(both[0].last.data):
            return None
        if _found(both[0]) != _found(both[1]):
            return Reason.ARGUMENT_LOST, f"{name} in reverse finds something else"
        return None

    return judge


def _found(played: Played) -> list[str]:
    """What a read shows, without its order."""
    listed = rows(played.last.data)
    if listed is not None:
        return sorted({identity(row) for row in listed})
    return sorted(str(leaf) for leaf in leaves(played.last.data))


def whole(name: str) -> Judge:
    """[write]: it is not so that, in either order, the first item tells and the last does not.

    Args:
        name: the parameter that takes a list.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        if not _several(steps[-1][1].get(name)):
            return None
        for call in (steps, _reversed(steps, name)):
            played = world.tried(call)
            if played is None:
                return None
            items = call[-1][1][name]
            first, last = ([*leaves(items[place])] for place in (0, -1))
            own = [v for v in last if v not in first]
            others = [v for v in first if v not in last]
            moved = _moved(played)
            if not own or not others:
                return None
            if not any(v in moved for v in others) or any(v in moved for v in own):
                return None
        return Reason.ARGUMENT_LOST, f"the last of {name} is left out, whichever it is"

    return judge


def summed(name: str) -> Judge:
    """[write]: items in reverse bring in the same amounts: a total counts each of them.

    Args:
        name: the parameter that takes a list.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        both = _both(world, steps, name)
        if both is None or not all(each.changes() for each in both):
            return None
        known = {float(v) for v in leaves(steps[-1][1]) if isinstance(v, int | float)}
        one, two = map(_amounts, both)
        odd = {*(one - two), *(two - one)} - known
        if odd:
            return Reason.ARGUMENT_LOST, f"{name} in reverse comes to another amount"
        return None

    return judge


def _amounts(played: Played) -> Counter[float]:
    """The sums of money and the counts that a call brings in; keys are none."""
    found: Counter[float] = Counter()
    for change in played.changes():
        for name, value in (change.after or {}).items():
            if value != (change.before or {}).get(name):
                found.update(
                    float(v)
                    for v in leaves(value)
                    if isinstance(v, int | float) or (isinstance(v, str) and _AMOUNT.match(v))
                )
    return found


def _moved(played: Played) -> set[Any]:
    """The values that a call brings in or takes away, and the keys of what it changes."""
    found: set[Any] = set()
    for change in played.changes():
        before, after = (Counter(leaves(each or {})) for each in (change.before, change.after))
        found |= {change.id, *(before - after), *(after - before)}
    return found
