"""Head: what labelled positions cost, and that they score as TRL scores them."""

from typing import Any

import pytest
import torch  # noqa: TID253  # a model is under test
from compoworld_trainer_grpo.models import tiny
from compoworld_trainer_grpo.models.head import labelled_head
from trl.trainer.utils import add_fused_lm_head  # noqa: TID253  # what it stands in for

TEXTS = ["<|im_start|>user\nMail ada@x.example about lunch.<|im_end|>"]
OUTPUTS = ("log_probs", "entropy", "is_top1")


@pytest.fixture
def model() -> Any:
    made = tiny.build(TEXTS, vocabulary=400, layers=1, hidden=32).model
    add_fused_lm_head(made, temperature=0.7, outputs=OUTPUTS)
    return made


@pytest.fixture
def batch() -> dict[str, Any]:
    """Two rows, the second padded, with labels in the middle of each."""
    draw = torch.Generator().manual_seed(1)
    ids = torch.randint(0, 300, (2, 12), generator=draw)
    labels = torch.full((2, 12), -100)
    labels[0, 4:9], labels[1, 6:8] = ids[0, 4:9], ids[1, 6:8]
    mask = torch.ones(2, 12, dtype=torch.long)
    mask[1, 9:] = 0
    return {"input_ids": ids, "attention_mask": mask, "labels": labels, "fused_lm_head": True}


def gradients(model: Any, loss: Any) -> Any:
    model.zero_grad()
    loss.backward()
    return torch.cat([each.grad.flatten() for each in model.parameters()])


def test_it_scores_as_trl_does(model: Any, batch: dict[str, Any]) -> None:
    theirs = model(**batch)
    wanted = gradients(model, theirs.loss)
    labelled_head(model, 0.7)
    ours = model(**batch)
    for name in ("loss", *OUTPUTS):
        assert torch.allclose(getattr(ours, name), getattr(theirs, name).float(), atol=1e-5), (
            name
        )
    assert torch.equal(ours.label_mask, theirs.label_mask)
    assert torch.allclose(gradients(model, ours.loss), wanted, atol=1e-5)


def test_only_labelled_positions_reach_the_vocabulary(
    model: Any, batch: dict[str, Any]
) -> None:
    seen: list[int] = []
    head = labelled_head(model)
    model.get_output_embeddings().register_forward_hook(
        lambda _module, given, _result: seen.append(len(given[0]))
    )
    model(**batch)
    own = torch.zeros(2, 6)  # of the last six places, the model wrote the first two
    own[:, :2] = 1
    with head.only(own):
        inside = model(**batch)
    model(**batch)
    assert seen == [7, 6, 7]
    assert inside.log_probs[:, 7:].abs().sum() == 0


def test_a_batch_without_labels_is_still_differentiable(
    model: Any, batch: dict[str, Any]
) -> None:
    labelled_head(model)
    found = model(**{**batch, "labels": torch.full((2, 12), -100)})
    assert found.loss == 0
    assert gradients(model, found.loss).abs().sum() == 0


def test_plain_calls_are_as_before(model: Any, batch: dict[str, Any]) -> None:
    given = {"input_ids": batch["input_ids"]}
    before = model(**given).logits
    labelled_head(model)
    assert torch.equal(model(**given).logits, before)
