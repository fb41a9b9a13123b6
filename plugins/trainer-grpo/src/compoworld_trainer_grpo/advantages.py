"""Advantages: from the rewards of groups to the numbers that the policy gradient is weighed by.

Pure functions of plain numbers. A group is the rollouts of one task in one generation batch; a
rollout without a reward (it ended in an error before it could be judged) is no part of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from typing import Any, Final, Literal

from attrs import frozen

from compoworld_core.errors import PluginError, UsageError
from compoworld_core.protocols import Reward
from compoworld_core.records import Verdict
from compoworld_core.rollout import group_rewards

Scale = Literal["none", "f-grpo"]
"""A factor on all advantages of a group."""

DELTA: Final = 1e-4
"""δ of the paper's advantage, which it does not give: TRL's constant."""


def normalised(rewards: Sequence[float], *, delta: float = DELTA) -> list[float]:
    """(R_i - mean R) / (σ + δ), with σ over N, not N - 1: the paper's advantage of a rollout.

    TRL divides by the sample deviation, so that its advantages are sqrt((N - 1) / N) of these.
    A group whose rewards are all equal gets zeros, exactly.
    """
    if not rewards:
        return []
    if no_signal(rewards):
        return [0.0] * len(rewards)
    mean = fsum(rewards) / len(rewards)
    deviation = sqrt(fsum((reward - mean) ** 2 for reward in rewards) / len(rewards))
    return [(reward - mean) / (deviation + delta) for reward in rewards]


def no_signal(rewards: Sequence[float]) -> bool:
    """Whether all rewards are equal: nothing can be learnt from such a group."""
    return len(set(rewards)) <= 1


def focal(successes: Sequence[bool], *, gamma: float = 1.0) -> float:
    """F-GRPO's factor of a group, (1 - p)^γ, p the share of its rollouts that succeed.

    Source: Plyusov et al., "F-GRPO: Don't Let Your Policy Learn the Obvious and Forget the
    Rare", arXiv 2602.06717, section 4; they use γ = 0.5 and 1. Theirs is a factor on the
    advantages, as here: on the rewards it would cancel in the normalisation.
    """
    if not successes:
        return 1.0
    factor: float = (1 - sum(successes) / len(successes)) ** gamma
    return factor


@frozen
class Scored:
    """A group with its rewards and advantages; None and 0 where there is no verdict."""

    task: str
    verdicts: tuple[Verdict | None, ...]
    rewards: tuple[float | None, ...]
    advantages: tuple[float, ...]
    factor: float
    """Of the scale; 1 without one."""

    @property
    def judged(self) -> list[Verdict]:
        """The verdicts that there are."""
        return [verdict for verdict in self.verdicts if verdict is not None]

    @property
    def no_signal(self) -> bool:
        """Whether the group teaches nothing."""
        return no_signal([reward for reward in self.rewards if reward is not None])


@frozen
class Scoring:
    """How groups become advantages."""

    reward: Reward
    options: Mapping[str, Any]
    scale: Scale = "none"
    gamma: float = 1.0
    delta: float = DELTA

    def score(self, task: str, verdicts: Sequence[Verdict | None]) -> Scored:
        """The rewards and advantages of one group."""
        rewards = group_rewards(self.reward, verdicts, self.options)
        judged = [reward for reward in rewards if reward is not None]
        factor = 1.0
        if self.scale == "f-grpo":
            done = [verdict.success for verdict in verdicts if verdict is not None]
            factor = focal(done, gamma=self.gamma)
        left = iter(normalised(judged, delta=self.delta))
        advantages = [0.0 if reward is None else factor * next(left) for reward in rewards]
        return Scored(task, tuple(verdicts), tuple(rewards), tuple(advantages), factor)

    def score_batch(
        self, tasks: Sequence[str], verdicts: Sequence[Verdict | None], *, n: int
    ) -> list[Scored]:
        """The groups of a whole generation batch, N rows each, in its order.

        Raises PluginError where rows of one group belong to different tasks: then a reward
        over the group would compare what has nothing to do with each other.

        Args:
            tasks: task id of each row, over all processes.
            verdicts: of each row.
            n: rollouts of a task.
        """
        if len(tasks) % n or len(tasks) != len(verdicts):
            raise UsageError(
                f"{len(tasks)} rows with {len(verdicts)} verdicts are no whole groups of {n};"
                f" give a multiple of {n} rows over all processes"
            )
        groups = []
        for start in range(0, len(tasks), n):
            rows = slice(start, start + n)
            if len(set(tasks[rows])) != 1:
                mixed = ", ".join(sorted(set(tasks[rows])))
                raise PluginError(
                    f"rows {start} to {start + n - 1} of the batch are one group, but of the"
                    f" tasks {mixed}: the batch was reordered, or split unevenly over processes"
                )
            groups.append(self.score(tasks[start], verdicts[rows]))
        return groups
