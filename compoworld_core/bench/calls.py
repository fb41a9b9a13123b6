"""Calls: reading and updating one record through `call`, for each service, JSON in and out."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from attrs import frozen
from pydantic_core import to_json

from compoworld_core.arguments import draw_arguments
from compoworld_core.bench.clock import median_us, medians_us
from compoworld_core.context import Context
from compoworld_core.environment import Environment
from compoworld_core.errors import ServiceError
from compoworld_core.observation import Observation
from compoworld_core.service import Tool

_DRAWS: Final = 25
_LARGEST: Final = 4000
"""Characters of a result that still counts as one record."""


@frozen
class ReadTime:
    """Looking one record up by its key."""

    tool: str
    us: float
    validate_us: float
    """The arguments' validation alone."""
    record_json_us: float
    """The result's serialisation alone."""


@frozen
class WriteTime:
    """Updating one record."""

    tool: str
    us: float


def read_time(environment: Environment, service: str, seconds: float) -> ReadTime | None:
    """The tool that looks one record up with the fewest arguments; None where none does."""
    tools = [t for t in environment.services[service].tools.values() if t.read_only]
    for tool in sorted(tools, key=lambda t: len(t.input_schema.get("required", ()))):
        if tool.kind != "deterministic":
            continue
        text = _point_read(environment, tool)
        if text is not None:
            return _timed_read(environment, tool, text, seconds)
    return None


def _timed_read(environment: Environment, tool: Tool, text: str, seconds: float) -> ReadTime:
    call, name = environment.call, tool.full_name
    result = _result(environment, tool, text)
    works = [
        lambda: call(name, text),
        lambda: tool.validate_json(text),
        lambda: tool.to_json(result),
    ]
    return ReadTime(name, *medians_us(works, seconds, environment.transcript.clear))


def _point_read(environment: Environment, tool: Tool) -> str | None:
    """Arguments with which the tool shows the record whose key is among them."""
    state = environment.state(tool.service)
    tables = [state.table(name) for name in state.tables()]
    for arguments in _drawn(environment, tool, optional=0.0):
        given = [value for value in arguments.values() if isinstance(value, str | int)]
        keys = [value for value in given if any(value in table for table in tables)]
        if not keys:
            continue
        text = to_json(arguments).decode()
        data = _called(environment, tool, text).data
        if not isinstance(data, dict) or len(to_json(data)) > _LARGEST:
            continue
        inner = [each for each in data.values() if isinstance(each, dict)]
        if any(key in each.values() for each in (data, *inner) for key in keys):
            return text
    return None


def _result(environment: Environment, tool: Tool, text: str) -> Any:
    """What the tool's function returns for these arguments."""
    state = environment.state(tool.service)
    values: dict[str, Any] = dict(tool.validate_json(text).__dict__)
    if tool.context_parameter:
        values[tool.context_parameter] = Context(state.ledger, tool.service, reading=True)
    return tool.function(state, **values)


def write_time(environment: Environment, service: str, seconds: float) -> WriteTime | None:
    """The first tool that updates one record in place; None where none was found."""
    for tool in environment.services[service].tools.values():
        if tool.kind != "deterministic" or tool.read_only or tool.destructive:
            continue
        text = _update(environment, tool)
        if text is not None:
            return _timed_write(environment.fork(), tool.full_name, text, seconds)
    return None


def _timed_write(world: Environment, name: str, text: str, seconds: float) -> WriteTime:
    call = world.call
    return WriteTime(name, median_us(lambda: call(name, text), seconds, world.transcript.clear))


def _update(environment: Environment, tool: Tool) -> str | None:
    """Arguments that change one record, again and again, without making it grow."""
    for arguments in _drawn(environment, tool, optional=0.4):
        text = to_json(arguments).decode()
        world = environment.fork()
        sizes, writes = [], []
        for _ in range(4):
            observation = _called(world, tool, text)
            if observation.is_error:
                break
            sizes.append(len(observation.text))
            writes.append(world.state(tool.service).ledger.writes)
        changes = environment.diff(world)
        in_place = [c for c in changes if c.before is not None and c.after is not None]
        steady = len(sizes) == 4 and sizes[1] == sizes[3]
        counted = writes == list(range(writes[0], writes[0] + 4)) if steady else False
        if counted and len(changes) == 1 and in_place:
            return text
    return None


def _drawn(environment: Environment, tool: Tool, *, optional: float) -> list[dict[str, Any]]:
    rng = Random(f"bench:{tool.full_name}")
    state = environment.state(tool.service)
    return [draw_arguments(tool, state, rng, optional=optional) for _ in range(_DRAWS)]


def _called(environment: Environment, tool: Tool, text: str) -> Observation:
    """A call's observation; a service that breaks its contract is not measured here."""
    try:
        return environment.call(tool.full_name, text)
    except ServiceError as error:
        return Observation(str(error), is_error=True)
