"""Outcomes: the verdicts of a group as rows of booleans, one column per condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from attrs import frozen

from compoworld_core.errors import UsageError
from compoworld_core.records import Verdict

Gates = Literal["criterion", "multiply"]
"""How a gate counts: as one more criterion, or as a factor on the reward."""


@frozen
class Outcomes:
    """A group's verdicts, ready to be weighed."""

    rows: tuple[tuple[bool, ...], ...]
    """Rollout → whether each condition that is weighed holds."""
    factors: tuple[bool, ...]
    """Rollout → whether it may earn anything."""

    @classmethod
    def of(cls, verdicts: Sequence[Verdict], gates: str) -> Outcomes:
        """Line the verdicts up; UsageError where they do not belong to one task."""
        if gates not in ("criterion", "multiply"):
            raise UsageError(f"gates is {gates!r}; there are: criterion, multiply")
        if not verdicts:
            raise UsageError("a reward needs the verdicts of at least one rollout; got none")
        criteria, held = list(verdicts[0].criteria), list(verdicts[0].gates)
        if not criteria:
            raise UsageError(
                "the rubric has no criterion: nothing could be earned; verify the tasks first:"
                " compoworld tasks verify RUN"
            )
        rows = []
        for verdict in verdicts:
            if verdict.criteria.keys() != set(criteria) or verdict.gates.keys() != set(held):
                raise UsageError(
                    "the verdicts are of different rubrics; score the rollouts of one task at"
                    f" a time: {_names(verdicts[0])} and {_names(verdict)}"
                )
            row = [verdict.criteria[name] for name in criteria]
            if gates == "criterion":
                row += [verdict.gates[name] for name in held]
            rows.append(tuple(row))
        factors = [gates == "criterion" or all(v.gates.values()) for v in verdicts]
        return cls(tuple(rows), tuple(factors))


def _names(verdict: Verdict) -> str:
    return ", ".join([*verdict.criteria, *verdict.gates])
