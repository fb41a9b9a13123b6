"""Trial: one service under test, with worlds made on demand, and seeded call sequences."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from random import Random
from typing import Any

from attrs import define, field, frozen
from pydantic_core import to_json

from compoworld_core.arguments import draw_arguments
from compoworld_core.cast import Cast, draw_cast
from compoworld_core.environment import Environment
from compoworld_core.errors import ServiceError
from compoworld_core.observation import Observation, refusal
from compoworld_core.service import Service, Tool
from compoworld_core.state import State

SCALE = 60
"""Records in the worlds that calls are tried on: each dump and digest stays cheap."""


@frozen
class Failure:
    """A check that a service does not pass, and what to do about it."""

    check: str
    why: str

    def __str__(self) -> str:
        return f"{self.check}: {self.why}"


@define(slots=False)
class Trial:
    """A service under test."""

    service: Service[Any]
    seed: int = 0
    calls: int = 0
    """Random calls in a sequence; 0 takes a number by how many tools there are."""
    casts: dict[tuple[int, int], Cast] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.calls = self.calls or min(400, 40 + 8 * len(self.service.tools))

    @cached_property
    def tools(self) -> list[Tool]:
        """The tools with code of their own."""
        return [t for t in self.service.tools.values() if t.kind == "deterministic"]

    def cast(self, scale: int, seed: int) -> Cast:
        """The shared facts of a world."""
        key = (scale, seed)
        if key not in self.casts:
            self.casts[key] = draw_cast(seed, scale)
        return self.casts[key]

    def state(self, scale: int = SCALE, seed: int | None = None) -> State:
        """A freshly seeded state."""
        seed = self.seed if seed is None else seed
        state: State = self.service.new_state(self.cast(scale, seed), seed, scale)
        return state

    def environment(self, scale: int = SCALE) -> Environment:
        """A freshly seeded environment of this service alone."""
        return Environment.of([(self.service, self.state(scale))])

    def rng(self, purpose: str) -> Random:
        """Random numbers for one check; they do not depend on which checks ran before."""
        return Random(f"{self.seed}:{self.service.name}:{purpose}")

    def play(
        self, environment: Environment, purpose: str, calls: int = 0
    ) -> Iterator[tuple[Tool, str, Observation]]:
        """Random valid calls, each tool about as often, with what they showed."""
        rng = self.rng(purpose)
        state = environment.state
        left: list[Tool] = []
        for _ in range(calls or self.calls):
            if not self.tools:
                return
            if not left:
                left = list(self.tools)
                rng.shuffle(left)
            tool = left.pop()
            arguments = text_of(draw_arguments(tool, state(self.service.name), rng))
            try:
                observation = environment.call(tool.full_name, arguments)
            except ServiceError as error:  # the check "answers" reports it; others go on
                observation = refusal("", str(error))
            yield tool, arguments, observation


def text_of(arguments: dict[str, Any]) -> str:
    """Arguments as JSON text."""
    return to_json(arguments).decode()


def dump(environment: Environment, service: str) -> bytes:
    """All bytes of a state, row order and ledger included."""
    return environment.state(service).model_dump_json().encode()


def brief(text: str, most: int = 160) -> str:
    """The beginning of a text, for a message."""
    return text if len(text) <= most else f"{text[:most]}…"
