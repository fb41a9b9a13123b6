"""Described: what descriptions say of contents, order and defaults, and what they do not."""

from __future__ import annotations

from typing import Any

import pytest
from compoworld_synth import defaults, described, filters
from compoworld_synth.schemas import Param


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("List plans with their price, features and owner.", ("price", "features", "owner")),
        ("Shows allowed qualities, upgrade settings, and formats.",
         ("allowed_qualities", "upgrade_settings", "formats")),
        ("Returns: reportId (for others), date, SDO score (0-100), hasDetail flag.",
         ("reportId", "date", "sdo_score", "has_detail_flag")),
        ("List stores. Returns name and location for each.", ("name", "location")),
        ("Returns a list of projects.", ()),
        ("List issues with filters for status and priority.", ()),
        ("Use this with get_user and list_users.", ()),
        ("Returns success or error.", ()),
        ("Get the image with the given width.", ()),
    ],
)  # fmt: skip
def test_contents_are_what_an_enumeration_names(text: str, names: tuple[str, ...]) -> None:
    assert described.contents(text, ("plan",)) == names


def test_a_noun_is_no_content_of_itself() -> None:
    assert described.contents("Shows tags, colors and owners.", ("tag",)) == (
        "colors",
        "owners",
    )


def test_what_all_rows_have_one_of_is_singular_in_a_list() -> None:
    listed = described.fields("List them with codes and symbols.", ("currency",), many=True)
    shown = described.fields("Get one with codes and symbols.", ("currency",), many=False)
    assert [each.name for each in listed] == ["code", "symbol"]
    assert [(each.name, each.type) for each in shown] == [
        ("codes", "list"),
        ("symbols", "list"),
    ]


def test_fields_have_the_type_that_their_names_tell() -> None:
    found = described.fields(
        "Returns name, due date, item count, total price and archived flag.", (), many=False
    )
    assert [each.type for each in found] == ["str", "datetime", "int", "float", "bool"]
    assert {each.source for each in found} == {"described"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("List jobs, sorted by name.", ("name", False)),
        ("Notes sorted by date (newest first).", ("date", True)),
        ("Lists builds, most recent first.", ("", True)),
        ("Lists builds. Use list_jobs first.", None),
    ],
)
def test_the_order_of_a_list(text: str, said: tuple[str, bool] | None) -> None:
    assert described.order(text) == said


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("If the task is not in the list, success is returned.", True),
        ("Does nothing when already removed.", True),
        ("Removes a task. Returns not found if it does not exist.", False),
    ],
)
def test_removing_what_is_gone(text: str, fine: bool) -> None:
    assert described.tolerant(text) is fine


def _param(kind: str, text: str, **more: Any) -> Param:
    return Param("value", ("value",), kind, description=text, **more)


@pytest.mark.parametrize(
    ("param", "value"),
    [
        (_param("int", "Page size (default: 20)"), 20),
        (_param("bool", "Defaults to true."), True),
        (_param("str", "Font (default 'Inter')"), "Inter"),
        (_param("str", "One of them, default OPEN", enum=("open", "done")), "open"),
        (_param("str", "Default", default="x", has_default=True), "x"),
        (_param("str", "Defaults to the owner's"), None),
        (_param("int", "No default is known"), None),
        (_param("str", "Default: 'later'", enum=("open", "done")), None),
    ],
)
def test_defaults_by_schema_or_prose(param: Param, value: Any) -> None:
    assert defaults.of(param) == value


@pytest.mark.parametrize(
    ("name", "text", "stated"),
    [
        ("style", "Filter by style", True),
        ("owner", "Only return items of this owner", True),
        ("query", "A filter expression over fields", False),
        ("archived", "Also include archived items, filtered out otherwise", False),
        ("enrich", "Adds details to each item", False),
    ],
)
def test_a_filter_that_says_what_it_selects(name: str, text: str, stated: bool) -> None:
    assert filters.stated(Param(name, (name,), "str", description=text)) is stated


@pytest.mark.parametrize(
    ("name", "text", "sign"),
    [
        ("title", "Supports partial matches", "contains"),
        ("path_prefix", "Path prefix", "prefix"),
        ("tags", "Comma-separated tags to filter by", "in"),
        ("title", "The exact title", "eq"),
    ],
)
def test_how_a_filter_compares(name: str, text: str, sign: str) -> None:
    assert filters.comparison(Param(name, (name,), "str", description=text), "eq") == sign


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("Build number; the last build when omitted", True),
        ("Filter by status. If omitted, all are listed", False),
        ("Filter by status (default: 'open')", False),
    ],
)
def test_what_an_absent_filter_selects(text: str, instead: bool) -> None:
    assert filters.instead(_param("str", text)) is instead
