"""A local server that speaks the chat protocol and says what a test has written down."""

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from compoworld_policy_openai.connection import close_clients

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "services"))


class ScriptedServer(ThreadingHTTPServer):
    """`POST /v1/chat/completions`: answers come in order; the last one is repeated."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Any] = ["DONE"]
        """Content of a message; bytes are sent as the whole body; an int is a status."""
        self.bodies: list[dict[str, Any]] = []

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def next(self) -> Any:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up early is part of the tests."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        answer = self.server.next()
        status = answer if isinstance(answer, int) else 200
        message = {"role": "assistant", "content": answer}
        content = answer if isinstance(answer, bytes) else (
            json.dumps({"choices": [{"index": 0, "message": message}]}).encode()
        )  # fmt: skip
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"COMPOWORLD_{name}", raising=False)
    made = ScriptedServer()
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
