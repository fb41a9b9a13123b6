"""A draft that went back to a mark is as it was there."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import pytest
from compoworld_tasks_walk.catalogue import Barren, Catalogue
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.hero import anchors, drawn
from compoworld_tasks_walk.patterns.records import describe, facts_of
from compoworld_tasks_walk.planting import Planter
from compoworld_tasks_walk.reach import describable

pytestmark = pytest.mark.timeout(600)  # the first test of a changed core learns all tools


def described(catalogue: Catalogue, seed: int) -> Draft:
    """A draft whose first visit describes a record."""
    rng = Random(seed)
    hero = drawn(catalogue, rng)
    for service in sorted(catalogue.affordances):
        for profile in {p.name: p for p, _ in describable(catalogue, service)}.values():
            draft = Draft(catalogue, (service,) * 3, rng, "the spring fair", hero)
            draft.known += anchors(hero)
            try:
                draft.known += facts_of(draft, describe(draft, 0, profile.name), 0)
            except Barren:
                continue
            if len(draft.known) > len(anchors(hero)):
                return draft
    raise AssertionError("no service has a record that can be described")


def go_on(draft: Draft, visit: int) -> None:
    """One more visit; one that comes to nothing leaves rows behind too."""
    draft.walk = (*draft.walk[:visit], "stripe", *draft.walk[visit + 1 :])
    for profile, _ in describable(draft.catalogue, draft.walk[visit]):
        with suppress(Barren):
            describe(draft, visit, profile.name)


def standing(draft: Draft) -> dict[str, Any]:
    """All that patterns may change."""
    return {
        "steps": list(draft.steps),
        "reads": list(draft.reads),
        "selections": list(draft.selections),
        "known": [(fact.field, fact.expr) for fact in draft.known],
        "records": {key: dict(rec.got) for key, rec in draft.records.items()},
        "mentioned": dict(draft.mentioned),
        "rows": [planted.row["id"] for planted in draft.planter.rows],
        "reserved": list(draft.planter.reserved),
        "taken": set(draft.planter.taken),
        "score": draft.score,
        "signed": draft.signed,
        "walk": draft.walk,
    }


@pytest.mark.parametrize("seed", range(4))
def test_nothing_stays_of_what_came_after_the_mark(catalogue: Catalogue, seed: int) -> None:
    draft = described(catalogue, seed)
    mark, before = draft.mark(), standing(draft)
    for fact in draft.known:
        draft.use(fact)
    draft.reads.append("join")
    go_on(draft, 1)
    draft.signed = "someone@else.example"
    changed = standing(draft)
    assert all(changed[part] != before[part] for part in ("rows", "taken", "signed", "walk"))
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
