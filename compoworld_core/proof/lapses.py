"""Lapses: wrong outcomes of a policy that reads past something it was told."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import partial
from operator import is_
from random import Random
from typing import Any

from attrs import frozen
from pydantic import BaseModel

from compoworld_core.environment import Environment
from compoworld_core.errors import PlanError
from compoworld_core.expressions import All, Condition, Const, Path, Pick, at, select
from compoworld_core.plan import Step
from compoworld_core.proof.case import Case
from compoworld_core.proof.memory import derive
from compoworld_core.proof.mutant import choose, replayed
from compoworld_core.state import State

Chosen = Pick | All


@frozen
class Place:
    """A condition of a choice, with the items that it alone keeps out."""

    chosen: Chosen
    condition: Condition
    steps: tuple[str, ...]
    """Where the choice is made."""
    others: list[Any]
    """Only those from which the plan takes other values than from the right one."""


def condition_ignored(case: Case, rng: Random) -> Environment:
    """One condition of a choice among listed items is dropped: another one, or more of them."""
    found = [place for place in places(case) if place.others]
    return ignoring(case, choose(rng, found, "no list shows what a condition keeps out"))


def ignoring(case: Case, place: Place) -> Environment:
    """How it ends where the condition at this place, which keeps something out, is dropped."""
    # Not the environment itself: it holds the memory that would hold it.
    look = partial(_ignored, case, place)
    states, answer = derive(case.initial, (ignoring, place), look)
    environment = case.initial.fork()
    environment.states, environment.answer = states.copy(), answer
    return environment


def _ignored(case: Case, place: Place) -> tuple[dict[str, State], str | None]:
    chosen, other = place.chosen, place.others[0]

    def instead(node: Any) -> Const | None:
        if not (isinstance(node, Chosen) and _same(node, chosen)):
            return None
        if isinstance(node, Pick):
            return Const(literal=_values(other, [node.path])[0])
        items = [*select(chosen, chosen.where, case.replay.scope), *place.others]
        return Const(literal=[_values(item, [node.path])[0] for item in items])

    steps = tuple(_mapped(s, instead) if s.id in place.steps else s for s in case.plan.steps)
    plan = case.plan.model_copy(update={"steps": steps})
    final = replayed(case, {}, place.steps[0], plan)
    return final.states, final.answer


def places(case: Case) -> tuple[Place, ...]:
    """The conditions that keep an item out of a choice; looked for once.

    A list that shows nothing else without the condition has none: the search that made it
    kept the others out.
    """
    return derive(case.initial, (case.plan, case.replay.scope), lambda: tuple(_places(case)))


def _places(case: Case) -> Iterator[Place]:
    scope = case.replay.scope
    choices = [
        (s.id, e) for s in case.plan.steps for e in s.expressions() if isinstance(e, Chosen)
    ]
    for number, (_, chosen) in enumerate(choices):
        if any(_same(chosen, earlier) for _, earlier in choices[:number]):
            continue
        same = [(step, e) for step, e in choices[number:] if _same(e, chosen)]
        steps = tuple(dict.fromkeys(step for step, _ in same))
        taken = [expr.path for _, expr in same]
        for condition in chosen.where:
            rest = tuple(c for c in chosen.where if c is not condition)
            try:
                right = select(chosen, chosen.where, scope)
                others = [i for i in select(chosen, rest, scope) if i not in right]
            except PlanError:
                continue  # it speaks of the item of a for-each
            if isinstance(chosen, Pick) and len(right) != 1:
                continue  # likewise, or a step that was never played
            if others:
                if isinstance(chosen, Pick):
                    others = [
                        i for i in others if _values(i, taken) != _values(right[0], taken)
                    ]
                yield Place(chosen, condition, steps, others)


def _values(item: Any, paths: list[Path]) -> list[Any]:
    found = []
    for path in paths:
        try:
            found.append(at(item, path))
        except PlanError:
            found.append(None)  # nothing to take: whoever chooses it cannot go on
    return found


def _same(one: Chosen, other: Chosen) -> bool:
    """Do both choose the same items, whatever they take of them?"""
    return (one.op, one.step, one.items, one.where) == (
        other.op,
        other.step,
        other.items,
        other.where,
    )


def _mapped(node: Any, instead: Callable[[Any], Any]) -> Any:
    """A part of a plan with other parts inside it; `instead` gives None for what stays."""
    other = instead(node)
    if other is not None:
        return other
    if isinstance(node, tuple):
        parts = tuple([_mapped(part, instead) for part in node])
        return node if all(map(is_, parts, node)) else parts
    if not isinstance(node, BaseModel):
        return node
    held = {name: node.__dict__[name] for name in type(node).__pydantic_fields__}
    made = {name: _mapped(value, instead) for name, value in held.items()}
    if all(made[name] is held[name] for name in held):
        return node
    return type(node).model_construct(**made)


def missing_recipient(case: Case, rng: Random) -> Environment:
    """A value that a criterion wants is left out of a list among a write's arguments."""
    demanded = {goal.step: goal.expects for goal in case.goals}
    found = [
        (step, argument)
        for step in case.plan.steps
        for argument in step.arguments
        if step.id in demanded and isinstance(argument.path[-1], int)
        for expect in demanded[step.id]
        if argument.expr in expect.exprs
    ]
    step, argument = choose(rng, found, "no list holds a value that is wanted")

    def rewrite(step: Step, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        changed = copy.deepcopy(calls)
        for values in changed:
            del at(values, argument.path[:-1])[argument.path[-1]]
        return changed

    return replayed(case, {step.id: rewrite}, step.id)
