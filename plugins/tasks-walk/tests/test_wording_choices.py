"""How the renderer says what depends, what is worked out, and what is to be answered."""

from __future__ import annotations

from random import Random

import pytest
from compoworld_tasks_walk.render import render
from compoworld_tasks_walk.script import (
    Action,
    Attempt,
    Change,
    Converted,
    Drop,
    Either,
    Extreme,
    FactOf,
    Figure,
    Make,
    Mentioned,
    Ruled,
    Said,
    Script,
    Shifted,
    Stated,
    Tell,
    Trait,
    Value,
)
from compoworld_tasks_walk.script import (
    Test as Deciding,
)
from compoworld_tasks_walk.slips import slips
from compoworld_tasks_walk.tones import REGISTERS, Register

from compoworld_core.cast import fresh_person
from compoworld_core.proof.probes.discoverable import states
from compoworld_core.records import Span

HERO = fresh_person(Random(3), frozenset())
TOPIC = f"{HERO.company} account review"
TITLES = {"desk": "Deskly", "shop": "Shoply"}
TWO = Said(2, "quantity")
DUE = FactOf("r1", "due_date", "date")


def mentioned(key: str, noun: str, *traits: Trait, many: bool = False) -> Mentioned:
    return Mentioned(key, "desk", f"{noun}s", noun, traits, many)


def by_number(key: str, noun: str, number: str) -> Mentioned:
    return mentioned(key, noun, Trait("number", "code", Said(number, "code")))


INVOICE = by_number("r1", "invoice", "N-1")
TICKET = by_number("r2", "ticket", "T-7")
PAGE = mentioned("r3", "page", Trait("title", "title", Said("Rates", "title")))


def script(records: list[Mentioned], *actions: Action) -> Script:
    held = {record.id: record for record in records}
    return Script(held, actions, TOPIC, HERO, titles=TITLES, words={})


def check(made: Script, register: Register, seed: int) -> str:
    """The text, once it was seen to have no slips and spans that hold."""
    said, spans = render(made, register, Random(seed))
    last: dict[str, str] = {}
    for span in sorted(spans, key=lambda span: (span.end, -span.start)):
        phrase = said[span.start : span.end]
        if span.kind == "selection":
            last[span.noun] = span.target
        elif span.kind == "reference":
            assert last.get(span.noun) == span.target, f"{phrase!r} in {said}"
        else:
            assert span.fact is not None
            assert states(span.fact.kind, span.fact.value, phrase), span
    assert slips(said) == [], said
    return said


def texts(made: Script, register: Register = "terse", seeds: int = 12) -> list[str]:
    return [check(made, register, seed) for seed in range(seeds)]


def put(value: Value, *records: Mentioned, field: str = "memo") -> Script:
    """A fact put into a field of a ticket."""
    return script([*records, TICKET], Change("c1", 0, "x", "r2", field, value, "append"))


def set_to(record: str, value: str, field: str = "priority") -> Change:
    return Change("c1", 0, "update_it", record, field, Said(value, "status"))


def every(*parts: str, of: list[str]) -> None:
    for said in of:
        for part in parts:
            assert part in said, said


# -- values ----------------------------------------------------------------------------------


def test_a_deadline_counts_days_in_words() -> None:
    made = put(Shifted(DUE, TWO, "business day", -1), INVOICE, field="due_date")
    every("two business days before", "due date", of=texts(made))


def test_one_day_is_one_day() -> None:
    made = put(Shifted(DUE, Said(1, "quantity"), "day", 1), INVOICE, field="due_date")
    every("one day after", of=texts(made))


def test_the_number_of_days_is_a_literal() -> None:
    made = put(Shifted(DUE, TWO, "day", -1), INVOICE)
    literals = [s for s in spans_of(made) if s.kind == "literal" and s.target == "2"]
    assert len(literals) == 1


def spans_of(made: Script) -> tuple[Span, ...]:
    return render(made, "terse", Random(0))[1]


def test_an_amount_is_converted_at_a_rate_from_elsewhere() -> None:
    rate = Stated("r3", "body", "quantity", "dollar rate")
    made = put(Converted(FactOf("r1", "amount", "money"), rate, "USD"), INVOICE, PAGE)
    every("converted to USD (their currency) at the dollar rate", of=texts(made))


def test_a_fact_in_a_text_is_named() -> None:
    made = put(Stated("r3", "body", "date", "delivery date"), PAGE)
    every("the delivery date", '"Rates"', of=texts(made))


def test_rules_speak_of_a_case() -> None:
    case = FactOf("r1", "segment", "status")
    made = put(Ruled("r3", "body", "email", "contact", case), PAGE, INVOICE)
    every("the contact given in the Deskly page", "for the segment of", of=texts(made))


def test_a_sum_of_totals_is_no_single_total() -> None:
    orders = mentioned(
        "r5", "order", Trait("account_no", "code", Said("A-1", "code")), many=True
    )
    made = put(Figure("sum", "r5", "totalPrice", "money"), orders)
    every("the sum of the total prices of", of=texts(made))


# -- descriptions --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "kind", "op", "said"),
    [
        ("ordered_on", "date", "largest", "the latest open Deskly order"),
        ("createdAt", "datetime", "smallest", "the oldest open Deskly order"),
        ("due_date", "date", "largest", "that has the latest due date"),
        ("total_price", "money", "largest", "the largest open Deskly order"),
        ("refund_amount", "money", "smallest", "that has the smallest refund amount"),
    ],
)
def test_the_newest_or_largest_of_several(field: str, kind: str, op: str, said: str) -> None:
    best = Trait(field, kind, Extreme(op))  # type: ignore[arg-type]  # drawn from a table
    status = Trait("status", "status", Said("open", "status"))
    made = script([mentioned("r5", "order", status, best)], Drop("c1", 0, "cancel_it", "r5"))
    every(said, of=texts(made))


def not_on_hold(*, many: bool) -> Script:
    held = Trait("status", "status", Said("on_hold", "status"), negated=True)
    whose = Trait("account_no", "code", Said("AC-1", "code"))
    orders = mentioned("r5", "order", whose, held, many=many)
    return script([orders], Drop("c1", 0, "cancel_order", "r5"))


def test_those_on_hold_are_left_alone() -> None:
    every("(except those that are on hold)", of=texts(not_on_hold(many=True)))


def test_a_fact_in_a_purpose_is_told_to_stand_there() -> None:
    made = put(Stated("r3", "purpose", "date", "review date"), PAGE)
    every("the purpose of", of=texts(made))


def test_a_deadline_of_a_new_record_is_due() -> None:
    due = (("due_date", Shifted(DUE, TWO, "day", -1)),)
    task = Make("c2", 1, "create_task", "c2", (("title", Said("Recap", "title")),), (), due)
    made = script([INVOICE, mentioned("c2", "task")], task)
    every("due two days before", of=texts(made))


def test_one_that_is_not_on_hold() -> None:
    every("that is not on hold", of=texts(not_on_hold(many=False)))


# -- actions -------------------------------------------------------------------------------


def by_amount() -> Script:
    test = Deciding("above", FactOf("r1", "amount", "money"), Said(500, "money"))
    return script(
        [INVOICE, TICKET], Either(test, set_to("r2", "urgent"), set_to("r2", "normal"))
    )


@pytest.mark.parametrize("register", REGISTERS)
def test_one_way_or_the_other(register: Register) -> None:
    for said in texts(by_amount(), register):
        assert "is above 500, " in said, said
        assert "; otherwise " in said
        assert said.index("urgent") < said.index("normal")


def test_nobody_says_please_if() -> None:
    for register in ("request", "chatty", "email"):
        for said in texts(by_amount(), register, 30):
            assert "lease if" not in said
            assert "you if" not in said


def test_a_date_is_later_than_another() -> None:
    test = Deciding("above", DUE, Said("2026-10-01", "date"))
    made = script([INVOICE, TICKET], Either(test, set_to("r2", "low"), set_to("r2", "high")))
    every("is later than", of=texts(made))


def test_a_status_decides() -> None:
    test = Deciding("equals", FactOf("r1", "status", "status"), Said("past_due", "status"))
    made = script([INVOICE, TICKET], Either(test, set_to("r2", "low"), set_to("r2", "high")))
    every("is past due, ", of=texts(made))


@pytest.mark.parametrize("register", REGISTERS)
def test_what_may_be_refused_is_tried(register: Register) -> None:
    comment = Make(
        "c2", 1, "add_comment", "c2", (), (("body", (FactOf("r1", "due_date", "date"),)),), (),
        (), "r1",
    )  # fmt: skip
    attempt = Attempt(Drop("c1", 0, "void_invoice", "r1", (("status", "void"),)), comment)
    made = script([INVOICE, mentioned("c2", "comment")], attempt)
    for said in texts(made, register):
        assert "ry to void" in said
        assert "if that" in said or "should that" in said
        assert said.index("void") < said.index("comment")


@pytest.mark.parametrize("register", REGISTERS)
def test_an_answer_is_asked_for(register: Register) -> None:
    bills = mentioned(
        "r5", "invoice", Trait("account_no", "code", Said("AC-1", "code")), many=True
    )
    made = script([bills], Tell("c1", 0, Figure("sum", "r5", "amount_due", "cents")))
    for said in texts(made, register):
        assert "know the total amount due of" in said or "ell me the total" in said


def test_a_message_to_a_message_is_a_reply() -> None:
    first = mentioned("r5", "message", Trait("sender", "email", Said("a@b.example", "email")))
    told = (("text", (FactOf("r1", "due_date", "date"),)),)
    reply = Make("c2", 1, "reply_to_thread", "c2", (), told, (), (), "r5")
    made = script([first, INVOICE, mentioned("c2", "message")], reply)
    every("post a reply to", of=[said.lower() for said in texts(made)])


def test_after_a_condition_nobody_is_sent_to_find_things() -> None:
    for said in texts(by_amount(), "chatty", 30):
        assert ", find" not in said
        assert ", look up" not in said
