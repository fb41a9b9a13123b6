"""The laws of a walk and of the graph that it gives."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compoworld_core.errors import UsageError
from compoworld_core.graph import graph_of, random_walk

seeds = st.integers(0, 2**32)


@st.composite
def sizes(draw: st.DrawFn) -> tuple[list[str], int]:
    """Some services and a length that can visit all of them."""
    count = draw(st.integers(2, 9))
    return [f"s{n}" for n in range(count)], draw(st.integers(count, 14))


@given(sizes(), seeds)
def test_a_walk_visits_all_never_stays_and_has_its_length(
    asked: tuple[list[str], int], seed: int
) -> None:
    services, length = asked
    walk = random_walk(services, length, Random(seed))
    assert walk is not None
    assert len(walk) == length
    assert set(walk) == set(services)
    assert all(a != b for a, b in pairwise(walk))


@given(sizes(), seeds)
def test_the_edges_are_the_consecutive_pairs_once_each(
    asked: tuple[list[str], int], seed: int
) -> None:
    walk = random_walk(*asked, Random(seed))
    assert walk is not None
    graph = graph_of(walk)
    assert set(graph.edges) == set(pairwise(walk))
    assert len(set(graph.edges)) == len(graph.edges)
    assert graph.edges[0] == walk[:2]
    assert sorted(graph.services) == sorted(asked[0])


@given(sizes(), seeds)
def test_no_walk_takes_a_forbidden_edge(asked: tuple[list[str], int], seed: int) -> None:
    services, length = asked

    def weight(source: str, target: str) -> float:
        return 0.0 if source < target and target == services[-1] != services[1] else 1.0

    walk = random_walk(services, length, Random(seed), weight)
    for source, target in zip(walk or (), (walk or ())[1:], strict=False):
        assert weight(source, target) > 0


def test_where_all_edges_are_forbidden_there_is_no_walk() -> None:
    assert random_walk(["a", "b", "c"], 5, Random(1), lambda source, target: 0.0) is None


@pytest.mark.parametrize(("services", "length"), [(["a"], 3), (["a", "b", "c"], 2)])
def test_a_walk_that_cannot_be_is_wrong_usage(services: list[str], length: int) -> None:
    with pytest.raises(UsageError):
        random_walk(services, length, Random(1))
