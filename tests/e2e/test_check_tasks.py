"""The check of many tasks, on few: `check_tasks.py` is run by hand with hundreds."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from check_tasks import faults, main  # found by conftest's path


def test_fresh_tasks_prove_and_the_policies_tell_them_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--n", "12", "--seed", "4711", "--scale", "60", "--samples", "4"]
    assert main([*few, "--out", str(tmp_path)]) == 0, capsys.readouterr().out
    shown = capsys.readouterr().out
    assert "proven again 12 of 12" in shown


def test_a_slip_and_the_name_of_a_tool_are_found() -> None:
    tools = {"search_tickets": None, "list": None}
    world = SimpleNamespace(services={"desk": SimpleNamespace(tools=tools)})
    said = "Please list a invoice and call search_tickets."
    run: Any = SimpleNamespace(
        world=lambda: world, tasks=lambda: [SimpleNamespace(id="t", instruction=said)]
    )
    found = faults(run)
    assert any("a before a vowel" in fault for fault in found)
    assert "t: the name of a tool: search_tickets" in found
    assert not any("tool: list" in fault for fault in found)
