"""Induction: an untrained model copies what it has seen; without the circuit none does."""

from random import Random
from typing import Any

import pytest
import torch  # noqa: TID253  # a model is under test
from compoworld_trainer_grpo.models import tiny
from compoworld_trainer_grpo.models.loading import load

TEXTS = [
    f"<|im_start|>user\nMail {name}@{firm}.example about {topic}.<|im_end|>"
    for name in ("ada", "bob", "cyd", "dan")
    for firm in ("venhill", "torlock", "kesdale")
    for topic in ("lunch", "budget", "travel")
]


def built(seed: int = 0, *, induction: bool = True) -> Any:
    return tiny.build(TEXTS, seed=seed, vocabulary=600, layers=2, induction=induction)


def copied(model: Any, size: int, *, length: int = 200) -> float:
    """Share of repeated tokens that the model foresees, from the second of a repeat on."""
    rng = Random(1)
    ids: list[int] = []
    repeats: list[int] = []
    while len(ids) < length:
        if len(ids) > 20 and rng.random() < 0.5:
            start = rng.randrange(len(ids) - 10)
            piece = ids[start : start + 8]
            repeats += range(len(ids) + 1, len(ids) + len(piece))
            ids += piece
        else:
            ids += [rng.randrange(size) for _ in range(6)]
    with torch.no_grad():
        guesses = model(input_ids=torch.tensor([ids])).logits[0].argmax(-1).tolist()
    return sum(guesses[place - 1] == ids[place] for place in repeats) / len(repeats)


def test_an_untrained_model_copies_most_of_what_is_repeated() -> None:
    loaded = built()
    size = loaded.model.config.vocab_size
    assert copied(loaded.model, size) > 0.7


def test_without_the_circuit_it_copies_nothing() -> None:
    model = built(induction=False).model
    assert copied(model, model.config.vocab_size) < 0.1


def test_the_same_seed_gives_the_same_weights_and_leaves_the_global_state() -> None:
    torch.manual_seed(3)
    before = torch.random.get_rng_state()
    one, same, other = built(5).model, built(5).model, built(6).model
    assert torch.equal(torch.random.get_rng_state(), before)
    weights = [model.model.embed_tokens.weight for model in (one, same, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_it_is_a_normal_model_folder(tmp_path: Any) -> None:
    loaded = built()
    again = load(str(loaded.save(tmp_path / "model")))
    ids = torch.tensor([[5, 6, 7, 8]])
    with torch.no_grad():
        assert torch.equal(loaded.model(ids).logits, again.model(ids).logits)
    assert again.template.name == "compact"


@pytest.mark.parametrize("small", [{"layers": 1}, {"hidden": 64}, {"heads": 2}])
def test_a_model_too_small_for_the_circuit_starts_at_random(small: dict[str, int]) -> None:
    asked = {"layers": 2, "hidden": 128, "heads": 3, **small}
    plain = tiny.build(TEXTS, vocabulary=600, induction=False, **asked).model
    wanted = tiny.build(TEXTS, vocabulary=600, **asked).model
    weights = [each.model.embed_tokens.weight for each in (plain, wanted)]
    assert torch.equal(*weights)
