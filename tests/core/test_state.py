"""State: digest, canonical forms, forks, round trips, what a change reads like."""

import json
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from desk import DeskState, Ticket
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from compoworld_core.state import Change, Entity, Ledger, State, dump
from compoworld_core.table import Table
from compoworld_core.types import DateTime, Json, Money, Number, StrSet


class Thing(Entity):
    id: str
    amount: Number | None = None
    at: DateTime | None = None
    tags: StrSet = ()
    extra: Json = None


class Things(State):
    things: Table[Thing] = Table()
    motto: str = ""


def digest_of(**fields: Any) -> str:
    return Things(things=Table([Thing(id="a", **fields)])).digest()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"amount": 33}, {"amount": 33.0}),
        ({"amount": 33}, {"amount": "33.00"}),
        ({"amount": "3.3E+1"}, {"amount": Decimal("33")}),
        ({"amount": 0}, {"amount": "-0.0"}),
        ({"amount": "1.10"}, {"amount": 1.1}),
        ({"at": "2026-03-02T09:00:00Z"}, {"at": "2026-03-02T11:00:00+02:00"}),
        ({"at": "2026-03-02T09:00:00Z"}, {"at": "2026-03-02T09:00:00"}),
        ({"tags": ("a", "b")}, {"tags": ["b", "a", "b"]}),
        ({"extra": {"n": 5.0}}, {"extra": {"n": 5}}),
        ({"extra": [1, 2]}, {"extra": (1, 2)}),
    ],
)
def test_equal_values_have_one_form(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert digest_of(**one) == digest_of(**other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"amount": 33}, {"amount": "33.01"}),
        ({"at": "2026-03-02T09:00:00Z"}, {"at": "2026-03-02T09:00:00+02:00"}),
        ({"tags": ("a",)}, {"tags": ()}),
        ({"extra": [1, 2]}, {"extra": [2, 1]}),
        ({"amount": None}, {"amount": 0}),
    ],
)
def test_different_values_have_different_digests(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert digest_of(**one) != digest_of(**other)


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_a_number_is_kept_exactly_or_refused(number: Decimal) -> None:
    try:
        kept = Thing(id="a", amount=number).amount
    except ValueError:
        assert len(number.as_tuple().digits) > 28 or not -28 <= number.adjusted() < 28
    else:
        assert kept == number


@given(st.datetimes(timezones=st.just(timezone(timedelta(hours=2)))))
def test_an_instant_is_kept_in_utc_or_refused(moment: datetime) -> None:
    try:
        kept = Thing(id="a", at=moment).at
    except ValueError:
        assert moment.replace(tzinfo=None) < datetime(1, 1, 1, 2)
    else:
        assert kept is not None
        assert kept == moment
        assert kept.utcoffset() == timedelta(0)


@pytest.mark.parametrize("number", [1772442000, 1772442000000, 0.5])
def test_an_epoch_is_not_an_instant(number: float) -> None:
    with pytest.raises(ValueError, match="not a number"):
        Thing(id="a", at=number)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"deep": [float("-inf")]}])
def test_json_holds_no_number_that_json_cannot_write(value: Any) -> None:
    with pytest.raises(ValueError, match="not JSON"):
        Thing(id="a", extra=value)


rows = st.lists(
    st.builds(
        Thing,
        id=st.sampled_from(list("abcdefgh")),
        amount=st.none() | st.decimals(-999, 999, places=2),
        tags=st.lists(st.sampled_from(["x", "y", "z"])),
        extra=st.recursive(
            st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(max_size=2), inner, max_size=3)
            ),
            max_leaves=6,
        ),
    ),
    max_size=8,
    unique_by=lambda row: row.id,
)


@given(rows, rows)
def test_equal_content_has_one_digest_however_it_came_about(
    old: list[Thing], new: list[Thing]
) -> None:
    fresh = Things(things=Table(new))
    worked = Things(things=Table(old))
    worked.digest()  # the base's sum is cached before the writes
    for row in old:
        worked.things.delete(row.id)
    for row in reversed(new):
        worked.things.insert(row)
    assert worked.digest() == fresh.digest()
    assert worked.fork().freeze().digest() == fresh.digest()


@given(rows)
def test_a_state_survives_json(held: list[Thing]) -> None:
    state = Things(things=Table(held), motto="m", ledger=Ledger(counters={"b": 2, "a": 1}))
    text = state.model_dump_json()
    read = Things.model_validate_json(text)
    assert read.model_dump_json() == text
    assert read.digest() == state.digest()
    assert Things.model_validate(json.loads(text)).digest() == state.digest()


@pytest.mark.parametrize(
    "ledger",
    [
        Ledger(writes=1),
        Ledger(key=1),
        Ledger(counters={"x": 1}),
        Ledger(actor="you@example.com"),
        Ledger(now=datetime(2030, 1, 1)),
    ],
)
def test_the_ledger_is_part_of_the_digest(ledger: Ledger) -> None:
    assert Things(ledger=ledger).digest() != Things().digest()


def test_the_order_of_counting_is_not_part_of_the_digest() -> None:
    one, other = Ledger(counters={"a": 1, "b": 2}), Ledger(counters={"b": 2, "a": 1})
    assert Things(ledger=one).digest() == Things(ledger=other).digest()


def test_settings_and_table_names_are_part_of_the_digest() -> None:
    class Two(State):
        one: Table[Thing] = Table()
        other: Table[Thing] = Table()

    left, right = Two(one=Table([Thing(id="a")])), Two(other=Table([Thing(id="a")]))
    assert left.digest() != right.digest()
    assert Things(motto="x").digest() != Things(motto="y").digest()


def test_a_fork_shares_records_and_hides_writes() -> None:
    state = Things(things=Table([Thing(id="a"), Thing(id="b")]))
    fork = state.fork()
    assert fork.things["a"] is state.things["a"]
    fork.things.update("a", amount=1)
    fork.motto = "mine"
    fork.ledger.counters["n"] = 1
    assert state.things["a"].amount is None
    assert state.motto == ""
    assert state.ledger.counters == {}


def test_a_table_field_cannot_be_assigned() -> None:
    with pytest.raises(TypeError, match="write through its methods"):
        Things().things = Table()


def test_an_assigned_setting_is_validated() -> None:
    with pytest.raises(ValueError, match="valid string"):
        Things().motto = 3  # type: ignore[assignment]


@pytest.mark.parametrize(
    "annotation",
    [
        list[str],
        dict[str, int],
        set[str],
        Decimal,
        datetime,
        list[str] | None,
        tuple[list[int]],
    ],
)
def test_an_entity_holds_nothing_that_changes_in_place(annotation: Any) -> None:
    with pytest.raises(TypeError, match="is not allowed"):
        type("Bad", (Entity,), {"__annotations__": {"id": str, "field": annotation}})


def test_a_nested_model_must_be_frozen() -> None:
    class Loose(BaseModel):
        city: str

    class Tight(BaseModel):
        model_config = ConfigDict(frozen=True)
        lines: list[str]

    with pytest.raises(TypeError, match="ConfigDict"):
        type("Bad", (Entity,), {"__annotations__": {"id": str, "place": Loose}})
    with pytest.raises(TypeError, match="lines: list is not allowed"):
        type("Worse", (Entity,), {"__annotations__": {"id": str, "place": Tight | None}})


def test_a_setting_holds_nothing_that_changes_in_place() -> None:
    with pytest.raises(TypeError, match="Json"):
        type("Bad", (State,), {"__annotations__": {"options": dict[str, int]}})


def test_a_json_field_refuses_changes_in_place() -> None:
    extra = Thing(id="a", extra={"deep": [{"n": 1}]}).extra
    with pytest.raises(TypeError, match="frozen"):
        extra["x"] = 1
    with pytest.raises(TypeError, match="frozen"):
        extra["deep"][0].update(n=2)


def test_a_change_reads_like_a_sentence() -> None:
    before = dump(Thing(id="a", amount=1, tags=["x"]))
    after = dump(Thing(id="a", amount=Decimal("2.50"), tags=["x"]))
    assert str(Change("s", "things", "a", before, after)) == "s: things a: amount '1' → '2.5'"
    assert str(Change("s", "things", "a", None, after)).startswith(
        "s: things a is new: amount="
    )
    assert str(Change("s", "things", "a", before, None)).startswith("s: things a is gone (was")


def test_changes_are_listed_by_table_in_row_order() -> None:
    made = datetime(2026, 3, 2, 9)
    names = ["t3", "t1", "t2"]
    tickets = [Ticket(id=n, subject=n, requester="a@b.co", created_at=made) for n in names]
    state = DeskState(tickets=Table(tickets))
    fork = state.fork()
    for key in sorted(names):
        fork.tickets.update(key, subject="new")
    assert [change[:2] for change in state.changes(fork)] == [("tickets", n) for n in names]


def test_money_is_exact_in_json() -> None:
    class Bill(Entity):
        id: str
        total: Money

    bill = Bill.model_validate_json('{"id": "b", "total": 1.10}')
    assert bill.total == Decimal("1.1")
    assert Bill.model_validate_json(bill.model_dump_json()) == bill


def test_undoing_an_assignment_restores_the_setting() -> None:
    state = Things(motto="old")
    state.journal.undo = []
    state.motto = "new"
    state.motto = "newer"
    for step in reversed(state.journal.undo):
        step()
    assert state.motto == "old"
