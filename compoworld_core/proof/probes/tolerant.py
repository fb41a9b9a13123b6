"""7: equivalent outcomes pass, mutated outcomes fail."""

from __future__ import annotations

from random import Random
from typing import Any

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
    return {"mutants": seen}
