"""What a plan goes by, each value with one service that shows it.

Edges carry most of it. The rest decides without being carried: what the answer tells, the rate
of a conversion, a number of days that a text gives, a rule, what a condition compares. Whether
a call is refused is none of it: that shows at the call alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import evolve, frozen

from compoworld_core.errors import PlanError
from compoworld_core.expressions import All, Const, Expr, Fn, Grep, Lit, Out, Pick, Rule, Scope
from compoworld_core.plan import Carry, Plan, When
from compoworld_core.types import Kind
from compoworld_core.user import USER

ANSWER = "the answer"
_WORKED_OUT = ("convert", "days", "business_days")
"""Functions of a value and of something that somebody has to look up, or is told."""


@frozen
class Sought:
    """A value that must not be found without its source."""

    says: str
    """What it is, for a person: "edge 3", "the answer"."""
    kind: Kind
    expr: Expr
    source: str = ""
    when: When | None = None
    """The condition that compares it."""
    foreach: Expr | None = None
    """The set, where it is worked out for each of its items."""

    def forms(self, plan: Plan) -> Iterator[Expr]:
        """Itself, and what the source shows of it: who knows that can work out the rest."""
        yield self.expr
        expr = self.expr
        while isinstance(expr, Fn) and expr.name in _WORKED_OUT:
            expr = expr.args[0]
            if self.source in services_of(plan, expr):
                yield expr

    def outcome(self, scope: Scope) -> Any:
        """What it comes to: the values, or whether its condition holds."""
        if self.when is None:
            return self.values(self.expr, scope)
        try:
            return self.when.holds(scope)
        except PlanError:
            return None

    def values(self, expr: Expr, scope: Scope) -> list[Any]:
        """The values of one of its forms; none where the way to it was not taken."""
        found: list[Any] = []
        try:
            items = [None] if self.foreach is None else self.foreach.value(scope)
            for item in items:
                scope.item = item
                value = expr.value(scope)
                found += value if isinstance(value, list) else [value]
        except PlanError:
            return []
        finally:
            scope.item = None
        return [value for value in found if value is not None]


def carried(carry: Carry, walk: tuple[str, ...]) -> Sought:
    """The fact of an edge."""
    return Sought(f"edge {carry.edge}", carry.kind, carry.expr, walk[carry.edge])


def deciding(plan: Plan) -> list[Sought]:
    """What decides besides: once for each service that shows a part of it."""
    found: list[Sought] = []
    for part in (*_told(plan), *_looked_up(plan), *_compared(plan)):
        for source in services_of(plan, part.expr):
            each = evolve(part, source=source)
            if all(evolve(one, says=each.says) != each for one in found):
                found.append(each)
    return found


def _told(plan: Plan) -> Iterator[Sought]:
    for goal in plan.goals:
        for expect in goal.expects if goal.kind == "answer" else ():
            kinds = expect.kinds or (expect.kind,) * len(expect.exprs)
            for kind, expr in zip(kinds, expect.exprs, strict=True):
                yield Sought(ANSWER, kind, expr)


def _looked_up(plan: Plan) -> Iterator[Sought]:
    for step in plan.steps:
        for expr in step.expressions():
            if isinstance(expr, Rule):
                yield Sought(f"the rule in {step.id}", expr.kind, expr, foreach=step.foreach)
            elif isinstance(expr, Fn) and expr.name in _WORKED_OUT:
                what = "rate" if expr.name == "convert" else "number of days"
                by = expr.args[1]
                kind = by.kind if isinstance(by, Grep | Rule) else "quantity"
                yield Sought(f"the {what} in {step.id}", kind, by, foreach=step.foreach)


def _compared(plan: Plan) -> Iterator[Sought]:
    for step in plan.steps:
        if step.when is not None and step.when.test != "fails":
            for side in step.when.sides:
                says = f"the condition of {step.id}"
                yield Sought(says, step.when.kind, side, when=step.when)


def services_of(plan: Plan, expr: Expr) -> list[str]:
    """The services that show an expression's value; not those that tell which record it is."""
    names = (plan.step(step).service for step in _shown_by(expr))
    return [name for name in dict.fromkeys(names) if name != USER]


def _shown_by(expr: Expr) -> Iterator[str]:
    if isinstance(expr, Out | Pick | All):
        yield expr.step
    elif not isinstance(expr, Lit | Const):
        for part in expr.parts():
            yield from _shown_by(part)
