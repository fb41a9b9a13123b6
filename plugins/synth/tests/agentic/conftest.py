"""A small package as the emitter writes them, and an endpoint with a scripted model."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from compoworld_policy_openai.endpoint import Endpoint

from compoworld_core import sandbox
from compoworld_core.protocols import Sandbox

KEY = "sk-host-only-1234567890"

FILES = {
    "pyproject.toml": """
[project]
name = "notes-service"
version = "0.1.0"

[project.entry-points."compoworld.services"]
notes = "notes_service:service"
""",
    "schemas.json": '{"archive_note": {"description": "Put a note away, once."}}\n',
    "src/notes_service/__init__.py": """
from notes_service import seed, tools
from notes_service.models import service

__all__ = ["seed", "service", "tools"]
""",
    "src/notes_service/models.py": """
from compoworld_core import Entity, Service, State, Table
from compoworld_core.types import Text, Title


class Note(Entity):
    id: str
    title: Title
    text: Text = ""
    archived: bool = False


class NotesState(State):
    notes: Table[Note] = Table()


service = Service(
    "notes",
    state=NotesState,
    domain="productivity_collaboration",
    summary="Notes that are written and put away",
)
""",
    "src/notes_service/seed.py": """
from compoworld_core import Context, Table
from notes_service.models import Note, NotesState, service


@service.seed
def seed(ctx: Context, scale: int) -> NotesState:
    rows = [
        Note(id=ctx.new_id("nt_"), title=f"About {company.name}")
        for company in ctx.rng.choices(ctx.cast.companies, k=scale)
    ]
    return NotesState(notes=Table(rows))
""",
    "src/notes_service/tools.py": """
from compoworld_core import Context, Ref, Simulated
from compoworld_core.resources import Page, paginate, require
from compoworld_core.types import Text, Title
from notes_service.models import Note, NotesState, service


@service.tool(read_only=True)
def list_notes(state: NotesState, limit: int = 20, cursor: str | None = None) -> Page[Note]:
    "List notes."
    return paginate(list(state.notes), limit, cursor)


@service.tool(read_only=True)
def get_note(state: NotesState, note_id: Ref["Note"]) -> Note:
    "Read a note."
    return require(state.notes, note_id, "note")


@service.tool
def create_note(state: NotesState, ctx: Context, title: Title, text: Text = "") -> Note:
    "Write a note."
    return state.notes.insert(Note(id=ctx.new_id("nt_"), title=title, text=text))


@service.simulated(why="no rule knows what it does")
def archive_note(state: NotesState, note_id: Ref["Note"]) -> Note:
    "Put a note away, once."
    raise Simulated
""",
    "tests/test_notes.py": """
from compoworld_core import compose
from notes_service import service


def test_a_created_note_is_there() -> None:
    env = compose(service, seed=1)
    made = env.call("notes.create_note", {"title": "Milk"}).data
    assert env.call("notes.get_note", {"note_id": made["id"]}).data["title"] == "Milk"
""",
}
_SIMULATED = FILES["src/notes_service/tools.py"].partition("@service.simulated")[0]
WRONG = f"""{_SIMULATED}@service.tool
def archive_note(state: NotesState, note_id: Ref["Note"]) -> Note:
    "Put a note away, once."
    return state.notes.update(note_id, archived=True)
"""
"""A note that is not there raises KeyError instead of ToolError."""
RIGHT = f"""{_SIMULATED}@service.tool
def archive_note(state: NotesState, note_id: Ref["Note"]) -> Note:
    "Put a note away, once."
    note = require(state.notes, note_id, "note")
    check(not note.archived, "failed_precondition", "the note is archived already")
    return state.notes.update(note.id, archived=True)
""".replace("import Page, ", "import Page, check, ")

Model = Callable[[dict[str, Any]], dict[str, Any]]


class ChatServer(ThreadingHTTPServer):
    """Answers `POST /v1/chat/completions`, whole or as a stream; refuses without the key."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ChatHandler)
        self.model: Model = lambda body: {"content": "Done."}
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.usage: Any = {"prompt_tokens": 70, "completion_tokens": 30, "total_tokens": 100}
        self.status = 200
        self.refusal = "no"

    @property
    def endpoint(self) -> Endpoint:
        url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        return Endpoint(url, "scripted", KEY, 30.0, 1, 0.0)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that is killed is part of the tests."""


class ChatHandler(BaseHTTPRequestHandler):
    timeout = 20
    server: ChatServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append({"path": self.path, **body})
        self.server.headers.append(dict(self.headers))
        if self.headers.get("Authorization") != f"Bearer {KEY}" or self.server.status != 200:
            status = self.server.status if self.server.status != 200 else 401
            self.answer(status, json.dumps({"error": {"message": self.server.refusal}}))
            return
        message = {"role": "assistant", "content": None, **self.server.model(body)}
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        whole = {"id": "x", "object": "chat.completion", "model": body["model"]}
        usage = {"usage": self.server.usage} if self.server.usage else {}
        if not body.get("stream"):
            choice = {"index": 0, "finish_reason": reason, "message": message}
            self.answer(200, json.dumps({**whole, "choices": [choice], **usage}))
            return
        calls = [{"index": n, **call} for n, call in enumerate(message.get("tool_calls") or [])]
        delta = {**message, **({"tool_calls": calls} if calls else {})}
        events: list[dict[str, Any]] = [
            {**whole, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {**whole, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
            {**whole, "choices": [], **usage},
        ]
        text = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        self.answer(200, f"{text}data: [DONE]\n\n", "text/event-stream")

    def answer(self, status: int, text: str, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield made
        finally:
            made.shutdown()
            thread.join()


@pytest.fixture(scope="session")
def box() -> Sandbox:
    try:
        return sandbox.choose()
    except sandbox.NoSandbox as error:
        pytest.skip(str(error))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture
def unwritten(notes: Path) -> Path:
    """The same package before any tool has code."""
    path = notes / "src/notes_service/tools.py"
    lines: list[str] = []
    for line in path.read_text().splitlines():
        if line.startswith("@service."):
            lines.append('@service.simulated(why="nobody has read it yet")')
        elif line.startswith(("    return", "    raise")):
            lines.append("    raise Simulated")
        else:
            lines.append(line)
    path.write_text("\n".join(lines) + "\n")
    return notes


class Author:
    """A scripted model: writes the versions one by one, runs the checks after each, and goes
    on to the next only where it has read that they fail."""

    def __init__(self, *versions: str) -> None:
        self.versions = versions
        self.outputs: list[str] = []

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        results = [m for m in body["messages"] if m["role"] == "tool"]
        turn = len(results)
        texts = [_text(each["content"]) for each in results]
        self.outputs = texts
        if turn == 0:
            return call("read", path="TASK.md")
        written, checked = divmod(turn - 1, 2)
        if not checked and written and "nothing is wrong" in texts[-1]:
            return {"content": "The checks pass."}
        if not checked and written < len(self.versions):
            path = "src/notes_service/tools.py"
            return call("write", path=path, content=self.versions[written])
        if checked:
            names = {tool["function"]["name"] for tool in body["tools"]}
            if "run_checks" in names:
                return call("run_checks")
            prompt = "".join(
                _text(m["content"]) for m in body["messages"] if m["role"] == "user"
            )
            command = prompt.partition("Run the checks with: ")[2].splitlines()[0]
            return call("bash", command=command)
        return {"content": "I give up."}


def call(name: str, **arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"id": "call_1", "type": "function", "function": function}]}


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(p.get("text", "") for p in content)


@pytest.fixture
def author() -> type[Author]:
    return Author


@pytest.fixture
def versions() -> dict[str, str]:
    return {"wrong": WRONG, "right": RIGHT}


@pytest.fixture
def key() -> str:
    return KEY
