"""`compoworld rollouts`: JSON shapes are a contract, exit codes say yes or no."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compoworld_core import hookimpl, plugins
from compoworld_core.cli import run
from compoworld_core.errors import ModelError
from compoworld_core.generation import Request, generate
from compoworld_core.run import Run

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
    generate(Request(n=2, distractors=0, services=NAMES, scale=40, generator="sample"), path)
    return path


@pytest.fixture(scope="module")
def partial(tasks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("partial") / "run"
    args = ["--policy", "partial", "--option", "rate=0.5", "--n", "3", "--out", str(path)]
    assert run(["rollouts", "run", "--tasks", str(tasks), *args]) == 0
    return path


def answer(capsys: Capture) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


# -- run -----------------------------------------------------------------------------------


def test_run_answers_with_the_promised_keys(
    tasks: Path, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "run"
    args = ["--policy", "oracle", "--n", "2", "--limit", "1", "--out", str(out), "--json"]
    assert run(["rollouts", "run", "--tasks", str(tasks), *args]) == 0
    found = answer(capsys)
    names = ("rollouts", "pass_rate", "uniform", "reward", "errors")
    assert [found[name] for name in names] == [2, 1.0, 1.0, 1.0, 0]
    assert len(list(Run.open(out).trajectories())) == 2


def test_run_for_a_person_says_what_comes_next(
    tasks: Path, tmp_path: Path, capsys: Capture
) -> None:
    out = str(tmp_path / "run")
    args = ["rollouts", "run", "--tasks", str(tasks), "--policy", "null", "--n", "2"]
    assert run([*args, "--out", out]) == 0
    shown = capsys.readouterr().out
    assert "4 rollouts, 0.0% passed" in shown
    assert "all rewards equal, so nothing to learn from: 2 of 2 groups" in shown
    assert f"compoworld rollouts show {out}" in shown


def test_options_limits_and_workers_are_taken(tasks: Path, tmp_path: Path) -> None:
    args = ["--policy", "partial", "--option", "rate=0.25", "--option", "discovery=eager"]
    args += ["--reward", "uniform", "--reward-option", "gates=multiply", "--max-turns", "5"]
    args += ["--n", "2", "--workers", "2", "--out", str(tmp_path / "run")]
    assert run(["rollouts", "run", "--tasks", str(tasks), *args]) == 0
    made = Run.open(tmp_path / "run")
    assert made.configuration["options"] == {"rate": 0.25, "discovery": "eager"}
    assert made.configuration["reward_options"] == {"gates": "multiply"}
    assert all(each.usage["turns"] == 5 for each in made.trajectories())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--policy", "orakle"], "no policy is called 'orakle'. Closest: oracle"),
        (["--policy", "null", "--reward", "uniforn"], "Closest: uniform"),
        (["--policy", "null", "--option", "rate"], "write it as name=value"),
        (["--policy", "null", "--option", "rate=1"], "It takes: none"),
        (["--policy", "null", "--workers", "0"], "give at least 1"),
        (["--policy", "null", "--limit", "0"], "give at least 1"),
        (["--policy", "null", "--max-calls", "0"], "the limit of calls is 0"),
        ([], "--policy"),
    ],
)
def test_wrong_usage_says_what_to_type(
    tasks: Path, tmp_path: Path, capsys: Capture, arguments: list[str], said: str
) -> None:
    args = ["rollouts", "run", "--tasks", str(tasks), *arguments]
    assert run([*args, "--out", str(tmp_path / "run")]) == 2
    assert said in capsys.readouterr().err


def test_another_configuration_into_a_folder_is_refused(
    tasks: Path, partial: Path, capsys: Capture
) -> None:
    args = ["--policy", "oracle", "--n", "3", "--out", str(partial)]
    assert run(["rollouts", "run", "--tasks", str(tasks), *args]) == 2
    assert "holds another run" in capsys.readouterr().err


def test_the_tasks_folder_itself_is_no_place_for_rollouts(tasks: Path, capsys: Capture) -> None:
    args = ["--policy", "null", "--out", str(tasks)]
    assert run(["rollouts", "run", "--tasks", str(tasks), *args]) == 2
    assert "choose another --out" in capsys.readouterr().err


class Down:
    """A policy whose endpoint is down."""

    def __init__(self, task: object, *, seed: int) -> None:
        """Take what every policy is given."""

    def act(self, messages: object, tools: object) -> dict[str, Any]:
        raise ModelError("connection refused")


class WithDown:
    """A plugin of the tests."""

    @hookimpl
    def register_policies(self, register: Any) -> None:
        register("down", Down)


def test_nothing_but_errors_is_a_no(tasks: Path, tmp_path: Path, capsys: Capture) -> None:
    plugins.current().add(WithDown(), "down")
    out = str(tmp_path / "run")
    try:
        args = ["--policy", "down", "--n", "1", "--out", out]
        assert run(["rollouts", "run", "--tasks", str(tasks), *args]) == 1
        assert "the first: ModelError: connection refused" in capsys.readouterr().err
        first = next(Run.open(out).trajectories())
        assert run(["rollouts", "show", out, first.id]) == 0
        assert "error: ModelError: connection refused" in capsys.readouterr().out
    finally:
        plugins.current.cache_clear()


# -- show ----------------------------------------------------------------------------------


def test_show_lists_the_rollouts(partial: Path, capsys: Capture) -> None:
    assert run(["rollouts", "show", str(partial), "--json"]) == 0
    rows = answer(capsys)["rollouts"]
    assert [row["id"] for row in rows] == [t.id for t in Run.open(partial).trajectories()]
    assert run(["rollouts", "show", str(partial)]) == 0
    shown = capsys.readouterr().out
    assert "failed: " in shown
    assert "6 rollouts" in shown


def test_show_can_leave_out_what_passed(tasks: Path, tmp_path: Path, capsys: Capture) -> None:
    out = str(tmp_path / "run")
    args = ["--policy", "oracle", "--n", "1", "--out", out]
    run(["rollouts", "run", "--tasks", str(tasks), *args])
    capsys.readouterr()
    run(["rollouts", "show", out, "--failed", "--json"])
    assert answer(capsys) == {"rollouts": []}


def test_show_a_rollout_tells_which_call_decided_what(partial: Path, capsys: Capture) -> None:
    found = next(
        t
        for t in Run.open(partial).trajectories()
        if t.verdict and 0 < sum(t.verdict.criteria.values()) < len(t.verdict.criteria)
    )
    assert run(["rollouts", "show", str(partial), found.id[:14]]) == 0
    shown = capsys.readouterr().out
    assert found.verdict is not None
    assert "[0] list_services()" in shown
    assert f"uniform score {found.verdict.uniform:.4f}" in shown
    for finding in found.verdict.findings:
        mark = "ok" if finding.ok else "NO"
        call = "" if finding.call is None else f"  (call {finding.call})"
        assert f"  {mark}  {finding.text}  [{finding.id}]{call}\n" in shown
        assert finding.ok or f"found     {finding.found}" in shown


def test_observations_are_shortened_unless_asked_for(partial: Path, capsys: Capture) -> None:
    found = next(Run.open(partial).trajectories())
    run(["rollouts", "show", str(partial), found.id])
    short = capsys.readouterr().out
    run(["rollouts", "show", str(partial), found.id, "--full"])
    full = capsys.readouterr().out
    longest = max((m.content or "" for m in found.messages if m.role == "tool"), key=len)
    assert longest in full
    assert longest not in short


def test_show_one_rollout_as_json_is_its_record(partial: Path, capsys: Capture) -> None:
    found = next(Run.open(partial).trajectories())
    assert run(["rollouts", "show", str(partial), found.id, "--json"]) == 0
    line = (partial / "trajectories.jsonl").read_text().splitlines()[0]
    assert answer(capsys) == json.loads(line)


def test_show_an_unknown_rollout_says_how_to_list_them(partial: Path, capsys: Capture) -> None:
    assert run(["rollouts", "show", str(partial), "rollout-zzz"]) == 2
    assert "no trajectory is called 'rollout-zzz'; list them" in capsys.readouterr().err
    assert run(["rollouts", "show", str(partial), "rollout"]) == 2
    assert "6 trajectories are called 'rollout'" in capsys.readouterr().err


def test_every_subcommand_has_json_and_help(capsys: Capture) -> None:
    for name in ("run", "show"):
        assert run(["rollouts", name, "--help"]) == 0
        assert "--json" in capsys.readouterr().out


def test_a_run_without_rollouts_is_said(tasks: Path, capsys: Capture) -> None:
    assert run(["rollouts", "show", str(tasks)]) == 2
    assert "holds no rollouts; make some" in capsys.readouterr().err
