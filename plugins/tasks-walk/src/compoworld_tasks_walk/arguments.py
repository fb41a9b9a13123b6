"""Arguments: expressions at the places of a call that slots name."""

from __future__ import annotations

from collections.abc import Sequence

from compoworld_core.expressions import Const, Expr, Fn, Path
from compoworld_tasks_walk.affordances import Slot, thaw


def fill(slot: Slot, expr: Expr) -> list[tuple[Path, Expr]]:
    """The arguments that put a value into a slot."""
    value: Expr = expr
    if slot.template != "{}":
        value = Fn(name="form", args=(expr,), template=slot.template)
    pairs: list[tuple[Path, Expr]] = [(tuple(slot.path), value)]
    pairs += [(tuple(path), Const(literal=thaw(fixed))) for path, fixed in slot.fixed]
    return pairs


def distinct(arguments: Sequence[tuple[Path, Expr]]) -> list[tuple[Path, Expr]]:
    """Each path once; the first wins (slots come before constants)."""
    held: dict[Path, Expr] = {}
    for path, expr in arguments:
        held.setdefault(path, expr)
    return sorted(held.items(), key=lambda pair: [str(part) for part in pair[0]])
