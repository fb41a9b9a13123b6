"""Few services carry no long walk: the command says what to type, and that works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compoworld_core.cli import run

# the first test of a changed core learns all tools anew, on however loaded a machine
pytestmark = pytest.mark.timeout(600)

FEW = ["--k", "3", "--services", "gmail,hubspot,slack,zendesk", "--seed", "3"]


def test_where_no_walk_is_found_the_shorter_one_that_is_said_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tries = ["tasks", "generate", "--n", "1", "--max-tries", "2", *FEW]
    assert run([*tries, "--out", str(tmp_path / "long")]) == 1
    said = re.search(r"--walk (\d+:\d+)", capsys.readouterr().err)
    assert said is not None
    assert run([*tries, "--walk", said[1], "--out", str(tmp_path / "short")]) == 0
