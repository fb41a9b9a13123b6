"""Topics: the customer's company and the story, and what records of a task are called after."""

from __future__ import annotations

from random import Random

import pytest
from compoworld_tasks_walk import stories, topics

from compoworld_core import pools

TOPIC = "Vesgate Foods late delivery"


def test_a_topic_is_the_company_and_a_story() -> None:
    drawn = {topics.draw(Random(seed), "Vesgate Foods") for seed in range(200)}
    assert drawn == {f"Vesgate Foods {name}" for name in stories.NAMES}


@pytest.mark.parametrize("story", stories.NAMES)
def test_its_parts_are_told_apart_again(story: str) -> None:
    assert topics.parts(f"Vesgate Foods {story}") == ("Vesgate Foods", story)


def test_a_topic_of_no_story_is_its_own_name() -> None:
    assert topics.parts("the spring fair") == ("", "the spring fair")


def test_titles_carry_the_company_and_the_story() -> None:
    rng = Random(0)
    for _ in range(20):
        assert topics.title(TOPIC, rng).startswith("Vesgate Foods late delivery ")
        assert topics.planted(TOPIC, rng).endswith("Vesgate Foods")
        assert topics.slug(TOPIC, rng).startswith("vesgate-delivery-")


def test_a_mail_to_a_colleague_says_what_it_tells() -> None:
    named = topics.title(TOPIC, Random(0), (), "memo", ("{own}: express fee",))
    assert named == "Vesgate Foods: express fee"
    assert topics.title(TOPIC, Random(0), (), "memo").lower().endswith("late delivery")


def test_a_taken_title_is_not_drawn_again() -> None:
    taken: set[object] = set()
    for _ in range(8):
        title = topics.title(TOPIC, Random(0), taken)
        assert title not in taken
        taken.add(title)


@pytest.mark.parametrize("story", stories.NAMES)
def test_no_title_says_a_word_of_the_story_twice(story: str) -> None:
    for seed in range(40):
        title = topics.title(f"Vesgate Foods {story}", Random(seed)).lower()
        assert title.count(title.split()[-1]) == 1


def test_a_planted_title_looks_as_titles_of_the_world_do() -> None:
    for seed in range(20):
        kind, _, rest = topics.planted(TOPIC, Random(seed)).partition("Late delivery ")
        form, _, company = rest.partition(" ")
        assert kind == ""
        assert form in pools.TOPIC_FORMS
        assert company == "Vesgate Foods"


def test_a_short_text_speaks_of_the_matter() -> None:
    said = {topics.sentence(TOPIC, Random(seed)) for seed in range(40)}
    assert len(said) > 1
    assert all("late delivery" in text and "Vesgate Foods" in text for text in said)
