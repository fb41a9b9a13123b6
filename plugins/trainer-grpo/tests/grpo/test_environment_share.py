"""How much of a training's time the services take, where the model plays whole tasks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from compoworld_trainer_grpo import sampling
from compoworld_trainer_grpo.experiments.demo import POOL
from compoworld_trainer_grpo.experiments.lab import Lab
from compoworld_trainer_grpo.runs import TrainingRun
from doubles import Dictated, Tape, spoken

from compoworld_core import cli
from compoworld_core.run import Run

ROLLOUTS, TASKS = 8, 4
ALLOWED = 0.02


@pytest.fixture
def dictated(monkeypatch: pytest.MonkeyPatch) -> Callable[[Run], None]:
    """Has models say what an oracle said; odd rollouts leave out the last deed.

    Each pass is the model's own, and each call the services'; only what is drawn is not.
    """
    engine, line = sampling.local_engine, sampling.Sampler._line

    def dictate(run: Run) -> None:
        told = {each.task: each for each in run.trajectories()}

        def read_out(loaded: Any, settings: Any) -> Any:
            made: Any = engine(loaded, settings)
            made.drawing = Dictated()
            return made

        def learnt(self: Any, seat: Any, seed: int) -> Any:
            made = line(self, seat, seed)
            turns = spoken(told[seat.task.id], self.loaded)
            if seat.sample % 2:
                del turns[-2]
            text = "".join(turns)
            ids = self.loaded.tokenizer(text, add_special_tokens=False)["input_ids"]
            made.random = Tape(ids)
            return made

        monkeypatch.setattr(sampling, "local_engine", read_out)
        monkeypatch.setattr(sampling.Sampler, "_line", learnt)

    return dictate


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_services_take_next_to_nothing_of_a_step(
    dictated: Callable[[Run], None], tmp_path: Path
) -> None:
    lab = Lab(tmp_path, print)
    tasks = lab.tasks("tasks", POOL.request(TASKS, seed=1))
    model = lab.model("model", [lab.demonstrations("shown", tasks)], POOL.services)
    dictated(Run.open(tmp_path / "shown-oracle"))
    out = tmp_path / "run"
    code = cli.run([
        "train", "grpo", "--preset", "tiny-cpu", "--launcher", "none", "--model", model,
        "--tasks", str(tasks.path), "--steps", "2", "--rollouts", str(ROLLOUTS),
        "--tasks-per-step", str(TASKS), "--out", str(out),
    ])  # fmt: skip
    assert code == 0
    lines = list(TrainingRun.open(out).run.metrics())
    batches = [line for line in lines if line["kind"] == "train" and "success" in line]
    assert [line["success"] for line in batches] == [0.5, 0.5], "whole tasks are played"
    (found,) = [line for line in lines if line["kind"] == "summary"]
    assert 0 < found["environment_share"] < ALLOWED
