"""Events: what has happened, for the observers of the process that keeps the run."""

from __future__ import annotations

from attrs import frozen

from compoworld_core.records import Trajectory


@frozen
class RolloutFinished:
    """A rollout has ended, was judged and rewarded, and lies in the run folder."""

    trajectory: Trajectory


@frozen
class TaskJudged:
    """All rollouts of a task's group are there."""

    task: str
    policy: str
    rollouts: int
    passed: int
    """Rollouts in which all criteria and gates hold."""
    uniform: float
    """Mean uniform score; a rollout that ended in an error counts as 0."""
    reward: float
    """Mean reward; likewise."""
    errors: int
    zero_signal: bool
    """All rewards are equal: nothing to learn from in a group-relative trainer."""
