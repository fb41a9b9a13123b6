"""A message in one service overrules what a record of another one says."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from attrs import frozen

from compoworld_core import facts
from compoworld_core.environment import Environment
from compoworld_core.expressions import Expr, Grep, Out, Pick, walk
from compoworld_core.plan import Fact
from compoworld_core.proof.player import play
from compoworld_core.proof.verdict import judge
from compoworld_core.records import Task

# the first test of a changed core learns all tools anew, on however loaded a machine
pytestmark = pytest.mark.timeout(600)

Found = Callable[..., Task]
StartOf = Callable[[Task], Environment]


@frozen
class Overruled:
    """What a text states, and what the text of a record elsewhere states instead."""

    told: Expr
    told_in: str
    """The service of the text."""
    stale: Fact
    stale_in: str


def overruled(task: Task) -> Iterator[Overruled]:
    """The demanded values of which a planted text of another service says otherwise."""
    services = {step.id: step.service for step in task.reference.steps}
    for goal in task.reference.goals:
        for expect in goal.expects:
            told = [expr for expr in expect.exprs if isinstance(expr, Grep)]
            if len(told) != 1 or expect.mode != "contains":
                continue
            (here,) = {services[e.step] for e in walk(told[0]) if isinstance(e, Out | Pick)}
            for decoy in expect.decoys:
                for service in set(task.s0.patches) - {here}:
                    rows = [op.row or {} for op in task.s0.patches[service].operations]
                    texts = [text for row in rows for text in row.values()]
                    written = facts.render(decoy.kind, decoy.value)
                    if any(isinstance(text, str) and written in text for text in texts):
                        yield Overruled(told[0], here, decoy, service)


def is_told_plainly(task: Task) -> bool:
    return any(True for _ in overruled(task))


def outcome(task: Task, initial: Environment, said: str = "", instead: str = "") -> bool:
    """Does the reference pass, where its writes say one thing instead of another?"""
    final = initial.fork()
    writes = {step.id for step in task.reference.steps if step.write}
    for call in play(task.reference, initial.fork()).calls:
        if call.step in writes:
            final.call(
                call.tool, call.arguments.replace(said, instead) if said else call.arguments
            )
    return judge(task.criteria, task.gates, initial, final).success


def test_the_old_value_stands_in_a_record_that_was_read_in_another_service(
    found: Found,
) -> None:
    task = found("overrule", is_told_plainly)
    read = {step.service for step in task.reference.steps if not step.write}
    for one in overruled(task):
        assert one.stale_in != one.told_in
        assert {one.stale_in, one.told_in} <= read


def test_who_goes_by_the_old_value_fails(start_of: StartOf, found: Found) -> None:
    task = found("overrule", is_told_plainly)
    initial = start_of(task)
    scope = play(task.reference, initial.fork()).scope
    assert outcome(task, initial)
    for one in overruled(task):
        told = facts.render(one.stale.kind, one.told.value(scope))
        stale = facts.render(one.stale.kind, one.stale.value)
        assert not outcome(task, initial, told, stale)
        assert not outcome(task, initial, told, f"{told}, before {stale}")


def test_the_instruction_says_which_one_counts(found: Found) -> None:
    task = found("overrule", is_told_plainly)
    assert any(
        said in task.instruction for said in ("(it replaces the one ", "(not the old one ")
    )
