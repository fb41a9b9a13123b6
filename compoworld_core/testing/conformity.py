"""Does a JSON value fit a JSON Schema, and is a schema sound? The part that tools use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}

_SCHEMAS = ("additionalProperties", "items", "not", "contains", "propertyNames")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_MAPS = ("properties", "$defs", "patternProperties")


def misfits(value: Any, schema: Any, root: Mapping[str, Any], at: str = "") -> Iterator[str]:
    """What in a value does not fit the schema, one line each.

    Args:
        root: the whole schema, where `$ref` looks its targets up.
        at: where in the value we are; empty at the top.
    """
    where = at or "the result"
    if schema is True or schema == {}:
        return
    if schema is False:
        yield f"{where} is not allowed"
        return
    if "$ref" in schema:
        yield from misfits(value, target(schema["$ref"], root), root, at)
    types = schema.get("type")
    if types is not None:
        names = [types] if isinstance(types, str) else types
        if not any(_is(value, name) for name in names):
            yield f"{where} is {_named(value)}, not {' or '.join(names)}"
            return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is {value!r}, not one of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{where} is {value!r}, not {schema['const']!r}"
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices and not any(not list(misfits(value, part, root, at)) for part in choices):
        yield f"{where} fits none of the allowed forms"
    for part in schema.get("allOf", ()):
        yield from misfits(value, part, root, at)
    if isinstance(value, dict):
        yield from _object_misfits(value, schema, root, at)
    elif isinstance(value, list):
        yield from _array_misfits(value, schema, root, at)
    elif isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{where} does not match {schema['pattern']}"


def _object_misfits(
    value: dict[str, Any], schema: Mapping[str, Any], root: Mapping[str, Any], at: str
) -> Iterator[str]:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at or 'the result'} lacks {name!r}"
    rest = schema.get("additionalProperties", True)
    for name, item in value.items():
        inner = f"{at}.{name}" if at else name
        if name in properties:
            yield from misfits(item, properties[name], root, inner)
        elif rest is False:
            yield f"{inner} is not in the schema"
        elif rest is not True:
            yield from misfits(item, rest, root, inner)


def _array_misfits(
    value: list[Any], schema: Mapping[str, Any], root: Mapping[str, Any], at: str
) -> Iterator[str]:
    first = schema.get("prefixItems", [])
    for number, item in enumerate(value):
        part = first[number] if number < len(first) else schema.get("items", True)
        yield from misfits(item, part, root, f"{at}[{number}]")


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(name, ()))


def _named(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    return next((f"{name}" for name in _TYPES if _is(value, name)), type(value).__name__)


def target(reference: str, root: Mapping[str, Any]) -> Any:
    """What a local reference names; KeyError where there is nothing."""
    if not reference.startswith("#/"):
        raise KeyError(reference)
    node: Any = root
    for part in reference[2:].split("/"):
        node = node[part.replace("~1", "/").replace("~0", "~")]
    return node


def faults(schema: Any, root: Mapping[str, Any], at: str = "#") -> Iterator[str]:
    """What is wrong with a schema: unknown types, references to nothing, bad patterns."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield f"{at} is not a schema"
        return
    types = schema.get("type", [])
    for name in [types] if isinstance(types, str) else types:
        if name not in _TYPES:
            yield f"{at} has the unknown type {name!r}"
    if "$ref" in schema:
        try:
            target(schema["$ref"], root)
        except (KeyError, TypeError):
            yield f"{at} refers to {schema['$ref']!r}, which is not there"
    if "pattern" in schema:
        try:
            re.compile(schema["pattern"])
        except re.error as error:
            yield f"{at} has a pattern that does not compile: {error}"
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in properties:
            yield f"{at} requires {name!r}, which it does not describe"
    for part in schema.get("anyOf", ()):
        if isinstance(part, dict) and "anyOf" in part:
            yield f"{at} has an anyOf inside an anyOf; write one union"
    for key, part in _parts(schema):
        yield from faults(part, root, f"{at}/{key}")


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key in _SCHEMAS:
        if key in schema:
            yield key, schema[key]
    for key in _LISTS:
        for number, part in enumerate(schema.get(key, ())):
            yield f"{key}/{number}", part
    for key in _MAPS:
        for name, part in schema.get(key, {}).items():
            yield f"{key}/{name}", part
