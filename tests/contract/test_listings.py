"""Services of real products keep their tools' names, parameters, types, enums, required lists.

Each `contrib_services/*/tests/listings/NAME.json` holds the facts of a product's listing:
`{tool: {"required": [...], "properties": {parameter: {"type": ..., "enum": [...]}}}}`.
"""

import json
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from compoworld_core import Service

ROOT = Path(__file__).parents[2]
LISTINGS = sorted(ROOT.glob("contrib_services/*/tests/listings/*.json"))
CASES = [
    (path.stem, tool, facts)
    for path in LISTINGS
    for tool, facts in json.loads(path.read_text(encoding="utf-8")).items()
]
IDS = [f"{name}.{tool}" for name, tool, _ in CASES]
ANY = {"array", "boolean", "integer", "number", "object", "string"}


def service(name: str) -> Service[Any]:
    """The service of this name, as its entry point gives it."""
    found = entry_points(group="compoworld.services", name=name)
    assert found, f"no entry point for {name}; the listing's name must be the service's"
    loaded = next(iter(found)).load()
    assert isinstance(loaded, Service)
    return loaded


def expanded(schema: Any, root: dict[str, Any]) -> dict[str, Any]:
    """A schema with its reference followed."""
    while isinstance(schema, dict) and "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**root["$defs"][name], **rest}
    return schema if isinstance(schema, dict) else {}


def kinds(schema: Any, root: dict[str, Any]) -> set[str]:
    """The JSON types that a schema allows, null left out: listings drop it as they like."""
    schema = expanded(schema, root)
    found: set[str] = set()
    given = schema.get("type")
    if given is not None:
        found |= {given} if isinstance(given, str) else set(given)
    elif "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        found |= {kind_of(value) for value in values}
    else:
        parts = [p for key in ("anyOf", "oneOf", "allOf") for p in schema.get(key, [])]
        for part in parts:
            found |= kinds(part, root)
        if not parts:
            found |= ANY
    return found - {"null"}


def kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    return {str: "string", type(None): "null", float: "number"}[type(value)]


def enum(schema: Any, root: dict[str, Any]) -> set[Any]:
    """The values that a schema lists, in any of its parts; empty where it lists none."""
    schema = expanded(schema, root)
    found = set(schema.get("enum", [])) | ({schema["const"]} if "const" in schema else set())
    for key in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(key, []):
            found |= enum(part, root)
    return found - {None}


def test_there_are_listings_to_compare() -> None:
    assert len(LISTINGS) >= 3
    assert all(json.loads(path.read_text(encoding="utf-8")) for path in LISTINGS)


@pytest.mark.parametrize("path", LISTINGS, ids=lambda path: path.stem)
def test_a_listing_holds_facts_and_no_text(path: Path) -> None:
    allowed = {"type", "enum", "nullable", "anyOf", "oneOf", "items", "const"}
    for facts in json.loads(path.read_text(encoding="utf-8")).values():
        assert set(facts) <= {"required", "properties"}
        for name, schema in facts["properties"].items():
            assert set(schema) <= allowed, f"{name}: keep descriptions out of listings"


@pytest.mark.parametrize(("name", "tool", "facts"), CASES, ids=IDS)
def test_a_tool_keeps_the_listing_of_its_product(
    name: str, tool: str, facts: dict[str, Any]
) -> None:
    tools = service(name).tools
    assert tool in tools, f"{name} has no tool {tool}; it has {', '.join(tools)}"
    schema = tools[tool].input_schema
    ours, theirs = schema["properties"], facts["properties"]
    assert sorted(ours) == sorted(theirs), "parameter names differ from the product's"
    assert sorted(schema.get("required", [])) == sorted(facts.get("required", []))
    for parameter, expected in theirs.items():
        found = ours[parameter]
        assert kinds(found, schema) == kinds(expected, facts), f"{parameter}: types differ"
        assert enum(found, schema) == enum(expected, facts), f"{parameter}: enums differ"
