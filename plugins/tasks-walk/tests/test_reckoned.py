"""What is reckoned from a carried fact: by hand it comes to the same, and by no other way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest

from compoworld_core.environment import Environment
from compoworld_core.expressions import All, Fn, Out, Pick, walk
from compoworld_core.plan import Step
from compoworld_core.proof.player import play
from compoworld_core.proof.probes.edges import DECISION, changed_start
from compoworld_core.proof.verdict import judge
from compoworld_core.records import Task

# the first test of a changed core learns all tools anew, on however loaded a machine
pytestmark = pytest.mark.timeout(600)

Found = Callable[..., Task]
StartOf = Callable[[Task], Environment]

FRIDAY = 4


def reckoned(task: Task, *names: str) -> list[tuple[Step, Fn]]:
    """The functions of these names, each with the step that it is an argument of."""
    found = [
        (step, expr)
        for step in task.reference.steps
        for expr in step.expressions()
        if isinstance(expr, Fn) and expr.name in names
    ]
    assert found
    return found


def values_in(made: Any) -> Iterator[str]:
    """All values of a rubric's criterion, as text."""
    for target in made.targets:
        for check in target.checks:
            yield from (str(fact.value) for fact in check.values)


def demanded(task: Task) -> set[str]:
    return {value for criterion in task.criteria for value in values_in(criterion)}


def day_before(day: date, count: int, *, working: bool) -> date:
    """So many days, or Mondays to Fridays, before a day."""
    while count:
        day -= timedelta(days=1)
        count -= not working or day.weekday() <= FRIDAY
    return day


def test_a_deadline_lies_so_many_days_before_the_day_that_was_found(
    start_of: StartOf, found: Found
) -> None:
    task = found("deadline")
    scope = play(task.reference, start_of(task).fork()).scope
    for _, expr in reckoned(task, "days", "business_days"):
        day, count = (arg.value(scope) for arg in expr.args)
        working = expr.name == "business_days"
        wanted = day_before(date.fromisoformat(str(day)[:10]), count, working=working)
        assert wanted.isoformat() in demanded(task)


def test_an_amount_is_demanded_at_the_rate_that_was_found(
    start_of: StartOf, found: Found
) -> None:
    task = found("convert")
    scope = play(task.reference, start_of(task).fork()).scope
    for _, expr in reckoned(task, "convert"):
        amount, rate = (Decimal(str(arg.value(scope))) for arg in expr.args)
        wanted = (amount * rate).quantize(Decimal("0.01"), ROUND_HALF_UP)
        amounts = [re.fullmatch(r"([\d.]+) [A-Z]{3}", value) for value in demanded(task)]
        assert wanted in {Decimal(found[1]) for found in amounts if found}


def test_the_rate_is_told_by_another_service_than_takes_the_amount(found: Found) -> None:
    task = found("convert")
    services = {step.id: step.service for step in task.reference.steps}
    for step, expr in reckoned(task, "convert"):
        told = [e.step for e in walk(expr.args[1]) if isinstance(e, Out | Pick | All)]
        assert told
        assert step.service not in {services[one] for one in told}


def test_another_rate_demands_another_amount(start_of: StartOf, found: Found) -> None:
    task = found("convert")
    services = {step.id: step.service for step in task.reference.steps}
    initial = start_of(task)
    ((_, expr), *_) = reckoned(task, "convert")
    rate = expr.args[1]
    told = {services[e.step] for e in walk(rate) if isinstance(e, Out | Pick | All)}
    worlds = [w for w in task.certificate.worlds if w.edge == DECISION and w.service in told]
    assert worlds
    here = play(task.reference, initial.fork())
    for world in worlds:
        changed = changed_start(initial, world)
        there = play(task.reference, changed.fork())
        assert rate.value(there.scope) != rate.value(here.scope)
        assert not judge(task.criteria, task.gates, changed, there.environment).success
