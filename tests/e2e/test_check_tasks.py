"""The check of many tasks, on few: `check_tasks.py` is run by hand with hundreds."""

from pathlib import Path

import pytest
from check_tasks import main  # found by conftest's path


def test_fresh_tasks_prove_and_the_policies_tell_them_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--n", "12", "--seed", "4711", "--scale", "60", "--samples", "4"]
    assert main([*few, "--out", str(tmp_path)]) == 0, capsys.readouterr().out
    shown = capsys.readouterr().out
    assert "proven again 12 of 12" in shown
