"""`compoworld eval`: JSON has the promised figures, a second run sums up what is there."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compoworld_core import hookimpl, plugins
from compoworld_core.cli.evaluate import evaluate_
from compoworld_core.errors import ModelError
from compoworld_core.generation import Request, generate

SERVICES = Path(__file__).parents[1] / "services"
NAMES = ("mailbox", "crm", "billing", "tracker", "notes")

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


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tasks") / "run"
    generate(Request(n=3, distractors=0, services=NAMES, scale=40, generator="sample"), path)
    return path


def play(tasks: Path, out: Path, *more: str) -> object:
    """The exit code, where it is not 0."""
    arguments = ["--tasks", str(tasks), "--out", str(out), *more]
    return evaluate_.main(arguments, standalone_mode=False)


def answer(capsys: Capture) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_oracle_is_right_in_every_slice(
    tasks: Path, tmp_path: Path, capsys: Capture
) -> None:
    play(tasks, tmp_path / "run", "--policy", "oracle", "--n", "2", "--json")
    found = answer(capsys)
    assert found["success"] == {"mean": 1.0, "low": pytest.approx(0.438, abs=1e-3), "high": 1.0}
    assert list(found["pass_hat"]) == ["1", "2"]
    assert (found["tasks"], found["rollouts"], found["errors"]) == (3, 6, 0)
    for name in ("domain", "difficulty", "k", "visits", "composition"):
        assert found["by"][name]
        assert all(part["uniform"]["mean"] == 1.0 for part in found["by"][name].values())


def test_what_was_played_is_summed_up_without_playing_again(
    tasks: Path, tmp_path: Path, capsys: Capture
) -> None:
    more = ("--policy", "partial", "--option", "rate=0.5", "--n", "4", "--json")
    play(tasks, tmp_path / "run", *more)
    first = answer(capsys)
    written = (tmp_path / "run" / "trajectories.jsonl").stat().st_mtime_ns
    play(tasks, tmp_path / "run", *more)
    assert answer(capsys) == first
    assert (tmp_path / "run" / "trajectories.jsonl").stat().st_mtime_ns == written
    assert 0 < first["uniform"]["mean"] < 1
    assert first["uniform"]["low"] <= first["uniform"]["mean"] <= first["uniform"]["high"]


def test_a_person_reads_a_table_with_intervals(
    tasks: Path, tmp_path: Path, capsys: Capture
) -> None:
    play(tasks, tmp_path / "run", "--policy", "null", "--n", "2")
    shown = capsys.readouterr().out
    none = "0.0% [0.0%, 56.2%]"  # of three tasks
    head, *rows = shown[: shown.index("pass^1")].splitlines()
    assert head.split()[-4:] == ["SUCCESS", "UNIFORM", "SCORE", "PASS^2"]
    assert rows[0].split()[:2] == ["all", "3"]
    assert rows[0].endswith(none)
    assert {row.split()[0] for row in rows[1:]} == {"domain", "difficulty"}
    assert all(row.count("[") == 3 for row in rows)
    assert f"pass^1 {none}, pass^2 {none}; in brackets: intervals" in shown
    assert f"compoworld rollouts show {tmp_path / 'run'} --failed" in shown


class Down:
    def __init__(self, task: object, *, seed: int) -> None:
        pass

    def act(self, messages: object, tools: object) -> dict[str, Any]:
        raise ModelError("connection refused")


class WithDown:
    @hookimpl
    def register_policies(self, register: Any) -> None:
        register("down", Down)


def test_nothing_but_errors_is_a_no(tasks: Path, tmp_path: Path, capsys: Capture) -> None:
    plugins.current().add(WithDown(), "down")
    try:
        code = play(tasks, tmp_path / "run", "--policy", "down", "--n", "1")
    finally:
        plugins.current.cache_clear()
    assert code == 1
    assert "the first: ModelError: connection refused" in capsys.readouterr().err
