"""What the generator refuses before it does anything."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from compoworld_tasks_walk.generator import WalkGenerator

from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.generation import Request

Requests = Callable[..., Request]


def test_what_there_is_passes(request_of: Requests) -> None:
    WalkGenerator().check(request_of(patterns=("join", "create"), options={"plans": 2}))


def test_a_mistyped_pattern_is_refused_with_the_nearest(request_of: Requests) -> None:
    with pytest.raises(UnknownName, match="aggregat") as refused:
        WalkGenerator().check(request_of(patterns=("join", "agregate")))
    assert "aggregate" in str(refused.value)


@pytest.mark.parametrize("options", [{"plan": 2}, {"plans": "many"}, {"registers": ["loud"]}])
def test_an_option_that_is_none_is_refused(
    request_of: Requests, options: dict[str, object]
) -> None:
    with pytest.raises(UsageError, match="The walk generator has: plans, registers"):
        WalkGenerator().check(request_of(options=options))
