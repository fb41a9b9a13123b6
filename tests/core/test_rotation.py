"""Rotation: all sets of services take turns, and a bound for each holds."""

from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compoworld_core.errors import UsageError
from compoworld_core.request import Request
from compoworld_core.rotation import turn
from compoworld_core.shares import Shares, enough_sets

NAMES = tuple("abcdefgh")


@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 99), st.integers(0, 500))
def test_each_set_comes_once_in_a_round(services: int, k: int, seed: int, start: int) -> None:
    names, k = NAMES[:services], min(k, services)
    count = comb(services, k)
    turns = [turn(names, k, index, seed) for index in range(start, start + count)]
    assert sorted(turns) == sorted(combinations(names, k))
    assert turn(names, k, start + count, seed) == turns[0]


def test_another_seed_is_another_order() -> None:
    orders = {tuple(turn(NAMES, 3, index, seed) for index in range(9)) for seed in range(9)}
    assert len(orders) == 9


def test_sets_of_many_services_take_turns_without_being_listed() -> None:
    names = tuple(f"service{number:03}" for number in range(448))
    turns = [turn(names, 5, index) for index in range(300)]
    assert len(set(turns)) == 300
    assert len({name for names in turns for name in names}) > 400
    assert all(len(set(names)) == 5 for names in turns)


def test_a_try_walks_over_the_services_whose_turn_it_is() -> None:
    asked = Request(n=1, k=2, walk=(2, 2), services=NAMES, per_composition=1)
    turns = [asked.of_try(index).services for index in range(comb(8, 2))]
    assert sorted(turns) == sorted(combinations(NAMES, 2))
    free = asked.model_copy(update={"per_composition": None})
    assert free.of_try(0).services == NAMES


def test_turns_are_of_as_many_services_as_the_try_has() -> None:
    asked = Request(n=1, k=2, most_k=4, services=NAMES, per_composition=1)
    tries = [asked.of_try(index) for index in range(60)]
    assert {len(each.services) for each in tries} == {2, 3, 4}
    assert all(len(each.services) == each.k for each in tries)


def test_a_composition_is_full_when_it_has_its_tasks_in_whatever_order() -> None:
    shares = Shares(Request(n=1, k=2, services=NAMES, per_composition=2))
    shares.add(("a", "b"))
    assert not shares.full(("a", "b"))
    shares.add(("b", "a", "b"))
    assert shares.full(("a", "b"))
    assert not shares.full(("a", "c"))
    shares.request = shares.request.model_copy(update={"per_composition": None})
    assert not shares.full(("a", "b"))


@pytest.mark.parametrize(
    ("n", "k", "most", "bound", "sets"), [(29, 2, None, 1, 28), (169, 2, 3, 2, 84)]
)
def test_more_tasks_than_the_sets_may_have_are_refused(
    n: int, k: int, most: int | None, bound: int, sets: int
) -> None:
    asked = Request(n=n, k=k, most_k=most, services=NAMES, per_composition=bound)
    with pytest.raises(UsageError, match=rf"have {sets} sets: give --n {sets * bound} or less"):
        enough_sets(asked, NAMES)
    enough_sets(asked.model_copy(update={"n": n - 1}), NAMES)
    enough_sets(asked.model_copy(update={"per_composition": None}), NAMES)
