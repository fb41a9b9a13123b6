"""What is emitted for a small help desk, run and read."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from compoworld_synth.emit.values import identifier, literal
from compoworld_synth.listing import Listing, ToolSpec
from compoworld_synth.pipeline import import_listing
from compoworld_synth.report import rows

from compoworld_core import compose, manifest

TEXT = {"type": "string"}


def tool(name: str, description: str, required: str = "", **properties: Any) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": required.split()}
    return ToolSpec(name, description, "", {**schema, "additionalProperties": False})


DESK = (
    tool("create_ticket", "Create a ticket.", "subject", subject=TEXT, body=TEXT, note={},
         tags={"type": "array", "items": TEXT}, extra={"type": "array"},
         status={"type": "string", "enum": ["open", "held", "solved"]}),
    tool("get_ticket", "Get a ticket by its ID.", "ticket_id", ticket_id=TEXT),
    tool("list_tickets", "List tickets.", "", limit={"type": "integer"},
         status={"type": "string", "enum": ["open", "held", "solved"]}),
    tool("update_ticket", "Update a ticket.", "ticket_id", ticket_id=TEXT, subject=TEXT,
         body=TEXT),
    tool("delete_ticket", "Delete a ticket.", "ticket_id", ticket_id=TEXT),
    tool("estimate_effort", "Estimate the effort of a ticket.", "ticket_id", ticket_id=TEXT),
)  # fmt: skip


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[tuple[Any, Path]]:
    """The emitted help desk, imported, and where it lies."""
    made = import_listing(Listing("desk", DESK, domain="communication_support"), tmp_path / "p")
    (one,) = made.services
    sys.path.insert(0, str(tmp_path / "p" / "src"))
    try:
        yield importlib.import_module(f"{made.package}.{one.name}").service, tmp_path / "p"
    finally:
        sys.path.pop(0)
        for name in [n for n in sys.modules if n.startswith("compoworld_imported_")]:
            del sys.modules[name]


def test_created_record_is_got_updated_and_deleted(desk: tuple[Any, Path]) -> None:
    env = compose(desk[0], seed=1)
    name = desk[0].name
    made = env.call(f"{name}.create_ticket", {"subject": "No light", "status": "held"}).data
    key = {"ticket_id": made["id"]}
    env.call(f"{name}.update_ticket", {**key, "subject": "Light"})
    got = env.call(f"{name}.get_ticket", key).data
    assert (got["subject"], got["status"]) == ("Light", "held")
    env.call(f"{name}.delete_ticket", key)
    assert env.call(f"{name}.get_ticket", key).is_error


def test_filter_keeps_only_what_it_says(desk: tuple[Any, Path]) -> None:
    env = compose(desk[0], seed=1)
    page = env.call(f"{desk[0].name}.list_tickets", {"status": "held", "limit": 3}).data
    assert {row["status"] for row in page["tickets"]} == {"held"}


def test_original_schema_decides_what_is_accepted(desk: tuple[Any, Path]) -> None:
    service = desk[0]
    assert service.tools["create_ticket"].input_schema == DESK[0].input_schema
    answer = compose(service).call(f"{service.name}.create_ticket", {"subject": 7})
    assert answer.is_error


def test_computing_tool_is_simulated_with_its_reason(desk: tuple[Any, Path]) -> None:
    row = next(r for r in rows(desk[1]) if r["name"] == "estimate_effort")
    assert (row["kind"], bool(row["why"])) == ("simulated", True)


def test_quarantine_in_the_manifest_reaches_the_service(desk: tuple[Any, Path]) -> None:
    (path,) = desk[1].rglob(manifest.FILE)
    manifest.mark(path, {"get_ticket": manifest.Mark('said "so"\n\x7f é 😀', "lost_write")})
    service = desk[0]
    manifest.apply(service, path)
    assert service.tools["get_ticket"].kind == "quarantined"
    assert service.tools["get_ticket"].why == 'said "so"\n\x7f é 😀'


def test_hostile_text_stays_a_literal(tmp_path: Path) -> None:
    nasty = "\"\"\"\n'''\\\nimport os; os.abort() \ud800 ../../x"
    tools = (
        tool("create_ticket", nasty, "subject", subject={**TEXT, "description": nasty},
             **{"class": TEXT, "a b": TEXT, "a-b": TEXT, "../x": TEXT,
                nasty: {"type": "string", "enum": [nasty]}}),
        tool("get_ticket", nasty, "ticket_id", ticket_id=TEXT),
        tool("list_tickets", nasty),
    )  # fmt: skip
    made = import_listing(Listing('../"""x', tools), tmp_path / "p")
    assert sum(each.tools for each in made.services) == 3
    assert not any(each.problems for each in made.services)
    assert all(path.is_relative_to(tmp_path / "p") for path in tmp_path.rglob("*.py"))


@pytest.mark.parametrize("name", ["class", "../x", "1st", "state", "é", "", "model_config"])
def test_identifier_is_allow_listed(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", identifier(name))


def test_literal_survives_reading_back() -> None:
    assert eval(literal({"a": ["x\"'\n", 1, None, True]})) == {"a": ("x\"'\n", 1, None, True)}
