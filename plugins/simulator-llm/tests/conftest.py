"""A chat endpoint with a scripted model, and the sample help desk."""

import importlib.util
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from compoworld_policy_openai.connection import close_clients

from compoworld_core import Service

SERVICES = Path(__file__).parents[3] / "tests" / "services"


class Endpoint(ThreadingHTTPServer):
    """`POST /v1/chat/completions`: says what `say` makes of the request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.say: Callable[[dict[str, Any]], Any] = lambda body: ""
        self.bodies: list[dict[str, Any]] = []
        self.delay = 0.0
        self.raw: bytes | None = None

    def says(self, *answers: Any) -> None:
        """Say these, one after the other, the last for ever; what is no text is dumped."""
        texts = [each if isinstance(each, str) else json.dumps(each) for each in answers]
        start = len(self.bodies)
        self.say = lambda body: texts[min(len(self.bodies) - start, len(texts)) - 1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up early is part of the tests."""


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        time.sleep(self.server.delay)
        message = {"role": "assistant", "content": self.server.say(body)}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        data = {"choices": [{"message": message}], "usage": usage}
        content = self.server.raw if self.server.raw is not None else json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    made = Endpoint()
    thread = threading.Thread(target=made.serve_forever, args=(0.02,))
    thread.start()
    address = f"http://127.0.0.1:{made.server_address[1]}/v1"
    monkeypatch.setenv("COMPOWORLD_OPENAI_BASE_URL", address)
    monkeypatch.setenv("COMPOWORLD_OPENAI_MODEL", "scripted")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("COMPOWORLD_OPENAI_API_KEY", raising=False)
    try:
        yield made
    finally:
        close_clients()
        made.shutdown()
        made.server_close()
        thread.join()


def load(name: str) -> Service[Any]:
    """A sample service of the core's tests."""
    module = f"simulated_{name}"
    if module not in sys.modules:
        spec = importlib.util.spec_from_file_location(module, SERVICES / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[module] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[module])
    found: Service[Any] = sys.modules[module].service
    return found


@pytest.fixture(scope="session")
def desk() -> Service[Any]:
    return load("desk")


@pytest.fixture(scope="session")
def ledgerbook() -> Service[Any]:
    return load("ledgerbook")
