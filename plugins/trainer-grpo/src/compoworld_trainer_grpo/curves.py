"""Curves: what a batch of groups came to, as figures of a training step.

All are pure functions of groups and trajectories, so that each process computes the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, sqrt
from typing import Any

from compoworld_core.records import Task, Trajectory
from compoworld_trainer_grpo.advantages import Scored

GATE = "gate"
"""What gates are called among the kinds of criteria."""


def figures(
    groups: Sequence[Scored], tasks: Mapping[str, Task], *, lam: float | None
) -> dict[str, float]:
    """Rewards, success, and what holds by kind of criterion.

    `reward` is the mean of the rewards as the reward function gave them, which for the
    completion-focused one is no measure of quality: compare `success` and `uniform`.
    `reward_std` is the mean deviation within a group. A rollout without a verdict counts as 0
    in `success` and `uniform`, and not at all in the others.

    Args:
        groups: of one generation batch, as they are trained on.
        tasks: id → task, for the kinds of its criteria.
        lam: λ of the completion-focused reward, for the weights; None for other rewards.
    """
    rows = max(1, sum(len(group.verdicts) for group in groups))
    judged = [verdict for group in groups for verdict in group.judged]
    rewards = [[r for r in group.rewards if r is not None] for group in groups]
    found = {
        "reward": _mean(each for group in rewards for each in group),
        "reward_std": _mean(_deviation(group) for group in rewards),
        "success": sum(verdict.success for verdict in judged) / rows,
        "uniform": fsum(verdict.uniform for verdict in judged) / rows,
        "errors": 1 - len(judged) / rows,
        "advantage_scale": _mean(group.factor for group in groups),
    }
    shares: dict[str, list[float]] = defaultdict(list)
    for group in groups:
        kinds = {criterion.id: criterion.kind for criterion in tasks[group.task].criteria}
        for name, share in passing(group).items():
            shares[kinds.get(name, GATE)].append(share)
    for kind, each in sorted(shares.items()):
        found[f"criteria/{kind}"] = _mean(each)
        if lam is not None:
            found[f"weights/{kind}"] = _mean(lam + 1 - share for share in each)
    return found


def passing(group: Scored) -> dict[str, float]:
    """p of each criterion and gate: the share of the group's rollouts in which it holds."""
    judged = group.judged
    if not judged:
        return {}
    names = [*judged[0].criteria, *judged[0].gates]
    rows = [verdict.criteria | verdict.gates for verdict in judged]
    return {name: sum(row[name] for row in rows) / len(rows) for name in names}


def behaviour(trajectories: Sequence[Trajectory]) -> dict[str, float]:
    """Turns, calls and how they went, as means over episodes; failures as shares of calls."""
    count = max(1, len(trajectories))
    sums = {
        name: sum(each.usage.get(name, 0) for each in trajectories)
        for name in ("turns", "calls", "failed_calls", "malformed_calls", "truncated")
    }
    calls = max(1, sums["calls"])
    return {
        "turns": sums["turns"] / count,
        "calls": sums["calls"] / count,
        "tool_failures": sums["failed_calls"] / calls,
        "malformed_calls": sums["malformed_calls"] / calls,
        "truncated": sums["truncated"] / count,
    }


def group_line(group: Scored, *, lam: float | None) -> dict[str, Any]:
    """A group alone, for the metrics: each criterion's p, and its weight where it has one."""
    shares = passing(group)
    line: dict[str, Any] = {
        "task": group.task,
        "rollouts": len(group.verdicts),
        "passed": sum(verdict.success for verdict in group.judged),
        "rewards": [None if each is None else round(each, 6) for each in group.rewards],
        "zero_signal": group.no_signal,
        "advantage_scale": group.factor,
        "criteria": shares,
    }
    if lam is not None:
        line["weights"] = {name: lam + 1 - share for name, share in shares.items()}
    return line


def _mean(values: Iterable[float]) -> float:
    all_of_them = list(values)
    return fsum(all_of_them) / len(all_of_them) if all_of_them else 0.0


def _deviation(values: Sequence[float]) -> float:
    mean = _mean(values)
    return sqrt(_mean((value - mean) ** 2 for value in values))
