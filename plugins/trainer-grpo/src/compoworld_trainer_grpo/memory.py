"""Memory: an estimate of what a device needs, from a model's size and the settings.

DeepSpeed has estimators of its own; they know neither adapters nor single precision, nor what a
batch needs, and import the whole stack, which `--dry-run` does without.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from compoworld_trainer_grpo.settings import GrpoSettings, Settings, SftSettings, Size

GIB: Final = 1 << 30

_TINY_HEAD: Final = 64
"""Width of a head of `tiny`."""
SMOLLM2: Final = Size(parameters=134.5e6, layers=30, hidden=576, vocabulary=49152, keys=192)
"""SmolLM2-135M-Instruct, from its configuration."""

_BLOCK: Final = 17
"""Values that a transformer block keeps for a token and a unit of width, about: two norms,
queries, keys, values, attention's result, and three times the width twice in the MLP
(Korthikanti et al., 2022, equation 2: 34 bytes at two bytes a value; attention maps apart)."""

_LOGITS: Final = 4096
"""Tokens whose logits are there at a time: TRL 1.16 takes them in such tiles, in both."""

_LINEAR: Final = 20
"""Inputs and outputs of a block's seven linear layers, in units of the width, about."""


@frozen
class Estimate:
    """Bytes on one device, or in the host's memory for what is offloaded."""

    parameters: float
    """Of the model, in all."""
    trained: float
    """Of these, or of the adapter."""
    weights: float
    gradients: float
    optimizer: float
    activations: float
    logits: float
    cache: float
    """Keys and values of the episodes that the model samples together; vLLM's are its own."""
    offloaded: float

    @property
    def total(self) -> float:
        """Bytes on the device."""
        parts = (self.weights, self.gradients, self.optimizer, self.activations, self.logits)
        return sum(parts) + self.cache

    def figures(self) -> dict[str, float]:
        """Gibibytes by part."""
        parts = ("weights", "gradients", "optimizer", "activations", "logits", "cache")
        named = {name: getattr(self, name) for name in (*parts, "total", "offloaded")}
        return {name: round(value / GIB, 3) for name, value in named.items()}


def estimate(settings: Settings) -> Estimate | None:
    """What a device needs; None where the model's size is not known without loading it."""
    size = settings.size or size_of(settings)
    if size is None:
        return None
    zero = settings.launch.zero if settings.launch.launcher == "accelerate" else 0
    sharers = settings.launch.processes
    half = settings.precision == "bf16"
    # DeepSpeed holds bf16 weights and gradients, autocast alone does not
    width = 2 if half and (zero or settings.lora is not None) else 4
    trained = adapter_parameters(settings, size) if settings.lora else size.parameters
    frozen_bytes = (size.parameters if settings.lora else 0.0) * (2 if half else 4)
    weights = (frozen_bytes + trained * width) / (sharers if zero == 3 else 1)
    gradients = trained * width / (sharers if zero >= 2 else 1)
    # two moments; and with DeepSpeed the master copy that its partitions are
    optimizer = trained * (12 if zero else 8) / (sharers if zero else 1)
    offloaded = 0.0
    if zero and settings.launch.offload != "none":
        offloaded, optimizer = optimizer * sharers, 0.0
        if settings.launch.offload == "all" and zero == 3:
            offloaded, weights = offloaded + weights * sharers, 0.0
    tokens = _tokens(settings)
    kept = 2 if half else 4
    layers = 1 if settings.checkpointing else size.layers
    activations = tokens * size.hidden * kept * _BLOCK * layers
    if settings.checkpointing:
        activations += tokens * size.hidden * kept * size.layers
    return Estimate(
        parameters=size.parameters,
        trained=trained,
        weights=weights,
        gradients=gradients,
        optimizer=optimizer,
        activations=activations,
        logits=min(tokens, _LOGITS) * size.vocabulary * 4,
        cache=_cache(settings, size, kept),
        offloaded=offloaded,
    )


def _tokens(settings: Settings) -> int:
    """Tokens of a micro-batch at most."""
    if isinstance(settings, SftSettings):
        return settings.micro_batch * settings.max_length
    assert isinstance(settings, GrpoSettings)
    return settings.micro_batch * settings.episode_tokens


def _cache(settings: Settings, size: Size, width: int) -> float:
    if not isinstance(settings, GrpoSettings) or settings.sampler != "model":
        return 0.0
    rows = settings.rollouts * math.ceil(settings.tasks_per_step / settings.launch.processes)
    keys = size.keys or size.hidden
    return rows * settings.episode_tokens * size.layers * 2 * keys * width


def adapter_parameters(settings: Settings, size: Size) -> float:
    """Parameters of the adapter, about: one of all linear layers of dense blocks."""
    rank = settings.lora.rank if settings.lora else 0
    return rank * size.layers * _LINEAR * size.hidden


def size_of(settings: Settings) -> Size | None:
    """The size of the model that the settings name; None where it is not at hand."""
    path = Path(settings.model)
    if settings.model == "smollm2":
        return SMOLLM2
    if settings.model == "tiny":
        shape = settings.tiny
        keys = shape.heads * _TINY_HEAD
        block = 4 * shape.hidden * keys + 9 * shape.hidden**2
        total = shape.layers * block + shape.vocabulary * shape.hidden
        return Size(
            parameters=total,
            layers=shape.layers,
            hidden=shape.hidden,
            vocabulary=shape.vocabulary,
            keys=keys,
        )
    for folder in (path, path / "model", path / "start"):
        if (folder / "config.json").is_file():
            return _size_in(folder)
    return None


def _size_in(folder: Path) -> Size | None:
    config: dict[str, Any] = json.loads((folder / "config.json").read_bytes())
    config = config.get("text_config", config)
    total = sum(map(_parameters, sorted(folder.glob("*.safetensors"))))
    try:
        heads = config.get("num_key_value_heads", config["num_attention_heads"])
        width = config.get("head_dim", config["hidden_size"] // config["num_attention_heads"])
        return Size(
            parameters=total,
            layers=config["num_hidden_layers"],
            hidden=config["hidden_size"],
            vocabulary=config["vocab_size"],
            keys=heads * width,
        )
    except (KeyError, ValueError):
        return None  # an architecture that names its parts otherwise


def _parameters(file: Path) -> int:
    """Parameters in a safetensors file, from its header alone."""
    with file.open("rb") as content:
        length = int.from_bytes(content.read(8), "little")
        header: dict[str, Any] = json.loads(content.read(length))
    shapes = (each["shape"] for name, each in header.items() if name != "__metadata__")
    return sum(math.prod(shape) for shape in shapes)
