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


def test_without_siblings_what_picks_one_of_several_is_refused(
    outcomes: Callable[[str], Outcomes],
) -> None:
    full, less = outcomes(""), outcomes("siblings")
    picking = [n for n, task in enumerate(full) if isinstance(task, Task) and picks(task)]
    assert len(picking) >= 2
    left = [n for n in picking if isinstance(less[n], Task)]
    assert len(left) * 2 <= len(picking)


def picks(task: Task) -> bool:
    """Does the task pick out one of somebody's records by its state?

    What a text names is told apart by the twins of the record, whatever else is planted.
    """
    return any(
        len(selection.conditions) > 1 and any(kind == "status" for _, kind, _ in each)
        for selection in task.reference.selections
        for each in [selection.conditions]
        if not any('"grep"' in expr.model_dump_json() for *_, expr in each)
    )


def test_what_passes_without_siblings_picks_out_none_by_its_state(
    outcomes: Callable[[str], Outcomes],
) -> None:
    assert any(picks(task) for task in outcomes("") if isinstance(task, Task))
    assert not any(picks(task) for task in outcomes("siblings") if isinstance(task, Task))
