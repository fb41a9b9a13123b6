"""A draft that went back to a mark is as it was there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from compoworld_tasks_walk.catalogue import Barren, Catalogue
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.learning import affordances
from compoworld_tasks_walk.patterns.pattern import describe, facts_of
from compoworld_tasks_walk.planting import Planter
from compoworld_tasks_walk.surveying import catalogue_of

from compoworld_core.generation import Request
from compoworld_core.world import World

pytestmark = pytest.mark.timeout(600)  # the first test of a changed core learns all tools


@pytest.fixture(scope="module")
def catalogue(world: World, request_of: Callable[..., Request]) -> Catalogue:
    names = request_of().services
    return catalogue_of(world, {name: affordances(world.services[name]) for name in names})


def described(catalogue: Catalogue, seed: int) -> Draft:
    """A draft whose first visit describes a record."""
    for service in sorted(catalogue.affordances):
        draft = Draft(catalogue, (service,) * 3, Random(seed), "the spring fair")
        try:
            draft.known += facts_of(draft, describe(draft, 0), 0)
        except Barren:
            continue
        if draft.known:
            return draft
    raise AssertionError("no service has a record that can be described")


def go_on(draft: Draft, visit: int) -> None:
    """One more visit; one that comes to nothing leaves rows behind too."""
    with suppress(Barren):
        describe(draft, visit)


def standing(draft: Draft) -> dict[str, Any]:
    """All that patterns may change."""
    return {
        "steps": list(draft.steps),
        "selections": list(draft.selections),
        "known": [(fact.field, fact.expr) for fact in draft.known],
        "records": {key: dict(rec.got) for key, rec in draft.records.items()},
        "mentioned": dict(draft.mentioned),
        "rows": [planted.row["id"] for planted in draft.planter.rows],
        "reserved": list(draft.planter.reserved),
        "taken": set(draft.planter.taken),
        "score": draft.score,
        "signed": draft.signed,
    }


@pytest.mark.parametrize("seed", range(4))
def test_nothing_stays_of_what_came_after_the_mark(catalogue: Catalogue, seed: int) -> None:
    draft = described(catalogue, seed)
    mark, before = draft.mark(), standing(draft)
    for fact in draft.known:
        draft.use(fact)
    go_on(draft, 1)
    draft.signed = "someone@else.example"
    changed = standing(draft)
    assert all(changed[part] != before[part] for part in ("rows", "taken", "signed"))
    draft.back(mark)
    assert standing(draft) == before


def test_a_mark_serves_twice(catalogue: Catalogue) -> None:
    draft = described(catalogue, 5)
    mark, before = draft.mark(), standing(draft)
    for visit in (1, 2):
        go_on(draft, visit)
        draft.back(mark)
        assert standing(draft) == before


def test_a_planter_frees_the_names_that_it_reserved(catalogue: Catalogue) -> None:
    planter = Planter(catalogue, Random(1))
    profile = next(p for p in catalogue.tables.values() if len(p.rows) > 3)
    mark = planter.mark()
    planter.reserve(profile, "id", profile.rows[0].id)
    planter.plant(profile, "hero")
    planter.back(mark)
    assert planter == Planter(catalogue, planter.rng)
