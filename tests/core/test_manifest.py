"""The manifest of a service package: what is written comes back, and marks are honest."""

from pathlib import Path
from typing import Any

import pytest

from compoworld_core import Service, State, manifest
from compoworld_core.errors import RecordError
from compoworld_core.manifest import Mark

FAILED = Mark("an id that nothing has is accepted", "dangling_accepted")


class NoState(State):
    pass


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three tools, one of which an earlier validation quarantined."""
    file = tmp_path / manifest.FILE
    rows: list[dict[str, Any]] = [{"name": name, "kind": "deterministic"} for name in "abc"]
    manifest.write(file, rows)
    manifest.mark(file, {"c": FAILED})
    return file


def service() -> Service[NoState]:
    made = Service("thing", state=NoState, domain="x")
    for name in "abc":
        made.tool(name=name)(lambda state: 1)
    return made


@pytest.mark.parametrize(
    "value",
    [
        'said "so" \\ and\n\t\x00\x1f\x7f\x80 é 😀', "", True, False, 7, -2.5, float("inf"),
        ["a", 'b"', True, 3], [],
    ],
)  # fmt: skip
def test_what_is_written_comes_back(tmp_path: Path, value: Any) -> None:
    file = tmp_path / manifest.FILE
    row = {"name": "a", "kind": "simulated", "odd key = [x]": value}
    manifest.write(file, [row])
    assert manifest.read(file) == {"a": row}


def test_lone_surrogates_are_written_as_question_marks(tmp_path: Path) -> None:
    file = tmp_path / manifest.FILE
    manifest.write(file, [{"name": "a\ud800", "kind": "simulated"}])
    assert list(manifest.read(file)) == ["a?"]


def test_a_value_that_toml_would_change_is_refused_and_the_file_stays(path: Path) -> None:
    before = path.read_text()
    with pytest.raises(RecordError, match="not dict"):
        manifest.write(path, [{"name": "a", "why": {"b": 1}}])
    assert path.read_text() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_tools_that_were_not_tried_keep_their_marks(path: Path) -> None:
    manifest.mark(path, {"a": None, "b": Mark("no arguments are accepted")})
    tools = manifest.read(path)
    assert "quarantined" not in tools["a"]
    assert tools["b"]["unproven"] == "no arguments are accepted"
    assert tools["c"]["quarantined"] == "dangling_accepted"


def test_a_tool_that_passes_is_freed_of_either_mark(path: Path) -> None:
    before = manifest.read(path)["b"]
    manifest.mark(path, {"b": Mark("not validated")})
    manifest.mark(path, {"b": None, "c": None})
    assert manifest.read(path)["b"] == before
    assert manifest.read(path)["c"] == {"name": "c", "kind": "deterministic"}


def test_a_mark_for_a_tool_that_is_not_listed_is_refused(path: Path) -> None:
    with pytest.raises(RecordError, match="no tool 'z'"):
        manifest.mark(path, {"z": None})


def test_marks_reach_the_service_and_can_be_looked_behind(path: Path) -> None:
    manifest.mark(path, {"b": Mark("not validated")})
    marked = service()
    manifest.apply(marked, path)
    kinds = {name: (tool.kind, tool.why) for name, tool in marked.tools.items()}
    assert kinds == {
        "a": ("deterministic", ""),
        "b": ("simulated", "not validated"),
        "c": ("quarantined", FAILED.why),
    }
    assert {tool.kind for tool in marked.unmarked().tools.values()} == {"deterministic"}
    assert marked.tools["c"].kind == "quarantined"


def test_a_tool_without_code_has_none_behind_its_mark() -> None:
    made = service()
    made.simulated(name="d", why="no rule")(lambda state: 1)
    assert made.unmarked().tools["d"].kind == "simulated"


def test_a_mark_on_a_tool_that_the_service_has_not_is_named(path: Path) -> None:
    empty = Service("thing", state=NoState, domain="x")
    with pytest.raises(RecordError, match="'c', which thing has not"):
        manifest.apply(empty, path)


@pytest.mark.parametrize(
    "text",
    ["", "schema = ", 'schema = "compoworld/manifest@9"\ntool = []', "\x00",
     'schema = "compoworld/manifest@1"', 'schema = "compoworld/manifest@1"\ntool = [1]',
     'schema = "compoworld/manifest@1"\n[[tool]]\nkind = "simulated"',
     'schema = "compoworld/manifest@1"\n[[tool]]\nname = "a"',
     'schema = "compoworld/manifest@1"\n[[tool]]\nname = "a"\nkind = "magic"',
     'schema = "compoworld/manifest@1"\n[[tool]]\nname = 1\nkind = "simulated"',
     'schema = "compoworld/manifest@1"' + 2 * '\n[[tool]]\nname = "a"\nkind = "simulated"'],
)  # fmt: skip
def test_what_is_no_manifest_is_said(tmp_path: Path, text: str) -> None:
    file = tmp_path / manifest.FILE
    file.write_text(text)
    with pytest.raises(RecordError, match=r"manifest\.toml"):
        manifest.read(file)
