"""Which services go together, and what a plan over them may not do."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from compoworld_tasks_walk import search, topics
from compoworld_tasks_walk.casts import draw_cast, reaches
from compoworld_tasks_walk.catalogue import Barren, Catalogue
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.hero import anchors, drawn
from compoworld_tasks_walk.parties import keys_of
from compoworld_tasks_walk.patterns import PATTERNS
from compoworld_tasks_walk.patterns.copying import MOST
from compoworld_tasks_walk.script import Make
from compoworld_tasks_walk.search import plans
from compoworld_tasks_walk.sinks import news

pytestmark = pytest.mark.timeout(600)  # the first test of a changed core learns all tools

SEEDS = range(12)


def empty(catalogue: Catalogue, seed: int) -> Draft:
    """A plan that knows no more than its story and whom it is about."""
    rng = Random(seed)
    hero = drawn(catalogue, rng)
    topic = topics.draw(rng, hero.person.company)
    draft = Draft(catalogue, ("",) * 7, rng, topic, hero)
    draft.known += anchors(hero)
    return draft


@pytest.fixture(scope="module")
def plans_made(catalogue: Catalogue) -> list[Draft]:
    """Plans over four of all services, one of each seed that has one."""
    names = sorted(catalogue.affordances)
    made = [plans(catalogue, names, 4, 8, Random(seed), shortest=6, count=1) for seed in SEEDS]
    return [draft for found, _ in made for draft in found]


@pytest.mark.parametrize("seed", SEEDS)
def test_each_of_a_cast_tells_another_one_something_unless_it_is_the_end(
    catalogue: Catalogue, seed: int
) -> None:
    draft = empty(catalogue, seed)
    cast, ending = draw_cast(draft, sorted(catalogue.affordances), 4, PATTERNS)
    assert len(set(cast)) == 4
    assert ending in ("", *cast[1:])
    for here in cast:
        others = [to for to in cast if to != here]
        led = any(reaches(draft, here, to, to == ending, PATTERNS) for to in others)
        assert led or here == ending


def test_services_that_tell_one_another_nothing_are_no_cast(catalogue: Catalogue) -> None:
    with pytest.raises(Barren, match="nobody would carry anything"):
        draw_cast(empty(catalogue, 1), ["google_calendar", "stripe"], 2, PATTERNS)


def test_a_walk_visits_its_whole_cast_and_ends_where_it_has_to(
    plans_made: list[Draft],
) -> None:
    made = len(plans_made)  # a failure would show the plans, which hold whole worlds
    assert made > len(SEEDS) // 2
    for draft in plans_made:
        assert set(draft.walk) == set(draft.services)
        assert draft.ending in ("", draft.walk[-1])
        assert all(here != there for here, there in pairwise(draft.walk))


def test_a_walk_that_leads_nowhere_gives_up_its_ending_and_goes_on(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft, tried = empty(catalogue, 1), []
    draft.services, draft.ending, draft.kept = ("gmail", "linear", "stripe"), "stripe", "price"

    def edge(draft: Draft, number: int, *rest: object) -> None:
        tried.append((number, draft.ending, draft.kept))
        if draft.ending:
            raise Barren("nothing leads on")

    monkeypatch.setattr(search, "_edge", edge)
    search.build(draft, PATTERNS, 7, least_writes=0)
    assert tried[:3] == [(0, "stripe", "price"), (0, "", ""), (1, "", "")]


def test_a_text_names_only_what_a_visit_looks_for(plans_made: list[Draft]) -> None:
    named = 0
    for draft in plans_made:
        followed = [fact.names for fact in draft.carried]
        for rec in draft.records.values():
            for field, said in rec.pair.said.items() if rec.pair else ():
                for one in said if len(said) > 1 else ():
                    if one.names is None:
                        continue
                    kept = any(one.names is names for names in followed)
                    assert (one.sentence(one.hero) in rec.hero[field]) == kept
                    named += kept
    assert named


def test_nothing_is_copied_to_and_fro(plans_made: list[Draft]) -> None:
    copied = [pair for draft in plans_made for pair in draft.told]
    assert copied
    for draft in plans_made:
        between = [frozenset(pair) for pair in draft.told]
        assert len(set(between)) == len(between)


def test_no_record_is_remarked_on_again_and_again(plans_made: list[Draft]) -> None:
    remarks = Counter(
        (number, action.parent)
        for number, draft in enumerate(plans_made)
        for action in draft.actions
        if isinstance(action, Make) and action.parent
    )
    assert max(remarks.values()) <= MOST


def test_customers_are_not_told_what_they_wrote(plans_made: list[Draft]) -> None:
    mailed = {True: 0, False: 0}
    for draft in plans_made:
        assert draft.hero is not None
        theirs = keys_of(draft.hero.person)
        for carry, fact in zip(draft.carries, draft.carried, strict=True):
            for action in draft.actions:
                if isinstance(action, Make) and action.visit == carry.edge + 1:
                    to_them = any(said.value in theirs for _, said in action.said)
                    mailed[to_them] += 1
                    assert news(draft, fact) or not to_them
    assert all(mailed.values())
