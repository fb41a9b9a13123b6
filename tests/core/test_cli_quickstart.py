"""`compoworld quickstart`: the whole job over the sample services, and a second time."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from compoworld_core import plugins
from compoworld_core.cli import run
from compoworld_core.cli.quickstart import sound
from compoworld_core.rollout import Summary

SERVICES = Path(__file__).parents[1] / "services"
SMALL = ["--generator", "sample", "--n", "2", "--samples", "3", "--distractors", "0"]
SMALL += ["--scale", "60", "--workers", "1"]

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True, scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The sample services and their generator are installed, and no other service."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SERVICES / "installed"))
        patch.setenv("PYTHONPATH", f"{SERVICES}{os.pathsep}{SERVICES / 'installed'}")
        patch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        plugins.current.cache_clear()
        yield
    plugins.current.cache_clear()


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("quickstart") / "demo"
    assert run(["quickstart", *SMALL, "--out", str(out)]) == 0
    return out


def test_it_leaves_tasks_rollouts_data_and_a_report(made: Path) -> None:
    found = files(made)
    for name in ("tasks/tasks.jsonl", "sft.jsonl", "report.html"):
        assert found[name]
    for policy in ("oracle", "partial", "null"):
        assert len(found[f"{policy}/trajectories.jsonl"].splitlines()) == 6
    assert len(found["sft.jsonl"].splitlines()) >= 6


def test_a_second_time_it_reuses_everything_and_changes_no_byte(
    made: Path, capsys: Capture
) -> None:
    before = files(made)
    assert run(["quickstart", *SMALL, "--out", str(made), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["reused"] == ["tasks", "oracle", "partial", "null"]
    assert files(made) == before


def test_it_prints_a_table_where_things_are_and_what_to_type(
    made: Path, capsys: Capture
) -> None:
    assert run(["quickstart", *SMALL, "--out", str(made)]) == 0
    told = capsys.readouterr().out
    lines = [line.split() for line in told.splitlines()]
    assert ["oracle", "6", "100.0%", "1.000", "1.000"] in lines
    assert ["null", "6", "0.0%", "0.000"] in [line[:4] for line in lines]
    for name in ("sft.jsonl", "report.html"):
        assert str(made / name) in told
    assert f"compoworld rollouts show {made / 'partial'} --failed" in told


def test_another_request_in_the_same_folder_is_wrong_usage(made: Path, capsys: Capture) -> None:
    assert run(["quickstart", *SMALL, "--seed", "1", "--out", str(made)]) == 2
    assert "choose another --out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("oracle", "null", "answer"), [(4, 0, True), (3, 0, False), (4, 1, False)]
)
def test_an_oracle_that_fails_or_an_idle_pass_is_a_no(
    oracle: int, null: int, answer: bool
) -> None:
    summaries = {
        "oracle": Summary(rollouts=4, passed=oracle),
        "null": Summary(rollouts=4, passed=null),
    }
    assert sound(summaries) is answer
