"""Purposes: why an action is asked for, and that it demands nothing."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from compoworld_tasks_walk import purposes
from compoworld_tasks_walk.render import render, touched
from compoworld_tasks_walk.script import (
    Action,
    Change,
    Drop,
    FactOf,
    Make,
    Mentioned,
    NewId,
    Said,
    Script,
    Trait,
    Value,
)
from compoworld_tasks_walk.tones import REGISTERS, Register

from compoworld_core.cast import fresh_person
from compoworld_core.types import Kind

HERO = fresh_person(Random(3), frozenset())
TITLES = {"desk": "Deskly"}
DUE = FactOf("r1", "due_date", "date")
NUMBER = FactOf("r1", "number", "code")


def mentioned(key: str, noun: str, *traits: Trait, archetype: str = "") -> Mentioned:
    return Mentioned(key, "desk", f"{noun}s", noun, traits, archetype=archetype)


def by_number(key: str, noun: str, number: str, archetype: str = "") -> Mentioned:
    trait = Trait("number", "code", Said(number, "code"))
    return mentioned(key, noun, trait, archetype=archetype)


def script(records: list[Mentioned], *actions: Action, story: str = "renewal") -> Script:
    held = {record.id: record for record in records}
    return Script(held, actions, f"{HERO.company} {story}", HERO, titles=TITLES, words={})


def paid(key: str = "r1", number: int = 1) -> Change:
    return Change(f"c{number}", number, "update_it", key, "status", Said("paid", "status"))


def order_and_ticket() -> Script:
    return script(
        [by_number("r1", "order", "N-1"), by_number("r2", "ticket", "N-2")],
        paid(),
        Drop("c2", 2, "close_ticket", "r2", (("status", "closed"),)),
    )


def texts(register: Register, made: Script, seeds: int = 40) -> list[str]:
    return [render(made, register, Random(seed))[0] for seed in range(seeds)]


# -- reasons ---------------------------------------------------------------------------------


def test_a_payment_is_a_reason() -> None:
    said = texts("request", order_and_ticket())
    assert any("as paid, since the payment has arrived" in each for each in said)


def test_a_reason_may_come_first() -> None:
    said = texts("request", order_and_ticket(), 80)
    assert any("t was settled on the phone, so please close" in each for each in said)


def test_each_reason_is_said_once() -> None:
    made = script(
        [by_number(f"r{n}", "order", f"N-{n}") for n in range(6)],
        *(paid(f"r{n}", n) for n in range(6)),
    )
    said = [each.lower().count("the payment has arrived") for each in texts("chatty", made)]
    assert set(said) == {1}


@pytest.mark.parametrize("register", REGISTERS)
def test_every_register_says_why_a_deed_is_asked_for(register: Register) -> None:
    made = script([by_number("r1", "order", "N-1")], paid())
    assert all("the payment has arrived" in each for each in texts(register, made))


def test_a_deed_that_says_its_own_reason_gets_no_other() -> None:
    made = order_and_ticket()
    given = Change("c1", 0, "cancel_order", "r1", "status", Said("paid", "status"))
    assert purposes.reasons(made, given) == ()
    assert purposes.reasons(made, paid())


def test_the_plans_own_reason_goes_before_that_of_the_story() -> None:
    closed = Drop("c2", 2, "close_ticket", "r2", (("status", "closed"),), why="it is a twin")
    assert purposes.reasons(order_and_ticket(), closed) == ("it is a twin",)


def test_the_archetype_that_the_planner_knows_counts_more_than_the_noun() -> None:
    row = by_number("r1", "order record", "N-1", archetype="document")
    assert purposes.reasons(script([row]), paid()) == ()
    assert purposes.reasons(script([by_number("r1", "order record", "N-1")]), paid())


def test_what_depends_has_no_reason_of_the_story() -> None:
    value = Change("c1", 0, "update_it", "r1", "note", DUE)
    assert purposes.reasons(order_and_ticket(), value) == ()


# -- aims ------------------------------------------------------------------------------------


def add(noun: str, value: Any, archetype: str = "") -> tuple[Script, Action]:
    new = Make("c3", 1, f"add_{noun}", "c3", (), (("body", (value,)),), (), (), "r1")
    held = [by_number("r1", "order", "N-1"), mentioned("c3", noun, archetype=archetype)]
    return script(held, new), new


@pytest.mark.parametrize(
    ("noun", "aim"),
    [
        ("message", "to keep them posted"),
        ("comment", "so that the team has it at hand"),
        ("task", "so that it does not slip through"),
        ("reminder", "so that I don't forget to call them"),
        ("meeting", "to make time for them"),
        ("page", "to have this written down"),
    ],
)
def test_a_new_record_is_for_something(noun: str, aim: str) -> None:
    assert aim in purposes.aims(*add(noun, DUE))


def test_a_number_in_a_comment_is_a_cross_reference() -> None:
    assert "as a cross-reference" in purposes.aims(*add("comment", NUMBER, "comment"))
    assert "as a cross-reference" not in purposes.aims(*add("comment", DUE, "comment"))


def put(value: Value, field: str, archetype: str) -> tuple[Script, Action]:
    change = Change("c1", 1, "update_it", "r2", field, value)
    held = [by_number("r1", "order", "N-1"), by_number("r2", archetype, "N-2", archetype)]
    return script(held, change), change


def test_a_date_that_is_set_is_for_what_its_record_is() -> None:
    assert "so that the forecast is right" in purposes.aims(*put(DUE, "closedate", "deal"))
    assert "so that it is done in time" in purposes.aims(*put(DUE, "due_date", "work"))
    assert purposes.aims(*put(DUE, "due_date", "channel")) == ()


def test_a_fact_in_a_note_is_for_reference() -> None:
    assert "for reference" in purposes.aims(*put(NUMBER, "memo", "customer"))
    assert "for reference" in purposes.aims(*put(NewId("r1"), "notes", "deal"))


def test_what_the_instruction_gives_itself_has_no_aim() -> None:
    assert purposes.aims(order_and_ticket(), paid()) == ()


CONDITIONS = {"if", "once", "unless", "until", "as soon as"}


def test_no_aim_sets_a_condition() -> None:
    nouns = ("message", "comment", "task", "reminder", "meeting", "page", "project")
    said = [aim for noun in nouns for aim in purposes.aims(*add(noun, DUE))]
    said += purposes.aims(*add("comment", NUMBER, "comment"))
    for archetype in ("deal", "work", "document", "bill", "project"):
        said += purposes.aims(*put(DUE, "due_date", archetype))
    assert len(said) > 15
    for phrase in said:
        assert not any(f" {word} " in f" {phrase} " for word in CONDITIONS)


# -- what an action speaks of ----------------------------------------------------------------


def test_records_that_a_description_names_are_touched() -> None:
    whose = Trait("customer", "id", FactOf("r1", "id", "id"), "r1")
    made = script([by_number("r1", "customer", "N-1"), mentioned("r2", "order", whose)])
    assert touched(made, Drop("c1", 0, "x", "r2")) == {"r1", "r2"}


def test_a_record_is_looked_up_to_see_whose_it_is() -> None:
    led: Kind = "email"
    buyer = mentioned("r2", "customer", Trait("email", led, FactOf("r1", "email", led)))
    made = script([by_number("r1", "order", "N-1"), buyer])
    assert purposes.questions(made, "r2", ["r1"]) == ("whose it is",)
    assert purposes.questions(made, "r2", []) == ()
