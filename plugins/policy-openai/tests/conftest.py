"""A real HTTP server that speaks the chat protocol, with a scripted model and faults."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from compoworld_policy_openai.connection import close_clients

Model = Callable[[dict[str, Any]], dict[str, Any]]


class ChatServer(ThreadingHTTPServer):
    """`POST /v1/chat/completions`: each request meets the next fault, or the model answers."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ChatHandler)
        self.model: Model = lambda body: {"content": "Done."}
        self.faults: list[Callable[[ChatHandler], None] | None] = []
        """Taken one by one; None lets the model answer."""
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.usage: Any = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        self.delay = 0.0
        self.most_at_once = 0
        self._at_once = 0
        self.lock = threading.Lock()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def enter(self, change: int) -> None:
        with self.lock:
            self._at_once += change
            self.most_at_once = max(self.most_at_once, self._at_once)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up early is part of the tests."""


class ChatHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20
    server: ChatServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        with server.lock:
            server.bodies.append({"path": self.path, **body})
            server.headers.append(dict(self.headers))
            fault = server.faults.pop(0) if server.faults else None
        if fault is not None:
            fault(self)
            return
        server.enter(+1)
        try:
            time.sleep(server.delay)
            message = {"role": "assistant", "content": None, **server.model(body)}
        finally:
            server.enter(-1)
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        self.send(200, {"id": "x", "choices": [choice], "usage": server.usage})

    def send(self, status: int, data: Any, headers: dict[str, str] | None = None) -> None:
        content = data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"COMPOWORLD_{name}", raising=False)
    made = ChatServer()
    thread = threading.Thread(target=made.serve_forever, args=(0.02,))
    thread.start()
    monkeypatch.setenv("COMPOWORLD_OPENAI_BASE_URL", made.base_url)
    monkeypatch.setenv("COMPOWORLD_OPENAI_MODEL", "scripted")
    try:
        yield made
    finally:
        close_clients()
        made.shutdown()
        made.server_close()
        thread.join()
