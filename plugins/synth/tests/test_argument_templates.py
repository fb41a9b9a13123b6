"""What arguments do in emitted tools: defaults, masks, tokens, places, filters, order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from compoworld_synth.listing import Listing, ToolSpec
from emitted_service import Call, caller, emitted
from shop_desk import IDS, TEXT, tool


def said(text: str, **more: Any) -> dict[str, Any]:
    """A text with these words about it."""
    return {**TEXT, "description": text, **more}


STATUS = said("Filter by status: open, done or all", enum=["open", "done", "all"])
TOOLS: tuple[ToolSpec, ...] = (
    tool("create_note", "Create a note.", "shelf title", shelf=TEXT, title=TEXT,
         color=said("Color of the paper (default: 'yellow')"), tags=IDS,
         status=said("Status", enum=["open", "done"]), client_token=TEXT, opt_fields=said(
             "Comma-separated names of fields")),
    tool("get_note", "Get a note with its author, due date and page count.", "shelf note_id",
         shelf=TEXT, note_id=TEXT),
    tool("delete_note", "Delete a note.", "shelf note_id", shelf=TEXT, note_id=TEXT),
    tool("update_note", "Update a note.", "shelf note_id", shelf=TEXT, note_id=TEXT, title=TEXT,
         color=TEXT, update_fields={**IDS, "description": "Fields to update"}),
    tool("list_notes", "List notes, sorted by title.", "", status=STATUS, tags=IDS,
         title_filter=said("Filter by title; supports partial matches"),
         color=said("Comma-separated colors to filter by"), limit={
             "type": "integer", "description": "Page size (default: 2)"}),
    tool("create_pile", "Create a pile.", "name", name=TEXT),
    tool("list_piles", "List piles.", ""),
    tool("add_note_to_pile", "Add a note to a pile.", "note_id pile_id", note_id=TEXT,
         pile_id=TEXT),
    tool("remove_note_from_pile",
         "Remove a note from a pile. If it is not in the pile, success is returned.",
         "note_id pile_id", note_id=TEXT, pile_id=TEXT),
)  # fmt: skip


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with emitted(Listing("paper", TOOLS), tmp_path_factory.mktemp("desk") / "p") as made:
        yield made


@pytest.fixture
def call(service: Any) -> Call:
    return caller(service)


def listed(call: Call, **asked: Any) -> list[str]:
    return [row["title"] for row in call("list_notes", limit=20, **asked)["notes"]]


def test_every_tool_has_code(service: Any) -> None:
    assert {each.kind for each in service.tools.values()} == {"deterministic"}


def test_a_default_in_prose_is_written(call: Call) -> None:
    assert call("create_note", shelf="a", title="One")["color"] == "yellow"
    assert call("create_note", shelf="a", title="One", color="red")["color"] == "red"


def test_a_repeated_token_makes_nothing_new(call: Call) -> None:
    one, again, other = (
        call("create_note", shelf="a", title="One", client_token=token) for token in "xxy"
    )
    assert one["id"] == again["id"] != other["id"]


def test_what_says_how_to_answer_is_no_field(call: Call) -> None:
    made = call("create_note", shelf="a", title="One", opt_fields="title,color")
    assert set(made) == {"id", "title", "color"}


def test_contents_that_a_description_names_are_fields(call: Call) -> None:
    note = call("create_note", shelf="a", title="One")["id"]
    shown = call("get_note", shelf="a", note_id=note)
    assert {"author", "due_date", "page_count"} <= set(shown)


def test_a_place_is_compared_and_not_written(call: Call) -> None:
    note = call("create_note", shelf="a", title="One")["id"]
    assert call("update_note", shelf="b", note_id=note, title="Two") == "not_found"
    assert call("update_note", shelf="a", note_id=note, title="Two")["shelf"] == "a"
    assert call("delete_note", shelf="b", note_id=note) == "not_found"


def test_a_mask_names_the_fields_that_are_written(call: Call) -> None:
    note = call("create_note", shelf="a", title="One")["id"]
    ask = {"shelf": "a", "note_id": note, "title": "Two", "color": "red"}
    done = call("update_note", **ask, update_fields=["color"])
    assert (done["title"], done["color"]) == ("One", "red")


def test_a_filter_looks_for_parts_lists_and_all(call: Call) -> None:
    for title, color, status in (("Axe", "red", "open"), ("Saw", "blue", "done")):
        call("create_note", shelf="a", title=f"{title} 7731", color=color, status=status,
             tags=[title, "both"])  # fmt: skip
    mine = {"title_filter": "7731"}
    assert listed(call, **mine) == ["Axe 7731", "Saw 7731"]
    assert listed(call, **mine, color="red, green") == ["Axe 7731"]
    assert listed(call, **mine, color="red,blue") == ["Axe 7731", "Saw 7731"]
    assert listed(call, **mine, status="done") == ["Saw 7731"]
    assert listed(call, **mine, status="all") == ["Axe 7731", "Saw 7731"]
    assert listed(call, **mine, tags=["Saw"]) == ["Saw 7731"]


def test_a_list_is_sorted_and_paged_as_its_words_say(call: Call) -> None:
    titles = listed(call)
    assert titles == sorted(titles)
    assert len(titles) > 2
    assert len(call("list_notes")["notes"]) == 2


def test_what_is_not_joined_may_be_parted(call: Call) -> None:
    note = call("create_note", shelf="a", title="One")["id"]
    pile = call("create_pile", name="P")["id"]
    assert call("remove_note_from_pile", note_id=note, pile_id=pile)["deleted"] is True
    assert call("remove_note_from_pile", note_id=note, pile_id="none") == "not_found"
