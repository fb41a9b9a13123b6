"""What is planted is needed: without it, the proof refuses what it accepts otherwise.

A certificate that accepts everything looks like a good generator; here it would be seen.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from compoworld_core.generation import Rejection
from compoworld_core.records import Task

# the first test of a changed core learns all tools anew, on however loaded a machine
pytestmark = pytest.mark.timeout(600)

TRIES = 30
Outcomes = list[Task | Rejection]


@pytest.fixture(scope="module")
def outcomes(tries: Callable[..., Outcomes]) -> Callable[[str], Outcomes]:
    """`outcomes(left out)`: the same tries with all that is planted, and without one part."""

    @cache
    def run(left_out: str) -> Outcomes:
        options = {left_out: False} if left_out else {}
        return tries(TRIES, k=5, walk=(7, 12), options=options)

    return run


def accepted(outcomes: Outcomes) -> list[int]:
    return [n for n, outcome in enumerate(outcomes) if isinstance(outcome, Task)]


def test_with_all_of_it_enough_tries_become_tasks(
    outcomes: Callable[[str], Outcomes],
) -> None:
    assert len(accepted(outcomes(""))) >= TRIES // 4


def picks(task: Task) -> bool:
    """Does the task pick out one of somebody's records by its state?

    What a text names is told apart by the twins of the record, whatever else is planted, and a
    set brings those that are not of it along.
    """
    return any(
        len(selection.conditions) > 1
        and not selection.many
        and any(kind == "status" for _, kind, _ in each)
        for selection in task.reference.selections
        for each in [selection.conditions]
        if not any('"grep"' in expr.model_dump_json() for *_, expr in each)
    )


def test_without_siblings_nothing_that_picks_one_of_several_is_proven(
    outcomes: Callable[[str], Outcomes],
) -> None:
    assert sum(picks(task) for task in outcomes("") if isinstance(task, Task)) >= 2
    assert not any(picks(task) for task in outcomes("siblings") if isinstance(task, Task))
