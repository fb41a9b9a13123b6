"""The `openai` policy against a real server: what is sent, what comes back, and faults."""

import json
import time
from typing import Any

import pytest
from compoworld_policy_openai.policy import ChatPolicy, sendable

from compoworld_core import plugins
from compoworld_core.errors import ModelError, UsageError
from compoworld_core.meta import SCHEMAS
from compoworld_core.testing.endpoint import EndpointHandler, Fault, ScriptedEndpoint

ASKED = [{"role": "user", "content": "Do it."}]


def policy(**options: Any) -> ChatPolicy:
    return ChatPolicy(None, seed=5, **{"pause": 0.01, "timeout": 5.0, **options})


def refuse(status: int, message: str = "no", **headers: str) -> Fault:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: handler.refuse(status, message, named)


def garble(content: bytes) -> Fault:
    return lambda handler: handler.send(200, content)


def cut(handler: EndpointHandler) -> None:
    """Promise a body, send half, hang up."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def hang_up(handler: EndpointHandler) -> None:
    handler.close_connection = True


def call(name: str, arguments: str, key: str = "a") -> dict[str, Any]:
    return {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}


# -- what is sent --------------------------------------------------------------------------


def test_a_request_holds_history_tools_model_and_seed(endpoint: ScriptedEndpoint) -> None:
    policy(temperature=0.3, max_tokens=64).act(ASKED, SCHEMAS)
    assert endpoint.paths == ["/v1/chat/completions"]
    body = endpoint.bodies[0]
    assert body == {
        "messages": ASKED,
        "tools": SCHEMAS,
        "model": "scripted",
        "seed": 5,
        "temperature": 0.3,
        "max_tokens": 64,
    }


def test_the_key_comes_from_the_environment(
    endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy().act(ASKED, SCHEMAS)
    monkeypatch.setenv("OPENAI_API_KEY", "one")
    policy().act(ASKED, SCHEMAS)
    monkeypatch.setenv("COMPOWORLD_OPENAI_API_KEY", "two")
    policy().act(ASKED, SCHEMAS)
    found = [headers.get("Authorization") for headers in endpoint.headers]
    assert found == [None, "Bearer one", "Bearer two"]


def test_more_keys_of_the_body_and_null_leaves_one_out(endpoint: ScriptedEndpoint) -> None:
    policy(model="other", body={"seed": None, "top_k": 20}).act(ASKED, SCHEMAS)
    body = endpoint.bodies[0]
    assert (body["model"], body["top_k"], "seed" in body) == ("other", 20, False)


def test_malformed_calls_of_the_history_are_sent_so_that_a_server_can_parse_them() -> None:
    calls = [call("call tool!", '{"a": '), call("", ""), call("list_services", '{"a": 1}')]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    sent = [each["function"] for each in sendable(message)["tool_calls"]]
    assert sent == [
        {"name": "call_tool_", "arguments": '{"malformed": "{\\"a\\": "}'},
        {"name": "unnamed", "arguments": "{}"},
        {"name": "list_services", "arguments": '{"a": 1}'},
    ]
    assert calls[0]["function"]["arguments"] == '{"a": ', "the history itself stays"


@pytest.mark.parametrize("kept", [True, False])
def test_earlier_reasoning_is_sent_back_unless_told_otherwise(
    endpoint: ScriptedEndpoint, kept: bool
) -> None:
    said = {"role": "assistant", "content": "x", "reasoning_content": "Hm."}
    policy(reasoning=kept).act([*ASKED, said, *ASKED], SCHEMAS)
    assert ("reasoning_content" in endpoint.bodies[0]["messages"][1]) is kept


# -- what comes back -----------------------------------------------------------------------


def test_the_message_is_as_written_with_reasoning_and_counts(
    endpoint: ScriptedEndpoint,
) -> None:
    calls = [call("call_tool", '{"broken": '), call("no_such_tool", "{}", "b")]
    endpoint.model = lambda body: {"reasoning_content": "Hm.", "tool_calls": calls}
    endpoint.usage = {
        "prompt_tokens": 7,
        "completion_tokens": 3,
        "total_tokens": 10,
        "completion_tokens_details": {"reasoning_tokens": 2},
        "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 0},
    }
    said = policy().act(ASKED, SCHEMAS)
    assert said["tool_calls"] == calls
    assert said["reasoning_content"] == "Hm."
    assert said["usage"] == {
        "prompt_tokens": 7,
        "completion_tokens": 3,
        "total_tokens": 10,
        "reasoning_tokens": 2,
        "cached_tokens": 4,
        "retries": 0,
    }


def test_reasoning_under_its_other_name_is_kept(endpoint: ScriptedEndpoint) -> None:
    endpoint.model = lambda body: {"content": "x", "reasoning": "Hm."}
    assert policy().act(ASKED, SCHEMAS)["reasoning_content"] == "Hm."


def test_content_in_parts_is_joined(endpoint: ScriptedEndpoint) -> None:
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image"},
        "?",
        {"type": "text", "text": "b"},
    ]
    endpoint.say({"content": parts})
    assert policy().act(ASKED, SCHEMAS)["content"] == "ab"


@pytest.mark.parametrize("usage", [None, "many", {"prompt_tokens": None}])
def test_missing_counts_are_no_fault(endpoint: ScriptedEndpoint, usage: Any) -> None:
    endpoint.usage = usage
    assert policy().act(ASKED, SCHEMAS)["usage"] == {"retries": 0}


# -- faults that may pass ------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        refuse(429),
        refuse(500),
        refuse(503),
        cut,
        hang_up,
        garble(b"<html>busy</html>"),
        garble(b'{"choices": []}'),
        garble(b"[1]"),
    ],
    ids=["429", "500", "503", "cut", "hung-up", "no-json", "no-choice", "no-object"],
)
def test_a_fault_that_may_pass_is_tried_again(endpoint: ScriptedEndpoint, fault: Fault) -> None:
    endpoint.faults = [fault, fault]
    said = policy().act(ASKED, SCHEMAS)
    assert (said["content"], said["usage"]["retries"]) == ("Done.", 2)
    assert endpoint.bodies[0] == endpoint.bodies[2], "the same request again"


def test_retry_after_is_obeyed(endpoint: ScriptedEndpoint) -> None:
    endpoint.faults = [refuse(429, Retry_After="0.3")]
    start = time.monotonic()
    policy().act(ASKED, SCHEMAS)
    assert 0.3 <= time.monotonic() - start < 3


def test_retry_after_as_a_date_counts_from_the_servers_clock(
    endpoint: ScriptedEndpoint,
) -> None:
    def fault(handler: EndpointHandler) -> None:
        handler.date_time_string = lambda: "Mon, 05 Jan 2026 10:00:00 GMT"
        handler.send(503, {}, {"Retry-After": "Mon, 05 Jan 2026 10:00:01 GMT"})

    endpoint.faults = [fault]
    start = time.monotonic()
    policy().act(ASKED, SCHEMAS)
    assert 1 <= time.monotonic() - start < 4


def test_a_slow_answer_is_awaited_and_one_beyond_the_timeout_is_asked_for_again(
    endpoint: ScriptedEndpoint,
) -> None:
    endpoint.delay = 0.2
    assert policy(timeout=5.0).act(ASKED, SCHEMAS)["usage"]["retries"] == 0
    endpoint.faults = [lambda handler: time.sleep(1.0)]
    endpoint.delay = 0.0
    assert policy(timeout=0.3).act(ASKED, SCHEMAS)["usage"]["retries"] == 1


def test_an_answer_that_drips_on_is_given_up(endpoint: ScriptedEndpoint) -> None:
    def drip(handler: EndpointHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        for _ in range(40):
            handler.wfile.write(b" ")
            time.sleep(0.05)

    endpoint.faults = [drip]
    with pytest.raises(ModelError, match=r"no answer within 0\.4 s"):
        policy(timeout=0.4, tries=1).act(ASKED, SCHEMAS)


def test_after_the_last_try_it_is_a_transient_model_error(endpoint: ScriptedEndpoint) -> None:
    endpoint.faults = [refuse(500, "the GPU is on fire")] * 3
    with pytest.raises(
        ModelError, match=r"500: the GPU is on fire \(after 3 tries\)"
    ) as caught:
        policy(tries=3).act(ASKED, SCHEMAS)
    assert caught.value.transient
    assert len(endpoint.bodies) == 3


def test_nobody_at_the_address_is_a_transient_model_error() -> None:
    with pytest.raises(ModelError) as caught:
        policy(base_url="http://127.0.0.1:1/v1", model="m", tries=2).act(ASKED, SCHEMAS)
    assert caught.value.transient


# -- faults that stay ----------------------------------------------------------------------


def test_a_refused_request_is_not_tried_again(endpoint: ScriptedEndpoint) -> None:
    endpoint.faults = [refuse(400, "the context is too long")]
    with pytest.raises(ModelError, match="400: the context is too long") as caught:
        policy().act(ASKED, SCHEMAS)
    assert not caught.value.transient
    assert len(endpoint.bodies) == 1


@pytest.mark.parametrize("status", [400, 401, 500])
def test_a_key_that_an_endpoint_repeats_is_not_told(
    endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    endpoint.faults = [refuse(status, "nope: Bearer sk-secret " + "x" * 300)]
    with pytest.raises((ModelError, UsageError), match="nope") as caught:
        policy(tries=1).act(ASKED, SCHEMAS)
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "cure"), [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "scripted")]
)
def test_a_wrong_key_or_model_stops_the_run_and_says_what_to_set(
    endpoint: ScriptedEndpoint, status: int, cure: str
) -> None:
    endpoint.faults = [refuse(status)]
    with pytest.raises(UsageError, match=cure):
        policy().act(ASKED, SCHEMAS)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"model": "m"}, "COMPOWORLD_OPENAI_BASE_URL"),
        ({"base_url": "http://127.0.0.1:9/v1"}, "--option model=NAME"),
        ({"base_url": "127.0.0.1:9", "model": "m"}, "write it like"),
        ({"base_url": "http://127.0.0.1:9/v1", "model": "m", "tries": 0}, "tries is 0"),
        ({"base_url": "http://127.0.0.1:9/v1", "model": "m", "timeout": "long"}, "timeout is"),
        ({"base_url": "http://127.0.0.1:9/v1", "model": "m", "body": [1]}, "JSON object"),
    ],
)
def test_what_is_missing_or_wrong_is_said(
    options: dict[str, Any], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"COMPOWORLD_{name}", raising=False)
    with pytest.raises(UsageError, match=why):
        policy(**options)


def test_it_is_found_by_name_and_the_key_is_not_shown(
    endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-1")
    assert plugins.policies().load("openai") is ChatPolicy
    assert "secret-1" not in repr(policy()._connection)


def test_a_body_is_json_whatever_the_text(endpoint: ScriptedEndpoint) -> None:
    text = "Zoë 🙂 \u2028 </tool_call> ```"
    policy().act([{"role": "user", "content": text}], SCHEMAS)
    assert endpoint.bodies[0]["messages"][0]["content"] == text
    assert json.dumps(endpoint.bodies[0])
