"""A scripted endpoint on this machine, the sample services, and the generator under test."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from compoworld_policy_openai.connection import close_clients
from compoworld_tasks_agentic import plugin
from compoworld_tasks_agentic.generator import AgenticGenerator
from compoworld_tasks_agentic.prompts import example

from compoworld_core import plugins
from compoworld_core.generation import Rejection, Request, attempt
from compoworld_core.records import Task
from compoworld_core.world import World

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "services"))

Answer = str | int | dict[str, Any]
"""A reply's text; the status of a refusal; or keys of a choice that differ from the usual."""


class Endpoint(ThreadingHTTPServer):
    """Answers each request with the next line of its script, and the last one for ever."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[Answer] = []
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.usage: Any = {"prompt_tokens": 100, "completion_tokens": 10}

    def say(self, *answers: Answer) -> None:
        self.script = list(answers)

    def next(self) -> Answer:
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def complaint(self, number: int) -> str:
        """What the last message of a request says."""
        said: str = self.asked[number]["messages"][-1]["content"]
        return said


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Endpoint

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.server.asked.append(json.loads(self.rfile.read(length)))
        self.server.keys.append(self.headers.get("Authorization", ""))
        answer = self.server.next()
        if isinstance(answer, int):
            self.reply(answer, {"error": {"message": f"scripted {answer}"}})
            return
        choice: dict[str, Any] = {"finish_reason": "stop"}
        if isinstance(answer, dict):
            choice |= answer
        else:
            choice["message"] = {"role": "assistant", "content": answer}
        self.reply(200, {"choices": [choice], "usage": self.server.usage})

    def reply(self, status: int, data: Any) -> None:
        content = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@pytest.fixture(scope="session", autouse=True)
def connections() -> Iterator[None]:
    """One client for all tests: to make one reads all certificates of this machine."""
    yield
    close_clients()


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"COMPOWORLD_{name}", raising=False)
    made = Endpoint()
    thread = threading.Thread(target=made.serve_forever, args=(0.02,))
    thread.start()
    monkeypatch.setenv("COMPOWORLD_OPENAI_BASE_URL", f"http://127.0.0.1:{made.server_port}/v1")
    monkeypatch.setenv("COMPOWORLD_OPENAI_MODEL", "scripted")
    try:
        yield made
    finally:
        made.shutdown()
        made.server_close()
        thread.join()


class Watcher:
    """A plugin that keeps the events of its process."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    @plugins.hookimpl
    def observe(self, event: object) -> None:
        self.events.append(event)


@pytest.fixture
def watcher(monkeypatch: pytest.MonkeyPatch) -> Watcher:
    """Only the sample services, their generator and ours are there."""
    import sample_plugin

    monkeypatch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services")
    found = plugins.load(installed=False)
    found.add(sample_plugin, "samples")
    found.add(plugin, "tasks-agentic")
    seen = Watcher()
    found.add(seen, "watcher")
    monkeypatch.setattr(plugins, "current", lambda: found)
    return seen


@pytest.fixture(scope="session")
def world() -> World:
    """The sample services over one cast; nobody writes to it."""
    from sample_tasks import sample_world

    return sample_world()


Try = Callable[..., Task | Rejection]


@pytest.fixture
def try_one(world: World, endpoint: Endpoint, watcher: Watcher) -> Try:
    """`try_one(mode=…, **options)`: one try of the generator, proven by the core."""

    def run(*, index: int = 0, walk: int = 2, **options: Any) -> Task | Rejection:
        given = {"pause": 0.001, "timeout": 10, "affordances": False, **options}
        asked = Request(
            n=1, k=min(walk, 5), walk=(walk, walk), distractors=0, seed=3, options=given,
            services=("crm", "tracker") if walk == 2 else (), generator="agentic",
        )  # fmt: skip
        return attempt(world, AgenticGenerator(), asked, index)

    return run


@pytest.fixture
def good() -> dict[str, Any]:
    """The example of the prompt: a reply for the walk crm, tracker that is proven."""
    made: dict[str, Any] = json.loads(example())
    return made


@pytest.fixture
def index() -> int:
    """A try that draws the walk crm, tracker."""
    from random import Random

    from compoworld_tasks_agentic.writing import draw_try

    asked = Request(
        n=1, k=2, walk=(2, 2), distractors=0, seed=3, services=("crm", "tracker"),
        generator="agentic",
    )  # fmt: skip
    for index in range(50):
        rng = Random(f"agentic:0:3:{index}")
        if draw_try(World(3, 1, None, {}), asked, rng).walk == ("crm", "tracker"):  # type: ignore[arg-type]  # the draw looks at names only
            return index
    raise AssertionError("no try draws that walk")
