"""SFT through accelerate and DeepSpeed, against the same training without them."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from compoworld_trainer_grpo.launch import missing_compiler
from compoworld_trainer_grpo.models.loading import load
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.settings import SftSettings

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

# eight rows are trained on, a whole batch: with several processes, transformers would fill a
# last batch that is short with rows that were there before
SMALL = ("tiny.layers=1", "tiny.hidden=32", "tiny.vocabulary=600", "tensorboard=false",
         "device=cpu", "micro_batch=2", "evaluation=0.5", "evaluate_every=2",
         "checkpoint_every=2", "learning_rate=1e-2", "steps=6")  # fmt: skip


@pytest.fixture(autouse=True)
def compiler() -> None:
    missing = missing_compiler(SftSettings(model="tiny", data=("a",)))
    if missing:
        pytest.skip(f"DeepSpeed on CPUs needs {missing}")


def command(exported: Path, out: Path, *more: str) -> list[str]:
    sets = [part for each in SMALL for part in ("--set", each)]
    start = [sys.executable, "-c", "from compoworld_core.cli import main; main()"]
    typed = ["train", "sft", str(exported), "--model", "tiny", "--batch", "8"]
    return [*start, *typed, *sets, "--out", str(out), *more]


def trained(exported: Path, out: Path, *more: str) -> TrainingRun:
    done = subprocess.run(command(exported, out, *more), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return TrainingRun.open(out)


def curves(run: TrainingRun) -> list[tuple[str, int, float]]:
    """Losses by kind and step."""
    lines = [each for each in run.run.metrics() if each["kind"] in ("train", "evaluation")]
    return [(e["kind"], e["step"], e.get("loss", e.get("eval_loss"))) for e in lines]


def same(run: TrainingRun, plain: TrainingRun) -> None:
    """The same curve, and the same weights but for the order in which floats are added."""
    assert [each[:2] for each in curves(run)] == [each[:2] for each in curves(plain)]
    losses = [each[2] for each in curves(plain)]
    assert [each[2] for each in curves(run)] == pytest.approx(losses, rel=1e-4)
    found = load(str(run.model)).model.state_dict()
    for name, value in load(str(plain.model)).model.state_dict().items():
        assert found[name].numpy() == pytest.approx(value.numpy(), abs=2e-3), name


@pytest.fixture(scope="module")
def plain(exported: Path, tmp_path_factory: pytest.TempPathFactory) -> TrainingRun:
    return trained(exported, tmp_path_factory.mktemp("plain") / "run", "--launcher", "none")


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("zero", [1, 2, 3])
def test_each_stage_learns_what_plain_training_learns(
    zero: int, processes: int, plain: TrainingRun, exported: Path, tmp_path: Path
) -> None:
    launch = ("--zero", str(zero), "--processes", str(processes))
    same(trained(exported, tmp_path / "run", *launch), plain)


@pytest.mark.parametrize("preset", ["zero2-offload", "zero3-offload"])
def test_what_is_offloaded_learns_what_plain_training_learns(
    preset: str, plain: TrainingRun, exported: Path, tmp_path: Path
) -> None:
    """By another AdamW: DeepSpeed's own for CPUs."""
    run = trained(exported, tmp_path / "run", "--preset", preset, "--processes", "2")
    assert "offload_optimizer" in (run.path / "launch" / "deepspeed.json").read_text()
    same(run, plain)


def test_after_kill_9_of_the_command_it_ends_and_the_curve_goes_on(
    plain: TrainingRun, exported: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    typed = command(exported, out, "--zero", "2", "--processes", "2")
    process = subprocess.Popen(typed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while (
        process.poll() is None and not (out / "checkpoints/checkpoint-2/complete.json").exists()
    ):
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    deadline = time.monotonic() + 20
    while _held(TrainingRun.open(out)):  # its workers must not train on without it
        assert time.monotonic() < deadline
        time.sleep(0.1)
    cut = TrainingRun.open(out)
    assert not cut.finished
    assert cut.steps()
    same(trained(exported, out, "--zero", "2", "--processes", "2"), plain)


def _held(run: TrainingRun) -> bool:
    from compoworld_core.errors import UsageError

    try:
        with run.run.writing():
            return False
    except UsageError:
        return True


def test_two_machines_learn_what_one_process_learns(
    plain: TrainingRun, exported: Path, tmp_path: Path
) -> None:
    """Both are this one; they meet at an address and share the run folder, as others would."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    out = tmp_path / "run"
    values = ("launch.machines=2", f"launch.main_port={port}", "launch.processes=2")
    sets = [part for each in values for part in ("--set", each)]
    typed = [command(exported, out, *sets, "--set", f"launch.machine_rank={r}") for r in (0, 1)]
    first = subprocess.Popen(typed[0], stderr=subprocess.PIPE, text=True)
    while first.poll() is None and not (out / "settings.json").is_file():
        time.sleep(0.01)
    second = subprocess.run(typed[1], capture_output=True, text=True)
    _, said = first.communicate()
    assert (first.returncode, second.returncode) == (0, 0), said + second.stderr
    same(TrainingRun.open(out), plain)


def test_a_process_that_the_system_kills_is_told_as_a_lack_of_memory(
    exported: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    process = subprocess.Popen(command(exported, out), stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (out / "metrics.jsonl").is_file():
        time.sleep(0.01)
    os.kill(_rank(0, out), signal.SIGKILL)
    _, said = process.communicate()
    assert process.returncode == 1
    assert "training out-of-memory: a process was killed" in said


def _rank(rank: int, out: Path) -> int:
    """The process of a rank, from what the kernel knows."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().split(b"\0")
            environment = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue  # it has ended, or is another user's
        if f"RANK={rank}".encode() in environment and str(out).encode() in line:
            return int(folder.name)
    raise AssertionError(f"no process has rank {rank}")


def test_an_error_in_the_processes_is_said_by_the_command(
    tmp_path: Path, exported: Path
) -> None:
    row = json.loads(exported.read_text().splitlines()[0])
    row["messages"] = row["messages"][:2]
    data = tmp_path / "sft.jsonl"
    data.write_text(json.dumps(row) + "\n")
    done = subprocess.run(command(data, tmp_path / "run"), capture_output=True, text=True)
    assert done.returncode == 1
    assert "sft.jsonl:1: the conversation of 2 messages has no token" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_of_deepspeed_goes_on_only_as_it_was(
    plain: TrainingRun, exported: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        command(exported, plain.path, "--zero", "1"), capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "holds another run: the option launch" in done.stderr
