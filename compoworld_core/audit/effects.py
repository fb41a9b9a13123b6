"""Effects: which records a writing call of the reference made or changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Any, TypeVar

from attrs import frozen

from compoworld_core.audit.rivals import as_json, fields, typed
from compoworld_core.audit.toolbox import entities, meaning
from compoworld_core.audit.trial import Trial
from compoworld_core.audit.writes import Slot, Unfit, Write
from compoworld_core.environment import Environment
from compoworld_core.state import Entity

T = TypeVar("T")


@frozen
class Effect:
    """One record before and after a step."""

    table: str
    key: Any
    before: Entity | None
    after: Entity | None


def effects(trial: Trial, write: Write) -> list[Effect]:
    """What the step of a write did to its service, all its calls together."""
    before = trial.snapshot(write.step.id).environment
    after = trial.after(write).environment
    found = before.states[write.step.service].changes(after.states[write.step.service])
    return [Effect(*change) for change in found]


def made(trial: Trial, write: Write) -> Effect:
    """The record that the call was to make; Unfit where it made none, or several."""
    tables = {goal.table for goal in write.goals if goal.kind == "create"}
    found = [e for e in effects(trial, write) if e.before is None and e.table in tables]
    if len(found) != 1:
        raise Unfit("the call makes no single record")
    return found[0]


def changed(trial: Trial, write: Write) -> Effect:
    """The record that the call was to change; Unfit where it changed none, or several."""
    tables = {goal.table for goal in write.goals if goal.kind == "update"}
    found = [
        e
        for e in effects(trial, write)
        if e.before is not None and e.after is not None and e.table in tables
    ]
    if len(found) != 1:
        raise Unfit("the call changes no single record")
    return found[0]


def field_of(effect: Effect, slot: Slot) -> str:
    """The field of the record in which a slot's value landed; Unfit where none shows it."""
    assert effect.after is not None
    wanted = typed(slot.raw if slot.facts and not slot.is_text else slot.value)
    before = effect.before
    for name, value in fields(effect.after):
        old = getattr(before, name, None)
        if name != "id" and value != old and (value in wanted or _holds(value, slot.value)):
            return name
    raise Unfit("the value lands in no field")


def _holds(value: Any, part: Any) -> bool:
    if isinstance(value, tuple):
        return part in value
    return isinstance(value, str) and isinstance(part, str) and bool(part) and part in value


def old_value(effect: Effect, name: str) -> Any:
    """What a field held before, as JSON; Unfit where it was empty."""
    old = as_json(getattr(effect.before, name, None))
    if old in (None, "", ()):
        raise Unfit("there was nothing before")
    return list(old) if isinstance(old, tuple) else old


def same_but_for_stamps(mine: Environment, other: Environment) -> bool:
    """Do two outcomes hold the same records, the times of writing aside?"""
    for _service, _table, _key, before, after in mine.changes(other):
        if before is None or after is None:
            return False
        if not all(_alike(value, getattr(after, name)) for name, value in fields(before)):
            return False
    return True


def _alike(mine: Any, other: Any) -> bool:
    if mine == other:
        return True
    if isinstance(mine, Mapping) and isinstance(other, Mapping):
        return mine.keys() == other.keys() and all(_alike(v, other[k]) for k, v in mine.items())
    return _is_stamp(mine) and _is_stamp(other)


def _is_stamp(value: Any) -> bool:
    if isinstance(value, str) and len(value) >= len("2026-01-01T00:00Z") and "T" in value:
        try:
            datetime.fromisoformat(value.replace("Z", "+00:00"))
        except ValueError:
            return False
        return True
    return isinstance(value, datetime)


# -- where a mutation may strike -----------------------------------------------------------


def subject(write: Write) -> Slot | None:
    """The slot that says which record an update changes; None for what makes a record."""
    if not write.updates():
        return None
    keys = [goal.key for goal in write.goals if goal.key is not None]
    for slot in write.slots:
        if slot.expr in keys:
            return slot
    expected = [expr for goal in write.goals for e in goal.expects for expr in e.exprs]
    for slot in write.slots:
        exprs = [slot.expr, *(fact.expr for fact in slot.facts)]
        if not any(expr in expected for expr in exprs) and not slot.is_text:
            return slot
    return None


def contents(trial: Trial, write: Write) -> list[Slot]:
    """The slots that say what is written, not to which record nor in whose name."""
    about = subject(write)
    tool = trial.tool(write.tool)
    found = []
    for slot in write.slots:
        name = str(slot.path[0])
        own = slot.kind == "email" and meaning(tool, name) == "id"
        if slot is not about and not own and slot.value != "":
            found.append(slot)
    return found


def is_reference(trial: Trial, write: Write, slot: Slot) -> bool:
    """Is a slot the id of another record (the ticket that a comment belongs to)?"""
    names = [step for step in slot.path if isinstance(step, str)]
    tool = trial.tool(write.tool)
    return slot.kind == "id" or bool(entities(tool, names[0]))


def interchangeable(one: Write, mine: Slot, two: Write, yours: Slot) -> bool:
    """Do two calls differ in these values only (two comments on one ticket)?"""
    if one.tool != two.tool or mine.path != yours.path:
        return False
    return one.edited(mine.path, None) == two.edited(yours.path, None)


def spots(trial: Trial, rng: Random) -> Iterator[tuple[Write, Slot]]:
    """All (write, slot) of the contents, in a drawn order."""
    found = [(w, s) for w in trial.writes for s in contents(trial, w)]
    rng.shuffle(found)
    yield from found


def shuffled(items: Sequence[T], rng: Random) -> list[T]:
    """The items in a drawn order."""
    found = list(items)
    rng.shuffle(found)
    return found
