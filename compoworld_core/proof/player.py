"""The player: runs a plan through the meta-tools, with nothing but its own observations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from attrs import define, field, frozen
from pydantic_core import to_json

from compoworld_core.environment import Call, Environment
from compoworld_core.errors import PlanError
from compoworld_core.expressions import Expr, Scope, build
from compoworld_core.observation import Observation, refusal
from compoworld_core.plan import Plan, Step
from compoworld_core.proof.memory import Remembering
from compoworld_core.state import State
from compoworld_core.user import ASK, USER

T = TypeVar("T")
_UNPLAYED = object()


@frozen
class Played:
    """One call of a replay."""

    step: str
    tool: str
    """`service.tool`."""
    arguments: str
    """JSON text."""
    text: str
    """What the call showed."""


@define
class Replay:
    """A plan being played in an environment: where it stands and what it saw."""

    environment: Environment
    scope: Scope = field(factory=Scope)
    calls: list[Played] = field(factory=list)
    snapshots: dict[str, Snapshot] = field(factory=dict)
    """Step → how things stood before it, where the player was asked to keep them."""

    def arguments_of(self, step: str) -> list[str]:
        """The arguments of a step's calls, as JSON texts."""
        return [call.arguments for call in self.calls if call.step == step]

    def played(self, step: str) -> bool:
        """Was the step played, and its call not refused?"""
        output = self.scope.outputs.get(step, _UNPLAYED)
        return output is not _UNPLAYED and not isinstance(output, Observation)

    def derive(
        self, reads: Sequence[str], parts: tuple[object, ...], compute: Callable[[], T]
    ) -> T:
        """What follows from steps' observations and other parts; computed once, if it can."""
        outputs, environment = self.scope.outputs, self.environment
        if not isinstance(environment, Remembering):
            return compute()
        try:
            seen = [outputs[name] for name in reads]
        except KeyError:
            return compute()
        return environment.memory.derive((*parts, *seen), compute)


@frozen
class Snapshot:
    """How a replay stood before a step: forks cost microseconds, so a prefix is played once."""

    environment: Environment
    outputs: dict[str, Any]
    calls: tuple[Played, ...]

    def resume(self) -> Replay:
        """A replay that goes on from here, without touching the one it was taken from."""
        return Replay(self.environment.fork(), Scope(self.outputs.copy()), list(self.calls))


Rewrite = Callable[[Step, list[dict[str, Any]]], list[dict[str, Any]]]
"""Changes the arguments of a step's calls: a mutation."""


def play(
    plan: Plan,
    environment: Environment,
    *,
    replay: Replay | None = None,
    start: int = 0,
    skip: Iterable[str] = (),
    lenient: bool = False,
    rewrite: Mapping[str, Rewrite] | None = None,
    keep: bool = False,
    order: Iterable[int] | None = None,
) -> Replay:
    """Play the steps of a plan; PlanError where a call fails or an expression has no value.

    Args:
        plan: what to play.
        environment: where; it is changed.
        replay: an earlier part to go on from.
        start: the first step to play.
        skip: steps to leave out.
        lenient: a step that cannot be played is left out too, with all that need it.
            A step whose `when` does not hold is no part of the work.
        rewrite: step → a change of its arguments.
        keep: take a snapshot before each step.
        order: positions of the steps to play, instead of all from `start`.
    """
    replay = replay or Replay(environment)
    left_out = set(skip)
    positions = range(start, len(plan.steps)) if order is None else order
    for index in positions:
        step = plan.steps[index]
        if keep:
            fork = replay.environment.fork()
            replay.snapshots[step.id] = Snapshot(
                fork, replay.scope.outputs.copy(), tuple(replay.calls)
            )
        if step.id in left_out or (lenient and step.needs() & left_out):
            left_out.add(step.id)
        else:
            try:
                if step.when is None or step.when.holds(replay.scope):
                    play_step(step, replay, rewrite.get(step.id) if rewrite else None)
                continue
            except PlanError:
                if not lenient:
                    raise
                left_out.add(step.id)
    if plan.answer is not None:
        _finish(plan.answer, replay, lenient=lenient)
    return replay


def _finish(answer: Expr, replay: Replay, *, lenient: bool) -> None:
    """Give the answer; who has lost what it needs gives none."""
    try:
        replay.environment.finish(str(answer.value(replay.scope)))
    except PlanError:
        if not lenient:
            raise


def arguments(step: Step, scope: Scope) -> list[dict[str, Any]]:
    """The arguments of a step's calls: one, or one per item of its for-each."""
    if step.foreach is None:
        return [build([(a.path, a.expr.value(scope)) for a in step.arguments])]
    items = step.foreach.value(scope)
    if not isinstance(items, list):
        raise PlanError(f"{step.id}: the for-each has no list")
    calls = []
    for item in items:
        scope.item = item
        calls.append(build([(a.path, a.expr.value(scope)) for a in step.arguments]))
    scope.item = None
    return calls


class _Past(NamedTuple):
    """What a step came to, in one state of its service and with what it had read."""

    calls: tuple[Played, ...]
    transcript: tuple[Call, ...]
    output: Any
    after: State


def play_step(step: Step, replay: Replay, rewrite: Rewrite | None = None) -> None:
    """Make a step's calls and keep what they show; PlanError where one is refused."""
    environment, outputs, service = replay.environment, replay.scope.outputs, step.service
    if (
        rewrite is not None
        or not isinstance(environment, Remembering)
        or service not in environment.states
        or not all(map(outputs.__contains__, step.reads))
    ):
        _make_calls(step, replay, rewrite)
        return
    memory, states, transcript = environment.memory, environment.states, environment.transcript
    parts = (_Past, step, states[service], *map(outputs.__getitem__, step.reads))
    past: _Past | None = memory.recall(parts)
    if past is None:
        played, told = len(replay.calls), len(transcript)
        _make_calls(step, replay)
        calls, said = tuple(replay.calls[played:]), tuple(transcript[told:])
        memory.keep(parts, _Past(calls, said, outputs[step.id], states[service]))
        return
    replay.calls += past.calls
    transcript += past.transcript
    outputs[step.id], states[service] = past.output, past.after


def _make_calls(step: Step, replay: Replay, rewrite: Rewrite | None = None) -> None:
    if rewrite is not None:
        texts = _written(rewrite(step, arguments(step, replay.scope)))
    else:
        texts = _texts(step, replay)
    outputs = []
    for text in texts:
        observation = _observe(step, text, replay.environment)
        name = f"{step.service}.{step.tool}"
        replay.calls.append(Played(step.id, name, text, observation.text))
        if observation.is_error and step.may_fail:
            replay.scope.outputs[step.id] = observation
            return
        if observation.is_error:
            raise PlanError(f"{step.id}: {name}({text}) failed: {observation.text}")
        outputs.append(observation.data)
    if step.foreach is None:
        replay.scope.outputs[step.id] = outputs[0] if outputs else None
    else:
        replay.scope.outputs[step.id] = _together(outputs, replay)


def _observe(step: Step, text: str, environment: Environment) -> Observation:
    """What a call shows; a step that asks the user shows `{"reply": …}`."""
    if step.service != USER:
        return environment.meta.call_tool(step.service, step.tool, text)
    question = json.loads(text).get("question")
    if step.tool != ASK or not isinstance(question, str):
        return refusal("invalid_argument", f"{USER} has one tool, {ASK}(question)")
    reply = environment.ask(question)
    if reply is None:
        return refusal("unavailable", "nobody answers: the conversation is over")
    observation = Observation(to_json({"reply": reply}).decode())
    if isinstance(environment, Remembering):
        return environment.memory.one_of(observation)
    return observation


def _written(calls: list[dict[str, Any]]) -> list[str]:
    return [to_json(values).decode() for values in calls]


def _texts(step: Step, replay: Replay) -> list[str]:
    """The arguments of a step's calls, as JSON texts; the same from the same observations."""

    return replay.derive(step.reads, (step,), lambda: _written(arguments(step, replay.scope)))


def _together(outputs: list[Any], replay: Replay) -> list[Any]:
    """What a for-each showed; one list for the same observations, as `derive` asks for."""
    if not isinstance(replay.environment, Remembering):
        return outputs
    return replay.environment.memory.derive(outputs, lambda: outputs)
