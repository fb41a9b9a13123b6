"""Templates of lists: all pages at once, months as bounds, a field that is one of several."""

from __future__ import annotations

from pathlib import Path

from compoworld_synth import rows
from compoworld_synth.listing import Annotations, Listing, ToolSpec
from emitted_service import caller, emitted

from compoworld_core import Entity

STR = {"type": "string"}
INT = {"type": "integer"}


class Sheet(Entity):
    """A time sheet."""

    id: str
    day: str


def tool(
    name: str, text: str, needed: dict[str, object], free: dict[str, object] | None = None
) -> ToolSpec:
    """A tool of these required and optional properties."""
    schema = {
        "type": "object",
        "properties": {**needed, **(free or {})},
        "required": list(needed),
    }
    return ToolSpec(name, text, "", schema, None, Annotations())


TOOLS = (
    tool(
        "create_job",
        "Create a job.",
        {"title": STR, "office_ids": {"type": "array", "items": STR}},
    ),
    tool("get_job", "Get a job.", {"job_id": STR}),
    tool(
        "list_jobs",
        "List jobs.",
        {},
        {
            "office_id": {**STR, "description": "Filter by office"},
            "per_page": {**INT, "default": 2},
            "paginate": {**STR, "description": "'single' page, or 'all' to fetch every page"},
        },
    ),
    tool("create_office", "Create an office.", {"name": STR}),
    tool("get_office", "Get an office.", {"office_id": STR}),
    tool("list_offices", "List offices.", {}),
)


def test_the_last_month_of_a_period_counts() -> None:
    held = [Sheet(id=str(n), day=f"2025-0{n}-15") for n in (1, 2, 3)]
    found = rows.filtered(held, ("day", "ge", "2025-01"), ("day", "le", "2025-02"))
    assert [each.id for each in found] == ["1", "2"]
    assert [each.id for each in rows.filtered(held, ("day", "lt", "2025-02"))] == ["1"]


def test_all_pages_are_shown_at_once_where_they_are_asked_for(tmp_path: Path) -> None:
    with emitted(Listing("jobs", TOOLS), tmp_path / "out") as service:
        call = caller(service)
        office = call("list_offices")["offices"][0]["id"]
        for n in range(4):
            call("create_job", title=f"Baker {n}", office_ids=[office])
        assert len(call("list_jobs")["jobs"]) == 2
        every = call("list_jobs", paginate="all")
        assert len(every["jobs"]) == every["total"]
        mine = call("list_jobs", paginate="all", office_id=office)["jobs"]
        assert {"Baker 0", "Baker 3"} <= {each["title"] for each in mine}
