"""7: equivalent outcomes pass, mutated outcomes fail."""

from __future__ import annotations

from random import Random
from typing import Any

from compoworld_core.expressions import All, Out, Pick, walk
from compoworld_core.plan import Expect
from compoworld_core.proof.case import Case, Refuted
from compoworld_core.proof.lapses import ignoring, places
from compoworld_core.proof.mutant import Skipped
from compoworld_core.proof.mutations import EQUIVALENT, MUST_BITE, WRONG

NAME = "tolerant-and-strict"


def probe(case: Case) -> dict[str, Any]:
    """One mutant of each kind, at a place drawn from the plan itself; the counts by kind.

    A condition is ignored at every place.
    """
    seen: dict[str, str] = {}
    reference = case.replay.environment.digest()
    for kind, mutate in EQUIVALENT.items():
        rng = Random(f"{kind}:{case.candidate.instruction}")
        try:
            final = mutate(case, rng)
        except Skipped as skipped:
            seen[kind] = f"skipped: {skipped}"
            continue
        if not case.passes(final):
            verdict = case.judge(final)
            failed = [n for n, ok in (verdict.criteria | verdict.gates).items() if not ok]
            raise Refuted(NAME, f"an equivalent outcome ({kind}) fails {', '.join(failed)}")
        seen[kind] = "accepted"
    wrong = 0
    for kind, mutate in WRONG.items():
        rng = Random(f"{kind}:{case.candidate.instruction}")
        try:
            final = mutate(case, rng)
        except Skipped as skipped:
            seen[kind] = f"skipped: {skipped}"
            continue
        if kind not in MUST_BITE and final.digest() == reference:
            seen[kind] = "skipped: no effect"
            continue
        if case.passes(final):
            raise Refuted(NAME, f"a wrong outcome ({kind}) is accepted")
        seen[kind] = "rejected"
        wrong += 1
    for place in places(case):
        if place.others and case.passes(ignoring(case, place)):
            step, field = place.chosen.step, place.condition.path
            raise Refuted(NAME, f"the choice in {step} may ignore {field}")
    if not wrong:
        raise Refuted(NAME, "no wrong outcome could be made")
    _check_rivals(case)
    return {"mutants": seen}


def _check_rivals(case: Case) -> None:
    """A text that states what was found may not state everything: some values are wrong there.

    They are the decoys that the plan names, or the other values of a column of s0.
    """
    goals = {goal.id: goal for goal in case.plan.goals}
    for criterion in case.criteria:
        goal = goals[criterion.id]
        for target in criterion.targets:
            for expect, check in zip(goal.expects, target.checks, strict=True):
                rivals = check.decoys or check.columns
                if expect.mode == "contains" and _found(expect) and check.values and not rivals:
                    where = expect.field or "the answer"
                    raise Refuted(NAME, f"{goal.id}: no value is wrong in {where}")


def _found(expect: Expect) -> bool:
    """Does it state what a call shows?"""
    parts = (part for expr in expect.exprs for part in walk(expr))
    return any(isinstance(part, Out | Pick | All) for part in parts)
