"""Checks by calling: what a tool may change, how it fails, what it returns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from compoworld_core.arguments import draw_arguments
from compoworld_core.environment import Environment
from compoworld_core.errors import ServiceError
from compoworld_core.observation import Observation
from compoworld_core.service import Tool
from compoworld_core.testing.conformity import misfits
from compoworld_core.testing.hostile import hostile_arguments
from compoworld_core.testing.trial import Trial, brief, dump, text_of

_SAY = "say it with ToolError(code, message)"

_IN_PLACE = "write through the tables only, and change no list or mapping in place"

_HOSTILE = 150
"""Hostile texts tried per tool."""

_TIMES = 6
"""Calls per tool where each call is followed by a look at the whole state."""


def answers(trial: Trial) -> Iterator[str]:
    """Valid calls end in a result or a ToolError, whatever the calls before them did."""
    environment = trial.environment()
    state = environment.state(trial.service.name)
    rng = trial.rng("answers")
    for tool in trial.tools:
        for _ in range(_TIMES):
            arguments = text_of(draw_arguments(tool, state, rng))
            _, broken = _called(environment, tool, arguments)
            if broken:
                yield broken
                break


def read_only(trial: Trial) -> Iterator[str]:
    """Tools marked read_only change nothing: not a record, not the clock, not a counter."""
    environment, name = trial.environment(), trial.service.name
    rng = trial.rng("read only")
    before = dump(environment, name)
    for tool in trial.tools:
        if not tool.read_only:
            continue
        for _ in range(_TIMES):
            arguments = text_of(draw_arguments(tool, environment.state(name), rng))
            _, broken = _called(environment, tool, arguments)
            if broken:
                yield broken
                break
            if dump(environment, name) != before:
                yield (
                    f"{tool.name} {brief(arguments)} is marked read_only but changed the state;"
                    " drop the mark, or change nothing, ids and lists in place included"
                )
                environment = trial.environment()
                break


def failed_calls(trial: Trial) -> Iterator[str]:
    """Calls that end in an error change nothing: not a record, not the clock, not a counter."""
    environment, name = trial.environment(), trial.service.name
    rng = trial.rng("failed calls")
    for tool in trial.tools:
        texts = list(hostile_arguments(tool, environment.state(name), rng))
        drawn = (text_of(draw_arguments(tool, environment.state(name), rng)) for _ in range(8))
        for arguments in (*drawn, *rng.sample(texts, min(12, len(texts)))):
            fork = environment.fork()
            before = dump(fork, name)
            observation, _ = _called(fork, tool, arguments)
            failed = observation is None or observation.is_error
            if failed and dump(fork, name) != before:
                yield (
                    f"{tool.name} {brief(arguments)} failed but changed the state; {_IN_PLACE}"
                )
                break


def hostile(trial: Trial) -> Iterator[str]:
    """Hostile and boundary arguments give results or ToolErrors, never another exception."""
    world, name = trial.environment(), trial.service.name
    for tool in trial.tools:
        rng = trial.rng(f"hostile {tool.name}")
        environment = world.fork()
        texts = list(hostile_arguments(tool, environment.state(name), rng))
        if len(texts) > _HOSTILE:
            texts = rng.sample(texts, _HOSTILE)
        for arguments in texts:
            _, broken = _called(environment, tool, arguments)
            if broken:
                yield broken
                break


def results(trial: Trial) -> Iterator[str]:
    """Results are JSON that fits the tool's output schema."""
    environment = trial.environment()
    environment.limit = 10_000_000
    seen: dict[str, int] = {}
    failed: set[str] = set()
    for tool, arguments, observation in trial.play(environment, "results"):
        if observation.is_error or tool.name in failed or seen.get(tool.name, 0) >= _TIMES:
            continue
        seen[tool.name] = seen.get(tool.name, 0) + 1
        try:
            value = json.loads(observation.text, parse_constant=_refuse)
        except ValueError as error:
            failed.add(tool.name)
            yield f"{tool.name} {brief(arguments)} returned what is not JSON: {error}"
            continue
        wrong = next(misfits(value, tool.output_schema, tool.output_schema), None)
        if wrong:
            failed.add(tool.name)
            yield (
                f"{tool.name} {brief(arguments)} returned what its return annotation does not"
                f" allow: {wrong}"
            )


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def idempotent(trial: Trial) -> Iterator[str]:
    """Where a tool is marked idempotent, a second identical call changes nothing more.

    A field that only takes the time of the call (updated_at) does not count.
    """
    environment, name = trial.environment(), trial.service.name
    rng = trial.rng("idempotent")
    for tool in trial.tools:
        if not tool.idempotent:
            continue
        for _ in range(_TIMES):
            arguments = text_of(draw_arguments(tool, environment.state(name), rng))
            first = environment.fork()
            observation, broken = _called(first, tool, arguments)
            if broken or observation is None or observation.is_error:
                continue
            second = first.fork()
            _called(second, tool, arguments)
            change = next(_changes(first, second, name), "")
            if change:
                yield (
                    f"{tool.name} {brief(arguments)} is marked idempotent, but a second call"
                    f" changed more: {brief(change)}; drop the mark"
                )
                break


def _changes(before: Environment, after: Environment, name: str) -> Iterator[str]:
    one, other = before.state(name), after.state(name)
    for table, key, old, new in one.changes(other):
        if old is None or new is None:
            yield f"{table} {key} {'is new' if old is None else 'is gone'}"
            continue
        for field, value in new.__dict__.items():
            held = old.__dict__.get(field)
            if held != value and not (isinstance(value, datetime) and held is not None):
                yield f"{table} {key}: {field} {held!r} → {value!r}"
    for field in type(one).model_fields:
        held, value = getattr(one, field), getattr(other, field)
        if field != "ledger" and field not in one.tables() and held != value:
            yield f"{field} {held!r} → {value!r}"


def forks(trial: Trial) -> Iterator[str]:
    """What is written in one fork is seen neither in another nor where it came from."""
    environment, name = trial.environment(), trial.service.name
    before = dump(environment, name)
    fork, witness = environment.fork(), environment.fork()
    for tool, arguments, _ in trial.play(fork, "forks", trial.calls // 2):
        if dump(environment, name) != before or dump(witness, name) != before:
            yield (
                f"{tool.name} {brief(arguments)} in a fork changed another environment;"
                f" {_IN_PLACE}"
            )
            return
    after = dump(fork, name)
    for tool, arguments, _ in trial.play(environment, "forks again", trial.calls // 2):
        if dump(fork, name) != after:
            yield f"{tool.name} {brief(arguments)} changed a fork that was made earlier"
            return


def _called(
    environment: Environment, tool: Tool, arguments: str
) -> tuple[Observation | None, str]:
    """The observation; or, where the tool broke its contract, what happened and what to do."""
    shown = f"{tool.name} {brief(arguments)}"
    try:
        return environment.call(tool.full_name, arguments), ""
    except ServiceError as error:
        cure = "drop the read_only mark" if tool.read_only and "write" in error.why else _SAY
        return None, f"{shown}: {brief(error.why, 300)}; {cure}"
    except Exception as error:  # whatever a tool raises here is the finding
        kind = type(error).__name__
        return (
            None,
            f"{shown}: raised {kind}: {brief(str(error), 300)}; {_SAY}",
        )
