"""Restraint: what a text does not ask for twice, and what nobody would mistake in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from copy import copy
from random import Random

import pytest
from attrs import evolve
from compoworld_tasks_walk import purposes
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.motives import matter_of
from compoworld_tasks_walk.patterns.copying import _root
from compoworld_tasks_walk.patterns.dedup import _why
from compoworld_tasks_walk.patterns.records import TRADE
from compoworld_tasks_walk.render import render
from compoworld_tasks_walk.script import (
    Action,
    Attempt,
    Change,
    Drop,
    Make,
    Mentioned,
    Overruling,
    Said,
    Script,
    Stated,
    Trait,
    simple,
)
from compoworld_tasks_walk.turns import _closed

from compoworld_core.cast import fresh_person

HERO = fresh_person(Random(3), frozenset())
TITLES = {"desk": "Deskly", "post": "Postly"}
THEIRS = Trait("sender", "email", Said(HERO.email, "email"))
MAIL = Mentioned("r1", "post", "emails", "email", (THEIRS,), archetype="message")
SENT = Mentioned("c1", "post", "emails", "email", archetype="message")
ORDER = Mentioned(
    "r2", "desk", "orders", "order", (Trait("number", "code", Said("N-1", "code")),),
    archetype="order",
)  # fmt: skip
DAY = Stated("r1", "body", "date", "signing date")
PRICE = Stated("r1", "body", "money", "renewal price")
LEARNS = pytest.mark.timeout(600)  # the first test of a changed core learns all tools anew


def script(records: list[Mentioned], *actions: Action, story: str = "renewal") -> Script:
    held = {record.id: record for record in records}
    return Script(held, actions, f"{HERO.company} {story}", HERO, titles=TITLES, words={})


def texts(made: Script) -> list[str]:
    return [render(made, "request", Random(seed))[0] for seed in range(30)]


def remark(key: str, value: Stated, parent: str = "r2") -> Make:
    return Make(key, 1, "add_comment", key, (), (("body", (value,)),), (), (), parent)


def comment(key: str) -> Mentioned:
    return Mentioned(key, "desk", "comments", "comment", archetype="comment")


# -- plans -----------------------------------------------------------------------------------


@LEARNS
def test_a_strict_plan_remarks_on_a_record_once(drafts: Callable[..., list[Draft]]) -> None:
    parts = 0
    for draft in drafts(4):
        made = [part for whole in draft.actions for part in simple(whole)]
        remarks = Counter(
            (part.parent, part.tool) for part in made if isinstance(part, Make) and part.parent
        )
        parts += len(remarks)
        assert not draft.strict or set(remarks.values()) <= {1}
    assert parts


@LEARNS
def test_a_plan_speaks_of_one_table_of_orders(drafts: Callable[..., list[Draft]]) -> None:
    spoken = 0
    for draft in drafts(12):
        if draft.loose or draft.lenient:
            continue
        tables: dict[str, set[tuple[str, str]]] = {}
        for rec in draft.records.values():
            kind = draft.catalogue.archetype(rec.service, rec.table)
            if kind in TRADE:
                tables.setdefault(kind, set()).add((rec.service, rec.table))
        spoken += bool(tables)
        assert all(len(places) == 1 for places in tables.values())
    assert spoken


@LEARNS
def test_nothing_goes_to_and_fro_between_two_records(
    drafts: Callable[..., list[Draft]],
) -> None:
    told = 0
    for draft in drafts(4):
        matters = [(one.record, matter_of(one.value)) for one in draft.carried]
        named = [matter for matter in matters if matter[1] and draft.records.get(matter[0])]
        assert len(set(named)) == len(named)
        pairs = [(_root(draft, one), _root(draft, other)) for one, other in draft.told]
        told += len(pairs)
        assert not {(other, one) for one, other in pairs} & set(pairs)
    assert told


def test_a_remark_on_a_page_is_a_part_of_the_page(drafts: Callable[..., list[Draft]]) -> None:
    draft = drafts(1)[0]
    on_it = Trait("page", "id", Said("p", "id"), via="r8")
    page = evolve(ORDER, id="r8", archetype="document")
    draft.mentioned |= {"r8": page, "r9": evolve(page, id="r9", traits=(on_it,))}
    assert _root(draft, "r9") == _root(draft, "r8") == "r8"


@pytest.mark.parametrize(
    ("state", "why"),
    [("on-hold", "it waits for the older one"), ("solved", "the older one is about the same")],
)
def test_what_is_there_twice_waits_or_is_closed(state: str, why: str) -> None:
    closing = Change("c1", 0, "update_it", "r2", "status", Said(state, "status"))
    assert _why(closing).startswith(why)


# -- texts -----------------------------------------------------------------------------------


def test_what_is_tried_has_its_reason_before_what_is_done_instead() -> None:
    cancel = Drop("c1", 0, "refund_order", "r2", (("status", "refunded"),))
    note = Change("c2", 0, "update_order", "r2", "note", Said("Too late.", "text"))
    made = script([ORDER], Attempt(cancel, note), story="damaged delivery")
    whys = purposes.reasons(made, Attempt(cancel, note))
    assert whys
    for said in texts(made):
        before, _, instead = said.partition(";")
        assert any(f"since {why}" in before for why in whys)
        assert "since" not in instead


def test_their_mail_is_not_taken_for_one_that_was_sent() -> None:
    to = (("to", Said("tove@valstad.example", "email")), ("subject", Said("Notes", "title")))
    sent = Make("c1", 0, "send_email", "c1", to, (("body", (PRICE,)),))
    made = script([MAIL, SENT, ORDER, comment("c2")], sent, remark("c2", DAY))
    for said in texts(made):
        assert "that email" not in said
        whose = rf"(?:their|{HERO.first}'s) (?:Postly )?email\b"
        assert len(re.findall(whose, said)) == 2, said


def test_no_bracket_follows_another_one() -> None:
    to = (("to", Said("tove@valstad.example", "email")), ("subject", Said("Notes", "title")))
    late = Overruling("r1", "body", "money", "renewal price", "r2")
    sent = Make("c1", 0, "send_email", "c1", to, (("body", (late,)),))
    for said in texts(script([MAIL, SENT, ORDER], sent)):
        assert "N-1)" in said  # what the mail replaces
        assert ") (" not in said


def test_what_a_remark_says_is_in_it_and_not_on_it() -> None:
    page = evolve(ORDER, id="r8", table="pages", noun="page", archetype="document")
    on_it = Trait("page", "id", Said("p", "id"), via="r8")
    said_there = evolve(comment("r9"), traits=(on_it,))
    late = Overruling("r1", "body", "money", "renewal price", "r9")
    for said in texts(
        script([MAIL, page, said_there, comment("c2"), ORDER], remark("c2", late))
    ):
        assert re.search(r"(the one|the old one) in the comments on", said), said


def test_a_new_issue_for_a_team_is_said_to_be_of_which_service() -> None:
    issue = evolve(ORDER, noun="issue", table="issues", archetype="work")
    named = Trait("name", "title", Said("Support", "title"))
    team = Mentioned("t1", "desk", "teams", "team", (named,))
    new = Mentioned("c1", "desk", "issues", "issue", archetype="work")
    title = (("title", Said("Call them", "title")),)
    made = Make("c1", 0, "create_issue", "c1", title, places=(("team_id", "t1"),))
    other = evolve(issue, id="r7", service="post")
    far = evolve(comment("c2"), service="post")
    for said in texts(script([MAIL, new, team, other, far], made, remark("c2", DAY, "r7"))):
        assert "Deskly issue" in said


def test_a_colleague_is_never_they() -> None:
    to = (("to", Said("tove@valstad.example", "email")),)
    sent = Make("c1", 0, "send_email", "c1", to, (("body", (PRICE,)),))
    for said in texts(script([MAIL, SENT], sent)):
        assert "telling them" not in said
        assert "letting them" not in said


@LEARNS
@pytest.mark.parametrize("closed", ["itself", "the one that it is a comment on"])
def test_a_record_that_was_closed_tells_nothing_more(
    drafts: Callable[..., list[Draft]], closed: str
) -> None:
    draft = next(d for d in drafts(4) if any(isinstance(f.value, Stated) for f in d.carried))
    fact = next(f for f in draft.carried if isinstance(f.value, Stated))
    said = draft.records[fact.record]
    key = said.id
    if closed != "itself":
        key = "whole"
        draft.records[key] = copy(said)
        draft.records[key].table, draft.records[key].hero = "wholes", {"id": "i-7"}
        said.hero = {**said.hero, "issue": "i-7"}
    assert not _closed(draft, fact)
    draft.actions.append(Drop("g9", fact.visit, "archive_record", key))
    assert _closed(draft, fact)
