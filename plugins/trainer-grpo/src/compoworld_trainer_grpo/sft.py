"""SFT: TRL's SFTTrainer on rows whose loss is on the assistant's tokens alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compoworld_core.errors import UsageError
from compoworld_trainer_grpo import masks
from compoworld_trainer_grpo.arguments import quieten, resume, training_arguments
from compoworld_trainer_grpo.examples import Example, read, split
from compoworld_trainer_grpo.layout import SftLayout
from compoworld_trainer_grpo.models.head import labelled_head
from compoworld_trainer_grpo.runs import TrainingRun
from compoworld_trainer_grpo.settings import SftSettings
from compoworld_trainer_grpo.start import lora_config, start

if TYPE_CHECKING:
    from datasets import Dataset

    from compoworld_trainer_grpo.models.loading import Loaded


def train(settings: SftSettings, run: TrainingRun) -> None:
    """Train on this rank and leave the model in the run; called on every rank.

    Raises UsageError before the first step where rows cannot be trained on.
    """
    from transformers import set_seed
    from transformers.trainer_utils import IntervalStrategy
    from trl import SFTTrainer

    from compoworld_trainer_grpo.callbacks import Recorder

    examples, held = split(read(map(Path, settings.data)), settings.evaluation, settings.seed)
    arguments = sft_config(settings, run, evaluate=bool(held))  # before a model is loaded
    set_seed(settings.seed)  # an adapter's first weights are drawn before the trainer seeds
    loaded = start(settings, run, lambda: corpus(examples))
    rows, dropped = tokenized(examples, loaded, settings.max_length)
    held_rows, held_dropped = tokenized(held, loaded, settings.max_length)
    if not rows:
        spelt = " (or tiny.vocabulary, with which rows are shorter)"
        raise UsageError(
            f"each of the {len(dropped)} training rows is longer than max_length"
            f" {settings.max_length}, the shortest has {min(dropped)} tokens; raise it:"
            f" --set max_length=N{spelt if settings.model == 'tiny' else ''}"
        )
    chosen = "eval_loss" if held_rows else "loss"
    if not held_rows:  # those kept for evaluation may all be too long
        arguments.eval_strategy = IntervalStrategy.NO
    trainer = SFTTrainer(
        model=loaded.model,
        args=arguments,
        train_dataset=dataset(rows),
        eval_dataset=dataset(held_rows) if held_rows else None,
        processing_class=loaded.tokenizer,
        peft_config=lora_config(settings.lora, loaded),
        callbacks=[Recorder(run, best=chosen, larger=False, stop_loss=settings.stop_loss)],
    )
    quieten(trainer)
    labelled_head(trainer.model)
    checkpoint = resume(run)
    if trainer.is_world_process_zero() and checkpoint is None:
        run.record("data", 0, _figures(rows, held_rows, len(dropped) + len(held_dropped)))
    if checkpoint is not None:
        trainer._total_train_tokens = tokens_at(checkpoint)  # TRL 1.16 would count from 0
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    trainer.save_model(str(run.model))


def tokens_at(checkpoint: Path) -> int:
    """Tokens trained on up to a checkpoint, over all processes."""
    state = json.loads((checkpoint / "trainer_state.json").read_bytes())
    counts = [each["num_tokens"] for each in state["log_history"] if "num_tokens" in each]
    return int(counts[-1]) if counts else 0


def sft_config(settings: SftSettings, run: TrainingRun, *, evaluate: bool) -> Any:
    """TRL's configuration of a run."""
    from trl import SFTConfig

    layout = SftLayout.of(settings)
    return SFTConfig(
        **training_arguments(settings, run, every=settings.checkpoint_every),
        per_device_train_batch_size=layout.micro_batch,
        per_device_eval_batch_size=layout.micro_batch,
        gradient_accumulation_steps=layout.accumulation,
        num_train_epochs=settings.epochs,
        max_steps=settings.steps or -1,
        eval_strategy="steps" if evaluate else "no",
        eval_steps=settings.evaluate_every,
        packing=settings.packing,
        # rows that are longer were left out; TRL would cut their ends off
        max_length=settings.max_length if settings.packing else None,
        # the rows come tokenized with their masks, from which TRL makes the labels
        assistant_only_loss=False,
    )


def rendered(examples: Sequence[Example]) -> Iterator[str]:
    """The training conversations as text, for the tokenizer of `tiny`."""
    from compoworld_trainer_grpo.templates.known import find

    compact = find("compact")
    for each in examples:
        yield compact.render(each.messages, each.tools, generation=False)


def corpus(examples: Sequence[Example]) -> Iterator[str]:
    """What the tokenizer of `tiny` is trained on: the conversations, and the documents of the
    services that they call, so that each tool's description is one token."""
    from compoworld_trainer_grpo.models.tiny import catalogue

    yield from rendered(examples)
    yield from catalogue(installed(name for each in examples for name in each.services))


def tokenized(
    examples: Sequence[Example], loaded: Loaded, limit: int
) -> tuple[list[masks.Row], list[int]]:
    """The rows of the examples, and the lengths of those left out as longer than the limit.

    Raises UsageError with the example's place where its mask would be wrong.
    """
    rows: list[masks.Row] = []
    dropped: list[int] = []
    for each in examples:
        try:
            found = masks.rows(each.messages, each.tools, loaded)
        except UsageError as error:
            raise UsageError(f"{each.where}: {error}") from error
        rows += [row for row in found if len(row.input_ids) <= limit]
        dropped += [len(row.input_ids) for row in found if len(row.input_ids) > limit]
    return rows, dropped


def installed(names: Iterable[str]) -> list[str]:
    """Those of the services that are installed here, in their order."""
    from compoworld_core import plugins

    wanted = frozenset(names)
    return [name for name in plugins.services().names() if name in wanted]


def dataset(rows: Sequence[masks.Row]) -> Dataset:
    """Rows in the columns that TRL takes as already tokenized."""
    from datasets import Dataset

    return Dataset.from_dict(
        {
            "input_ids": [row.input_ids for row in rows],
            "assistant_masks": [row.assistant_mask for row in rows],
        }
    )


def _figures(
    rows: Sequence[masks.Row], held: Sequence[masks.Row], dropped: int
) -> dict[str, float]:
    return {
        "rows": len(rows),
        "evaluation_rows": len(held),
        "dropped_rows": dropped,
        "tokens": sum(len(row.input_ids) for row in rows),
        "assistant_tokens": sum(sum(row.assistant_mask) for row in rows),
        "longest_row": max(len(row.input_ids) for row in rows),
    }
