"""Spellings name the same value, spoilt values name another one."""

from random import Random
from typing import Any

import pytest

from compoworld_core.audit.rivals import like, typed
from compoworld_core.audit.spellings import plain, spellings
from compoworld_core.audit.spoiling import (
    day_and_month_swapped,
    mistyped,
    other_unit,
    other_zone,
    part_of,
    rounded,
    shifted,
)
from compoworld_core.audit.writes import Unfit


@pytest.mark.parametrize(
    ("kind", "raw", "said"),
    [
        ("date", "2026-09-04", "4 September 2026"),
        ("datetime", "2026-09-04T15:00:00+02:00", "4 September 2026, 13:00 UTC"),
        ("money", "1200.5", "1,200.50"),
        ("cents", 120050, "1,200.50"),
        ("money", 362000, "362,000"),
        ("code", "INV-1", "INV-1"),
    ],
)
def test_a_value_is_written_plainly(kind: str, raw: Any, said: str) -> None:
    assert plain(kind, raw) == said


@pytest.mark.parametrize(
    ("kind", "raw", "said"),
    [
        ("date", "2026-09-04", "September 4, 2026"),
        ("date", "2026-09-03", "the 3rd of September 2026"),
        ("datetime", "2026-09-04T13:00:00Z", "2026-09-04T15:00:00+02:00"),
        ("money", "1200.5", "1 200.50"),
        ("quantity", 5, "five"),
        ("person", "Dana Reyes", "Reyes, Dana"),
        ("phone", "+34 491 397 045", "+34491397045"),
        ("phone", "+34 491 397 045", "0034491397045"),
        ("email", "ana@hero.example", "ANA@HERO.EXAMPLE"),
        ("code", "INV-2041", "inv-2041"),
    ],
)
def test_a_value_has_other_spellings(kind: str, raw: Any, said: str) -> None:
    assert said in spellings(kind, raw, "")


def test_a_company_in_a_name_field_is_not_turned_round() -> None:
    assert "Mills, Holside" not in spellings("person", "Holside Mills", "")


def test_a_spelling_is_not_the_one_that_is_shown() -> None:
    assert "2026-09-04" not in spellings("date", "2026-09-04", "2026-09-04")


@pytest.mark.parametrize(
    ("kind", "raw", "near"),
    [
        ("money", "10.50", {"11.50", "9.50"}),
        ("cents", 1050, {1150, 950}),
        ("date", "2026-03-01", {"2026-02-28", "2026-03-02", "2025-03-01", "2027-03-01"}),
        ("datetime", "2026-03-01T00:00:00Z", {"2026-03-01T01:00:00Z", "2026-02-28T23:00:00Z"}),
        ("code", "INV-0099", {"INV-0100"}),
        ("id", 41, {42}),
    ],
)
def test_the_neighbour_of_a_value(kind: str, raw: Any, near: set[Any]) -> None:
    assert {shifted(kind, raw, Random(seed)) for seed in range(60)} == near


def test_an_opaque_id_has_no_neighbour() -> None:
    with pytest.raises(Unfit, match="no neighbour"):
        shifted("id", "gid://shop/Customer/626550276630", Random(0))


@pytest.mark.parametrize("kind", ["email", "person", "phone", "money", "code"])
def test_a_mistyped_value_differs_and_is_as_long(kind: str) -> None:
    value = {"email": "ana@hero.example", "phone": "+34 491 397", "money": "1873.31"}.get(
        kind, "Dana Reyes-12"
    )
    for seed in range(40):
        wrong = str(mistyped(kind, value, Random(seed)))
        assert wrong != value
        assert len(wrong) == len(value)


def test_the_wrong_unit_is_a_hundred_times_too_large() -> None:
    assert other_unit("money", "12.5") == "1250.0"
    assert other_unit("cents", 1250) == 125000


def test_a_value_is_rounded_off() -> None:
    assert rounded("cents", 187331) == "1,873"
    assert rounded("datetime", "2026-09-04T13:00:00Z") == "4 September 2026"


def test_a_whole_amount_cannot_be_rounded() -> None:
    with pytest.raises(Unfit, match="nothing to round"):
        rounded("money", "362000")


def test_nothing_has_no_wrong_unit() -> None:
    with pytest.raises(Unfit, match="any unit"):
        other_unit("money", "0")


def test_the_wrong_zone_keeps_the_clock() -> None:
    assert other_zone("datetime", "2026-09-04T13:00:00Z") == "2026-09-04T13:00:00-05:00"


def test_day_and_month_are_exchanged() -> None:
    assert day_and_month_swapped("date", "2026-09-04") == "2026-04-09"


@pytest.mark.parametrize("raw", ["2026-09-14", "2026-09-09"])
def test_some_days_cannot_be_taken_for_months(raw: str) -> None:
    with pytest.raises(Unfit, match="taken for each other"):
        day_and_month_swapped("date", raw)


@pytest.mark.parametrize(
    ("kind", "raw", "part"),
    [
        ("person", "Dana Reyes", "Dana"),
        ("title", "Retry webhook delivery after errors", "Retry webhook"),
        ("email", "ana@hero.example", "ana"),
        ("code", "#D66", "#D"),
        ("date", "2026-09-04", "September 2026"),
    ],
)
def test_a_part_of_a_value(kind: str, raw: str, part: str) -> None:
    assert part_of(kind, raw) == part


def test_a_short_company_name_is_no_part() -> None:
    with pytest.raises(Unfit, match="no parts"):
        part_of("company", "Holside Mills")


def test_values_are_found_in_records_whatever_type_they_have_there() -> None:
    assert [str(v) for v in typed("2026-09-04")] == ["2026-09-04", "2026-09-04"]
    assert len(typed("12.50")) == 2
    assert typed("Ana") == ["Ana"]


@pytest.mark.parametrize(
    ("model", "value", "typed_alike"), [("1", 14, "14"), (1, "12", 12), (1.5, "2.25", 2.25)]
)
def test_a_value_takes_the_type_of_another(model: Any, value: Any, typed_alike: Any) -> None:
    assert like(model, value) == typed_alike
    assert type(like(model, value)) is type(typed_alike)
