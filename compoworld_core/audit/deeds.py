"""Wrong deeds: done twice, undone again, done by the wrong tool, or only claimed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from compoworld_core.arguments import draw_arguments
from compoworld_core.audit.effects import (
    Effect,
    changed,
    contents,
    field_of,
    made,
    old_value,
    shuffled,
)
from compoworld_core.audit.kinds import wrong
from compoworld_core.audit.rivals import fields, like
from compoworld_core.audit.toolbox import editors, lookalikes, marks, meaning
from compoworld_core.audit.trial import Trial, call, with_answer
from compoworld_core.audit.writes import Arguments, Unfit, Write
from compoworld_core.environment import Environment
from compoworld_core.holdings import annotation_of
from compoworld_core.service import Tool
from compoworld_core.types import Meaning


@wrong
def duplicate_creation(trial: Trial, rng: Random) -> Environment:
    """Made the same record twice."""
    why = "no record is made"
    for write in shuffled(trial.writes, rng):
        if write.creates():
            end = trial.end()
            try:
                call(end, write.tool, write.arguments)
            except Unfit as error:
                why = str(error)
                continue
            return end
    raise Unfit(why)


def remove(trial: Trial, write: Write, effect: Effect, environment: Environment) -> None:
    """Remove a record with a tool of its service; Unfit where none does."""
    state = environment.states[write.step.service]
    found = sorted(
        editors(trial, write, effect.table, effect.key),
        key=lambda pair: not pair[0].destructive,
    )
    for tool, arguments in found:
        if not tool.destructive:
            break
        observation = environment.call(tool.full_name, arguments)
        state = environment.states[write.step.service]
        if not observation.is_error and effect.key not in state.table(effect.table):
            return
    raise Unfit("no tool removes such a record")


@wrong
def created_then_deleted(trial: Trial, rng: Random) -> Environment:
    """Made the record and removed it again."""
    why = "no record is made"
    for write in shuffled(trial.writes, rng):
        if not write.creates():
            continue
        try:
            effect = made(trial, write)
            end = trial.end()
            remove(trial, write, effect, end)
            return end
        except Unfit as error:
            why = str(error)
    raise Unfit(why)


@wrong
def changed_then_reverted(trial: Trial, rng: Random) -> Environment:
    """Made the change and set it back."""
    why = "no record is changed"
    for write in shuffled(trial.writes, rng):
        if not write.updates():
            continue
        for slot in contents(trial, write):
            try:
                effect = changed(trial, write)
                name = field_of(effect, slot)
                old = old_value(effect, name)
                value = old if slot.is_text else slot.carrying(like(slot.raw, old))
                end = trial.end()
                call(end, write.tool, write.edited(slot.path, value))
                row = end.states[write.step.service].table(effect.table).get(effect.key)
                if getattr(row, name, None) == getattr(effect.before, name):
                    return end
                why = "the tool adds and sets nothing back"
            except Unfit as error:
                why = str(error)
    raise Unfit(why)


def by_other_tool(
    trial: Trial, write: Write, tool: Tool, arguments: Arguments
) -> tuple[Environment, list[Effect]]:
    """The reference with one call made by another tool, and what that call did."""
    if write.step.foreach is not None:
        raise Unfit("the step has several calls")
    replay = trial.snapshot(write.step.id).resume()
    before = replay.environment.states[write.step.service].fork()
    replay.scope.outputs[write.step.id] = call(replay.environment, tool.full_name, arguments)
    after = replay.environment.states[write.step.service]
    found = [Effect(*change) for change in before.changes(after)]
    return trial.go_on(replay, write.position + 1, write.step.service), found


def distinct(mine: Effect, other: Effect) -> bool:
    """Are two new records of another standing: another status, label, flag or recipient?"""
    assert mine.after is not None
    assert other.after is not None
    kinds = type(mine.after).model_fields
    for name, value in fields(mine.after):
        if value == getattr(other.after, name) or name == "id":
            continue
        found = {m.kind for m in marks(annotation_of(kinds[name])) if isinstance(m, Meaning)}
        if isinstance(value, bool | tuple) or found & {"status", "tag", "email"}:
            return True
    return False


@wrong
def sent_instead_of_drafted(trial: Trial, rng: Random) -> Environment:
    """Used the tool next to the right one: sent what was to be a draft, or drafted it."""
    why = "no record is made"
    for write in shuffled(trial.writes, rng):
        if not write.creates():
            continue
        try:
            mine = made(trial, write)
        except Unfit as error:
            why = str(error)
            continue
        for tool, arguments in shuffled(list(lookalikes(trial, write)), rng):
            try:
                outcome, found = by_other_tool(trial, write, tool, arguments)
            except Unfit as error:
                why = str(error)
                continue
            new = [e for e in found if e.before is None and e.table == mine.table]
            if len(new) != 1 or distinct(mine, new[0]):
                return outcome
        why = "no tool next to it does something else"
    raise Unfit(why)


@wrong
def wrong_sink(trial: Trial, rng: Random) -> Environment:
    """Wrote the right text into another sort of record of the same service."""
    why = "no text states a fact"
    for write in shuffled(trial.writes, rng):
        if not write.texts or write.step.foreach is not None:
            continue
        text = write.texts[0].value
        for tool, name in shuffled(list(_text_takers(trial, write)), rng):
            state = trial.snapshot(write.step.id).environment.states[write.step.service]
            drawn = draw_arguments(tool, state, rng, optional=0.0)
            given = {
                k: v for k, v in write.arguments.items() if k in tool.parameters and k in drawn
            }
            try:
                outcome, found = by_other_tool(
                    trial, write, tool, {**drawn, **given, name: text}
                )
            except Unfit as error:
                why = str(error)
                continue
            tables = {goal.table for goal in write.goals}
            if found and all(e.table not in tables or e.before is not None for e in found):
                return outcome
        why = "no other tool takes a text"
    raise Unfit(why)


def _text_takers(trial: Trial, write: Write) -> Iterator[tuple[Tool, str]]:
    """(tool, parameter) of the service's other writing tools that take a free text."""
    for tool in trial.tools_of(write.step.service):
        if tool.read_only or tool.full_name == write.tool:
            continue
        for name in tool.parameters:
            if meaning(tool, name) == "text":
                yield tool, name


@wrong
def idle_claim(trial: Trial, rng: Random) -> Environment:
    """Did nothing and said that all is done."""
    words = rng.choice(("Done.", "All steps are completed.", "I have made all the changes."))
    return with_answer(trial.initial.fork(), words)


@wrong
def empty_text(trial: Trial, rng: Random) -> Environment:
    """Made the record and left its text empty."""
    why = "no text states a fact"
    for write in shuffled(trial.writes, rng):
        for slot in write.texts:
            try:
                return trial.with_write(write, write.edited(slot.path, ""))
            except Unfit as error:
                why = str(error)
    raise Unfit(why)


@wrong
def wrong_title(trial: Trial, rng: Random) -> Environment:
    """Gave the record a title of its own choice instead of the one that was asked for."""
    why = "no record gets a title"
    for write in shuffled(trial.writes, rng):
        for slot in contents(trial, write):
            if slot.kind in ("title", "file_name") and not slot.template:
                words = rng.choice(("Untitled", "New item", "Follow-up"))
                try:
                    return trial.with_write(write, write.edited(slot.path, words))
                except Unfit as error:
                    why = str(error)
    raise Unfit(why)
