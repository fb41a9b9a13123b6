"""Derivation: cases that a language model derives from a service's specification alone.

The model sees names, descriptions, schemas and annotations. What it writes is arguments and an
expectation; the judges decide as they do of all other cases, and an expectation that is not
met is a doubt for a reader, since it may be the model that is wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import Any

from attrs import frozen

from compoworld_core.errors import ServiceError
from compoworld_core.service import Tool
from compoworld_validator.verdict import Step
from compoworld_validator.world import Played, World

Ask = Callable[[str], str]
"""From a request's text to the model's reply."""

_TOOLS = 12
"""Tools of which one request tells."""
_CASES = 60
_CALLS = 6
_PLACE = re.compile(r"\$(\d+)((?:\.\w+)*)")
_RULES = """You test a service of which you know only its tools, listed below as JSON.
Derive cases that its descriptions promise: sequences of calls, and if the last is accepted.
A string argument "$0.id" stands for the field `id` of the first call's result; "$1.items.0.id"
reaches into lists. Look ids up with the reading tools first; invent none that must exist.
Answer with one JSON object: {"cases": [{"calls": [{"tool": "...", "arguments": {...}}],
"accepted": true, "why": "the promise in a few words"}]}"""


@frozen
class Case:
    """A sequence, and what the specification promises of its last call."""

    calls: tuple[Step, ...]
    accepted: bool
    why: str


def derived(tools: Sequence[Tool], ask: Ask) -> list[Case]:
    """The cases of a model, some tools at a time; what is no case is left out."""
    found: list[Case] = []
    for start in range(0, len(tools), _TOOLS):
        some = tools[start : start + _TOOLS]
        listing = "\n".join(json.dumps(_told(tool)) for tool in some)
        found += _read(ask(f"{_RULES}\n\n{listing}"), {tool.name for tool in tools})
    return found


def _told(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "arguments": tool.input_schema,
        "result": tool.output_schema,
        "read_only": tool.read_only,
        "idempotent": tool.idempotent,
        "destructive": tool.destructive,
    }


def _read(reply: str, names: set[str]) -> Iterator[Case]:
    """The cases in a reply, which may hold anything."""
    first, last = reply.find("{"), reply.rfind("}")
    try:
        data = json.loads(reply[first : last + 1])
        cases = data["cases"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return  # no object: a model that answers badly adds no case
    for case in cases[:_CASES] if isinstance(cases, list) else ():
        calls = case.get("calls") if isinstance(case, dict) else None
        if not isinstance(calls, list) or not 0 < len(calls) <= _CALLS:
            continue
        steps = [_step(call, names) for call in calls]
        whole = [step for step in steps if step is not None]
        if len(whole) == len(calls) and isinstance(case.get("accepted"), bool):
            yield Case(tuple(whole), case["accepted"], str(case.get("why", ""))[:200])


def _step(call: Any, names: set[str]) -> Step | None:
    if not isinstance(call, dict) or call.get("tool") not in names:
        return None
    arguments = call.get("arguments", {})
    return (call["tool"], arguments) if isinstance(arguments, dict) else None


def concrete(world: World, calls: Iterable[Step]) -> list[Step] | None:
    """The calls with each `$0.id` put in; None where there is no such result, or one raises."""
    steps: list[Step] = []
    shown: list[Any] = []
    for name, arguments in calls:
        try:
            steps.append((name, _put(arguments, shown)))
            shown.append(Played(world.base, steps).last.data)
        except (ServiceError, LookupError, TypeError, ValueError):
            return None
    return steps


def _put(value: Any, shown: Sequence[Any]) -> Any:
    if isinstance(value, dict):
        return {name: _put(part, shown) for name, part in value.items()}
    if isinstance(value, list):
        return [_put(part, shown) for part in value]
    found = _PLACE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return value
    result = shown[int(found[1])]
    for part in found[2].split(".")[1:]:
        result = result[int(part)] if isinstance(result, list) else result[part]
    return result


def asking(base_url: str | None, model: str | None) -> Ask:
    """Requests to an OpenAI-compatible endpoint; the environment names what is left out.

    Raises UsageError where neither names the endpoint or the model, ModelError where it does
    not answer.
    """
    from compoworld_policy_openai.connection import Connection
    from compoworld_policy_openai.endpoint import read_endpoint

    endpoint = read_endpoint(base_url, model, 120.0, 3, 1.0, who="services validate --derive")
    connection = Connection(endpoint, Random(0))

    def ask(text: str) -> str:
        body = {"model": endpoint.model, "messages": [{"role": "user", "content": text}]}
        content = connection.ask(body)["message"].get("content")
        return content if isinstance(content, str) else ""

    return ask
