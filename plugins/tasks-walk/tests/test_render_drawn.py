"""Scripts drawn at random from the lexicon's own fields: no slips, and spans that hold."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Literal

import pytest
from compoworld_tasks_walk.render import Unsayable, render
from compoworld_tasks_walk.script import (
    Action,
    Attempt,
    Change,
    Converted,
    Drop,
    Either,
    Extreme,
    FactOf,
    Make,
    Mentioned,
    NewId,
    Ruled,
    Said,
    Script,
    Shifted,
    Stated,
    Tell,
    Trait,
)
from compoworld_tasks_walk.script import Test as Deciding
from compoworld_tasks_walk.slips import slips
from compoworld_tasks_walk.tones import REGISTERS, Register

from compoworld_core.cast import fresh_person
from compoworld_core.proof.probes.discoverable import states
from compoworld_core.records import Span

HERO = fresh_person(Random(3), frozenset())
TOPIC = f"{HERO.company} renewal"
TITLES = {"crm": "HubSpot", "mail": "Gmail", "billing": "Stripe", "desk": "Zendesk"}
WORDS = {
    "billing": {"invoices.number": "{}", "invoices.status": "that is {}"},
    "desk": {"tickets.subject": "about “{}”", "tickets.invoice_number": "about invoice {}"},
}
SENDER = Said("nina.ito@acme.example", "email")


def mentioned(key: str, place: str, noun: str, *traits: Trait) -> Mentioned:
    """A record of a script, its place as "service.table"."""
    service, table = place.split(".")
    return Mentioned(key, service, table, noun, traits)


def script(records: list[Mentioned], *actions: Action) -> Script:
    held = {record.id: record for record in records}
    return Script(held, actions, TOPIC, HERO, titles=TITLES, words=WORDS)


def check(made: Script, said: str, spans: tuple[Span, ...]) -> None:
    """The rules by which the proof reads spans."""
    last: dict[str, str] = {}
    for span in sorted(spans, key=lambda span: (span.end, -span.start)):
        phrase = said[span.start : span.end]
        assert phrase, span
        assert phrase == phrase.strip(), span
        if span.kind == "selection":
            last[span.noun] = span.target
        elif span.kind == "reference":
            assert last.get(span.noun) == span.target, f"{phrase!r} in {said}"
        else:
            assert span.fact is not None
            assert states(span.fact.kind, span.fact.value, phrase), span
    assert {s.target for s in spans if s.kind == "selection"} == set(made.records)


KINDS = {
    "sender": SENDER,
    "requester": Said("ana@zed.example", "email"),
    "name": Said("Nina Ito", "person"),
    "company": Said("Acme Foods", "company"),
    "title": Said("Launch plan", "title"),
    "account_no": Said("AC-1203", "code"),
    "phone": Said("+44 20 7946 0958", "phone"),
    "due_date": Said("2026-03-03", "date"),
    "start_time": Said("2026-03-03T09:30:00Z", "datetime"),
    "amount": Said("1250.5", "money"),
    "status": Said("in_progress", "status"),
    "stage": Said("closedwon", "status"),
    "priority": Said("HIGH", "status"),
    "tags": Said("vip", "tag"),
    "is_archived": Said(True, "boolean"),
    "auto_resume": Said(False, "boolean"),
    "country": Said("DE", "country"),
    "seats": Said(12, "quantity"),
    "percent_off": Said("15", "percent"),
    "odd_field_no": Said("7-11", "code"),
}
NOUNS = ("contact", "email", "invoice", "ticket", "event", "company", "order row", "page")


def drawn(seed: int) -> Script:
    """A random script: chains of look-ups, sets, and every kind of action."""
    rng = Random(seed)
    records: list[Mentioned] = []
    actions: list[Action] = []
    for number in range(rng.randint(2, 5)):
        records += chain(rng, number)
        actions += doings(rng, number, records)
    return script(records, *actions)


def chain(rng: Random, number: int) -> list[Mentioned]:
    """Records each of which is found by a fact of the one before."""
    found: list[Mentioned] = []
    for depth in range(rng.randint(1, 4)):
        noun, field = rng.choice(NOUNS), rng.choice(sorted(KINDS))
        said = KINDS[field]
        traits = [Trait(field, said.kind, said)]
        if found:
            key = rng.choice(("sender", "email", "account_no", "company", "title"))
            kind = KINDS[key].kind if key in KINDS else "email"
            source = found[-1].id
            traits.append(Trait(key, kind, FactOf(source, key, kind)))
            if rng.random() < 0.1:
                traits.append(Trait("created_at", "datetime", Extreme("largest")))
            if rng.random() < 0.1:
                traits.append(Trait("status", "status", Said("open", "status"), negated=True))
            if rng.random() < 0.3:
                traits[1] = Trait("customer_id", "id", FactOf(source, "id", "id"), source)
        place = f"{rng.choice(sorted(TITLES))}.{noun.replace(' ', '_')}s"
        found.append(mentioned(f"r{number}{depth}", place, noun, *traits))
    return found


def doings(rng: Random, number: int, records: list[Mentioned]) -> Iterator[Action]:
    """Actions that use the last record of the chain, and one that makes something new."""
    last, other = records[-1], rng.choice(records)
    field = rng.choice(sorted(KINDS))
    fact = FactOf(other.id, rng.choice(("due_date", "number", "sender")), "code")
    yield Change(f"c{number}a", number, "update_it", last.id, field, KINDS[field])
    mode: Literal["set", "append"] = rng.choice(("set", "append"))
    yield Change(f"c{number}b", number, "update_it", last.id, "notes", fact, mode)
    new = mentioned(f"c{number}c", f"{rng.choice(sorted(TITLES))}.notes", "note")
    records.append(new)
    given = tuple((name, KINDS[name]) for name in rng.sample(sorted(KINDS), 3))
    parent = last.id if rng.random() < 0.5 else ""
    yield Make(
        new.id, number, "create_note", new.id, given, (("body", (fact,)),), (), (), parent
    )
    if rng.random() < 0.5:
        quoted = NewId(new.id)
        yield Change(f"c{number}d", number, "update_it", last.id, "memo", quoted, "append")
    if rng.random() < 0.3:
        yield Drop(f"c{number}e", number, "cancel_it", last.id, (("status", "cancelled"),))
    yield from depending(rng, number, last, fact)


def depending(rng: Random, number: int, last: Mentioned, fact: FactOf) -> Iterator[Action]:
    """Actions that depend on something, with values that are worked out."""
    low, high = (
        Change(f"c{number}{goal}", number, "update_it", last.id, "stage", Said(value, "status"))
        for goal, value in (("f", "low"), ("g", "closedwon"))
    )
    amount = FactOf(last.id, "amount", "money")
    rate = Stated(fact.record, "body", "quantity", "dollar rate")
    worked = (
        Shifted(FactOf(last.id, "due_date", "date"), Said(rng.randint(1, 12), "quantity"),
                rng.choice(("day", "business day")), rng.choice((1, -1))),
        Converted(amount, rate, "USD"),
        Stated(last.id, "body", "date", "delivery date"),
        Ruled(fact.record, "body", "email", "contact", FactOf(last.id, "stage", "status")),
    )  # fmt: skip
    if rng.random() < 0.3:
        yield Change(f"c{number}h", number, "update_it", last.id, "memo", rng.choice(worked))
    if rng.random() < 0.3:
        yield Either(Deciding("above", amount, Said(500, "money")), low, high)
    if rng.random() < 0.2:
        yield Attempt(Drop(f"c{number}i", number, "archive_it", last.id), high)
    if rng.random() < 0.2:
        yield Tell(f"c{number}j", number, rng.choice((amount, *worked)))


@pytest.mark.parametrize("register", REGISTERS)
def test_drawn_scripts_have_no_slips_and_their_spans_hold(register: Register) -> None:
    refused = 0
    for seed in range(150):
        made = drawn(seed)
        try:
            said, spans = render(made, register, Random(seed))
        except Unsayable:
            refused += 1
            continue
        check(made, said, spans)
        assert slips(said) == [], said
    assert refused < 15
