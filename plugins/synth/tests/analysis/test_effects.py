"""Each veto of the fourth reading with an example, and what stands beside it and must pass."""

from __future__ import annotations

from typing import Any

import pytest
from analysis_desk import INT, STR, listing, tool
from compoworld_synth.design import ToolDesign, analyse
from compoworld_synth.listing import Listing, ToolSpec

OBJECT: dict[str, Any] = {"type": "object"}
BOOL: dict[str, Any] = {"type": "boolean"}


def judged(spec: ToolSpec, *more: ToolSpec) -> ToolDesign:
    """The tool in a help desk that has no other of its name."""
    others = tuple(each for each in listing().tools if each.name != spec.name)
    found = analyse(Listing("desk", (*others, spec, *more)))
    tools = {each.spec.name: each for piece in found for each in piece.tools}
    return tools[spec.name]


def words(text: str, kind: str = "string") -> dict[str, Any]:
    """A property of which only words tell what it is."""
    return {"type": kind, "description": text}


def things(*inner: str, text: str = "") -> dict[str, Any]:
    """A list of objects with these properties."""
    properties = dict.fromkeys(inner, STR)
    items = {"type": "object", "properties": properties}
    return {"type": "array", "items": items, "description": text}


VETOED = [
    ("opened", tool("open_page", "Open a page on the screen.", {"screen": STR, "where": STR})),
    (
        "opaque_changes",
        tool(
            "update_user",
            "Update a user.",
            {"user_id": STR, "changed": words("JSON string of the fields to write")},
        ),
    ),
    (
        "opaque_changes",
        tool("update_user", "Update a user.", {"user_id": STR}, {"body": OBJECT}),
    ),
    (
        "changed_list",
        tool(
            "update_user",
            "Update a user.",
            {"user_id": STR},
            {"seats": things("id", "deleted")},
        ),
    ),
    (
        "changed_list",
        tool(
            "update_user",
            "Update a user.",
            {"user_id": STR},
            {"seats": things("id", text="Seats to add, update or remove")},
        ),
    ),
    (
        "emptied",
        tool(
            "update_user",
            "Update a user. Give all seats, otherwise the old ones will be removed.",
            {"user_id": STR},
            {"seats": STR},
        ),
    ),
    (
        "placed_among",
        tool("create_user", "Create a user.", {"name": STR}, {"insert_after": STR}),
    ),
    (
        "forces_another",
        tool(
            "create_user",
            "Create a user.",
            {"name": STR},
            {"left_on": words("Last day. If given, the state is forced to left.")},
        ),
    ),
    ("manual_page", tool("get_doc", "Read one documentation page.", {"doc_id": STR})),
    (
        "unheld_parts",
        tool("get_user", "Get a user, including all available rates.", {"user_id": STR}),
    ),
    (
        "edits_text",
        tool(
            "update_user",
            "Update a user.",
            {"user_id": STR},
            {"seats_to_add": {"type": "array", "items": STR}},
        ),
    ),
    (
        "of_a_state",
        tool("delete_ticket", "Delete a draft, ready or errored ticket.", {"ticket_id": STR}),
    ),
    (
        "condition",
        tool(
            "delete_ticket",
            "Delete a ticket. It cannot remove merged ones.",
            {"ticket_id": STR},
        ),
    ),
    (
        "switch",
        tool("copy_ticket", "Copy a ticket.", {"ticket_id": STR}, {"include_notes": BOOL}),
    ),
]


@pytest.mark.parametrize(
    ("name", "spec"), VETOED, ids=[f"{n} {name}" for n, (name, _) in enumerate(VETOED)]
)
def test_what_no_field_of_a_record_holds_is_simulated(name: str, spec: ToolSpec) -> None:
    found = judged(spec)
    assert found.kind == "simulated"
    vetoes = {veto.name for one in found.operations for veto in one.vetoes if veto.hard}
    assert name in vetoes


def test_an_answer_that_names_a_record_made_elsewhere_is_simulated() -> None:
    made = tool(
        "create_label",
        "Create a label. Returns label URL, and ticket ID for refunds.",
        {"rate": STR},
    )
    found = judged(made, tool("list_labels", "List labels with rate and size."))
    assert [v.name for v in found.operations[0].vetoes if v.hard] == ["answers_more"]


def test_what_another_record_holds_has_no_table_of_its_own() -> None:
    made = tool(
        "add_ticket_watchers",
        "Add ticket watchers.",
        {"ticket_id": STR, "watchers": things("name")},
    )
    whole = tool(
        "create_ticket", "Create a ticket.", {"subject": STR}, {"watchers": things("name")}
    )
    found = judged(made, whole)
    assert "inside_another" in {v.name for v in found.operations[0].vetoes}


def test_a_subtask_is_a_task_that_its_tools_address() -> None:
    tasks = (
        tool("create_task", "Create a task.", {"title": STR}),
        tool("get_task", "Get a task.", {"task_id": STR}),
    )
    found = judged(tool("create_subtask", "Create a subtask.", {"title": STR}), *tasks)
    assert "two_names" in {v.name for v in found.operations[0].vetoes}


def timers() -> tuple[ToolSpec, ...]:
    """Two kinds of timer, each made and listed by itself, whose keys are called the same."""
    found = []
    for kind, called in (("timer", "timer"), ("series_timer", "series timer")):
        found += [
            tool(f"create_{kind}", f"Create a {called}.", {"title": STR}),
            tool(f"list_{kind}s", f"List {called}s."),
            tool(f"get_{kind}", f"Get a {called}.", {"timer_id": STR}),
        ]
    return tuple(found)


def test_two_kinds_that_the_server_makes_and_lists_have_two_tables() -> None:
    (design,) = analyse(Listing("clock", timers()))
    kept = {each.spec.name: each.operations[0].entity for each in design.tools}
    assert kept["get_series_timer"] == kept["list_series_timers"] == "series_timer"
    assert kept["get_timer"] == "timer"


def test_a_kind_without_a_list_of_its_own_is_one_of_the_others() -> None:
    listed = tuple(each for each in timers() if each.name != "list_series_timers")
    (design,) = analyse(Listing("clock", listed))
    assert {each.operations[0].entity for each in design.tools} == {"timer"}


def test_a_list_of_a_parent_and_a_write_of_it_share_a_table() -> None:
    tools = (
        tool("desk_get_issue", "Get an issue.", {"issue_key": STR}),
        tool("desk_create_issue", "Create an issue.", {"title": STR}),
        tool("desk_get_issue_watchers", "Get the watchers of an issue.", {"issue_key": STR}),
        tool(
            "desk_add_watcher", "Add a watcher to an issue.", {"issue_key": STR, "login": STR}
        ),
        tool("wiki_get_page", "Get a page.", {"page_id": STR}),
        tool("wiki_list_pages", "List pages."),
    )
    found = {t.spec.name: t for d in analyse(Listing("suite", tools)) for t in d.tools}
    one, other = found["desk_get_issue_watchers"], found["desk_add_watcher"]
    assert one.operations[0].entity == other.operations[0].entity


def test_one_reference_that_two_tools_write_has_one_field() -> None:
    tools = (
        tool("create_host", "Create a host.", {"name": STR}),
        tool("get_host", "Get a host.", {"host_id": INT}),
        tool(
            "create_disk",
            "Create a disk.",
            {"name": STR},
            {"host": words("ID of the host", "integer")},
        ),
        tool("get_disk", "Get a disk.", {"disk_id": INT}),
        tool("attach_disk", "Attach a disk to a host.", {"disk_id": INT, "host_id": INT}),
    )
    (design,) = analyse(Listing("rack", tools))
    disk = design.by_entity["disk"]
    assert [item.name for item in disk.fields if item.ref == "host"] == ["host"]


def test_a_key_that_its_description_removes_is_gone() -> None:
    tools = (
        tool("create_key", "Create a key.", {"label": STR}),
        tool("list_keys", "List keys."),
        tool("revoke_key", "Remove a key.", {"key_id": STR}),
    )
    (design,) = analyse(Listing("vault", tools))
    kinds = {each.spec.name: each.operations[0].kind for each in design.tools}
    assert kinds["revoke_key"] == "delete"


def role(spec: ToolSpec, name: str) -> str:
    """What a parameter is to the tool."""
    found = judged(spec).operations[0]
    return next(each.role for each in found.params if each.param.name == name)


PAGED = words("'single' for one page, 'all' to fetch every page")


@pytest.mark.parametrize(
    ("name", "stated", "expected"),
    [
        ("max_tickets", INT, "limit"),
        ("most", words("Maximum number of tickets to return", "integer"), "limit"),
        ("start", words("Start token for pagination"), "cursor"),
        ("paginate", PAGED, "unpaged"),
        ("all", words("Follows all next links to return all items", "boolean"), "unpaged"),
    ],
)
def test_what_pages_a_list_is_no_value_of_a_record(
    name: str, stated: dict[str, Any], expected: str
) -> None:
    spec = tool("list_tickets", "List tickets.", None, {"status": STR, name: stated})
    assert role(spec, name) == expected


def test_a_key_may_be_called_after_either_of_two() -> None:
    spec = tool("get_ticket", "Get a ticket.", {"ticket_id_or_name": words("ID or name")})
    assert role(spec, "ticket_id_or_name") == "id"


def test_choices_that_several_tools_state_count_for_one_that_does_not() -> None:
    form = words("User ID form")
    chosen = {**form, "enum": ["short", "long"]}
    nouns = ("site", "team", "room")
    tools = tuple(
        tool(f"list_{noun}s", f"List {noun}s.", None, {"user_id_type": chosen})
        for noun in nouns
    )
    spec = tool("list_users", "List users.", None, {"user_id_type": form})
    found = judged(spec, *tools).operations[0]
    assert [(each.role, each.field) for each in found.params] == [("fixed", "short")]


def test_an_exclusive_bound_leaves_its_end_out() -> None:
    said = {**words("Before this date (exclusive)"), "format": "date"}
    spec = tool("list_tickets", "List tickets.", None, {"status": STR, "end_date": said})
    found = judged(spec).operations[0]
    assert [each.comparison for each in found.params if each.param.name == "end_date"] == ["lt"]


def test_one_of_two_arguments_names_the_record() -> None:
    spec = tool("get_user", "Get a user by id or email.", None, {"id": STR, "email": STR})
    found = judged(spec).operations[0]
    assert {each.param.name: each.role for each in found.params} == {
        "id": "id",
        "email": "alias",
    }
