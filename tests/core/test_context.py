"""Context: ids, numbers, time and chance come from the ledger alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compoworld_core.context import DIGITS, HEX, LOWER, MIXED, TICK, Context, advance
from compoworld_core.errors import UsageError
from compoworld_core.state import Ledger
from compoworld_core.table import WriteRefused


def context(**ledger: object) -> Context:
    return Context(Ledger.model_validate(ledger), "desk")


@given(st.integers(0, 2**64), st.sampled_from([(DIGITS, 3), (HEX, 2), (LOWER, 12), (MIXED, 2)]))
def test_ids_never_repeat(key: int, shape: tuple[str, int]) -> None:
    alphabet, length = shape
    room = 1 << ((len(alphabet) ** length).bit_length() - 1)
    ctx = context(key=key)
    made = [ctx.new_id("x_", length=length, alphabet=alphabet) for _ in range(min(room, 300))]
    assert len(set(made)) == len(made)
    assert all(len(i) == 2 + length and set(i[2:]) <= set(alphabet) for i in made)


def test_ids_depend_on_key_prefix_and_count_only() -> None:
    assert context(key=1).new_id("a_") == context(key=1, writes=9).new_id("a_")
    assert context(key=1).new_id("a_") != context(key=2).new_id("a_")
    assert context(key=1).new_id("a_")[2:] != context(key=1).new_id("b_")[2:]


def test_neighbouring_ids_share_no_beginning() -> None:
    ctx = context(key=5)
    made = [ctx.new_id() for _ in range(50)]
    assert len({one[:3] for one in made}) > 40


def test_numbers_are_sequential_per_kind_and_can_leave_gaps() -> None:
    ctx = context()
    assert [ctx.next_number("issue", 100), ctx.next_number("issue", 100)] == [100, 101]
    ctx.skip_numbers("issue", 3)
    assert ctx.next_number("issue", 100) == 105
    assert ctx.next_number("other") == 1


def test_chance_depends_on_key_service_and_writes() -> None:
    def draw(service: str = "desk", **ledger: object) -> float:
        return Context(Ledger.model_validate(ledger), service).rng.random()

    assert draw(key=3, writes=2) == draw(key=3, writes=2)
    others = {draw(key=4, writes=2), draw(key=3, writes=3), draw("mail", key=3, writes=2)}
    assert draw(key=3, writes=2) not in others
    assert len(others) == 3


def test_a_write_moves_the_clock() -> None:
    ledger = Ledger()
    before = ledger.now
    advance(ledger)
    assert ledger.now == before + TICK
    assert ledger.writes == 1


def test_a_reading_context_takes_no_id() -> None:
    ctx = Context(Ledger(), "desk", reading=True)
    with pytest.raises(WriteRefused, match="read_only"):
        ctx.new_id("a_")
    with pytest.raises(WriteRefused, match="read_only"):
        ctx.next_number("a")
    assert ctx.ledger == Ledger()


def test_the_cast_is_for_seeds_only() -> None:
    with pytest.raises(UsageError, match="only while seeding"):
        _ = context().cast
