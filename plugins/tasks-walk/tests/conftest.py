"""One small world of the installed services, and what one generation made of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pytest
from compoworld_tasks_walk.catalogue import Catalogue
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.learning import affordances
from compoworld_tasks_walk.patterns import PATTERNS
from compoworld_tasks_walk.search import RARE, plans
from compoworld_tasks_walk.surveying import catalogue_of

from compoworld_core.environment import Environment
from compoworld_core.generation import (
    Rejection,
    Request,
    attempt,
    chosen_services,
    load_generator,
    world_services,
)
from compoworld_core.proof.case import start_environment
from compoworld_core.records import Task
from compoworld_core.world import World, draw_world

Tries = Callable[..., list[Task | Rejection]]
"""`tries(count, **of the request)`: the outcomes of the tries 0, 1, …"""

Drafts = Callable[..., list[Draft]]
"""`drafts(count, *patterns)`: plans that are not proven yet, one of each seed."""

Found = Callable[..., Task]
"""`found(pattern, fits)`: the first accepted task that contains a pattern, and fits."""

AT_HOME = ("gmail", "hubspot", "linear", "shopify", "stripe", "zendesk")
"""Services in which most patterns are at home."""
SEEDS = 40

FEW = {
    "join": ("join", "copy", "update", "named"),
    "correction": ("correction", "copy", "create"),
    "statement": ("statement", "copy", "create"),
    "copy": ("statement", "copy"),
}
"""Pattern → few patterns with which it makes tasks; others are found among all of them."""

WALKS = {"write-back": (6, 7)}
"""Pattern → the walks that have room for it; at most a fifth of the edges carry an id."""

WIDE = ("answer", "appointment", "dedup")
"""Patterns that are at home in few places: these are looked for on long walks over all."""

HOMES = {
    "latest": AT_HOME,
    "permission": ("gmail", "linear", "notion", "zendesk"),
    "policy": ("gmail", "google_drive", "hubspot", "notion", "zendesk"),
}
"""Pattern → the services in which it is looked for; plans are steered to what is so rare."""

WANTED = 60.0
"""Weight of the pattern that is looked for."""

MOST_TRIES = 150

SMALL = {"n": 1, "k": 3, "walk": (4, 6), "distractors": 2, "seed": 5, "scale": 120}


@pytest.fixture(scope="session")
def request_of() -> Callable[..., Request]:
    """`request_of(**changes)`: a small request over all installed services."""

    def make(**changes: Any) -> Request:
        asked = Request.model_validate(SMALL | changes)
        return asked.model_copy(update={"services": chosen_services(asked)})

    return make


@pytest.fixture(scope="session")
def world(request_of: Callable[..., Request]) -> World:
    """The world of the small request; nobody writes to it."""
    asked = request_of()
    return draw_world(world_services(asked, asked.services), asked.seed, asked.scale)


@pytest.fixture(scope="session")
def tries(world: World, request_of: Callable[..., Request]) -> Tries:
    """Tries in the small world; the generator keeps what it knows of it."""
    generator = load_generator("walk")

    def run(count: int, **changes: Any) -> list[Task | Rejection]:
        asked = request_of(**changes)
        return [attempt(world, generator, asked, index) for index in range(count)]

    return run


@pytest.fixture(scope="session")
def catalogue(world: World, request_of: Callable[..., Request]) -> Catalogue:
    """What the services of the small world can do."""
    names = request_of().services
    return catalogue_of(world, {name: affordances(world.services[name]) for name in names})


@pytest.fixture(scope="session")
def drafts(catalogue: Catalogue) -> Drafts:
    """Plans over some services of the small world, as the search builds them."""

    def run(
        count: int,
        *patterns: str,
        k: int = 3,
        length: int = 5,
        services: tuple[str, ...] = AT_HOME,
    ) -> list[Draft]:
        found: list[Draft] = []
        for seed in range(SEEDS):
            rng = Random(seed)
            made, _ = plans(catalogue, services, k, length, rng, patterns=patterns, count=1)
            found += made
            if len(found) >= count:
                return found
        raise AssertionError(f"{len(found)} plans of {SEEDS} seeds, {count} were wanted")

    return run


def whatever(task: Task) -> bool:
    return True


@pytest.fixture(scope="session")
def few() -> dict[str, tuple[str, ...]]:
    """Pattern → the few patterns with which `found` looks for it."""
    return FEW


@pytest.fixture(scope="session")
def start_of(world: World) -> Callable[[Task], Environment]:
    """`start_of(task)`: its s0 in the small world."""

    def start(task: Task) -> Environment:
        names = tuple(sorted((*task.services, *task.distractors)))
        return start_environment(world.services, world.states, task.s0.patches, names)

    return start


@pytest.fixture(scope="session")
def found(world: World, request_of: Callable[..., Request]) -> Found:
    """Tasks of each pattern; the generator prefers the one that is looked for."""
    generator = load_generator("walk")

    @cache
    def search(pattern: str, fits: Callable[[Task], bool] = whatever) -> Task:
        wide = pattern in WIDE
        asked = request_of(
            patterns=FEW.get(pattern, ()),
            k=4 if wide else 2 if pattern in FEW else 3,
            walk=(7, 8) if wide else WALKS.get(pattern, (3, 4)),
            distractors=1,
            services=HOMES.get(pattern, () if wide else AT_HOME),
        )
        (liked,) = [each for each in PATTERNS if each.name == pattern]
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(liked, "weight", WANTED)
            patched.setattr(liked, "share", 1.0)
            if wide or pattern in HOMES:  # plans are steered to it as well
                patched.setitem(RARE, pattern, WANTED)
            for index in range(MOST_TRIES):
                outcome = attempt(world, generator, asked, index)
                if not isinstance(outcome, Task):
                    continue
                if pattern in outcome.provenance["patterns"] and fits(outcome):
                    return outcome
        pytest.fail(f"no task with {pattern} that fits in {MOST_TRIES} tries")

    return search
