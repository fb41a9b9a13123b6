"""2: s0 satisfies no criterion; the do-nothing policy scores zero."""

from __future__ import annotations

from typing import Any, Final

from compoworld_core.proof.case import Case, Refuted
from compoworld_core.records import Check

NAME = "not-vacuous"
_NOTHING: Final[tuple[object, ...]] = (None, "", [], {})


def probe(case: Case) -> dict[str, Any]:
    """The verdict on s0 itself."""
    if not case.criteria:
        raise Refuted(NAME, "the rubric has no criterion")
    for criterion in case.criteria:
        for check in (check for target in criterion.targets for check in target.checks):
            _demanding(criterion.id, check)
    verdict = case.judge(case.initial.fork())
    held = [name for name, ok in verdict.criteria.items() if ok]
    if held:
        raise Refuted(NAME, f"s0 satisfies {', '.join(held)} already")
    if not all(verdict.gates.values()):
        raise Refuted(NAME, "a gate does not hold in s0")
    return {"null_uniform": verdict.uniform}


def _demanding(criterion: str, check: Check) -> None:
    """A check demands at least one value, and a text or list something that can stand in it."""
    field = check.field or "the answer"
    if not check.values and not check.variables:
        raise Refuted(NAME, f"{criterion} demands no value of {field}")
    if check.mode != "equals" and any(fact.value in _NOTHING for fact in check.values):
        raise Refuted(NAME, f"{criterion} wants nothing in {field}")
