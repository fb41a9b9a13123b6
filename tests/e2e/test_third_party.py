"""A service that nobody here knows takes part in everything."""

import shutil
from pathlib import Path

from sandbox import ROOT, Installed, wheel_of

SAMPLE = ROOT / "tests" / "data" / "third_party" / "van_hire"


def test_a_stranger_is_listed_checked_tested_and_visited_by_tasks(
    installed: Installed, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    shutil.copytree(SAMPLE, project)
    installed.install("--no-deps", wheel_of(project, tmp_path / "dist"))
    (row,) = [
        each
        for each in installed.json("services", "list")["services"]
        if each["name"] == "van_hire"
    ]
    assert row["distribution"] == "van-hire"
    assert row["domain"] == "travel_maps_local"
    installed.python("-m", "pytest", "-q", "-p", "no:cacheprovider", project)
    checked = installed.json("services", "check", "van_hire")
    assert checked == {"checked": 1, "passed": 1, "failures": []}
    assert len(installed.visiting("van_hire", "linear,zendesk", tmp_path / "run")) == 2


def test_nothing_here_knows_the_stranger() -> None:
    for folder in ("compoworld_core", "plugins", "contrib_services"):
        for path in (ROOT / folder).rglob("*.py"):
            assert "van_hire" not in path.read_text(encoding="utf-8"), path
