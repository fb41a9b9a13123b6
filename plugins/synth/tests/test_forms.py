"""Derived forms accept and refuse what the original does, and names come back."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from typing import Any

import pytest
from compoworld_synth import fidelity, forms, sources
from compoworld_synth.listing import Schema, ToolSpec
from compoworld_synth.sources.mcp import compile_schema
from hypothesis import given
from hypothesis import strategies as st

REAL = Path(__file__).resolve().parents[4] / "shared" / "mcp_specs"

NAMES = [
    *("resource-group", "resource_group", "StartTime<", "StartTime>", "class", "_id", "$meta"),
    *("{{userName}}", "été", "a" * 80, "a" * 81, "self", "1st", "plain", ""),
]

SCHEMAS: list[Schema] = [
    {"type": "string", "minLength": 1},
    {"type": "integer"},
    {"type": ["string", "null"]},
    {"enum": ["a", 1, None]},
    {"$ref": "#/$defs/Node"},
    {"type": "array", "items": {"$ref": "#/$defs/Node"}},
    {},
]
NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "class": {}}}


@st.composite
def specs(draw: st.DrawFn) -> ToolSpec:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=6))
    root: Schema = {
        "type": "object",
        "properties": {name: draw(st.sampled_from(SCHEMAS)) for name in names},
        "required": [name for name in names if draw(st.booleans())],
        "$defs": {"Node": NODE},
    }
    if draw(st.booleans()):
        root["additionalProperties"] = False
    if names and draw(st.booleans()):
        root["anyOf"] = [{"required": [name]} for name in names[:2]]
    return ToolSpec("any-tool", "", "", root)


VALUES = st.one_of(st.none(), st.integers(), st.sampled_from(["", "a", "é"]),
                   st.just({"next": {"next": 1}}), st.just([{"class": 1}]))  # fmt: skip


@given(specs(), st.dictionaries(st.sampled_from([*NAMES, "other", "StartTime_"]), VALUES))
def test_every_form_judges_as_the_original(spec: ToolSpec, call: dict[str, Any]) -> None:
    judge = compile_schema(spec.input_schema)
    for form in forms.forms(spec, "any_tool"):
        there = form.derived(call)
        if there is not None:
            assert form.original(there) == call
            assert compile_schema(form.schema).is_valid(there) is judge.is_valid(call)


@given(specs())
def test_derived_parameters_have_names_their_protocol_takes(spec: ToolSpec) -> None:
    function, python = forms.function(spec, "f").schema, forms.python(spec).schema
    assert all(re.fullmatch(r"[\w.-]{1,64}", name, re.ASCII) for name in function["properties"])
    assert all(
        name.isidentifier() and not keyword.iskeyword(name) for name in python["properties"]
    )


@given(st.lists(st.text(max_size=90), unique=True))
def test_function_names_map_back_without_collisions(tools: list[str]) -> None:
    names = forms.function_names("shop", tools)
    assert sorted(names.values()) == sorted(tools)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)


def test_a_function_name_does_not_depend_on_the_other_tools_order() -> None:
    tools = ["a.b", "a-b", "a_b", "x" * 70]
    back = forms.function_names("s", tools)
    assert back == forms.function_names("s", tools[::-1])


def test_a_form_that_lost_a_bound_is_caught() -> None:
    schema = {"type": "object", "properties": {"a-b": {"type": "integer", "minimum": 1}}}
    spec = ToolSpec("x", "", "", schema)
    form = forms.python(spec)
    loose = {**form.schema, "properties": {"a_b": {}}}
    assert fidelity.compare(spec, form) == []
    assert fidelity.compare(spec, forms.Form("python", "x", loose, form.renamed))


def test_the_only_argument_is_unwrapped_with_references_into_the_whole() -> None:
    schema = {
        "type": "object",
        "required": ["request"],
        "properties": {
            "request": {
                "type": "object",
                "required": ["a"],
                "properties": {
                    "a": {"type": "string"},
                    "b": {"$ref": "#/properties/request/properties/a"},
                },
            }
        },
    }
    spec = ToolSpec("x", "", "", schema)
    form = forms.unwrapped(spec)
    assert form is not None
    assert form.original({"a": "1"}) == {"request": {"a": "1"}}
    judge = compile_schema(form.schema)
    assert judge.is_valid({"a": "1", "b": "2"})
    assert not judge.is_valid({"a": "1", "b": 2})


def test_a_signature_has_the_needed_parameters_first_and_binds_by_name() -> None:
    schema = {
        "type": "object",
        "properties": {"size": {}, "from": {}},
        "required": ["from"],
        "additionalProperties": False,
    }
    found = forms.signature(ToolSpec("x", "", "", schema))
    assert list(found.parameters) == ["from_", "size"]
    with pytest.raises(TypeError, match="from_"):
        found.bind(size=1)


@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_dir(), reason="../shared/mcp_specs is not here")
def test_all_forms_of_all_real_tools_are_faithful() -> None:
    wrong: list[str] = []
    for path in sorted(REAL.glob("*.json")):
        if path.name == "index.json":
            continue
        found = sources.read(path)
        names = forms.function_names(
            found.server.replace("-", "_"), [each.name for each in found.tools]
        )
        assert len(names) == len(found.tools)
        for name, tool in names.items():
            spec = found.tool(tool)
            for form in forms.forms(spec, name):
                wrong += fidelity.compare(spec, form, cases=20)[:1]
    assert wrong == []
