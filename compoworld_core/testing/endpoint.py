"""Endpoint: a chat server on this machine that says what a test has written down.

It speaks the protocol of OpenAI's `POST /v1/chat/completions`, whole or as a stream, which is
what policies, simulated users, simulators, writers and coding agents talk to.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Fault = Callable[["EndpointHandler"], None]
"""Writes an answer of its own, or none."""

Reply = str | None | int | bytes | Mapping[str, Any]
"""Content of the message; status of a refusal; a whole body; or keys of the message, such as
`tool_calls`. A mapping with `message` or `finish_reason` has keys of the choice instead."""

Model = Callable[[dict[str, Any]], Reply]
"""From the body of a request to what is said."""

MODEL = "scripted"
"""The name under which the model is served."""


class ScriptedEndpoint(ThreadingHTTPServer):
    """A real server, its answers written down, and what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), EndpointHandler)
        self.model: Model = lambda body: "Done."
        """Asked for each reply; see also :meth:`say`."""
        self.faults: list[Fault | None] = []
        """Taken one by one instead of replies; None lets the model answer."""
        self.key = ""
        """Where there is one, requests without it are refused with 401."""
        self.delay = 0.0
        """Seconds before each reply."""
        self.usage: Any = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        """The token counts of each answer; None leaves them out."""
        self.bodies: list[dict[str, Any]] = []
        """Every request's JSON, in order of arrival."""
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.most_at_once = 0
        """Requests that were being answered at one time."""
        self._at_once = 0
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        """The address up to `/v1`."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def say(self, *replies: Reply) -> None:
        """Say these, one after the other, the last for ever."""
        left = list(replies)
        self.model = lambda body: left.pop(0) if len(left) > 1 else left[0]

    def complaint(self, number: int) -> str:
        """What the last message of a request says: that of the second is about the first."""
        said: str = self.bodies[number]["messages"][-1]["content"]
        return said

    def arrive(self, body: dict[str, Any], path: str, headers: dict[str, str]) -> Fault | None:
        """Note a request; the fault that it meets, if any."""
        with self._lock:
            self.bodies.append(body)
            self.paths.append(path)
            self.headers.append(headers)
            return self.faults.pop(0) if self.faults else None

    def answer(self, body: dict[str, Any]) -> Reply:
        """The model's reply, after the delay."""
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            time.sleep(self.delay)
            return self.model(body)
        finally:
            with self._lock:
                self._at_once -= 1

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up early is part of the tests."""


class EndpointHandler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = 20
    server: ScriptedEndpoint

    def do_POST(self) -> None:
        """Answer one request."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        fault = self.server.arrive(body, self.path, dict(self.headers))
        key = self.server.key
        if fault is not None:
            fault(self)
        elif key and self.headers.get("Authorization") != f"Bearer {key}":
            self.refuse(401)
        else:
            self._reply(body, self.server.answer(body))

    def _reply(self, body: dict[str, Any], reply: Reply) -> None:
        if isinstance(reply, int):
            self.refuse(reply)
            return
        if isinstance(reply, bytes):
            self.send(200, reply)
            return
        said = dict(reply) if isinstance(reply, Mapping) else {"content": reply}
        named: dict[str, Any] = (
            said if {"message", "finish_reason"} & {*said} else {"message": said}
        )
        message = {"role": "assistant", "content": None, **named.get("message", {})}
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "finish_reason": reason, **named, "message": message}
        usage = {"usage": self.server.usage} if self.server.usage else {}
        whole = {"id": "scripted", "object": "chat.completion", "model": body.get("model", "")}
        if body.get("stream"):
            self._stream(whole, choice, usage)
        else:
            self.send(200, {**whole, "choices": [choice], **usage})

    def _stream(
        self, whole: dict[str, Any], choice: dict[str, Any], usage: dict[str, Any]
    ) -> None:
        delta = dict(choice["message"])
        if delta.get("tool_calls"):
            delta["tool_calls"] = [{"index": n, **c} for n, c in enumerate(delta["tool_calls"])]
        first = {"index": 0, "delta": delta, "finish_reason": None}
        last = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
        events = [{**whole, "choices": [each]} for each in (first, last)]
        if usage:
            events.append({**whole, "choices": [], **usage})
        lines = [*(json.dumps(event) for event in events), "[DONE]"]
        text = "".join(f"data: {line}\n\n" for line in lines)
        self.send(200, text.encode(), {"Content-Type": "text/event-stream"})

    def refuse(
        self, status: int, message: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        """Answer with an error as such servers word it."""
        self.send(status, {"error": {"message": message or f"scripted {status}"}}, headers)

    def send(self, status: int, data: Any, headers: Mapping[str, str] | None = None) -> None:
        """Answer with bytes, or with anything else as JSON."""
        content = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@contextmanager
def scripted_endpoint() -> Iterator[ScriptedEndpoint]:
    """A served endpoint while the context lasts."""
    with ScriptedEndpoint() as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield made
        finally:
            made.shutdown()
            thread.join()
