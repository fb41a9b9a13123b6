"""One small world of the installed services, and what one generation made of it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from compoworld_tasks_walk.catalogue import Catalogue
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.learning import affordances
from compoworld_tasks_walk.search import plans
from compoworld_tasks_walk.surveying import catalogue_of

from compoworld_core.generation import (
    Rejection,
    Request,
    attempt,
    chosen_services,
    load_generator,
    world_services,
)
from compoworld_core.records import Task
from compoworld_core.world import World, draw_world

Tries = Callable[..., list[Task | Rejection]]
"""`tries(count, **of the request)`: the outcomes of the tries 0, 1, …"""

Drafts = Callable[..., list[Draft]]
"""`drafts(count, *patterns)`: plans that are not proven yet, one of each seed."""

AT_HOME = ("gmail", "hubspot", "linear", "shopify", "stripe", "zendesk")
"""Services in which most patterns are at home."""
SEEDS = 40

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
