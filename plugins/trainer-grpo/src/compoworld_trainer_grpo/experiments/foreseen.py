"""Foreseen: how many of the oracle's turns a model would write itself.

Where no small model does a whole task, success says nothing; this still tells models apart.
Each turn is asked for after the oracle's own beginning, so that one mistake counts once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path


def foreseen(model: str, data: Sequence[Path]) -> float:
    """The share of assistant turns of which each token is the likeliest one.

    Args:
        model: a model folder or a training run.
        data: exported demonstrations.

    Raises UsageError where the model or the data cannot be read.
    """
    import torch

    from compoworld_trainer_grpo.examples import read
    from compoworld_trainer_grpo.models.loading import load
    from compoworld_trainer_grpo.sft import tokenized
    from compoworld_trainer_grpo.start import origin

    found = origin(model)
    loaded = load(found.model, adapter=found.adapter).on("auto")
    longest = loaded.model.config.max_position_embeddings
    rows, _ = tokenized(read(data), loaded, longest)
    turns: list[bool] = []
    with torch.no_grad():
        for row in rows:
            ids = torch.tensor([row.input_ids], device=loaded.model.device)
            logits = loaded.model(ids).logits[0]
            likeliest = logits.argmax(dim=-1).tolist()
            right = [was == is_ for was, is_ in zip(likeliest, row.input_ids[1:], strict=False)]
            told = zip(row.assistant_mask[1:], right, strict=True)
            turns += [
                all(each for _, each in turn)
                for own, turn in groupby(told, key=lambda pair: pair[0])
                if own
            ]
    return sum(turns) / len(turns)
