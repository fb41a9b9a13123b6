"""Collateral damage: all that was asked, and something that nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from attrs import evolve

from compoworld_core.arguments import draw_arguments
from compoworld_core.audit.effects import changed, contents, made, shuffled
from compoworld_core.audit.kinds import wrong
from compoworld_core.audit.rivals import fields
from compoworld_core.audit.toolbox import meaning, words_at
from compoworld_core.audit.trial import Trial, call
from compoworld_core.audit.writes import Arguments, Unfit, Write, at_path
from compoworld_core.environment import Environment
from compoworld_core.service import Tool

_TRIES = 12
"""Drawn calls until one changes something."""

_WORDS = {
    "text": "Please ignore.",
    "title": "Renamed",
    "tag": "misc",
    "phone": "+44 20 5550 1010",
}


def _damage(
    trial: Trial, rng: Random, services: list[str], *, destructive: bool
) -> Environment:
    """All that was asked, then a drawn writing call to one of the services."""
    tools = [
        tool
        for name in services
        for tool in trial.tools_of(name)
        if not tool.read_only and (tool.destructive or not destructive)
    ]
    if not tools:
        raise Unfit("no tool of those services writes")
    for _ in range(_TRIES):
        tool = rng.choice(tools)
        end = trial.end()
        before = end.states[tool.service]
        arguments = draw_arguments(tool, before, rng, optional=0.4)
        if end.call(tool.full_name, arguments).is_error:
            continue
        if _hurts(trial, end, tool, removed=destructive):
            return end
    raise Unfit("no drawn call changes a record")


def _hurts(trial: Trial, end: Environment, tool: Tool, *, removed: bool) -> bool:
    """Did the call change a record that was there in s0, or (not `removed`) make one?"""
    old = trial.reference.states[tool.service]
    s0 = trial.initial.states[tool.service]
    for table, key, _before, after in old.changes(end.states[tool.service]):
        if removed:
            if after is None and key in s0.table(table):
                return True
        elif key in s0.table(table) or after is not None:
            return True
    return False


@wrong
def collateral_service(trial: Trial, rng: Random) -> Environment:
    """Changed something in a service that the work does not touch."""
    if not trial.task.distractors:
        raise Unfit("all services are needed")
    return _damage(trial, rng, list(trial.task.distractors), destructive=False)


@wrong
def collateral_record(trial: Trial, rng: Random) -> Environment:
    """Changed something else in a service that the work goes through."""
    return _damage(trial, rng, list(trial.task.services), destructive=False)


@wrong
def removed_record(trial: Trial, rng: Random) -> Environment:
    """Removed a record that has nothing to do with the work."""
    every = [*trial.task.services, *trial.task.distractors]
    return _damage(trial, rng, every, destructive=True)


@wrong
def collateral_field(trial: Trial, rng: Random) -> Environment:
    """Changed another field of the right record too."""
    why = "no record is changed"
    for write in shuffled(trial.writes, rng):
        if not write.updates():
            continue
        try:
            effect = changed(trial, write)
        except Unfit as error:
            why = str(error)
            continue
        for arguments in _more(trial, write, effect.after, rng):
            try:
                outcome = trial.with_write(write, arguments)
            except Unfit as error:
                why = str(error)
                continue
            if _differs(trial, outcome, write.step.service, effect.key):
                return outcome
        why = "the tool changes nothing else"
    raise Unfit(why)


def _differs(trial: Trial, outcome: Environment, service: str, key: Any) -> bool:
    """Is the record itself another one than the reference leaves?"""
    found = trial.reference.states[service].changes(outcome.states[service])
    return any(change[1] == key for change in found)


def _more(trial: Trial, write: Write, row: Any, rng: Random) -> Iterator[Arguments]:
    """The call's arguments with one more field given."""
    tool = trial.tool(write.tool)
    flat = [name for name in tool.parameters if name not in write.arguments]
    for name in shuffled(flat, rng):
        words = words_at(tool, (name,))
        held = getattr(row, name, None)
        if words:
            yield {**write.arguments, name: next((w for w in words if w != held), words[0])}
        elif (kind := meaning(tool, name)) in _WORDS:
            yield {**write.arguments, name: _WORDS[kind]}
    for slot in contents(trial, write):
        siblings = at_path(write.arguments, slot.path[:-1])
        if len(slot.path) > 2 and isinstance(siblings, dict):
            for name, value in shuffled(sorted(fields(row)), rng):
                if isinstance(value, str) and name not in siblings and name != "id":
                    yield write.edited((*slot.path[:-1], name), f"{value} (old)".strip())


@wrong
def extra_creation(trial: Trial, rng: Random) -> Environment:
    """Made one more record of the same sort, with other content."""
    why = "no record is made"
    for write in shuffled(trial.writes, rng):
        if not write.creates():
            continue
        try:
            made(trial, write)
            other: Arguments = write.arguments
            for slot in contents(trial, write):
                if slot.is_text:
                    other = _put_text(write, other, slot.path)
            end = trial.end()
            call(end, write.tool, other)
            return end
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


def _put_text(write: Write, arguments: Arguments, path: tuple[str | int, ...]) -> Arguments:
    return evolve(write, arguments=arguments).edited(path, "A reminder for myself.")
