"""Names and numbers that no service could hold: left out or refused, never emitted."""

from __future__ import annotations

from pathlib import Path

import pytest
from compoworld_synth import sources
from compoworld_synth.sources.reading import SourceError, document

SCHEMA = {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    "name", ['a"b', "two words", "neue\nzeile", "\ud800", "x" * 129, "工具"]
)
def test_a_tool_that_cannot_be_called_is_left_out_and_reported(name: str) -> None:
    tools = [{"name": each, "description": "", "inputSchema": SCHEMA} for each in ("ok", name)]
    found = sources.listing({"tools": tools}, "here", "mcp", "desk").callable()
    assert [tool.name for tool in found.tools] == ["ok"]
    assert [problem.path for problem in found.problems] == [ascii(name)]


@pytest.mark.parametrize(("text", "name"), [("[1e400]", "a.json"), ("[.inf]", "a.yaml")])
def test_a_number_that_json_has_not_is_refused(text: str, name: str) -> None:
    with pytest.raises(SourceError, match=r"inf|too large"):
        document(text.encode(), name)


def test_a_file_of_such_names_alone_holds_no_tool(tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text('{"tools": [{"name": "a b", "inputSchema": {}}]}')
    assert sources.read(tmp_path / "odd.json").callable().tools == ()
