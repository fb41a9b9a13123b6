"""Harvest: accepted arguments for each tool, found by trying values that were seen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from typing import Any

from attrs import define, field

from compoworld_core.cast import draw_cast
from compoworld_core.environment import Environment
from compoworld_core.errors import ServiceError
from compoworld_core.observation import Observation
from compoworld_core.service import Service, Tool
from compoworld_core.state import dump
from compoworld_validator.arguments import Pool, reference, required
from compoworld_validator.reading import leaves, mappings, rows, scalars
from compoworld_validator.values import drawn, kind, normal, resolved, singular

_GOOD = 6
"""Accepted argument sets kept for each tool."""
_ROWS = 24
"""Records of each table that arguments are taken from."""
_REPAIRS = 4
_OFFERS = re.compile(
    r"(?:there are|closest|recent ones|signed in|one of|use|are|not|yours is|that do):? (.+)",
    re.IGNORECASE,
)


@define
class Harvest:
    """What was learned of one service by calling it."""

    base: Environment
    service: Service[Any]
    rng: Random
    seed: int
    scale: int
    cases: int = 100
    pool: Pool = field(init=False)
    good: dict[str, list[dict[str, Any]]] = field(factory=dict)
    """Tool → accepted arguments, those that changed something first."""
    full: dict[str, int] = field(factory=dict)
    """Tool → how many of these showed or changed something."""
    refusals: dict[str, list[dict[str, Any]]] = field(factory=dict)
    """Tool → some arguments that were refused."""
    crashes: dict[str, dict[str, Any]] = field(factory=dict)
    """Tool → arguments on which it raised something else than ToolError."""

    def __attrs_post_init__(self) -> None:
        self.pool = Pool(self.rng)

    def collect(self) -> None:
        """Call everything with what is known until nothing new is accepted."""
        tools = [tool for tool in self.service.tools.values() if tool.kind == "deterministic"]
        cast = draw_cast(self.seed, self.scale)  # who acts in this world: no service says it
        self.pool.learn({"email": cast.staff[0].email})
        self._look()
        tools.sort(key=lambda tool: (not tool.read_only, len(required(tool))))
        for turn in range(3):
            for tool in tools:
                known = len(self.good.get(tool.name, ()))
                full = self.full.get(tool.name, 0)
                tries = 4 if known >= _GOOD and full >= _GOOD // 2 else self.cases
                if turn and known:
                    tries = min(tries, self.cases // 4)
                self._try(tool, tries)

    def _look(self) -> None:
        """Learn records of the running service, also under the name that others give them."""
        state = self.base.state(self.service.name)
        for name in type(state).tables():
            stem = singular(name)
            for row in list(state.table(name))[:_ROWS]:
                shown = dump(row) or {}
                self.pool.learn({**shown, f"{stem}id": row.id, stem: row.id})

    def _try(self, tool: Tool, tries: int) -> None:
        for number in range(tries):
            known = self.good.setdefault(tool.name, [])
            enough = self.full.get(tool.name, 0) >= _GOOD // 2 or number >= tries // 3
            if len(known) >= _GOOD and number >= 4 and enough:
                return
            optional = (0, 0, 0.25, 0.6)[number % 4]
            given = self.pool.arguments(tool, optional)
            for _ in range(_REPAIRS):
                seen = self.attempt(tool, given)
                if seen is None or not seen.is_error:
                    break
                mended = self._mended(tool, given, seen)
                if mended is None or mended == given:
                    break
                given = mended

    def attempt(self, tool: Tool, given: dict[str, Any]) -> Observation | None:
        """Call on a fork; remember arguments that were accepted and what was shown.

        None where the tool raised something else than ToolError.
        """
        fork = self.base.fork()
        try:
            seen = fork.call(tool.full_name, given)
        except ServiceError:
            self.crashes.setdefault(tool.name, given)
            return None
        if seen.is_error:
            refused = self.refusals.setdefault(tool.name, [])
            if len(refused) < _GOOD:
                refused.append(given)
            return seen
        self.pool.accept(tool, given)
        told = rows(seen.data) != [] if tool.read_only else bool(self.base.diff(fork))
        self._keep(tool, given, told)
        if tool.read_only:
            for shown in mappings(seen.data):
                self.pool.learn(shown)
        return seen

    def _keep(self, tool: Tool, given: dict[str, Any], told: bool) -> None:
        """Keep accepted arguments, first those by which something was shown or changed."""
        known = self.good.setdefault(tool.name, [])
        if given in known:
            return
        if told and self.full.get(tool.name, 0) < _GOOD:
            self.full[tool.name] = self.full.get(tool.name, 0) + 1
            known.insert(0, given)
            del known[_GOOD:]
        elif len(known) < _GOOD:
            known.append(given)

    def _mended(
        self, tool: Tool, given: dict[str, Any], seen: Observation
    ) -> dict[str, Any] | None:
        """The call as its refusal asks for it: with a value or an argument that it names."""
        schema = tool.input_schema
        parts, text = schema.get("properties", {}), seen.text
        offers = [
            word
            for found in _OFFERS.findall(text)
            for word in re.findall(r"[\w@.:/+-]*\w", found)
        ]
        for name, value in given.items():
            quoted = [v for v in leaves(value) if str(v) and str(v) in text]
            if quoted and offers and self.rng.random() < 0.8:
                word = self.rng.choice(offers)
                if isinstance(quoted[0], str) and word != quoted[0]:
                    return {**given, name: _exchanged(value, quoted[0], word)}
                if not isinstance(quoted[0], str) and word.lstrip("-").isdigit():
                    return {**given, name: _exchanged(value, quoted[0], int(word))}
        for name, part in parts.items():
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                if name in given and name not in required(tool) and self.rng.random() < 0.5:
                    return {k: v for k, v in given.items() if k != name}
                return {**given, name: self.pool.value(name, part, schema, {})}
        left = [name for name in parts if name not in given]
        if left and seen.code == "invalid_argument":
            name = self.rng.choice(left)
            return {**given, name: self.pool.value(name, parts[name], schema, {})}
        return None

    # -- single values ---------------------------------------------------------------------

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

    def fresh(self, tool: Tool, name: str) -> Any:
        """A value for a parameter from its schema alone."""
        return drawn(tool.input_schema["properties"][name], tool.input_schema, self.rng)

    def value(self, tool: Tool, name: str, given: Mapping[str, Any]) -> Any:
        """A value for a parameter from what was seen, to go with the other arguments."""
        part = tool.input_schema["properties"][name]
        return self.pool.value(name, part, tool.input_schema, scalars(given))


def _exchanged(value: Any, old: Any, new: Any) -> Any:
    """A JSON value with one scalar exchanged for another."""
    if isinstance(value, Mapping):
        return {name: _exchanged(part, old, new) for name, part in value.items()}
    if isinstance(value, list):
        return [_exchanged(part, old, new) for part in value]
    return new if value == old else value
