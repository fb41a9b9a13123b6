"""Each veto with an example tool that it must stop, beside a help desk that it must not."""

from __future__ import annotations

import pytest
from analysis_desk import INT, STR, listing, tool
from attrs import evolve
from compoworld_synth.design import ToolDesign, analyse
from compoworld_synth.listing import Listing, ToolSpec


def judged(spec: ToolSpec, *more: ToolSpec) -> ToolDesign:
    """The tool in a help desk that has no other of its name."""
    others = tuple(each for each in listing().tools if each.name != spec.name)
    tools = [
        t for piece in analyse(Listing("desk", (*others, spec, *more))) for t in piece.tools
    ]
    return next(each for each in tools if each.spec.name == spec.name)


OMITTED = {**STR, "description": "Type of the site; the current one when omitted"}
HARD = [
    (
        "any_kind",
        tool(
            "delete_record",
            "Delete a record of any custom or built-in object.",
            {"object_name": STR, "record_id": STR},
        ),
    ),
    (
        "of_a_state",
        tool("cancel_ticket", "Cancel an open or pending ticket.", {"ticket_id": STR}),
    ),
    (
        "flag_of_a_write",
        tool(
            "update_user",
            "Update a user.",
            {"user_id": STR},
            {"merge_nested": {"type": "boolean"}},
        ),
    ),
    ("manual", tool("list_api_docs", "List the API docs.")),
    (
        "manual",
        tool("list_size_options", "List size options including versions, regions and sizes."),
    ),
    (
        "bounded",
        tool(
            "list_users",
            "List users.",
            None,
            {"status": {**STR, "description": "Filter by status after this one"}},
        ),
    ),
    (
        "parting",
        tool("delete_ticket", "Remove a ticket (becomes a regular user).", {"ticket_id": STR}),
    ),
    ("unexplained", tool("get_ticket", "Get a ticket.", {"ticket_id": STR, "depth_of": STR})),
    ("second_reading", tool("list_waits", "Trigger a recount of waits.")),
    ("outside", tool("list_sites", "List sites found on the web.")),
    ("report", tool("get_ticket_stats", "Get ticket stats.", {"ticket_stats_id": STR})),
    ("report", tool("list_similar_tickets", "List similar tickets.", {"ticket_id": STR})),
    ("query_language", tool("search_users", "Search users with JQL.", {"query": STR})),
    ("hint", tool("list_sites", "List sites.", read_only=False)),
    ("preview", tool("create_site", "Create a site.", {"name": STR, "confirmed": STR})),
    ("two_names", tool("create_support_ticket", "Create a support ticket.", {"text": STR})),
    ("membership", tool("add_site", "Add a site to a user.", {"user_id": STR})),
    ("several", tool("create_sites", "Create sites.", {"names": STR})),
    ("technical", tool("list_sites", "List sites.", {"radius": INT})),
    (
        "actions",
        tool(
            "update_user",
            "Update a user.",
            {"user_id": STR, "action": {"type": "string", "enum": ["ban", "rename"]}},
        ),
    ),
    ("implied_filter", tool("list_my_users", "List my users.")),
    ("lonely", tool("delete_site", "Delete a site.", {"site_id": STR})),
    (
        "nothing_written",
        tool("update_user", "Update a user.", {"user_id": STR, "ticket_id": STR}),
    ),
    ("either_key", tool("list_sites", "List sites.", {"site_id_or_name": STR})),
    ("one_of_a_list", tool("users-get-by-id", "Get users by id.", {"number_of_it": STR})),
    ("command", tool("send_command", "Send a command.", {"text": STR})),
    (
        "alternate_keys",
        tool("list_sites", "List sites.", None, {"user_id": STR, "userId": STR}),
    ),
    ("facet", tool("user-update-badges-plan", "Update the plan.", {"id": STR, "plan": STR})),
    ("nothing_to_show", tool("list_lyrics", "List lyrics.", None, {"limit": INT})),
    ("own_filter", tool("list_users", "List users.", None, {"flavour": STR})),
    ("omitted", tool("list_sites", "List sites.", None, {"site_type": OMITTED})),
    ("another_object", tool("list_site_guests", "Get a list of invoices of a site.")),
    ("implied_value", tool("create_draft_ticket", "Create a draft ticket.", {"subject": STR})),
    ("option", tool("delete_user", "Delete a user.", {"user_id": STR}, {"path": STR})),
    (
        "renames_the_key",
        tool("update_ticket", "Update a ticket.", {"ticket_name": STR}, {"new_name": STR}),
    ),
    ("no_verb", tool("board_insights", "Insights of a board.")),
    ("option", tool("get_user", "Get a user.", {"user_id": STR}, {"flavour": STR})),
    ("switch", tool("list_sites", "List sites.", None, {"depth": INT})),
    (
        "edits_text",
        tool("update_ticket", "Update a ticket.", {"ticket_id": STR}, {"old_string": STR}),
    ),
    (
        "condition",
        tool(
            "delete_ticket", "Delete a ticket. Only works on closed ones.", {"ticket_id": STR}
        ),
    ),
    ("formed", tool("list_users", "List users as a markdown table.")),
    (
        "second_effect",
        tool("create_ticket", "Create a ticket and send it to a user.", {"subject": STR}),
    ),
    (
        "second_effect",
        tool("add_ticket", "Add a ticket or copy an old one.", {"subject": STR}),
    ),
    (
        "searched_field",
        tool("list_users", "List users.", None, {"keywords": {"type": "array", "items": STR}}),
    ),
    ("computing", tool("analyze_ticket", "Analyze a ticket.", {"ticket_id": STR})),
]


@pytest.mark.parametrize(
    ("veto", "spec"), HARD, ids=lambda value: getattr(value, "name", value)
)
def test_a_hard_veto_simulates_the_tool(veto: str, spec: ToolSpec) -> None:
    found = judged(spec)
    assert found.kind == "simulated"
    assert veto in [each.name for each in found.operations[0].vetoes if each.hard]


SOFT = [
    (
        "option",
        tool("get_ticket", "Get a ticket.", {"ticket_id": STR}, {"subject": STR}),
    ),
    ("second_reading", tool("list_meetings", "チケットの一覧を取得します。")),
    ("foreign_key", tool("get_ticket", "Get a ticket.", {"postId": STR})),
    ("implied_value", tool("create_open_ticket", "Create an open ticket.", {"subject": STR})),
    ("modifier", tool("list_meetings_for_team", "List meetings for a team.")),
    ("middle_verb", tool("web-list-meetings", "List web meetings.")),
    ("lonely", tool("get_meeting", "Get a meeting.", {"meeting_id": STR})),
]


@pytest.mark.parametrize(
    ("veto", "spec"), SOFT, ids=lambda value: getattr(value, "name", value)
)
def test_a_soft_veto_costs_grade_a(veto: str, spec: ToolSpec) -> None:
    found = judged(spec)
    assert (found.kind, found.grade) == ("deterministic", "B")
    assert veto in [each.name for each in found.operations[0].vetoes if not each.hard]


def test_an_update_that_nothing_shows_is_simulated() -> None:
    more = tool("delete_site", "Delete a site.", {"site_id": STR})
    found = judged(tool("archive_site", "Archive a site.", {"site_id": STR}), more)
    assert found.operations[0].vetoes[0].name == "unseen"


LYRICS = tool("list_lyrics", "List lyrics.", None, {"limit": INT})


def test_a_list_whose_rows_another_tool_writes_has_something_to_show() -> None:
    more = tool("create_lyric", "Create a lyric.", {"name": STR, "language": STR})
    assert judged(LYRICS, more).kind == "deterministic"


def test_a_list_whose_result_states_its_rows_has_something_to_show() -> None:
    row = {"type": "object", "properties": {"id": STR, "language": STR}}
    rows = {"type": "object", "properties": {"lyrics": {"type": "array", "items": row}}}
    assert judged(evolve(LYRICS, output_schema=rows)).kind == "deterministic"


def test_a_list_whose_description_names_what_it_shows_has_something_to_show() -> None:
    text = "List lyrics with their language and length."
    assert judged(evolve(LYRICS, description=text)).kind == "deterministic"


def test_a_filter_that_says_so_itself_counts() -> None:
    spec = tool("list_users", "List users.", None, {"flavour": STR})
    schema = {**spec.input_schema}
    schema["properties"] = {"flavour": {**STR, "description": "Filter by flavour"}}
    assert judged(evolve(spec, input_schema=schema)).kind == "deterministic"


def test_a_list_that_nothing_but_its_own_filter_describes_has_nothing_to_show() -> None:
    spec = tool("list_lyrics", "List lyrics by status.", None, {"status": STR})
    assert judged(spec).operations[0].vetoes[0].name == "nothing_to_show"


@pytest.mark.parametrize(
    "more",
    [
        tool("create_user", "Create a user.", {"email": STR}, {"flavour": STR}),
        tool("get_user", "Get a user: name, email and flavour.", {"user_id": STR}),
    ],
    ids=("written", "named"),
)
def test_a_filter_that_another_tool_knows_as_a_field_counts(more: ToolSpec) -> None:
    spec = tool("list_users", "List users.", None, {"flavour": STR})
    others = tuple(each for each in listing().tools if each.name not in (spec.name, more.name))
    pieces = analyse(Listing("desk", (*others, spec, more)))
    found = {t.spec.name: t.kind for piece in pieces for t in piece.tools}
    assert found["list_users"] == "deterministic"
