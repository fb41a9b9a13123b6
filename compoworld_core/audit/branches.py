"""Wrong ways: a condition, a rule, an exception or a deadline was not read properly."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic_core import to_json

from compoworld_core.audit.effects import same_but_for_stamps
from compoworld_core.audit.kinds import wrong
from compoworld_core.audit.trial import Trial
from compoworld_core.audit.writes import Unfit
from compoworld_core.environment import Environment
from compoworld_core.errors import PlanError
from compoworld_core.expressions import Expr, Fn, Rule, walk
from compoworld_core.plan import Step
from compoworld_core.user import USER

Node = Any
Change = Callable[[Node], Node]
"""A part of the plan as JSON → what stands there instead; itself where nothing changes."""


def replanned(
    trial: Trial, change: Change, otherwise: str, *, spared: Node = None
) -> Environment:
    """The outcome of a policy that follows another plan; Unfit where that is the same plan.

    Args:
        trial: the task.
        change: what the policy read otherwise.
        otherwise: why there is no such outcome, where nothing changes.
        spared: an expression that stays where a write has it as an argument.
    """
    steps = []
    first = ""
    for step, data in zip(trial.plan.steps, trial.steps_as_json, strict=True):
        new = {key: _changed(value, change) for key, value in data.items()}
        if step.write and spared is not None:
            new["arguments"] = [
                old if old["expr"] == spared else argument
                for old, argument in zip(data["arguments"], new["arguments"], strict=True)
            ]
        if new != data:
            first = first or step.id
            step = Step.model_validate(new)
        steps.append(step)
    plan = trial.plan.model_copy(
        update={"steps": tuple(steps), "answer": _answer(trial, change)}
    )
    if first:
        return trial.replayed(plan, first).environment
    if plan.answer == trial.plan.answer or plan.answer is None:
        raise Unfit(otherwise)
    end = trial.end()
    end.answer = None
    try:
        end.finish(str(plan.answer.value(trial.replay.scope)))
    except PlanError as error:
        raise Unfit("the other plan has no answer") from error
    return end


def _answer(trial: Trial, change: Change) -> Expr | None:
    """The answer of the changed plan."""
    answer = trial.plan.answer
    if answer is None:
        return None
    data = json.loads(to_json(answer))
    new = _changed(data, change)
    return answer if new == data else _EXPR.validate_python(new)


_EXPR: Final[TypeAdapter[Expr]] = TypeAdapter(Expr)


def _changed(node: Node, change: Change) -> Node:
    if isinstance(node, dict):
        return change({key: _changed(value, change) for key, value in node.items()})
    if isinstance(node, list):
        return [_changed(value, change) for value in node]
    return node


def _whens(trial: Trial) -> list[Any]:
    return [step.when for step in trial.plan.steps if step.when is not None]


@wrong
def wrong_branch(trial: Trial, rng: Random) -> Environment:
    """Went the other way at a condition: did what is for the other case."""
    found = _whens(trial)
    if not found:
        raise Unfit("no step depends on a condition")
    chosen = json.loads(to_json(rng.choice(found)))
    chosen.pop("negated")

    def flip(node: Node) -> Node:
        if "test" not in node or {k: v for k, v in node.items() if k != "negated"} != chosen:
            return node
        return {**node, "negated": not node["negated"]}

    return replanned(trial, flip, "no step depends on a condition")


@wrong
def both_branches(trial: Trial, rng: Random) -> Environment:
    """Did both what is for the one case and what is for the other."""
    del rng
    if not any(s.when is not None and not trial.replay.played(s.id) for s in trial.plan.steps):
        raise Unfit("no step is left out by a condition")

    def drop(node: Node) -> Node:
        return None if "test" in node and "left" in node else node

    outcome = replanned(trial, drop, "no step depends on a condition")
    if same_but_for_stamps(trial.reference, outcome):
        raise Unfit("the right way comes last and overwrites the other")
    return outcome


@wrong
def gave_up(trial: Trial, rng: Random) -> Environment:
    """Met a refusal and did not take the other way."""
    del rng
    second = [
        step.id
        for step in trial.plan.steps
        if step.when is not None and step.when.test == "fails" and trial.replay.played(step.id)
    ]
    if not second:
        raise Unfit("no refusal forces another way")
    return trial.without(*second)


@wrong
def rule_ignored(trial: Trial, rng: Random) -> Environment:
    """Applied the line of the rule that is for another case."""
    scope = trial.replay.scope
    for step in trial.plan.steps:
        for expr in step.expressions():
            for rule in walk(expr):
                if isinstance(rule, Rule):
                    case = str(rule.case.value(scope)).replace("_", " ")
                    return _with_case(trial, case, str(rule.source.value(scope)), rng)
    raise Unfit("no rule is looked up")


def _with_case(trial: Trial, case: str, text: str, rng: Random) -> Environment:
    lines = [line.strip() for part in text.splitlines() for line in part.split(";")]
    others = [
        line.partition(":")[0]
        for line in lines
        if ":" in line and not line.casefold().startswith(case.casefold())
    ]
    if not others:
        raise Unfit("the rule knows one case only")
    other = {"op": "lit", "literal": rng.choice(others), "kind": "text"}

    def change(node: Node) -> Node:
        return {**node, "case": other} if node.get("op") == "rule" else node

    return replanned(trial, change, "no rule is looked up")


@wrong
def exception_ignored(trial: Trial, rng: Random) -> Environment:
    """Treated also those that were to be left alone."""
    del rng

    def drop(node: Node) -> Node:
        where = node.get("where")
        if isinstance(where, list) and any(c.get("negated") for c in where):
            return {**node, "where": [c for c in where if not c.get("negated")]}
        return node

    return replanned(trial, drop, "nothing is to be left alone")


@wrong
def filter_ignored(trial: Trial, rng: Random) -> Environment:
    """Took all that is listed, whatever one of the conditions says."""
    sets = [
        e
        for step in trial.plan.steps
        for e in step.expressions()
        if e.op == "all" and any(not c.negated for c in e.where)
    ]
    if not sets:
        raise Unfit("no set is selected by a condition")
    chosen = json.loads(to_json(rng.choice(sets)))
    spot = rng.randrange(len(chosen["where"]))

    def drop(node: Node) -> Node:
        if node.get("op") == "all" and node["where"] == chosen["where"]:
            return {**node, "where": [c for i, c in enumerate(node["where"]) if i != spot]}
        return node

    return replanned(trial, drop, "no set is selected by a condition")


@wrong
def calendar_days(trial: Trial, rng: Random) -> Environment:
    """Counted calendar days where business days were meant."""
    del rng
    return replanned(
        trial,
        lambda n: {**n, "name": "days"} if n.get("name") == "business_days" else n,
        "no business days are counted",
    )


@wrong
def wrong_direction(trial: Trial, rng: Random) -> Environment:
    """Counted days after the date instead of before it, or the other way round."""
    del rng

    def turn(node: Node) -> Node:
        if node.get("op") == "fn" and node.get("name") in ("days", "business_days"):
            return {**node, "number": -node["number"]}
        return node

    return replanned(trial, turn, "no days are counted")


@wrong
def rate_forgotten(trial: Trial, rng: Random) -> Environment:
    """Wrote the amount as it was found, without converting it."""
    del rng

    def bare(node: Node) -> Node:
        return node["args"][0] if node.get("name") == "convert" else node

    return replanned(trial, bare, "nothing is converted")


@wrong
def rate_inverted(trial: Trial, rng: Random) -> Environment:
    """Divided by the rate instead of multiplying with it."""
    del rng
    scope = trial.replay.scope
    turned: list[tuple[Node, Node]] = []
    for step in trial.plan.steps:
        for expr in step.expressions():
            if isinstance(expr, Fn) and expr.name == "convert" and step.id in scope.outputs:
                old = json.loads(to_json(expr))
                rate = Decimal(str(expr.args[1].value(scope)))
                if rate:
                    new = {"op": "const", "literal": format(1 / rate, ".6f")}
                    turned.append((old, {**old, "args": [old["args"][0], new]}))

    def turn(node: Node) -> Node:
        return next((new for old, new in turned if old == node), node)

    return replanned(trial, turn, "nothing is converted")


@wrong
def other_extreme(trial: Trial, rng: Random) -> Environment:
    """Took the smallest instead of the largest, the first instead of the latest."""
    del rng
    turned = {"largest": "smallest", "smallest": "largest"}

    def turn(node: Node) -> Node:
        if node.get("op") == "fn" and node.get("name") in turned:
            return {**node, "name": turned[node["name"]]}
        return node

    return replanned(trial, turn, "nothing is the largest or smallest")


@wrong
def guessed_unasked(trial: Trial, rng: Random) -> Environment:
    """Did not ask the user for what was missing, and assumed something."""
    if trial.task.user is None:
        raise Unfit("the user holds nothing back")
    held = rng.choice(trial.task.user.facts)
    asking = {step.id for step in trial.plan.steps if step.service == USER}
    guess = {"op": "lit", "literal": held.other, "kind": held.kind}

    def assume(node: Node) -> Node:
        source = node.get("source")
        told = isinstance(source, dict) and source.get("step") in asking
        return guess if told and node.get("kind") == held.kind else node

    return replanned(trial, assume, "the reply decides nothing")
