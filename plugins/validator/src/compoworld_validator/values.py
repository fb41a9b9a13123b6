"""Values: arguments drawn from a JSON schema, and ones that break it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any

from compoworld_core.testing.conformity import misfits, target

NONSENSE = "nothing-has-this-0"
QUERIES = ("q", "query", "search", "text", "keyword", "term")
"""Names of parameters that take words to look for."""
_OFFERED = re.compile(r"^\W*(?:one of )?([\w-]+(?:, [\w-]+)*,? or [\w-]+)", re.IGNORECASE)
_TIMES = re.compile(r"(time|date|day|start|end|since|until|before|after|min|max|due|at)$")
_PATTERNED = ("probe{}@example.com", "probe-{}", "probe{}=a", "#0{}aa99", "{}", "probe_{}.md")
_WORDS = ("amber", "birch", "cobalt", "delta", "ember", "fjord", "grove", "harbor")
_FORMS = {
    "date-time": "2031-0{}-17T09:30:00Z",
    "date": "2031-0{}-17",
    "time": "09:3{}:00Z",
    "email": "probe{}@example.com",
    "uri": "https://example.com/{}",
    "url": "https://example.com/{}",
}


@lru_cache(maxsize=1 << 14)
def normal(name: str) -> str:
    """A name without case, dashes and underscores: `pageSize` is `page_size`."""
    return name.replace("_", "").replace("-", "").lower()


def singular(table: str) -> str:
    """The normalised name of one record of a table: `line_items` holds a `lineitem`."""
    name = normal(table)
    return name[:-3] + "y" if name.endswith("ies") else name.removesuffix("s")


def resolved(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema itself: references followed, of a union the first that is not null."""
    if not isinstance(schema, Mapping):
        return {}
    schema = dict(schema)
    for _ in range(20):
        if "$ref" in schema:
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**target(schema["$ref"], root), **rest}
            continue
        choices = schema.get("anyOf") or schema.get("oneOf")
        if not choices:
            break
        parts = [c for c in choices if isinstance(c, Mapping) and c.get("type") != "null"]
        rest = {k: v for k, v in schema.items() if k not in ("anyOf", "oneOf")}
        schema = {**rest, **(parts[0] if parts else {})}
    return dict(schema)


def kind(schema: Mapping[str, Any]) -> str:
    """The first type of a resolved schema that is not null; empty where it says none."""
    types = schema.get("type", "")
    if isinstance(types, list):
        types = next((name for name in types if name != "null"), "")
    return str(types)


def drawn(schema: Any, root: Mapping[str, Any], rng: Random, depth: int = 0) -> Any:
    """A value that fits, as far as types, enums, bounds and formats go."""
    schema = resolved(schema, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice([v for v in schema["enum"] if v is not None] or [None])
    match kind(schema):
        case "boolean":
            return rng.random() < 0.5
        case "integer" | "number":
            return _number(schema, rng)
        case "array":
            least = max(schema.get("minItems", 0), 1 if depth < 2 else 0)
            items = schema.get("items", {})
            return [drawn(items, root, rng, depth + 1) for _ in range(least)]
        case "object":
            needed = schema.get("required", ())
            parts = schema.get("properties", {})
            return {n: drawn(parts[n], root, rng, depth + 1) for n in needed if n in parts}
        case _:
            return _text(schema, rng)


def _number(schema: Mapping[str, Any], rng: Random) -> int | float:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    high = schema.get("maximum", schema.get("exclusiveMaximum", low + 40) - 1)
    number = rng.randint(int(low), max(int(low), min(int(high), int(low) + 40)))
    step = schema.get("multipleOf")
    return number if not step else number * step


def _text(schema: Mapping[str, Any], rng: Random) -> str:
    form = _FORMS.get(str(schema.get("format", "")))
    if form:
        return form.format(rng.randint(1, 9))
    if "pattern" in schema:
        forms = [each.format(rng.randint(10, 99)) for each in _PATTERNED]
        forms.append(_filled(schema["pattern"], rng))
        fits = [each for each in forms if re.search(schema["pattern"], each)]
        if fits:
            return fits[0]
    text = f"{rng.choice(_WORDS)} {rng.choice(_WORDS)} {rng.randint(10, 99)}"
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength", 200)
    return str((text * (1 + shortest // len(text)))[: max(longest, 1)])


def _filled(pattern: str, rng: Random) -> str:
    """A pattern of plain parts between variable ones, each of these filled."""
    plain = pattern.removeprefix("^").removesuffix("$")
    return re.sub(r"\[\^/\][+*]|\.[+*]", lambda _: f"x{rng.randint(10, 99)}", plain)


def offered(schema: Mapping[str, Any]) -> list[str]:
    """Words that a description offers where the schema has no enum: `create, get or delete`."""
    found = _OFFERED.match(str(schema.get("description", "")))
    if not found:
        return []
    return [word for word in re.split(r", or |, | or ", found[1]) if word]


def times(name: str, rng: Random) -> str | None:
    """A time for a parameter whose normalised name speaks of one; None for others."""
    if not _TIMES.search(name):
        return None
    day = f"2026-0{rng.randint(1, 8)}-{rng.randint(10, 28)}"
    return day if rng.random() < 0.3 else f"{day}T1{rng.randint(0, 9)}:30:00Z"


def broken(schema: Mapping[str, Any], good: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Variants of accepted arguments that surely break the input schema."""
    parts = schema.get("properties", {})
    found: list[dict[str, Any]] = [
        {key: value for key, value in good.items() if key != name}
        for name in schema.get("required", ())
    ]
    for name, part in parts.items():
        one = resolved(part, schema)
        found += [
            {**good, name: value}
            for value in ({"a": [1]}, [{"b": 2}], NONSENSE, -(10**12), 10**12, "")
            if list(misfits(value, part, schema)) or _outside(value, one)
        ]
    if schema.get("additionalProperties") is False:
        found.append({**good, "no_such_argument_0": 1})
    return found


def _outside(value: Any, schema: Mapping[str, Any]) -> bool:
    if isinstance(value, int) and kind(schema) in ("integer", "number"):
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        return bool(value < low or value > high)
    if isinstance(value, str) and kind(schema) == "string" and "format" not in schema:
        return bool(len(value) < schema.get("minLength", 0))
    return False
