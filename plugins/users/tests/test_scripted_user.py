"""The scripted user, and a run of rollouts whose tasks have users."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import compoworld_users.plugin
import pytest
from compoworld_users.scripted import scripted
from held_back import DUE, QUESTIONS, held_back
from sample_tasks import sample_world

from compoworld_core import plugins
from compoworld_core.cli import run as command
from compoworld_core.errors import UsageError
from compoworld_core.proof.case import start_environment
from compoworld_core.proof.certificate import prove
from compoworld_core.records import Task
from compoworld_core.run import Run
from compoworld_core.world import World

SERVICES = Path(__file__).parents[3] / "tests" / "services"


@pytest.fixture(scope="module")
def world() -> World:
    return sample_world(scale=40)


@pytest.fixture(scope="module")
def task(world: World) -> Task:
    made = held_back(world)
    candidate = made.candidate()
    names = tuple(sorted(candidate.services))
    initial = start_environment(world.services, world.states, candidate.patches, names)
    return prove(candidate, initial, made.draft.bases())


def test_he_answers_as_in_the_proof(task: Task) -> None:
    user = scripted(task, seed=1)
    assert user.reply((), QUESTIONS["due"]) == DUE.sentence
    assert user.reply((), "All done.") is None


def test_his_patience_is_an_option(task: Task) -> None:
    assert scripted(task, seed=1, patience=1).reply((("a", "b"),), QUESTIONS["due"]) is None


@pytest.mark.parametrize("patience", [0, -1, True, "3", 2.5, None])
def test_a_patience_that_is_no_count_is_wrong_usage(task: Task, patience: Any) -> None:
    with pytest.raises(UsageError, match="patience is"):
        scripted(task, seed=1, patience=patience)


# -- by command ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tasks(task: Task, world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A run folder that holds the task."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SERVICES / "installed"))
        patch.syspath_prepend(str(SERVICES))
        patch.setenv("PYTHONPATH", f"{SERVICES}{os.pathsep}{SERVICES / 'installed'}")
        patch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services")
        plugins.current.cache_clear()
        if "users" not in [found.name for found in plugins.current().plugins()]:
            plugins.current().add(compoworld_users.plugin, "users")
        run = Run.start(tmp_path_factory.mktemp("users") / "run", {}, {})
        for base in world.bases.values():
            run.save_base(base.state)
        with run.writing():
            run.append("tasks", task)
        yield run.path
    plugins.current.cache_clear()


def rollouts(tasks: Path, out: Path, policy: str, *more: str) -> list[str]:
    given = ["--tasks", str(tasks), "--policy", policy, "--n", "2", "--out", str(out)]
    return ["rollouts", "run", *given, *more]


def test_the_oracle_asks_and_passes(
    tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command([*rollouts(tasks, tmp_path / "out", "oracle"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pass_rate"] == 1.0
    first = next(Run.open(tmp_path / "out").trajectories())
    assert first.usage["replies"] == 2
    assert [m.content for m in first.messages if m.role == "user"][1] == DUE.sentence


def test_the_page_of_a_rollout_shows_what_the_user_said(
    tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert command(rollouts(tasks, out, "oracle")) == 0
    first = next(Run.open(out).trajectories())
    capsys.readouterr()
    assert command(["rollouts", "show", str(out), first.id]) == 0
    assert f"user: {DUE.sentence}" in capsys.readouterr().out


def test_a_slipping_policy_does_not_break_on_a_user(tasks: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    more = ("--option", "rate=0.9")
    assert command(rollouts(tasks, out, "partial", *more)) == 0
    assert [t.error for t in Run.open(out).trajectories()] == ["", ""]


def test_who_does_nothing_fails(
    tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command([*rollouts(tasks, tmp_path / "out", "null"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pass_rate"] == 0.0


def test_the_user_and_his_options_are_chosen_by_name(tasks: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    more = ("--user", "scripted", "--user-option", "patience=1")
    assert command(rollouts(tasks, out, "oracle", *more)) == 0
    run = Run.open(out)
    assert [t.usage["replies"] for t in run.trajectories()] == [1, 1]
    other = tmp_path / "other"
    assert command(rollouts(tasks, other, "oracle")) == 0
    ids = [{t.id for t in found.trajectories()} for found in (run, Run.open(other))]
    assert ids[0].isdisjoint(ids[1])


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--user", "scriptd"), "scripted"),
        (("--user-option", "patiense=1"), "user 'scripted' does not take these options"),
        (("--user-option", "patience=0"), "patience is 0"),
    ],
)
def test_a_wrong_user_is_told_before_anything_is_written(
    tasks: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: tuple[str, ...],
    why: str,
) -> None:
    out = tmp_path / "out"
    assert command(rollouts(tasks, out, "oracle", *more)) == 2
    assert why in capsys.readouterr().err
    assert not out.exists()


def test_the_task_page_shows_what_he_holds_back(
    tasks: Path, task: Task, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(["tasks", "show", str(tasks), task.id]) == 0
    page = capsys.readouterr().out
    assert "The user holds back" in page
    assert DUE.sentence in page


def test_the_task_verifies_from_its_folder(tasks: Path) -> None:
    assert command(["tasks", "verify", str(tasks)]) == 0


def test_exported_rows_keep_who_said_what(tasks: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert command(rollouts(tasks, out, "oracle")) == 0
    assert command(["export", "sft", str(out), "--out", str(tmp_path / "sft.jsonl")]) == 0
    row = json.loads((tmp_path / "sft.jsonl").read_text().splitlines()[0])
    told = [m for m in row["messages"] if m["content"] == DUE.sentence]
    assert [m["role"] for m in told] == ["user"]


def test_the_report_shows_the_conversation(tasks: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "out", tmp_path / "page.html"
    assert command(rollouts(tasks, out, "oracle")) == 0
    assert command(["report", "html", str(tasks), str(out), "--out", str(page)]) == 0
    text = page.read_text()
    assert "The user tells when asked" in text
    assert f"The user: {DUE.sentence}" in text
