"""Registers: how a text begins, how it is laid out, and how it ends."""

from __future__ import annotations

from random import Random

import pytest
from compoworld_tasks_walk import stories
from compoworld_tasks_walk.render import render
from compoworld_tasks_walk.script import (
    Action,
    Change,
    Drop,
    FactOf,
    Make,
    Mentioned,
    Said,
    Script,
    Trait,
)
from compoworld_tasks_walk.tones import REGISTERS, TONES, Register

from compoworld_core.cast import fresh_person

HERO = fresh_person(Random(3), frozenset())
TITLES = {"desk": "Deskly", "shop": "Shoply"}


def mentioned(key: str, noun: str, *traits: Trait) -> Mentioned:
    return Mentioned(key, "desk", f"{noun}s", noun, traits)


def by_number(key: str, noun: str, number: str) -> Mentioned:
    return mentioned(key, noun, Trait("number", "code", Said(number, "code")))


def script(records: list[Mentioned], *actions: Action) -> Script:
    held = {record.id: record for record in records}
    return Script(held, actions, f"{HERO.company} renewal", HERO, titles=TITLES, words={})


def two_matters() -> Script:
    """Two invoices that have nothing to do with one another, the first with a comment."""
    told = (("body", (FactOf("r1", "due_date", "date"),)),)
    return script(
        [by_number("r1", "invoice", "N-1"), by_number("r2", "order", "N-2"),
         mentioned("c2", "comment")],
        Change("c1", 0, "update_it", "r1", "status", Said("paid", "status")),
        Make("c2", 1, "add_comment", "c2", (), told, (), (), "r1"),
        Drop("c3", 2, "cancel_order", "r2", (("status", "cancelled"),)),
    )  # fmt: skip


def texts(register: Register, made: Script | None = None, seeds: int = 30) -> list[str]:
    return [render(made or two_matters(), register, Random(seed))[0] for seed in range(seeds)]


def test_there_are_at_least_five_registers() -> None:
    assert len(REGISTERS) >= 5
    assert set(TONES) == set(REGISTERS)


def test_registers_differ_in_their_words() -> None:
    assert len({render(two_matters(), r, Random(1))[0] for r in REGISTERS}) == len(REGISTERS)


@pytest.mark.parametrize("register", REGISTERS)
def test_every_register_names_the_customer_first_and_says_why(register: Register) -> None:
    who = f"{HERO.company} ({HERO.name}, {HERO.email})"
    openings = [opening.format(who) for opening in stories.of("renewal").openings]
    for said in texts(register):
        opening = said.partition("N-1")[0]
        assert any(each in opening for each in openings), said
        assert said.count(who) == 1


def test_the_address_of_the_customer_is_said_once() -> None:
    for said in texts("chatty"):
        assert said.count(HERO.email) == said.count(HERO.company) == 1


@pytest.mark.parametrize("register", ["ticket", "handover"])
def test_a_text_with_a_title_names_the_matter_in_it(register: Register) -> None:
    for said in texts(register):
        assert f"{HERO.company} renewal" in said.partition("\n")[0]


@pytest.mark.parametrize("register", REGISTERS)
def test_every_register_ends_with_the_exception(register: Register) -> None:
    for said in texts(register):
        after = said.rpartition("N-2")[2].lower()
        words = ("else", "other", "rest", "beyond", "nothing")
        assert any(word in after for word in words), said


def test_an_email_has_a_greeting_and_a_paragraph_for_each_matter() -> None:
    for said in texts("email"):
        greeting, _, first, second, _, thanks = said.split("\n\n")
        assert greeting.endswith(",")
        assert "N-1" in first
        assert "N-2" not in first
        assert "N-2" in second
        assert "hank" in thanks


def test_a_handover_has_a_dash_for_each_action() -> None:
    for said in texts("handover"):
        assert said.count("\n- ") == 3


def test_a_dictation_runs_on_but_not_into_another_matter() -> None:
    said = texts("voice")
    assert any(", and then " in each for each in said)
    for each in said:
        assert ", and then " not in each.partition("N-1")[2].partition("N-2")[2]


def test_a_terse_text_is_short() -> None:
    def length(register: Register) -> int:
        return sum(map(len, texts(register)))

    assert length("terse") < min(length(r) for r in REGISTERS if r != "terse")
