"""Reduced tasks for small models: closed pools of names, one deed; proven as all others are."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from compoworld_tasks_walk import hero as heroes
from compoworld_tasks_walk.catalogue import Catalogue
from compoworld_tasks_walk.generator import WalkGenerator
from compoworld_tasks_walk.parties import Circle, keys_of

from compoworld_core.errors import CompoWorldError, UsageError
from compoworld_core.generation import Rejection, Request
from compoworld_core.records import Task

Requests = Callable[..., Request]
Tries = Callable[..., list[Task | Rejection]]

pytestmark = pytest.mark.timeout(600)  # the first test of a changed core learns all tools

SHORT = {
    "k": 2, "walk": (2, 2), "distractors": 0, "services": ("shopify", "zendesk"),
    "patterns": ("named", "update"),
}  # fmt: skip
POOL = 6


def made(tries: Tries, **options: object) -> list[Task]:
    found = tries(6, **SHORT, options={"registers": ["terse"], **options})
    return [each for each in found if isinstance(each, Task)]


def test_a_walk_of_two_visits_is_a_task_where_one_deed_is_enough(tries: Tries) -> None:
    assert not made(tries)
    tasks = made(tries, least_writes=1)
    assert tasks
    assert {len(task.criteria) for task in tasks} == {1}
    assert {task.certificate.kind for task in tasks} == {"proven"}


def test_a_task_of_one_service_is_proven_like_others(tries: Tries) -> None:
    found = tries(8, k=1, walk=(2, 3), distractors=1, options={"least_writes": 1})
    tasks = [each for each in found if isinstance(each, Task)]
    assert tasks
    assert {len(task.services) for task in tasks} == {1}
    assert all(len(set(task.walk)) == 1 for task in tasks)


def test_customers_of_closed_pools_have_names_that_recur(
    tries: Tries, catalogue: Catalogue
) -> None:
    tasks = made(tries, least_writes=1, pools=POOL)
    circle = Circle.drawn(POOL, 5, catalogue.tokens)
    assert len(tasks) > 2
    for task in tasks:
        emails = [span.target for span in task.spans if "@" in (span.target or "")]
        assert emails
        for email in emails:
            assert email.removesuffix(".example").partition("@")[2].capitalize() in (
                circle.companies
            )


def test_a_circle_is_small_and_its_people_are_new(catalogue: Catalogue) -> None:
    circle = Circle.drawn(POOL, 1, catalogue.tokens)
    assert circle == Circle.drawn(POOL, 1, catalogue.tokens)
    assert circle != Circle.drawn(POOL, 2, catalogue.tokens)
    rng = Random(0)
    people = [circle.person(rng, catalogue.tokens) for _ in range(60)]
    for names in ([p.first for p in people], [p.last for p in people]):
        assert 1 < len(set(names)) <= POOL
        assert max(map(len, names)) <= 8
    assert len({person.name for person in people}) > POOL  # combined freely
    assert not {person.email for person in people} & catalogue.tokens


def test_the_two_parties_of_a_task_share_nothing(catalogue: Catalogue) -> None:
    closed = Catalogue(catalogue.world, catalogue.affordances, catalogue.tables)
    closed.tokens, closed.circle = catalogue.tokens, Circle.drawn(4, 1, catalogue.tokens)
    for seed in range(20):
        pair = heroes.drawn(closed, Random(seed))
        assert not set(keys_of(pair.person)) & set(keys_of(pair.rival))


def test_a_circle_that_is_used_up_says_so(catalogue: Catalogue) -> None:
    circle = Circle.drawn(4, 1, catalogue.tokens)
    taken = catalogue.tokens | {name.casefold() for name in circle.companies}
    with pytest.raises(CompoWorldError, match="no fresh person of the circle is left"):
        circle.person(Random(0), taken)


def test_pools_too_small_for_two_parties_are_refused(request_of: Requests) -> None:
    with pytest.raises(UsageError, match="pools of at least 4"):
        WalkGenerator().check(request_of(options={"pools": 1}))
