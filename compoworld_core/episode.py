"""Episode: one rollout, from a fork of s0 through the policy's turns to the verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from compoworld_core.conversation import opening, read_message, to_chat
from compoworld_core.dialogue import Dialogue
from compoworld_core.environment import Environment
from compoworld_core.errors import CompoWorldError, PluginError, UsageError
from compoworld_core.explain import Witness, explain
from compoworld_core.meta import SCHEMAS, unique
from compoworld_core.observation import LIMIT, Observation, encodable, refusal, shown
from compoworld_core.records import Message, Task, ToolCall, Trajectory
from compoworld_core.user import PlainUser

if TYPE_CHECKING:
    from compoworld_core.protocols import Policy, User

_NAMES = frozenset(schema["function"]["name"] for schema in SCHEMAS)


@frozen
class Limits:
    """Where a rollout ends if the policy does not end it; it is judged as it then stands."""

    turns: int = 150
    """Assistant messages."""
    calls: int = 300
    """Calls of meta-tools."""
    observation: int = LIMIT
    """Characters of an observation that are shown; a cut is said."""

    def __attrs_post_init__(self) -> None:
        for name in ("turns", "calls", "observation"):
            value = getattr(self, name)
            if value < 1:
                raise UsageError(f"the limit of {name} is {value}; give at least 1")


@define
class _Episode:
    """A rollout under way."""

    environment: Environment
    messages: list[Message]
    limits: Limits
    witness: Witness
    ids: set[str] = field(factory=set)
    counts: dict[str, int] = field(
        factory=lambda: {"turns": 0, "calls": 0, "failed_calls": 0, "malformed_calls": 0}
    )
    tokens: dict[str, int] = field(factory=dict)
    """What the policy says that it used: kept apart from what is counted here."""

    def run(self, policy: Policy, what: str) -> None:
        """Let the policy act until it ends, or a limit does."""
        schemas = self.environment.meta.schemas()
        history = [to_chat(message) for message in self.messages]
        while self.counts["turns"] < self.limits.turns:
            self.counts["turns"] += 1
            try:
                said = policy.act(list(history), schemas)
            except CompoWorldError:
                raise
            except Exception as error:  # a policy is a plugin: say which rollout to repeat
                raise PluginError(f"{what}: {type(error).__name__}: {error}") from error
            message, used = read_message(said, self.ids)
            for name, count in used.items():
                self.tokens[name] = self.tokens.get(name, 0) + count
            start = len(self.messages)
            self.messages.append(message)
            if not message.tool_calls and not self._tell(message.content or ""):
                return
            for call in message.tool_calls:
                self._answer(call)
            history += [to_chat(each) for each in self.messages[start:]]
            if self.counts["calls"] >= self.limits.calls:
                break
        self.counts["truncated"] = 1

    def _tell(self, text: str) -> bool:
        """Say something to the user; False where there is no reply: it was the answer."""
        reply = self.environment.ask(text)
        if reply is None:
            self.environment.finish(text)
            return False
        self.counts["replies"] = self.counts.get("replies", 0) + 1
        self.messages.append(Message(role="user", content=reply))
        return True

    def usage(self) -> dict[str, int]:
        """The policy's token counts and our own; a policy cannot state one of ours."""
        told = {k: n for k, n in self.tokens.items() if k not in ("truncated", "replies")}
        return told | self.counts

    def _answer(self, call: ToolCall) -> None:
        """Make one call and add its observation, under the call's id."""
        position = self.counts["calls"]
        if position >= self.limits.calls:
            most = self.limits.calls
            observation = refusal("rate_limited", f"the limit of {most} calls is reached")
        else:
            self.counts["calls"] += 1
            observation = self.environment.meta.dispatch(call.name, call.arguments)
            self.witness.look(position)
            self.counts["failed_calls"] += observation.is_error
            self.counts["malformed_calls"] += _malformed(call, observation)
        text = encodable(observation.text)
        if call.name != "call_tool" or observation.is_error:  # results of tools are cut already
            text = shown(text, self.limits.observation)
        self.messages.append(
            Message(
                role="tool",
                content=text,
                tool_call_id=call.id,
                is_error=observation.is_error,
            )
        )


def _malformed(call: ToolCall, observation: Observation) -> bool:
    """Whether a failed call was none: no such meta-tool, or arguments that are no object."""
    if not observation.is_error:
        return False
    if call.name not in _NAMES:
        return True
    outer = _object(call.arguments or "{}")
    if outer is None:
        return True
    inner = outer.get("arguments")
    return isinstance(inner, str) and _object(inner) is None


def _object(text: str) -> Mapping[str, Any] | None:
    try:
        value = json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def play_episode(
    task: Task,
    initial: Environment,
    policy: Policy,
    *,
    name: str = "",
    key: str = "",
    seed: int = 0,
    sample: int = 0,
    limits: Limits | None = None,
    user: User | None = None,
) -> Trajectory:
    """Let a policy play a task once, in a fork of s0, and judge where it ended.

    What a model endpoint or a service's code breaks becomes the trajectory's `error`; wrong
    usage and a policy's own bugs are raised.

    Args:
        task: what to do.
        initial: s0; it is not changed.
        policy: a fresh one.
        name: the policy's name, for the record.
        key: the trajectory's id.
        seed: what the policy was seeded with, for the record.
        sample: which rollout of its group it is.
        limits: where it ends at the latest.
        user: who answers questions, where the task has a user; by default the plain one.
    """
    limits = limits or Limits()
    environment = initial.fork()
    environment.limit = limits.observation
    if task.user is not None:
        environment.dialogue = Dialogue(user or PlainUser(task.user.facts))
    messages = opening(task.instruction, answered=environment.dialogue is not None)
    episode = _Episode(environment, messages, limits, Witness(environment))
    error, verdict = "", None
    try:
        episode.run(policy, f"policy {name!r} failed in {task.id}, sample {sample}")
    except (UsageError, PluginError):
        raise
    except CompoWorldError as broken:
        error = encodable(f"{type(broken).__name__}: {broken}")
    if not error:
        verdict = explain(
            task, initial, environment, episode.witness.stages, answer=environment.answer
        )
    return Trajectory(
        id=key,
        task=task.id,
        policy=name,
        seed=seed,
        sample=sample,
        messages=tuple(episode.messages),
        answer=environment.answer,
        final_digest=environment.digest(),
        verdict=verdict,
        error=error,
        usage=episode.usage(),
    )
