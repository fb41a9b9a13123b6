"""Patterns: what one visit of the walk does with what came, and what it produces."""

from __future__ import annotations

from typing import Final

from compoworld_tasks_walk.patterns.aggregate import Aggregate
from compoworld_tasks_walk.patterns.answer import Answer
from compoworld_tasks_walk.patterns.appointment import Appointment
from compoworld_tasks_walk.patterns.branch import Branch
from compoworld_tasks_walk.patterns.conversion import Conversion
from compoworld_tasks_walk.patterns.copying import Copy
from compoworld_tasks_walk.patterns.correction import Correction
from compoworld_tasks_walk.patterns.create import Create
from compoworld_tasks_walk.patterns.deadline import Deadline
from compoworld_tasks_walk.patterns.dedup import Dedup
from compoworld_tasks_walk.patterns.each import Each
from compoworld_tasks_walk.patterns.extremes import Latest
from compoworld_tasks_walk.patterns.fallback import Fallback
from compoworld_tasks_walk.patterns.join import Join
from compoworld_tasks_walk.patterns.leaving import Except
from compoworld_tasks_walk.patterns.named import Named
from compoworld_tasks_walk.patterns.overruling import Overrule
from compoworld_tasks_walk.patterns.pattern import Option, Pattern
from compoworld_tasks_walk.patterns.permission import Permission
from compoworld_tasks_walk.patterns.policy import Policy
from compoworld_tasks_walk.patterns.statement import Statement
from compoworld_tasks_walk.patterns.update import Update
from compoworld_tasks_walk.patterns.writeback import WriteBack

PATTERNS: Final[tuple[Pattern, ...]] = (
    Statement(), Join(), Named(), Latest(), Correction(), Overrule(), Aggregate(), Update(),
    Each(), Except(), Branch(), Fallback(), Permission(), Dedup(), Copy(), Deadline(),
    Appointment(), Conversion(), Policy(), Create(), WriteBack(), Answer(),
)  # fmt: skip
READS: Final[tuple[Pattern, ...]] = tuple(p for p in PATTERNS if not p.writes)
"""Those that only read: they also tell something of the hero's that no edge has led to."""

__all__ = ["PATTERNS", "READS", "Option", "Pattern"]
