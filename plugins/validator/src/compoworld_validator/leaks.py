"""Leaks: what a call gives in one world does not matter in another."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from compoworld_core.service import Tool
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import Played, without

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_VALUES = 2


def tried(exam: Examination, tool: Tool) -> None:
    """After each call whose further argument tells, the call without it answers as before."""
    seen: Counter[str] = Counter()
    for name, steps in exam.book.variants[tool.name]:
        if tool.name in exam.verdicts.findings:
            return
        plain = _sampled(exam, tool, steps, name)
        if plain is None or seen[name] >= _VALUES:
            continue
        given, left = exam.world.tried(steps), exam.world.tried(plain)
        if given is None or left is None or given.same_as(left):
            continue
        seen[name] += 1
        Played(exam.world.base, steps)
        if not Played(exam.world.base, plain).same_as(left):
            why = f"a call without {name} depends on what another world's call gave for it"
            exam.found(tool.name, Reason.OUTSIDE_STATE, why, plain)


def _sampled(exam: Examination, tool: Tool, steps: list[Step], name: str) -> list[Step] | None:
    """The sample that a variant was made of, where it does not give the argument."""
    call = without(steps, name)
    return call if call in exam.book.samples[tool.name] else None
