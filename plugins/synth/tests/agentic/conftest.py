"""A package as `synth import` writes it, and a model that writes what has no code there."""

import ast
import json
import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from compoworld_policy_openai.endpoint import Endpoint
from compoworld_synth.listing import Listing, ToolSpec
from compoworld_synth.pipeline import import_listing

from compoworld_core import sandbox
from compoworld_core.protocols import Sandbox
from compoworld_core.testing.endpoint import MODEL, ScriptedEndpoint, scripted_endpoint

KEY = "sk-host-only-1234567890"
SOURCE = "src/compoworld_imported_notes/notes"
TOOLS = f"{SOURCE}/tools.py"


def tool(name: str, description: str, **needed: str) -> ToolSpec:
    properties = {key: {"type": "string", "description": text} for key, text in needed.items()}
    schema = {"type": "object", "properties": properties, "required": list(needed)}
    return ToolSpec(name, description, "", {**schema, "additionalProperties": False})


LISTING = Listing(
    "notes",
    (
        tool("create_note", "Create a note.", title="Its first line."),
        tool("get_note", "Get a note by its id.", note_id="Which."),
        tool("list_notes", "List notes."),
        tool("delete_note", "Delete a note.", note_id="Which."),
        tool("merge_notes", "Merge one note into another.", note_id="Stays.", other_id="Goes."),
    ),
    domain="productivity_collaboration",
)
SIMULATED = "merge_notes"
"""A tool that no rule will ever write: what it does with the two stands nowhere."""
BODIES = {
    # A note that is not there raises KeyError instead of ToolError.
    "wrong": """
        other = state.notes[other_id]
        state.notes.delete(other.id)
        return state.notes[note_id]
    """,
    "right": """
        note = kit.require(state.notes, note_id, "note")
        other = kit.require(state.notes, other_id, "note")
        if note.id == other.id:
            raise ToolError("failed_precondition", "a note is not merged with itself")
        state.notes.delete(other.id)
        return state.notes.update(note.id, title=f"{note.title}; {other.title}")
    """,
}


def with_code(tools: str, body: str) -> str:
    """The emitted tools, the simulated one with code, as a model would write them."""
    module = ast.parse(tools)
    names = [getattr(each, "name", getattr(each, "module", "")) for each in module.body]
    function = module.body[names.index(SIMULATED)]
    (mark,) = function.decorator_list
    mark.func = ast.parse("service.tool", mode="eval").body
    mark.keywords = [each for each in mark.keywords if each.arg != "why"]
    function.returns = ast.parse("models.Note", mode="eval").body
    function.body[1:] = ast.parse(textwrap.dedent(body)).body
    error = ast.parse("from compoworld_core import ToolError").body
    module.body.insert(names.index("__future__") + 1, *error)
    return ast.unparse(module) + "\n"


def without_code(tools: str) -> str:
    """The emitted tools with none written yet."""
    module = ast.parse(tools)
    for function in module.body:
        for mark in getattr(function, "decorator_list", ()):
            if ast.unparse(mark).startswith("service.tool("):
                mark.func = ast.parse("service.simulated", mode="eval").body
                kept = ("name", "read_only", "original", "names")
                mark.keywords = [each for each in mark.keywords if each.arg in kept]
                function.body[1:] = ast.parse("raise Simulated").body
    return ast.unparse(module) + "\n"


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with scripted_endpoint() as made:
        made.key = KEY
        yield made


@pytest.fixture
def served(endpoint: ScriptedEndpoint) -> Endpoint:
    """The endpoint as the host's configuration names it, key included."""
    return Endpoint(endpoint.base_url, MODEL, KEY, timeout=30.0, tries=1, pause=0.0)


@pytest.fixture(scope="session")
def box() -> Sandbox:
    try:
        return sandbox.choose()
    except sandbox.NoSandbox as error:
        pytest.skip(str(error))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    import_listing(LISTING, folder, formatted=False, checked=False)
    return folder


@pytest.fixture
def versions(notes: Path) -> dict[str, str]:
    tools = (notes / TOOLS).read_text()
    return {name: with_code(tools, body) for name, body in BODIES.items()}


@pytest.fixture
def unwritten(notes: Path, versions: dict[str, str]) -> Path:
    """The same package before any tool has code."""
    (notes / TOOLS).write_text(without_code((notes / TOOLS).read_text()))
    return notes


class Author:
    """A scripted model: writes the versions one by one, runs the checks after each, and goes
    on to the next only where it has read that they fail."""

    def __init__(self, path: str, *versions: str) -> None:
        self.path, self.versions = path, versions
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
            return call("write", path=self.path, content=self.versions[written])
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
def author() -> Callable[..., Author]:
    """`author(version, version…)`: a model that writes these as the service's tools."""
    return partial(Author, TOOLS)


@pytest.fixture
def key() -> str:
    return KEY
