"""Choices: a flag is about what it is called after, and an option that is given counts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from compoworld_core.service import Tool
from compoworld_validator.arguments import required
from compoworld_validator.laws import Fault, Judge, guarded
from compoworld_validator.paging import cursor_of
from compoworld_validator.reading import derived, leaves, rows
from compoworld_validator.values import NONSENSE, kind, normal, resolved, singular
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import Played, World, without

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_MORE = re.compile(r"^(include|with|add)")
_LESS = re.compile(r"^(exclude|without|omit|skip)")
_MODES = ("action", "operation", "mode", "command")
_STEM = 4
_CALLS = 3
_LEAST = 2


def tried(exam: Examination, tool: Tool) -> None:
    """Judge each flag of a write."""
    parts = tool.input_schema.get("properties", {})
    flags = [n for n, p in parts.items() if kind(resolved(p, tool.input_schema)) == "boolean"]
    for name in flags:
        for steps in exam.book.samples[tool.name][:_CALLS]:
            if _MORE.match(normal(name)) or _LESS.match(normal(name)):
                exam.judged(included(name), steps)
            for table in exam.world.rows():
                if len(singular(table)) >= _STEM and singular(table) in normal(name):
                    others = [each for each in flags if each != name]
                    exam.judged(about(name, table, others), steps)

    for name, part in parts.items():
        free = name not in required(tool) and not _chosen(tool, name)
        if free and kind(resolved(part, tool.input_schema)) == "object":
            _objects(exam, tool, name)


def _chosen(tool: Tool, name: str) -> bool:
    """Whether a parameter goes with one choice of another: `focusTimeProperties`."""
    for part in tool.input_schema.get("properties", {}).values():
        for choice in resolved(part, tool.input_schema).get("enum", ()):
            if (
                isinstance(choice, str)
                and len(choice) >= _STEM
                and normal(choice) in normal(name)
            ):
                return True
    return False


def _objects(exam: Examination, tool: Tool, name: str) -> None:
    """Judge an object that says something new, where it is given in several calls."""
    calls = []
    for at, steps in exam.book.variants[tool.name]:
        value = steps[-1][1].get(name)
        texts = [v for v in leaves(value) if isinstance(v, str) and len(v) >= _STEM]
        new = any(text.casefold() not in exam.world.text() for text in texts)
        if at == name and new and exam.world.tried(steps) is not None:
            calls.append(steps)
    if len(calls) >= _LEAST and all(inert(name)(exam.world, steps) for steps in calls):
        exam.judged(inert(name), calls[0])


def inert(name: str) -> Judge:
    """[write]: what an object says is kept or shown.

    Args:
        name: the optional parameter that takes the object.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        one, two = world.tried(steps), world.tried(without(steps, name))
        if name not in steps[-1][1] or one is None or two is None or not one.changes():
            return None
        if one.same_as(two):
            return Reason.ARGUMENT_LOST, f"{name} is as if it were not given"
        return None

    return judge


def _both(world: World, steps: Sequence[Step], name: str) -> tuple[Played, Played] | None:
    """The call with the flag and with its opposite, where both are accepted."""
    tool, given = steps[-1]
    found = [
        world.tried([*steps[:-1], (tool, {**given, name: flag})]) for flag in (True, False)
    ]
    return None if found[0] is None or found[1] is None else (found[0], found[1])


def included(name: str) -> Judge:
    """[write]: a flag that includes something makes what is written no shorter.

    Args:
        name: the flag.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        both = _both(world, steps, name)
        if both is None:
            return None
        yes, no = (sum(len(str(leaf)) for leaf in _told(each)) for each in both)
        if (no > yes) if _MORE.match(normal(name)) else (yes > no):
            return Reason.ARGUMENT_LOST, f"{name} does the opposite of what it says"
        return None

    return judge


def _told(played: Played) -> list[Any]:
    """What the call brings in."""
    found: list[Any] = []
    for change in played.changes():
        before = change.before or {}
        for name, value in (change.after or {}).items():
            if value != before.get(name) and not derived(normal(name)):
                found += leaves(value)
    return found


def about(name: str, table: str, others: Sequence[str]) -> Judge:
    """[write]: a flag called after a table brings in records there, and no other does.

    Args:
        name: the flag.
        table: the table.
        others: the other flags of the tool.
    """

    def new(played: Played) -> int:
        return sum(c.table == table and c.before is None for c in played.changes())

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        both = _both(world, steps, name)
        if both is None:
            return None
        if new(both[1]) > new(both[0]):
            return Reason.ARGUMENT_LOST, f"{name} does the opposite of what it says"
        if new(both[1]) != new(both[0]):
            return None
        for other in others:
            pair = _both(world, steps, other)
            if pair is not None and new(pair[0]) > new(pair[1]):
                return Reason.ARGUMENT_LOST, f"{other} does what {name} says"
        return None

    return judge


# -- options ---------------------------------------------------------------------------------

_FORM = re.compile(
    r"account|timezone|locale|lang|format|field|expand|select|view|page|cursor|token|sort|order"
    r"|user|trace|version|reason|comment|message|note|idempoten|since|until|before|after",
)
"""In the names of texts that may rightly tell nothing here."""


def counts(exam: Examination, tool: Tool) -> None:
    """Judge each optional text that names something, in the sample calls."""
    parts = tool.input_schema.get("properties", {})
    if any(normal(name) in _MODES for name in parts):
        return  # what is read depends on the mode
    for name, part in parts.items():
        one = resolved(part, tool.input_schema)
        free = kind(one) == "string" and not {"enum", "pattern", "format"} & set(one)
        if not free or name in required(tool) or _FORM.search(normal(name)):
            continue
        tables = {singular(each) for each in exam.world.rows()}
        if not _names(normal(name), tables):
            continue
        calls = [s for s in exam.book.samples[tool.name][:_CALLS] if name not in s[-1][1]]
        for steps in calls[:1]:
            call = [*steps[:-1], (tool.name, {**steps[-1][1], name: NONSENSE})]
            exam.judged(weighed(name), call)


def _names(plain: str, tables: set[str]) -> bool:
    stem = plain.removesuffix("s").removesuffix("id")
    return plain.endswith("id") or any(len(t) > 2 and t == stem for t in tables)


def weighed(name: str) -> Judge:
    """[call]: a text that names nothing that is there is not accepted as if it were not given.

    Args:
        name: the optional parameter.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        value = steps[-1][1].get(name)
        if not isinstance(value, str):
            return None
        one, two = world.tried(steps), world.tried(without(steps, name))
        if one is None or two is None or not _tells(two):
            return None
        if one.same_as(two):
            return Reason.ARGUMENT_LOST, f"{name} {value!r} is as if it were not given"
        return None

    return judge


def _tells(played: Played) -> bool:
    """Whether a call wrote, or showed rows."""
    if played.changes():
        return True
    found = rows(played.last.data)
    return (bool(found) and not cursor_of(played.last.data)) or (
        isinstance(played.last.data, Mapping) and found is None
    )
