"""Equivalent detours: edited after creating, corrected on the way, done in one call or many."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from random import Random
from typing import Any

from compoworld_core.audit.deeds import by_other_tool, remove
from compoworld_core.audit.effects import (
    Effect,
    changed,
    contents,
    field_of,
    made,
    same_but_for_stamps,
    shuffled,
)
from compoworld_core.audit.kinds import equivalent
from compoworld_core.audit.rivals import fields, rival_of
from compoworld_core.audit.toolbox import (
    editors,
    lookalikes,
    nested_editors,
    schema_at,
    words_at,
)
from compoworld_core.audit.trial import Trial, call
from compoworld_core.audit.writes import Arguments, Slot, Unfit, Write, one_call
from compoworld_core.environment import Environment
from compoworld_core.service import Tool


def _as_good(trial: Trial, outcome: Environment) -> Environment:
    """The outcome, if it holds the records of the reference; Unfit where a trace is left."""
    if not same_but_for_stamps(trial.reference, outcome):
        raise Unfit("the detour leaves a trace")
    return outcome


@equivalent
def create_then_edit(trial: Trial, rng: Random) -> Environment:
    """Made the record with other words in its text and then put in the right ones."""
    why = "no record with a text is made"
    for write in shuffled(trial.writes, rng):
        if not write.creates() or not write.texts or write.step.foreach is not None:
            continue
        slot = write.texts[0]
        try:
            effect = made(trial, write)
            name = field_of(effect, slot)
            return _as_good(trial, _filled_in(trial, write, slot, effect, name))
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


def _filled_in(
    trial: Trial, write: Write, slot: Slot, effect: Effect, name: str
) -> Environment:
    replay = trial.snapshot(write.step.id).resume()
    data = call(replay.environment, write.tool, write.edited(slot.path, "To be completed"))
    replay.scope.outputs[write.step.id] = data
    table = replay.environment.states[write.step.service].table(effect.table)
    if effect.key not in table:
        raise Unfit("the record gets another key")
    for tool, arguments in _writers(trial, write, slot, effect):
        if replay.environment.call(tool.full_name, arguments).is_error:
            continue
        row = replay.environment.states[write.step.service].table(effect.table)[effect.key]
        if getattr(row, name) == getattr(effect.after, name):
            return trial.go_on(replay, write.position + 1, write.step.service)
        raise Unfit("the editing tool does something else")
    raise Unfit("no tool edits such a record")


def _writers(
    trial: Trial, write: Write, slot: Slot, effect: Effect
) -> Iterator[tuple[Tool, Arguments]]:
    """Calls that set the slot's value in a record that is there already."""
    last = next(str(s) for s in reversed(slot.path) if isinstance(s, str))
    if len(slot.path) == 1:
        for tool, arguments in editors(trial, write, effect.table, effect.key):
            if last in tool.parameters and last not in arguments and not tool.destructive:
                yield tool, {**arguments, last: slot.value}
    else:
        head, *rest = slot.path
        for tool, arguments in nested_editors(trial, write, effect.key):
            value = arguments.get(str(head))
            if isinstance(value, list) and rest and rest[0] == 0:
                node: Any = slot.value
                for step in reversed(rest[1:]):
                    node = {step: node}
                yield tool, {**arguments, str(head): [{**value[0], **node}]}


@equivalent
def set_and_back(trial: Trial, rng: Random) -> Environment:
    """Set the wrong value at first, noticed it, and set the right one."""
    why = "no record is changed"
    for write in shuffled(trial.writes, rng):
        if not write.updates() or write.step.foreach is not None:
            continue
        for slot in contents(trial, write):
            try:
                changed(trial, write)
                replay = trial.snapshot(write.step.id).resume()
                wrong = write.edited(slot.path, _other(trial, write, slot, rng))
                call(replay.environment, write.tool, wrong)
                return _as_good(trial, trial.go_on(replay, write.position, write.step.service))
            except Unfit as error:
                why = str(error)
    raise Unfit(why)


def _other(trial: Trial, write: Write, slot: Slot, rng: Random) -> Any:
    if slot.is_text:
        return "Wrong text"
    words = [w for w in words_at(trial.tool(write.tool), slot.path) if w != slot.value]
    if words:
        return rng.choice(words)
    return slot.carrying(rival_of(trial, slot, rng, service=write.step.service))


@equivalent
def written_twice(trial: Trial, rng: Random) -> Environment:
    """Set the right value a second time, to be sure."""
    why = "no record is changed"
    for write in shuffled(trial.writes, rng):
        if not write.updates():
            continue
        end = trial.end()
        end.call(write.tool, write.arguments)  # a refusal changes nothing either
        try:
            return _as_good(trial, end)
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


@equivalent
def started_over(trial: Trial, rng: Random) -> Environment:
    """Made a wrong record, removed it, and made the right one."""
    why = "no record with a text is made"
    for write in shuffled(trial.writes, rng):
        if not write.creates() or not write.texts or write.step.foreach is not None:
            continue
        slot = write.texts[0]
        try:
            effect = made(trial, write)
            replay = trial.snapshot(write.step.id).resume()
            call(replay.environment, write.tool, write.edited(slot.path, "Wrong text"))
            remove(trial, write, effect, replay.environment)
            outcome = trial.go_on(replay, write.position, write.step.service)
        except Unfit as error:
            why = str(error)
            continue
        before = {row[:3] for row in trial.initial.changes(trial.reference)}
        after = {row[:3] for row in trial.initial.changes(outcome)}
        if len(before) == len(after):
            return outcome
        why = "the detour leaves a trace"
    raise Unfit(why)


# -- one call or many ----------------------------------------------------------------------


@equivalent
def batch_for_single(trial: Trial, rng: Random) -> Environment:
    """Did in one call what the reference does in several, or by the tool for many."""
    why = "no tool does several at once"
    ways = [_joined_items, _joined_statement, _joined_steps, _by_the_tool_for_many]
    for way in shuffled(ways, rng):
        try:
            return way(trial, rng)
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


def _several(trial: Trial) -> dict[str, list[Write]]:
    found: dict[str, list[Write]] = {}
    for write in trial.writes:
        if write.step.foreach is not None:
            found.setdefault(write.step.id, []).append(write)
    return {step: writes for step, writes in found.items() if len(writes) > 1}


def _joined_items(trial: Trial, rng: Random) -> Environment:
    for step, writes in shuffled(sorted(_several(trial).items()), rng):
        joined = _joined([write.arguments for write in writes])
        if joined is not None:
            return _as_good(trial, trial.edited({step: one_call(joined)}))
    raise Unfit("no for-each goes by a list")


def _joined(calls: list[Arguments]) -> Arguments | None:
    """One call with the list of all records; None where the calls differ in more than that."""
    names = [n for n, v in calls[0].items() if isinstance(v, list) and len(v) == 1]
    for name in names:
        rest = [{k: v for k, v in call.items() if k != name} for call in calls]
        if all(other == rest[0] for other in rest):
            return {**calls[0], name: [item for call in calls for item in call[name]]}
    return None


_EQUALS = re.compile(r"= ('[^']*'|\d+)$")


def _joined_statement(trial: Trial, rng: Random) -> Environment:
    """A statement with IN (...) instead of one statement each."""
    for step, writes in shuffled(sorted(_several(trial).items()), rng):
        (slot, *others) = writes[0].slots
        found = [_EQUALS.search(str(write.slots[0].value)) for write in writes]
        if others or not all(found) or len({f.start() for f in found if f}) != 1:
            continue
        values = ", ".join(f.group(1) for f in found if f)
        start = str(slot.value)[: found[0].start()] if found[0] else ""
        joined = writes[0].edited(slot.path, f"{start}IN ({values})")
        return _as_good(trial, trial.edited({step: one_call(joined)}))
    raise Unfit("no for-each goes by a statement")


def _joined_steps(trial: Trial, rng: Random) -> Environment:
    """Two calls of a tool for many, in one."""
    singles = [w for w in trial.writes if w.step.foreach is None]
    pairs = [(a, b) for a, b in pairwise(singles) if a.tool == b.tool]
    for first, second in shuffled(pairs, rng):
        between = trial.plan.steps[first.position + 1 : second.position + 1]
        if any(first.step.id in s.needs() for s in trial.plan.steps):
            continue
        if any(s.service == first.step.service and s.write for s in between[:-1]):
            continue
        joined = _joined([first.arguments, second.arguments])
        if joined is None:
            continue
        replay = trial.resume(first.position)
        for position in range(first.position + 1, second.position):
            trial.play_one(replay, position)
        data = call(replay.environment, second.tool, joined)
        replay.scope.outputs[second.step.id] = data
        if any(second.step.id in s.needs() for s in trial.plan.steps):
            continue
        return _as_good(trial, trial.go_on(replay, second.position + 1, second.step.service))
    raise Unfit("no two calls can be joined")


def _by_the_tool_for_many(trial: Trial, rng: Random) -> Environment:
    """The tool that takes a list of such records, with a list of one."""
    for write in shuffled(trial.writes, rng):
        if not write.creates() or write.step.foreach is not None:
            continue
        effect = made(trial, write)
        for tool, arguments in _for_many(trial, write):
            try:
                outcome, found = by_other_tool(trial, write, tool, arguments)
            except Unfit:
                continue
            new = [e for e in found if e.before is None and e.table == effect.table]
            if len(new) == 1 and _twins(effect, new[0]):
                return _as_good(trial, outcome)
    raise Unfit("no tool takes many")


def _twins(mine: Effect, other: Effect) -> bool:
    """Do two new records differ in their keys and times at most?"""
    assert mine.after is not None
    assert other.after is not None
    for name, value in fields(mine.after):
        held = getattr(other.after, name)
        if value != held and not isinstance(value, datetime) and value != mine.key:
            return False
    return True


def _for_many(trial: Trial, write: Write) -> Iterator[tuple[Tool, Arguments]]:
    yield from lookalikes(trial, write)
    for tool in trial.tools_of(write.step.service):
        for name in tool.parameters:
            inner = schema_at(tool, (name, 0)).get("properties", {})
            outer = tool.input_schema.get("properties", {})
            if tool.read_only or not inner or tool.full_name == write.tool:
                continue
            shared = {k: v for k, v in write.arguments.items() if k in outer}
            item = {k: v for k, v in write.arguments.items() if k in inner and k not in shared}
            if item and len(item) + len(shared) == len(write.arguments):
                yield tool, {**shared, name: [item]}
    for name, value in write.arguments.items():  # or the tool for one, with what a list holds
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            rest = {k: v for k, v in write.arguments.items() if k != name}
            for tool in trial.tools_of(write.step.service):
                known = tool.input_schema.get("properties", {})
                if not tool.read_only and all(k in known for k in {**rest, **value[0]}):
                    yield tool, {**rest, **value[0]}
