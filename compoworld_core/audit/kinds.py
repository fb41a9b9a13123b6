"""The kinds of outcome: what a policy did, and whether a person would call the result right."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import Final, Literal

from attrs import frozen

from compoworld_core.audit.trial import Trial
from compoworld_core.environment import Environment

Side = Literal["wrong", "equivalent"]
Mutation = Callable[[Trial, Random], Environment]
"""Raises Unfit where the task has no place for it."""


@frozen
class Kind:
    """A named way to change an outcome."""

    name: str
    side: Side
    mutate: Mutation
    times: int = 1
    """How many outcomes a task gives where one is drawn of the other kinds: more, where few
    tasks have a place for it. Repeated ones do not count."""

    @property
    def says(self) -> str:
        """What the policy did: the first line of the docstring."""
        return (self.mutate.__doc__ or "").partition("\n")[0]


_KINDS: Final[dict[str, Kind]] = {}

_RARE: Final = frozenset({"answers", "branches"})
"""Modules whose kinds only some tasks have a place for."""
_RARE_TIMES: Final = 3


def wrong(function: Mutation) -> Mutation:
    """Register a kind of outcome that must be rejected, under the function's name."""
    return _register(function, "wrong")


def equivalent(function: Mutation) -> Mutation:
    """Register a kind of outcome that must be accepted, under the function's name."""
    return _register(function, "equivalent")


def _register(function: Mutation, side: Side) -> Mutation:
    name = function.__name__
    assert name not in _KINDS, f"two kinds are called {name}"
    times = _RARE_TIMES if function.__module__.rpartition(".")[2] in _RARE else 1
    _KINDS[name] = Kind(name, side, function, times)
    return function


_MODULES: Final = (
    "answers", "branches", "collateral", "deeds", "detours", "habits", "rephrasing", "targets",
    "texts", "values",
)  # fmt: skip
"""The modules that define kinds."""


def all_kinds() -> tuple[Kind, ...]:
    """Every kind, the wrong ones first."""
    for name in _MODULES:  # each registers what it defines
        import_module(f"compoworld_core.audit.{name}")

    return tuple(sorted(_KINDS.values(), key=lambda kind: kind.side, reverse=True))
