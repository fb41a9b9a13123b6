"""Facts: canonical values, comparison, and reading and writing them in prose."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compoworld_core import pools
from compoworld_core.draws import draw
from compoworld_core.errors import UnknownName
from compoworld_core.facts import (
    KINDS,
    equal,
    find,
    grep,
    mentions,
    normalise,
    render,
    renderings,
    states,
)

MARCH_5 = date(2026, 3, 5)
PHONE = "+44 20 7946 0958"


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("money", 1200, "The refund is 1.2k in all"),
        ("money", 1200, "1.2K"),
        ("money", "1200 EUR", "Please pay 1.200,00 EUR today."),
        ("money", 1200, "a total of 1 200.00, net"),
        ("money", 1200, "a total of 1\u00a0200,00, net"),
        ("money", 1200, "$1,200."),
        ("money", 1200, "1'200.00 CHF"),
        ("money", 1200, "USD1200"),
        ("money", 1200, "1200USD"),
        ("money", 1200, "(1,200 dollars)"),
        ("money", 1200, "1,200.-"),
        ("money", Decimal("-50"), "a credit of -$50.00"),
        ("money", Decimal("0.50"), "50 cents"),
        ("money", 2500000, "$2.5 million"),
        ("money", 123456, "₹1,23,456"),
        ("cents", 120000, "$1,200.00"),
        ("cents", 120000, "amount: 120000 cents"),
        ("percent", 12, "12 % off"),
        ("percent", Decimal("12.5"), "12.5 percent"),
        ("date", MARCH_5, "due 2026/03/05"),
        ("date", MARCH_5, "am 5.3.2026 fällig"),
        ("date", MARCH_5, "20260305"),
        ("date", MARCH_5, "on 5 March, please"),
        ("date", MARCH_5, "March 5th"),
        ("date", MARCH_5, "Thursday, March 5, 2026"),
        ("date", MARCH_5, "the 5th of March 2026"),
        ("date", MARCH_5, "05/03/2026"),
        ("date", MARCH_5, "2026-03-05T10:00:00Z"),
        ("date", MARCH_5, "5-Mar-26"),
        ("date", date(2026, 5, 5), "moved to 5 May"),
        ("datetime", "2026-03-05T10:00:00Z", "5 March 2026 at 11:00 CET"),
        ("datetime", "2026-03-05T10:00:00Z", "2026-03-05 10:00"),
        ("datetime", "2026-03-05T10:00:00Z", "10am on Thursday, 5 March 2026"),
        ("datetime", "2026-03-05T10:00:37Z", "2026-03-05 10:00"),
        ("datetime", "2026-03-05T10:00:00Z", "20260305T100000Z"),
        ("datetime", "2026-03-05T00:00:00Z", "due 5 March 2026"),
        ("quantity", 3, "three open invoices"),
        ("quantity", 3, "There are 3 of them."),
        ("quantity", 21, "twenty-one people"),
        ("quantity", 120, "one hundred and twenty seats"),
        ("quantity", 1200, "1,200 units"),
        ("quantity", 3, "3"),
        ("company", "Acme Foods", "the Acme-Foods contract"),
        ("company", "Acme Foods", "ACME FOODS Ltd."),
        ("person", "Dana Reyes", "Reyes, Dana"),
        ("person", "Dana Reyes", "ask Dana M. Reyes about it"),
        ("person", "Dana Reyes", "dana reyes's laptop"),
        ("person", "José Núñez", "Jose Nunez called"),
        ("phone", PHONE, "call 020 7946 0958"),
        ("phone", PHONE, "call (020) 7946-0958."),
        ("phone", PHONE, "+442079460958"),
        ("phone", PHONE, "0044 20 7946 0958"),
        ("phone", PHONE, "+44 (0)20 7946 0958, or by mail"),
        ("phone", PHONE, "Phones: +49 585 484 3375, +44 20 7946 0958"),
        ("code", "ISS-1234", "see ISS 1234"),
        ("code", "ISS-1234", "see iss1234."),
        ("code", "ISS-1234", "not ISS-1235 but ISS-1234"),
        ("code", "ISS-1234", "do not forget ISS-1234"),
        ("code", "4512", "order #4512"),
        ("id", "cus_9aFx83", 'customer "cus_9aFx83"'),
        ("id", "7", "issue #7"),
        ("email", "dana.reyes@acme.example", "Mail Dana.Reyes@acme.example."),
        ("url", "https://acme.example/a", "at acme.example/a/, I think"),
        ("file_name", "Report Q1.pdf", "see report q1.pdf."),
        ("title", "Launch plan follow-up", "the note “Launch plan  follow up”"),
        ("status", "in_progress", "set to In Progress"),
        ("tag", "legal", "tagged #legal"),
        ("country", "GB", "shipped to the United Kingdom"),
        ("country", "United States", "from the US."),
        ("currency", "USD", "$1,200"),
        ("boolean", True, "Approved: yes"),
    ],
)
def test_a_right_notation_is_accepted(kind: str, value: Any, text: str) -> None:
    assert mentions(kind, value, text)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("money", 1200, "up by 1200%"),
        ("quantity", 1200, "up by 1200%"),
        ("money", 7946, "call +44 20 7946 0958"),
        ("quantity", 20, "call +44 20 7946 0958"),
        ("money", 201, "call 555-201-4417"),
        ("money", "1200 USD", "1200 EUR"),
        ("money", "1200 EUR", "it was $1,200.00"),
        ("money", 1200, "12000"),
        ("money", 1200, "1,200.50"),
        ("money", 50, "-$50.00"),
        ("money", 30, "30 seats for $900"),
        ("money", 1200, "order AC-1200"),
        ("quantity", 3, "3/5"),
        ("quantity", 5, "3/5"),
        ("quantity", 5, "due 5 March"),
        ("quantity", 3, "on 5.3.2026"),
        ("quantity", 10, "at 10:30"),
        ("quantity", 3, "the 3rd invoice"),
        ("quantity", 3, "in room 3"),
        ("quantity", 3, "ISS-3 and v1.3"),
        ("quantity", 3, "3. Call them back"),
        ("quantity", 3, "$3"),
        ("quantity", 2, "2-3 days"),
        ("quantity", 1, "no one came"),
        ("date", MARCH_5, "2026-03-055"),
        ("date", MARCH_5, "202603051"),
        ("date", MARCH_5, "15 March 2026"),
        ("date", MARCH_5, "5 March 20266"),
        ("date", MARCH_5, "5 March 2025"),
        ("date", MARCH_5, "5 March, as on 5 March 2025"),
        ("date", MARCH_5, "Mar 55"),
        ("date", date(2026, 5, 5), "it may 5 times fail"),
        ("datetime", "2026-03-05T10:00:00Z", "5 March 2026 at 10:00 CET"),
        ("datetime", "2026-03-05T10:00:00Z", "5 March 2026"),
        ("datetime", "2026-03-05T10:00:00Z", "2026-03-05 10:00:01"),
        ("datetime", "2026-03-05T00:00:00Z", "5 March 2026 at 11:00"),
        ("phone", PHONE, "+44 20 7946 09581"),
        ("phone", PHONE, "+44 20 7946 0958 1"),
        ("phone", PHONE, "+49 20 7946 0958"),
        ("phone", PHONE, "120 7946 0958"),
        ("code", "ISS-1234", "not ISS-1234"),
        ("code", "ISS-1234", "It isn't ISS-1234."),
        ("code", "ISS-1234", "ISS-12345"),
        ("code", "ISS-1234", "XISS-1234"),
        ("code", "ISS-1234", "ISS-1234-A"),
        ("code", "ISS-1234", "ISS-1234.5"),
        ("code", "ISS-1234", "MY-ISS-1234"),
        ("code", "4512", "ISS-4512"),
        ("code", "2026", "5 March 2026"),
        ("id", "7", "7 items"),
        ("id", "cus_9aFx83", "cus_9afx83"),
        ("id", "abc-1", "abc-1-2"),
        ("date", MARCH_5, "instead of 5 March 2026"),
        ("person", "Dana Reyes", "no longer Dana Reyes"),
        ("person", "Dana Reyes", "Dana Reyes-Smith"),
        ("person", "Dana Reyes", "dana.reyes@acme.example"),
        ("person", "Dana Reyes", "Dana met Reyes"),
        ("money", 1200, "rather than $1,200"),
        ("email", "reyes@acme.example", "dana.reyes@acme.example"),
        ("email", "dana@acme.example", "dana@acme.example.org"),
        ("url", "https://acme.example/a", "https://acme.example/a/b"),
        ("url", "https://acme.example/a", "https://acme.example/ab"),
        ("title", "Launch plan", "Launch planning"),
        ("country", "IT", "our IT manager"),
        ("currency", "USD", "€20"),
        ("boolean", True, "no"),
    ],
)
def test_another_value_is_refused(kind: str, value: Any, text: str) -> None:
    assert not mentions(kind, value, text)


def test_currency_may_be_left_out_but_not_differ() -> None:
    assert mentions("money", 1200, "1,200.00 in total", currency="USD")
    assert mentions("money", 1200, "$1,200.00", currency="USD")
    assert not mentions("money", 1200, "£1,200.00", currency="USD")


@pytest.mark.parametrize(
    ("kind", "a", "b"),
    [
        ("money", 33, "33.0"),
        ("money", Decimal("1.10"), 1.1),
        ("quantity", 5, 5.0),
        ("datetime", "2026-03-05T10:00:00Z", "2026-03-05T12:00:00+02:00"),
        ("datetime", datetime(2026, 3, 5, 10), datetime(2026, 3, 5, 10, tzinfo=UTC)),
        ("datetime", 1772704800, "2026-03-05T10:00:00Z"),
        ("datetime", 1772704800000, "2026-03-05T10:00:00Z"),
        ("date", MARCH_5, "2026-03-05"),
        ("date", "5 March 2026", (2026, 3, 5)),
        ("phone", PHONE, "+442079460958"),
        ("title", "Launch  Plan", "launch plan"),
        ("email", "A@x.example", "a@x.example"),
        ("status", "in_progress", "In progress"),
        ("country", "UK", "United Kingdom"),
        ("url", "HTTPS://Acme.example/a/", "https://acme.example/a"),
        ("boolean", True, "true"),
        ("id", 7, "7"),
        ("date", "sometime", "sometime"),
        ("text", None, None),
    ],
)
def test_one_value_in_two_forms_is_equal(kind: str, a: Any, b: Any) -> None:
    assert equal(kind, a, b)
    if a is not None and b != "sometime":
        assert hash(normalise(kind, a)) == hash(normalise(kind, b))


@pytest.mark.parametrize(
    ("kind", "a", "b"),
    [
        ("id", "abc", "ABC"),
        ("code", "ISS-1234", "ISS 1234"),
        ("money", 33, 33.5),
        ("date", MARCH_5, "2026-05-03"),
        ("datetime", "2026-03-05T10:00:00Z", "2026-03-05T10:00:00+02:00"),
        ("person", "Dana Reyes", "Reyes, Dana"),
        ("text", "", None),
        ("boolean", True, False),
        ("date", "sometime", MARCH_5),
    ],
)
def test_typed_values_are_compared_strictly(kind: str, a: Any, b: Any) -> None:
    assert not equal(kind, a, b)


def test_states_lists_what_is_missing_and_which_decoys_are_there() -> None:
    text = "INV-2041 of $1,200.00 goes to Dana Reyes, not to Omar Falk; INV-2050 waits."
    missing, found = states(
        text,
        [("code", "INV-2041"), ("money", 1200), ("date", MARCH_5)],
        [("person", "Omar Falk"), ("code", "INV-2050"), ("code", "inv-2041")],
    )
    assert missing == [("date", MARCH_5)]
    assert found == [("code", "INV-2050")]


def test_a_decoy_inside_an_expected_name_does_not_count() -> None:
    facts = [("title", "Launch plan details")]
    assert states("The Launch plan details", facts, [("title", "Launch plan")]) == ([], [])
    assert states("Launch plan details, launch plan", facts, [("title", "Launch plan")])[1]


def test_an_ambiguous_date_is_refused_where_a_decoy_has_the_other_reading() -> None:
    text = "due 05/03/2026"
    assert states(text, [("date", MARCH_5)]) == ([], [])
    assert states(text, [("date", MARCH_5)], [("date", "2026-05-03")])[1]


def test_a_date_without_year_is_refused_where_a_decoy_has_another_year() -> None:
    assert states("due 5 March", [("date", MARCH_5)], [("date", "2025-03-05")])[1]


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("code", "Our reference is INV-2041, not INV-2042.", "INV-2041"),
        ("code", "See ISS 1234 of 5 March 2026.", "ISS-1234"),
        ("email", "Write to Dana.Reyes@acme.example.", "Dana.Reyes@acme.example"),
        ("date", "It is due on 5 March 2026 at 10:00 and costs $30.", MARCH_5),
        (
            "datetime",
            "Meet on 5 March 2026 at 10:00 UTC.",
            datetime(2026, 3, 5, 10, tzinfo=UTC),
        ),
        ("money", "3 invoices over $1,200.00 due 5 March", Decimal(1200)),
        ("quantity", "3 invoices over $1,200.00 due 5 March", 3),
        ("percent", "12.5% of 30", Decimal("12.5")),
        ("phone", "call +44 20 7946 0958, ext 3", PHONE),
        ("person", "Contact Dana Reyes at Yarholm Foods", "Dana Reyes"),
        ("company", "Contact Dana Reyes at Yarholm Foods", "Yarholm Foods"),
        ("company", "The Yarholm Foods order", "Yarholm Foods"),
        ("code", "In Q3 we see #4512", "4512"),
        ("title", 'the note "Launch plan" is old', "Launch plan"),
        ("url", "see https://acme.example/a.", "https://acme.example/a"),
        ("file_name", "see launch-plan.pdf, p. 3", "launch-plan.pdf"),
        ("country", "we moved to Norway", "NO"),
        ("currency", "paid in euros", "EUR"),
        ("id", "customer cus_9aFx83 wrote", "cus_9aFx83"),
    ],
)
def test_grep_takes_the_one_fact(kind: str, text: str, value: Any) -> None:
    assert grep(kind, text) == value


@pytest.mark.parametrize("text", ["", "INV-1001 and INV-1002", "nothing here"])
def test_grep_refuses_none_and_several(text: str) -> None:
    with pytest.raises(ValueError, match="expected one code"):
        grep("code", text)


def test_find_lists_distinct_facts_in_order() -> None:
    assert find("date", "5 March 2026, 2026-03-05 and 6 March 2026") == [
        (2026, 3, 5),
        (2026, 3, 6),
    ]


def test_both_readings_of_an_ambiguous_date_are_found() -> None:
    assert find("date", "05/03/2026") == [(2026, 3, 5), (2026, 5, 3)]


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="file_name"):
        normalise("emial", "x")
    with pytest.raises(UnknownName):
        grep("emial", "x")


def test_the_usual_way_comes_first() -> None:
    assert render("date", MARCH_5) == "5 March 2026"
    assert render("money", 1200, currency="USD") == "$1,200.00"
    assert render("money", "1200 EUR") == "€1,200.00"
    assert render("datetime", "2026-03-05T10:00:00Z") == "5 March 2026 at 10:00 UTC"
    ways = renderings("date", MARCH_5)
    assert render("date", MARCH_5, len(ways)) == ways[0]


TEXT_KINDS = sorted(set(KINDS) - {"boolean"})
PHRASES = (
    "{}",
    "It is {}.",
    "Please note: {}, thanks",
    "({}) as agreed",
    "- {}\n- second line",
)


@settings(max_examples=600, deadline=None)
@given(
    kind=st.sampled_from(TEXT_KINDS),
    seed=st.integers(0, 2**40),
    phrase=st.sampled_from(PHRASES),
)
def test_every_rendering_of_a_drawn_value_is_recognised(
    kind: str, seed: int, phrase: str
) -> None:
    value = draw(kind, Random(seed))
    for way in renderings(kind, value):
        assert mentions(kind, value, phrase.format(way)), way


@settings(max_examples=400, deadline=None)
@given(
    amount=st.decimals(min_value=-100_000, max_value=10_000_000, places=2),
    currency=st.sampled_from(pools.CURRENCIES),
)
def test_every_rendering_of_an_amount_is_recognised(amount: Decimal, currency: str) -> None:
    for way in renderings("money", amount, currency=currency):
        assert mentions("money", amount, f"Paid {way} today", currency=currency), way


@settings(max_examples=300, deadline=None)
@given(
    moment=st.datetimes(datetime(1900, 1, 1), datetime(2099, 12, 31)),
    hours=st.integers(-11, 11),
)
def test_every_rendering_of_an_instant_is_recognised(moment: datetime, hours: int) -> None:
    zoned = moment.replace(tzinfo=timezone(timedelta(hours=hours)))
    for way in renderings("datetime", zoned):
        assert mentions("datetime", zoned, f"Starts {way}, in Dock 4"), way
    for way in renderings("date", moment.date()):
        assert mentions("date", moment.date(), f"Due {way}."), way


@settings(max_examples=500, deadline=None)
@given(kind=st.sampled_from(TEXT_KINDS), seed=st.integers(0, 2**40))
def test_a_text_of_one_value_does_not_state_another(kind: str, seed: int) -> None:
    rng = Random(seed)
    if kind in ("currency", "text"):
        return  # two drawn texts may share a sentence; `$` is the mark of several currencies
    value = draw(kind, rng)
    other = draw(kind, rng, taken={value, str(value).casefold()})
    if kind == "money" and abs(other / value) in (1000, Decimal("0.001")):
        return
    for way in renderings(kind, value):
        assert not mentions(kind, other, f"It is {way}."), (way, other)


@settings(max_examples=500, deadline=None)
@given(text=st.text(), kind=st.sampled_from(KINDS))
def test_any_text_can_be_read(text: str, kind: str) -> None:
    assert isinstance(find(kind, text), list)
