"""Drawing: whatever the schema, the value fits it, and what was seen is preferred."""

from random import Random
from typing import Any

import jsonschema
import pytest
from compoworld_policies.drawing import Drawing
from hypothesis import given
from hypothesis import strategies as st

NODE = {
    "type": "object",
    "properties": {
        "value": {"type": "integer", "minimum": 3, "maximum": 4},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
    },
    "required": ["value", "children", "next"],
    "additionalProperties": False,
}
SCHEMAS: list[dict[str, Any]] = [
    {"type": "object", "properties": {}, "additionalProperties": False},
    {"enum": ["low", "high"]},
    {"const": 7},
    {"type": ["string", "null"], "maxLength": 5},
    {"type": "string", "minLength": 40},
    {"type": "string", "pattern": r"^[^@\s]+@[^@\s]+\.[^@\s]+$", "maxLength": 254},
    {"type": "string", "pattern": "^[^=]+=[^=]+$"},
    {"type": "string", "format": "date"},
    {"type": "string", "format": "date-time"},
    {"type": "integer", "minimum": -5, "exclusiveMaximum": -3},
    {"type": "integer", "minimum": 10, "multipleOf": 7},
    {"type": "integer", "maximum": -100},
    {"type": "number", "exclusiveMinimum": 0, "maximum": 0.5},
    {"type": "number", "minimum": 0.2, "maximum": 0.4},
    {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
    {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True},
    {"type": "object", "additionalProperties": True, "examples": [{"email": "{}"}]},
    {"allOf": [{"type": "string"}, {"maxLength": 3}]},
    {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
    {"$ref": "#/$defs/Node", "$defs": {"Node": NODE}},
]


@given(st.sampled_from(SCHEMAS), st.integers(0, 10_000))
def test_a_value_fits_its_schema(schema: dict[str, Any], seed: int) -> None:
    drawing = Drawing(Random(seed), ["some", "words"])
    drawing.see({"items": [{"id": "co_1", "email": "ana@example.org", "value": 4}]})
    jsonschema.validate(drawing.draw(schema, "value"), schema)


def drawn(drawing: Drawing, schema: dict[str, Any], name: str) -> list[Any]:
    return [drawing.draw(schema, name) for _ in range(40)]


def test_values_seen_under_the_name_are_preferred() -> None:
    drawing = Drawing(Random(0))
    drawing.see({"items": [{"id": "co_1", "email": "ana@example.org"}]})
    assert drawn(drawing, {"type": "string"}, "email").count("ana@example.org") > 20


def test_an_argument_for_an_id_takes_ids() -> None:
    drawing = Drawing(Random(0))
    drawing.see([{"id": "co_1", "number": 5}, {"id": 12, "flag": True}])
    assert "co_1" in drawn(drawing, {"type": "string"}, "contact_id")
    assert drawn(drawing, {"type": "integer"}, "ticket_id").count(12) > 15


def test_documented_forms_are_filled() -> None:
    drawing = Drawing(Random(0))
    drawing.see({"query": "ana"})
    schema = {"type": "string", "examples": ["from:{}"]}
    assert "from:ana" in drawn(drawing, schema, "query")


def test_what_is_remembered_is_bounded() -> None:
    drawing = Drawing(Random(0))
    drawing.see([{"id": n} for n in range(1000)])
    assert len(drawing.seen["id"]) == 200


@pytest.mark.parametrize("schema", [True, {}])
def test_where_anything_fits_a_text_is_drawn(schema: Any) -> None:
    assert isinstance(Drawing(Random(0)).draw(schema), str)
