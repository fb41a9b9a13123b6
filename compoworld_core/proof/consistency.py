"""Consistency: whether the parts of a candidate fit each other, before anything is played.

Generators of any origin hand candidates in. A goal of a step that does not exist demands
nothing, and nobody would notice; so each name must lead somewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from compoworld_core.environment import Environment
from compoworld_core.expressions import All, Expr, Out, Pick, walk
from compoworld_core.patch import Patch, patched
from compoworld_core.plan import Goal, Plan, Selection, Step
from compoworld_core.proof.case import Candidate, Refuted
from compoworld_core.references import lost
from compoworld_core.state import Entity, State
from compoworld_core.user import USER

NAME = "consistent"


def check_consistency(candidate: Candidate, initial: Environment) -> None:
    """Refuted at the first part of a candidate that does not fit the others."""
    _check_services(candidate, initial)
    for service, patch in candidate.patches.items():
        if service in initial.states:
            check_references(initial.states[service], patch, service)
    plan = candidate.plan
    _check_unique("step", [step.id for step in plan.steps])
    _check_unique("goal", [goal.id for goal in plan.goals])
    _check_unique("selection", [selection.id for selection in plan.selections])
    steps = {step.id: step for step in plan.steps}
    for step in plan.steps:
        _check_step(step, candidate.walk, initial)
        _check_when(step, steps)
    for goal in plan.goals:
        _check_goal(goal, plan, steps, initial)
    for selection in plan.selections:
        _check_selection(selection, steps, initial)
    _check_reads(plan, steps)
    if plan.goals:  # without any, not-vacuous says more
        _check_demands(plan)
        _check_carries(candidate, steps)
    _check_spans(candidate)


def _check_services(candidate: Candidate, initial: Environment) -> None:
    walk = candidate.walk
    if len(walk) < 2 or set(walk) != set(candidate.services):
        raise Refuted("graph", "the walk must visit every service of the task")
    for here, there in pairwise(walk):
        if here == there and len(candidate.services) > 1:
            raise Refuted("graph", f"the walk goes from {here} to itself")
    _check_unique("service", [*candidate.services, *candidate.distractors])
    for name in (*candidate.services, *candidate.distractors):
        if name not in initial.services:
            raise Refuted(NAME, f"{name} is no service of s0")


def check_references(state: State, patch: Patch, service: str) -> None:
    """What a planted row refers to is there."""
    for table, row in patched(state, patch):
        for line in lost(state, table, row):
            raise Refuted(NAME, f"{service}: {line}")


def _check_unique(what: str, names: Iterable[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise Refuted(NAME, f"{what} {name} is there {count} times")


def _check_step(step: Step, walk: tuple[str, ...], initial: Environment) -> None:
    """It belongs to a visit of its service, and writes where its tool writes."""
    if not 0 <= step.visit < len(walk):
        raise Refuted(NAME, f"{step.id} belongs to visit {step.visit}, and there is none")
    if step.service == USER:
        if step.write:
            raise Refuted(NAME, f"{step.id} asks the user, which writes nothing")
        return
    if step.service != walk[step.visit]:
        where = f"visit {step.visit}, which is one of {walk[step.visit]}"
        raise Refuted(NAME, f"{step.id} calls {step.service} on {where}")
    tool = initial.services[step.service].tools.get(step.tool)
    if tool is not None and step.write is tool.read_only:
        does = "reads only" if tool.read_only else "may write"
        raise Refuted(NAME, f"{step.id} has write={step.write}, and {tool.full_name} {does}")


def _check_when(step: Step, steps: dict[str, Step]) -> None:
    when = step.when
    if when is None:
        return
    if when.test == "fails":
        tried = steps.get(when.left.step) if isinstance(when.left, Out) else None
        if tried is None or not tried.may_fail:
            raise Refuted(NAME, f"{step.id} waits for a refusal that no step may meet")
    elif when.right is None:
        raise Refuted(NAME, f"{step.id} compares a value with nothing")


def _check_goal(goal: Goal, plan: Plan, steps: dict[str, Step], initial: Environment) -> None:
    """It speaks of what its step writes, and demands something."""
    if goal.kind == "answer":
        if plan.answer is None:
            raise Refuted(NAME, f"{goal.id} demands an answer, and the plan gives none")
    else:
        step = steps.get(goal.step)
        if step is None or not step.write or step.service != goal.service:
            what = f"{goal.service or 'no service'} by step {goal.step!r}"
            raise Refuted(NAME, f"{goal.id} is about {what}, which writes nothing there")
        entity = _entity(initial, goal.service, goal.table, goal.id)
        if (goal.key is None) is not (goal.kind == "create"):
            raise Refuted(NAME, f"{goal.id} must name its row, unless it is a new one")
        if (goal.new_id is not None) is not (goal.kind == "create"):
            raise Refuted(
                NAME, f"{goal.id} must say where its new row's id is shown, or has none"
            )
        _check_fields(entity, (expect.field for expect in goal.expects), goal.id)
    if not goal.expects and goal.kind != "delete":
        raise Refuted(NAME, f"{goal.id} demands nothing")
    for expect in goal.expects:
        if not expect.exprs:
            raise Refuted(NAME, f"{goal.id} demands no value of {expect.field or 'the answer'}")
        if expect.mode == "contains" and len(expect.kinds) != len(expect.exprs):
            raise Refuted(NAME, f"{goal.id}: each fact in {expect.field!r} needs its kind")
        if goal.kind == "answer" and not all(_reads(e) for e in expect.exprs):
            raise Refuted(NAME, f"{goal.id} demands an answer that no call shows")


def _check_demands(plan: Plan) -> None:
    """What is done is demanded: each write, and the answer."""
    demanded = {goal.step for goal in plan.goals}
    for step in plan.steps:
        if step.write and step.id not in demanded:
            raise Refuted(NAME, f"{step.id} writes, and no goal demands it")
    if plan.answer is not None and all(goal.kind != "answer" for goal in plan.goals):
        raise Refuted(NAME, "the plan answers, and no goal demands it")


def _check_selection(
    selection: Selection, steps: dict[str, Step], initial: Environment
) -> None:
    step = steps.get(selection.step)
    if step is None or step.service != selection.service:
        raise Refuted(NAME, f"{selection.id} is shown by no step of {selection.service}")
    entity = _entity(initial, selection.service, selection.table, selection.id)
    fields = [field for field, _, _ in selection.conditions]
    _check_unique(f"{selection.id}: the condition on", fields)
    for field in selection.negated:
        if field not in fields:
            raise Refuted(NAME, f"{selection.id}: {field} is negated, but no condition")
    best = () if selection.best is None else (selection.best[0],)
    _check_fields(entity, (*fields, *best), selection.id)


def _entity(initial: Environment, service: str, table: str, part: str) -> type[Entity]:
    tables = type(initial.states[service]).tables()
    if table not in tables:
        raise Refuted(NAME, f"{part}: {service} has no table {table!r}")
    return tables[table]


def _check_fields(entity: type[Entity], fields: Iterable[str], part: str) -> None:
    for field in fields:
        if field not in entity.model_fields:
            raise Refuted(NAME, f"{part}: {entity.__name__} has no field {field!r}")


def _check_carries(candidate: Candidate, steps: dict[str, Step]) -> None:
    """Each fact that an edge carries is read where the edge begins."""
    walk, plan = candidate.walk, candidate.plan
    made = {(goal.step, goal.new_id) for goal in plan.goals if goal.kind == "create"}
    for carry in plan.carries:
        expr = carry.expr
        if carry.source == "id" and not (
            isinstance(expr, Out) and (expr.step, expr.path) in made
        ):
            raise Refuted(NAME, f"edge {carry.edge} carries no new record's id, as it says")
        if not 0 <= carry.edge < len(walk) - 1:
            raise Refuted(NAME, f"a fact is carried by edge {carry.edge}, and there is none")
        sources = {steps[read].service for read in _reads(carry.expr)}
        if walk[carry.edge] not in sources:
            what = f"edge {carry.edge} carries what {walk[carry.edge]} does not show"
            raise Refuted(NAME, what)


def _check_reads(plan: Plan, steps: dict[str, Step]) -> None:
    for part, reads in _readers(plan):
        for read in reads:
            if read not in steps:
                raise Refuted(NAME, f"{part} reads {read}, which is no step")


def _readers(plan: Plan) -> Iterator[tuple[str, Iterable[str]]]:
    """(part of the plan, the steps whose observations it reads)."""
    for step in plan.steps:
        yield step.id, step.reads
    for goal in plan.goals:
        yield goal.id, goal.reads
    for selection in plan.selections:
        for expr in (selection.key, *(value for _, _, value in selection.conditions)):
            yield selection.id, _reads(expr)
    for carry in plan.carries:
        yield f"edge {carry.edge}", _reads(carry.expr)
    if plan.answer is not None:
        yield "the answer", _reads(plan.answer)


def _reads(expr: Expr) -> list[str]:
    return [part.step for part in walk(expr) if isinstance(part, Out | Pick | All)]


def _check_spans(candidate: Candidate) -> None:
    """What is described or referred to is a selection, or a record that a goal is about."""
    plan = candidate.plan
    known = {selection.id for selection in plan.selections} | {goal.id for goal in plan.goals}
    for span in candidate.spans:
        if span.kind != "literal" and span.target not in known:
            raise Refuted(NAME, f"the instruction speaks of {span.target!r}, which is nothing")
