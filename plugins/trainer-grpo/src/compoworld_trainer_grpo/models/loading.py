"""Loading: a model with its tokenizer and its template, by one name."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from attrs import evolve, frozen

from compoworld_core.errors import UsageError
from compoworld_trainer_grpo.settings import Precision
from compoworld_trainer_grpo.templates.known import bound, find, recognise
from compoworld_trainer_grpo.templates.template import Template

EMBEDDED: Final = ("tiny", "smollm2")
"""Models that need no hub."""
_WHOLE: Final = 64 << 20
_PART: Final = 1 << 20
_PARTS: Final = 16
"""Bytes of a file that are read whole, and of each of so many parts of a larger one."""


@frozen
class Loaded:
    """A causal language model, and how one talks to it."""

    model: Any
    """A transformers model, or a PEFT model around one; in single precision, and on the CPU
    until it is moved."""
    tokenizer: Any
    """Its fast tokenizer, with a padding token."""
    template: Template

    def on(self, device: str, precision: Precision = "fp32") -> Loaded:
        """Itself, moved to a device; `auto` is a GPU where there is one.

        Raises UsageError where there is no such device.
        """
        import torch

        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            self.model.to(
                torch.device(device), torch.bfloat16 if precision == "bf16" else torch.float32
            )
        except (RuntimeError, AssertionError) as error:
            raise UsageError(
                f"the device {device!r} cannot be used: {_first_line(error)}; give auto, cpu,"
                " or a device that torch finds here"
            ) from error
        return self

    def save(self, folder: Path) -> Path:
        """Write model, tokenizer and chat template as a normal model folder; the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self.model.save_pretrained(folder)
        self.tokenizer.chat_template = self.template.jinja
        self.tokenizer.save_pretrained(folder)
        return folder


def load(
    name: str,
    *,
    adapter: Path | None = None,
    trainable: bool = False,
    template: str | None = None,
) -> Loaded:
    """Load a model, its tokenizer and its template.

    Raises UsageError where there is no such model, its template is not known, or the adapter
    does not fit.

    Args:
        name: `tiny`, `smollm2`, a folder, or a hub name.
        adapter: the folder of a PEFT adapter for it.
        trainable: whether gradients are wanted: of the adapter alone where there is one.
        template: a template's name or `module:attribute`, instead of the one it brings along.
    """
    loaded = _embedded(name) if name in EMBEDDED else _from_pretrained(name, template)
    if template is not None:
        loaded = evolve(loaded, template=bound(find(template), loaded.tokenizer))
    if adapter is not None:
        loaded = evolve(loaded, model=_with_adapter(loaded.model, adapter, trainable))
    else:
        loaded.model.requires_grad_(trainable)
    loaded.model.train(trainable)
    return loaded


def located(name: str) -> None:
    """UsageError where a name is a folder's, and there is none."""
    path = Path(name)
    looks = name.startswith((".", "/", "~")) or (path.parent != Path() and path.parent.is_dir())
    if looks and not path.is_dir():
        raise UsageError(f"there is no folder {name!r}; a model's folder holds a config.json")


def digest(folder: Path) -> str:
    """What tells a folder's model from another one: SHA-256 of the names and sizes of its
    files, and of their content; of files above 64 MiB, of sixteen parts of it."""
    found = sha256()
    for file in sorted(each for each in folder.iterdir() if each.is_file()):
        size = file.stat().st_size
        found.update(f"{file.name}:{size}".encode())
        with file.open("rb") as content:
            if size <= _WHOLE:
                found.update(content.read())
                continue
            for part in range(_PARTS):
                content.seek(part * (size - _PART) // (_PARTS - 1))
                found.update(content.read(_PART))
    return found.hexdigest()[:16]


def _embedded(name: str) -> Loaded:
    if name == "tiny":
        from compoworld_trainer_grpo.models import tiny

        return tiny.load_default()
    from compoworld_trainer_grpo.models import smollm2

    return smollm2.load()


def _from_pretrained(name: str, template: str | None) -> Loaded:
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer

    located(name)
    there = Path(name).is_dir()
    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
        both: Any = AutoModelForCausalLM.from_pretrained(
            name, dtype=torch.float32, output_loading_info=True
        )
        model, told = both
    except (OSError, ValueError, RuntimeError, AssertionError, SafetensorError) as error:
        what = "the folder" if there else "the model"
        raise UsageError(
            f"{what} {name!r} cannot be loaded: {_first_line(error)}; embedded models, which"
            f" need no hub: {', '.join(EMBEDDED)}"
        ) from error
    lacking = [*told["missing_keys"], *told["unexpected_keys"]]
    if lacking:
        raise UsageError(
            f"{name!r}: the weights are not those of the config.json beside them, or not whole:"
            f" {lacking[0]} and {len(lacking) - 1} others are missing or too many"
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    found = recognise(tokenizer, name) if template is None else find(template)
    return Loaded(model, tokenizer, found)


def _with_adapter(model: Any, adapter: Path, trainable: bool) -> Any:
    from peft import PeftModel, get_peft_model_state_dict
    from peft.utils import load_peft_weights
    from safetensors import SafetensorError

    try:
        found = PeftModel.from_pretrained(model, str(adapter), is_trainable=trainable)
        held = load_peft_weights(str(adapter), device="cpu")
        wanted = get_peft_model_state_dict(found, save_embedding_layers=False)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise UsageError(
            f"the adapter {str(adapter)!r} cannot be loaded: {_first_line(error)}"
        ) from error
    strange = sorted(name for name in held.keys() ^ wanted.keys() if "lora_" in name)
    if strange:
        raise UsageError(
            f"the adapter {str(adapter)!r} is not of this model: {len(strange)} of its parts"
            f" and the model's do not meet, such as {strange[0]}"
        )
    return found


def _first_line(error: Exception) -> str:
    text = str(error).strip().partition("\n")[0].rstrip(".:")
    return text or type(error).__name__
