"""What is read from words: other keys of a record, demands of a call, states, contents."""

from __future__ import annotations

from typing import Any

import pytest
from compoworld_synth import alternatives, defaults, described, results, stated_rules, switches
from compoworld_synth.kinds import states
from compoworld_synth.listing import ToolSpec
from compoworld_synth.operations import Operation, Phrase
from compoworld_synth.resources import Resource
from compoworld_synth.schemas import Param


def param(text: str, name: str = "it", kind: str = "str", **more: Any) -> Param:
    """A parameter with these words about it."""
    return Param(name, (name,), kind, description=text, **more)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("The ID or slug of the project", ("slug",)),
        ("ID or identifier (e.g. ABC-123)", ("identifier",)),
        ("Course code or Canvas ID", ("code",)),
        ("The template ID, alias, or dashboard URL (e.g. https://x)", ("alias", "url")),
        ("Numeric project id or URL identifier", ("identifier",)),
        ("User ID or email address", ("email",)),
        ("User ID, or the 'me' shortcut", ("me",)),
        ("Numeric user id ('me' isn't accepted in writes)", ()),
        ("The ID of the workspace or organization", ()),
        ("The ID of it. Either id or name must be provided.", ()),
    ],
)
def test_other_keys_are_read_from_the_words_of_a_parameter(
    text: str, named: tuple[str, ...]
) -> None:
    assert alternatives.of(param(text)) == named


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("Title (required)", True),
        ("REQUIRED: the title", True),
        ("Required if start is given", False),
        ("Title (optional)", False),
        ("Required; defaults to the caller", False),
    ],
)
def test_what_words_alone_require(text: str, needed: bool) -> None:
    assert stated_rules.needed(param(text)) is needed


def test_choices_are_read_only_where_all_of_them_are_parameters() -> None:
    two = [param("", "a_id"), param("", "b_id")]
    said = "Exactly one of a_id or b_id must be given."
    assert stated_rules.choices(said, two)[0].how == "one"
    assert stated_rules.choices(said, two[:1]) == ()


def test_a_list_of_required_parameters_is_plain_or_not_read() -> None:
    two = [param("", "title"), param("", "start")]
    assert stated_rules.listed("title and start are required.", two) == ("title", "start")
    assert stated_rules.listed("title or start are required.", two) == ()
    assert stated_rules.listed("Admin rights and title are required.", two) == ()


def resource(*values: str) -> Resource:
    """Requests that are listed by these values of their state."""
    asked = Param("state", ("state",), "str", enum=values)
    spec = ToolSpec("list_requests", "", "", {})
    made = Resource("request", ("request",))
    made.operations.append(Operation(spec, (asked,), Phrase("list", "list", ("request",))))
    return made


def test_states_are_written_as_the_server_writes_them() -> None:
    known = resource("Open", "Cancelled")
    assert states.spelled([("status", "canceled")], known) == (("state", "Cancelled"),)
    assert states.spelled([("status", "open")], known) == (("state", "Open"),)


def test_a_state_that_the_server_does_not_list_is_unknown() -> None:
    known = resource("open", "merged")
    assert states.unknown([("state", "approved")], known) == "approved"
    assert states.unknown([("state", "merged")], known) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Gets a plan. Does not return prices, features and limits.",
        "Gets a plan with its plan_id.",
    ],
)
def test_what_is_not_shown_and_the_key_itself_are_no_contents(text: str) -> None:
    assert described.contents(text, ("plan",)) == ()


def test_rows_are_not_what_stands_beside_them() -> None:
    rows = {"type": "array", "items": {"type": "object", "properties": {"id": {}}}}
    schema = {"type": "object", "properties": {"groups": rows, "items": rows}}
    assert results.shape(ToolSpec("list_x", "", "", {}, schema), ("x",))[0] == "items"


@pytest.mark.parametrize(
    ("text", "value"),
    [("Size (default: Balanced_B0)", "Balanced_B0"), ("Defaults to whatever is set", None)],
)
def test_a_default_that_is_one_word_of_code_is_one(text: str, value: str | None) -> None:
    assert defaults.of(param(text)) == value


@pytest.mark.parametrize(
    ("name", "kind", "role"),
    [
        ("include_archived", "list", "hidden"),
        ("include_comments", "get", "part"),
        ("verbose", "get", "slim"),
        ("include_children", "get", None),
        ("include_archived", "get", "part"),
    ],
)
def test_a_switch_gets_the_role_that_its_kind_can_obey(
    name: str, kind: str, role: str | None
) -> None:
    made = switches.role(param("", name, "bool"), kind)
    assert (made.role if made is not None else None) == role
