"""What a text does with a fact: it states, denies or doubts it, or gives it among others."""

from __future__ import annotations

from typing import Any

import pytest

from compoworld_core import pools
from compoworld_core.facts import alternatives, asserts, mentions, others, pool_of, states

FACTS = [
    ("money", "676.00", "$676.00"),
    ("cents", 67600, "$676.00"),
    ("phone", "+91 48111 42885", "+91 48111 42885"),
    ("email", "amara@x.example", "amara@x.example"),
    ("code", "AC-519016", "AC-519016"),
    ("id", "140", "140"),
    ("date", "2026-07-22", "22 July 2026"),
    ("datetime", "2026-03-05T10:00:00Z", "5 March 2026 at 10:00 UTC"),
    ("title", "Invoice INV-2677", "Invoice INV-2677"),
    ("person", "Dana Reyes", "Dana Reyes"),
    ("company", "Acme Foods", "Acme Foods"),
    ("status", "paid", "paid"),
]

DENIALS = (
    "not {}", "it is not {}", "this isn't {}", "definitely not {}", "anything but {}",
    "{} is not correct", "{} is wrong, it is something else", "{} (wrong)", "no longer {}",
    "{} was a mistake, please ignore it", "{}, no, it is something else", "it cannot be {}",
    "{} does not apply", "please disregard {}", "{} turned out to be wrong", "{} is outdated",
    "formerly {}, now another", "another (was {})", "changed from {} to another",
    "I do not think it is {}", "except for {}",
    "they say {} is not correct in all", "{} does not apply in all", "{} isn't the right one",
)  # fmt: skip

DOUBTS = (
    "I could not find out whether it is {}", "it may or may not be {}", "not sure if it is {}",
    "is it {}?", "I doubt that it is {}", "it is unclear whether {} is right", "perhaps {}",
    "{} (to be confirmed)", "I cannot confirm that it is {}", "either {} or another",
    "either another or {}", "one of {} and another", "{} or maybe another",
)  # fmt: skip

STATEMENTS = (
    "it is {}.", "do not forget {}", "don't ignore {}!", "not only {} but more", "{} it is",
    "{} is not late", "{} is not so urgent", "{} does not match the list",
    "note {}, no rush. Sorry, I was late.", "not paid: see {} for more",
    "if it is late, use {}", "could you look at {}?", "either way, this is done. It is {}",
    "check whether {} is late",
)  # fmt: skip


@pytest.mark.parametrize("form", DENIALS)
@pytest.mark.parametrize(("kind", "value", "written"), FACTS)
def test_what_is_denied_is_not_stated(kind: str, value: Any, written: str, form: str) -> None:
    assert not mentions(kind, value, f"Value: {form.format(written)}")


@pytest.mark.parametrize("form", DOUBTS)
@pytest.mark.parametrize(("kind", "value", "written"), FACTS)
def test_what_is_left_open_is_not_asserted(
    kind: str, value: Any, written: str, form: str
) -> None:
    text = f"Value: {form.format(written)}"
    assert not asserts(kind, value, text)
    assert states(text, [(kind, value)])[0]


@pytest.mark.parametrize("form", STATEMENTS)
@pytest.mark.parametrize(("kind", "value", "written"), FACTS)
def test_other_words_around_a_fact_do_not_matter(
    kind: str, value: Any, written: str, form: str
) -> None:
    assert asserts(kind, value, form.format(written))


def test_what_is_left_open_is_named() -> None:
    assert mentions("code", "INV-2041", "is it INV-2041?")


def test_a_denial_states_what_it_puts_in_place() -> None:
    text = "INV-2041 is wrong, it is INV-2042."
    assert states(text, [("code", "INV-2042")], [("code", "INV-2041")]) == ([], [])
    assert states(text, [("code", "INV-2041")], [("code", "INV-2042")])[0]


def test_a_wrong_value_counts_even_where_it_is_left_open() -> None:
    assert states("1200, or maybe 1300", [("money", 1200)], [("money", 1300)])[1]


# -- alternatives --------------------------------------------------------------------------

FIRST, SECOND = (f"{name} Falk" for name in pools.FIRST_NAMES[3:5])
PAIRS = [
    ("money", "676.00", "$676.00", "$812.50"),
    ("phone", "+91 48111 42885", "+91 48111 42885", "+44 20 7946 0958"),
    ("email", "amara@x.example", "amara@x.example", "bo@x.example"),
    ("code", "AC-519016", "AC-519016", "AC-519017"),
    ("id", "140", "140", "1151"),
    ("id", "51239092067", "51239092067", "53669697590"),
    ("id", "3f7fc6aa-8453", "3f7fc6aa-8453", "2cf66e3b-9271"),
    ("date", "2026-07-22", "22 July 2026", "23 July 2026"),
    ("person", FIRST, FIRST, SECOND),
]
CHOICES = (
    "either {} or {}", "{} / {}", "{} or maybe {}", "{}; alternatively {}", "{} or {}",
    "{} and {}", "{}\n- {}", "one of {} and {}",
)  # fmt: skip


@pytest.mark.parametrize("form", CHOICES)
@pytest.mark.parametrize(("kind", "value", "right", "wrong"), PAIRS)
def test_who_gives_two_chose_none(
    kind: str, value: Any, right: str, wrong: str, form: str
) -> None:
    for pair in ((right, wrong), (wrong, right)):
        text = f"See: {form.format(*pair)}."
        chosen = asserts(kind, value, text) and not alternatives(text, [(kind, value)])
        assert not chosen, text


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("code", "INV-2041", "INV-2041, AC-519016 and #4512"),
        ("code", "INV-2041", "INV-2041 (not INV-2042)"),
        ("money", 1200, "$1,200.00, $200.00 of which is tax"),
        ("money", 1200, "1,200 USD or 1,100 EUR at today's rate"),
        ("money", 1200, "$1,200.00, 30 days after delivery"),
        ("quantity", 3, "There are 3, 2 of which are late."),
        ("date", "2026-03-05", "created 3 March 2026, due 5 March 2026"),
        ("email", "a@x.example", "Write to a@x.example. Bo reads b@x.example as well."),
        ("person", f"{FIRST}", f"{FIRST}, Account Manager"),
        ("datetime", "2026-03-05T10:00:00Z", "5 March 2026 at 10:00, 30 minutes"),
    ],
)
def test_other_facts_beside_one_are_no_alternatives(kind: str, value: Any, text: str) -> None:
    assert alternatives(text, [(kind, value)]) == []


def test_several_expected_facts_are_no_alternatives_to_each_other() -> None:
    text = "INV-1001, INV-1002 and INV-1003"
    wanted = [("code", f"INV-100{n}") for n in (1, 2, 3)]
    assert alternatives(text, wanted) == []
    assert alternatives(text, wanted[:2]) == [("code", "inv-1003")]


def test_a_fact_that_is_there_for_another_reason_is_no_alternative() -> None:
    assert alternatives("140 and 151", [("id", "140")]) == [("id", "151")]
    assert alternatives("140 and 151", [("id", "140")], [("id", 151)]) == []


# -- columns -------------------------------------------------------------------------------

TITLES = pool_of(
    "title", ["Launch plan", "Launch plan details", "Fix", "A long way to go", None]
)


def listed(text: str, *quiet: str) -> list[Any]:
    return others(
        "title", text, [("title", "Launch plan")], [("title", q) for q in quiet], TITLES
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Launch plan", []),
        ("Launch plan; that is a long way to go.", ["A long way to go"]),
        ("Launch plan. Not a long way to go.", []),
        ("Launch plan details", ["Launch plan details"]),
        ("Launch plan: please fix it", []),
        ("Launch plan or Fix", ["Fix"]),
        ("A long way", []),
    ],
)
def test_another_value_of_the_column_is_a_rival(text: str, found: list[str]) -> None:
    assert listed(text) == found


def test_what_the_instruction_names_is_a_rival_only_where_it_is_tied_to_the_fact() -> None:
    assert listed("A long way to go: Launch plan", "A long way to go") == []
    assert listed("A long way to go or Launch plan", "A long way to go") == ["A long way to go"]


def test_amounts_of_a_column_are_found_in_any_notation() -> None:
    pool = pool_of("money", ["676", "812.5", "12"])
    wanted = [("money", "676.00")]
    assert others("money", "$676.00. Somewhere else $812.50.", wanted, [], pool) == ["812.5"]
    assert others("money", "$676.00 for 12 people and 12 days", wanted, [], pool) == []


# -- amounts -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Amount: $1,873.31", True), ("Amount: 1,873.31", True),
        ("Amount: 187331 cents", True), ("Amount (cents): 187331", True),
        ("Amount in cents: 187331", True), ("187,331 (in cents)", True),
        ("Amount: 187,331", False), ("Amount: 187331", False), ("Amount: $187,331", False),
    ],
)  # fmt: skip
def test_a_figure_in_cents_says_so(text: str, stated: bool) -> None:
    assert mentions("cents", 187331, text) is stated


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Amount: 4,888.86", True), ("Amount in EUR: 4,888.86", True), ("4,888.86 (EUR)", True),
        ("Amount in SEK: 4,888.86", False), ("Amount: $4,888.86", False),
        ("4,888.86 in SEK", False), ("Amount (SEK): 4,888.86", False),
    ],
)  # fmt: skip
def test_a_currency_in_the_label_counts(text: str, stated: bool) -> None:
    assert mentions("money", "4888.86 EUR", text) is stated


def test_a_count_may_follow_a_currency() -> None:
    assert mentions("quantity", 5, "Invoices in EUR: 5")


# -- the hard cases of the first matcher ------------------------------------------------------

PHONE, DAY = "+44 20 7946 0958", "2026-03-05"


@pytest.mark.parametrize(
    ("kind", "value", "right", "wrong"),
    [
        ("money", 1200, "1.2k", "1.3k"),
        ("money", "1200 EUR", "1.200,00 EUR", "1.200,50 EUR"),
        ("money", 1200, "1 200.00", "1 201.00"),
        ("date", DAY, "2026/03/05", "2026/05/03"),
        ("date", DAY, "5.3.2026", "3.5.2026"),
        ("date", DAY, "20260305", "20260503"),
        ("date", DAY, "5 March", "6 March"),
        ("quantity", 3, "three", "two"),
        ("company", "Acme Foods", "Acme-Foods", "Acme-Food"),
        ("person", "Dana Reyes", "Reyes, Dana", "Dana, Reyes"),
        ("person", "Dana Reyes", "Dana M. Reyes", "Dana Marks"),
        ("phone", PHONE, "020 7946 0958", "020 7946 0959"),
        ("code", "ISS-1234", "ISS 1234", "ISS 1235"),
        ("money", 1200, "1200", "1200%"),
        ("money", 7946, "7946", PHONE),
        ("money", "1200 USD", "1200 USD", "1200 EUR"),
        ("quantity", 3, "3", "3/5"),
        ("quantity", 5, "5", "5 March"),
        ("date", DAY, "2026-03-05", "2026-03-055"),
        ("phone", PHONE, "+44 20 7946 0958", "+44 20 7946 09581"),
        ("code", "ISS-1234", "ISS-1234", "not ISS-1234"),
    ],
)
def test_hard_cases_are_read_rightly_both_ways(
    kind: str, value: Any, right: str, wrong: str
) -> None:
    assert asserts(kind, value, f"It is {right} then.")
    assert not mentions(kind, value, f"It is {wrong} then.")


@pytest.mark.parametrize(
    "text", ["See note _140_.", "See note **140**.", "note `140`", "_140_"]
)
def test_marks_around_a_number_do_not_matter(text: str) -> None:
    assert mentions("id", "140", text)


def test_marks_around_a_key_with_such_marks_do_not_matter() -> None:
    assert mentions("id", "is_vn4twn0", "Tracked as _is_vn4twn0_.")
