"""Naming: arguments mean what they are called, and a record's own values are accepted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from compoworld_core.service import Tool
from compoworld_validator.arguments import required
from compoworld_validator.laws import Fault, Judge, guarded
from compoworld_validator.reading import fields
from compoworld_validator.values import NONSENSE, kind, normal, resolved, singular
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import World, without

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_SAMPLES = 2
_OWN = 3
_MISSED = ("not_found", "permission_denied")


def tried(exam: Examination, tool: Tool) -> None:
    """Judge what each parameter is taken for."""
    parts = tool.input_schema.get("properties", {})
    for steps in exam.book.samples[tool.name][:_SAMPLES]:
        *before, (_, given) = steps
        for name, part in parts.items():
            one = resolved(part, tool.input_schema)
            if kind(one) != "string" or "enum" in one:
                continue
            if name not in required(tool):
                own = _own(exam.world, given, name)
                if own is not None:
                    call = [*before, (tool.name, {**given, name: own})]
                    exam.judged(restated(name), call)
            if not {"pattern", "format", "maxLength"} & set(one):
                for wrong in (NONSENSE, *_of_table(exam.world, name)[:1]):
                    call = [*before, (tool.name, {**given, name: wrong})]
                    exam.judged(spoken(name), call)
    for name in required(tool):
        _crossed(exam, tool, name)


def _own(world: World, given: Any, name: str) -> Any:
    """What a record that the call names says in the field of a parameter's name."""
    rows = world.rows()
    for value in given.values():
        table = world.ids.get(value) if isinstance(value, str | int) else None
        for row in rows.get(table, ()) if table else ():
            own = fields(row).get(normal(name))
            if row["id"] == value and isinstance(own, str) and own and own != value:
                return own
    return None


def restated(name: str) -> Judge:
    """[call]: what a record says already is not refused as missing.

    Args:
        name: the optional parameter that says it.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        given = steps[-1][1]
        if name not in given or given[name] != _own(world, {**given, name: None}, name):
            return None
        seen = world.play(steps).last
        if not seen.is_error or seen.code != "not_found":
            return None
        if world.tried(without(steps, name)) is None:
            return None
        return Reason.REFUSED_PAIR, f"the record's own {name} is refused: {seen.text}"[:300]

    return judge


def spoken(name: str) -> Judge:
    """[call]: a refusal does not call a value by another argument that was not given.

    Args:
        name: the parameter that takes the value.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        tool, given = steps[-1]
        seen, value = world.play(steps).last, given.get(name)
        if not seen.is_error or not isinstance(value, str) or len(value) < 5:
            return None
        said = seen.text.partition(": ")[2]
        for other in world.tools[tool].input_schema.get("properties", {}):
            if other == name or value in str(given.get(other, "")):
                continue
            if normal(other) in normal(name) or normal(name) in normal(other):
                continue
            if re.match(rf"{re.escape(other)} ['\"]?{re.escape(value)}", said):
                return Reason.ARGUMENT_LOST, f"{name} was given and is refused as {other}"
        cursor = rf"(cursor|page.?token) ['\"]?{re.escape(value)}"
        if re.match(cursor, said) and not re.search("cursor|token|after|page", name.lower()):
            return Reason.ARGUMENT_LOST, f"{name} was given and is refused as a cursor"
        return None

    return judge


def _of_table(world: World, name: str) -> list[Any]:
    """Keys of the table that a parameter is called after."""
    plain = normal(name)
    return [key for key, table in world.ids.items() if plain == f"{singular(table)}id"]


def _crossed(exam: Examination, tool: Tool, name: str) -> None:
    """A parameter called after one table takes only keys of another, and none of its own."""
    world = exam.world
    own = [key for key in _of_table(world, name) if world.shared.get(key) == 1]
    samples = exam.book.samples[tool.name]
    values = [steps[-1][1].get(name) for steps in samples]
    if len(own) < _OWN or not values:
        return
    table = world.ids[own[0]]
    for value in values:
        if not isinstance(value, str) or world.ids.get(value, table) == table:
            return
    tried = 0
    for steps in samples[:_SAMPLES]:
        for key in own[:_OWN]:
            call = [*steps[:-1], (tool.name, {**steps[-1][1], name: key})]
            seen = world.play(call).last
            if not seen.is_error or seen.code not in _MISSED:
                return
            tried += 1
    if tried >= _OWN:
        why = f"{name} takes keys of {world.ids[values[0]]}, and of {table} none"
        exam.found(tool.name, Reason.REFUSED_PAIR, why, samples[0])
