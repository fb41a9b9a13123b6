"""Mutations of the reference: outcomes that are equivalent, and outcomes that are wrong.

Each is a function of (case, rng) that plays a changed reference and returns the final
environment, or raises Skipped with the reason why it does not apply to this task.
"""

from __future__ import annotations

import copy
from random import Random
from typing import Any, Final

from compoworld_core import facts
from compoworld_core.environment import Environment
from compoworld_core.errors import PlanError
from compoworld_core.expressions import Fn
from compoworld_core.plan import Goal, Step
from compoworld_core.proof.case import Case
from compoworld_core.proof.lapses import condition_ignored, missing_recipient
from compoworld_core.proof.mutant import Mutation, Skipped, choose, index_of, replayed
from compoworld_core.proof.player import Replay, Rewrite, arguments, play

# -- equivalent ----------------------------------------------------------------------------


def other_order(case: Case, rng: Random) -> Environment:
    """Another order of the steps that respects what needs what and each service's order."""
    steps = case.plan.steps
    left = list(range(len(steps)))
    done: set[str] = set()
    order: list[int] = []
    while left:
        ready = []
        blocked: set[str] = set()
        for n in left:
            step = steps[n]
            if step.service not in blocked and step.needs() <= done:
                ready.append(n)
            blocked.add(step.service)
        chosen = rng.choice(ready)
        left.remove(chosen)
        order.append(chosen)
        done.add(steps[chosen].id)
    if order == list(range(len(steps))):
        raise Skipped("only one order")
    replay = Replay(case.initial.fork())
    try:
        play(case.plan, replay.environment, replay=replay, order=order)
    except PlanError as error:
        raise Skipped(f"the other order does not play: {error}") from error
    return replay.environment


def late_reads(case: Case, rng: Random) -> Environment:
    """Each read only right before the write that needs it, as one who follows the text does.

    So no fact may be carried that the solution itself has changed by then, and no description
    may fit a record that the solution has made by then: that does not play, and fails.
    """
    steps = case.plan.steps
    index = {step.id: n for n, step in enumerate(steps)}
    order: list[int] = []
    for step in steps:
        if step.write:
            order += [n for n in _behind(case, index, step) if n not in order]
            order.append(index[step.id])
    if order == sorted(order):
        raise Skipped("the reads come late already")
    replay = Replay(case.initial.fork())
    play(case.plan, replay.environment, replay=replay, order=order, lenient=True)
    return replay.environment


def _behind(case: Case, index: dict[str, int], step: Step) -> list[int]:
    """The steps that a step needs, and those that these need, in the plan's order."""
    found: set[int] = set()
    waiting = list(step.reads)
    while waiting:
        number = index[waiting.pop()]
        if number not in found:
            found.add(number)
            waiting += case.plan.steps[number].reads
    return sorted(found)


def extra_reads(case: Case, rng: Random) -> Environment:
    """All calls of the reference, each read made twice."""
    environment = case.initial.fork()
    writes = {step.id for step in case.plan.steps if step.write}
    for call in case.replay.calls:
        environment.call(call.tool, call.arguments)
        if call.step not in writes:
            environment.call(call.tool, call.arguments)
    environment.answer = case.replay.environment.answer
    return environment


def retry(case: Case, rng: Random) -> Environment:
    """Before one of the writes calls that fail: unknown arguments, an unknown tool."""
    environment = case.initial.fork()
    writes = {step.id for step in case.plan.steps if step.write}
    calls = [call for call in case.replay.calls if call.step in writes]
    failing = rng.randrange(len(calls)) if calls else -1
    for number, call in enumerate(calls):
        if number == failing:
            environment.call(call.tool, '{"no such argument": 1}')
            environment.call(call.tool + "_", call.arguments)
        environment.call(call.tool, call.arguments)
    environment.answer = case.replay.environment.answer
    return environment


def other_wording(case: Case, rng: Random) -> Environment:
    """Facts in texts written another way: other words around them, other formats."""
    rewrites: dict[str, Rewrite] = {}
    for step in case.plan.steps:
        read = [
            expr
            for goal in case.goals
            if goal.step == step.id
            for expect in goal.expects
            if expect.mode == "contains"
            for expr in expect.exprs
        ]
        texts = {
            a.path: a.expr
            for a in step.arguments
            if isinstance(a.expr, Fn)
            and a.expr.name == "text"
            and any(arg in read for arg in a.expr.args)
        }
        if texts and step.write:
            rewrites[step.id] = _reworded(case, texts, rng)
    if not rewrites:
        raise Skipped("no text states a fact")
    first = next(step.id for step in case.plan.steps if step.id in rewrites)
    return replayed(case, rewrites, first)


def _reworded(case: Case, texts: dict[Any, Fn], rng: Random) -> Rewrite:
    def rewrite(step: Step, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        changed = copy.deepcopy(calls)
        for path, fn in texts.items():
            pieces = []
            for kind, arg in zip(fn.kinds, fn.args, strict=True):
                value = arg.value(case.replay.scope) if step.foreach is None else None
                if value is None or isinstance(value, list):
                    return calls
                forms = facts.renderings(kind, value)
                pieces.append(rng.choice(forms) if forms else facts.render(kind, value))
            for values in changed:
                _put(values, path, f"For the record, as agreed: {' and '.join(pieces)}.")
        return changed

    return rewrite


def _put(values: Any, path: Any, value: Any) -> None:
    for part in path[:-1]:
        values = values[part]
    values[path[-1]] = value


# -- wrong ---------------------------------------------------------------------------------


def wrong_record(case: Case, rng: Random) -> Environment:
    """A write on another row of the same table: a planted competitor where there is one."""
    goal: Goal = choose(rng, [g for g in case.goals if g.key is not None], "no row is changed")
    step = case.plan.step(goal.step)
    table = case.initial.states[goal.service].table(goal.table)

    def rewrite(step: Step, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        right = _keys(goal, step, case)
        planted = [k for k in table.overlay if k not in right and k in table]
        others = planted or [row.id for row in table if row.id not in right]
        other = choose(rng, others, "the table has no other row")
        changed = copy.deepcopy(calls)
        for values, key in zip(changed, right, strict=True):
            _swap(values, key, other)
        return changed

    return replayed(case, {step.id: rewrite}, step.id)


def _keys(goal: Goal, step: Step, case: Case) -> list[Any]:
    assert goal.key is not None
    scope = case.replay.scope
    if step.foreach is None:
        return [goal.key.value(scope)]
    keys = []
    for item in step.foreach.value(scope):
        scope.item = item
        keys.append(goal.key.value(scope))
    scope.item = None
    return keys


def _swap(values: Any, old: Any, new: Any) -> None:
    items = values.items() if isinstance(values, dict) else enumerate(values)
    for key, value in list(items):
        if isinstance(value, dict | list):
            _swap(value, old, new)
        elif value == old:
            values[key] = new


def wrong_value(case: Case, rng: Random) -> Environment:
    """A carried fact replaced by its decoy: the value that the competitor has."""
    options = [
        (goal, expect)
        for goal in case.goals
        for expect in goal.expects
        if expect.decoys and case.plan.step(goal.step).foreach is None
    ]
    goal, expect = choose(rng, options, "no fact has a decoy")
    kinds = expect.kinds or (expect.kind,) * len(expect.exprs)
    scope = case.replay.scope
    pairs = []
    for expr, kind in zip(expect.exprs, kinds, strict=True):
        right = expr.value(scope)
        if isinstance(right, list):
            continue
        pairs += [
            (kind, right, decoy.value)
            for decoy in expect.decoys
            if decoy.kind == kind and not facts.equal(kind, right, decoy.value)
        ]
    kind, right, wrong = choose(rng, pairs, "the decoy equals the fact")

    def rewrite(step: Step, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        changed = copy.deepcopy(calls)
        for values in changed:
            _replace(values, kind, right, wrong)
        return changed

    return replayed(case, {goal.step: rewrite}, goal.step)


def _replace(values: Any, kind: Any, right: Any, wrong: Any) -> None:
    items = values.items() if isinstance(values, dict) else enumerate(values)
    said, instead = facts.render(kind, right), facts.render(kind, wrong)
    for key, value in list(items):
        if isinstance(value, dict | list):
            _replace(value, kind, right, wrong)
        elif value == right:
            values[key] = wrong
        elif isinstance(value, str) and said in value:
            values[key] = value.replace(said, instead)


def skipped_item(case: Case, rng: Random) -> Environment:
    """One item of a for-each is left out."""
    steps = [
        step
        for step in case.plan.steps
        if step.write
        and step.foreach is not None
        and len(case.replay.arguments_of(step.id)) > 1
    ]
    step: Step = choose(rng, steps, "no for-each")

    def rewrite(step: Step, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        out = rng.randrange(len(calls))
        return calls[:out] + calls[out + 1 :]

    return replayed(case, {step.id: rewrite}, step.id)


def skipped_step(case: Case, rng: Random) -> Environment:
    """One write is left out, and what depends on it."""
    goal = choose(rng, list(case.goals), "no goal")
    index = index_of(case, goal.step)
    replay = case.resume_before(index)
    play(
        case.plan,
        replay.environment,
        replay=replay,
        start=index,
        skip=(goal.step,),
        lenient=True,
    )
    return replay.environment


def duplicate(case: Case, rng: Random) -> Environment:
    """A record is created twice."""
    steps = [
        goal.step for goal in case.goals
        if goal.kind == "create" and case.plan.step(goal.step).foreach is None
    ]  # fmt: skip
    step = choose(rng, steps, "nothing is created")
    environment = case.replay.environment.fork()
    for call in case.replay.calls:
        if call.step == step:
            environment.call(call.tool, call.arguments)
    return environment


def collateral(case: Case, rng: Random) -> Environment:
    """Everything right, and the same change on one more row."""
    goal: Goal = choose(rng, [g for g in case.goals if g.kind == "update"], "no row is changed")
    step = case.plan.step(goal.step)
    right = _keys(goal, step, case)
    table = case.initial.states[goal.service].table(goal.table)
    spared = {
        key
        for other in case.goals
        if other.table == goal.table and other.key is not None
        for key in _keys(other, case.plan.step(other.step), case)
    }
    others = [k for k in table.overlay if k not in spared and k in table]
    others = others or [row.id for row in table if row.id not in spared]
    other = choose(rng, others, "the table has no other row")
    environment = case.replay.environment.fork()
    calls = arguments(step, case.replay.scope)
    _swap(calls[0], right[0], other)
    environment.call(f"{step.service}.{step.tool}", calls[0])
    return environment


def no_answer(case: Case, rng: Random) -> Environment:
    """All is done and nothing is told."""
    if case.plan.answer is None:
        raise Skipped("no answer is asked for")
    environment = case.replay.environment.fork()
    environment.finish("Everything is done.")
    return environment


def wrong_answer(case: Case, rng: Random) -> Environment:
    """All is done, and what is told is the competitor's fact."""
    scope = case.replay.scope
    pairs = [
        (decoy.kind, expr.value(scope), decoy.value)
        for goal in case.plan.goals
        if goal.kind == "answer"
        for expect in goal.expects
        for expr, kind in zip(expect.exprs, expect.kinds, strict=True)
        for decoy in expect.decoys
        if decoy.kind == kind and not facts.equal(kind, expr.value(scope), decoy.value)
    ]
    kind, right, wrong = choose(rng, pairs, "no answer has a decoy")
    environment = case.replay.environment.fork()
    told = str(environment.answer)
    environment.finish(told.replace(facts.render(kind, right), facts.render(kind, wrong)))
    return environment


EQUIVALENT: Final[dict[str, Mutation]] = {
    "other order": other_order,
    "late reads": late_reads,
    "extra reads": extra_reads,
    "retry after errors": retry,
    "other wording": other_wording,
}
WRONG: Final[dict[str, Mutation]] = {
    "wrong record": wrong_record,
    "wrong value": wrong_value,
    "condition ignored": condition_ignored,
    "skipped item": skipped_item,
    "missing recipient": missing_recipient,
    "skipped step": skipped_step,
    "duplicate": duplicate,
    "collateral change": collateral,
    "no answer": no_answer,
    "wrong answer": wrong_answer,
}
MUST_BITE: Final = frozenset({"condition ignored"})
"""Wrong outcomes that refute the task where they have no effect: a condition that may be
ignored is no condition. The others have then only found a bad place."""
