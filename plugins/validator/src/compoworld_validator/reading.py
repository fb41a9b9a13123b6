"""Reading of results: their rows, ids and scalar fields, and calls played on a fork."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from compoworld_core.environment import Environment
from compoworld_core.observation import Observation
from compoworld_core.state import Change
from compoworld_validator.values import normal
from compoworld_validator.verdict import Step

Row = Mapping[str, Any]
SCALARS = (str, int, float, bool)
_DERIVED = ("at", "time", "date", "modified", "updated", "created", "version", "etag", "on")


class Played:
    """Calls played on a fresh fork; what each showed, and the state around the last."""

    def __init__(self, base: Environment, steps: Iterable[Step]) -> None:
        """Play them; ServiceError comes through."""
        self.environment = base.fork()
        (service,) = base.services
        self.seen: list[Observation] = []
        self.before = base
        for name, arguments in steps:
            self.before = self.environment.fork()
            self.seen.append(self.environment.call(f"{service}.{name}", dict(arguments)))

    @property
    def last(self) -> Observation:
        """What the last call showed."""
        return self.seen[-1]

    def changes(self) -> list[Change]:
        """The records that the last call changed."""
        return self.before.diff(self.environment)


def rows(data: Any) -> list[Row] | None:
    """The rows of a list's result; None where it is no list."""
    if isinstance(data, dict):
        lists = [v for k, v in data.items() if isinstance(v, list) and k == "items"]
        data = lists[0] if lists else None
    if isinstance(data, list) and all(isinstance(row, dict) for row in data):
        return data
    return None


def identity(row: Row) -> str:
    """What tells a row from others: its id, or all of it."""
    found = row.get("id")
    return str(found) if found is not None else json.dumps(row, sort_keys=True)


def scalars(row: Row) -> dict[str, Any]:
    """Normalised name → value of each scalar field."""
    return {normal(name): v for name, v in row.items() if isinstance(v, SCALARS)}


def mappings(data: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """All objects in a result, outermost first."""
    if isinstance(data, dict):
        yield data
        if depth < 4:
            for value in data.values():
                yield from mappings(value, depth + 1)
    elif isinstance(data, list):
        for value in data[:12]:
            yield from mappings(value, depth + 1)


def same(one: Any, other: Any) -> bool:
    """Equal for a reader: case, outer space and the form of a number do not count."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) < 1e-6
    return _plain(str(one)) == _plain(str(other))


def _plain(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum()) or text


def derived(name: str) -> bool:
    """Whether a field looks like one that the service keeps itself: times and versions."""
    return name.endswith(_DERIVED)
