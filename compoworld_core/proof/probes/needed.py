"""4: leaving out the steps behind a criterion fails that criterion."""

from __future__ import annotations

from typing import Any

from compoworld_core.proof.case import Case, Refuted
from compoworld_core.proof.player import play

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
    return {"fails_without": matrix}


def _holds_untold(case: Case, goal: str) -> bool:
    environment = case.replay.environment.fork()
    environment.answer = None
    return case.judge(environment).criteria[goal]
