"""What is planted is needed: without it, the proof refuses what it accepts otherwise.

A certificate that accepts everything looks like a good generator; here it would be seen.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from compoworld_core.expressions import Lit
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
    """Does the task pick out one of somebody's records by its state?"""
    return any(
        len(selection.conditions) > 1 and any(kind == "status" for _, kind, _ in each)
        for selection in task.reference.selections
        for each in [selection.conditions]
    )


def stated(task: Task) -> list[list[bool]]:
    """For each description of several conditions: which of them the instruction states.

    What a text names is told apart by the twins of the record, whatever else is planted.
    """
    listed = [selection.conditions for selection in task.reference.selections]
    return [
        [isinstance(e, Lit) for *_, e in each]
        for each in listed
        if len(each) > 1 and not any('"grep"' in e.model_dump_json() for *_, e in each)
    ]


def test_what_passes_without_siblings_narrows_no_carried_key(
    outcomes: Callable[[str], Outcomes],
) -> None:
    full, less = outcomes(""), outcomes("siblings")
    assert any(
        {*each} == {True, False} for t in full if isinstance(t, Task) for each in stated(t)
    )
    assert not any(
        {*each} == {True, False} for t in less if isinstance(t, Task) for each in stated(t)
    )
