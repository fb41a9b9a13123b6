"""Proofs: tasks generated and proven a second, the time of a certificate and of a verdict."""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import Final

from attrs import frozen

from compoworld_core.bench.clock import median_us
from compoworld_core.environment import Environment
from compoworld_core.generation import Rejection, Request, attempt, load_generator
from compoworld_core.proof.case import start_environment
from compoworld_core.proof.certificate import candidate_of, prove
from compoworld_core.proof.player import play
from compoworld_core.proof.verdict import judge
from compoworld_core.records import Task
from compoworld_core.world import World, draw_world

_LEAST_TRIES: Final = 6
_CRITERIA: Final = 10
_PROVEN: Final = 8
"""Certificates that are timed."""


@frozen
class Rate:
    """What a while of generating came to."""

    per_second: float
    accepted: int
    tried: int
    tasks: tuple[Task, ...]
    world: World


def generation_rate(
    services: tuple[str, ...], scale: int, seconds: float, generator: str
) -> Rate:
    """Generate and prove K=5 tasks in this process for a while, with warm affordances."""
    world = draw_world(services, 0, scale)
    request = Request(n=1, k=min(5, len(services)), scale=scale, generator=generator)
    made = load_generator(generator)
    attempt(world, made, request, 0)  # learns affordances, where no cache holds them
    tasks: list[Task] = []
    tried = 0
    start = perf_counter()
    while tried < _LEAST_TRIES or perf_counter() - start < seconds:
        tried += 1
        result = attempt(world, made, request, tried)
        if not isinstance(result, Rejection):
            tasks.append(result)
    took = perf_counter() - start
    return Rate(len(tasks) / took, len(tasks), tried, tuple(tasks), world)


def certificate_ms(rate: Rate) -> float | None:
    """The median time in which an accepted task is proven again."""
    times = []
    for task in rate.tasks[:_PROVEN]:
        initial = _initial(rate.world, task)
        candidate = candidate_of(task)
        start = perf_counter()
        prove(candidate, initial, task.s0.bases)
        times.append(perf_counter() - start)
    return median(times) * 1e3 if times else None


def verdict_us(rate: Rate, seconds: float) -> float | None:
    """The time of a verdict on the longest rubric there is, for ten criteria of its kind."""
    if not rate.tasks:
        return None
    task = max(rate.tasks, key=lambda each: len(each.criteria))
    initial = _initial(rate.world, task)
    final = play(task.reference, initial.fork()).environment
    took = median_us(lambda: judge(task.criteria, task.gates, initial, final), seconds)
    return took * _CRITERIA / len(task.criteria)


def _initial(world: World, task: Task) -> Environment:
    names = tuple(sorted((*task.services, *task.distractors)))
    return start_environment(world.services, world.states, task.s0.patches, names)
