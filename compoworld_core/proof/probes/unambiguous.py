"""6: a description means exactly its rows, every condition bites, references resolve."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from compoworld_core.environment import Environment
from compoworld_core.plan import Selection
from compoworld_core.proof.case import Case, Refuted
from compoworld_core.proof.lapses import places
from compoworld_core.proof.probes.idle import refute_idle
from compoworld_core.state import Entity

NAME = "unambiguous"


def probe(case: Case) -> dict[str, Any]:
    """Descriptions against the typed state at the time of their step; then the text."""
    conditions = 0
    for selection in case.plan.selections:
        if case.replay.played(selection.step):
            conditions += _check(case, selection)
    for place in places(case):
        if not place.others:
            step, field = place.chosen.step, place.condition.path
            raise Refuted(NAME, f"the choice in {step} comes to the same without {field}")
    refute_idle(case, NAME)
    return {"selections": len(case.plan.selections), "conditions": conditions} | {
        "references": _references(case)
    }


def _check(case: Case, selection: Selection) -> int:
    scope = case.replay.scope
    wanted = selection.key.value(scope)
    keys = set(wanted) if isinstance(wanted, list) else {wanted}
    values = {field: expr.value(scope) for field, _, expr in selection.conditions}
    environment = case.replay.snapshots[selection.step].environment
    found = _select(environment, selection, values)
    if found != keys:
        raise Refuted(NAME, f"{selection.id} means {len(found)} rows of {selection.table}")
    if not selection.many and len(found) != 1:
        raise Refuted(NAME, f"{selection.id} means {len(found)} rows, not one")
    for dropped in values:
        rest = {field: value for field, value in values.items() if field != dropped}
        if _select(environment, selection, rest) == keys:
            raise Refuted(NAME, f"{selection.id}: the condition on {dropped} does not matter")
    if selection.best is None:
        return len(values)
    plain = selection.model_copy(update={"best": None})
    if _select(environment, plain, values) == keys:
        raise Refuted(NAME, f"{selection.id}: it is the only one, no {selection.best[1]}")
    return len(values) + 1


def _select(environment: Environment, selection: Selection, values: dict[str, Any]) -> set[Any]:
    """The ids of the rows that the description fits."""
    table = environment.states[selection.service].table(selection.table)
    entity = environment.services[selection.service].state.tables()[selection.table]
    typed, members = {}, {}
    unlike = {}
    for field, value in values.items():
        if field in selection.negated:
            unlike[field] = coerce(entity, field, value)
        elif _is_tuple(entity, field):
            members[field] = value
        else:
            typed[field] = coerce(entity, field, value)
    rows = table.where(**typed)
    for field, value in members.items():
        rows = [row for row in rows if _has(getattr(row, field), value)]
    for field, value in unlike.items():
        rows = [row for row in rows if getattr(row, field) != value]
    if selection.best is not None:
        field, op = selection.best
        held = [value for row in rows if (value := getattr(row, field)) is not None]
        wanted = max(held, default=None) if op == "largest" else min(held, default=None)
        rows = [row for row in rows if getattr(row, field) == wanted]
    return {row.id for row in rows}


@lru_cache(maxsize=4096)
def _is_tuple(entity: type[Entity], field: str) -> bool:
    schema = _adapter(entity, field).json_schema()
    return bool(schema.get("type") == "array")


def _has(members: Any, value: Any) -> bool:
    for member in members or ():
        inner = getattr(member, "__dict__", None)
        if member == value or (inner and value in inner.values()):
            return True
    return False


@lru_cache(maxsize=4096)
def _adapter(entity: type[Entity], field: str) -> TypeAdapter[Any]:
    info = entity.model_fields[field]
    return TypeAdapter(info.rebuild_annotation())


def coerce(entity: type[Entity], field: str, value: Any) -> Any:
    """A JSON value as the field's Python value; the value itself where it does not fit."""
    if isinstance(value, str) and entity.model_fields[field].annotation is str:
        return value
    try:
        return _adapter(entity, field).validate_python(value)
    except ValidationError:
        return value


def _references(case: Case) -> int:
    """A reader's rule: a noun means the last record that was mentioned by it."""
    last: dict[str, str] = {}
    resolved = 0
    for span in sorted(case.candidate.spans, key=lambda span: (span.end, -span.start)):
        if span.kind == "selection":
            last[span.noun] = span.target
        elif span.kind == "reference":
            if last.get(span.noun) != span.target:
                said = case.candidate.instruction[span.start : span.end]
                raise Refuted(NAME, f"{said!r} could mean another {span.noun}")
            resolved += 1
    described = {span.target for span in case.candidate.spans if span.kind == "selection"}
    for selection in case.plan.selections:
        if selection.id not in described:
            raise Refuted(NAME, f"{selection.id} is not described in the instruction")
    return resolved
