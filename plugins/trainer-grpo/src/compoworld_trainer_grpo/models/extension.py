"""Extension: documents as single tokens of a pretrained model.

A reference trajectory of a reduced task is about 7,000 tokens of SmolLM2, of which two thirds
are answers of list_tools and describe_tool. As one token each they cost next to nothing; what a
document means is then learnt by its embedding, which starts near the words it begins with.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from attrs import evolve

from compoworld_core.errors import UsageError
from compoworld_trainer_grpo.models.loading import Loaded
from compoworld_trainer_grpo.models.vocabulary import documents

_HEAD: Final = 24
"""Tokens of a document that its embedding starts from: names of the service and the tool."""


def extend(loaded: Loaded, texts: Iterable[str], *, most: int = 1024) -> Loaded:
    """The model with a token for each document of the texts; model and tokenizer are changed.

    With LoRA, give `vocabulary.document_ids(tokenizer)` as `trainable_token_indices`.
    UsageError for a model that already carries an adapter: its base would no longer fit.

    Args:
        loaded: a pretrained model.
        texts: rendered with `compact` or `chatml`; never held-out ones.
        most: tokens that are added at most.
    """
    from peft import PeftModel
    from tokenizers import AddedToken

    if isinstance(loaded.model, PeftModel):
        raise UsageError("a model with an adapter cannot be extended; extend its base model")
    tokenizer = loaded.tokenizer
    known = tokenizer.get_vocab()
    found = [each for each in documents(texts, most) if each not in known]
    heads = [tokenizer(each, add_special_tokens=False)["input_ids"][:_HEAD] for each in found]
    first = len(tokenizer)
    tokenizer.add_tokens([AddedToken(each, special=False, normalized=False) for each in found])
    loaded.model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    _start(loaded.model.get_input_embeddings().weight, heads, first)
    if not loaded.model.config.tie_word_embeddings:
        _start(loaded.model.get_output_embeddings().weight, heads, first)
    return evolve(loaded, tokenizer=tokenizer)


def _start(weight: Any, heads: list[list[int]], first: int) -> None:
    """Set each new row to the mean of its first words' rows, as long as rows usually are."""
    import torch

    with torch.no_grad():
        length = weight[:first].norm(dim=1).median()
        for row, ids in enumerate(heads, start=first):
            mean = weight[ids].mean(dim=0)
            weight[row] = mean * (length / mean.norm().clamp_min(1e-6))
