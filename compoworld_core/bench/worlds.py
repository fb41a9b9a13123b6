"""Worlds: what a fork costs, what a digest costs per change, and what plain Python costs."""

from __future__ import annotations

import tracemalloc
from typing import Any, Final

from attrs import frozen

from compoworld_core.bench.clock import median_us
from compoworld_core.environment import Environment
from compoworld_core.state import Entity, State
from compoworld_core.table import Table

_FORKS: Final = 200
_CHANGES: Final = 50
_ROWS: Final = 1000


class Sample(Entity):
    """A record of fixed shape."""

    id: str
    name: str
    email: str
    status: str = "open"
    amount: int
    tags: tuple[str, ...] = ("a", "b")
    note: str | None = None


@frozen
class ForkCost:
    """A fork of ten services."""

    us: float
    bytes: int
    """Until the first write."""
    services: int


def fork_cost(environment: Environment, seconds: float) -> ForkCost:
    """Time and memory of a fork."""
    us = median_us(environment.fork, seconds)
    kept: list[Environment] = [environment.fork()]
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    kept += [environment.fork() for _ in range(_FORKS)]
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return ForkCost(us, (after - before) // _FORKS, len(environment.services))


def digest_us_per_change(environment: Environment, seconds: float) -> float:
    """What each changed record costs, up to the next digest: unchanged ones are remembered."""
    state, name = _largest(environment)
    changed = state.fork()
    table: Table[Any] = changed.table(name)
    keys = table.keys()[:_CHANGES]

    def again() -> None:
        for key in keys:
            table.replace(table[key].model_copy())  # another object: a row of the overlay
        changed.digest()

    return median_us(again, seconds) / max(len(keys), 1)


def dict_get_us(environment: Environment, seconds: float) -> float:
    """Looking a key up in a dictionary: the least that any store can cost."""
    state, name = _largest(environment)
    rows = {row.id: row for row in state.table(name)}
    key = next(iter(rows))
    return median_us(lambda: rows.get(key), seconds)


def deepcopy_1000_us(seconds: float) -> float:
    """Deep copies of a thousand small records: what a fork must not do."""
    rows = [
        Sample(id=f"rec_{n}", name=f"Record {n}", email=f"r{n}@example.test", amount=n)
        for n in range(_ROWS)
    ]
    return median_us(lambda: [row.model_copy(deep=True) for row in rows], seconds)


def _largest(environment: Environment) -> tuple[State, str]:
    """The state with the most records in one table, and the table's name."""
    sizes = [
        (len(state.table(name)), service, name)
        for service, state in environment.states.items()
        for name in state.tables()
    ]
    _, service, name = max(sizes)
    return environment.states[service], name
