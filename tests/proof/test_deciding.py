"""What is told, and what decides without being carried, must need the service that shows it."""

from __future__ import annotations

from typing import Any

import pytest
from sample_services import Contact, Note
from sample_tasks import Draft, arg, draft, sample_world

from compoworld_core.expressions import All, Expr, Fn, Grep, Item, Lit, Out, Rule
from compoworld_core.patch import Operation, Patch
from compoworld_core.plan import Carry, Expect, Fact, Goal, Step, When
from compoworld_core.proof.case import Refuted
from compoworld_core.proof.certificate import prove
from compoworld_core.proof.probes.edges import DECISION
from compoworld_core.records import Task
from compoworld_core.records import World as OtherWorld
from compoworld_core.world import World

TOTAL = Fn(name="sum", args=(All(step="s3", items=("items",), path=("amount",)),))
LEAD = Lit(literal="lead", kind="status")
STAGE = Out(step="s2b", path=("stage",))
TERMS = "They pay by {}."
RATE = "Bill them at {} GBP per US dollar."


@pytest.fixture(scope="module")
def world() -> World:
    return sample_world(scale=40)


@pytest.fixture
def asking(world: World) -> Draft:
    """A last visit, to the notes, only tells: by when is the account of INV-9917 paid?"""
    made = draft(world)
    made.walk = (*made.walk, "notes")
    account = Out(step="s8", path=("items", 0, "account_no"))
    title = Fn(name="form", args=(account,), template="Terms of {}")
    paid = Grep(source=Out(step="s10", path=("items", 0, "body")), kind="date")
    look = Step(
        id="s10", visit=7, service="notes", tool="list_notes", arguments=(arg("title", title),)
    )
    expect = Expect(field="", mode="contains", kind="date", exprs=(paid,), kinds=("date",),
                    decoys=(Fact(kind="date", value="2026-05-09"),))  # fmt: skip
    goal = Goal(id="told", kind="answer", text="It tells the day.", expects=(expect,))
    plan(
        made,
        steps=(*made.plan.steps, look),
        goals=(*made.plan.goals, goal),
        carries=(*made.plan.carries, Carry(edge=6, kind="code", expr=account, source="field")),
        answer=Fn(name="text", args=(paid,), kinds=("date",), template=TERMS),
    )
    made.rows["notes"] = [
        ("notes", Note(id=90001, title="Terms of AC-550033", body=TERMS.format("4 May 2026"))),
        ("notes", Note(id=90002, title="Terms of AC-990022", body=TERMS.format("9 May 2026"))),
    ]
    other(made, 6, "billing", "invoices", "in_o", account_no="AC-990022")
    other(made, DECISION, "notes", "notes", 90001, body=TERMS.format("7 June 2026"))
    made.wording.say(" And tell me by when the account of that invoice is paid; see its terms.")
    return made


@pytest.fixture
def converting(world: World) -> Draft:
    """The issue states the total at a rate that the contact's notes give."""
    made = draft(world)
    rate = Grep(source=Out(step="s2b", path=("notes",)), kind="money")
    total = Fn(name="convert", args=(TOTAL, rate), kinds=("money",))
    title, text, priority = made.plan.step("s5").arguments
    said = Fn(name="text", args=(total,), kinds=("money",), template="They owe {}.")
    made.step("s5", arguments=(title, text.model_copy(update={"expr": said}), priority))
    issue = made.plan.goals[1]
    wrong = (Fact(kind="money", value="770 USD"),)
    stated = issue.expects[1].model_copy(update={"exprs": (total,), "decoys": wrong})
    expects = (issue.expects[0], stated, issue.expects[2])
    issue = issue.model_copy(update={"expects": expects})
    plan(made, goals=(made.plan.goals[0], issue, *made.plan.goals[2:]))
    for key, number in (("co_hero", "0.8731"), ("co_shadow", "0.9")):
        contact(made, key, notes=RATE.format(number))
    other(made, DECISION, "crm", "contacts", "co_hero", notes=RATE.format("0.81"))
    return made


@pytest.fixture
def branching(world: World) -> Draft:
    """What is noted at the contact depends on its stage; the other contact is a customer."""
    made = draft(world)
    contact(made, "co_shadow", stage="customer")
    key = Out(step="s2", path=("items", 0, "id"))
    steps, goals = [], []
    for name, words, negated in (("new", "call them", False), ("old", "no hurry", True)):
        said: Expr = Lit(literal=words, kind="text")
        when = When(test="equals", left=STAGE, right=LEAD, negated=negated)
        steps.append(
            Step(id=name, visit=5, service="crm", tool="add_to_notes", write=True, when=when,
                 arguments=(arg("contact_id", key), arg("text", said)))
        )  # fmt: skip
        expect = Expect(field="notes", mode="contains", kind="text", exprs=(said,),
                        kinds=("text",), keeps=True)  # fmt: skip
        goals.append(
            Goal(id=name, step=name, kind="update", service="crm", table="contacts",
                 text=f"The contact's notes say {words}.", key=key, expects=(expect,))
        )  # fmt: skip
    plan(made, steps=(*made.plan.steps, *steps), goals=(*made.plan.goals, *goals))
    made.wording.say(" Note at the contact, if it is a ").literal("status", "lead")
    made.wording.say(", ").literal("text", "call them")
    made.wording.say(", otherwise ").literal("text", "no hurry").say(".")
    other(made, DECISION, "crm", "contacts", "co_hero", stage="customer")
    return made


def plan(made: Draft, **changes: Any) -> None:
    made.plan = made.plan.model_copy(update=changes)


def contact(made: Draft, key: str, **changes: Any) -> None:
    row: Contact = made.row("crm", key).model_copy(update=changes)
    made.without("crm", key)
    made.rows["crm"].append(("contacts", row))


def other(made: Draft, edge: int, service: str, table: str, key: Any, **row: Any) -> None:
    patch = Patch(operations=[Operation(op="update", table=table, id=key, row=row)])
    made.worlds.append(OtherWorld(edge=edge, service=service, patch=patch, says="another"))


def proven(made: Draft) -> Task:
    return prove(made.candidate(), made.initial(), made.bases())


def refuted(made: Draft) -> tuple[str, str]:
    with pytest.raises(Refuted) as caught:
        proven(made)
    return caught.value.probe, caught.value.why


def test_a_service_that_only_tells_is_needed(asking: Draft) -> None:
    details = {probe.name: probe.detail for probe in proven(asking).certificate.probes}
    assert details["no-detour"] == {"edges": 5, "besides": 1}


def test_an_answer_that_is_the_same_in_each_world_is_refused(asking: Draft) -> None:
    """The world of the edge before has another answer too, but there it is another note's."""
    asking.worlds.pop()
    assert refuted(asking) == (
        "edges-carry",
        "the answer is the same in each other world of notes",
    )


def test_an_answer_that_another_service_shows_is_a_detour(asking: Draft) -> None:
    more = {"id": "co_third", "email": "third@mills.example", "account_no": "AC-550033"}
    row: Contact = asking.row("crm", "co_hero").model_copy(
        update={**more, "notes": "Promised to pay by 4 May 2026."}
    )
    asking.rows["crm"].append(("contacts", row))
    probe, why = refuted(asking)
    assert probe == "no-detour"
    assert "the answer: '2026-05-04' is found without notes: crm.list_contacts(" in why


def test_a_last_visit_for_nothing_is_refused(asking: Draft) -> None:
    """The edge into it carries, and its world is told from s0 by what is due elsewhere."""
    plan(asking, goals=asking.plan.goals[:-1], answer=None)
    del asking.worlds[-2:]
    invoice = Operation(op="update", table="invoices", id="in_h1", row={"amount": "321"})
    terms = Operation(op="update", table="invoices", id="in_o", row={"account_no": "AC-990022"})
    patch = Patch(operations=[invoice, terms])
    asking.worlds.append(OtherWorld(edge=6, service="billing", patch=patch, says="another"))
    assert refuted(asking) == (
        "edges-carry",
        "the last visit writes nothing to notes and tells nothing",
    )


def test_a_rate_is_no_fact_of_an_edge_and_is_searched_all_the_same(converting: Draft) -> None:
    details = {probe.name: probe.detail for probe in proven(converting).certificate.probes}
    assert details["no-detour"] == {"edges": 4, "besides": 1}


def test_a_rate_that_no_world_changes_is_refused(converting: Draft) -> None:
    converting.worlds.pop()
    assert refuted(converting) == (
        "edges-carry",
        "the rate in s5 is the same in each other world of crm",
    )


def test_a_rate_that_another_service_shows_is_a_detour(converting: Draft) -> None:
    hero = converting.row("mailbox", "ml_hero")
    told = {"id": "ml_more", "subject": "More", "body": "Our rate is 0.8731 GBP."}
    converting.rows["mailbox"].append(("mails", hero.model_copy(update=told)))
    probe, why = refuted(converting)
    assert probe == "no-detour"
    assert "the rate in s5: '0.8731' is found without crm: mailbox.search_mails(" in why


def test_a_rule_may_be_read_for_each_item(world: World) -> None:
    made = draft(world)
    one, two, three = (person.email for person in made.world.cast.staff[1:4])
    for key in ("co_hero", "co_shadow"):
        contact(made, key, notes=f"open: {one}\npaid: {two}")
    who = Rule(
        source=Out(step="s2b", path=("notes",)), case=Item(path=("status",)), kind="email"
    )
    made.step("s4", arguments=(*made.plan.step("s4").arguments, arg("collector", who)))
    dues = made.plan.goals[0]
    collected = Expect(field="collector", mode="equals", kind="email", exprs=(who,))
    dues = dues.model_copy(update={"expects": (*dues.expects, collected)})
    plan(made, goals=(dues, *made.plan.goals[1:]))
    same = ("edges-carry", "the rule in s4 is the same in each other world of crm")
    assert refuted(made) == same
    changed = f"open: {three}\npaid: {two}"
    other(made, DECISION, "crm", "contacts", "co_hero", notes=changed)
    assert proven(made)


def test_a_condition_that_only_another_record_turns_is_refused(branching: Draft) -> None:
    """Another sender leads to a customer; that the contact is a lead must matter too."""
    assert proven(branching)
    branching.worlds.pop()
    assert refuted(branching) == (
        "edges-carry",
        "the condition of new is the same in each other world of crm",
    )
