"""States: how a server itself calls what a verb of its state machine writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from compoworld_synth.naming import snake
from compoworld_synth.resources import Resource

_ALIKE: Final = 5
"""So many first letters of a state decide: `canceled` is `cancelled`."""


def values(resource: Resource) -> dict[str, tuple[Any, ...]]:
    """Parameter → values, of what creates, changes and lists know as a record's state."""
    found: dict[str, tuple[Any, ...]] = {}
    for item in resource.operations:
        for param in item.params:
            name = snake(param.name)
            if name in ("status", "state"):
                inner = param.items.enum if param.items is not None else ()
                found[name] = (*found.get(name, ()), *param.enum, *inner)
    return found


def spelled(
    sets: Iterable[tuple[str, object]], resource: Resource
) -> tuple[tuple[str, object], ...]:
    """The constants under the names and in the spelling that other tools of the server use."""
    known = values(resource)
    flags = {
        snake(param.name)
        for item in resource.operations
        for param in item.params
        if param.kind == "bool"
    }
    made: list[tuple[str, object]] = []
    for name, value in sets:
        field = name
        if name == "status" and "status" not in known and "state" in known:
            field = "state"
        if isinstance(value, bool) and name not in flags and f"is_{name}" not in flags:
            wanted = name if value else "active"
            found = _among(wanted, known)
            made.append(found or (name, value))
            continue
        if isinstance(value, bool) and name not in flags:
            field = f"is_{name}"
        close = _among(str(value), {field: known.get(field, ())}) if value is not None else None
        made.append(close or (field, value))
    return tuple(made)


def _among(value: str, known: dict[str, tuple[Any, ...]]) -> tuple[str, object] | None:
    for field, listed in known.items():
        for each in listed:
            if str(each).lower()[:_ALIKE] == value.lower()[:_ALIKE]:
                return field, each
    return None


def unknown(sets: Iterable[tuple[str, object]], resource: Resource) -> str:
    """The state that the server does not have, though it lists its states; empty without."""
    known = values(resource)
    for name, value in sets:
        listed = known.get(name, ())
        if listed and isinstance(value, str) and value not in listed and value != "@now":
            return value
    return ""
