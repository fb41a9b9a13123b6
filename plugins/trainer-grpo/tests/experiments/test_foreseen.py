"""Foreseen turns: those that a model, left to itself after the oracle's words, writes too."""

from pathlib import Path

import pytest
from compoworld_trainer_grpo.examples import read
from compoworld_trainer_grpo.experiments.foreseen import foreseen
from compoworld_trainer_grpo.models import tiny
from compoworld_trainer_grpo.models.loading import Loaded, load
from compoworld_trainer_grpo.sft import corpus, tokenized


@pytest.fixture
def model(tmp_path: Path, exported: Path) -> Path:
    made = tiny.build(corpus(read([exported])), layers=2, hidden=128, heads=3, vocabulary=600)
    return made.save(tmp_path / "model")


def written(loaded: Loaded, past: list[int], length: int) -> list[int]:
    """So many tokens, each the likeliest one after those before it."""
    import torch

    ids = list(past)
    with torch.no_grad():
        for _ in range(length):
            ids.append(int(loaded.model(torch.tensor([ids])).logits[0, -1].argmax()))
    return ids[len(past) :]


def test_it_is_the_share_of_turns_that_are_written_token_by_token(
    model: Path, exported: Path, tmp_path: Path
) -> None:
    loaded = load(str(model))
    two = tmp_path / "two.jsonl"
    two.write_text("".join(exported.read_text().splitlines(keepends=True)[:2]))
    rows, _ = tokenized(read([two]), loaded, 4096)
    taught = rows[0]
    teach(loaded, taught.input_ids, taught.assistant_mask)
    loaded.save(model)
    turns = []
    for row in rows:
        mask = [0, *row.assistant_mask, 0]
        starts = [i for i in range(1, len(mask)) if (mask[i - 1], mask[i]) == (0, 1)]
        ends = [i for i in range(1, len(mask)) if (mask[i - 1], mask[i]) == (1, 0)]
        for start, end in zip(starts, ends, strict=True):
            told = row.input_ids[start - 1 : end - 1]
            turns.append(written(loaded, row.input_ids[: start - 1], len(told)) == told)
    assert 0 < sum(turns) < len(turns), "some are foreseen and some are not"
    assert foreseen(str(model), [two]) == pytest.approx(sum(turns) / len(turns))


def teach(loaded: Loaded, ids: list[int], mask: list[int]) -> None:
    """Have a model learn one row by heart."""
    import torch

    labels = torch.tensor([[i if own else -100 for i, own in zip(ids, mask, strict=True)]])
    loaded.model.requires_grad_(True)
    optimizer = torch.optim.AdamW(loaded.model.parameters(), lr=3e-3)
    for _ in range(25):
        loss = loaded.model(torch.tensor([ids]), labels=labels).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
