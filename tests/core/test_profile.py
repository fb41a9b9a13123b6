"""Profile: the figures of `tasks stats`, counted task by task."""

import pytest
from bare_tasks import bare_task

from compoworld_core.graph import graph_of
from compoworld_core.profile import Profile, Spread, degree, shape


@pytest.mark.parametrize(
    ("walk", "name", "most"),
    [
        ("ab", "path", 1),
        ("abcb", "path", 2),
        ("abacad", "star", 3),
        ("abcbdeb", "one loop", 4),
        ("abcbde", "tree", 3),
        ("abca", "cycle", 2),
        ("abcadbcd", "mesh", 3),
    ],
)
def test_a_graph_is_named_by_its_links(walk: str, name: str, most: int) -> None:
    graph = graph_of(tuple(walk))
    assert (shape(graph), degree(graph)) == (name, most)


@pytest.mark.parametrize(
    ("values", "middle"), [([1], 1), ([1, 2], 1.5), ([3, 1, 2], 2), ([1, 9, 1, 9], 5)]
)
def test_a_spread_knows_its_median(values: list[float], middle: float) -> None:
    spread = Spread()
    for value in values:
        spread.add(value)
    found = spread.figures()
    assert found["median"] == middle
    assert (found["least"], found["most"]) == (min(values), max(values))


def test_a_profile_counts_the_mix() -> None:
    profile = Profile({"a": "one", "b": "two", "c": "two"})
    patterns = {"patterns": ["start", "copy"], "register": "terse"}
    profile.add(bare_task(1, "abab", provenance=patterns, difficulty={"score": 0.25}))
    profile.add(bare_task(2, "abcd", distractors=("e", "f"), difficulty={"score": 1.0}))
    found = profile.figures()
    assert found["tasks"] == 2
    assert found["domains"] == {"one": 2, "two": 2, "unknown": 1}
    assert found["services"] == {"a": 2, "b": 2, "c": 1, "d": 1}
    assert found["patterns"] == {"copy": 1}
    assert found["registers"] == {"terse": 1}
    assert found["difficulty_deciles"] == {"0.2": 1, "0.9": 1}
    assert found["shapes"] == {"path": 2}
    assert found["k"] == {"2": 1, "4": 1}
    assert found["revisits"] == {"least": 0, "median": 1, "mean": 1, "most": 2}
    assert found["calls"] == {}
    assert found["likeness"]["similarity"] < 0.5


def test_nothing_is_no_error() -> None:
    found = Profile().figures()
    assert found["tasks"] == 0
    assert found["visits"] == {}
