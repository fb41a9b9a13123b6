"""A help desk's listing, written for the tests of the analysis."""

from __future__ import annotations

from typing import Any

from compoworld_synth.listing import Annotations, Listing, ToolSpec

STR: dict[str, Any] = {"type": "string"}
INT: dict[str, Any] = {"type": "integer"}


def tool(
    name: str,
    description: str,
    required: dict[str, Any] | None = None,
    optional: dict[str, Any] | None = None,
    *,
    read_only: bool | None = None,
) -> ToolSpec:
    """A tool of these required and optional properties."""
    needed, free = required or {}, optional or {}
    schema = {"type": "object", "properties": {**needed, **free}, "required": list(needed)}
    return ToolSpec(name, description, "", schema, None, Annotations(read_only=read_only))


CORE = (
    tool("create_ticket", "Create a ticket.", {"subject": STR}, {"status": STR, "userId": STR}),
    tool("get_ticket", "Get a ticket by its id.", {"ticket_id": STR}),
    tool(
        "list_tickets",
        "List tickets.",
        None,
        {"status": STR, "created_after": STR, "limit": INT},
    ),
    tool("update_ticket", "Update a ticket.", {"ticket_id": STR}, {"subject": STR}),
    tool("delete_ticket", "Delete a ticket.", {"ticket_id": STR}),
    tool("archive_ticket", "Archive a ticket.", {"ticket_id": STR}),
    tool(
        "update_ticket_status", "Update a ticket's status.", {"ticket_id": STR, "status": STR}
    ),
    tool("search_tickets", "Search tickets by words.", {"query": STR}),
    tool("create_user", "Create a user.", {"email": STR, "name": STR}),
    tool("get_user", "Get a user.", {"user_id": STR}),
    tool("list_users", "List users.", None, {"page": INT}),
)
"""Enough of a help desk that each odd tool beside it has a neighbourhood."""


def listing(*more: ToolSpec) -> Listing:
    """The help desk with further tools."""
    return Listing("desk", CORE + more)
