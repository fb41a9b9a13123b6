"""Marks: where a plan under construction stands, for going back; what is planted with it."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from compoworld_core.expressions import Expr
from compoworld_tasks_walk.affordances import Lookup
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.planting import PlanterMark
from compoworld_tasks_walk.script import Mentioned
from compoworld_tasks_walk.trial import TrialMark


@frozen
class Mark:
    """Where a draft stands, for going back: everything that a pattern may change."""

    lengths: tuple[int, ...]
    """Of the lists that only grow, in their order."""
    records: dict[str, Rec]
    mentioned: dict[str, Mentioned]
    got: dict[str, dict[str, tuple[str, Lookup]]]
    """Record → the look-ups that show its further fields."""
    known: tuple[tuple[Known, Expr | None], ...]
    """The known facts, and where each is read."""
    planter: PlanterMark
    trial: TrialMark
    answer: Expr | None
    score: float
    signed: str
    walk: tuple[str, ...]
    services: tuple[str, ...]
    readable: dict[tuple[Any, ...], Any]


@frozen
class Plants:
    """Which competitors are planted; all, but for ablations that show what each is for."""

    shadows: bool = True
    siblings: bool = True
    near_duplicates: bool = True
