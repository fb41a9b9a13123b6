"""Shares: how many tasks of a run each composition has, where a request bounds them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import comb
from typing import Any

from attrs import define, field

from compoworld_core.errors import UsageError
from compoworld_core.request import Request


@define
class Shares:
    """Counts accepted tasks; nothing is ever full where the request has no bound."""

    request: Request
    had: Counter[frozenset[str]] = field(factory=Counter)

    def add(self, services: Iterable[str]) -> None:
        """Count a task."""
        self.had[frozenset(services)] += 1

    def full(self, services: Iterable[str]) -> bool:
        """Does this composition have all its tasks?"""
        bound = self.request.per_composition
        return bound is not None and self.had[frozenset(services)] >= bound

    def turn(self, index: int) -> tuple[str, ...]:
        """The services of a try."""
        return self.request.of_try(index).services


def spare(services: Sequence[str]) -> dict[str, Any]:
    """The outcome of a try whose composition has all its tasks."""
    why = "these services have as many tasks as were asked for"
    return {"probe": "composition", "why": why, "services": services}


def enough_sets(request: Request, names: Sequence[str]) -> None:
    """UsageError where these services have fewer compositions than the tasks need."""
    bound = request.per_composition
    if bound is None:
        return
    least, most = request.ks
    sets = sum(comb(len(names), k) for k in range(least, most + 1))
    if request.n > sets * bound:
        raise UsageError(
            f"{request.n} tasks are wanted, {bound} of each set of services at most, and"
            f" {len(names)} services have {sets} sets: give --n {sets * bound} or less, another"
            " --k, or more services"
        )
