"""The way out of the sandbox: what passes it, what does not, and what is counted."""

import http.client
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from compoworld_policy_openai.endpoint import Endpoint
from compoworld_synth.agentic import proxy
from compoworld_synth.agentic.budget import Budget, Spending

from compoworld_core.testing.endpoint import ScriptedEndpoint


class Connection(http.client.HTTPConnection):
    def __init__(self, place: Path) -> None:
        super().__init__("localhost", timeout=10)
        self.place = place

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.place))


def post(place: Path, body: Any, path: str = "/v1/chat/completions", **headers: str) -> Any:
    connection = Connection(place)
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        connection.request("POST", path, content, headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def ask(served: Endpoint, body: Any, budget: Budget | None = None, **headers: str) -> Any:
    spending = Spending(budget or Budget())
    with proxy.serve(served, spending) as place:
        return (*post(place, body, **headers), spending)


MESSAGES = {"messages": [{"role": "user", "content": "hello"}]}


def test_an_answer_comes_back_and_is_counted(served: Endpoint) -> None:
    status, text, spending = ask(served, MESSAGES)
    assert status == 200
    assert json.loads(text)["choices"][0]["message"]["content"] == "Done."
    assert spending.figures() == {
        "requests": 1, "prompt_tokens": 100, "completion_tokens": 10, "estimated": 0,
        "refused": 0,
    }  # fmt: skip


def test_the_key_is_added_and_the_sandboxs_own_is_dropped(
    endpoint: ScriptedEndpoint, served: Endpoint, key: str
) -> None:
    status, _, _ = ask(served, MESSAGES, Authorization="Bearer mine", Cookie="a=b")
    assert status == 200
    assert endpoint.headers[0]["Authorization"] == f"Bearer {key}"
    assert "Cookie" not in endpoint.headers[0]


def test_the_model_is_the_configured_one_and_answers_one_at_a_time(
    endpoint: ScriptedEndpoint, served: Endpoint
) -> None:
    ask(served, {**MESSAGES, "model": "the dearest", "n": 50})
    assert (endpoint.bodies[0]["model"], endpoint.bodies[0]["n"]) == ("scripted", 1)


def test_a_stream_is_counted_by_its_last_event(
    endpoint: ScriptedEndpoint, served: Endpoint
) -> None:
    status, text, spending = ask(served, {**MESSAGES, "stream": True})
    assert status == 200
    assert text.endswith("data: [DONE]\n\n")
    assert (spending.prompt_tokens, spending.completion_tokens) == (100, 10)
    assert endpoint.bodies[0]["stream_options"] == {"include_usage": True}


def test_an_answer_without_counts_is_counted_by_its_length(
    endpoint: ScriptedEndpoint, served: Endpoint
) -> None:
    endpoint.usage = None
    _, text, spending = ask(served, MESSAGES)
    assert spending.estimated == 1
    assert spending.completion_tokens == len(text) // 4


@pytest.mark.parametrize("budget", [Budget(requests=2), Budget(tokens=190)])
def test_what_exceeds_the_budget_is_not_forwarded(
    endpoint: ScriptedEndpoint, served: Endpoint, budget: Budget
) -> None:
    spending = Spending(budget)
    with proxy.serve(served, spending) as place:
        statuses = [post(place, MESSAGES)[0] for _ in range(4)]
    assert statuses == [200, 200, 402, 402]
    assert (len(endpoint.bodies), spending.refused) == (2, 2)


def test_an_answer_may_be_no_longer_than_what_is_left(
    endpoint: ScriptedEndpoint, served: Endpoint
) -> None:
    ask(served, {**MESSAGES, "max_completion_tokens": 90_000}, Budget(tokens=500))
    assert 0 < endpoint.bodies[0]["max_completion_tokens"] < 500


@pytest.mark.parametrize(
    "path", ["/v1/files", "/", "/v1/chat/completions/../../admin", "http://192.0.2.1/v1/x"]
)
def test_only_one_path_leads_out(
    endpoint: ScriptedEndpoint, served: Endpoint, path: str
) -> None:
    with proxy.serve(served, Spending(Budget())) as place:
        assert post(place, MESSAGES, path)[0] == 404
    assert endpoint.bodies == []


def test_a_refused_client_can_send_all_it_has_before_it_is_told(served: Endpoint) -> None:
    # Far more than a socket holds: a server that does not listen breaks the pipe here.
    with proxy.serve(served, Spending(Budget())) as place:
        assert post(place, b"x" * (4 << 20), "/v1/files")[0] == 404


@pytest.mark.parametrize("body", [b"{", b"[]", b"[" * 100_000, b"\xff"])
def test_what_is_no_object_is_refused(
    endpoint: ScriptedEndpoint, served: Endpoint, body: bytes
) -> None:
    assert ask(served, body)[0] == 400
    assert endpoint.bodies == []


def test_a_request_without_end_is_refused(served: Endpoint) -> None:
    status, _, _ = ask(served, MESSAGES, **{"Content-Length": str(1 << 40)})
    assert status == 413


@pytest.mark.parametrize("status", [400, 500])
def test_an_error_that_repeats_the_key_comes_without_it(
    endpoint: ScriptedEndpoint, served: Endpoint, key: str, status: int
) -> None:
    endpoint.faults = [lambda handler: handler.refuse(status, f"wrong key {key}")]
    met, text, _ = ask(served, MESSAGES)
    assert met == status
    assert "wrong key" in text
    assert key not in text


def test_a_refusal_takes_a_request_and_no_tokens(
    endpoint: ScriptedEndpoint, served: Endpoint
) -> None:
    endpoint.say(500)
    _, _, spending = ask(served, MESSAGES)
    assert (spending.requests, spending.tokens, spending.estimated) == (1, 0, 0)


def test_an_endpoint_that_refuses_the_key_says_no_more(
    endpoint: ScriptedEndpoint, served: Endpoint, key: str
) -> None:
    endpoint.faults = [lambda handler: handler.refuse(401, f"invalid key {key[:8]}...")]
    _, text, _ = ask(served, MESSAGES)
    assert key[:8] not in text


def test_an_endpoint_that_is_not_there_is_an_error(
    endpoint: ScriptedEndpoint, served: Endpoint
) -> None:
    endpoint.server_close()
    status, text, _ = ask(served, MESSAGES)
    assert status == 502
    assert "does not answer" in text


def test_trouble_is_that_of_the_last_request(
    endpoint: ScriptedEndpoint, served: Endpoint
) -> None:
    spending = Spending(Budget())
    endpoint.say(429, "well")
    told = []
    with proxy.serve(served, spending) as place:
        for _ in range(3):
            post(place, MESSAGES)
            told.append(spending.trouble)
    assert "scripted 429" in told[0]
    assert told[1:] == ["", ""]


def test_a_redirect_is_not_followed(endpoint: ScriptedEndpoint, served: Endpoint) -> None:
    endpoint.say(307)
    assert ask(served, MESSAGES)[0] == 307
    assert len(endpoint.bodies) == 1
