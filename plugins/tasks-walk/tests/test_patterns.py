"""Each pattern by itself: its tasks contain it, and what its edge carries decides."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from compoworld_tasks_walk.patterns import PATTERNS

from compoworld_core.environment import Environment
from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.generation import Rejection, Request, attempt, load_generator
from compoworld_core.proof.case import start_environment
from compoworld_core.proof.player import play
from compoworld_core.proof.probes.edges import changed_start
from compoworld_core.proof.verdict import judge
from compoworld_core.records import Task
from compoworld_core.world import World

# the first test of a changed core learns all tools anew, on however loaded a machine
pytestmark = pytest.mark.timeout(600)

ALONE = {
    "join": ("join", "update"),
    "update": ("update",),
    "copy": ("copy",),
    "create": ("create", "copy"),
    "each": ("each", "update"),
    "aggregate": ("aggregate", "copy", "update"),
}
"""Pattern → the fewest patterns with which it makes tasks: a read needs a write after it."""

MOST_TRIES = 60

Found = Callable[[str], Task]


def start_of(world: World, task: Task) -> Environment:
    names = tuple(sorted((*task.services, *task.distractors)))
    return start_environment(world.services, world.states, task.s0.patches, names)


@pytest.fixture(scope="module")
def found(world: World, request_of: Callable[..., Request]) -> Found:
    """`found(pattern)`: the first accepted task that contains it, made with little else."""
    generator = load_generator("walk")

    @cache
    def search(pattern: str) -> Task:
        asked = request_of(patterns=ALONE[pattern], k=2, walk=(3, 4), distractors=1)
        for index in range(MOST_TRIES):
            outcome = attempt(world, generator, asked, index)
            if isinstance(outcome, Task) and pattern in outcome.provenance["patterns"]:
                return outcome
        pytest.fail(f"no task with {pattern} in {MOST_TRIES} tries")

    return search


def test_every_pattern_is_tried_here() -> None:
    assert sorted(ALONE) == sorted(pattern.name for pattern in PATTERNS)


@pytest.mark.parametrize("pattern", ALONE)
def test_patterns_narrow_what_visits_do(found: Found, pattern: str) -> None:
    task = found(pattern)
    first, *others = task.provenance["patterns"]
    assert first == "start"
    assert len(others) == len(task.walk) - 1
    assert set(others) <= set(ALONE[pattern])


@pytest.mark.parametrize("pattern", ALONE)
def test_what_the_edge_into_a_pattern_carries_decides_the_outcome(
    world: World, found: Found, pattern: str
) -> None:
    task = found(pattern)
    visits = [n for n, name in enumerate(task.provenance["patterns"]) if name == pattern]
    initial = start_of(world, task)
    for visit in visits:
        others = [w for w in task.certificate.worlds if w.edge == visit - 1]
        assert others
        for other in others:
            changed = changed_start(initial, other)
            here = play(task.reference, initial.fork())
            there = play(task.reference, changed.fork())
            assert judge(task.criteria, task.gates, initial, here.environment).success
            assert not judge(task.criteria, task.gates, changed, there.environment).success


def test_a_set_is_changed_as_a_whole_and_its_siblings_stay(found: Found) -> None:
    task = found("each")
    goals = {goal.step: goal.id for goal in task.reference.goals}
    criteria = {criterion.id: criterion for criterion in task.criteria}
    each = [criteria[goals[s.id]] for s in task.reference.steps if s.foreach and s.write]
    assert each
    for criterion in each:
        assert len({target.key for target in criterion.targets}) >= 2


def test_an_aggregate_carries_a_figure_that_no_row_need_hold(found: Found) -> None:
    task = found("aggregate")
    assert "aggregate" in {carry.source for carry in task.reference.carries}


def test_an_unknown_pattern_is_wrong_usage(
    world: World, request_of: Callable[..., Request]
) -> None:
    with pytest.raises(UnknownName, match=r"'joyn'.*join"):
        attempt(world, load_generator("walk"), request_of(patterns=("joyn",)), 0)


@pytest.mark.parametrize("options", [{"shadow": False}, {"registers": ["shouting"]}])
def test_an_unknown_option_is_wrong_usage(
    world: World, request_of: Callable[..., Request], options: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match="The walk generator has: plans, registers"):
        attempt(world, load_generator("walk"), request_of(options=options), 0)


def test_the_registers_can_be_chosen(tries: Callable[..., list[Task | Rejection]]) -> None:
    made = tries(12, options={"registers": ["ticket"]})
    registers = {t.provenance["register"] for t in made if isinstance(t, Task)}
    assert registers == {"ticket"}


def test_only_the_named_services_are_walked_over(
    tries: Callable[..., list[Task | Rejection]],
) -> None:
    names = ("gmail", "hubspot", "stripe", "zendesk")
    made = [t for t in tries(12, services=names) if isinstance(t, Task)]
    assert made
    for task in made:
        assert set(task.walk) <= set(names)
        assert task.distractors
