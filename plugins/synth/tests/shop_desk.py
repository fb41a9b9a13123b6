"""A workshop's listing, written for the tests of the templates: each kind of tool once."""

from __future__ import annotations

from typing import Any

from compoworld_synth.listing import Listing, ToolSpec

TEXT: dict[str, Any] = {"type": "string"}
INT: dict[str, Any] = {"type": "integer"}
FLAG: dict[str, Any] = {"type": "boolean"}
IDS: dict[str, Any] = {"type": "array", "items": TEXT}


def tool(named: str, description: str, required: str = "", **properties: Any) -> ToolSpec:
    """A tool of these properties; `required` names some of them."""
    schema = {"type": "object", "properties": properties, "required": required.split()}
    return ToolSpec(named, description, "", {**schema, "additionalProperties": False})


TOOLS = (
    tool("create_project", "Create a project.", "name", name=TEXT),
    tool("get_project", "Get a project by its ID.", "project_id", project_id=TEXT),
    tool("list_projects", "List projects.", "", limit=INT),
    tool("delete_project", "Delete a project.", "project_id", project_id=TEXT),
    tool("create_task", "Create a task in a project.", "project_id title", project_id=TEXT,
         title=TEXT, priority=INT, due_date=TEXT),
    tool("get_task", "Get a task by its ID.", "project_id task_id", project_id=TEXT,
         task_id=TEXT),
    tool("list_tasks", "List the tasks of a project.", "project_id", project_id=TEXT,
         sort_by={"type": "string", "enum": ["title", "priority"]},
         sort_order={"type": "string", "enum": ["asc", "desc"]}, start_date=TEXT,
         end_date=TEXT),
    tool("update_task", "Update a task.", "project_id task_id", project_id=TEXT, task_id=TEXT,
         title=TEXT, priority=INT),
    tool("delete_task", "Delete a task.", "task_id", task_id=TEXT,
         confirm={"type": "boolean", "description": "Must be true to delete."}),
    tool("delete_tasks", "Delete several tasks.", "task_ids", task_ids=IDS),
    tool("archive_tasks", "Archive several tasks.", "task_ids", task_ids=IDS),
    tool("create_tasks", "Create several tasks.", "tasks", tasks={
        "type": "array", "items": {"type": "object", "required": ["project_id", "title"],
        "properties": {"project_id": TEXT, "title": TEXT, "priority": INT}}}),
    tool("duplicate_task", "Duplicate a task.", "task_id", task_id=TEXT, title=TEXT),
    tool("create_tag", "Create a tag.", "label", label=TEXT),
    tool("list_tags", "List tags.", "", filter=TEXT),
    tool("delete_tag", "Delete a tag.", "tag_id", tag_id=TEXT),
    tool("add_tag_to_task", "Add a tag to a task.", "tag_id task_id", tag_id=TEXT,
         task_id=TEXT),
    tool("remove_tag_from_task", "Remove a tag from a task.", "tag_id task_id", tag_id=TEXT,
         task_id=TEXT),
    tool("list_task_tags", "List the tags of a task.", "task_id", task_id=TEXT),
    tool("get_project_settings", "Get the settings of a project.", "project_id",
         project_id=TEXT),
    tool("update_project_settings", "Update the settings of a project.", "project_id",
         project_id=TEXT, theme=TEXT, public=FLAG),
    tool("upsert_contact", "Create or update a contact.", "contact_id email",
         contact_id=TEXT, email=TEXT, name=TEXT),
    tool("get_contact_by_email", "Get a contact by email.", "email", email=TEXT),
    tool("list_contacts", "List contacts."),
    tool("get_site", "Get a site, or list all sites where no site_id is given.", "",
         site_id=TEXT, limit=INT),
    tool("create_site", "Create a site.", "name", name=TEXT),
    tool("get_current_user", "Get the current user."),
    tool("list_users", "List users."),
    tool("create_user", "Create a user.", "email", email=TEXT, name=TEXT),
    tool("manage_notes", "Create, read, list or delete notes.", "action",
         action={"type": "string", "enum": ["create", "get", "list", "delete"]},
         note_id=TEXT, text=TEXT),
)  # fmt: skip


def listing(*more: ToolSpec) -> Listing:
    """The workshop with further tools."""
    return Listing("shop", TOOLS + more, domain="project_management")
