"""Reads: what read-only tools show of a record to an agent that looks it up by a key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any, Final

from attrs import define, field
from pydantic_core import to_json, to_jsonable_python

from compoworld_core.arguments import fill
from compoworld_core.environment import Environment
from compoworld_core.holdings import annotation_of
from compoworld_core.proof.probes.solver_records import (
    FEW,
    Chain,
    Held,
    Place,
    Records,
    held,
)
from compoworld_core.schema import meaning_of
from compoworld_core.service import Tool
from compoworld_core.types import HOLE, Forms, Meaning, RefTo

_MOST_CALLS: Final = 800
"""Calls that a search makes; what it has not found by then counts as hidden."""
_MOST_CHOICES: Final = 12
"""Ways in which the words of enumerations that a tool requires are filled in."""
_SIZES: Final = frozenset({"limit", "per_page", "perpage", "page_size", "pagesize", "first",
                           "count", "max_results", "maxresults"})  # fmt: skip


@define
class Reads:
    """Looks records up by calls, and keeps what it was shown of each."""

    environment: Environment
    records: Records
    start: Mapping[str, tuple[str, Any]]
    """Key → (kind, value) of the instruction's own facts."""
    only: frozenset[Place] | None = None
    """Look up only these records; None: all."""
    _shown: dict[Place, list[str]] = field(factory=dict)
    """Record → what calls showed of it, as JSON texts."""
    _calls: dict[Place, str] = field(factory=dict)
    _made: int = 0

    def sees(self, key: str, chain: Chain) -> set[str]:
        """The keys that tools show of a record when it is looked up by a key."""
        place = chain.place
        if self.only is not None and place not in self.only:
            return set()
        value = self._value(key, chain.before)
        if value is None or not self._look_up(place, value):
            return set()
        own = self._own(place)
        self._shown_by(place, own, by=True, every=True)  # more calls may show more of it
        return {
            each.key
            for each in held(place[0], self.records.row(place))
            if self.prints(place, each.value)
        }

    def shows(self, place: Place, key: str) -> bool:
        """Did a call show this key of a record?"""
        row = self.records.row(place)
        return any(
            each.key == key and self.prints(place, each.value) for each in held(place[0], row)
        )

    def prints(self, place: Place, value: Any) -> bool:
        """Did a call show this value of a record? A name may come in two parts."""
        one = _bare(str(to_jsonable_python(value)))
        parts = one.split(" ")
        texts = self._shown.get(place, ())
        return any(one in text or all(part in text for part in parts) for text in texts)

    def call(self, place: Place) -> str:
        """The call that showed a record first."""
        return self._calls[place]

    def _own(self, place: Place) -> Held:
        service, table, key = place
        entity = self.environment.services[service].state.tables()[table].__name__
        return Held(self.records.own(place), "id", key, entity)

    def _value(self, key: str, before: Chain | None) -> Held | None:
        """The value behind a key, as the record before or the instruction shows it."""
        if before is None:
            kind, value = self.start[key]
            return Held(key, kind, value)
        service = before.place[0]
        row = self.records.row(before.place)
        return next((each for each in held(service, row) if each.key == key), None)

    def _look_up(self, place: Place, value: Held) -> bool:
        """Call what takes the value, then what lists, until something shows the record."""
        return any(self._shown_by(place, value, by) for by in (True, False))

    def _shown_by(self, place: Place, value: Held, by: bool, every: bool = False) -> bool:
        """Does a call by the value, or else one without it, show the record?"""
        found = False
        for tool in self.environment.services[place[0]].tools.values():
            if not tool.read_only or tool.kind != "deterministic":
                continue
            for arguments in self._ways(tool, value, place, by):
                if self._made >= _MOST_CALLS or (found and not every):
                    return found
                found = self._try(tool, arguments, by, place, value) or found
        return found

    def _ways(
        self, tool: Tool, value: Held, place: Place, by: bool
    ) -> Iterator[dict[str, Any]]:
        """Arguments that look up by a value, or those without it."""
        properties = tool.input_schema.get("properties", {})
        needed = tool.input_schema.get("required", ())
        slots: list[tuple[str, Any]] = []
        fillers: dict[str, list[Any]] = {}
        for name, info in tool.arguments.model_fields.items():
            public, annotation = info.alias or name, annotation_of(info)
            schema = properties.get(public, {})
            if by:
                slots += ((public, given) for given in _fits(annotation, schema, value))
            if public.casefold() in _SIZES and "maximum" in schema:
                fillers[public] = [schema["maximum"]]
            elif public in needed:
                fillers[public] = self._fillers(annotation, schema, place)
        for name, given in slots if by else [("", None)]:
            rest = {key: words for key, words in fillers.items() if key != name}
            for words in islice(product(*rest.values()), _MOST_CHOICES):
                arguments = dict(zip(rest, words, strict=True))
                yield arguments | {name: given} if by else arguments

    def _fillers(self, annotation: Any, schema: Mapping[str, Any], place: Place) -> list[Any]:
        """What an agent may put where a tool wants more than the value.

        The caller's address; a word that the schema offers; a record that it could list: one
        that the record belongs to, or any where there are only a few.
        """
        service = place[0]
        state = self.environment.states[service]
        meaning, names = meaning_of(annotation, Meaning), meaning_of(annotation, RefTo)
        if names is not None:
            own = self.records.own(place)
            about = held(service, self.records.row(place))
            parents = [e.value for e in about if e.entity == names.entity and e.key != own]
            tables = [n for n, e in type(state).tables().items() if e.__name__ == names.entity]
            return parents or [
                row.id for n in tables if len(state.table(n)) <= _MOST_CHOICES
                for row in state.table(n)
            ]  # fmt: skip
        if meaning is not None and meaning.kind == "email":
            return [state.ledger.actor]
        return list(_words(schema))

    def _try(
        self, tool: Tool, arguments: dict[str, Any], by: bool, place: Place, value: Held
    ) -> bool:
        self._made += 1
        text = to_json(arguments).decode()
        observation = self.environment.call(tool.full_name, text)
        if observation.is_error:
            return False
        told = _bare(str(to_jsonable_python(value.value)))
        for size, item in _items(observation.data, str(place[2])):
            shown = _bare(json.dumps(item, ensure_ascii=False))
            if (by and size <= FEW) or told in shown:
                self._shown.setdefault(place, []).append(shown)
                self._calls.setdefault(place, f"{tool.full_name}({text})")
                return True
        return False


def _bare(text: str) -> str:
    return text.casefold().replace("\\", "")


def _items(node: Any, key: str, size: int = 1) -> Iterator[tuple[int, Any]]:
    """(length of the list that it stands in, item) of what a result shows under an id."""
    if isinstance(node, dict):
        if any(
            str(value) == key for value in node.values() if not isinstance(value, dict | list)
        ):
            yield size, node
            return
        for value in node.values():
            yield from _items(value, key, size)
    elif isinstance(node, list):
        for value in node:
            yield from _items(value, key, len(node))


def _fits(annotation: Any, schema: Mapping[str, Any], value: Held) -> Iterator[Any]:
    """The values of a parameter that look up by this value, if it takes it."""
    plain = to_jsonable_python(value.value)
    forms = meaning_of(annotation, Forms)
    names, meaning = meaning_of(annotation, RefTo), meaning_of(annotation, Meaning)
    if forms is not None:
        for form in forms.forms.values():
            yield fill(form, value.value)
    elif names is not None:
        if value.entity == names.entity:
            yield _shaped(schema, plain)
    elif meaning is not None:
        if meaning.kind == value.kind:
            yield _shaped(schema, plain)
    elif "string" in _types(schema) and "enum" not in schema and isinstance(plain, str):
        yield plain


def _shaped(schema: Mapping[str, Any], plain: Any) -> Any:
    return [plain] if "array" in _types(schema) else plain


def _types(schema: Mapping[str, Any]) -> list[Any]:
    branches = [schema, *schema.get("anyOf", ())]
    return [branch.get("type") for branch in branches]


def _words(schema: Mapping[str, Any]) -> Iterator[Any]:
    for branch in (schema, *schema.get("anyOf", ())):
        yield from branch.get("enum", ())
        yield from (one for one in branch.get("examples", ()) if HOLE not in str(one))
        if "const" in branch:
            yield branch["const"]
