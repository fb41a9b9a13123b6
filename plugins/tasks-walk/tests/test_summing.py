"""Summing up: what a remark tells besides one fact, how it is said, and what for."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import pytest
from attrs import evolve
from compoworld_tasks_walk import purposes, stories, topics
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.render import render
from compoworld_tasks_walk.script import (
    Action,
    Drop,
    FactOf,
    Make,
    Mentioned,
    Said,
    Script,
    Stated,
    Trait,
    Value,
)
from compoworld_tasks_walk.slips import slips
from compoworld_tasks_walk.tones import REGISTERS, Register

from compoworld_core.cast import fresh_person

HERO = fresh_person(Random(3), frozenset())
NUMBER, TOTAL = FactOf("r1", "number", "code"), FactOf("r1", "total_price", "money")
DAY = Stated("r2", "body", "date", "signing date")
PRICE = Stated("r2", "body", "money", "renewal price")
REFUNDED = Drop("c1", 0, "refund_order", "r1", (("status", "refunded"),))
COLLEAGUE = "tove@valstad.example"
TO_HERO = (("to", Said(HERO.email, "email")),)


def record(key: str, noun: str, service: str = "shop", archetype: str = "") -> Mentioned:
    trait = Trait("title", "title", Said(f"the {noun}", "title"))
    return Mentioned(key, service, f"{noun}s", noun, (trait,), archetype=archetype)


def new(key: str, noun: str, archetype: str) -> Mentioned:
    return Mentioned(key, "desk", f"{noun}s", noun, archetype=archetype)


def remark(*values: Value, key: str = "c2", archetype: str = "comment") -> Make:
    parent = "" if archetype == "message" else "r3"
    to = (("to", Said(COLLEAGUE, "email")),) if archetype == "message" else ()
    return Make(key, 1, f"add_{archetype}", key, to, (("body", values),), (), (), parent)


def script(*actions: Action, archetype: str = "comment") -> Script:
    keys = [action.goal for action in actions if isinstance(action, Make)]
    noun = "email" if archetype == "message" else "comment"
    held = [
        record("r1", "order", archetype="order"),
        record("r2", "page", "wiki", archetype="document"),
        record("r3", "ticket", "desk", archetype="work"),
        *(new(key, noun, archetype) for key in keys),
    ]
    used = {"r1", "r2", "r3"} & {
        *(action.record for action in actions),
        *(action.parent for action in actions if isinstance(action, Make)),
        *(
            value.record
            for action in actions
            if isinstance(action, Make)
            for _, values in action.states
            for value in values
            if isinstance(value, FactOf | Stated)
        ),
    }
    records = {one.id: one for one in held if one.id in used or one.id in keys}
    titles = {"shop": "Shoply", "wiki": "Wikily", "desk": "Deskly"}
    return Script(records, actions, f"{HERO.company} renewal", HERO, titles=titles, words={})


def texts(made: Script, register: Register = "terse") -> list[str]:
    said = [render(made, register, Random(seed))[0] for seed in range(30)]
    assert [slip for each in said for slip in slips(each)] == []
    return said


@pytest.mark.parametrize("register", REGISTERS)
def test_two_fields_of_a_record_are_told_together(register: Register) -> None:
    for said in texts(script(REFUNDED, remark(NUMBER, TOTAL)), register):
        assert "number and total price" in said


def test_what_one_text_says_is_told_together() -> None:
    for said in texts(script(remark(DAY, PRICE))):
        assert "the signing date and the renewal price " in said
        assert said.count('Wikily page "the page"') == 1


def test_three_facts_are_listed() -> None:
    said = texts(script(remark(DAY, PRICE, NUMBER)))
    assert all(
        "renewal price " in each and re.search(r" and the number of the \w* ?order", each)
        for each in said
    )


def test_what_was_done_is_summed_up_for_those_who_book_it() -> None:
    action = remark(NUMBER, TOTAL)
    made = script(REFUNDED, action)
    assert all("refund" in reason for reason in purposes.aims(made, action))


@pytest.mark.parametrize("archetype", ["comment", "message"])
def test_two_matters_are_told_each_for_its_own_reason(archetype: str) -> None:
    both = remark(DAY, PRICE, archetype=archetype)
    told = purposes.aims(script(both, archetype=archetype), both)
    for one in (DAY, PRICE):
        alone = remark(one, archetype=archetype)
        reasons = purposes.aims(script(alone, archetype=archetype), alone)
        assert all(any(reason in each.split("\n") for reason in reasons) for each in told)


def test_three_matters_are_told_for_the_whole_of_them() -> None:
    several = remark(DAY, PRICE, NUMBER)
    made = script(several)
    price = purposes.aims(script(remark(PRICE)), remark(PRICE))
    assert len(purposes.aims(made, several)) > 1
    assert not set(price) & set(purposes.aims(made, several))


def test_our_people_read_of_a_matter_for_another_reason_than_the_customer() -> None:
    noted, sent = remark(PRICE), evolve(remark(PRICE, archetype="message"), said=TO_HERO)
    ours = purposes.aims(script(noted), noted)
    theirs = purposes.aims(script(sent, archetype="message"), sent)
    matter = stories.matter("renewal", "renewal price")
    assert matter is not None
    assert ours
    assert theirs == matter.tell
    assert not set(ours) & set(theirs)


def test_a_colleague_is_introduced_once() -> None:
    mails = (remark(PRICE, archetype="message"), remark(DAY, key="c3", archetype="message"))
    for said in texts(script(*mails, archetype="message")):
        assert said.count(f"my colleague {COLLEAGUE}") == 1
        assert said.count(COLLEAGUE) == 2


def test_a_service_is_named_again_after_another_was_spoken_of() -> None:
    actions = (
        remark(DAY),
        Drop("c5", 1, "refund_order", "r1", (("status", "refunded"),)),
        remark(PRICE, key="c3"),
    )
    order = Script(
        {**script(*actions).records, "r4": record("r4", "deal")},
        (*actions, Drop("c6", 1, "close_deal", "r4", (("status", "closed"),))),
        f"{HERO.company} renewal", HERO,
        titles={"shop": "Shoply", "wiki": "Wikily", "desk": "Deskly"}, words={},
    )  # fmt: skip
    assert all("Shoply deal" in said for said in texts(order))


def test_a_reminder_says_what_is_to_be_done() -> None:
    said = topics.sentence(
        "Vesgate Foods renewal", Random(1), "reminder", ("Get the signature of {own}",)
    )
    assert said == "Get the signature of Vesgate Foods"


@pytest.mark.timeout(600)  # the first test of a changed core learns all tools anew
def test_plans_tell_several_facts_of_different_kinds(
    drafts: Callable[..., list[Draft]],
) -> None:
    several = 0
    for draft in drafts(16):
        for goal in draft.goals:
            for expect in goal.expects:
                kinds = ["money" if kind == "cents" else kind for kind in expect.kinds]
                assert len(set(kinds)) == len(kinds)
                several += len(kinds) > 1
    assert several
