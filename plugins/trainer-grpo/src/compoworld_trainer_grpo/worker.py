"""Worker: one rank of a training, in a process of the launcher's or in this one.

python -m compoworld_trainer_grpo.worker RUN
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Final, cast

from compoworld_core.errors import CompoWorldError, UsageError
from compoworld_trainer_grpo.arguments import has_gpu, hush
from compoworld_trainer_grpo.runs import Outcome, TrainingEnded, TrainingRun
from compoworld_trainer_grpo.settings import GrpoSettings, SftSettings

_NO_MEMORY: Final = ("out of memory", "not enough memory", "can't allocate memory")
"""What torch says where the allocator of a CPU, or a library, has no more."""

_PR_SET_PDEATHSIG: Final = 1


def work(run: TrainingRun) -> None:
    """Train on this rank; how it ended is in the run afterwards.

    Raises what went wrong, after it was noted.
    """
    # before any import of theirs: no process of a training asks a hub for what is not here,
    # and two libraries' thread pools do not fight
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    if run.settings.device == "cpu" or not has_gpu():
        os.environ.setdefault("DS_ACCELERATOR", "cpu")  # or its import warns that it guesses
    main = int(os.environ.get("RANK", "0")) == 0
    steps = run.steps()
    step = steps[-1] if steps else 0
    with run.writing(step=step) if main else nullcontext():
        if main:
            run.drop_torn()
        try:
            _train(run)
        except TrainingEnded as end:
            if main:
                run.end(end.outcome, last_step(run), str(end))
            return
        except Exception as error:
            # whichever rank it was; the others fail after it, since it no longer answers
            if run.ended() is None:
                run.end(*failure(error, last_step(run), run))
            raise
        if main:
            run.end("finished", last_step(run), "")


def _train(run: TrainingRun) -> None:
    hush()
    if run.kind == "sft":
        from compoworld_trainer_grpo import sft

        sft.train(cast("SftSettings", run.settings), run)
    else:
        from compoworld_trainer_grpo import grpo

        grpo.train(cast("GrpoSettings", run.settings), run)


def last_step(run: TrainingRun) -> int:
    """The last step that the run has figures of."""
    return max((int(each.get("step", 0)) for each in run.run.metrics()), default=0)


def failure(error: Exception, step: int, run: TrainingRun) -> tuple[Outcome, int, str]:
    """How a training ended that raised an error: outcome, step and message for people."""
    if isinstance(error, CompoWorldError):
        return "failed", step, str(error)
    text = str(error).strip().partition("\n")[0]
    if isinstance(error, MemoryError) or any(each in str(error).lower() for each in _NO_MEMORY):
        return "out-of-memory", step, f"{text or type(error).__name__}; {thrift(run)}"
    return "failed", step, f"{type(error).__name__}: {text}"


def thrift(run: TrainingRun) -> str:
    """What to type where memory is short."""
    settings = run.settings
    tips = []
    if settings.micro_batch > 1:
        tips.append(f"micro_batch={settings.micro_batch // 2}")
    if not settings.checkpointing:
        tips.append("checkpointing=true")
    if settings.launch.zero < 3:
        tips.append("launch.zero=3")
    tips.append(
        "launch.offload=optimizer" if settings.launch.zero < 3 else "launch.offload=all"
    )
    return f"use less memory: {' '.join(f'--set {tip}' for tip in tips)}"


def end_with_parent() -> None:
    """Make the kernel end this process when its parent ends, also by `kill -9`.

    A training that goes on without the command that started it would hold the run folder.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def main(path: str) -> int:
    """Train as one of the launcher's processes; the exit code."""
    end_with_parent()
    run = TrainingRun.open(Path(path))
    try:
        work(run)
    except UsageError:
        return 1  # it was noted, and the command that launched this says it
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
