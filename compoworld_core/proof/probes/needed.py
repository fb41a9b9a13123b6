"""4: leaving out the steps behind a criterion fails that criterion."""

from __future__ import annotations

import json
from typing import Any

from compoworld_core.proof.case import Case, Refuted
from compoworld_core.proof.columns import kind_of
from compoworld_core.proof.player import play
from compoworld_core.proof.probes.shortcuts import scalars
from compoworld_core.types import KEY_KINDS

NAME = "criteria-needed"


def probe(case: Case) -> dict[str, Any]:
    """The matrix step × criterion: what fails without each goal's step."""
    positions = {step.id: n for n, step in enumerate(case.plan.steps)}
    matrix: dict[str, list[str]] = {}
    for goal in case.goals:
        index = positions[goal.step]
        replay = case.resume_before(index)
        play(
            case.plan, replay.environment, replay=replay, start=index,
            skip=(goal.step,), lenient=True,
        )  # fmt: skip
        verdict = case.judge(replay.environment)
        failed = [name for name, ok in verdict.criteria.items() if not ok]
        if goal.id not in failed:
            raise Refuted(NAME, f"{goal.id} holds without its step {goal.step}")
        matrix[goal.step] = failed
    for goal in case.plan.goals:
        if goal.kind == "answer" and _holds_untold(case, goal.id):
            raise Refuted(NAME, f"{goal.id} holds without an answer")
    for position, step in enumerate(case.plan.steps):
        if step.write and case.replay.played(step.id):
            _judged(case, position)
    return {"fails_without": matrix}


def _judged(case: Case, position: int) -> None:
    """A field that a write sets to one of its arguments is demanded, or any value would do.

    Keys are left out: they say whose account is used, or belong to a row made on the side.
    """
    steps = case.plan.steps
    step, rest = steps[position], steps[position + 1 :]
    before = case.replay.snapshots[step.id].environment
    after = case.replay.snapshots[rest[0].id] if rest else case.replay
    given = {
        str(value)
        for text in case.replay.arguments_of(step.id)
        for value in scalars(json.loads(text))
        if value not in (None, "") and not isinstance(value, bool)
    }
    demanded = {
        (criterion.table, target.key, field)
        for criterion in case.criteria
        if criterion.service == step.service
        for target in criterion.targets
        for field in (*(check.field for check in target.checks), *target.holds)
    }
    for table, row, old, new in before.changes_of(step.service, after.environment):
        if new is None:
            continue
        for name in type(new).model_fields:
            held = getattr(new, name)
            if old is not None and getattr(old, name) == held:
                continue
            key = name == "id" or kind_of(type(new), name) in KEY_KINDS
            judged = {(table, row, name), (table, None, name)} & demanded
            if not key and str(held) in given and not judged:
                why = f"{step.id} sets {name} to {str(held)!r}, and no goal demands it"
                raise Refuted(NAME, why)


def _holds_untold(case: Case, goal: str) -> bool:
    environment = case.replay.environment.fork()
    environment.answer = None
    return case.judge(environment).criteria[goal]
