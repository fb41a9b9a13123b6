"""A training that is killed goes on as if nothing had happened."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from compoworld_trainer_grpo import worker
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.settings import SftSettings

DIE = """
import os, signal, sys
from pathlib import Path
from compoworld_trainer_grpo import worker
from compoworld_trainer_grpo.runs import TrainingRun

def watch(line):
    if line["kind"] == "train" and line["step"] == 5:
        os.kill(os.getpid(), signal.SIGKILL)

run = TrainingRun.open(Path(sys.argv[1]))
run.watch(watch)
worker.work(run)
"""
"""A training that is killed after step 5, between two checkpoints and in an epoch's middle."""


def start(out: Path, exported: Path, **values: Any) -> TrainingRun:
    chosen: dict[str, Any] = {
        "model": "tiny", "tiny": {"layers": 1, "hidden": 32, "vocabulary": 600},
        "data": [str(exported)], "launch": {"launcher": "none"}, "tensorboard": False,
        "batch": 4, "micro_batch": 2, "evaluation": 0.2, "evaluate_every": 2, "steps": 9,
        "checkpoint_every": 2, "learning_rate": 1e-2, "lora": {"rank": 2, "dropout": 0.1},
    }  # fmt: skip
    return TrainingRun.start(out, SftSettings.model_validate({**chosen, **values}))


def curves(run: TrainingRun) -> list[dict[str, Any]]:
    """All figures that the clock does not decide."""
    return [line for line in run.run.metrics() if line["kind"] != "speed"]


@pytest.mark.timeout(300)  # three trainings, one of them in a process of its own
def test_after_kill_9_the_same_command_draws_the_same_curve(
    tmp_path: Path, exported: Path
) -> None:
    whole = start(tmp_path / "whole", exported)
    worker.work(whole)

    cut = start(tmp_path / "cut", exported)
    child = subprocess.run([sys.executable, "-c", DIE, str(cut.path)], check=False)
    assert child.returncode == -signal.SIGKILL
    assert (cut.steps()[-1], cut.ended()) == (4, None)
    assert cut.checkpoint(4).is_dir()
    cut.checkpoint(6).mkdir()  # as if it had been killed while it wrote the next one

    again = start(tmp_path / "cut", exported)
    worker.work(again)
    assert again.finished
    assert curves(again) == curves(whole)
    for name in ("adapter_model.safetensors", "tokenizer.json"):
        assert (again.model / name).read_bytes() == (whole.model / name).read_bytes()


def test_another_seed_draws_another_curve(tmp_path: Path, exported: Path) -> None:
    one = start(tmp_path / "one", exported, steps=1, seed=1)
    two = start(tmp_path / "two", exported, steps=1, seed=2)
    worker.work(one)
    worker.work(two)
    assert curves(one) != curves(two)
