"""Rewards that look at each rollout alone: the uniform share, and success or not."""

from __future__ import annotations

from collections.abc import Sequence

from compoworld_core.records import Verdict
from compoworld_rewards.outcomes import Gates, Outcomes


def uniform(verdicts: Sequence[Verdict], *, gates: Gates = "criterion") -> list[float]:
    """Score each rollout by the share of conditions that hold.

    With `gates="multiply"` it is the uniform score of reports where all gates hold, else 0.
    """
    outcomes = Outcomes.of(verdicts, gates)
    return [
        sum(row) / len(row) if factor else 0.0
        for row, factor in zip(outcomes.rows, outcomes.factors, strict=True)
    ]


def binary(verdicts: Sequence[Verdict]) -> list[float]:
    """Score each rollout 1 where all criteria and gates hold, else 0."""
    return [float(all(row)) for row in Outcomes.of(verdicts, "criterion").rows]
