"""Each rule for a kind: a tool beside a help desk that it must recognise."""

from __future__ import annotations

from typing import Any

import pytest
from analysis_desk import INT, STR, listing, tool
from compoworld_synth.design import OperationDesign, ToolDesign, analyse
from compoworld_synth.listing import Rest, ToolSpec

IDS: dict[str, Any] = {"type": "array", "items": STR}
EITHER: dict[str, Any] = {"anyOf": [{"type": "string"}, {"type": "integer"}]}


def judged(name: str, *more: ToolSpec) -> ToolDesign:
    """The tool of this name in the help desk with these tools."""
    tools = [each for piece in analyse(listing(*more)) for each in piece.tools]
    return next(each for each in tools if each.spec.name == name)


def role_of(done: OperationDesign, name: str) -> str:
    return next(each.role for each in done.params if each.param.name == name)


TAG = (
    tool("create_tag", "Create a tag.", {"label": STR}),
    tool("list_tags", "List tags."),
    tool("delete_tag", "Delete a tag.", {"tag_id": STR}),
)
JOINED = (
    *TAG,
    tool("add_tag_to_ticket", "Add a tag to a ticket.", {"ticket_id": STR, "tag_id": STR}),
    tool("remove_tag_from_ticket", "Remove a tag from a ticket.",
         {"ticket_id": STR, "tag_id": STR}),
)  # fmt: skip

KINDS = [
    ("batch_delete", tool("delete_tickets", "Delete tickets.", {"ticket_ids": IDS}), ()),
    ("batch_get", tool("get_tickets", "Get tickets by ids.", {"ticket_ids": IDS}), ()),
    ("batch_update", tool("close_tickets", "Close tickets.", {"ids": IDS}), ()),
    ("copy", tool("duplicate_ticket", "Duplicate a ticket.", {"ticket_id": STR}), ()),
    ("get_by", tool("get_user_by_email", "Get a user by email.", {"email": STR}), ()),
    (
        "get_or_list",
        tool("get_site", "Get a site, or list all sites.", None, {"site_id": STR}),
        (tool("create_site", "Create a site.", {"name": STR}),),
    ),
    (
        "part_get",
        tool("get_ticket_settings", "Get the settings of a ticket.", {"ticket_id": STR}),
        (
            tool(
                "update_ticket_settings",
                "Update the settings of a ticket.",
                {"ticket_id": STR, "theme": STR},
            ),
        ),
    ),
    (
        "current_update",
        tool("update_settings", "Update the settings.", None, {"theme": STR}),
        (tool("get_settings", "Get the settings."),),
    ),
    (
        "upsert",
        tool("upsert_contact", "Create or update a contact.", {"contact_id": STR, "name": STR}),
        (tool("list_contacts", "List contacts."),),
    ),
    (
        "transition",
        tool("mark_ticket_as_read", "Mark a ticket as read.", {"ticket_id": STR}),
        (),
    ),
    ("link_add", JOINED[3], (*TAG, JOINED[4])),
    ("link_remove", JOINED[4], (*TAG, JOINED[3])),
    (
        "link_list",
        tool("list_ticket_tags", "List the tags of a ticket.", {"ticket_id": STR}),
        JOINED,
    ),
]


@pytest.mark.parametrize(("kind", "spec", "more"), KINDS, ids=lambda v: getattr(v, "name", ""))
def test_a_rule_recognises_its_kind(
    kind: str, spec: ToolSpec, more: tuple[ToolSpec, ...]
) -> None:
    found = judged(spec.name, spec, *more)
    assert [one.kind for one in found.operations] == [kind], found.why
    assert found.kind == "deterministic"


def test_removing_from_what_a_record_is_made_without_deletes_nothing() -> None:
    spec = tool("remove_tag", "Remove a tag.", {"user_id": STR, "tag_id": STR})
    found = judged("remove_tag", *TAG, spec)
    assert found.kind == "simulated"
    assert "parting" in {veto.name for veto in found.operations[0].vetoes}


def test_renaming_the_key_is_not_believed() -> None:
    spec = tool("rename_branch", "Rename a branch.", {"name": STR, "new_name": STR})
    more = (
        tool("create_branch", "Create a branch.", {"name": STR}),
        tool("delete_branch", "Delete a branch.", {"name": STR}),
    )
    assert "renames_the_key" in {
        v.name for v in judged(spec.name, *more, spec).operations[0].vetoes
    }


def test_keys_in_one_text_are_not_believed() -> None:
    spec = tool("close_ticket", "Close a ticket.", {"ticket_ids": STR})
    assert judged("close_ticket", spec).kind == "simulated"


def test_a_bound_of_a_period_is_compared_with_the_records_time() -> None:
    spec = tool("list_calls", "List calls.", None, {"start_date": STR, "end_date": STR})
    done = judged("list_calls", spec).operations[0]
    bounds = {each.param.name: (each.field, each.comparison) for each in done.params}
    assert bounds == {"start_date": ("created_at", "ge"), "end_date": ("created_at", "le")}


def test_a_time_named_start_is_no_place_in_the_list() -> None:
    start = {**STR, "description": "ISO-8601 lower bound"}
    done = judged("list_calls", tool("list_calls", "List calls.", None, {"start": start}))
    assert role_of(done.operations[0], "start") == "filter"


def test_an_own_key_among_filters_selects_by_the_key() -> None:
    spec = tool("find_tickets", "Find tickets.", None, {"query": STR, "ids": IDS})
    done = judged("find_tickets", spec).operations[0]
    assert next(p.field for p in done.params if p.param.name == "ids") == "id"


def test_two_keys_of_one_record_are_one_reference() -> None:
    more = (
        tool("create_board", "Create a board.", {"name": STR}, {"key": STR}),
        tool("get_board", "Get a board.", {"board_id": STR}),
    )
    spec = tool("list_cards", "List cards.", None, {"board_id": STR, "board_key": STR})
    done = judged("list_cards", *more, spec).operations[0]
    assert (role_of(done, "board_id"), role_of(done, "board_key")) == ("ref", "alias")


def test_a_bare_id_behind_a_family_name_is_the_familys() -> None:
    more = (
        tool("cluster-create", "Create a cluster.", {"region": STR}),
        tool("cluster-get", "Get a cluster.", {"id": STR}),
        tool("cluster-list", "List clusters."),
        tool(
            "cluster-create-topic",
            "Create a topic of a cluster.",
            {"id": STR, "name": STR, "partitions": STR},
        ),
        tool("cluster-list-topics", "List the topics of a cluster.", {"id": STR}),
    )
    spec = tool("cluster-get-topic", "Get a topic of a cluster.", {"id": STR, "name": STR})
    done = judged(spec.name, *more, spec).operations[0]
    assert (role_of(done, "id"), role_of(done, "name")) == ("ref", "id")


def test_a_text_that_may_be_a_number_is_known_as_such() -> None:
    spec = tool("create_call", "Create a call.", {"number_or_name": EITHER})
    assert judged("create_call", spec).operations[0].params[0].param.numeric


ACTIONS = tool(
    "manage_note",
    "Manage notes.",
    {"action": {"type": "string", "enum": ["create", "list", "delete"]}},
    {"note_id": STR, "text": STR, "limit": INT},
)


def test_each_action_is_an_operation_with_its_own_parameters() -> None:
    found = judged("manage_note", ACTIONS)
    taken = {one.action: [p.param.name for p in one.params] for one in found.operations}
    assert taken == {"create": ["text"], "list": ["limit"], "delete": ["note_id"]}


def test_one_unknown_action_simulates_the_tool() -> None:
    enum = {"type": "string", "enum": ["create", "list", "explode"]}
    spec = tool("manage_note", "Manage notes.", {"action": enum}, {"text": STR})
    found = judged("manage_note", spec)
    assert (found.kind, found.why.startswith("explode")) == ("simulated", True)


@pytest.mark.parametrize(
    ("method", "path", "group"),
    [
        ("GET", "/users/{userId}/settings/language", "get"),
        ("PUT", "/users/{userId}/settings/language", "update"),
        ("POST", "/v1/jobs/{jobId}:setIamPolicy", "update"),
        ("POST", "/files/{fileId}/modifyLabels", ""),
    ],
)
def test_a_path_tells_parts_and_deeds(method: str, path: str, group: str) -> None:
    from compoworld_synth.rest import phrase_of

    phrase = phrase_of(Rest(method, path, resource=("files",)))
    assert phrase is not None
    assert phrase.group == group


@pytest.mark.parametrize(
    ("veto", "spec"),
    [
        (
            "into_a_document",
            tool("insert_link", "Insert a link.", {"range": STR, "url": STR}),
        ),
        ("into_a_document", tool("pantry_add", "Add to the pantry.", {"items": IDS})),
        ("query_language", tool("list_calls", "List calls.", {"filter": STR})),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_is_not_a_record_of_its_own_is_not_believed(veto: str, spec: ToolSpec) -> None:
    done = judged(spec.name, spec).operations[0]
    assert veto in {each.name for each in done.vetoes if each.hard}


def test_the_required_text_of_a_search_is_what_is_sought() -> None:
    spec = tool("search_users", "Search users.", {"pattern_of_name": STR})
    assert role_of(judged("search_users", spec).operations[0], "pattern_of_name") == "query"


def test_a_filter_expression_that_a_list_can_do_without_is_refused() -> None:
    done = judged("list_orders", tool("list_orders", "List orders.", None, {"filter": STR}))
    assert (role_of(done.operations[0], "filter"), done.grade) == ("refused", "B")


def test_a_switch_of_the_transport_selects_nothing() -> None:
    flag = {"type": "boolean"}
    done = judged("list_calls", tool("list_calls", "List calls.", None, {"refresh": flag}))
    assert role_of(done.operations[0], "refresh") == "control"
