"""Purposes: why an action is asked for, and that it demands nothing."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from attrs import evolve
from compoworld_tasks_walk import purposes, stories
from compoworld_tasks_walk import script as scripts
from compoworld_tasks_walk.render import render, touched
from compoworld_tasks_walk.script import (
    Action,
    Change,
    Converted,
    Drop,
    Either,
    FactOf,
    Make,
    Mentioned,
    NewId,
    Said,
    Script,
    Stated,
    Trait,
    Value,
)
from compoworld_tasks_walk.tones import REGISTERS, Register

from compoworld_core.cast import fresh_person
from compoworld_core.types import Kind

HERO = fresh_person(Random(3), frozenset())
TITLES = {"desk": "Deskly"}
PAID = stories.reasons("renewal", "order", ["paid"])
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


def test_a_reason_that_points_back_comes_after_its_deed() -> None:
    said = texts("request", order_and_ticket(), 80)
    assert all("lose" in each.partition("it was settled on the phone")[0] for each in said)


def test_each_reason_is_said_once() -> None:
    made = script(
        [by_number(f"r{n}", "order", f"N-{n}") for n in range(6)],
        *(paid(f"r{n}", n) for n in range(6)),
    )
    for each in texts("chatty", made):
        said = [each.lower().count(reason) for reason in PAID]
        assert set(said) <= {0, 1}
        assert any(said)


@pytest.mark.parametrize("register", REGISTERS)
def test_every_register_says_why_a_deed_is_asked_for(register: Register) -> None:
    made = script([by_number("r1", "order", "N-1")], paid())
    for each in texts(register, made):
        assert any(reason in each.lower() for reason in PAID)


def test_the_reason_that_a_tool_demands_is_not_why_it_is_asked_for() -> None:
    made = script([by_number("r1", "order", "N-1")], story="damaged delivery")
    given = Change("c1", 0, "cancel_order", "r1", "reason", Said("OTHER", "status"))
    assert "they don't want it any more" in purposes.reasons(made, given)


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


def add(value: Any, archetype: str = "comment", *before: Action) -> tuple[Script, Action]:
    new = Make("c3", 1, f"add_{archetype}", "c3", (), (("body", (value,)),), (), (), "r1")
    held = [
        by_number("r1", "order", "N-1", "order"),
        mentioned("c3", archetype, archetype=archetype),
    ]
    return script(held, *before, new), new


def put(value: Value, field: str, archetype: str) -> tuple[Script, Action]:
    change = Change("c1", 1, "update_it", "r2", field, value)
    held = [
        by_number("r1", "order", "N-1", "order"),
        by_number("r2", archetype, "N-2", archetype),
    ]
    return script(held, change), change


def test_what_was_done_to_a_record_says_what_its_number_is_told_for() -> None:
    done = Drop("c1", 0, "refund_order", "r1", (("status", "refunded"),))
    assert all("refund" in reason for reason in purposes.aims(*add(NUMBER, "comment", done)))
    assert purposes.aims(*add(NUMBER, "comment", done))


def test_the_number_of_a_record_that_nothing_was_done_to_is_told_for_nothing() -> None:
    assert purposes.aims(*add(NUMBER)) == ()


def test_a_deed_that_comes_later_is_no_reason_yet() -> None:
    made, new = add(NUMBER)
    done = Drop("c1", 0, "refund_order", "r1", (("status", "refunded"),))
    later = Script(made.records, (new, done), made.topic, HERO, titles=TITLES, words={})
    assert purposes.aims(later, new) == ()


def test_a_matter_is_told_for_its_own_reason() -> None:
    price = Stated("r1", "body", "money", "renewal price")
    held = stories.matter("renewal", "renewal price")
    assert held is not None
    assert purposes.aims(*add(price)) == held.know


def test_a_day_that_a_field_is_set_to_is_for_what_its_record_is() -> None:
    signing = Stated("r1", "body", "date", "signing date")
    assert "so that our forecast is right" in purposes.aims(*put(signing, "closedate", "deal"))
    due = FactOf("r1", "renews_on", "date")
    made, change = put(due, "due_date", "work")
    held = {**made.records, "r1": by_number("r1", "subscription", "N-1", "contract")}
    whole = Script(held, (change,), made.topic, HERO, titles=TITLES, words={})
    assert purposes.aims(whole, change) == ("so that it is done before the contract ends",)


def test_a_converted_amount_is_for_what_the_amount_is() -> None:
    price = Stated("r1", "body", "money", "renewal price")
    other = Converted(price, Stated("r1", "body", "money", "rate"), "CHF")
    assert purposes.aims(*add(other)) == purposes.aims(*add(price)) != ()


def test_a_new_id_is_told_so_that_one_leads_to_the_other() -> None:
    assert "so that one leads to the other" in purposes.aims(*add(NewId("r1")))


def test_what_depends_on_an_amount_says_why() -> None:
    high, low = (Change("c1", 0, "u", "r1", "priority", Said(v, "status")) for v in "hl")
    test = scripts.Test(
        "above", Stated("r1", "body", "money", "renewal price"), Said("5", "money")
    )
    said = purposes.aims(order_and_ticket(), Either(test, high, low))
    assert any("our rules" in reason for reason in said)


def test_what_the_instruction_gives_itself_has_no_aim() -> None:
    assert purposes.aims(order_and_ticket(), paid()) == ()


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


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("Lena makes the claim", "Lena pays", "Lena makes the claim and pays"),
        ("Lena makes the claim", "accounting pays", "Lena makes the claim\naccounting pays"),
        ("I asked for them", "I go there", "I asked for them\nI go there"),
        ("so that we come", "so that they pay", "so that we come, and they pay"),
        ("so that they know when it ends", "so that they know when we pay",
         "so that they know when it ends and when we pay"),
        ("so that they know the sum", "so that they keep the day free",
         "so that they know the sum and keep the day free"),
    ],
    ids=["one colleague", "two people", "the writer", "two ends", "the same verb", "they"],
)  # fmt: skip
def test_whom_two_purposes_are_about_is_said_once(one: str, other: str, said: str) -> None:
    assert purposes._both((one,), (other,)) == (said,)


def test_of_two_facts_reasons_are_given_that_say_which_they_are_about() -> None:
    clear, vague = "our director comes along to sign", "that price goes into the contract"
    assert purposes._both((clear, "our lawyer has to be there by then"), (vague,)) == (
        f"{clear}\n{vague}",
    )


def test_a_reason_speaks_of_the_colleague_who_is_written_to() -> None:
    to = (("to", Said("lena@valstad.example", "email")),)
    price = Stated("r1", "body", "money", "renewal price")
    sent = Make("c1", 0, "send_email", "c1", to, (("body", (price,)),))
    held = [by_number("r1", "order", "N-1"), mentioned("c1", "email", archetype="message")]
    made = script(held, sent)
    known = evolve(made, staff={"lena@valstad.example": "Lena"})
    assert purposes.aims(known, sent) == ("Lena drafts the contract",)
    assert not any("{" in reason for reason in purposes.aims(made, sent))


def test_what_is_posted_for_our_support_says_what_they_need_it_for() -> None:
    reasons = ("IT moves them over", "our support has to help them", "{who} moves them over")
    assert purposes._for("", reasons, posted=True) == ("our support has to help them",)
    assert purposes._for("", reasons, posted=False) == reasons[:2]
    assert purposes._for("Lena", reasons, posted=False) == ("Lena moves them over",)


def test_a_deals_day_and_amount_have_a_reason_each() -> None:
    told = (FactOf("r1", "closedate", "date"), FactOf("r1", "amount", "money"))
    new = Make("c3", 1, "add_comment", "c3", (), (("body", told),), (), (), "r1")
    held = [
        by_number("r1", "deal", "N-1", "deal"),
        mentioned("c3", "comment", archetype="comment"),
    ]
    said = purposes.aims(script(held, new), new)
    assert said
    assert all("they sign" in one and "how large" in one for one in said)
