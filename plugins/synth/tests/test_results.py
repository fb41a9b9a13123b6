"""Results: where the source says what a tool returns, records have these fields and fit it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from compoworld_synth import results, sources
from compoworld_synth.listing import Listing, ToolSpec
from compoworld_synth.pipeline import import_listing
from compoworld_synth.sources.mcp import compile_schema

from compoworld_core import compose

PETS = Path(__file__).parent / "listings" / "pets.yaml"
CALL = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "caller": {"type": "string"},
        "length": {"type": "integer"},
    },
    "required": ["id"],
}
PAGE = {
    "type": "object",
    "properties": {
        "items": {"type": "array", "items": CALL},
        "nextPageToken": {"type": "string"},
    },
    "required": ["items"],
}


def spec(name: str, text: str, output: dict[str, Any], *required: str) -> ToolSpec:
    paged = () if required else ("page_token",)
    properties = {key: {"type": "string"} for key in (*required, *paged)}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(name, text, "", schema, output)


CALLS = (
    spec("list_calls", "List calls.", PAGE),
    spec("get_call", "Get a call.", CALL, "call_id"),
)


def emitted(listing: Listing, out: Path) -> Any:
    made = import_listing(listing, out, formatted=False, checked=False)
    sys.path.insert(0, str(out / "src"))
    return importlib.import_module(f"{made.package}.{made.services[0].name}").service


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """No emitted package outlives its test."""
    before = list(sys.path)
    yield
    sys.path[:] = before
    for name in [n for n in sys.modules if n.startswith("compoworld_imported_")]:
        del sys.modules[name]


def test_a_list_has_the_property_that_its_output_names(tmp_path: Path) -> None:
    service = emitted(Listing("calls", CALLS), tmp_path / "p")
    page = compose(service, seed=2).call("calls.list_calls", {}).data
    assert compile_schema(PAGE).is_valid(page)
    assert {"caller", "length"} <= set(page["items"][0])


def test_a_record_fits_what_its_tool_returns(tmp_path: Path) -> None:
    env = compose(emitted(Listing("calls", CALLS), tmp_path / "p"), seed=2)
    key = env.call("calls.list_calls", {}).data["items"][0]["id"]
    assert compile_schema(CALL).is_valid(env.call("calls.get_call", {"call_id": key}).data)


def test_a_field_that_a_result_names_is_not_invented(tmp_path: Path) -> None:
    emitted(Listing("calls", CALLS), tmp_path / "p")
    models = next((tmp_path / "p").rglob("models.py")).read_text()
    assert "Invented" not in models


def test_a_field_that_nothing_names_means_nothing(tmp_path: Path) -> None:
    bare = (ToolSpec("list_vendors", "List vendors.", "", {"type": "object"}),)
    emitted(Listing("vendors", bare), tmp_path / "p")
    models = next((tmp_path / "p").rglob("models.py")).read_text()
    assert 'name: types.Json | None = None\n    """Invented' in models


def test_rest_records_have_the_fields_of_their_answers(tmp_path: Path) -> None:
    service = emitted(sources.read(PETS), tmp_path / "p")
    row = next(iter(compose(service, seed=2).states[service.name].pets))
    assert {"name", "tag", "age"} <= set(type(row).model_fields)


def test_a_search_by_name_looks_into_a_name() -> None:
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    found = results.fields(
        [("search", ToolSpec("search_boats", "Search boats by name.", "", schema))],
        ("boat",),
        {"id"},
    )
    assert [each.name for each in found] == ["name"]
