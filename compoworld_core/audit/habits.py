"""Equivalent habits: another order, more reading, an error on the way, larger pages."""

from __future__ import annotations

from random import Random
from typing import Any

from compoworld_core.arguments import draw_arguments
from compoworld_core.audit.effects import shuffled
from compoworld_core.audit.kinds import equivalent
from compoworld_core.audit.toolbox import required, schema_at
from compoworld_core.audit.trial import Trial
from compoworld_core.audit.writes import Arguments, Unfit, Write
from compoworld_core.environment import Environment
from compoworld_core.expressions import Const
from compoworld_core.proof.player import play

_READS = 3
"""Calls that an extra-reading policy adds."""


@equivalent
def other_order(trial: Trial, rng: Random) -> Environment:
    """Did the work in another order, service by service as the data allows."""
    steps = trial.plan.steps
    waiting = list(range(len(steps)))
    done: set[str] = set()
    order: list[int] = []
    while waiting:
        ready = [
            i
            for i in waiting
            if steps[i].needs() <= done
            and not any(j < i and steps[j].service == steps[i].service for j in waiting)
        ]
        chosen = rng.choice(ready)
        waiting.remove(chosen)
        done.add(steps[chosen].id)
        order.append(chosen)
    if order == sorted(order):
        raise Unfit("the data allow one order only")
    return play(trial.plan, trial.initial.fork(), order=order).environment


@equivalent
def extra_reads(trial: Trial, rng: Random) -> Environment:
    """Read more than was needed, before and after the work."""
    end = trial.end()
    reads = [
        tool
        for name in (*trial.task.services, *trial.task.distractors)
        for tool in trial.tools_of(name)
        if tool.read_only
    ]
    for tool in rng.sample(reads, min(_READS, len(reads))):
        end.call(tool.full_name, draw_arguments(tool, end.states[tool.service], rng))
    return end


@equivalent
def looked_around(trial: Trial, rng: Random) -> Environment:
    """Listed services and tools, described some, called one that is not there."""
    end = trial.end()
    service = rng.choice(trial.task.services)
    end.meta.list_services()
    end.meta.list_tools(service)
    end.meta.describe_tool(service, rng.choice(trial.tools_of(service)).name)
    end.meta.call_tool(service, "no_such_tool", {})
    return end


@equivalent
def other_read_tool(trial: Trial, rng: Random) -> Environment:
    """Read the same facts through another tool of the service before writing."""
    for step in shuffled(trial.reading, rng):
        replay = trial.snapshot(step.id).resume()
        others = [
            t for t in trial.tools_of(step.service) if t.read_only and t.name != step.tool
        ]
        for tool in shuffled(others, rng):
            state = replay.environment.states[step.service]
            arguments = draw_arguments(tool, state, rng)
            if not replay.environment.call(tool.full_name, arguments).is_error:
                return trial.go_on(replay, trial.position(step.id), step.service)
    raise Unfit("the services have one way to read")


@equivalent
def retry_after_error(trial: Trial, rng: Random) -> Environment:
    """Got a call wrong at first, read the error, and then did it right."""
    why = "nothing is to be written"
    for write in shuffled(trial.writes, rng):
        for bad in shuffled(_mistakes(trial, write), rng):
            replay = trial.snapshot(write.step.id).resume()
            if replay.environment.call(write.tool, bad).is_error:
                return trial.go_on(replay, write.position, write.step.service)
        why = "the tool takes whatever is given"
    raise Unfit(why)


def _mistakes(trial: Trial, write: Write) -> list[Arguments]:
    """Calls that a tool should refuse."""
    needed = [n for n in required(trial.tool(write.tool)) if n in write.arguments]
    found: list[Arguments] = [{**write.arguments, "no_such_argument": True}]
    found += [{k: v for k, v in write.arguments.items() if k != name} for name in needed]
    return found


@equivalent
def other_page_size(trial: Trial, rng: Random) -> Environment:
    """Asked for larger pages, or left the page size to the tool."""
    why = "no reading call gives a page size"
    for step in shuffled(trial.plan.steps, rng):
        if step.write or not trial.replay.played(step.id):
            continue
        for argument in step.arguments:
            if len(argument.path) != 1 or not isinstance(argument.expr, Const):
                continue
            size = argument.expr.literal
            if isinstance(size, bool) or not isinstance(size, int) or size < 2:
                continue
            tool = trial.tool(f"{step.service}.{step.tool}")
            name = str(argument.path[0])
            most = schema_at(tool, argument.path).get("maximum")
            larger = min(size * 2 + 1, int(most)) if most else size * 2 + 1
            if larger <= size:
                continue
            try:
                return trial.edited({step.id: _sized(name, larger)})
            except Unfit as error:
                why = str(error)
    raise Unfit(why)


def _sized(name: str, size: int) -> Any:
    return lambda calls: [{**call, name: size} for call in calls]


@equivalent
def explicit_defaults(trial: Trial, rng: Random) -> Environment:
    """Gave the defaults of a tool explicitly."""
    why = "no tool has defaults"
    for write in shuffled(trial.writes, rng):
        properties = trial.tool(write.tool).input_schema.get("properties", {})
        defaults = {
            name: schema["default"]
            for name, schema in properties.items()
            if schema.get("default") is not None and name not in write.arguments
        }
        if not defaults:
            continue
        try:
            return trial.with_write(write, {**write.arguments, **defaults})
        except Unfit as error:
            why = str(error)
    raise Unfit(why)
