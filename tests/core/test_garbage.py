"""Garbage: the collector rests during a piece of work, and only then."""

import gc
from collections.abc import Iterator

import pytest

from compoworld_core.garbage import uncollected


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    on = gc.isenabled()
    gc.enable()
    yield
    if not on:
        gc.disable()


def test_the_collector_rests_during_the_work() -> None:
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_collector_is_back_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), uncollected():
        _ = 1 / 0
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    with uncollected():
        pass
    assert not gc.isenabled()


def test_work_inside_work_does_not_wake_it() -> None:
    with uncollected():
        with uncollected():
            pass
        assert not gc.isenabled()
