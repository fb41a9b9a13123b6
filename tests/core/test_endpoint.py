"""The scripted endpoint that tests of policies, users and agents talk to."""

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest

from compoworld_core.testing.endpoint import ScriptedEndpoint, scripted_endpoint


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedEndpoint]:
    with scripted_endpoint() as made:
        yield made


def ask(server: ScriptedEndpoint, body: dict[str, Any], **headers: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def choice(server: ScriptedEndpoint) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ask(server, {"model": "m"})[1])["choices"][0]
    return found


def test_replies_come_in_order_and_the_last_for_ever(server: ScriptedEndpoint) -> None:
    server.say("one", None, {"reasoning": "Hm."})
    said = [choice(server)["message"] for _ in range(4)]
    assert [each["content"] for each in said] == ["one", None, None, None]
    assert said[3]["reasoning"] == "Hm."


def test_calls_of_tools_end_the_choice_as_such(server: ScriptedEndpoint) -> None:
    server.say(
        {"tool_calls": [{"id": "a"}]},
        {"message": {"content": "x"}},
        {"finish_reason": "length"},
    )
    found = [(choice(server)["finish_reason"]) for _ in range(3)]
    assert found == ["tool_calls", "stop", "length"]


def test_numbers_are_refusals_and_bytes_whole_bodies(server: ScriptedEndpoint) -> None:
    server.say(503, b"<html>")
    assert ask(server, {}) == (503, '{"error": {"message": "scripted 503"}}')
    assert ask(server, {}) == (200, "<html>")


def test_a_fault_takes_the_place_of_a_reply(server: ScriptedEndpoint) -> None:
    server.say("well")
    server.faults = [
        lambda handler: handler.refuse(429, "slow down", {"Retry-After": "1"}),
        None,
    ]
    assert [ask(server, {})[0] for _ in range(3)] == [429, 200, 200]


def test_a_stream_ends_in_counts(server: ScriptedEndpoint) -> None:
    server.say({"content": "x", "tool_calls": [{"id": "a"}, {"id": "b"}]})
    _, text = ask(server, {"stream": True})
    *events, end = [line.removeprefix("data: ") for line in text.split("\n\n") if line]
    first, last, counts = map(json.loads, events)
    assert end == "[DONE]"
    assert [each["index"] for each in first["choices"][0]["delta"]["tool_calls"]] == [0, 1]
    assert last["choices"][0]["finish_reason"] == "tool_calls"
    assert counts["usage"]["prompt_tokens"] == 100


def test_a_key_is_asked_for_where_there_is_one(server: ScriptedEndpoint) -> None:
    server.say("in")
    server.key = "k"
    try:
        assert ask(server, {})[0] == 401
        assert ask(server, {}, Authorization="Bearer k")[0] == 200
    finally:
        server.key = ""
