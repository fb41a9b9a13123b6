"""6b: what the instruction has worked out matters: no transformation leaves things as they are.

"Converted at the rate of 1", "the latest of one", "two lines say whom, and both say the same":
whoever reads past such words ends where the reference does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from compoworld_core import facts
from compoworld_core.errors import PlanError
from compoworld_core.expressions import All, Expr, Fn, Pick, Rule, Scope, select, walk
from compoworld_core.plan import Plan
from compoworld_core.proof.case import Case, Refuted

_LINES: Final = re.compile(r"[\n;]")


def refute_idle(case: Case, probe: str) -> int:
    """How many transformations and exceptions were looked at; Refuted where one is idle."""
    looked = 0
    for part, expr, items in _expressions(case.plan, case.replay.scope):
        reasons = [reason for item in items for reason in _reason(expr, item, case)]
        looked += len(reasons)
        # One item of a for-each may be as it was; not all of them.
        if reasons and all(reasons):
            raise Refuted(probe, f"{part}: {reasons[0]}")
    return looked


def _expressions(plan: Plan, scope: Scope) -> Iterator[tuple[str, Expr, list[Any]]]:
    """(step, expression, items of its for-each) of all that the reference evaluated."""
    for step in plan.steps:
        if step.id not in scope.outputs:
            continue
        items = [None] if step.foreach is None else step.foreach.value(scope)
        for expr in step.expressions():
            yield step.id, expr, items
    if plan.answer is not None:
        for expr in walk(plan.answer):
            yield "the answer", expr, [None]


def _reason(expr: Expr, item: Any, case: Case) -> Iterator[str]:
    """Why an expression does nothing here; empty where it does something."""
    if not isinstance(expr, Fn | Rule | Pick | All):
        return
    scope = case.replay.scope
    scope.item = item
    try:
        if isinstance(expr, Fn):
            yield from _function(expr, scope)
        elif isinstance(expr, Rule):
            yield _rule(expr, scope)
        else:
            yield from _exceptions(expr, scope)
    except PlanError:
        pass  # it has no value for this item, so the reference did not need it
    finally:
        scope.item = None


def _function(fn: Fn, scope: Scope) -> Iterator[str]:
    if fn.name in ("largest", "smallest", "sum"):
        values = fn.args[0].value(scope)
        many = len({str(value) for value in values}) if fn.name != "sum" else len(values)
        yield "" if many > 1 else f"the {fn.name} of {many} is no choice"
    elif fn.name == "convert":
        same = facts.equal(fn.kinds[0], fn.value(scope), fn.args[0].value(scope))
        yield "the conversion changes nothing" if same else ""
    elif fn.name in ("days", "business_days"):
        same = fn.value(scope) == str(fn.args[0].value(scope))[:10]
        yield "the date is the one it is counted from" if same else ""


def _rule(rule: Rule, scope: Scope) -> str:
    """Another line must say something else, or the case does not matter."""
    said = rule.value(scope)
    for line in _LINES.split(str(rule.source.value(scope))):
        try:
            other: object = facts.grep(rule.kind, line)
        except ValueError:
            continue  # it states no fact of the kind, or several
        if not facts.equal(rule.kind, other, said):
            return ""
    return f"the text says {said!r} whatever the case"


def _exceptions(chosen: Pick | All, scope: Scope) -> Iterator[str]:
    """An exception keeps something out; a list narrowed by a search may show no others."""
    for condition in chosen.where:
        if condition.negated:
            rest = [other for other in chosen.where if other is not condition]
            kept = len(select(chosen, rest, scope)) - len(select(chosen, chosen.where, scope))
            yield "" if kept else f"the exception by {condition.path} leaves nothing out"
