"""Isolation: the same sequences in processes of their own, in another order each time.

What a service remembers outside its state shows there: an answer that depends on which calls
came before, in other forks, differs between two orders.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from typing import Any

from attrs import define

from compoworld_core.environment import Environment
from compoworld_core.errors import ServiceError
from compoworld_validator.verdict import Step
from compoworld_validator.world import Played

_LENGTH = 8

Outcome = tuple[str, str]
"""What the last call showed, and the digest of the state after it."""


def _outcome(base: Environment, steps: Sequence[Step]) -> Outcome:
    try:
        played = Played(base, steps)
    except ServiceError as error:
        return str(error), ""
    return played.last.text, played.environment.digest()


@define
class Spring:
    """A process in which no tool was called yet; each request is answered by a fork of it."""

    process: int
    ask: int
    answer: int

    @classmethod
    def of(cls, base: Environment) -> Spring | None:
        """Begin it before the first call; None where no process can be made."""
        if not hasattr(os, "fork"):
            return None
        theirs, ask = os.pipe()
        answer, ours = os.pipe()
        try:
            process = os.fork()
        except OSError:  # a limit on processes: the caller goes on without this examination
            for pipe in (theirs, ask, answer, ours):
                os.close(pipe)
            return None
        if process:
            os.close(theirs)
            os.close(ours)
            return cls(process, ask, answer)
        try:
            os.close(ask)
            os.close(answer)
            _serve(base, theirs, ours)
        finally:
            os._exit(0)

    def outcomes(self, sequences: Sequence[Sequence[Step]]) -> list[Outcome]:
        """The outcome of each sequence, played one after the other in a fresh process."""
        _send(self.ask, sequences)
        found: list[Outcome] = _receive(self.answer)
        return found

    def close(self) -> None:
        """End the process."""
        os.close(self.ask)
        os.close(self.answer)
        os.waitpid(self.process, 0)


def _serve(base: Environment, asked: int, answered: int) -> None:
    while True:
        sequences = _receive(asked)
        if sequences is None:
            return
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            continue
        try:
            _send(answered, [_outcome(base, steps) for steps in sequences])
        finally:
            os._exit(0)


def _send(pipe: int, value: Any) -> None:
    """Length and body."""
    body = pickle.dumps(value)
    rest = memoryview(len(body).to_bytes(_LENGTH) + body)
    while rest:
        rest = rest[os.write(pipe, rest) :]


def _receive(pipe: int) -> Any:
    """The next message; None where the other end was closed."""
    length = _read(pipe, _LENGTH)
    body = _read(pipe, int.from_bytes(length))
    return pickle.loads(body) if body else None  # noqa: S301  # written by our own fork


def _read(pipe: int, size: int) -> bytes:
    found = b""
    while len(found) < size:
        part = os.read(pipe, min(1 << 20, size - len(found)))
        if not part:
            return b""
        found += part
    return found
