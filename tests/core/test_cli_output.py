"""What the command line writes keeps to its rows."""

from __future__ import annotations

import pytest

from compoworld_core.cli import output


def test_a_cell_with_a_newline_stays_one_row(capsys: pytest.CaptureFixture[str]) -> None:
    output.table(["TOOL", "WHY"], [["a\nb", "x\ty"], ["c", "z"]])
    assert capsys.readouterr().out.splitlines() == ["TOOL  WHY", "a\\nb  x\\ty", "c     z"]
