"""Oracle and partial: policies that play a task's reference solution.

They see the plan, and reach the world only as any agent does: through the meta-tools, with
values that the plan takes from the instruction and from what earlier calls showed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from random import Random
from typing import Any, Literal

from compoworld_core.errors import PlanError, UsageError
from compoworld_core.expressions import Scope
from compoworld_core.observation import Observation
from compoworld_core.plan import Plan, Step
from compoworld_core.proof.player import arguments
from compoworld_core.records import Task
from compoworld_core.user import USER
from compoworld_policies.script import SAY, Move, Script, Scripted, data
from compoworld_policies.slips import slip

Discovery = Literal["seeded", "eager", "on-demand"]
"""When tools are looked up: all before the first call, each before its first use, or either,
by the seed."""

Spoil = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
"""Changes the arguments of a step's calls, or drops some."""


def oracle(task: Task, *, seed: int, discovery: Discovery = "seeded") -> Scripted:
    """Play the reference solution.

    Args:
        task: whose plan is played.
        seed: decides how tools are looked up, where `discovery` is "seeded".
        discovery: "eager", "on-demand" or "seeded".
    """
    return Scripted(_follow(task.reference, _eager(discovery, Random(seed)), None))


def partial(
    task: Task, *, seed: int, rate: float = 0.3, discovery: Discovery = "seeded"
) -> Scripted:
    """Play the reference solution with slips, each as likely a dropped write as a spoilt one.

    Args:
        task: whose plan is played.
        seed: decides the slips.
        rate: the share of writes that go wrong, from 0 to 1.
        discovery: "eager", "on-demand" or "seeded".
    """
    if type(rate) not in (int, float) or not 0 <= rate <= 1:
        raise UsageError(f"rate is {rate!r}; give a share of writes, from 0 to 1")
    rng = Random(seed)
    eager = _eager(discovery, rng)

    def spoil(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        kept = []
        for values in calls:
            if rng.random() >= rate:
                kept.append(values)
            elif rng.random() < 0.5:
                kept.append(slip(values, rng))
        return kept

    return Scripted(_follow(task.reference, eager, spoil))


def _eager(discovery: str, rng: Random) -> bool:
    if discovery not in ("seeded", "eager", "on-demand"):
        raise UsageError(f"discovery is {discovery!r}; there are: seeded, eager, on-demand")
    return rng.random() < 0.5 if discovery == "seeded" else discovery == "eager"


def _follow(plan: Plan, eager: bool, spoil: Spoil | None) -> Script:
    """Play a plan; with `spoil`, writes go wrong and what cannot be done then is left out."""
    scope, known, left_out = Scope(), set[tuple[str, str]](), set[str]()
    short = set[str]()
    yield "list_services", {}
    if eager:
        steps = [step for step in plan.steps if step.service != USER]
        for service in dict.fromkeys(step.service for step in steps):
            yield "list_tools", {"service": service}
        for step in steps:
            yield from _look_up(step, known, {s.service for s in steps})
    for step in plan.steps:
        try:
            if step.needs() & left_out:
                raise PlanError(f"{step.id} needs what was left out")
            if step.when is not None and not step.when.holds(scope):
                continue
            calls = arguments(step, scope)
            if spoil is not None and step.write:
                wanted, calls = len(calls), spoil(calls)
                if len(calls) < wanted:
                    short.add(step.id)
            if calls and step.service != USER:
                yield from _look_up(step, known, {service for service, _ in known})
            yield from _make(step, calls, scope, lenient=spoil is not None)
        except PlanError as error:
            if spoil is None:
                return f"I could not finish: {error}."
            left_out.add(step.id)
    return " ".join(filter(None, (_report(plan, left_out, short), _answer(plan, scope))))


def _answer(plan: Plan, scope: Scope) -> str:
    """What the task asks to be told; nothing where that was not found out."""
    if plan.answer is None:
        return ""
    try:
        return str(plan.answer.value(scope))
    except PlanError:
        return ""


def _report(plan: Plan, left_out: set[str], short: set[str]) -> str:
    """The final message: where things were done, and whether that is all of it."""
    writes = [step for step in plan.steps if step.write]
    done = list(dict.fromkeys(step.service for step in writes if step.id not in left_out))
    if not done:
        return "I could not get any of it done."
    *most, last = done
    where = f"{', '.join(most)} and {last}" if most else last
    if short or any(step.id in left_out for step in writes):
        return f"Part of it is done, in {where}."
    return f"Done: everything you asked for is in place in {where}."


def _look_up(
    step: Step, known: set[tuple[str, str]], services: set[str]
) -> Generator[Move, str, None]:
    """What an agent asks before the first use of a service and of a tool."""
    if (step.service, step.tool) in known:
        return
    if step.service not in services:
        yield "list_tools", {"service": step.service}
    known.add((step.service, step.tool))
    yield "describe_tool", {"service": step.service, "tool": step.tool}


def _make(
    step: Step, calls: list[dict[str, Any]], scope: Scope, *, lenient: bool
) -> Generator[Move, str, None]:
    """Make a step's calls and keep what they show; PlanError where there is nothing to keep."""
    outputs = []
    for values in calls:
        if step.service == USER:
            outputs.append({"reply": (yield SAY, values)})
            continue
        text = yield (
            "call_tool",
            {"service": step.service, "tool": step.tool, "arguments": values},
        )
        try:
            outputs.append(data(text))
        except ValueError as error:
            if step.may_fail:
                scope.outputs[step.id] = Observation(text, is_error=True)
                return
            if not lenient:
                raise PlanError(f"{step.service}.{step.tool} says {text[:200]}") from error
    if step.foreach is not None:
        scope.outputs[step.id] = outputs
    elif outputs:
        scope.outputs[step.id] = outputs[0]
    else:
        raise PlanError(f"{step.id} showed nothing")
