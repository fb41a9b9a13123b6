"""The scripted user: answers by rule, as in the proof."""

from __future__ import annotations

from compoworld_core.errors import UsageError
from compoworld_core.records import Task
from compoworld_core.user import PATIENCE, PlainUser


def scripted(task: Task, *, seed: int, patience: int = PATIENCE) -> PlainUser:
    """Make the user of one rollout.

    Args:
        task: whose facts are held back.
        seed: not used: nothing is drawn.
        patience: replies at most.
    """
    del seed
    return PlainUser(() if task.user is None else task.user.facts, read_patience(patience))


def read_patience(patience: object) -> int:
    """The number of replies; UsageError where it is none."""
    if isinstance(patience, bool) or not isinstance(patience, int) or patience < 1:
        raise UsageError(f"patience is {patience!r}; give a whole number of replies, from 1 up")
    return patience
