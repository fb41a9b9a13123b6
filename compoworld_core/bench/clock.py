"""Clock: the median time of a small piece of work, from many short batches."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Any, Final

_BATCH_SECONDS: Final = 0.004
"""A batch is long against the timer's resolution and short against a scheduler's slice."""
_LEAST_BATCHES: Final = 5


def median_us(
    work: Callable[[], Any], seconds: float, after: Callable[[], Any] | None = None
) -> float:
    """Microseconds of one call of `work`: the median over batches.

    Args:
        work: what is timed; called many times.
        seconds: about how long to measure.
        after: called after each batch, outside the timing.
    """
    return medians_us([work], seconds, after)[0]


def medians_us(
    works: Sequence[Callable[[], Any]],
    seconds: float,
    after: Callable[[], Any] | None = None,
) -> list[float]:
    """The same for several, batch by batch in turn, so that their ratios are of one moment."""
    counts = [_batch_size(work) for work in works]
    times: list[list[float]] = [[] for _ in works]
    enabled = gc.isenabled()
    gc.disable()
    try:
        end = perf_counter() + seconds * len(works)
        while len(times[0]) < _LEAST_BATCHES or perf_counter() < end:
            for work, count, taken in zip(works, counts, times, strict=True):
                start = perf_counter()
                for _ in range(count):
                    work()
                taken.append(perf_counter() - start)
                if after is not None:
                    after()
    finally:
        if enabled:
            gc.enable()
    return [median(taken) / count * 1e6 for taken, count in zip(times, counts, strict=True)]


def _batch_size(work: Callable[[], Any]) -> int:
    count = 1
    while True:
        start = perf_counter()
        for _ in range(count):
            work()
        took = perf_counter() - start
        if took >= _BATCH_SECONDS / 2 or count >= 100_000:
            return max(1, int(count * _BATCH_SECONDS / max(took, 1e-9)))
        count *= 4


def calibration_us(seconds: float) -> float:
    """A fixed loop of plain Python, by which figures of two machines can be compared."""

    def loop() -> int:
        total = 0
        for number in range(1000):
            total += number * number % 7
        return total

    return median_us(loop, seconds)
