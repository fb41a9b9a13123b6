"""Listings as people keep them, and as an enemy would write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from compoworld_synth import sources
from compoworld_synth.sources import SourceError, reading


def tool(name: str, schema: Any = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": schema or {"type": "object"}, **more}


def listed(*tools: Any) -> Any:
    return sources.listing({"tools": list(tools)}, "here", "mcp", "shop")


@pytest.mark.parametrize(
    "document",
    [
        [tool("get_pet")],
        {"tools": [tool("get_pet")]},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool("get_pet")]}},
    ],
)
def test_each_shape_of_an_answer_is_recognised(document: Any, tmp_path: Path) -> None:
    path = tmp_path / "pets.json"
    path.write_text(json.dumps(document))
    found = sources.read(path)
    assert [each.name for each in found.tools] == ["get_pet"]
    assert found.server == "pets"


def test_schema_and_words_stay_as_they_were() -> None:
    schema = {"type": "object", "properties": {"a-b": {"type": ["string", "null"]}}, "odd": 1}
    words = 'three """ quotes\nand \\ lines\x00'
    (found,) = listed(tool("x", schema, description=words)).tools
    assert found.input_schema is schema
    assert found.description == words


def test_hints_are_read_and_unknown_ones_reported() -> None:
    hints = {"readOnlyHint": True, "destructiveHint": False, "mood": "good"}
    found = listed(tool("x", annotations=hints))
    assert found.tools[0].annotations.read_only is True
    assert found.tools[0].annotations.destructive is False
    assert found.tools[0].annotations.idempotent is None
    assert [each.path for each in found.problems] == ["x/annotations/mood"]


def test_an_equal_repetition_is_dropped_and_reported() -> None:
    found = listed(tool("x"), tool("x"))
    assert len(found.tools) == 1
    assert found.problems[0].path == "x"


def test_unequal_tools_of_one_name_are_refused_by_name() -> None:
    other = {"type": "object", "properties": {"a": {}}}
    with pytest.raises(SourceError, match="'twice'"):
        listed(tool("twice"), tool("twice", other))


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", 'a"""b', "a\nb", "class", "\ud800", "\u202e", "__init__"]
)
def test_hostile_names_are_kept_as_data(name: str) -> None:
    assert listed(tool(name)).tools[0].name == name


@pytest.mark.parametrize("name", ["", None, 7, "x" * 300])
def test_what_is_no_name_is_refused_by_place(name: Any) -> None:
    with pytest.raises(SourceError, match="tools/0"):
        listed(tool(name))


@pytest.mark.parametrize(
    "reference", ["http://127.0.0.1:1/x", "file:///etc/passwd", "other.json#/a", "#/nowhere"]
)
def test_references_that_leave_the_document_are_refused(reference: str) -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": reference}}}
    with pytest.raises(SourceError, match="x/inputSchema/properties/a"):
        listed(tool("x", schema))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "strong"}}},
        {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}},
        {"type": "object", "required": True},
        {"type": "string"},
        [],
    ],
)
def test_no_schema_is_refused_by_name(schema: Any) -> None:
    with pytest.raises(SourceError, match="broken/inputSchema"):
        listed({"name": "broken", "inputSchema": schema or [1]})


def test_a_wrong_output_schema_stops_nothing_and_is_reported() -> None:
    found = listed(tool("x", outputSchema={"type": "strong"}))
    assert found.tools[0].output_schema is None
    assert found.problems[0].path == "x/outputSchema"


def test_what_analysis_cannot_see_is_reported_and_still_obeyed() -> None:
    schema = {"type": "object", "properties": {"a": {"not": {"type": "null"}}}}
    found = listed(tool("x", schema))
    assert [each.path for each in found.problems] == ["x/inputSchema/properties/a/not"]
    assert found.tools[0].input_schema is schema


def test_one_page_of_several_is_reported() -> None:
    found = sources.listing({"tools": [tool("x")], "nextCursor": "2"}, "here")
    assert found.problems[0].path == "nextCursor"


def test_205_parameters_and_13_levels_are_read() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(13):
        deep = {"type": "object", "properties": {"in": deep}}
    wide = {"type": "object", "properties": {f"p{i}": {} for i in range(205)} | {"deep": deep}}
    assert len(listed(tool("x", wide)).tools[0].input_schema["properties"]) == 206


def test_depth_is_limited_before_anything_walks_it(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text('{"a":' * 300 + "1" + "}" * 300)
    with pytest.raises(SourceError, match="levels deep"):
        sources.read(path)


def test_size_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "big.json"
    path.write_text("[" + " " * 100 + "]")
    monkeypatch.setattr(reading, "LARGEST", 50)
    with pytest.raises(SourceError, match="at most 50"):
        sources.read(path)


@pytest.mark.parametrize("text", ["{", '{"a": NaN}', "[]", "7", '{"swagger": "2.0"}'])
def test_what_is_no_listing_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "no.json"
    path.write_text(text)
    with pytest.raises(SourceError):
        sources.read(path)


def test_yaml_makes_no_objects(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("!!python/object/apply:os.system ['true']")
    with pytest.raises(SourceError, match="python/object"):
        sources.read(path)


def test_yaml_aliases_cannot_unfold(tmp_path: Path) -> None:
    path = tmp_path / "bomb.yaml"
    path.write_text("a: &a [x, x]\nb: [*a, *a]\n")
    with pytest.raises(SourceError, match="aliases"):
        sources.read(path)


def test_a_wrong_format_says_which_are_close() -> None:
    with pytest.raises(SourceError, match="openapi"):
        sources.listing({}, "here", "openap")
