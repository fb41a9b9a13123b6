"""Start: the model that a training begins with, whatever its name stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from compoworld_core.errors import UsageError
from compoworld_core.registry import closest
from compoworld_trainer_grpo.models.loading import Loaded, load
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.settings import Lora, Settings

_BUILT = "start"
"""Where in a run the model `tiny` is, as it was before training."""
_ADAPTER = "adapter_config.json"
"""The file that tells an adapter's folder from a model's."""


@frozen
class Origin:
    """What to load: a model, and the adapter that belongs on it."""

    model: str
    adapter: Path | None = None


def origin(model: str, adapter: str = "") -> Origin:
    """What a name stands for: the folder of a training is the model that it made.

    A checkpoint that holds an adapter stands for its training's model with it.

    Raises UsageError where that training has not ended.
    """
    path = Path(model)
    if not (path / "run.toml").is_file():
        run = path.parent.parent
        if not adapter and (path / _ADAPTER).is_file() and (run / "run.toml").is_file():
            return Origin(_base(TrainingRun.open(run)), path)
        return Origin(model, Path(adapter) if adapter else None)
    trained = TrainingRun.open(path)
    if not trained.model.is_dir():
        raise UsageError(
            f"{model} has no model yet, since its training has not ended; go on with it (the"
            f" same command again), or name one of its checkpoints: {trained.checkpoints}"
        )
    own = trained.model if (trained.model / _ADAPTER).is_file() else None
    whole = str(trained.model) if own is None else _base(trained)
    return Origin(whole, Path(adapter) if adapter else own)


def _base(trained: TrainingRun) -> str:
    """The model that a training's adapter belongs on."""
    if trained.settings.model == "tiny":
        return str(trained.path / _BUILT)
    return origin(trained.settings.model).model


def start(
    settings: Settings, run: TrainingRun, texts: Callable[[], Iterable[str]] | None = None
) -> Loaded:
    """Load the model that training starts with, ready to be trained.

    Must be called on every rank, after TrainingArguments were made.

    Args:
        settings: name the model.
        run: where `tiny` is built, by the first process: machines share the folder.
        texts: rendered conversations, which the tokenizer of `tiny` is trained on.
    """
    found = origin(settings.model, settings.adapter)
    if found.model == "tiny":
        found = evolve(found, model=str(_built(settings, run, texts)))
    wanted = settings.template or None
    loaded = load(found.model, adapter=found.adapter, trainable=True, template=wanted)
    if found.adapter is not None and settings.lora is None:
        merged = loaded.model.merge_and_unload()
        merged.requires_grad_(True)
        loaded = evolve(loaded, model=merged)
    if settings.lora is not None and settings.precision == "bf16":
        import torch

        # the frozen part needs no master copy in single precision
        loaded = evolve(loaded, model=loaded.model.to(torch.bfloat16))
    loaded.model.config.use_cache = False  # of use to a sampler only, which turns it on
    return loaded


def _built(
    settings: Settings, run: TrainingRun, texts: Callable[[], Iterable[str]] | None
) -> Path:
    from accelerate import PartialState

    from compoworld_trainer_grpo.models import tiny

    folder = run.path / _BUILT
    with PartialState().main_process_first():
        if not folder.is_dir():
            options = settings.tiny.model_dump()
            corpus = texts() if texts is not None else tiny.default_texts()
            made = tiny.build(corpus, seed=settings.seed, **options)
            part = made.save(folder.with_name(f"{_BUILT}.part"))
            part.replace(folder)
    return folder


def lora_config(settings: Lora | None, loaded: Loaded) -> Any:
    """PEFT's configuration of a new adapter; None where there is nothing new to add.

    Raises UsageError where the model has no module of a name.
    """
    from peft import LoraConfig, PeftModel

    if settings is None or isinstance(loaded.model, PeftModel):
        return None
    targets = settings.targets
    known = {name.rpartition(".")[2] for name, _ in loaded.model.named_modules()}
    for name in () if targets == "all-linear" else targets.split(","):
        if name.rpartition(".")[2] not in known:
            raise UsageError(
                f"lora.targets: the model has no module {name!r};"
                f" closest: {', '.join(closest(name, known)) or 'none'}; or give all-linear"
            )
    return LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=targets if targets == "all-linear" else targets.split(","),
        task_type="CAUSAL_LM",
    )
