"""Changes of the sample candidate that make it weak, and what the proof says of them."""

from __future__ import annotations

from typing import Any

from sample_tasks import Draft

from compoworld_core.expressions import All, Expr, Out
from compoworld_core.plan import Expect, Goal
from compoworld_core.proof.case import Refuted
from compoworld_core.proof.certificate import prove
from compoworld_core.types import Kind

STAGE = Out(step="s2b", path=("stage",))
NAME = Out(step="s2b", path=("name",))
INVOICES = All(step="s3", items=("items",))
"""What the sample's reference reads."""


def verdict(made: Draft) -> str:
    """The probe that refutes it; empty for a task."""
    try:
        prove(made.candidate(), made.initial(), made.bases())
    except Refuted as refuted:
        return refuted.probe
    return ""


def plan(made: Draft, **changes: Any) -> None:
    """Change parts of the plan."""
    made.plan = made.plan.model_copy(update=changes)


def goal(made: Draft, name: str, **changes: Any) -> None:
    """Change a goal."""
    goals = (g.model_copy(update=changes) if g.id == name else g for g in made.plan.goals)
    plan(made, goals=tuple(goals))


def expects(made: Draft, name: str) -> tuple[Expect, ...]:
    """What a goal expects."""
    return next(g.expects for g in made.plan.goals if g.id == name)


def selection(made: Draft, name: str, **changes: Any) -> None:
    """Change a description."""
    found = (s.model_copy(update=changes) if s.id == name else s for s in made.plan.selections)
    plan(made, selections=tuple(found))


def carry(made: Draft, edge: int, **changes: Any) -> None:
    """Change what an edge carries."""
    found = (c.model_copy(update=changes) if c.edge == edge else c for c in made.plan.carries)
    plan(made, carries=tuple(found))


def answering(made: Draft, expr: Expr, kind: Kind) -> None:
    """Let the task end with an answer that states this value."""
    expect = Expect(field="", mode="contains", kind=kind, exprs=(expr,), kinds=(kind,))
    told = Goal(id="answer", kind="answer", text="The answer says it.", expects=(expect,))
    plan(made, answer=expr, goals=(*made.plan.goals, told))
