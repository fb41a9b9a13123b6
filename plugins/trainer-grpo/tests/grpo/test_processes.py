"""Two processes with unequal episodes: nothing hangs, nothing mixes, all back ends agree."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compoworld_trainer_grpo.launch import accelerate_configuration, deepspeed_configuration
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.settings import GrpoSettings

from compoworld_core.run import Run

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
"""The user's, before a fixture hides it: DeepSpeed's library, which takes minutes to compile on
busy processors, is there already or is left there."""
PYTHON = "py{}{}_cpu".format(*sys.version_info)
EXTENSIONS = os.environ.get("TORCH_EXTENSIONS_DIR") or str(CACHE / "torch_extensions" / PYTHON)
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def train(
    folder: Path, tasks: Run, model: Path, environment: dict[str, str], **how: Any
) -> Any:
    """Run a training on so many processes; the run, and each rank's forward passes."""
    zero, processes, sharded = how["zero"], how["processes"], how.get("sharded", False)
    settings = GrpoSettings.model_validate({
        "model": str(model), "tasks": [str(tasks.path)], "tensorboard": False, "steps": 3,
        "rollouts": 4, "tasks_per_step": 2, "micro_batch": 2, "updates": 1, "device": "cpu",
        "learning_rate": 1e-3, "turns": 9, "turn_tokens": 200, "episode_tokens": 6000,
        "collapse_after": 0,
        "launch": {"processes": processes, "zero": max(zero, 1),
                   "launcher": "accelerate" if zero else "none"},
    })  # fmt: skip
    run = TrainingRun.start(folder, settings)
    command = [sys.executable, str(HERE / "zero_worker.py"), str(run.path)]
    if zero:
        place = run.path / "launch"
        place.mkdir()
        files = {
            "deepspeed.json": deepspeed_configuration(settings),
            "accelerate.json": accelerate_configuration(settings, place, cpu=True),
        }
        for name, content in files.items():
            (place / name).write_text(json.dumps(content))
        start = [
            "-m",
            "accelerate.commands.launch",
            "--config_file",
            f"{place}/accelerate.json",
        ]
        command[1:1] = start
    if sharded:
        command.append("sharded")
    done = subprocess.run(
        command,
        env={
            **os.environ,
            **environment,
            "OMP_NUM_THREADS": "1",
            "DS_ACCELERATOR": "cpu",
            "TORCH_EXTENSIONS_DIR": EXTENSIONS,
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-6000:]}"
    passes = [json.loads(file.read_text()) for file in sorted(run.path.glob("passes-*.json"))]
    return run, passes


def figures(run: TrainingRun, *names: str) -> list[float]:
    lines = [line for line in run.run.metrics() if line["kind"] == "train"]
    return [line[name] for name in names for line in lines if name in line]


def weights(run: TrainingRun) -> dict[str, Any]:
    from safetensors.numpy import load_file

    return dict(load_file(run.model / "model.safetensors"))


@pytest.fixture(scope="module")
def model(loaded: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = loaded.save(tmp_path_factory.mktemp("model"))
    return folder


@pytest.fixture(scope="module")
def plain(
    tasks_run: Run, model: Path, installed: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> TrainingRun:  # fmt: skip
    """The same training in one process, without DeepSpeed."""
    out = tmp_path_factory.mktemp("plain") / "run"
    run, _ = train(out, tasks_run, model, installed, zero=0, processes=1)
    return run  # type: ignore[no-any-return]


@pytest.mark.parametrize(("zero", "sharded"), [(1, False), (2, False), (3, False), (3, True)])
def test_unequal_episodes_on_two_processes(
    zero: int, sharded: bool, tasks_run: Run, model: Path, installed: dict[str, str],
    plain: TrainingRun, tmp_path: Path,
) -> None:  # fmt: skip
    run, passes = train(
        tmp_path / "run", tasks_run, model, installed, zero=zero, processes=2, sharded=sharded
    )
    if sharded:  # each pass is collective: the ranks made as many
        assert passes[0] == passes[1]
    else:  # and here each made its own
        assert passes[0] != passes[1]
    names = ("turns", "calls", "reward", "completions/mean_length", "zero_signal")
    assert figures(run, *names) == pytest.approx(figures(plain, *names), rel=1e-6)
    # a step's gradient is over the rows of all ranks
    assert figures(run, "grad_norm") == pytest.approx(figures(plain, "grad_norm"), rel=2e-3)
    made, expected = weights(run), weights(plain)
    for name, tensor in expected.items():
        assert np.abs(made[name] - tensor).max() < 1e-4, name
    trajectories = [list(Run.open(f).trajectories()) for f in _kept(run)]
    wanted = [list(Run.open(f).trajectories()) for f in _kept(plain)]
    assert trajectories == wanted


def _kept(run: TrainingRun) -> list[Path]:
    return sorted((run.path / "trajectories").iterdir())
