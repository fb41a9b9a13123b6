"""Siblings: what several tools say of an argument, for those that leave it unsaid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

if TYPE_CHECKING:
    from compoworld_synth.operations import Operation
    from compoworld_synth.schemas import Param

_AGREED: Final = 3
"""So many tools must give the same choices before they count for others."""


def fill(operations: Sequence[Operation]) -> None:
    """Give the choices of `user_form` to the tools that describe it alike without any."""
    said: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for param in _plain(operations):
        if param.enum and param.description:
            said.setdefault((param.name, param.description), []).append(param.enum)
    known = {
        key: found[0]
        for key, found in said.items()
        if len(found) >= _AGREED and all(each == found[0] for each in found)
    }
    for item in operations:
        item.params = tuple(_filled(param, known) for param in item.params)


def _plain(operations: Iterable[Operation]) -> list[Param]:
    return [p for item in operations for p in item.params if p.kind == "str"]


def _filled(param: Param, known: dict[tuple[str, str], tuple[Any, ...]]) -> Param:
    choices = known.get((param.name, param.description))
    free = param.kind == "str" and not param.enum and not param.has_default
    return evolve(param, enum=choices) if choices is not None and free else param
