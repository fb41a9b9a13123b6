"""The four meta-tools: what an agent sees, and what becomes of calls a model got wrong."""

import json
from typing import Any

import jsonschema
import pytest
from desk import service as desk
from ledgerbook import service as ledgerbook

from compoworld_core import compose
from compoworld_core.meta import MetaTools


@pytest.fixture(scope="module")
def meta() -> MetaTools:
    return compose(desk, ledgerbook, seed=3, scale=20).meta


def test_services_are_listed_with_summaries(meta: MetaTools) -> None:
    listed = meta.list_services().data["services"]
    assert listed[1] == {"name": "ledgerbook", "summary": "Invoices by number.", "tools": 8}


def test_tools_are_listed_with_their_first_line(meta: MetaTools) -> None:
    listed = meta.list_tools("desk").data["tools"]
    assert {
        "name": "set_status",
        "summary": "Move a ticket on; a solved one stays solved.",
    } in listed
    assert len(listed) == len(desk.tools)


def test_a_tool_is_described_with_its_schema(meta: MetaTools) -> None:
    described = meta.describe_tool("desk", "get_ticket").data
    assert described["description"] == "Show one ticket."
    assert described["input_schema"]["required"] == ["ticket_id"]


def test_a_call_reaches_the_tool_and_the_transcript() -> None:
    env = compose(desk, seed=3, scale=20)
    assert env.meta.call_tool("desk", "set_motto", {"motto": "m"}).data == "m"
    assert env.transcript[-1].tool == "desk.set_motto"
    assert not env.meta.call_tool("desk", "list_agents").is_error


def test_looking_around_changes_nothing_and_is_no_call() -> None:
    env = compose(desk, seed=3, scale=20)
    before = env.digest()
    env.meta.list_services()
    env.meta.list_tools("desk")
    env.meta.describe_tool("desk", "get_ticket")
    assert (env.digest(), env.transcript) == (before, [])


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("list_tool", {}, "Closest: list_tools"),
        ("list_tools", {"service": "dask"}, "Closest: desk"),
        ("describe_tool", {"service": "desk", "tool": "get_tickets"}, "get_ticket"),
        ("describe_tool", {"service": "dask", "tool": "get_ticket"}, "Closest: desk"),
        ("list_tools", {}, "service: missing"),
        ("list_tools", {"service": "desk", "x": 1}, "x: unknown argument"),
        ("list_tools", {"service": 3}, "must be a string"),
        ("list_tools", {"service": None}, "must be a string"),
        ("list_services", "{", "not JSON"),
        ("list_services", "[]", "JSON object"),
        ("list_services", "null", "JSON object"),
        ("list_services", '{"a":' * 100_000, "not JSON"),
        ("call_tool", {"service": "desk", "tool": "get_ticket", "arguments": [1]}, "an object"),
        ("call_tool", {"service": "desk", "tool": "get_ticket", "arguments": "{"}, "JSON"),
        ("call_tool", {"service": "desk", "tool": "get_ticket"}, "ticket_id: missing"),
        ("call_tool", {"service": "desk", "tool": "", "arguments": {}}, "no tool"),
    ],
)
def test_a_wrong_call_is_an_observation_that_helps(
    meta: MetaTools, name: str, arguments: Any, says: str
) -> None:
    observation = meta.dispatch(name, arguments)
    assert observation.is_error
    assert says in observation.text


@pytest.mark.parametrize("arguments", ["", "{}", {}])
def test_no_arguments_are_no_arguments(meta: MetaTools, arguments: Any) -> None:
    assert not meta.dispatch("list_services", arguments).is_error


@pytest.mark.parametrize("inner", [{}, None, "{}", ""])
def test_a_call_without_arguments_runs(meta: MetaTools, inner: Any) -> None:
    values = {"service": "desk", "tool": "list_agents", "arguments": inner}
    assert meta.dispatch("call_tool", values).is_error is (inner == "")


def test_the_verifier_and_the_environment_are_out_of_reach(meta: MetaTools) -> None:
    for name in ("call", "fork", "digest", "state", "finish", "dispatch", "schemas", "verify"):
        assert meta.dispatch(name, {}).code == "not_found"


def test_the_schemas_are_sound_copies() -> None:
    schemas = MetaTools.schemas()
    assert [s["function"]["name"] for s in schemas] == [
        "list_services",
        "list_tools",
        "describe_tool",
        "call_tool",
    ]
    for schema in schemas:
        jsonschema.Draft202012Validator.check_schema(schema["function"]["parameters"])
    schemas[0]["function"]["name"] = "changed"
    assert MetaTools.schemas()[0]["function"]["name"] == "list_services"


# -- guards --------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [None, 5, ["desk"], {}])
def test_a_name_that_is_no_text_is_an_observation(meta: MetaTools, wrong: Any) -> None:
    found = [
        meta.list_tools(wrong),
        meta.describe_tool("desk", wrong),
        meta.call_tool(wrong, "list_agents"),
        meta.dispatch(wrong, {}),
        meta.dispatch("list_tools", {"service": wrong}),
    ]
    assert [each.code for each in found] == ["invalid_argument"] * 5


@pytest.mark.parametrize(
    "text",
    [
        '{"service": "desk", "service": "ledgerbook"}',
        '{"service": "desk", "tool": "set_motto", "arguments": {"motto": "a", "motto": "b"}}',
        json.dumps(
            {"service": "desk", "tool": "set_motto", "arguments": '{"motto":"a","motto":"b"}'}
        ),
    ],
)
def test_a_key_given_twice_is_refused(meta: MetaTools, text: str) -> None:
    observation = meta.dispatch("call_tool" if "motto" in text else "list_tools", text)
    assert observation.code == "invalid_argument"
    assert "given twice" in observation.text


def test_what_a_description_hands_out_is_a_copy(meta: MetaTools) -> None:
    meta.describe_tool("desk", "get_ticket").data["input_schema"].clear()
    assert meta.describe_tool("desk", "get_ticket").data["input_schema"]["required"]


HUGE = "x" * 1_000_000


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (HUGE, {}),
        ("list_tools", {"service": HUGE}),
        ("list_services", {HUGE: 1}),
        ("list_services", {f"{n}{HUGE[:200]}": 1 for n in range(500)}),
        ("describe_tool", {"service": "desk", "tool": HUGE}),
    ],
)
def test_an_error_repeats_the_beginning_of_a_huge_name(
    meta: MetaTools, name: str, arguments: Any
) -> None:
    observation = meta.dispatch(name, arguments)
    assert observation.is_error
    assert len(observation.text) < 1500


def test_an_error_holds_no_lone_surrogate(meta: MetaTools) -> None:
    observation = meta.dispatch("list_services", '{"\\ud800": 1}')
    assert observation.text.startswith("invalid_argument: ?: unknown argument")
