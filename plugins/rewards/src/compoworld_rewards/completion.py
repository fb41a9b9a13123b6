"""Completion-focused reward: what few rollouts of the group achieve earns most."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from compoworld_core.errors import UsageError
from compoworld_core.records import Verdict
from compoworld_rewards.outcomes import Gates, Outcomes


def completion_focused(
    verdicts: Sequence[Verdict], *, lam: float = 0.01, gates: Gates = "criterion"
) -> list[float]:
    """Score a group: the weighted share of what holds, a condition's weight `lam + 1 - p`.

    `p` is the share of the group's rollouts in which the condition holds. A rollout earns 1
    exactly where all conditions hold.

    Args:
        verdicts: one per rollout of one task.
        lam: the weight of a condition that every rollout satisfies; above 0.
        gates: how gates count: `criterion`, as one more condition each, so that doing nothing
            earns next to nothing; `multiply`, as a factor: a broken gate earns 0.
    """
    _check(lam)
    outcomes = Outcomes.of(verdicts, gates)
    size = len(outcomes.rows)
    shares = [sum(column) / size for column in zip(*outcomes.rows, strict=True)]
    weights = [lam + (1 - share) for share in shares]
    total = fsum(weights)
    earned = [
        fsum(weight for weight, holds in zip(weights, row, strict=True) if holds) / total
        for row in outcomes.rows
    ]
    return [
        value if counts else 0.0 for value, counts in zip(earned, outcomes.factors, strict=True)
    ]


def _check(lam: object) -> None:
    number = isinstance(lam, int | float) and not isinstance(lam, bool)
    if not number or not 0 < lam < float("inf"):  # type: ignore[operator]  # a number by then
        raise UsageError(
            f"lam is {lam!r}; give a finite number above 0, such as 0.01: with 0 a group that"
            " satisfies everything has no reward"
        )
