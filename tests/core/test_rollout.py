"""Rollouts of a run: the same bytes with any number of workers and after any kill."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from compoworld_core import hookimpl, plugins
from compoworld_core.errors import ModelError, PluginError, RecordError, UnknownName, UsageError
from compoworld_core.events import RolloutFinished, TaskJudged
from compoworld_core.explain import replay
from compoworld_core.generation import Request, generate
from compoworld_core.records import Trajectory, Verdict
from compoworld_core.rollout import Job, Summary, group_rewards, run_rollouts
from compoworld_core.run import Run, open_task

SERVICES = Path(__file__).parents[1] / "services"
NAMES = ("mailbox", "crm", "billing", "tracker", "notes")


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
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Run:
    path = tmp_path_factory.mktemp("tasks") / "run"
    generate(Request(n=3, distractors=0, services=NAMES, scale=40, generator="sample"), path)
    return Run.open(path)


JOB = Job("partial", n=3, options={"rate": 0.4})


@pytest.fixture(scope="module")
def whole(tasks: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rollouts that were made without interruption."""
    path = tmp_path_factory.mktemp("whole") / "run"
    run_rollouts(tasks, path, JOB)
    return path


def contents(path: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()
    }


class Flaky:
    """A policy whose endpoint fails for odd seeds."""

    def __init__(self, task: object, *, seed: int) -> None:
        self.seed = seed

    def act(self, messages: Sequence[object], tools: Sequence[object]) -> dict[str, Any]:
        if self.seed % 2:
            raise ModelError("no answer")
        return {"role": "assistant", "content": ""}


def strange(verdicts: Sequence[Verdict]) -> list[float]:
    """A reward that breaks its contract."""
    return [0.5]


class Strange:
    """A plugin of the tests, which also observes."""

    def __init__(self) -> None:
        self.events: list[object] = []

    @hookimpl
    def register_policies(self, register: Any) -> None:
        register("flaky", Flaky)

    @hookimpl
    def register_rewards(self, register: Any) -> None:
        register("strange", strange)

    @hookimpl
    def observe(self, event: object) -> None:
        self.events.append(event)


@pytest.fixture
def plugin() -> Iterator[Strange]:
    strange_ = Strange()
    plugins.current().add(strange_, "strange")
    yield strange_
    plugins.current.cache_clear()


# -- bytes ---------------------------------------------------------------------------------


def test_records_are_complete_and_in_the_order_of_the_tasks(tasks: Run, whole: Path) -> None:
    found = list(Run.open(whole).trajectories())
    wanted = [(task.id, sample) for task in tasks.tasks() for sample in range(3)]
    assert [(each.task, each.sample) for each in found] == wanted
    assert len({each.id for each in found}) == len({each.seed for each in found}) == 9
    assert all(each.policy == "partial" and each.reward is not None for each in found)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_bytes_do_not_depend_on_the_workers(
    tasks: Run, whole: Path, tmp_path: Path, workers: int
) -> None:
    pool = plugins.executors().load("local")
    assert isinstance(pool, type)
    run_rollouts(tasks, tmp_path / "run", JOB, workers=workers, executor=pool())
    assert contents(tmp_path / "run") == contents(whole)


def test_nothing_depends_on_where_the_tasks_lie(
    tasks: Run, whole: Path, tmp_path: Path
) -> None:
    moved = shutil.copytree(tasks.path, tmp_path / "moved")
    run_rollouts(Run.open(moved), tmp_path / "run", JOB)
    assert contents(tmp_path / "run") == contents(whole)


def test_another_seed_gives_other_rollouts(tasks: Run, whole: Path, tmp_path: Path) -> None:
    run_rollouts(tasks, tmp_path / "run", Job("partial", n=3, seed=1, options={"rate": 0.4}))
    assert (
        contents(tmp_path / "run")["trajectories.jsonl"]
        != contents(whole)["trajectories.jsonl"]
    )


def test_a_rollout_does_not_depend_on_those_before_it(
    tasks: Run, whole: Path, tmp_path: Path
) -> None:
    run_rollouts(tasks, tmp_path / "run", JOB, limit=1)
    first = (whole / "trajectories.jsonl").read_bytes().splitlines()[:3]
    assert (tmp_path / "run" / "trajectories.jsonl").read_bytes().splitlines() == first


def test_recorded_verdicts_are_those_of_a_replay(tasks: Run, whole: Path) -> None:
    by_id = {task.id: task for task in tasks.tasks()}
    for trajectory in Run.open(whole).trajectories():
        task = by_id[trajectory.task]
        assert replay(task, open_task(tasks, task), trajectory) == trajectory


# -- resuming ------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.05, 0.34, 0.5, 0.7, 0.999])
@pytest.mark.parametrize("figures", [0.0, 0.4, 1.0])
def test_a_killed_run_goes_on_without_loss_or_duplicates(
    tasks: Run, whole: Path, tmp_path: Path, share: float, figures: float
) -> None:
    path = shutil.copytree(whole, tmp_path / "run")
    for name, part in (("trajectories.jsonl", share), ("metrics.jsonl", figures)):
        content = (path / name).read_bytes()
        (path / name).write_bytes(content[: int(len(content) * part)])
    run_rollouts(tasks, path, JOB)
    assert contents(path) == contents(whole)


@pytest.mark.parametrize("groups", [0, 1, 2])
def test_a_run_that_was_killed_goes_on(
    tasks: Run, whole: Path, tmp_path: Path, groups: int
) -> None:
    program = f"""
import os, signal, sys
from compoworld_core.rollout import Job, run_rollouts
from compoworld_core.run import Run
def die(summary, wanted):
    if summary.groups == {groups}:
        os.kill(os.getpid(), signal.SIGKILL)
job = Job("partial", n=3, options={{"rate": 0.4}})
run_rollouts(Run.open(sys.argv[1]), sys.argv[2], job, progress=die)
"""
    command = [sys.executable, "-c", program, str(tasks.path), str(tmp_path / "run")]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    seen: list[int] = []
    run_rollouts(
        tasks, tmp_path / "run", JOB, progress=lambda s, wanted: seen.append(s.rollouts)
    )
    assert seen[0] == groups * 3
    assert contents(tmp_path / "run") == contents(whole)


def test_finished_rollouts_are_left_as_they_are(
    tasks: Run, whole: Path, tmp_path: Path
) -> None:
    path = shutil.copytree(whole, tmp_path / "run")
    assert run_rollouts(tasks, path, JOB) == run_rollouts(tasks, tmp_path / "new", JOB)
    assert contents(path) == contents(whole)


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (Job("oracle", n=3, options={"rate": 0.4}), "does not take these options"),
        (Job("partial", n=4, options={"rate": 0.4}), "the option n was 3 and is 4"),
        (Job("partial", n=3, options={"rate": 0.5}), "the option options was"),
        (Job("partial", n=3, options={"rate": 0.4}, reward="binary"), "the option reward was"),
    ],
)
def test_another_job_does_not_mix_with_a_run(
    tasks: Run, whole: Path, tmp_path: Path, job: Job, said: str
) -> None:
    path = shutil.copytree(whole, tmp_path / "run")
    with pytest.raises(UsageError, match=said):
        run_rollouts(tasks, path, job)
    assert contents(path) == contents(whole)


def test_a_run_over_other_tasks_is_refused(tasks: Run, whole: Path, tmp_path: Path) -> None:
    path = shutil.copytree(whole, tmp_path / "run")
    with pytest.raises(UsageError, match="another run: the option tasks was 3 and is 2"):
        run_rollouts(tasks, path, JOB, limit=2)


def test_records_that_are_none_of_the_run_are_refused(
    tasks: Run, whole: Path, tmp_path: Path
) -> None:
    path = shutil.copytree(whole, tmp_path / "run")
    lines = (path / "trajectories.jsonl").read_bytes().splitlines(keepends=True)
    (path / "trajectories.jsonl").write_bytes(b"".join([lines[1], lines[0], *lines[2:]]))
    with pytest.raises(RecordError, match=r"trajectory 1, .* is none of this run"):
        run_rollouts(tasks, path, JOB)


# -- figures -------------------------------------------------------------------------------


def test_the_summary_is_what_the_records_say(tasks: Run, whole: Path, tmp_path: Path) -> None:
    found = run_rollouts(tasks, tmp_path / "run", JOB).figures()
    verdicts = [t.verdict for t in Run.open(whole).trajectories() if t.verdict is not None]
    rewards = [t.reward or 0.0 for t in Run.open(whole).trajectories()]
    assert found["rollouts"] == len(verdicts) == 9
    assert found["pass_rate"] == pytest.approx(sum(v.success for v in verdicts) / 9)
    assert found["uniform"] == pytest.approx(sum(v.uniform for v in verdicts) / 9)
    assert found["reward"] == pytest.approx(sum(rewards) / 9)
    assert 0 < found["uniform"] < 1
    assert found["errors"] == 0


def test_there_is_a_figure_for_each_group(tasks: Run, whole: Path) -> None:
    figures = list(Run.open(whole).metrics())
    assert [each["task"] for each in figures] == [task.id for task in tasks.tasks()]
    assert all(each["kind"] == "group" and each["rollouts"] == 3 for each in figures)


def test_groups_without_signal_are_counted(tasks: Run, tmp_path: Path) -> None:
    summary = run_rollouts(tasks, tmp_path / "run", Job("oracle", n=2))
    assert (summary.zero_signal, summary.groups) == (3, 3)
    assert run_rollouts(tasks, tmp_path / "p", JOB).zero_signal == 0


def test_oracle_passes_all_and_null_nothing(tasks: Run, tmp_path: Path) -> None:
    oracle = run_rollouts(tasks, tmp_path / "oracle", Job("oracle", n=1)).figures()
    null = run_rollouts(tasks, tmp_path / "null", Job("null", n=1)).figures()
    assert (oracle["pass_rate"], oracle["uniform"], oracle["reward"]) == (1, 1, 1)
    assert (null["pass_rate"], null["uniform"]) == (0, 0)
    assert null["reward"] < 0.01


def test_the_named_reward_and_its_options_are_used(
    tasks: Run, whole: Path, tmp_path: Path
) -> None:
    job = Job("partial", n=3, options={"rate": 0.4}, reward="uniform",
              reward_options={"gates": "multiply"})  # fmt: skip
    run_rollouts(tasks, tmp_path / "run", job)
    found = list(Run.open(tmp_path / "run").trajectories())
    for each in found:
        assert each.verdict is not None
        assert each.reward == each.verdict.uniform * all(each.verdict.gates.values())
    assert [t.id for t in found] == [t.id for t in Run.open(whole).trajectories()]


def test_rollouts_that_end_in_errors_count_as_nothing(
    tasks: Run, tmp_path: Path, plugin: Strange
) -> None:
    figures = run_rollouts(tasks, tmp_path / "run", Job("flaky", n=6)).figures()
    found = list(Run.open(tmp_path / "run").trajectories())
    broken = [each for each in found if each.error]
    assert 0 < len(broken) == figures["errors"] < 18
    assert {(each.verdict, each.reward, each.error) for each in broken} == {
        (None, None, "ModelError: no answer")
    }
    good = [each.reward for each in found if each.reward is not None]
    assert figures["reward"] == pytest.approx(sum(good) / 18)


def verdict(*criteria: bool) -> Verdict:
    return Verdict(criteria={str(n): ok for n, ok in enumerate(criteria)}, gates={})


def test_an_unjudged_rollout_is_no_part_of_its_group() -> None:
    reward: Any = plugins.rewards().load("completion-focused")
    group = [verdict(True, False), None, verdict(True, True)]
    alone = group_rewards(reward, [group[0], group[2]], {})
    assert group_rewards(reward, group, {}) == [alone[0], None, alone[1]]
    assert group_rewards(reward, [None, None], {}) == [None, None]


def test_a_summary_of_nothing_has_no_rates() -> None:
    assert Summary().figures()["pass_rate"] == 0


# -- observers -----------------------------------------------------------------------------


def test_observers_see_each_rollout_and_each_group_in_order(
    tasks: Run, whole: Path, tmp_path: Path, plugin: Strange
) -> None:
    run_rollouts(tasks, tmp_path / "run", JOB)
    kinds = [type(event) for event in plugin.events]
    assert kinds == [RolloutFinished, RolloutFinished, RolloutFinished, TaskJudged] * 3
    seen = [e.trajectory for e in plugin.events if isinstance(e, RolloutFinished)]
    assert seen == list(Run.open(whole).trajectories())
    judged = [event for event in plugin.events if isinstance(event, TaskJudged)]
    assert [event.task for event in judged] == [task.id for task in tasks.tasks()]


# -- wrong use -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("job", "error", "said"),
    [
        (Job("orakle"), UnknownName, "no policy is called 'orakle'. Closest: oracle"),
        (Job("oracle", reward="unifrm"), UnknownName, "Closest: uniform"),
        (Job("oracle", n=0), UsageError, "n is 0; give at least 1"),
        (Job("partial", options={"rates": 1}), UsageError, "rates: closest rate. It takes:"),
        (Job("partial", options={"rate": 2}), UsageError, "rate is 2"),
        (Job("null", options={"x": 2}), UsageError, "It takes: none"),
        (Job("null", reward_options={"lam": 0}), UsageError, "lam is 0"),
        (Job("null", reward_options={"lamda": 1}), UsageError, "lamda: closest lam"),
        (Job("null", reward="strange", n=2), PluginError, "1 numbers for 2 verdicts"),
    ],
)
def test_wrong_use_says_what_there_is(
    tasks: Run, tmp_path: Path, plugin: Strange, job: Job, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        run_rollouts(tasks, tmp_path / "run", job)


def test_wrong_use_writes_nothing(tasks: Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        run_rollouts(tasks, tmp_path / "run", Job("partial", options={"rate": 2}))
    assert not (tmp_path / "run").exists()


def test_a_run_without_tasks_is_said(tmp_path: Path) -> None:
    empty = Run.start(tmp_path / "empty", {}, {})
    with pytest.raises(UsageError, match="holds no tasks; make some: compoworld tasks"):
        run_rollouts(empty, tmp_path / "run", JOB)


def test_a_trajectory_file_has_the_promised_shape(whole: Path) -> None:
    record = json.loads((whole / "trajectories.jsonl").read_text().splitlines()[0])
    assert record["schema"] == "compoworld/trajectory@1"
    assert list(record) == sorted(record)
    assert Trajectory.model_validate(record).verdict is not None
