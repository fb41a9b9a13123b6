"""1: the reference, played twice from s0, satisfies all criteria and ends in one digest."""

from __future__ import annotations

from typing import Any

from compoworld_core.errors import PlanError
from compoworld_core.expressions import at
from compoworld_core.proof.case import Case, Refuted
from compoworld_core.proof.player import play

NAME = "reachable"


def probe(case: Case) -> dict[str, Any]:
    """Two replays, one goal digest, one answer: so one verdict speaks for both."""
    first = case.replay.environment
    try:
        second = play(case.plan, case.initial.forgetful()).environment
    except PlanError as error:
        raise Refuted(NAME, f"the second replay failed: {error}") from error
    digest = first.digest()
    if second.digest() != digest:
        raise Refuted(NAME, "two replays end in different states")
    if second.answer != first.answer:
        raise Refuted(NAME, "two replays end in different answers")
    verdict = case.judge(first)
    if not verdict.success:
        failed = [name for name, ok in (verdict.criteria | verdict.gates).items() if not ok]
        raise Refuted(NAME, f"the reference does not satisfy {', '.join(failed)}")
    _new_rows(case)
    return {"calls": len(case.replay.calls), "digest": digest}


def _new_rows(case: Case) -> None:
    """Where a goal says that its new row's id is shown, one is: later goals may speak of it."""
    for goal in case.goals:
        if goal.new_id is None:
            continue
        output = case.replay.scope.outputs[goal.step]
        table = case.initial.states[goal.service].table(goal.table)
        final = case.replay.environment.states[goal.service].table(goal.table)
        for shown in output if isinstance(output, list) else [output]:
            try:
                key = at(shown, goal.new_id)
            except PlanError:
                key = None
            if not isinstance(key, str | int) or table.get(key) or not final.get(key):
                raise Refuted(NAME, f"{goal.id}: {goal.step} shows no new row of {goal.table}")
