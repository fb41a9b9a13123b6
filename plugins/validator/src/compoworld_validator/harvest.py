"""Harvest: accepted arguments for each tool, found by trying values that reads showed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from attrs import define, field

from compoworld_core.cast import draw_cast
from compoworld_core.environment import Environment
from compoworld_core.errors import ServiceError
from compoworld_core.service import Service, Tool
from compoworld_validator.reading import SCALARS, mappings, scalars
from compoworld_validator.values import drawn, kind, normal, resolved

_SAMPLES = 10
"""Objects kept for each set of fields."""
_QUERIES = ("q", "query", "search", "text", "keyword", "term")
_GOOD = 4
"""Accepted argument sets kept for each tool."""


@define
class Harvest:
    """What was learned of one service by calling it."""

    base: Environment
    service: Service[Any]
    rng: Random
    seed: int
    scale: int
    cases: int = 100
    objects: dict[tuple[str, ...], list[dict[str, Any]]] = field(factory=dict)
    """Field names → normalised scalars of objects that were seen with these."""
    good: dict[str, list[dict[str, Any]]] = field(factory=dict)
    """Tool → accepted arguments."""
    crashes: dict[str, dict[str, Any]] = field(factory=dict)
    """Tool → arguments on which it raised something else than ToolError."""

    def collect(self) -> None:
        """Call everything with what is known until nothing new is accepted."""
        tools = [tool for tool in self.service.tools.values() if tool.kind == "deterministic"]
        cast = draw_cast(self.seed, self.scale)  # who acts in this world: no service says it
        self.learn({"email": cast.staff[0].email})
        tools.sort(key=lambda tool: (not tool.read_only, len(required(tool))))
        for turn in range(3):
            for tool in tools:
                tries = 4 if len(self.good.get(tool.name, ())) >= _GOOD else self.cases
                self._try(tool, tries, optional=0.3 * turn)

    def _try(self, tool: Tool, tries: int, optional: float) -> None:
        for number in range(tries):
            known = self.good.setdefault(tool.name, [])
            if len(known) >= _GOOD and number >= 4:
                return
            given = self.arguments(tool, optional=optional if number % 3 == 2 else 0)
            self.attempt(tool, given)

    def attempt(self, tool: Tool, given: dict[str, Any]) -> bool:
        """Call on a fork; remember arguments that were accepted and what was shown."""
        fork = self.base.fork()
        try:
            seen = fork.call(tool.full_name, given)
        except ServiceError:
            self.crashes.setdefault(tool.name, given)
            return False
        if seen.is_error:
            return False
        known = self.good.setdefault(tool.name, [])
        if given not in known and len(known) < _GOOD:
            known.append(given)
        if tool.read_only:
            for shown in mappings(seen.data):
                self.learn(shown)
        return True

    def learn(self, shown: Mapping[str, Any]) -> None:
        """Keep an object's scalars, some for each set of fields."""
        flat = scalars(shown)
        kept = self.objects.setdefault(tuple(sorted(flat)), [])
        if flat and flat not in kept and len(kept) < _SAMPLES:
            kept.append(flat)

    def arguments(
        self, tool: Tool, optional: float = 0, row: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Arguments: references from one object that was seen, the rest from the schema."""
        schema = tool.input_schema
        needed = required(tool)
        parts = schema.get("properties", {})
        if row is None:
            row = self._object(needed)
        given: dict[str, Any] = {}
        for name, part in parts.items():
            if name not in needed and self.rng.random() >= optional:
                continue
            given[name] = self._value(name, part, schema, row)
        return given

    def aimed(self, tool: Tool, source: Mapping[str, Any], id: Any) -> dict[str, Any] | None:
        """Required arguments that ask for one record; None where no parameter takes its id."""
        parts = tool.input_schema.get("properties", {})
        needed = required(tool)
        given: dict[str, Any] = {}
        for name in needed:
            one = resolved(parts.get(name, {}), tool.input_schema)
            value = source.get(normal(name))
            if value is None:
                value = reference(normal(name), source, kind(one))
            if value is None:
                value = next((good[name] for good in self.good.get(tool.name, ())), None)
            given[name] = value
        if id in given.values():
            return given
        for name in reversed(needed):
            if normal(name).endswith("id") and type(given[name]) is type(id):
                return {**given, name: id}
        return None

    def known(self) -> frozenset[Any]:
        """All scalar values that were seen."""
        kept = (row for group in self.objects.values() for row in group)
        return frozenset(value for row in kept for value in row.values())

    def fresh(self, tool: Tool, name: str) -> Any:
        """A value for a parameter from its schema alone."""
        return drawn(tool.input_schema["properties"][name], tool.input_schema, self.rng)

    def _object(self, needed: tuple[str, ...]) -> Mapping[str, Any]:
        if not self.objects:
            return {}
        names = [normal(name) for name in needed]
        fits = {
            fields: sum(2 if name in fields else bool(meant(name, fields)) for name in names)
            for fields in self.objects
        }
        best = max(fits.values())
        choices = [
            fields
            for fields, fit in fits.items()
            if self.objects[fields] and (fit == best or self.rng.random() < 0.3)
        ]
        return self.rng.choice(self.objects[self.rng.choice(choices)]) if choices else {}

    def _value(
        self, name: str, part: Any, root: Mapping[str, Any], row: Mapping[str, Any]
    ) -> Any:
        one = resolved(part, root)
        wanted = kind(one)
        if "enum" in one or "const" in one or wanted not in ("string", "integer", ""):
            if wanted == "array" and kind(resolved(one.get("items", {}), root)) == "string":
                item = self._value(name, one["items"], root, row)
                return [item]
            return drawn(one, root, self.rng)
        if normal(name) in _QUERIES and wanted == "string" and self.rng.random() < 0.5:
            return self.rng.choice("aeo")
        found = reference(normal(name), row, wanted, self.rng)
        if found is not None and self.rng.random() < 0.85:
            return found
        if self.rng.random() < 0.4:
            pool = self._pool(normal(name), wanted)
            if pool:
                return self.rng.choice(pool)
        return drawn(one, root, self.rng)

    def _pool(self, name: str, wanted: str) -> list[Any]:
        return [
            value
            for kept in self.objects.values()
            for row in kept[:4]
            for value in [reference(name, row, wanted)]
            if value is not None
        ]


def required(tool: Tool) -> tuple[str, ...]:
    """The required parameters, as the schema names them."""
    return tuple(tool.input_schema.get("required", ()))


def reference(name: str, row: Mapping[str, Any], wanted: str, rng: Random | None = None) -> Any:
    """The value of an object's field that a parameter's name means: `ticketid` → `id`."""
    found = [row[f] for f in meant(name, row) if _fits(row[f], wanted)]
    if not found:
        return None
    if rng is None or rng.random() < 0.7:
        return found[0]
    return rng.choice(found)


def meant(name: str, row: Iterable[str]) -> list[str]:
    """The fields that a parameter's name may mean, likeliest first."""
    known = set(row)
    stem = name.removesuffix("id").removesuffix("name")
    fields = [
        name,
        stem,
        *sorted((f for f in known if len(f) > 1 and name.endswith(f)), key=len, reverse=True),
    ]
    fields.append("id")
    return [f for f in dict.fromkeys(fields) if f in known]


def _fits(value: Any, wanted: str) -> bool:
    if isinstance(value, bool):
        return False
    if wanted == "integer":
        return isinstance(value, int)
    return isinstance(value, str) if wanted == "string" else isinstance(value, SCALARS)
