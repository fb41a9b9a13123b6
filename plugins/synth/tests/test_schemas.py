"""The view: one form of everything, by path what it cannot show."""

from __future__ import annotations

from typing import Any

import pytest
from compoworld_synth.listing import ToolSpec
from compoworld_synth.schemas import Param, normalise, problems, resolve


def spec(**properties: Any) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": properties,
        "$defs": {
            "Text": {"type": "string", "pattern": "^a"},
            "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}},
        },
    }
    return ToolSpec("x", "", "", schema)


def only(schema: Any) -> Param:
    return normalise(spec(p=schema))[0]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["integer", "null"]},
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        {"type": "integer", "nullable": True},
        {"type": "integer", "default": None},
    ],
)
def test_every_way_to_say_null_is_one(schema: Any) -> None:
    assert (only(schema).kind, only(schema).nullable) == ("int", True)


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": ["string", "integer"]}, "str"),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, "num"),
        ({"anyOf": [{"type": "array"}, {"type": "string"}]}, "union"),
        ({"const": 3}, "int"),
        ({"properties": {"a": {}}}, "obj"),
        ({}, "any"),
        (True, "any"),
    ],
)
def test_kinds(schema: Any, kind: str) -> None:
    assert only(schema).kind == kind


def test_references_and_what_stands_beside_them_are_merged() -> None:
    found = only({"$ref": "#/$defs/Text", "description": "words"})
    assert (found.kind, found.pattern, found.description) == ("str", "^a", "words")


def test_all_of_unites_properties_and_what_is_required() -> None:
    parts = [
        {"properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"properties": {"b": {"type": "integer"}}},
    ]
    found = only({"type": "object", "allOf": parts})
    assert [(p.name, p.required) for p in found.properties] == [("a", True), ("b", False)]


def test_recursion_ends() -> None:
    (inner,) = only({"$ref": "#/$defs/Node"}).properties
    assert inner.recursive


def test_paths_lead_from_the_root() -> None:
    found = only({"type": "array", "items": {"type": "object", "properties": {"q": {}}}})
    assert found.items is not None
    assert found.items.properties[0].path == ("p", "q")


def test_13_levels_are_open() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(13):
        schema = {"type": "object", "properties": {"in": schema}}
    found = only(schema)
    for _ in range(13):
        (found,) = found.properties
    assert found.kind == "str"


def test_references_that_multiply_are_bounded() -> None:
    doubled: dict[str, Any] = {"D0": {"type": "string"}}
    for level in range(1, 40):
        both = {"$ref": f"#/$defs/D{level - 1}"}
        doubled[f"D{level}"] = {"type": "object", "properties": {"a": both, "b": both}}
    schema = {"type": "object", "properties": {"p": {"$ref": "#/$defs/D39"}}, "$defs": doubled}
    assert any("too wide" in each.why for each in problems(ToolSpec("x", "", "", schema)))


def test_what_the_view_leaves_out_is_reported_by_path() -> None:
    found = problems(spec(**{"a/b": {"type": "string", "if": {}, "optional": True}}))
    assert [each.path for each in found] == [
        "x/inputSchema/properties/a~1b/if",
        "x/inputSchema/properties/a~1b/optional",
    ]


def test_a_required_name_that_is_not_described_is_reported() -> None:
    schema = {"type": "object", "properties": {}, "required": ["ghost"]}
    assert "'ghost'" in problems(ToolSpec("x", "", "", schema))[0].why


@pytest.mark.parametrize("reference", ["http://a/b", "file:///etc/passwd", "x.json#/a"])
def test_nothing_outside_is_followed(reference: str) -> None:
    with pytest.raises(KeyError, match="outside"):
        resolve({}, reference)
