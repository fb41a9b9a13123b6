"""What a plan sees before it goes there, and what texts are made to say for it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from compoworld_tasks_walk import stories, topics
from compoworld_tasks_walk.catalogue import Barren, Catalogue
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.hero import anchors, drawn
from compoworld_tasks_walk.known import NEVER, Known
from compoworld_tasks_walk.outlook import Onward, admits, options_of, usable
from compoworld_tasks_walk.patterns import PATTERNS, finding, informing
from compoworld_tasks_walk.patterns.statement import Statement
from compoworld_tasks_walk.script import Stated

pytestmark = pytest.mark.timeout(600)  # the first test of a changed core learns all tools

WRITES = ("message", "work")


@pytest.fixture
def empty(catalogue: Catalogue) -> Callable[[int], Draft]:
    """`empty(visits)`: a plan that has not begun, to be about mail."""

    def make(visits: int) -> Draft:
        rng = Random(7)
        hero = drawn(catalogue, rng)
        topic = topics.draw(rng, hero.person.company)
        draft = Draft(catalogue, ("gmail",) * visits, rng, topic, hero)
        draft.known = anchors(hero)
        return draft

    return make


def address(draft: Draft) -> Known:
    """The customer's address, by which their mails are found."""
    return next(fact for fact in draft.known if fact.visit == NEVER and fact.kind == "email")


def read(draft: Draft, matter: stories.Matter) -> set[str]:
    """What the text says that is read for a matter."""
    for option in Statement().options(draft, 0, address(draft)):
        (told,) = option.tells
        assert isinstance(told.value, Stated)
        if told.value.name == matter.name:
            option.apply()
            return {fact.value.name for fact in draft.known if isinstance(fact.value, Stated)}
    raise AssertionError(f"no text says the {matter.name}")


def test_a_text_says_what_it_is_read_for(empty: Callable[[int], Draft]) -> None:
    for matter in stories.of(empty(2).story).matters:
        assert matter.name in read(empty(2), matter)


def test_a_text_says_a_second_thing_only_where_enough_is_left(
    empty: Callable[[int], Draft],
) -> None:
    matter = stories.of(empty(2).story).matters[0]
    assert len(read(empty(2), matter)) == 2
    assert len(read(empty(40), matter)) == 1


def test_a_way_that_finds_nothing_is_no_way(
    empty: Callable[[int], Draft], catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = empty(2)
    assert list(informing.texts(draft, 0, address(draft), WRITES))

    def lost(*args: object, **kwargs: object) -> None:
        raise Barren("it is found nowhere")

    monkeypatch.setattr(catalogue, "sound", {})
    monkeypatch.setattr(informing, "by_tie", lost)
    assert not list(informing.texts(draft, 0, address(draft), WRITES))


def test_whether_a_way_finds_something_is_tried_once(
    empty: Callable[[int], Draft], catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def found(*args: object, **kwargs: object) -> object:
        tried.append(args)
        return finding.by_tie(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(catalogue, "sound", {})
    monkeypatch.setattr(informing, "by_tie", found)
    draft = empty(2)
    first = list(informing.texts(draft, 0, address(draft), WRITES))
    count = len(tried)
    assert count
    assert list(informing.texts(draft, 0, address(draft), WRITES)) == first
    assert len(tried) == count


def test_a_fact_is_admitted_exactly_where_something_can_be_done_with_it(
    drafts: Callable[..., list[Draft]],
) -> None:
    seen = set()
    for draft in drafts(6):
        for visit in range(1, len(draft.walk) - 1):
            there = usable(draft, visit, PATTERNS)
            open_ = [pattern for pattern in PATTERNS if pattern.name in there]
            for fact in [fact for fact in draft.known if fact.visit == visit - 1]:
                done = bool(options_of(draft, visit, open_, [fact]))
                assert admits(draft, visit, fact, there) == done, (draft.walk, fact)
                seen.add(done)
    assert seen == {True, False}


def test_a_visit_that_closes_all_that_it_could_tell_has_nothing_left(
    empty: Callable[[int], Draft],
) -> None:
    draft = empty(4)
    draft.services = ("gmail", "linear", "zendesk")
    passing_on = [pattern for pattern in PATTERNS if pattern.name in ("statement", "copy")]
    left = Onward(draft, 0, passing_on, 4)
    assert left.leaves()
    assert left.leaves("labels")
    assert not left.leaves("messages")
