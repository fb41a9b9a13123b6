"""A permission that we lack forces a second way; with it, the first one is right."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compoworld_core.environment import Environment
from compoworld_core.plan import Step
from compoworld_core.proof.player import Replay, play
from compoworld_core.proof.probes.edges import DECISION, changed_start
from compoworld_core.proof.verdict import judge
from compoworld_core.records import Task

# the first test of a changed core learns all tools anew, on however loaded a machine
pytestmark = pytest.mark.timeout(600)

Found = Callable[..., Task]
StartOf = Callable[[Task], Environment]


def ways(task: Task) -> tuple[Step, Step]:
    """The step that is refused, and what is done instead."""
    (first,) = [step for step in task.reference.steps if step.may_fail]
    (second,) = [step for step in task.reference.steps if step.when is not None]
    return first, second


def repeated(task: Task, replay: Replay, start: Environment, *left_out: str) -> bool:
    """Do a replay's writes, some left out, pass from another start?"""
    final = start.fork()
    writes = {step.id for step in task.reference.steps if step.write} - set(left_out)
    for call in replay.calls:
        if call.step in writes:
            final.call(call.tool, call.arguments)
    return judge(task.criteria, task.gates, start, final).success


def allowed(task: Task, initial: Environment) -> Environment:
    """s0 of the world in which the permission is there."""
    first, _ = ways(task)
    (world,) = [
        world
        for world in task.certificate.worlds
        if (world.edge, world.service) == (DECISION, first.service)
    ]
    return changed_start(initial, world)


def test_the_first_way_is_refused_for_want_of_a_permission(
    start_of: StartOf, found: Found
) -> None:
    task = found("permission")
    first, second = ways(task)
    replay = play(task.reference, start_of(task).fork())
    assert replay.scope.outputs[first.id].code == "permission_denied"
    assert replay.played(second.id)


def test_with_the_permission_the_first_way_is_taken(start_of: StartOf, found: Found) -> None:
    task = found("permission")
    first, second = ways(task)
    replay = play(task.reference, allowed(task, start_of(task)).fork())
    assert replay.played(first.id)
    assert second.id not in replay.scope.outputs


def test_what_is_done_instead_is_needed(start_of: StartOf, found: Found) -> None:
    task = found("permission")
    _, second = ways(task)
    initial = start_of(task)
    replay = play(task.reference, initial.fork())
    assert repeated(task, replay, initial)
    assert not repeated(task, replay, initial, second.id)


def test_both_ways_at_once_are_wrong_where_the_first_one_works(
    start_of: StartOf, found: Found
) -> None:
    task = found("permission")
    initial = start_of(task)
    both = play(task.reference, initial.fork())
    assert not repeated(task, both, allowed(task, initial))


def test_the_instruction_says_both_ways(found: Found) -> None:
    text = found("permission").instruction.lower()
    assert "try to" in text
    assert any(word in text for word in ("allow", "permission"))
