"""Extension: documents as single tokens of a pretrained model.

A reference trajectory of a reduced task is about 7,000 tokens of SmolLM2, of which two thirds
are answers of list_tools and describe_tool. As one token each they cost next to nothing; what a
document means is then learnt from the calls that follow it.
"""

from __future__ import annotations

from collections import Counter
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
    """Set each new row to half of that of a word that tells its beginning from the others'.

    Half, since rows are mostly what scores a word too: no document is then as likely as the
    word. Means of rows are rows that a model never met: with them SmolLM2's loss on a
    demonstration was 2.7, with words' own 1.5, and with means as long as words 27.
    """
    import torch

    counts = Counter(token for ids in heads for token in set(ids))
    with torch.no_grad():
        for row, ids in enumerate(heads, start=first):
            weight[row] = weight[min(ids, key=counts.__getitem__)] / 2
