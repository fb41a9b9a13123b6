"""Memory: what each call in each state showed and left, kept for the length of one proof.

A proof plays nearly the same plan dozens of times. The same call in the same state shows the
same and leaves the same state (law 3: a call is deterministic and touches its own service
only), so it is run once. A service's states form a tree whose branches are writes; replays
that made the same writes stand at the same node, whatever the other services did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from attrs import define, field

from compoworld_core.environment import Environment, RowChange
from compoworld_core.observation import Observation
from compoworld_core.service import Tool
from compoworld_core.state import State

T = TypeVar("T")


@define(eq=False)
class Memory:
    """Facts about states, by their identity. A state that it knows is never written to."""

    calls: dict[tuple[int, str, str], tuple[Observation, State]] = field(factory=dict)
    """(state before, tool, arguments) → what it showed, and the state after."""
    changes: dict[tuple[int, int], list[RowChange]] = field(factory=dict)
    digests: dict[int, str] = field(factory=dict)
    hashes: dict[int, int] = field(factory=dict)
    """Of the rows of states that it knows."""
    derived: dict[tuple[int, ...], Any] = field(factory=dict)
    """What was computed from parts of the plan and observations, by their identities."""
    _shown: dict[tuple[str, bool], Observation] = field(factory=dict)
    _held: list[object] = field(factory=list)

    def known(self, part: object) -> int:
        """The identity of a part. It is held on to, so that nothing else gets the same."""
        self._held.append(part)
        return id(part)

    def one_of(self, observation: Observation) -> Observation:
        """The one that stands for all that show this: parsed once, and known to `derive`."""
        return self._shown.setdefault((observation.text, observation.is_error), observation)

    def derive(self, parts: Iterable[object], compute: Callable[[], T]) -> T:
        """What follows from these parts, computed once. The parts must never change."""
        parts = tuple(parts)
        key = tuple(map(id, parts))
        found: T | None = self.derived.get(key)
        if found is None:
            found = self.derived[key] = compute()
            self._held.append(parts)
        return found

    def recall(self, parts: tuple[object, ...]) -> Any:
        """What was kept for these parts; None where nothing was."""
        # What is known is held, so no other part has its identity.
        return self.derived.get(tuple(map(id, parts)))

    def keep(self, parts: tuple[object, ...], found: object) -> None:
        """Keep what follows from these parts."""
        self._held.append(parts)
        self.derived[tuple(map(id, parts))] = found


@define(eq=False, repr=False)
class Remembering(Environment):
    """An environment that runs no call twice: its forks share one memory."""

    memory: Memory = field(factory=Memory)

    def fork(self) -> Remembering:
        self._owned.clear()
        return Remembering(
            self.services,
            self.states.copy(),
            self.simulator,
            self.limit,
            answer=self.answer,
            dialogue=self.dialogue,
            tools=self._tools,
            memory=self.memory,
        )

    def forgetful(self) -> Environment:
        """A fork without memory: it really runs every call."""
        return Environment.fork(self)

    def digest_of(self, service: str) -> str:
        state = self.states[service]
        digest = self.memory.digests.get(id(state))
        if digest is None:
            digest = self.memory.digests[self.memory.known(state)] = state.digest(
                self.memory.hashes
            )
        return digest

    def _run(self, tool: Tool, text: str) -> Observation:
        service = tool.service
        before = self.states[service]
        key = (id(before), tool.full_name, text)
        past = self.memory.calls.get(key)
        if past is None:
            self.memory.known(before)
            observation = Environment._run(self, tool, text)
            after = self.states[service]
            if after.ledger.writes == before.ledger.writes:
                after = before  # nothing was committed: stay at the same node
            past = self.memory.calls[key] = (self.memory.one_of(observation), after)
        observation, self.states[service] = past
        return observation

    def _own(self, service: str) -> State:
        self._owned.discard(service)  # always a copy: the memory speaks of the state as it was
        return Environment._own(self, service)

    def _between(self, before: State, after: State) -> list[RowChange]:
        found = self.memory.changes.get((id(before), id(after)))
        if found is None:
            key = (self.memory.known(before), self.memory.known(after))
            found = self.memory.changes[key] = Environment._between(self, before, after)
        return found


def remembering(environment: Environment) -> Remembering:
    """The same joint state, with a memory; an environment that has one keeps it."""
    if isinstance(environment, Remembering):
        return environment
    plain = environment.fork()
    return Remembering(
        plain.services,
        plain.states,
        plain.simulator,
        plain.limit,
        dialogue=plain.dialogue,
        tools=plain.tools(),
    )


def derive(environment: Environment, parts: Iterable[object], compute: Callable[[], T]) -> T:
    """What follows from these parts, computed once where the environment has a memory."""
    if isinstance(environment, Remembering):
        return environment.memory.derive(parts, compute)
    return compute()
