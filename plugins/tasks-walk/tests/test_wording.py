"""How the renderer names fields, places, parents and statuses, and that it says why."""

from __future__ import annotations

from random import Random

import pytest
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
from compoworld_tasks_walk.tones import REGISTERS, Register
from compoworld_tasks_walk.words import label

from compoworld_core.cast import fresh_person
from compoworld_core.proof.probes.discoverable import states
from compoworld_core.records import Span

HERO = fresh_person(Random(3), frozenset())
TOPIC = f"{HERO.company} damaged delivery"
WORDS = {
    "shop": {
        "orders.customerId": "of {}",
        "issues.repo": "in the repository {}",
        "repos.name": "called {}",
    }
}


TITLES = {"shop": "Shopify", "desk": "Zendesk"}


def mentioned(key: str, place: str, noun: str, *traits: Trait) -> Mentioned:
    service, table = place.split(".")
    return Mentioned(key, service, table, noun, traits)


def script(records: list[Mentioned], *actions: Action) -> Script:
    held = {record.id: record for record in records}
    return Script(held, actions, TOPIC, HERO, titles=TITLES, words=WORDS)


def text(made: Script, register: Register = "terse", seed: int = 0) -> str:
    return render(made, register, Random(seed))[0]


def check(said: str, spans: tuple[Span, ...]) -> None:
    """References mean what was mentioned last by their noun; literals are stated."""
    last: dict[str, str] = {}
    for span in sorted(spans, key=lambda span: (span.end, -span.start)):
        if span.kind == "selection":
            last[span.noun] = span.target
        elif span.kind == "reference":
            assert last.get(span.noun) == span.target, said
        else:
            assert span.fact is not None
            assert states(span.fact.kind, span.fact.value, said[span.start : span.end])


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("cancelReason", "cancellation reason"),
        ("displayFinancialStatus", "payment status"),
        ("totalPrice", "total price"),
        ("abandonedCheckoutUrl", "checkout link"),
        ("calendarId", "calendar"),
        ("customer_ids", "customers"),
        ("trackingUrl", "tracking URL"),
    ],
)
def test_a_field_is_called_by_words(field: str, said: str) -> None:
    assert label(field) == said


def shop_order(key: str = "r2") -> Mentioned:
    whose = Trait("customerId", "id", FactOf("r1", "id", "id"), "r1")
    return mentioned(key, "shop.orders", "order", whose)


def shop_customer_of(key: str) -> Mentioned:
    return mentioned(
        key,
        "shop.customers",
        "customer",
        Trait("email", "email", Said("nina@acme.example", "email")),
    )


def test_a_parent_known_by_now_owns_the_record() -> None:
    made = script(
        [shop_customer_of("r1"), shop_order()],
        Change("c1", 0, "x", "r1", "note", Said("Seen.", "text")),
        Change("c2", 1, "x", "r2", "note", Said("Seen.", "text")),
    )
    said = {text(made, "terse", seed) for seed in range(20)}
    assert any("customer's order" in each for each in said)
    for seed in range(20):
        check(*render(made, "terse", Random(seed)))


def test_a_place_is_named_once_and_by_its_name() -> None:
    name, title = (
        Trait("name", "title", Said("web", "title")),
        ("title", Said("Recap", "title")),
    )
    made = script(
        [
            mentioned("r1", "shop.repos", "repository", name),
            mentioned("c1", "shop.issues", "issue"),
        ],
        Make("c1", 0, "x", "c1", (title,), (), (), (("repo", "r1"),)),
    )  # fmt: skip
    assert '"Recap" in the repository "web"' in text(made)


def test_a_tool_that_cancels_says_the_reason_with_it() -> None:
    made = script(
        [shop_customer_of("r1"), shop_order()],
        Change("c1", 0, "cancel_order", "r2", "cancelReason", Said("CUSTOMER", "status")),
    )
    assert '(reason "customer")' in text(made)


def ticket(status: str) -> Mentioned:
    return mentioned(
        "r1", "desk.tickets", "ticket", Trait("status", "status", Said(status, "status"))
    )


def note_on(record: Mentioned, *more: Mentioned) -> Script:
    return script([record, *more], Change("c1", 0, "x", "r1", "memo", Said("Seen.", "text")))


def test_a_new_ticket_is_called_new() -> None:
    assert "the new Zendesk ticket" in text(note_on(ticket("new")))


def test_a_new_ticket_is_not_taken_for_the_one_just_made() -> None:
    made = script(
        [ticket("new"), mentioned("c2", "desk.tickets", "ticket")],
        Change("c1", 0, "x", "r1", "memo", Said("Seen.", "text")),
        Make("c2", 1, "x", "c2", (("subject", Said("Recap", "title")),)),
    )
    assert "the Zendesk ticket with the status new" in text(made)


def test_a_status_that_needs_a_clause_has_one() -> None:
    said, spans = render(note_on(ticket("requires_payment_method")), "terse", Random(0))
    assert "that requires a payment method" in said
    check(said, spans)


def test_a_record_of_a_warehouse_is_called_shortly_later() -> None:
    row = mentioned(
        "r1", "desk.rows", "order record", Trait("number", "code", Said("#12", "code"))
    )
    made = script(
        [
            row,
            mentioned(
                "r2", "desk.pages", "page", Trait("title", "title", Said("Plan", "title"))
            ),
        ],
        Change("c1", 0, "x", "r1", "memo", Said("Seen.", "text")),
        Change("c2", 1, "x", "r2", "memo", FactOf("r1", "amount", "money")),
    )
    said = {text(made, "terse", seed) for seed in range(20)}
    assert any("that order's amount" in each for each in said)


def test_the_opening_sets_no_condition_of_its_own() -> None:
    made = script(
        [ticket("open")], Drop("c1", 0, "close_ticket", "r1", (("status", "closed"),))
    )
    for register in REGISTERS:
        for seed in range(20):
            opening = text(made, register, seed).partition("close")[0]
            assert "once" not in opening
            assert "until" not in opening


def test_a_question_ends_with_its_mark() -> None:
    asked = [text(note_on(ticket("open")), "chatty", seed) for seed in range(30)]
    questions = [each for each in asked if "Could you please" in each]
    assert questions
    for each in questions:
        assert "?" in each.partition("Could you please")[2], each


@pytest.mark.parametrize("seed", range(10))
def test_a_step_describes_no_more_than_two_records(seed: int) -> None:
    keys = [mentioned(f"r{n}", "desk.users", "user", *of(n)) for n in range(1, 5)]
    change = Change("c1", 0, "x", "r1", "memo", FactOf("r4", "phone", "phone"))
    said, spans = render(script(keys, change), "ticket", Random(seed))
    steps: dict[int, set[str]] = {}
    told: set[str] = set()
    for span in sorted(spans, key=lambda span: span.start):
        if span.kind == "selection" and span.target not in told:
            told.add(span.target)
            steps.setdefault(said.count("\n", 0, span.start), set()).add(span.target)
    assert max(map(len, steps.values())) == 2


@pytest.mark.parametrize("seed", range(10))
def test_what_a_name_alone_tells_is_said_in_passing(seed: int) -> None:
    """ "Find the manager of the user Nina Ito": no step for her."""
    nina = mentioned("r1", "desk.users", "user", of(1)[0])
    keys = [nina, *(mentioned(f"r{n}", "desk.users", "user", *of(n)) for n in (2, 3))]
    change = Change("c1", 0, "x", "r1", "memo", FactOf("r3", "phone", "phone"))
    said = render(script(keys, change), "ticket", Random(seed))[0]
    assert said.count("\n1.") == 1
    assert "\n2." not in said


def of(number: int) -> tuple[Trait, ...]:
    """By name and address for the first user, for others by the one before."""
    if number == 1:
        return (
            Trait("name", "person", Said("Nina Ito", "person")),
            Trait("email", "email", Said("nina.ito@acme.example", "email")),
        )
    return (Trait("manager", "email", FactOf(f"r{number - 1}", "manager", "email")),)
