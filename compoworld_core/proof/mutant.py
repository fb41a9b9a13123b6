"""A mutant: how a changed reference is played, and when a mutation has no place in a task."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from compoworld_core.environment import Environment
from compoworld_core.plan import Plan
from compoworld_core.proof.case import Case
from compoworld_core.proof.player import Rewrite, play


class Skipped(Exception):  # noqa: N818  # a result, not a failure
    """The mutation does not apply to this task."""


Mutation = Callable[[Case, Random], Environment]


def choose(rng: Random, options: list[Any], what: str) -> Any:
    """One of the options; Skipped, for the reason given, where there is none."""
    if not options:
        raise Skipped(what)
    return rng.choice(options)


def index_of(case: Case, step: str) -> int:
    """Position of a step in the plan."""
    return next(n for n, candidate in enumerate(case.plan.steps) if candidate.id == step)


def replayed(
    case: Case, rewrites: dict[str, Rewrite], first: str, plan: Plan | None = None
) -> Environment:
    """The plan with some calls rewritten; what depends on them follows or is left out.

    Args:
        case: what is under proof.
        rewrites: step → a change of its arguments.
        first: the first step that is played another way.
        plan: another plan with the same steps up to there.
    """
    index = index_of(case, first)
    replay = case.resume_before(index)
    play(
        plan or case.plan,
        replay.environment,
        replay=replay,
        start=index,
        lenient=True,
        rewrite=rewrites,
    )
    return replay.environment
