"""2: s0 satisfies no criterion; the do-nothing policy scores zero."""

from __future__ import annotations

from typing import Any

from compoworld_core.proof.case import Case, Refuted

NAME = "not-vacuous"


def probe(case: Case) -> dict[str, Any]:
    """The verdict on s0 itself."""
    if not case.criteria:
        raise Refuted(NAME, "the rubric has no criterion")
    verdict = case.judge(case.initial.fork())
    held = [name for name, ok in verdict.criteria.items() if ok]
    if held:
        raise Refuted(NAME, f"s0 satisfies {', '.join(held)} already")
    if not all(verdict.gates.values()):
        raise Refuted(NAME, "a gate does not hold in s0")
    return {"null_uniform": verdict.uniform}
