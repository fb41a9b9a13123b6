"""Precision: whether a proven candidate says what it carries and judges, and no more.

A program's candidates carry single facts. A model may carry a whole observation, in which every
fact hides, or expect an empty list, which anything satisfies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compoworld_core.environment import Environment
from compoworld_core.errors import PlanError
from compoworld_core.expressions import Fn, Out, Path, Scope
from compoworld_core.plan import Plan
from compoworld_core.proof.player import play
from compoworld_core.records import Task


def problems(task: Task, initial: Environment) -> Iterator[str]:
    """What is less precise than it must be, one line each."""
    plan = task.reference
    scope = play(plan, initial.fork()).scope
    for carry in plan.carries:
        value = carry.expr.value(scope)
        if not _single(value) and not (carry.source == "set" and _singles(value)):
            yield f"the carry of edge {carry.edge} is not one fact: {str(value)[:80]}"
    yield from _texts(plan, scope)
    for goal in plan.goals:
        if goal.new_id is None or plan.step(goal.step).foreach is not None:
            continue
        if not _single(_made(goal.step, goal.new_id, scope)):
            yield f"goal {goal.id}: new_id is not where the new record's id stands"
    for criterion in task.criteria:
        for target in criterion.targets:
            for check in target.checks:
                if not check.values and not check.variables:
                    yield f"goal {criterion.id}: {check.field} is to hold nothing in particular"


def _made(step: str, path: Path, scope: Scope) -> Any:
    """The id of a new record; None where none stands at the path."""
    try:
        return Out(step=step, path=path).value(scope)
    except PlanError:
        return None


def _texts(plan: Plan, scope: Scope) -> Iterator[str]:
    """Texts that are composed state single facts, not records."""
    for step in plan.steps:
        if step.foreach is not None or step.id not in scope.outputs:
            continue
        for expr in step.expressions():
            if isinstance(expr, Fn) and expr.name in ("text", "form"):
                for arg in expr.args:
                    value = arg.value(scope)
                    if not _single(value) and not _singles(value):
                        yield f"step {step.id} writes a whole record: {str(value)[:80]}"


def _single(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _singles(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_single, value))
