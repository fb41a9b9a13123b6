"""1: the reference, played twice from s0, satisfies all criteria and ends in one digest."""

from __future__ import annotations

from typing import Any

from compoworld_core.errors import PlanError
from compoworld_core.proof.case import Case, Refuted
from compoworld_core.proof.player import play

NAME = "reachable"


def probe(case: Case) -> dict[str, Any]:
    """Two replays, one verdict each, one goal digest."""
    first = case.replay.environment
    try:
        second = play(case.plan, case.initial.forgetful()).environment
    except PlanError as error:
        raise Refuted(NAME, f"the second replay failed: {error}") from error
    digest = first.digest()
    if second.digest() != digest:
        raise Refuted(NAME, "two replays end in different states")
    for final in (first, second):
        verdict = case.judge(final)
        if not verdict.success:
            failed = [name for name, ok in (verdict.criteria | verdict.gates).items() if not ok]
            raise Refuted(NAME, f"the reference does not satisfy {', '.join(failed)}")
    return {"calls": len(case.replay.calls), "digest": digest}
