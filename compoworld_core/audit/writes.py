"""Writes: what a writing call of the reference says, value by value."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from attrs import frozen

from compoworld_core.expressions import Expr, Fn, Path
from compoworld_core.plan import Goal, Step

Arguments = dict[str, Any]
Edit = Callable[[list[Arguments]], list[Arguments]]
"""The arguments of a step's calls → what the policy of the mutant gave instead."""


class Unfit(Exception):  # noqa: N818  # reads as a statement: `raise Unfit(why)`
    """The task offers no place for a mutation of this kind; says why."""


@frozen
class Stated:
    """A fact that a text states."""

    kind: str
    raw: Any
    """As the observation gave it."""
    shown: str
    """As the reference wrote it."""
    expr: Expr


@frozen
class Slot:
    """One value of a call that comes from the instruction or from an observation."""

    path: Path
    expr: Expr
    value: Any
    kind: str
    template: str = ""
    """The words around the facts, with a hole `{}` for each; empty where it is a bare value."""
    facts: tuple[Stated, ...] = ()

    @property
    def is_text(self) -> bool:
        """A text that was composed around facts."""
        return isinstance(self.expr, Fn) and self.expr.name == "text"

    @property
    def raw(self) -> Any:
        """The one value that it carries."""
        return self.facts[0].raw if self.facts else self.value

    def filled(self, *shown: str) -> str:
        """The text with other facts in its holes."""
        first, *rest = self.template.split("{}")
        return first + "".join(f"{a}{b}" for a, b in zip(shown, rest, strict=True))

    def carrying(self, raw: Any) -> Any:
        """The slot's value with another bare value in it."""
        if self.template:
            return self.filled(str(raw), *(f.shown for f in self.facts[1:]))
        return raw


@frozen
class Write:
    """One writing call of the reference."""

    step: Step
    position: int
    """Of the step in the plan."""
    index: int
    """Of the call within the step (for-each)."""
    arguments: Arguments
    slots: tuple[Slot, ...]
    goals: tuple[Goal, ...]
    output: Any
    """What the call showed."""

    @property
    def tool(self) -> str:
        """`service.tool`."""
        return f"{self.step.service}.{self.step.tool}"

    @property
    def texts(self) -> tuple[Slot, ...]:
        """The slots that hold a text around facts."""
        return tuple(slot for slot in self.slots if slot.is_text and slot.facts)

    def creates(self) -> bool:
        """A new record is what it is for."""
        return any(goal.kind == "create" for goal in self.goals)

    def updates(self) -> bool:
        """A change of an existing record is what it is for."""
        return any(goal.kind == "update" for goal in self.goals)

    def edited(self, path: Path, value: Any) -> Arguments:
        """Its arguments with another value at a path."""
        edited: Arguments = put(self.arguments, path, value)
        return edited


def at_path(value: Any, path: Path) -> Any:
    """The value at a path; None where there is none."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def put(value: Any, path: Path, new: Any) -> Any:
    """A copy with another value at a path; what is missing on the way is made."""
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(head, int):
        items = list(value) if isinstance(value, list) else []
        items.extend([None] * (head + 1 - len(items)))
        items[head] = put(items[head], rest, new)
        return items
    mapping = dict(value) if isinstance(value, dict) else {}
    mapping[head] = put(mapping.get(head), rest, new)
    return mapping


def holes(template: str, text: str) -> list[str]:
    """What stands in the holes of a filled template; empty where it does not fit."""
    pattern = "(.*?)".join(re.escape(part) for part in template.split("{}"))
    found = re.fullmatch(pattern, text, re.DOTALL)
    return list(found.groups()) if found else []


def one_call(arguments: Arguments) -> Edit:
    """One call with these arguments, whatever the reference calls."""
    return lambda _calls: [arguments]
