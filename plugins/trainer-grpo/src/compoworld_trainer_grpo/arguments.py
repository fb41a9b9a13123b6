"""Arguments: what both trainers say to transformers' TrainingArguments."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, Final

from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.settings import Settings

LAUNCH_FOLDER: Final = "launch"
DEEPSPEED_FILE: Final = "deepspeed.json"

_LIBRARIES: Final = r"(transformers|trl|peft|accelerate|torch)\b"


def training_arguments(settings: Settings, run: TrainingRun, *, every: int) -> dict[str, Any]:
    """The arguments that do not depend on the algorithm.

    Must be turned into TrainingArguments before a model is loaded: with ZeRO-3 it is this that
    makes transformers load a model in parts.

    Args:
        settings: of either trainer.
        run: where checkpoints go.
        every: optimiser steps between checkpoints.
    """
    return {
        "output_dir": str(run.checkpoints),
        "seed": settings.seed,
        "data_seed": settings.seed,
        "learning_rate": settings.learning_rate,
        "lr_scheduler_type": _schedule(settings),
        "warmup_steps": settings.warmup,  # below 1 it is a share, for transformers
        "weight_decay": settings.weight_decay,
        "max_grad_norm": settings.gradient_norm,
        "optim": "adamw_torch",
        "bf16": settings.precision == "bf16",
        "activation_checkpointing": settings.checkpointing,
        "use_cpu": settings.device == "cpu" or not has_gpu(),
        "deepspeed": deepspeed_file(run),
        "save_strategy": "steps",
        "save_steps": every,
        "save_total_limit": None,  # the run rotates: only it knows which are whole
        "logging_strategy": "steps",
        "logging_steps": 1,
        "logging_nan_inf_filter": False,  # on, it would hide that training diverged
        "report_to": "none",
        "disable_tqdm": True,
        "log_level": "error",
    }


def _schedule(settings: Settings) -> str:
    """Transformers' name: its `constant` takes no notice of a warmup."""
    if settings.schedule == "constant" and settings.warmup:
        return "constant_with_warmup"
    return settings.schedule


def deepspeed_file(run: TrainingRun) -> str | None:
    """DeepSpeed's configuration, where this process was launched with it."""
    if os.environ.get("ACCELERATE_USE_DEEPSPEED", "false") != "true":
        return None
    return str(run.path / LAUNCH_FOLDER / DEEPSPEED_FILE)


def has_gpu() -> bool:
    """Whether torch can use a GPU here."""
    import torch

    return bool(torch.cuda.is_available())


def resume(run: TrainingRun) -> Path | None:
    """The newest whole checkpoint, from which training goes on."""
    steps = run.steps()
    return run.checkpoint(steps[-1]) if steps else None


def quieten(trainer: Any) -> None:
    """Take from a Trainer what prints its figures, which the run's metrics say as well, and
    the model card that it writes beside each checkpoint, of a model whose name it does not
    know."""
    from transformers import PrinterCallback

    trainer.remove_callback(PrinterCallback)
    trainer.create_model_card = lambda *_, **__: None


def hush() -> None:
    """Keep the libraries' progress bars, and their plans for later versions, off the screen."""
    warnings.filterwarnings("ignore", category=FutureWarning, module=_LIBRARIES)
    from datasets.utils.logging import disable_progress_bar as no_dataset_bars
    from transformers.utils.logging import disable_progress_bar as no_model_bars

    no_dataset_bars()
    no_model_bars()  # type: ignore[no-untyped-call]  # transformers does not type it
