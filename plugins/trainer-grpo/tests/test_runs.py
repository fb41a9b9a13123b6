"""The run folder: what a resume forgets and keeps, and who may write."""

import json
from pathlib import Path

import pytest
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.settings import SftSettings

from compoworld_core.errors import UsageError
from compoworld_core.records import Message, Trajectory
from compoworld_core.run import Run


def make(out: Path, exported: Path, **values: object) -> TrainingRun:
    chosen = {"model": "tiny", "data": [str(exported)], "tensorboard": False, **values}
    return TrainingRun.start(out, SftSettings.model_validate(chosen))


def checkpoint(run: TrainingRun, step: int) -> None:
    run.checkpoint(step).mkdir(parents=True)
    (run.checkpoint(step) / "model.safetensors").write_bytes(b"x")


def played(number: int) -> Trajectory:
    return Trajectory(
        id=f"trajectory-{number}", task="task-1", policy="local", seed=0, sample=number,
        messages=(Message(role="user", content="Do it."),),
    )  # fmt: skip


def test_a_resume_forgets_what_came_after_the_checkpoint(
    tmp_path: Path, exported: Path
) -> None:
    run = make(tmp_path / "run", exported)
    with run.writing(step=0):
        for step in (1, 2, 3):
            run.record("train", step, {"loss": 1 / step})
            run.keep(step, [played(step)])
    with run.writing(step=2):
        pass
    assert [line["step"] for line in run.run.metrics()] == [1, 2]
    kept = sorted(path.name for path in (run.path / "trajectories").iterdir())
    assert kept == ["step-00001", "step-00002"]


def test_trajectories_of_a_step_are_a_run_of_their_own(tmp_path: Path, exported: Path) -> None:
    run = make(tmp_path / "run", exported)
    with run.writing(step=0):
        run.keep(7, [played(0)])
        folder = run.keep(7, [played(1), played(2)])
    assert [each.sample for each in Run.open(folder).trajectories()] == [1, 2]


def test_a_torn_checkpoint_does_not_count(tmp_path: Path, exported: Path) -> None:
    run = make(tmp_path / "run", exported)
    checkpoint(run, 2)
    run.complete(2)
    checkpoint(run, 4)
    assert run.steps() == [2]
    run.drop_torn()
    assert not run.checkpoint(4).exists()
    assert run.checkpoint(2).exists()


def test_the_newest_and_the_best_checkpoints_stay(tmp_path: Path, exported: Path) -> None:
    run = make(tmp_path / "run", exported, keep=2)
    for step, loss in ((1, 0.9), (2, 0.3), (3, 0.5), (4, 0.4), (5, 0.3)):
        checkpoint(run, step)
        run.choose_best(step, "eval_loss", loss, larger=False)
        run.complete(step)
    best = run.best()
    assert run.steps() == [2, 4, 5]
    assert best is not None
    assert (best.step, best.value) == (2, 0.3)


def test_a_figure_that_is_no_number_is_not_the_best(tmp_path: Path, exported: Path) -> None:
    run = make(tmp_path / "run", exported)
    assert not run.choose_best(1, "loss", float("nan"), larger=False)
    assert run.best() is None


def test_a_second_writer_is_refused(tmp_path: Path, exported: Path) -> None:
    run = make(tmp_path / "run", exported)
    other = TrainingRun.open(run.path)
    refused = pytest.raises(UsageError, match="written to by another")
    with run.writing(step=0), refused, other.writing(step=0):
        pass


def test_other_settings_in_the_same_folder_are_refused(tmp_path: Path, exported: Path) -> None:
    make(tmp_path / "run", exported)
    with pytest.raises(UsageError, match="option batch was 32 and is 8"):
        make(tmp_path / "run", exported, batch=8)


def test_other_data_in_the_same_folder_are_refused(tmp_path: Path, exported: Path) -> None:
    data = tmp_path / "sft.jsonl"
    data.write_bytes(exported.read_bytes())
    make(tmp_path / "run", data)
    data.write_bytes(exported.read_bytes() * 2)
    with pytest.raises(UsageError, match="option inputs was"):
        make(tmp_path / "run", data)


def test_a_machines_place_is_no_other_run(tmp_path: Path, exported: Path) -> None:
    place = {"machines": 2, "processes": 2, "main_port": 29500}
    first = make(tmp_path / "run", exported, launch={**place, "machine_rank": 0})
    second = make(tmp_path / "run", exported, launch={**place, "machine_rank": 1})
    assert first.run.configuration == second.run.configuration


def test_what_is_no_training_run_says_so(tmp_path: Path) -> None:
    Run.start(tmp_path / "run", {"command": "rollouts run"}, {})
    with pytest.raises(UsageError, match="no training run"):
        TrainingRun.open(tmp_path / "run")


def test_a_curve_does_not_hide_a_figure_that_is_no_number(
    tmp_path: Path, exported: Path
) -> None:
    run = make(tmp_path / "run", exported)
    with run.writing(step=0):
        run.record("train", 1, {"loss": float("nan")})
    text = (run.path / "metrics.jsonl").read_text()
    assert json.loads(text)["loss"] == "nan"
