"""What one statement may cost: counted work, so that no result depends on the computer's load.

The engine's machine counts its instructions. A function is one instruction however long its
arguments are, so those that read all of a text are charged for it beforehand.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from typing import Any

MOST_STEPS = 2_000_000
"""Instructions of the engine's machine per statement, with what functions are charged."""
MOST_TEXT = 40_000
"""Bytes of one value."""
_BYTES_PER_STEP = 50
"""Characters that a function reads in the time of about one instruction."""
_PER_CALL = 50
"""Instructions that a call of one of our functions counts as."""

_LINEAR = {"hex": (1,), "length": (1,), "lower": (1,), "substr": (2, 3), "substring": (2, 3),
           "upper": (1,)}  # fmt: skip
"""Functions of the engine that read their text once, with their numbers of arguments."""
_QUADRATIC = {"instr": (2,), "ltrim": (1, 2), "replace": (3,), "rtrim": (1, 2), "trim": (1, 2)}
"""Functions that may compare each place of the first text with all of the second."""
_SPECIFIER = re.compile(r"%([-+ #!,0-9l*.]*)")
_NUMBER = re.compile(r"\d+")


class Budget:
    """The work that a statement has done."""

    def __init__(self) -> None:
        self.steps = 0

    @property
    def is_spent(self) -> bool:
        """Whether the statement has cost more than it may."""
        return self.steps > MOST_STEPS

    def call(self, read: int) -> None:
        """Charge a call of a function that reads so many characters; ValueError at the end."""
        self.steps += _PER_CALL + read // _BYTES_PER_STEP
        if self.is_spent:
            raise ValueError(f"cancelled after {MOST_STEPS} steps; narrow it")


def size(value: Any) -> int:
    """How much of a value a function reads."""
    return len(value) if isinstance(value, str | bytes) else 20


def charged(
    budget: Budget, refuse: Callable[[str], None]
) -> list[tuple[str, int, Callable[..., Any]]]:
    """List the engine's long functions as (name, arguments, function) that charges a budget.

    Args:
        refuse: is told why a call failed.
    """
    inner = sqlite3.connect(":memory:", check_same_thread=False)
    inner.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_TEXT)

    def made(name: str, cost: Callable[[tuple[Any, ...]], int]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            try:
                budget.call(cost(arguments))
                marks = ", ".join("?" * len(arguments))
                found = inner.execute(f"SELECT {name}({marks})", arguments)  # our own names
                return found.fetchone()[0]
            except (ValueError, sqlite3.Error) as error:
                refuse(f"{name}: {error}")
                raise

        return call

    functions = []
    for costs, cost in ((_LINEAR, _once), (_QUADRATIC, _each_place)):
        for name, numbers in costs.items():
            functions += [(name, number, made(name, cost)) for number in numbers]
    return [*functions, *((name, -1, made(name, _written)) for name in ("printf", "format"))]


def _once(arguments: tuple[Any, ...]) -> int:
    return size(arguments[0])


def _each_place(arguments: tuple[Any, ...]) -> int:
    return size(arguments[0]) * (size(arguments[1]) if len(arguments) > 1 else 1)


def _written(arguments: tuple[Any, ...]) -> int:
    """What a format writes; ValueError where a width is taken from an argument or too big."""
    total = sum(size(value) for value in arguments)
    for specifier in _SPECIFIER.findall(str(arguments[0]) if arguments else ""):
        if "*" in specifier:
            raise ValueError("a width of * is not available; write the number")
        for number in _NUMBER.findall(specifier):
            if len(number) > len(str(MOST_TEXT)) or int(number) > MOST_TEXT:
                raise ValueError(f"a width of {number[:20]} is too big")
            total += int(number)
    return total
