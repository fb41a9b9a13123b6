"""Play: one episode under way, which is told what its policy said and answers.

`play_episode` of the core asks a policy and waits; a sampler that writes the turns of many
episodes at once must be asked by nobody. The rules are the core's: its `_Episode` holds them.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from attrs import define, field

from compoworld_core.conversation import opening, read_message, to_chat
from compoworld_core.dialogue import Dialogue
from compoworld_core.environment import Environment
from compoworld_core.episode import Limits, _Episode
from compoworld_core.errors import CompoWorldError, PluginError, UsageError
from compoworld_core.explain import Witness, explain
from compoworld_core.observation import encodable
from compoworld_core.records import Message, Task, Trajectory
from compoworld_core.user import make_user


def rollout_seed(seed: int, task: str, sample: int) -> int:
    """The seed of one rollout, which depends on nothing else; it fits 31 bits."""
    text = f"{seed}:{task}:{sample}"
    return int.from_bytes(sha256(text.encode()).digest()[:4]) >> 1


@define(eq=False)
class Play:
    """An episode of a task, in its own fork of s0."""

    task: Task
    initial: Environment
    sample: int
    seed: int
    limits: Limits
    over: bool = False
    _episode: _Episode = field(init=False)
    _error: str = ""

    def __attrs_post_init__(self) -> None:
        environment = self.initial.fork()
        environment.limit = self.limits.observation
        user = make_user(self.task, seed=self.seed)
        if user is not None:
            environment.dialogue = Dialogue(user)
        messages = opening(self.task.instruction, answered=user is not None)
        self._episode = _Episode(environment, messages, self.limits, Witness(environment))

    @property
    def messages(self) -> list[Message]:
        """The conversation so far."""
        return self._episode.messages

    @property
    def calls(self) -> int:
        """Calls of meta-tools so far."""
        return len(self._episode.ids)

    def hear(self, said: Message, *, tokens: int) -> list[Message]:
        """What is answered to an assistant message: observations, or a user's reply.

        Nothing is answered, and the episode is over, where the message was the final answer, a
        limit is reached, or a service broke (the trajectory's `error`).

        Args:
            said: the message.
            tokens: that it took.
        """
        episode = self._episode
        episode.counts["turns"] += 1
        self._count(tokens)
        message, _ = read_message(to_chat(said), episode.ids)
        episode.messages.append(message)
        start = len(episode.messages)
        try:
            if not message.tool_calls and not episode._tell(message.content or ""):
                self.over = True
                return []
            for call in message.tool_calls:
                episode._answer(call)
        except (UsageError, PluginError):
            raise
        except CompoWorldError as broken:
            self._error = encodable(f"{type(broken).__name__}: {broken}")
            self.over = True
            return []
        done = episode.counts["calls"] >= self.limits.calls
        if done or episode.counts["turns"] >= self.limits.turns:
            self.truncate()
            return []
        return episode.messages[start:]

    def shorten(self, heard: list[Message], cut: Callable[[str], str]) -> list[Message]:
        """The last answers with each observation cut; the record holds what was seen."""
        short = [
            each.model_copy(update={"content": cut(each.content or "")})
            if each.role == "tool"
            else each
            for each in heard
        ]
        if heard:
            self.messages[-len(heard) :] = short
        return short

    def break_off(self, text: str, *, tokens: int) -> None:
        """End with a message that the token budget has cut: its calls are not made."""
        self._episode.counts["turns"] += 1
        self._count(tokens)
        self._episode.messages.append(Message(role="assistant", content=encodable(text)))
        self.truncate()

    def truncate(self) -> None:
        """End where a limit is reached; what was done is judged as it stands."""
        self._episode.counts["truncated"] = 1
        self.over = True

    def _count(self, tokens: int) -> None:
        used = self._episode.tokens
        used["completion_tokens"] = used.get("completion_tokens", 0) + tokens

    def trajectory(self, *, key: str, policy: str) -> Trajectory:
        """The record of the episode, judged; without a verdict where a service broke."""
        episode, verdict = self._episode, None
        environment = episode.environment
        if not self._error:
            verdict = explain(
                self.task,
                self.initial,
                environment,
                episode.witness.stages,
                answer=environment.answer,
            )
        return Trajectory(
            id=key,
            task=self.task.id,
            policy=policy,
            seed=self.seed,
            sample=self.sample,
            messages=tuple(episode.messages),
            answer=environment.answer,
            final_digest=environment.digest(),
            verdict=verdict,
            error=self._error,
            usage=episode.usage(),
        )
