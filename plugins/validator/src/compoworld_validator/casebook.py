"""Casebook: sequences of calls that a tool accepts, those with a first write among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from compoworld_core.errors import ServiceError
from compoworld_core.service import Tool
from compoworld_validator.arguments import required
from compoworld_validator.harvest import Harvest
from compoworld_validator.reading import mappings, scalars
from compoworld_validator.values import kind, normal, resolved
from compoworld_validator.variation import further
from compoworld_validator.verdict import Step
from compoworld_validator.world import World

Sequence_ = list[Step]
_FURTHER = 14
"""Tries of a tool after each write."""
_ENOUGH = 3
_KEYS = 20
"""Records that a read is asked for, to find one of which it has much to show."""


@define
class Casebook:
    """What is tried on each tool."""

    harvest: Harvest
    world: World
    samples: dict[str, list[Sequence_]] = field(factory=dict)
    """Tool → accepted sequences that end with a call of it."""
    variants: dict[str, list[tuple[str, Sequence_]]] = field(factory=dict)
    """Tool → (parameter, sequence): a sample with one argument added or put anew."""

    @classmethod
    def of(cls, harvest: Harvest, world: World) -> Casebook:
        """Samples of every tool that can be reached, by itself or after a write."""
        book = cls(harvest, world)
        tools = [tool for tool in world.tools.values() if tool.kind == "deterministic"]
        for tool in tools:
            book.samples[tool.name] = [
                [(tool.name, g)] for g in harvest.good.get(tool.name, [])
            ]
        for tool in tools:
            samples = book.samples[tool.name]
            if tool.read_only and samples:  # what asks for least tells most
                least = min(samples, key=lambda steps: len(steps[0][1]))
                samples.remove(least)
                samples.insert(0, least)
        for tool in tools:
            book._richest(tool)
        book._further([tool for tool in tools if book._poor(tool)])
        book._further([tool for tool in tools if not book.samples[tool.name]])
        for tool in tools:
            book.variants[tool.name] = list(book._varied(tool))
            book.variants[tool.name] += further(book, tool)
        return book

    def _poor(self, tool: Tool) -> bool:
        """Never accepted, or a write that was never seen to write."""
        samples = self.samples[tool.name]
        return not samples or (not tool.read_only and not self.writes(tool.name))

    def _richest(self, tool: Tool) -> None:
        """Of the records that a read may be asked for, one of which it shows most rows."""
        samples = self.samples[tool.name]
        if not tool.read_only or not samples:
            return
        given, best = samples[0][0][1], max(map(self._length, samples))
        found: Sequence_ | None = None
        for name in required(tool):
            value = given.get(name)
            keyed = isinstance(value, str | int) and not isinstance(value, bool)
            table = self.world.ids.get(value) if keyed else None
            keys = [key for key, at in self.world.ids.items() if at == table] if table else []
            for key in keys[:_KEYS]:
                steps: Sequence_ = [(tool.name, {**given, name: key})]
                length = self._length(steps)
                if length > best:
                    best, found = length, steps
        if found is not None:
            samples.insert(1, found)

    def _length(self, steps: Sequence_) -> int:
        """How many items the longest list of a result has, itself or within."""
        played = self.world.tried(steps)
        data = None if played is None else played.last.data
        parts = data.values() if isinstance(data, dict) else [data]
        return max((len(part) for part in parts if isinstance(part, list)), default=0)

    def writes(self, name: str) -> list[Sequence_]:
        """The samples whose last call changes records."""
        found = []
        for steps in self.samples[name]:
            played = self.world.tried(steps)
            if played is not None and played.changes():
                found.append(steps)
        return found

    def _further(self, tools: Sequence[Tool]) -> None:
        """Try tools in each world that one sample of a write leads to."""
        if not tools:
            return
        firsts = [
            steps
            for name, samples in self.samples.items()
            if not self.world.tools[name].read_only
            for steps in [each for each in samples if each in self.writes(name)][:2]
        ]
        for steps in firsts:
            played = self.world.tried(steps)
            if played is None:
                continue
            rows = [scalars(c.after or c.before or {}) for c in played.changes()[:3]]
            shown = [scalars(each) for each in mappings(played.last.data)][:2]
            source = [{**scalars(steps[-1][1]), **row} for row in [*rows, *shown]]
            for tool in tools:
                if len(self.samples[tool.name]) < 2 * _ENOUGH and tool.name != steps[-1][0]:
                    self._after(tool, steps, source)

    def _after(self, tool: Tool, steps: Sequence_, source: list[dict[str, Any]]) -> None:
        played = self.world.play(steps)
        known = 0
        for number in range(_FURTHER):
            given = self.harvest.pool.arguments(tool, (0, 0, 0.3)[number % 3])
            if source and number % 4:
                row = source[number % len(source)]
                row = {**row, f"{normal(tool.name)[-4:]}id": row.get("id", "")}
                given |= self._aimed(tool, row)
            fork = played.environment.fork()
            try:
                seen = fork.call(tool.full_name, given)
            except ServiceError:
                continue
            if seen.is_error:
                continue
            if not tool.read_only and not played.environment.diff(fork):
                if not self.samples[tool.name]:  # better than none: it may have lost its effect
                    self.samples[tool.name].append([*steps, (tool.name, given)])
                continue
            self.samples[tool.name].insert(0, [*steps, (tool.name, given)])
            self.harvest.pool.accept(tool, given)
            known += 1
            if known >= _ENOUGH:
                return

    def _aimed(self, tool: Tool, row: dict[str, Any]) -> dict[str, Any]:
        """Required arguments that one record answers."""
        found = {}
        for name in required(tool):
            part = tool.input_schema["properties"][name]
            one = resolved(part, tool.input_schema)
            if "enum" not in one and kind(one) in ("string", "integer", "number"):
                value = self.harvest.pool.taken(normal(name), row, kind(one))
                if value is not None:
                    found[name] = value
        return found

    def _varied(self, tool: Tool) -> Iterator[tuple[str, Sequence_]]:
        """Each argument added alone: fresh, seen, each choice; required texts put anew."""
        parts = tool.input_schema.get("properties", {})
        for number, steps in enumerate(self.samples[tool.name][:4]):
            *before, (_, given) = steps
            for name, part in parts.items():
                several = self._several(name) if _listable(part) and number < 2 else []
                if len(several) > 1:
                    yield name, [*before, (tool.name, {**given, name: several})]
                one = resolved(part, tool.input_schema)
                if name in given and name in required(tool):
                    free = kind(one) in ("string", "integer", "number", "array")
                    value = given[name]
                    if not free or (isinstance(value, str | int) and value in self.world.ids):
                        continue
                values = self._values(tool, name, one, given, number)
                for value in values:
                    if value is not None and given.get(name) != value:
                        yield name, [*before, (tool.name, {**given, name: value})]

    def _several(self, name: str) -> list[str]:
        """Two texts that tools took under a name."""
        known = self.harvest.pool.accepted.get(normal(name), [])
        return [value for value in known if isinstance(value, str) and value][:2]

    def _values(
        self, tool: Tool, name: str, one: Any, given: Mapping[str, Any], number: int
    ) -> list[Any]:
        if "enum" in one:
            return list(one["enum"])[:6] if number < 2 else []
        if kind(one) == "boolean":
            return [True, False] if number < 2 else []
        fresh = [self.harvest.fresh(tool, name)]
        if kind(one) == "array":
            fresh += [[*self.harvest.value(tool, name, given), *fresh[0]][:2]]
            fresh += [[*self.harvest.value(tool, name, {}), *fresh[-1][:1]][:2]]
        if (
            kind(one) == "array"
            and kind(resolved(one.get("items", {}), tool.input_schema)) == "string"
        ):
            seen = self.harvest.value(tool, name, given)
            return [seen, [*seen, *self.harvest.value(tool, name, {})][:3], *fresh]
        return [*fresh, self.harvest.value(tool, name, given)]

    def accepted(self, name: str) -> Iterator[Sequence_]:
        """Samples, then variants, as far as they are accepted."""
        for steps in self.samples[name]:
            yield steps
        for _, steps in self.variants[name]:
            if self.world.tried(steps) is not None:
                yield steps


def _listable(part: Any) -> bool:
    """Whether a parameter takes one value or a list of them."""
    choices = part.get("anyOf") or part.get("oneOf") or () if isinstance(part, Mapping) else ()
    return any(isinstance(each, Mapping) and each.get("type") == "array" for each in choices)
