"""Stories: a reason for every deed, said with that deed alone, and texts that can be read."""

from __future__ import annotations

import re
from random import Random

import pytest
from compoworld_tasks_walk import purposes, stories
from compoworld_tasks_walk.archetypes import ARCHETYPES
from compoworld_tasks_walk.patterns.targets import FORMS
from compoworld_tasks_walk.plots import Matter, Story
from compoworld_tasks_walk.render import render
from compoworld_tasks_walk.script import Change, Drop, Mentioned, Said, Script, Trait
from compoworld_tasks_walk.storybook import STORIES
from compoworld_tasks_walk.tones import Register

from compoworld_core import facts
from compoworld_core.cast import fresh_person

HERO = fresh_person(Random(3), frozenset())
VALUES = {"date": "2026-11-05", "money": "1250.40"}
CONDITIONS = {"if", "once", "until", "unless", "when", "whenever", "provided"}

Deed = tuple[str, str]
named = pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
MATTERS = {
    f"{story.name}: {matter.name}": matter
    for story in (*STORIES, stories.of("anything"))
    for matter in story.matters
}


def script(story: str, *archetypes: str) -> Script:
    """A script that turns the status of one record of each of these archetypes."""
    records = {
        f"r{n}": Mentioned(
            f"r{n}", "desk", f"{archetype}s", archetype,
            (Trait("number", "code", Said(f"N-{n:03d}", "code")),), archetype=archetype,
        )
        for n, archetype in enumerate(archetypes)
    }  # fmt: skip
    return Script(records, (), f"{HERO.company} {story}", HERO, {"desk": "Deskly"})


def turn(number: int, word: str) -> Change:
    return Change(f"c{number}", number, "update_it", f"r{number}", "mark", Said(word, "status"))


# -- openings --------------------------------------------------------------------------------


@named
def test_every_opening_names_the_customer_once(story: Story) -> None:
    assert len(set(story.openings)) >= 3
    for opening in story.openings:
        assert opening.count("{}") == 1
        assert opening[:1] in "{ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        assert opening.endswith(".")


@named
def test_no_opening_sets_a_condition(story: Story) -> None:
    for opening in story.openings:
        assert not CONDITIONS & set(re.findall(r"[a-z]+", opening.lower()))


def test_openings_are_drawn_of_the_story_and_no_other() -> None:
    drawn = {stories.opening("outage", Random(seed)) for seed in range(40)}
    assert drawn == set(stories.of("outage").openings)


def test_two_stories_do_not_begin_alike() -> None:
    openings = [opening for story in STORIES for opening in story.openings]
    assert len(set(openings)) == len(openings)


# -- matters ---------------------------------------------------------------------------------


@pytest.mark.parametrize("matter", MATTERS.values(), ids=MATTERS)
def test_both_sentences_of_a_matter_state_exactly_one_fact_of_its_kind(matter: Matter) -> None:
    value = VALUES[matter.kind]
    for form in (matter.first, matter.later):
        assert form.count("{}") == 1
        said = form.format(facts.render(matter.kind, value))
        assert facts.equal(matter.kind, facts.grep(matter.kind, said), value), said


@pytest.mark.parametrize("matter", MATTERS.values(), ids=MATTERS)
def test_a_correction_is_another_sentence(matter: Matter) -> None:
    assert matter.first != matter.later


@named
def test_every_story_has_a_day_and_an_amount_to_write_about(story: Story) -> None:
    assert {matter.kind for matter in story.matters} == {"date", "money"}


@pytest.mark.parametrize("form", FORMS)
def test_a_text_that_names_a_record_states_nothing_else(form: str) -> None:
    assert form.count("{}") == 1
    for kind in ("date", "money", "quantity", "code"):
        assert facts.find(kind, form.format("it")) == []


# -- deeds -----------------------------------------------------------------------------------


@named
def test_deeds_are_done_to_what_there_is(story: Story) -> None:
    assert len(story.deeds) >= 10
    assert {archetype for archetype, _ in story.deeds} <= set(ARCHETYPES)


@named
def test_reasons_are_clauses(story: Story) -> None:
    for why in story.deeds.values():
        for reason in why:
            assert reason[:1].islower() or reason.startswith("I ")
            assert not reason.endswith((".", ","))
            assert not {"if", "unless", "please"} & set(reason.split())
            assert "{}" not in reason


@named
def test_a_deed_has_the_reasons_of_its_story(story: Story) -> None:
    for (archetype, word), why in story.deeds.items():
        made = script(story.name, archetype)
        assert purposes.reasons(made, turn(0, word)) == why
        assert purposes.reasons(made, turn(0, word.upper())) == why
        done = Drop("c0", 0, "update_it", "r0", (("state", word),))
        assert purposes.reasons(made, done) == why


@named
def test_what_is_no_deed_of_the_story_has_no_reason(story: Story) -> None:
    deeds = {deed for other in STORIES for deed in other.deeds}
    foreign = sorted(deeds - set(story.deeds))
    assert foreign
    for archetype, word in foreign:
        assert purposes.reasons(script(story.name, archetype), turn(0, word)) == ()


def test_without_a_story_nothing_has_a_reason() -> None:
    assert stories.of("anything").deeds == {}
    assert stories.reasons("anything", "order", ["cancelled"]) == ()


def said_with(story: Story, register: Register, seed: int) -> dict[str, list[Deed]]:
    """Reason → the deeds in whose sentence a drawn text gives it."""
    rng = Random(seed)
    deeds = rng.sample(sorted(story.deeds), 8)
    made = script(story.name, *(archetype for archetype, _ in deeds))
    actions = tuple(turn(number, word) for number, (_, word) in enumerate(deeds))
    made = Script(made.records, actions, made.topic, made.hero, made.titles)
    told, _ = render(made, register, rng)
    known = {reason for why in story.deeds.values() for reason in why}
    found: dict[str, list[Deed]] = {}
    for sentence in re.split(r"(?<=[.?!])\s+", told):
        for reason in sorted(known):
            if reason.lower() in sentence.lower():
                numbers = [int(digits) for digits in re.findall(r"N-(\d{3})", sentence)]
                found.setdefault(reason, []).extend(deeds[number] for number in numbers)
    return found


@named
def test_a_reason_is_said_only_with_its_deed_and_once(story: Story) -> None:
    heard: set[str] = set()
    for seed in range(24):
        for register in ("request", "email", "ticket", "handover"):
            found = said_with(story, register, seed)
            for reason, deeds in found.items():
                assert len(deeds) == 1, f"{reason!r} is said with {deeds}"
                assert reason in story.deeds[deeds[0]]
            heard |= set(found)
    possible = {reason for why in story.deeds.values() for reason in why}
    assert len(heard) > 0.8 * len(possible), sorted(possible - heard)


# -- words of a deed -------------------------------------------------------------------------


def test_the_state_that_results_tells_more_than_the_tool() -> None:
    words = stories.words_of("refund_order", {"financialStatus": "VOID"})
    assert words[0] == "void"
    assert words.index("refund") > 0
    assert "financial" in words


def test_whether_a_flag_is_up_is_no_word() -> None:
    assert stories.words_of("pin_message", {"is_pinned": True})[0] == "pin"


def test_the_most_telling_word_that_belongs_to_the_story_gives_the_reason() -> None:
    both = stories.reasons("damaged delivery", "order", ["zorb", "refund", "cancel"])
    assert both == stories.of("damaged delivery").deeds["order", "refund"]
