"""Drawing: values that fit a JSON Schema, preferably ones that were seen under such a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import ceil, floor
from random import Random
from typing import Any, Final

from attrs import define, field

_MOST_SEEN: Final = 200
"""Values kept for a name."""

_OPTIONAL: Final = 0.3
"""How often an optional argument is given."""

_DEEPEST: Final = 4
"""Nesting at which optional parts are no longer drawn: a schema may contain itself."""

_STRINGS: Final = (
    "ana@example.com",
    "2026-03-16",
    "2026-03-16T09:30:00Z",
    "12",
    "12.50",
    "note",
    "key=value",
    "https://example.com/page",
    "+44 20 7946 0958",
)
"""Strings of the shapes that patterns ask for."""

_FORMATS: Final = {
    "date": "2026-03-{:02d}",
    "date-time": "2026-03-{:02d}T09:30:00Z",
    "email": "person{}@example.com",
    "uri": "https://example.com/{}",
}


@define
class Drawing:
    """Draws values; remembers what observations have shown."""

    rng: Random
    words: list[str] = field(factory=list)
    """For free text."""
    shared: dict[str, list[str | int]] = field(factory=dict)
    """Name of a field → its values, in whatever service."""
    seen: dict[str, list[str | int]] = field(factory=dict)
    """Name of a field → its values, here."""

    def see(self, value: Any, name: str = "") -> None:
        """Remember the strings and whole numbers of an observation, under their names."""
        if isinstance(value, Mapping):
            for key, inner in value.items():
                self.see(inner, str(key))
        elif isinstance(value, list):
            for inner in value:
                self.see(inner, name)
        elif isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            for held in (self.seen, self.shared):
                values = held.setdefault(name, [])
                if value not in values and len(values) < _MOST_SEEN:
                    values.append(value)

    def draw(self, schema: Any, name: str = "", root: Any = None, depth: int = 0) -> Any:
        """A value that fits the schema.

        Args:
            schema: what it must fit.
            name: the argument's name: values seen under it, or under `id`, are preferred.
            root: the schema that holds the definitions.
            depth: how deep in the arguments this is.
        """
        if not isinstance(schema, Mapping):
            return self._text({}, name)  # `true`: anything fits
        root = schema if root is None else root
        if "$ref" in schema:
            return self.draw(_resolved(schema["$ref"], root), name, root, depth)
        for key in ("anyOf", "oneOf"):
            if schema.get(key):
                return self.draw(self._branch(schema[key], depth), name, root, depth)
        if schema.get("allOf"):
            merged = {k: v for part in schema["allOf"] for k, v in part.items()}
            return self.draw(merged, name, root, depth)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self.rng.choice(schema["enum"])
        kind = schema.get("type", "object" if "properties" in schema else "string")
        if isinstance(kind, list):
            kind = self.rng.choice(kind)
        if kind == "object":
            return self._object(schema, name, root, depth)
        if kind == "array":
            return self._array(schema, name, root, depth)
        if kind in ("integer", "number"):
            return self._number(schema, name, kind)
        if kind == "boolean":
            return self.rng.random() < 0.5
        return None if kind == "null" else self._text(schema, name)

    def _branch(self, branches: list[Any], depth: int) -> Any:
        flat = [b for b in branches if isinstance(b, Mapping) and b.get("type") == "null"]
        return self.rng.choice(flat if depth >= _DEEPEST and flat else branches)

    def _object(self, schema: Mapping[str, Any], name: str, root: Any, depth: int) -> Any:
        examples = schema.get("examples")
        if examples and not schema.get("properties"):
            return _filled(self.rng.choice(examples), str(self._text({}, name)))
        required = schema.get("required", ())
        return {
            key: self.draw(inner, key, root, depth + 1)
            for key, inner in schema.get("properties", {}).items()
            if key in required or (depth < _DEEPEST and self.rng.random() < _OPTIONAL)
        }

    def _array(self, schema: Mapping[str, Any], name: str, root: Any, depth: int) -> list[Any]:
        least = schema.get("minItems", 0 if depth >= _DEEPEST else 1)
        spread = 0 if depth >= _DEEPEST else 2
        most = max(least, min(schema.get("maxItems", least + spread), least + spread))
        count = self.rng.randint(least, most)
        inner = schema.get("items", {})
        single = name[:-1] if name.endswith("s") else name
        drawn = [self.draw(inner, single, root, depth + 1) for _ in range(count)]
        if schema.get("uniqueItems"):
            return [item for place, item in enumerate(drawn) if item not in drawn[:place]]
        return drawn

    def _number(self, schema: Mapping[str, Any], name: str, kind: str) -> Any:
        low, high = _range(schema)
        known = [v for v in self._known(name) if isinstance(v, int) and low <= v <= high]
        if known and self.rng.random() < 0.7:
            return self.rng.choice(known)
        step = schema.get("multipleOf", 1)
        first, last = ceil(low / step), floor(high / step)
        if first > last:  # a narrow range of real numbers
            return (
                schema.get("exclusiveMinimum", low) + schema.get("exclusiveMaximum", high)
            ) / 2
        value = self.rng.randint(first, last) * step
        return int(value) if kind == "integer" else value

    def _text(self, schema: Mapping[str, Any], name: str) -> str:
        shape = _FORMATS.get(schema.get("format", ""))
        if shape:
            return shape.format(self.rng.randint(1, 28))
        known = [value for value in self._known(name) if isinstance(value, str)]
        if schema.get("examples") and self.rng.random() < 0.5:
            example = self.rng.choice(schema["examples"])
            hole = self.rng.choice(known or self.words or ["note"])
            known = [_filled(example, str(hole))] if isinstance(example, str) else known
        if not known or self.rng.random() < 0.2:
            count = self.rng.randint(1, 4)
            known = [" ".join(self.rng.choice(self.words or ["note"]) for _ in range(count))]
        fitting = list(_fitting(known, schema))
        return self.rng.choice(fitting or list(_fitting(_STRINGS, schema)) or known)

    def _known(self, name: str) -> list[str | int]:
        """Values for an argument of this name; ids of another service would never do."""
        found = self.seen.get(name, [])
        if name.lower().endswith("id"):
            return [*found, *self.seen.get("id", [])]
        return found or self.shared.get(name, [])


def _range(schema: Mapping[str, Any]) -> tuple[float, float]:
    """The least and the largest number to draw."""
    low = schema.get("minimum")
    high = schema.get("maximum")
    if low is None and "exclusiveMinimum" in schema:
        low = schema["exclusiveMinimum"] + 1
    if high is None and "exclusiveMaximum" in schema:
        high = schema["exclusiveMaximum"] - 1
    if low is None:
        low = 0 if high is None or high >= 0 else high - 50
    return low, low + 50 if high is None else high


def _fitting(values: Iterable[str | int], schema: Mapping[str, Any]) -> Iterable[str]:
    """The strings that meet a schema's limits; too long ones are cut."""
    pattern, most = schema.get("pattern"), schema.get("maxLength")
    for value in values:
        text = str(value)[:most]
        if len(text) < schema.get("minLength", 0):
            text = text.ljust(schema["minLength"], "x")
        if pattern is None or re.search(pattern, text):
            yield text


def _resolved(reference: str, root: Any) -> Any:
    node = root
    for part in reference.removeprefix("#/").split("/"):
        node = node[part.replace("~1", "/").replace("~0", "~")]
    return node


def _filled(example: Any, value: str) -> Any:
    """A documented form with its hole filled."""
    if isinstance(example, Mapping):
        return {key: _filled(inner, value) for key, inner in example.items()}
    if isinstance(example, list):
        return [_filled(inner, value) for inner in example]
    return example.replace("{}", value) if isinstance(example, str) else example
