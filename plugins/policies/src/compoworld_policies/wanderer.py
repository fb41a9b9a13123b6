"""The wanderer: calls tools at random, with arguments drawn from their schemas.

It knows what list_services, list_tools and describe_tool show, and reuses values, ids above
all, that it has seen in observations.
"""

from __future__ import annotations

from random import Random

from compoworld_core.errors import UsageError
from compoworld_core.records import Task
from compoworld_policies.drawing import Drawing
from compoworld_policies.script import Script, Scripted, data

_MOST_LOOKS = 3
"""Times `calls` that it looks for something to call before it gives up."""


def wanderer(task: Task, *, seed: int, calls: int = 20) -> Scripted:
    """Call tools at random.

    Args:
        task: of which it uses the instruction's words.
        seed: decides everything.
        calls: calls of tools that it makes; it looks tools up besides.
    """
    if type(calls) is not int or calls < 0:
        raise UsageError(f"calls is {calls!r}; give a whole number from 0 up")
    return Scripted(_wander(task.instruction, Random(seed), calls))


def _wander(instruction: str, rng: Random, calls: int) -> Script:
    words, shared = instruction.split(), dict[str, list[str | int]]()
    drawings: dict[str, Drawing] = {}
    services = [row["name"] for row in data((yield "list_services", {}))["services"]]
    tools: dict[str, list[str]] = {}
    schemas: dict[tuple[str, str], object] = {}
    made = 0
    for _ in range(_MOST_LOOKS * calls):
        if made == calls or not services:
            break
        service = rng.choice(services)
        if service not in tools:
            listed = data((yield "list_tools", {"service": service}))["tools"]
            tools[service] = [row["name"] for row in listed]
        if not tools[service]:
            continue
        tool = rng.choice(tools[service])
        about = {"service": service, "tool": tool}
        if (service, tool) not in schemas:
            schemas[service, tool] = data((yield "describe_tool", about))["input_schema"]
        drawing = drawings.setdefault(service, Drawing(rng, words, shared))
        arguments = drawing.draw(schemas[service, tool])
        text = yield "call_tool", {**about, "arguments": arguments}
        made += 1
        try:
            drawing.see(data(text))
        except ValueError:
            continue  # an error: nothing to learn ids from
    return "That is all I did."
