"""Checks: whether a field of a record holds what a criterion demands, and how to say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from compoworld_core import facts
from compoworld_core.environment import Environment
from compoworld_core.plan import Fact
from compoworld_core.proof import columns
from compoworld_core.records import Check, Criterion
from compoworld_core.state import Entity


def check_holds(
    check: Check, row: Entity, bound: Mapping[str, Entity] | None, initial: Environment
) -> bool:
    """Whether a field holds what it must; with no bindings, variables are left open."""
    return values_hold(check, row, initial) and variables_hold(check, row, bound)


def values_hold(check: Check, row: Entity, initial: Environment) -> bool:
    """Whether a field holds the values that it must, whatever its variables stand for."""
    held = getattr(row, check.field, None)
    if check.mode == "equals":
        return all(_equal(fact, held) for fact in check.values)
    if check.mode == "has":
        members = held if isinstance(held, tuple) else (held,)
        return all(any(_equal(fact, m) for m in members) for fact in check.values)
    return text_holds(check, held, initial)


def variables_hold(check: Check, row: Entity, bound: Mapping[str, Entity] | None) -> bool:
    """Whether a field names the new records that it must."""
    if bound is None or not check.variables:
        return True
    held = getattr(row, check.field, None)
    if not all(refers(check, held, bound.get(name)) for name in check.variables):
        return False
    if check.mode != "contains":
        return True
    ids = [("id", bound[name].id) for name in check.variables]
    stated = [(fact.kind, fact.value) for fact in check.values]
    return not facts.alternatives(str(held), ids, stated)


def refers(check: Check, held: Any, row: Entity | None) -> bool:
    """Whether a field's value names a record that was created."""
    if row is None:
        return False
    if check.mode == "contains":
        return facts.asserts("id", row.id, str(held))
    if check.mode == "has" and isinstance(held, tuple):
        return any(_equal(Fact(kind="id", value=row.id), member) for member in held)
    return held is not None and str(held) == str(row.id)


def _equal(fact: Fact, held: Any) -> bool:
    if held is None or fact.value is None:
        return held is fact.value
    if isinstance(held, str) and held == fact.value:
        return True
    members = getattr(held, "__dict__", None)
    if members and not isinstance(held, str):
        # a nested value, such as an attendee with an email
        return any(_equal(fact, value) for value in members.values() if value is not None)
    return facts.equal(fact.kind, held, fact.value)


def text_holds(check: Check, held: Any, initial: Environment) -> bool:
    """Whether a text states the facts of a check, and none of their rivals in s0."""
    text = "" if held is None else str(held)
    keeps = check.keeps.strip()
    if keeps:
        if keeps not in text:
            return False
        text = text.replace(keeps, " ", 1)
    if not check.values and not check.decoys:
        return True
    wanted = [(fact.kind, fact.value) for fact in check.values]
    wrong = [(fact.kind, fact.value) for fact in check.decoys]
    missing, decoys = facts.states(text, wanted, wrong)
    if missing or decoys:
        return False
    return next(columns.rivals(check, text, initial), None) is None


def said(row: Entity, check: Check) -> str:
    """What a field holds, short enough for a line."""
    text = repr(getattr(row, check.field, None))
    return text if len(text) <= 120 else text[:117] + "..."


def wanted(criterion: Criterion) -> Iterator[str]:
    """What a criterion demands, a phrase per check."""
    for target in criterion.targets:
        name = "a new row" if target.key is None else f"{criterion.table} {target.key}"
        if criterion.kind == "answer":
            name = "the answer"
        if criterion.kind == "delete":
            yield f"{name} is gone"
        for check in target.checks:
            values = [facts.render(fact.kind, fact.value) for fact in check.values]
            values += [f"the id of {variable}" for variable in check.variables]
            verb = {"equals": "is", "contains": "states", "has": "has"}[check.mode]
            what = f"{name}: {check.field}" if check.field else name
            yield f"{what} {verb} {', '.join(values)}"
