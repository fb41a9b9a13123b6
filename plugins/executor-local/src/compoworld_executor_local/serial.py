"""Serial: the executor that uses no other process; for debugging, and for very small work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Serial:
    """Applies the function here, when its result is asked for."""

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], *, workers: int = 1
    ) -> Iterator[Result]:
        """Apply the function to each item in turn; `workers` makes no difference."""
        for item in items:
            yield function(item)
