"""Switches of an answer, other keys of a record, stated rules: obeyed by emitted tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from compoworld_synth.listing import Listing, ToolSpec
from emitted_service import Call, caller, emitted
from shop_desk import FLAG, IDS, INT, TEXT, tool


def said(text: str, **more: Any) -> dict[str, Any]:
    """A text with these words about it."""
    return {**TEXT, "description": text, **more}


def flag(text: str = "") -> dict[str, Any]:
    """A switch with these words about it."""
    return {**FLAG, "description": text}


NULL = {"type": ["string", "null"], "description": "Owner of it. Pass null to clear it."}
ISSUE = said("ID or identifier of the issue (e.g. ABC-123)")
TOOLS: tuple[ToolSpec, ...] = (
    tool("create_issue", "Create an issue. Exactly one of email or phone must be provided.",
         "title", title=said("Title; must be unique"), body=TEXT, owner=NULL, email=TEXT,
         phone=TEXT, team=said("Name of the team (required)"), dry_run=FLAG),
    tool("get_issue", "Get an issue.", "issue_id", issue_id=ISSUE,
         fields=said("Comma-separated fields to return")),
    tool("list_issues", "List issues.", "", include_archived=FLAG, limit=INT,
         include_body=flag("Include the body (default: false)"),
         user_id_type=said("Form of ids", enum=["open_id", "union_id"])),
    tool("archive_issue", "Archive an issue.", "issue_id", issue_id=ISSUE),
    tool("update_issue", "Update an issue. Provide at least one other field to change.",
         "issue_id", issue_id=ISSUE, title=TEXT, body=TEXT, owner=NULL),
    tool("delete_issue", "Delete an issue.", "issue_id", issue_id=ISSUE),
    tool("create_remark", "Create a remark on an issue.", "issue_id text", issue_id=ISSUE,
         text=TEXT),
    tool("list_remarks", "List the remarks of an issue.", "issue_id", issue_id=ISSUE),
    tool("get_release", "Get a release.", "release_id",
         release_id=said("Release ID or its URL"), include_remarks=FLAG),
    tool("create_release", "Create a release.", "name", name=TEXT, tags=IDS, draft=FLAG),
    tool("list_releases", "List releases.", "", full=flag("Return all fields"),
         draft_only=flag("Only show drafts")),
)  # fmt: skip


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with emitted(Listing("tracker", TOOLS), tmp_path_factory.mktemp("desk") / "p") as made:
        yield made


@pytest.fixture
def call(service: Any) -> Call:
    return caller(service)


@pytest.fixture
def issue(call: Call) -> Any:
    return call("create_issue", title="Leak", team="Ops", email="a@b.example", body="Wet")


def kept(call: Call, **asked: Any) -> list[str]:
    return [row["title"] for row in call("list_issues", limit=500, **asked)["issues"]]


def test_all_but_what_no_record_holds_have_code(service: Any) -> None:
    simulated = {name for name, each in service.tools.items() if each.kind == "simulated"}
    assert simulated == {"get_release"}


def test_a_record_is_found_by_its_other_key(call: Call, issue: Any) -> None:
    assert issue["identifier"]
    assert call("get_issue", issue_id=issue["identifier"].lower())["id"] == issue["id"]
    remark = call("create_remark", issue_id=issue["identifier"], text="Hm")
    assert remark["issue_id"] == issue["id"]
    assert call("get_issue", issue_id="ABC-0") == "not_found"


def test_only_the_fields_that_are_asked_for_are_shown(call: Call, issue: Any) -> None:
    assert set(call("get_issue", issue_id=issue["id"], fields="title, body")) == {
        "id", "title", "body",
    }  # fmt: skip


def test_archived_records_are_shown_where_they_are_asked_for(call: Call, issue: Any) -> None:
    assert "Leak" in kept(call)
    call("archive_issue", issue_id=issue["id"])
    assert "Leak" not in kept(call)
    assert "Leak" in kept(call, include_archived=True)


def test_a_part_is_shown_where_it_is_asked_for(call: Call, issue: Any) -> None:
    plain = call("list_issues", limit=500)["issues"]
    assert all("body" not in row for row in plain)
    told = call("list_issues", limit=500, include_body=True)["issues"]
    assert any(row["body"] == "Wet" for row in told)


def test_another_form_of_the_answer_is_refused(call: Call) -> None:
    assert call("list_issues", user_id_type="union_id") == "invalid_argument"
    assert call("list_issues", user_id_type="open_id")["issues"]


def test_a_short_answer_leaves_fields_out(call: Call) -> None:
    short, full = (
        call("list_releases")["releases"],
        call("list_releases", full=True)["releases"],
    )
    assert set(short[0]) == {"id", "name"}
    assert set(full[0]) > {"id", "name"}


def test_a_flag_that_only_selects_selects_nothing_where_it_is_off(call: Call) -> None:
    every, drafts, off = (
        call("list_releases", full=True, **asked)["releases"]
        for asked in ({}, {"draft_only": True}, {"draft_only": False})
    )
    assert {row["draft"] for row in drafts} == {True}
    assert off == every != drafts


def test_null_empties_a_field_and_nothing_leaves_it(call: Call, issue: Any) -> None:
    call("update_issue", issue_id=issue["id"], owner="Ada")
    assert call("update_issue", issue_id=issue["id"], body="Dry")["owner"] == "Ada"
    assert call("update_issue", issue_id=issue["id"], owner=None)["owner"] is None


def test_a_change_of_nothing_is_refused(call: Call, issue: Any) -> None:
    assert call("update_issue", issue_id=issue["id"]) == "invalid_argument"


def test_what_words_require_is_required(call: Call) -> None:
    assert call("create_issue", title="One", email="a@b.example") == "invalid_argument"


@pytest.mark.parametrize("given", [{}, {"email": "a@b.example", "phone": "1"}], ids=["0", "2"])
def test_exactly_one_of_two_is_given(call: Call, given: dict[str, str]) -> None:
    assert call("create_issue", title="One", team="Ops", **given) == "invalid_argument"


def test_a_unique_value_is_taken_once(call: Call, issue: Any) -> None:
    assert call("create_issue", title="Leak", team="Ops", phone="1") == "conflict"


def test_a_call_that_only_tries_changes_nothing(call: Call) -> None:
    tried = call("create_issue", title="Trial", team="Ops", phone="1", dry_run=True)
    assert tried["executed"] is False
    assert "Trial" not in kept(call)
