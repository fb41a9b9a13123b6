"""Traces: judges of what becomes of a text, a number, an item that a write is given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from compoworld_core.service import Tool
from compoworld_validator.laws import Fault, Judge, guarded
from compoworld_validator.reading import fields, leaves, named
from compoworld_validator.values import normal
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import Played, World

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_SHORT, _LONG = 4, 80
_NUMBERS = 3
"""Different numbers, all of which must be missed by the same amount."""
_OFF = (1, -1)
_MODES = ("action", "operation", "mode", "command")
_TAKES = re.compile(r"^(remove|detach|unassign|delete|unset|untag|unlabel)(d|s)?[-_A-Z ]")


def tried(exam: Examination, tool: Tool) -> None:
    """Judge each accepted call, and the numbers of all of them together."""
    numbers: dict[str, list[list[Step]]] = {}
    for steps in exam.book.accepted(tool.name):
        exam.judged(unspoilt, steps)
        exam.judged(taken, steps)
        exam.judged(deleted, steps)
        for name, value in steps[-1][1].items():
            if isinstance(value, int) and not isinstance(value, bool):
                numbers.setdefault(name, []).append(steps)
    for name, calls in numbers.items():
        for steps in calls[:1]:
            exam.judged(exact(name, calls), steps)


@guarded
def unspoilt(world: World, steps: Sequence[Step]) -> Fault | None:
    """No text that was given is kept without its last letter, or without its capitals."""
    played = world.play(steps)
    if played.last.is_error:
        return None
    texts = [v for v in leaves(steps[-1][1]) if isinstance(v, str) and _SHORT < len(v) < _LONG]
    if not texts:
        return None
    new = list(_written(played))
    whole = "\n".join(text for _, _, text in new)
    for value in texts:
        if value in whole or value in world.ids:
            continue
        for table, name, text in new:
            if text == value[:-1] and value[-1].isalnum() and text not in texts:
                return Reason.ARGUMENT_LOST, f"{value!r} was given and {text!r} is kept"
            folded = value != value.lower() and text == value.lower()
            if folded and world.keeps_case(table, name) and text not in texts:
                return Reason.ARGUMENT_LOST, f"{value!r} was given and {text!r} is kept"
    return None


def _written(played: Played) -> Iterator[tuple[str, str, str]]:
    """(table, field, text) of each text that the call brings in."""
    for change in played.changes():
        before = change.before or {}
        for name, value in (change.after or {}).items():
            if value == before.get(name):
                continue
            old = set(map(str, leaves(before.get(name))))
            for text in leaves(value):
                if isinstance(text, str) and text not in old:
                    yield change.table, normal(name), text


def exact(name: str, calls: Sequence[Sequence[Step]]) -> Judge:
    """[write]: a number counts as it is given: it is not so that the next one always does.

    Args:
        name: the parameter that takes the number.
        calls: accepted calls that give it.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        if name not in steps[-1][1]:
            return None
        for off in _OFF:
            missed: set[int] = set()
            for call in calls:
                played, value = world.tried(call), call[-1][1][name]
                if played is None or abs(value) < _NUMBERS:
                    continue
                told = _numbers(played)
                if not told:
                    continue
                others = {v for v in leaves({**call[-1][1], name: None}) if type(v) is int}
                if value in told or value + off not in told or value + off in others:
                    missed = set()
                    break
                missed.add(value)
            if len(missed) >= _NUMBERS:
                return Reason.ARGUMENT_LOST, f"{name} always counts {abs(off)} too much or less"
        return None

    return judge


def _numbers(played: Played) -> set[float]:
    """The numbers that a call brings in, and by how much it changes others."""
    found: set[float] = set()
    for change in played.changes():
        for name, value in (change.after or {}).items():
            old = (change.before or {}).get(name)
            if value == old:
                continue
            found |= set(_parts(value)) - set(_parts(old))
            if _is_number(value) and _is_number(old):
                found |= {value - old, old - value}
    return found


def _parts(value: Any) -> Iterator[float]:
    for leaf in leaves(value):
        if _is_number(leaf):
            yield leaf


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@guarded
def taken(world: World, steps: Sequence[Step]) -> Fault | None:
    """What is said to be taken off a record's list is not in it afterwards."""
    played = world.play(steps)
    if played.last.is_error:
        return None
    tool, given = steps[-1]
    for name, value in given.items():
        items = value if isinstance(value, list) else [value]
        items = [item for item in items if isinstance(item, str)]
        about = name if _TAKES.match(name) else ""
        about = about or (tool.split("-", 1)[-1] if _TAKES.match(tool) else "")
        if not about or not items:
            continue
        for row, before in _records(world, played, given):
            for field, held in row.items():
                if not isinstance(held, list) or len(field) < 3 or field not in normal(name):
                    continue
                old = before.get(field)
                there = [i for i in items if isinstance(old, list) and i in old and i in held]
                added = {v for n, v in named(given) if n != normal(name) for v in leaves(v)}
                there = [item for item in there if item not in added]
                if there:
                    return Reason.ARGUMENT_LOST, f"{there[0]!r} of {name} is still in {field}"
    return None


@guarded
def deleted(world: World, steps: Sequence[Step]) -> Fault | None:
    """A call whose mode is to delete or to remove does not leave all as it was."""
    played = world.play(steps)
    given = steps[-1][1]
    modes = [v for n, v in given.items() if normal(n) in _MODES]
    if played.last.is_error or not {"delete", "remove"} & set(map(str, modes)):
        return None
    if any(isinstance(value, bool) for value in given.values()):
        return None  # it may have asked for a preview
    old = played.before.states[played.service]
    keys = [v for n, v in given.items() if normal(n) not in _MODES and isinstance(v, str | int)]
    for table in type(old).tables():
        for key in keys:
            there = old.table(table).get(key) is not None
            if there and not played.changes() and not played.settings():
                return Reason.NO_EFFECT, f"{key} is still as it was"
    return None


def _records(
    world: World, played: Played, given: Mapping[str, Any]
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """(after, before) of the records whose keys are among the arguments."""
    now = played.environment.states[played.service]
    old = played.before.states[played.service]
    for value in given.values():
        table = world.ids.get(value) if isinstance(value, str | int) else None
        if table is None:
            continue
        one, two = now.table(table).get(value), old.table(table).get(value)
        if one is not None and two is not None:
            yield fields(one.model_dump(mode="json")), fields(two.model_dump(mode="json"))
