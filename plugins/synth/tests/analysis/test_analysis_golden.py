"""All classifications of the real listings, against the golden file: each change is a diff.

Rewrite it with `COMPOWORLD_GOLDEN=write pytest …/test_analysis_golden.py` and read the diff.
It holds names of tools, entities and keys, and no text of the listings.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from compoworld_synth.design import ToolDesign, analyse
from compoworld_synth.listing import Annotations, Listing, ToolSpec

SPECS = Path(__file__).parents[5] / "shared" / "mcp_specs"
GOLDEN = Path(__file__).parent / "golden"

pytestmark = [
    pytest.mark.skipif(not SPECS.is_dir(), reason=f"the listings are not at {SPECS}"),
    pytest.mark.timeout(400),  # 135 listings on a busy machine
]


def read(path: Path) -> Listing:
    data = json.loads(path.read_text())
    tools: dict[str, ToolSpec] = {}
    for each in data["tools"]:
        hints = each.get("annotations", {})
        marks = Annotations(hints.get("readOnlyHint"), hints.get("destructiveHint"))
        text = each.get("description") or ""
        spec = ToolSpec(
            each["name"], text, "", each["inputSchema"], each.get("outputSchema"), marks
        )
        tools.setdefault(spec.name, spec)
    return Listing(data["server"], tuple(tools.values()))


def line(tool: ToolDesign) -> str:
    one = tool.operations[0]
    key = next((each.param.name for each in one.of("id")), "-")
    hard = next((veto.name for veto in one.vetoes if veto.hard), "-")
    return " ".join((tool.spec.name, one.kind, one.entity or "-", key, one.grade, hard))


@pytest.fixture(scope="module")
def found() -> dict[str, list[str]]:
    """A line for each tool, by server."""
    paths = sorted(path for path in SPECS.glob("*.json") if path.stem != "index")
    made = {}
    for path in paths:
        tools = [tool for piece in analyse(read(path)) for tool in piece.tools]
        made[path.stem] = sorted(line(tool) for tool in tools)
    return made


def test_classifications_are_those_of_the_golden_file(found: dict[str, list[str]]) -> None:
    if os.environ.get("COMPOWORLD_GOLDEN") == "write":
        GOLDEN.mkdir(exist_ok=True)
        for server, lines in found.items():
            (GOLDEN / f"{server}.txt").write_text("\n".join(lines) + "\n")
    known = {path.stem: path.read_text().splitlines() for path in GOLDEN.glob("*.txt")}
    changed = [server for server in found if found[server] != known.get(server)]
    assert not changed, f"{len(changed)} servers differ, first {changed[:3]}"


def test_no_tool_is_lost(found: dict[str, list[str]]) -> None:
    assert sum(len(lines) for lines in found.values()) == 6709


def test_the_share_of_deterministic_tools_does_not_fall(found: dict[str, list[str]]) -> None:
    grades = Counter(each.split()[-2] for lines in found.values() for each in lines)
    # 0.54 until what the readers' own filters say no longer counted as fields of a record
    assert (grades["A"] + grades["B"]) / sum(grades.values()) > 0.39
