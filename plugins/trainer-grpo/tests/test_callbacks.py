"""The recorder's decisions, on figures written by hand."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from compoworld_trainer_grpo.callbacks import Recorder
from compoworld_trainer_grpo.configuration import settings
from compoworld_trainer_grpo.runs import TrainingEnded, TrainingRun
from compoworld_trainer_grpo.settings import SftSettings


class Training:
    """Stands for a transformers Trainer: logs figures, saves checkpoints."""

    def __init__(self, run: TrainingRun, recorder: Recorder) -> None:
        self.run, self.recorder = run, recorder
        self.state = SimpleNamespace(global_step=0, log_history=[], is_world_process_zero=True)
        self.control = SimpleNamespace(should_training_stop=False)

    def step(self, **figures: float) -> None:
        self.state.global_step += 1
        self.state.log_history.append(figures)
        self.recorder.on_step_begin(None, self.state, self.control)
        self.recorder.on_log(None, self.state, self.control, figures)

    def save(self) -> None:
        self.run.checkpoint(self.state.global_step).mkdir(parents=True)
        self.recorder.on_save(None, self.state, self.control)


@pytest.fixture
def run(tmp_path: Path, exported: Path) -> Any:
    values = {"model": "tiny", "data": [str(exported)], "tensorboard": False, "keep": 1}
    run = TrainingRun.start(tmp_path / "run", settings(SftSettings, values=values))
    with run.writing(step=0):
        yield run


def grpo(run: TrainingRun, collapse_after: int = 3) -> Training:
    chosen: dict[str, Any] = {"best": "success", "larger": True, "sampled": True}
    return Training(run, Recorder(run, **chosen, collapse_after=collapse_after))


def test_success_that_falls_to_zero_for_good_ends_the_training(run: TrainingRun) -> None:
    training = grpo(run)
    for success in (0.25, 0.5, 0.0, 0.0):
        training.step(loss=0.1, success=success)
    with pytest.raises(TrainingEnded, match=r"step 5: success was 0.500 at best") as ended:
        training.step(loss=0.1, success=0.0)
    assert ended.value.outcome == "collapsed"


def test_success_that_never_was_is_no_collapse(run: TrainingRun) -> None:
    training = grpo(run)
    for _ in range(10):
        training.step(loss=0.1, success=0.0)


def test_updates_without_figures_of_success_do_not_count(run: TrainingRun) -> None:
    training = grpo(run)
    training.step(loss=0.1, success=0.5)
    for _ in range(2):
        training.step(loss=0.1, success=0.0)
        training.step(loss=0.1)
    assert len(list(run.run.metrics())) == 10


@pytest.mark.parametrize("name", ["loss", "grad_norm"])
def test_a_figure_that_is_no_number_ends_the_training(run: TrainingRun, name: str) -> None:
    with pytest.raises(TrainingEnded, match=f"{name} is nan") as ended:
        grpo(run).step(**{"loss": 0.1, name: float("nan")})
    assert ended.value.outcome == "diverged"


def test_a_checkpoint_is_judged_by_what_is_sampled_after_it(run: TrainingRun) -> None:
    training = grpo(run)
    for first, second in ((0.9, 0.9), (0.4, 0.8), (0.5, 0.5), (0.9, 0.9)):
        training.step(loss=0.1, success=first)
        training.step(loss=0.1, success=second)
        training.save()
    best = run.best()
    assert best is not None
    assert (best.step, best.value) == (6, pytest.approx(0.9))
    assert run.steps() == [6, 8]


def test_a_checkpoint_after_the_update_that_ruined_the_model_is_not_the_best(
    run: TrainingRun,
) -> None:
    training = grpo(run, collapse_after=2)
    for success in (0.3, 0.6):  # the second update is the one
        training.step(loss=0.1, success=success)
        training.save()
    training.step(loss=0.1, success=0.0)
    with pytest.raises(TrainingEnded):
        training.step(loss=0.1, success=0.0)
    best = run.best()
    assert best is not None
    assert (best.step, best.value) == (1, 0.6)


def test_the_only_checkpoint_before_a_disaster_is_the_best(run: TrainingRun) -> None:
    training = grpo(run)
    training.step(loss=0.1)
    training.save()
    training.step(loss=0.1, success=0.4)
    with pytest.raises(TrainingEnded):
        training.step(loss=float("nan"), success=0.2)
    best = run.best()
    assert best is not None
    assert (best.step, best.value) == (1, pytest.approx(0.3))


def test_tokens_per_second_are_of_this_step(run: TrainingRun) -> None:
    training = grpo(run)
    training.state.log_history.append({"num_tokens": 1000.0})  # as after a resume
    training.recorder.on_train_begin(None, training.state, training.control)
    training.step(loss=0.1, num_tokens=1100.0)
    (line,) = [each for each in run.run.metrics() if each["kind"] == "speed"]
    assert line["tokens_per_second"] * line["seconds"] == pytest.approx(100)
