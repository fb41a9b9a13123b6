"""Launch: training in this process, or through accelerate with DeepSpeed in others."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar

from compoworld_core.errors import CompoWorldError, UsageError
from compoworld_core.run import write_whole
from compoworld_trainer_grpo import building, worker
from compoworld_trainer_grpo.arguments import DEEPSPEED_FILE, LAUNCH_FOLDER, has_gpu
from compoworld_trainer_grpo.runs import STACK, TrainingRun
from compoworld_trainer_grpo.settings import Launch, Settings

ACCELERATE_FILE: Final = "accelerate.json"
LOG_TAIL: Final = 30
"""Lines of the log that are shown where a process ended without a word."""

Chosen = TypeVar("Chosen", bound=Settings)

Say = Callable[[dict[str, Any]], None]
"""Is told each line of metrics as it comes."""

_POLL: Final = 0.2
_KILLED: Final = ("exitcode  : -9", "exitcode: -9", "Signal 9 (SIGKILL)")


def missing_stack() -> list[str]:
    """Packages of the training stack that are not installed."""
    return [name for name in STACK if find_spec(name) is None]


def missing_compiler(settings: Settings) -> str:
    """What DeepSpeed's libraries cannot be built without; empty if all is there.

    DeepSpeed compiles a small library at its first start on a CPU, and one where the optimiser
    is offloaded. Torch's builder takes `CXX`, or else `c++`, or `g++`; the libraries include
    Python's header.
    """
    compilers = [os.environ["CXX"]] if os.environ.get("CXX") else ["c++", "g++"]
    if not any(shutil.which(each) for each in compilers):
        return f"a C++ compiler ({' or '.join(compilers)})"
    header = Path(sysconfig.get_path("include")) / "Python.h"
    return "" if header.is_file() else f"Python's headers ({header})"


def launchable(settings: Chosen) -> tuple[Chosen, str]:
    """The settings as they can be launched here, and what had to change.

    Without the compiler that DeepSpeed needs on CPUs, training falls back to one process
    without it: the batch stays the same, since it is counted over all processes.

    Raises UsageError where nothing can take the place of what is missing.
    """
    if settings.launch.launcher != "accelerate":
        return settings, ""
    gpu = settings.device != "cpu" and has_gpu()
    if gpu and settings.launch.offload == "none":
        return settings, ""
    missing = missing_compiler(settings)
    if not missing:
        return settings, ""
    if gpu:
        raise UsageError(
            f"{building.ADAM.what} needs {missing}, which is not here; install it, or do"
            f" without: {building.ADAM.without}"
        )
    if settings.launch.machines > 1:
        raise UsageError(f"DeepSpeed on CPUs needs {missing}, which is not here; install it")
    launch = settings.launch.model_copy(update={"launcher": "none", "processes": 1})
    note = (
        f"DeepSpeed on CPUs needs {missing}, which is not here: training in one process without"
        " it, as --launcher none does; the batch stays the same"
    )
    return settings.model_copy(update={"launch": launch}), note


def check_launch(launch: Launch) -> None:
    """Refuse processes, machines and parts that do not fit; UsageError with what does."""
    if launch.processes % launch.machines:
        each = launch.processes // launch.machines + 1
        raise UsageError(
            f"{launch.processes} processes cannot be spread over {launch.machines} machines;"
            f" processes counts them all: give {each * launch.machines}"
        )
    if launch.machine_rank >= launch.machines:
        raise UsageError(
            f"machine_rank {launch.machine_rank} is not below machines {launch.machines};"
            " machines are counted from 0"
        )
    if launch.machines > 1 and not launch.main_port:
        raise UsageError(
            "several machines need a port that all of them know; give launch.main_port, such as"
            " 29500, and launch.main_address, the address of machine 0"
        )
    if launch.launcher == "none" and launch.processes > 1:
        raise UsageError(
            f"--launcher none is one process, not {launch.processes}; give --processes 1, or"
            " leave --launcher out"
        )
    if launch.offload == "all" and launch.zero != 3:
        raise UsageError(
            f"offload all moves parameters, which ZeRO-{launch.zero} does not shard; give"
            " --zero 3, or offload optimizer"
        )


def deepspeed_configuration(settings: Settings) -> dict[str, Any]:
    """DeepSpeed's file; `auto` is filled in from TrainingArguments by transformers."""
    launch = settings.launch
    zero: dict[str, Any] = {"stage": launch.zero}
    if launch.offload != "none":
        zero["offload_optimizer"] = {"device": "cpu"}
    if launch.offload == "all":
        zero["offload_param"] = {"device": "cpu"}
    if launch.zero == 3:
        # without it a checkpoint would hold no weights that anything else can load
        zero["stage3_gather_16bit_weights_on_model_save"] = True
    return {
        "zero_optimization": zero,
        "bf16": {"enabled": "auto"},
        "train_micro_batch_size_per_gpu": "auto",
        "gradient_accumulation_steps": "auto",
        "gradient_clipping": "auto",
        # none is named here: AdamW comes from TrainingArguments, the same without DeepSpeed;
        # where it is offloaded, accelerate puts DeepSpeed's AdamW for CPUs in its place
        "zero_allow_untested_optimizer": True,
    }


def accelerate_configuration(settings: Settings, folder: Path, *, cpu: bool) -> dict[str, Any]:
    """Accelerate's file."""
    launch = settings.launch
    return {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": "DEEPSPEED",
        "deepspeed_config": {
            "deepspeed_config_file": str(folder / DEEPSPEED_FILE),
            "zero3_init_flag": launch.zero == 3,
            # torchrun on each machine: no ssh between them, the same command on all
            "deepspeed_multinode_launcher": "standard",
        },
        "use_cpu": cpu,
        "num_processes": launch.processes,
        "num_machines": launch.machines,
        "machine_rank": 0,  # each machine's command says its own; they share this file
        "main_process_ip": launch.main_address,
        "main_process_port": launch.main_port,
        "rdzv_backend": "static",
        "same_network": True,
    }


def command(run_path: Path, machine_rank: int) -> list[str]:
    """What starts the processes of a machine."""
    config = run_path / LAUNCH_FOLDER / ACCELERATE_FILE
    launcher = [sys.executable, "-m", "accelerate.commands.launch"]
    place = ["--config_file", str(config), "--machine_rank", str(machine_rank)]
    return [*launcher, *place, "-m", "compoworld_trainer_grpo.worker", str(run_path)]


def log_file(run: TrainingRun) -> Path:
    """Where the processes of this machine write what they say."""
    return run.path / LAUNCH_FOLDER / f"log-{run.settings.launch.machine_rank}.txt"


def launch(
    run: TrainingRun, say: Say, note: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """Train, and return how it ended: outcome, step, message.

    Raises what went wrong where the training runs in this process.

    Args:
        run: of the training.
        say: is told each line of figures.
        note: is told what takes a while before the first one.
    """
    rank = run.settings.launch.machine_rank
    with run.run.alone(f"-launch-{rank}"):  # or a second one would write into the first's log
        if rank == 0:
            with run.run.writing():
                run.begin()
        if run.settings.launch.launcher == "none":
            return _here(run, say)
        return _elsewhere(run, say, note)


def _here(run: TrainingRun, say: Say) -> dict[str, Any]:
    run.watch(say)
    try:
        worker.work(run)
    except Exception:
        ended = run.ended()
        if ended is None or ended["outcome"] != "out-of-memory":
            raise  # a debugger wants it, and a wrong input has words of its own
    return run.ended() or {}


def _elsewhere(run: TrainingRun, say: Say, note: Callable[[str], None]) -> dict[str, Any]:
    cpu = run.settings.device == "cpu" or not has_gpu()
    if cpu:
        building.build(building.COMMUNICATION, note)
    if run.settings.launch.offload != "none":
        building.build(building.ADAM, note)
    folder = run.path / LAUNCH_FOLDER
    folder.mkdir(exist_ok=True)
    for name, content in (
        (DEEPSPEED_FILE, deepspeed_configuration(run.settings)),
        (ACCELERATE_FILE, accelerate_configuration(run.settings, folder.absolute(), cpu=cpu)),
    ):
        write_whole(folder / name, json.dumps(content, indent=2).encode())
    environment = dict(os.environ)
    if cpu:
        environment["DS_ACCELERATOR"] = "cpu"
        local = run.settings.launch.processes // run.settings.launch.machines
        environment.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // local)))
    count = run.settings.launch.processes
    note(f"starting {count} process{'es' if count > 1 else ''}; they write: {log_file(run)}")
    with log_file(run).open("wb") as log:
        process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
            command(run.path.absolute(), run.settings.launch.machine_rank),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=worker.end_with_parent,  # prctl alone: no lock is taken
        )
        try:
            for line in _lines_until(run.path / "metrics.jsonl", process):
                say(line)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
    ended = run.ended()
    if ended is None and process.returncode == 0:
        # another machine than the first, before the first has said so, or on a disk of its own
        return {"outcome": "finished", "step": worker.last_step(run), "message": ""}
    if ended is None:
        text = log_file(run).read_text(encoding="utf-8", errors="replace")
        ended = _without_a_word(run, process.returncode, text)
    return ended


def _without_a_word(run: TrainingRun, code: int, log: str) -> dict[str, Any]:
    """How a training ended whose processes could not say."""
    if any(each in log for each in _KILLED):
        why = (
            f"a process was killed, as systems do that run out of memory; {worker.thrift(run)}"
        )
        run.end("out-of-memory", 0, why)
    else:
        tail = "\n".join(log.splitlines()[-LOG_TAIL:])
        said = f"the processes ended with {code}; {log_file(run)} ends in:\n{tail}"
        run.end("failed", 0, said)
    ended = run.ended()
    if ended is None:
        raise CompoWorldError(f"{run.path} cannot be written to")
    return ended


def _lines_until(file: Path, process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """The lines that are added to a file of metrics, until the process has ended."""
    position = file.stat().st_size if file.is_file() else 0
    while True:
        over = process.poll() is not None
        if file.is_file():
            with file.open("rb") as content:
                if content.seek(0, os.SEEK_END) < position:
                    position = 0  # a resumed run drops what it does again
                content.seek(position)
                for line in content:
                    if not line.endswith(b"\n"):
                        break
                    position += len(line)
                    yield json.loads(line)
        if over:
            return
        try:
            process.wait(_POLL)
        except subprocess.TimeoutExpired:
            continue
