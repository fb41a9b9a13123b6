"""Motives: nothing is told without one, and what it says sets no condition."""

from __future__ import annotations

import pytest
from compoworld_tasks_walk import motives, purposes, stories
from compoworld_tasks_walk.archetypes import ARCHETYPES
from compoworld_tasks_walk.script import (
    Change,
    Drop,
    FactOf,
    Figure,
    Make,
    Said,
    Shifted,
    Stated,
    Timed,
)

CONDITIONS = {"if", "once", "unless", "as soon as"}
DAY = Stated("r1", "body", "date", "signing date")
SAID = [
    *(reason for row in motives.MOTIVES for reason in row.reasons),
    *(
        reason
        for name in stories.NAMES
        for matter in stories.of(name).matters
        for reason in (matter.know, matter.due, matter.tell)
    ),
]


@pytest.mark.parametrize(
    "row",
    motives.MOTIVES,
    ids=lambda row: "-".join((row.subject, row.target, row.form, *row.stories, *row.reasons)),
)
def test_rows_name_what_there_is(row: motives.Motive) -> None:
    assert row.target == "*" or row.target in (*ARCHETYPES, "letter", "memo")
    assert set(row.stories) <= set(stories.NAMES)
    assert row.worth > 0
    assert all(row.reasons)


def test_no_motive_sets_a_condition() -> None:
    for phrase in SAID:
        assert not any(f" {word} " in f" {phrase} " for word in CONDITIONS), phrase


def test_a_row_of_other_stories_does_not_count() -> None:
    assert motives.motive("renewal", "bill-day", "letter", "text") is not None
    assert motives.motive("damaged delivery", "bill-day", "letter", "text") is None


def test_what_nobody_would_tell_has_no_motive() -> None:
    assert motives.motive("renewal", "", "comment", "text") is None
    assert motives.motive("renewal", "order-number", "comment", "text") is None


@pytest.mark.parametrize(
    ("tool", "effect", "deed"),
    [
        ("refund_order", {"status": "refunded"}, "refunded"),
        ("void_invoice", {"status": "void"}, "voided"),
        ("update_it", {"status": "cancelled"}, "cancelled"),
        ("archive_page", {"archived": True}, "settled"),
    ],
)
def test_a_deed_is_known_by_its_tool_and_its_effect(
    tool: str, effect: dict[str, object], deed: str
) -> None:
    assert motives.deed(Drop("c1", 0, tool, "r1", tuple(effect.items()))) == deed


def test_telling_a_record_a_fact_is_no_deed() -> None:
    assert motives.deed(Change("c1", 0, "update_it", "r1", "due_date", DAY)) == ""
    assert motives.deed(Make("c1", 0, "add_comment", "r1")) == ""


def test_only_days_that_stand_fast_are_reckoned_from() -> None:
    two = Said(2, "quantity")
    before = Shifted(DAY, two, "day", -1)
    assert motives.subject(before, "message", "date") == "early-day"
    renewed = Shifted(FactOf("r1", "renews_on", "date"), two, "day", -1)
    assert motives.subject(renewed, "contract", "date") == "before"
    after = Shifted(DAY, two, "day", 1)
    assert motives.subject(after, "message", "date") == ""
    made = Shifted(FactOf("r1", "created_on", "date"), two, "day", -1)
    assert motives.subject(made, "order", "date") == ""


def test_a_figure_is_of_what_it_sums() -> None:
    assert motives.subject(Figure("sum", "r1", "total", "money"), "bill", "money") == "bill-sum"


def test_a_matter_is_told_to_each_reader_for_a_reason_of_its_own() -> None:
    said = [
        motives.motive("renewal", "agreed-day", target, form, "signing date")
        for target, form in (("comment", "text"), ("letter", "text"), ("work", "date"))
    ]
    assert all(said)
    assert len({row.reasons for row in said if row}) == len(said)


def test_a_customer_is_not_told_what_is_none_of_their_business() -> None:
    lost = ("outage", "agreed-amount")
    assert motives.motive(*lost, "comment", "text", "lost revenue") is not None
    assert motives.motive(*lost, "letter", "text", "lost revenue") is None


def test_a_matter_that_the_story_does_not_know_has_no_motive() -> None:
    assert motives.motive("renewal", "agreed-day", "comment", "text", "full moon") is None


def test_a_day_is_of_the_matter_that_it_is_reckoned_from() -> None:
    two = Said(2, "quantity")
    assert motives.matter_of(Timed(Shifted(DAY, two, "day", -1), "10:00")) == "signing date"
    assert motives.matter_of(FactOf("r1", "due", "date")) == ""


@pytest.mark.parametrize("story", stories.NAMES)
def test_days_by_which_work_is_due_say_what_has_to_be_done(story: str) -> None:
    for matter in stories.of(story).matters:
        assert matter.know
        assert bool(matter.due) == bool(matter.ask) == (matter.kind == "date")


def test_who_hands_an_account_over_keeps_no_reminder_for_it() -> None:
    day = ("agreed-day", "reminder", "datetime")
    assert motives.motive("account review", *day, "next review date") is None
    assert motives.motive("renewal", *day, "signing date") is not None


@pytest.mark.parametrize("story", stories.NAMES)
def test_of_two_facts_there_is_a_reason_that_says_which_it_is_about(story: str) -> None:
    for matter in stories.of(story).matters:
        assert any(not purposes._VAGUE.search(reason) for reason in matter.know), matter.name
