"""`compoworld play` and `rollouts run` with a simulator."""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from compoworld_core import plugins
from compoworld_core.cli import run as command
from compoworld_core.run import Run
from compoworld_core.testing.endpoint import ScriptedEndpoint

SERVICES = Path(__file__).parents[3] / "tests" / "services"
REFUSED = '{"error": {"code": "permission_denied", "message": "not today"}}'


@pytest.fixture(autouse=True)
def sample_services(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The sample services alone are installed."""
    monkeypatch.syspath_prepend(str(SERVICES / "installed"))
    monkeypatch.syspath_prepend(str(SERVICES))
    monkeypatch.setenv("PYTHONPATH", f"{SERVICES}{os.pathsep}{SERVICES / 'installed'}")
    monkeypatch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    plugins.current.cache_clear()
    yield
    plugins.current.cache_clear()


def test_rollouts_of_a_simulated_service_are_the_models(
    endpoint: ScriptedEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = tmp_path / "tasks"
    wanted = ["--n", "1", "--generator", "sample", "--distractors", "0", "--scale", "60"]
    assert command(["tasks", "generate", *wanted, "--out", str(tasks)]) == 0
    endpoint.say(REFUSED)
    (task,) = Run.open(tasks).tasks()
    play = ["rollouts", "run", "--tasks", str(tasks), "--policy", "oracle", "--n", "1"]
    simulated = [word for name in task.services for word in ("--simulate", name)]
    command([*play, "--simulator", "llm", *simulated, "--out", str(tmp_path / "o"), "--json"])
    (played,) = Run.open(tmp_path / "o").trajectories()
    assert endpoint.bodies
    assert played.verdict is None or not played.verdict.success
    assert any("not today" in str(m.content) for m in played.messages) or played.error
    assert Run.open(tmp_path / "o").configuration["simulation"]["name"] == "llm"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--simulator", "lm"], "llm"),
        (["--simulator", "llm", "--simulator-option", "attempt=2"], "attempts"),
        (["--simulate", "crm"], "--simulator NAME"),
        (["--simulator", "llm", "--simulate", "crn"], "crm"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_played(
    endpoint: ScriptedEndpoint, options: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(["play", "crm", "--scale", "60", *options]) == 2
    assert why in capsys.readouterr().err


def note(body: dict[str, Any]) -> str:
    """Predict a note on the first contact that is shown."""
    row = json.loads(body["messages"][1]["content"])["records"]["contacts"][0]
    path = f"/contacts/{row['id']}/notes"
    patch = [{"op": "replace", "path": path, "value": "Predicted."}]
    return json.dumps({"patch": patch, "observation": {**row, "notes": "Predicted."}})


def test_play_shows_what_a_prediction_changed(
    endpoint: ScriptedEndpoint,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    endpoint.model = note
    monkeypatch.setattr("sys.stdin", io.StringIO("crm.add_to_notes contact_id=c1 text=Given"))
    words = ["play", "crm", "--scale", "60", "--simulator", "llm", "--simulate", "crm"]
    assert command([*words, "--json"]) == 0
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert change["after"]["notes"] == "Predicted."
