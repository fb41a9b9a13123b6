"""The cast of a world and the drawers of fresh values."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compoworld_core import pools
from compoworld_core.cast import (
    Cast,
    draw_cast,
    fresh_company,
    fresh_person,
    fresh_product,
)
from compoworld_core.draws import draw
from compoworld_core.errors import CompoWorldError, RecordError, UnknownName, UsageError
from compoworld_core.facts import KINDS, normalise


@pytest.mark.parametrize("scale", [20, 200, 1000])
def test_a_cast_fits_its_scale(scale: int) -> None:
    cast = draw_cast(3, scale)
    assert 12 <= len(cast.staff) <= 60
    assert scale / 3 <= len(cast.customers) <= scale
    assert len(cast.companies) < len(cast.customers)
    assert cast.people == cast.staff + cast.customers


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_no_two_share_a_key(seed: int) -> None:
    cast = draw_cast(seed, 200)
    for keys in (
        [person.name for person in cast.people],
        [person.email for person in cast.people],
        [normalise("phone", person.phone) for person in cast.people],
        [person.account_no for person in cast.people],
        [company.name for company in (cast.company, *cast.companies)],
        [company.domain for company in (cast.company, *cast.companies)],
        [product.sku for product in cast.products],
    ):
        assert len(set(keys)) == len(keys)


def test_people_belong_to_their_companies() -> None:
    cast = draw_cast(5, 200)
    domains = {company.name: company.domain for company in (cast.company, *cast.companies)}
    assert all(p.email.endswith(f"@{domains[p.company]}") for p in cast.people)
    assert {person.company for person in cast.staff} == {cast.company.name}
    assert {person.company for person in cast.customers} == {c.name for c in cast.companies}
    assert all(person.is_staff for person in cast.staff)
    assert not any(person.is_staff for person in cast.customers)


def test_today_is_a_working_day_in_utc() -> None:
    days = [draw_cast(seed, 20).today for seed in range(60)]
    assert all(day.weekday() < 5 and day.tzinfo is UTC for day in days)
    assert len(set(days)) > 20


def test_a_seed_gives_one_cast_in_every_process() -> None:
    code = "import json; from compoworld_core.cast import draw_cast; "
    code += "print(json.dumps(draw_cast(7, 60).to_record(), sort_keys=True))"
    root = Path(__file__).parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": str(n), "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for n in (1, 2)
    }
    assert outputs == {json.dumps(draw_cast(7, 60).to_record(), sort_keys=True) + "\n"}
    assert draw_cast(7, 60) != draw_cast(8, 60)


def test_a_cast_survives_its_record() -> None:
    cast = draw_cast(9, 40)
    assert Cast.from_record(json.loads(json.dumps(cast.to_record()))) == cast
    with pytest.raises(RecordError, match="cast@1"):
        Cast.from_record({"schema": "compoworld/task@1"})


def test_a_scale_below_one_is_refused() -> None:
    with pytest.raises(UsageError, match="scale"):
        draw_cast(1, 0)


def test_the_pools_hold_enough_names() -> None:
    for pool in (pools.FIRST_NAMES, pools.LAST_NAMES, pools.STEM_HEADS, pools.STEM_TAILS):
        assert len(set(pool)) == len(pool)
    assert len(pools.FIRST_NAMES) * len(pools.LAST_NAMES) >= 20_000
    stems = {head + tail for head in pools.STEM_HEADS for tail in pools.STEM_TAILS}
    assert len(stems) * len(pools.SECTORS) >= 90_000
    assert all(word.isascii() for word in (*pools.FIRST_NAMES, *pools.LAST_NAMES, *stems))


def test_fresh_ones_avoid_what_is_taken_in_any_case() -> None:
    first = fresh_person(Random(1))
    again = fresh_person(Random(1), {first.name.casefold()})
    assert again.name != first.name
    company = fresh_company(Random(2))
    assert fresh_company(Random(2), {company.domain}).domain != company.domain
    product = fresh_product(Random(3))
    assert fresh_product(Random(3), {product.name}).name != product.name


def test_a_fresh_person_joins_the_company_given() -> None:
    company = fresh_company(Random(4))
    person = fresh_person(Random(5), company=company, is_staff=True)
    assert (person.company, person.country, person.is_staff) == (
        company.name,
        company.country,
        True,
    )
    assert person.email.endswith("@" + company.domain)


LIKE: list[tuple[str, list[Any]]] = [
    ("money", [Decimal("12.50"), Decimal("80.25")]),
    ("money", [12.5, 80.25]),
    ("money", ["12.50", "80.25"]),
    ("cents", [1200, 8800]),
    ("quantity", [3, 8]),
    ("percent", [5.0, 20.0]),
    ("date", ["2026-05-05", "2026-06-01"]),
    ("date", [date(2026, 5, 5)]),
    ("datetime", ["2026-05-05T10:00:00Z"]),
    ("datetime", ["2026-05-05T10:00:00+00:00"]),
    ("datetime", [datetime(2026, 5, 5, 10, tzinfo=UTC)]),
    ("datetime", [1_777_975_200]),
    ("datetime", [1_777_975_200_000]),
    ("code", ["INV-2041", "INV-2055"]),
    ("id", ["cus_9aFx83"]),
    ("id", [12, 40]),
    ("status", ["paid", "void"]),
    ("phone", ["+44 20 7946 0958"]),
    ("email", ["a@firm.example", "b@firm.example"]),
    ("file_name", ["a.csv"]),
    ("url", ["https://x.example/d/abc123"]),
    ("boolean", [True]),
    ("text", ["words"]),
]


@pytest.mark.parametrize(("kind", "like"), LIKE, ids=lambda value: str(value)[:40])
def test_a_drawn_value_has_the_form_of_its_examples(kind: str, like: list[Any]) -> None:
    for seed in range(20):
        value = draw(kind, Random(seed), like=like)
        assert type(value) is type(like[0])
        normalise(kind, value)
        if isinstance(value, str) and kind in ("date", "datetime", "code", "id", "phone"):
            shape = [c.isdigit() if kind != "id" else c == "_" for c in like[0]]
            assert [c.isdigit() if kind != "id" else c == "_" for c in value] == shape


def test_examples_set_the_range() -> None:
    rng = Random(1)
    assert draw("status", rng, like=["paid"]) == "paid"
    assert draw("email", rng, like=["a@firm.example"]).endswith("@firm.example")
    assert draw("code", rng, like=["INV-2041", "INV-2055"]).startswith("INV-2")
    assert draw("file_name", rng, like=["a.csv"]).endswith(".csv")
    prices = [draw("money", rng, like=[Decimal(10), Decimal(20)]) for _ in range(50)]
    assert all(10 <= price <= 20 and price == int(price) for price in prices)
    fractions = [draw("percent", rng, like=[0.05, 0.2]) for _ in range(50)]
    assert all(0 < fraction < 1 for fraction in fractions)


@settings(max_examples=200, deadline=None)
@given(kind=st.sampled_from(sorted(set(KINDS) - {"boolean"})), seed=st.integers(0, 2**40))
def test_a_taken_value_does_not_come_up(kind: str, seed: int) -> None:
    first = draw(kind, Random(seed))
    assert draw(kind, Random(seed), taken={first}) != first


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_alike_from_one_seed(kind: str) -> None:
    value = draw(kind, Random(11))
    assert value == draw(kind, Random(11))
    normalise(kind, value)


def test_an_exhausted_pool_says_so() -> None:
    with pytest.raises(CompoWorldError, match="status"):
        draw("status", Random(1), taken={"paid"}, like=["paid"])


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(UnknownName, match="emial"):
        draw("emial", Random(1))
