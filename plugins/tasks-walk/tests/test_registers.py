"""Registers: how a text is laid out, what it is for, and that purposes demand nothing."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from compoworld_tasks_walk import purposes, topics
from compoworld_tasks_walk.render import render, touched
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

from compoworld_core import pools

TITLES = {"desk": "Deskly", "shop": "Shoply"}


def mentioned(key: str, noun: str, *traits: Trait) -> Mentioned:
    return Mentioned(key, "desk", f"{noun}s", noun, traits)


def by_number(key: str, noun: str, number: str) -> Mentioned:
    return mentioned(key, noun, Trait("number", "code", Said(number, "code")))


def script(records: list[Mentioned], *actions: Action) -> Script:
    held = {record.id: record for record in records}
    return Script(held, actions, "Vesgate vendor audit", TITLES, {})


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
def test_every_register_names_the_undertaking_first(register: Register) -> None:
    for said in texts(register):
        assert "vesgate vendor audit" in said[:160].lower(), said


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


# -- purposes --------------------------------------------------------------------------------


def test_a_payment_is_a_reason() -> None:
    said = texts("request")
    assert any("as paid, since the payment has arrived" in each for each in said)


def test_a_reason_may_come_first() -> None:
    assert any("asked for that, so cancel" in each for each in texts("voice", seeds=80))


def test_each_purpose_is_said_once() -> None:
    made = script(
        [by_number(f"r{n}", "invoice", f"N-{n}") for n in range(6)],
        *(Change(f"c{n}", n, "x", f"r{n}", "status", Said("paid", "status")) for n in range(6)),
    )
    for said in texts("chatty", made):
        assert said.lower().count("the payment has arrived") <= 1


def change(field: str, value: Any, kind: Any = "status") -> Change:
    return Change("c1", 0, "update_it", "r1", field, Said(value, kind))


def test_a_deed_that_says_its_own_reason_gets_no_other() -> None:
    made = two_matters()
    given = Change("c1", 0, "cancel_order", "r1", "reason", Said("fraud", "status"))
    assert purposes.reasons(made, given) == ()
    assert purposes.reasons(made, Drop("c1", 0, "cancel_it", "r1", (("status", "cancelled"),)))


def test_an_urgent_matter_cannot_wait() -> None:
    assert "this can't wait" in purposes.reasons(two_matters(), change("priority", "URGENT"))


def test_a_flag_has_a_reason_too() -> None:
    assert purposes.reasons(two_matters(), change("is_active", False, "boolean"))


def test_a_fact_in_a_comment_is_for_the_record() -> None:
    made = two_matters()
    assert "for the record" in purposes.aims(made, made.actions[1])
    assert purposes.aims(made, made.actions[0]) == ()


@pytest.mark.parametrize("action", [0, 1, 2])
def test_no_purpose_sets_a_condition(action: int) -> None:
    made = two_matters()
    said = (
        *purposes.aims(made, made.actions[action]),
        *purposes.reasons(made, made.actions[action]),
    )
    assert said
    for phrase in said:
        assert not {"if", "once", "until", "unless", "it", "when"} & set(phrase.split())


def test_records_that_a_description_names_are_touched() -> None:
    whose = Trait("customer", "id", FactOf("r1", "id", "id"), "r1")
    made = script([by_number("r1", "customer", "N-1"), mentioned("r2", "order", whose)])
    assert touched(made, Drop("c1", 0, "x", "r2")) == {"r1", "r2"}


# -- topics ----------------------------------------------------------------------------------


def test_an_undertaking_has_a_name_of_its_own() -> None:
    topic = topics.draw(Random(3))
    own, kind = topics.parts(topic)
    assert own[:1].isupper()
    assert kind in topics.TOPICS


def test_titles_of_an_undertaking_carry_its_name() -> None:
    rng = Random(0)
    for _ in range(20):
        assert topics.title("Vesgate vendor audit", rng).startswith("Vesgate vendor audit ")
        assert topics.planted("Vesgate vendor audit", rng).endswith("Vesgate")
        assert topics.slug("Vesgate vendor audit", rng).startswith("vesgate-audit-")


def test_a_taken_title_is_not_drawn_again() -> None:
    taken: set[object] = set()
    for _ in range(8):
        title = topics.title("Vesgate vendor audit", Random(0), taken)
        assert title not in taken
        taken.add(title)


def test_a_planted_title_looks_as_titles_of_the_world_do() -> None:
    kind, form, _ = topics.planted("Vesgate budget check", Random(0)).rsplit(" ", 2)
    assert kind in pools.TOPICS
    assert form in pools.TOPIC_FORMS


def test_every_kind_of_undertaking_is_one_of_the_world() -> None:
    assert set(topics.TOPICS) <= {name.lower() for name in pools.TOPICS}


def test_an_undertaking_that_nobody_knows_has_a_reason_too() -> None:
    assert "quarterly renewal" in topics.reason("quarterly renewal", Random(0))


def test_an_undertaking_fits_what_the_task_deals_with() -> None:
    drawn = [topics.parts(topics.draw(Random(n), {"order", "bill"}))[1] for n in range(200)]
    odd = ("hiring round", "office lease", "staff training", "website refresh", "site visit")
    assert sum(kind in odd for kind in drawn) < 10
    assert len(set(drawn)) > 8
