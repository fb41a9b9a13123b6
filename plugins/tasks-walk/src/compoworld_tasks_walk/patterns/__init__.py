"""Patterns: what one visit of the walk does with what came, and what it produces."""

from __future__ import annotations

from typing import Final

from compoworld_tasks_walk.patterns.aggregate import Aggregate
from compoworld_tasks_walk.patterns.copying import Copy
from compoworld_tasks_walk.patterns.create import Create
from compoworld_tasks_walk.patterns.each import Each
from compoworld_tasks_walk.patterns.join import Join
from compoworld_tasks_walk.patterns.pattern import Option, Pattern
from compoworld_tasks_walk.patterns.update import Update

PATTERNS: Final[tuple[Pattern, ...]] = (Join(), Update(), Copy(), Create(), Each(), Aggregate())

__all__ = ["PATTERNS", "Option", "Pattern"]
