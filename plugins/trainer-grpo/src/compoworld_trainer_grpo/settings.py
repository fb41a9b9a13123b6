"""Settings: what a training run does, as data. Defaults are the recipe's.

Sources, later ones win: the defaults here, a preset, a TOML file, `--set name=value`, options.
Importing this module imports nothing of the training stack, so `--dry-run` is quick.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Launcher = Literal["accelerate", "none"]
Schedule = Literal["constant", "linear", "cosine"]
Offload = Literal["none", "optimizer", "all"]
Precision = Literal["fp32", "bf16"]
Sampler = Literal["model", "vllm-colocate", "vllm-server"]


class Options(BaseModel):
    """Base of all settings: unknown names are refused, nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Lora(Options):
    """A low-rank adapter instead of the whole model."""

    rank: int = Field(default=16, ge=1)
    alpha: int = Field(default=32, ge=1)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    """0: the log-probabilities of a GRPO step must be those of the policy that sampled."""
    targets: str = "all-linear"
    """PEFT's shorthand, or the names of modules, with commas between them."""


class Tiny(Options):
    """The model `tiny`, which is built where training starts."""

    layers: int = Field(default=3, ge=1)
    hidden: int = Field(default=128, ge=32, multiple_of=32)
    heads: int = Field(default=3, ge=1)
    """Of a layer; each is 64 wide."""
    vocabulary: int = Field(default=6144, ge=300)
    """Tokens at most; a byte-level tokenizer has 256 and seven for control."""
    induction: bool = True
    """Start as an induction circuit, where there is room for it: such a model copies before it
    has learnt anything."""


class Size(Options):
    """A model's size, for the memory estimate where its files are not at hand."""

    parameters: float = Field(gt=0)
    layers: int = Field(ge=1)
    hidden: int = Field(ge=1)
    vocabulary: int = Field(ge=1)
    keys: int = Field(default=0, ge=0)
    """Width of a layer's keys: heads times their width; 0 is the hidden width. Where only some
    layers attend to all that was before, their mean."""


class Launch(Options):
    """Processes and where the parts of the optimiser lie."""

    launcher: Launcher = "accelerate"
    """accelerate starts DeepSpeed, on one process and on CPUs too; none trains in this
    process, without DeepSpeed."""
    processes: int = Field(default=1, ge=1)
    """Over all machines."""
    machines: int = Field(default=1, ge=1)
    machine_rank: int = Field(default=0, ge=0)
    main_address: str = "127.0.0.1"
    main_port: int = Field(default=0, ge=0, le=65535)
    """0 picks a free port, which one machine can do."""
    zero: int = Field(default=2, ge=1, le=3)
    """1 shards the optimiser's state, 2 also gradients, 3 also parameters."""
    offload: Offload = "none"
    """What lies in the host's memory: the optimiser's state, or parameters as well (ZeRO-3)."""


class Settings(Options):
    """What both trainers have."""

    model: str = Field(default="", min_length=1)
    """`tiny`, `smollm2`, a folder (a model's, or a training run's), or a hub name."""
    adapter: str = ""
    """A folder with an adapter that the model starts from. With `lora` it is trained on;
    without, it is merged into the model, all of which is trained."""
    template: str = ""
    """A chat template by name or `module:attribute`, instead of the model's own."""
    lora: Lora | None = None
    """None trains all parameters."""
    tiny: Tiny = Tiny()
    size: Size | None = None
    seed: int = Field(default=0, ge=0, lt=2**31)
    learning_rate: float = Field(gt=0)
    schedule: Schedule = "linear"
    warmup: float = Field(default=0.0, ge=0, lt=1)
    """Share of the steps in which the learning rate rises."""
    weight_decay: float = Field(default=0.0, ge=0)
    """0 makes AdamW the recipe's Adam."""
    gradient_norm: float = Field(default=1.0, gt=0)
    """Gradients are scaled down to this norm."""
    micro_batch: int = Field(default=4, ge=1)
    """Rows that a device holds at once."""
    precision: Precision = "fp32"
    checkpointing: bool = False
    """Compute activations twice instead of keeping them."""
    device: Literal["auto", "cpu"] = "auto"
    checkpoint_every: int = Field(default=50, ge=1)
    """Optimiser steps between checkpoints."""
    keep: int = Field(default=2, ge=1)
    """Newest checkpoints that stay; the best one always does."""
    tensorboard: bool = True
    launch: Launch = Launch()


class SftSettings(Settings):
    """Supervised fine-tuning on exported trajectories."""

    data: tuple[str, ...] = Field(min_length=1)
    """Files of `compoworld export sft`."""
    learning_rate: float = Field(default=1e-4, gt=0)
    epochs: float = Field(default=3, gt=0)
    steps: int = Field(default=0, ge=0)
    """Optimiser steps at most; 0 leaves it to the epochs."""
    batch: int = Field(default=32, ge=1)
    """Rows of one optimiser step, over all processes."""
    max_length: int = Field(default=16384, ge=8)
    """Tokens of a row; longer ones are left out and counted, since half a trajectory would
    teach to stop half way."""
    packing: bool = False
    """Rows share a sequence of `max_length` tokens, and do not see each other."""
    evaluation: float = Field(default=0.05, ge=0, lt=1)
    """Share of the tasks whose rows are kept for evaluation."""
    evaluate_every: int = Field(default=50, ge=1)
    """Optimiser steps."""
    stop_loss: float = Field(default=0.0, ge=0)
    """End where the mean loss of five steps falls below this; 0 never does."""


class GrpoSettings(Settings):
    """GRPO on tasks, with a reward over a group's rubric verdicts."""

    tasks: tuple[str, ...] = Field(min_length=1)
    """Runs with tasks."""
    only: tuple[str, ...] = ()
    """Ids of tasks, where not all of them are trained on."""
    learning_rate: float = Field(default=1e-5, gt=0)
    schedule: Schedule = "constant"
    steps: int = Field(default=0, ge=0)
    """Generation batches; 0 leaves it to the epochs."""
    epochs: float = Field(default=1, gt=0)
    rollouts: int = Field(default=8, ge=2)
    """N: rollouts of a task, from forks of one s0."""
    tasks_per_step: int = Field(default=4, ge=1)
    """Tasks of one generation batch, over all processes."""
    updates: int = Field(default=2, ge=1)
    """Optimiser steps on one generation batch: from the second on, the clip acts."""
    iterations: int = Field(default=1, ge=1)
    """Times that each generation batch is used."""
    reward: str = "completion-focused"
    reward_options: dict[str, Any] = Field(default_factory=dict)
    scale: Literal["none", "f-grpo"] = "none"
    """A factor on the advantages of a group."""
    gamma: float = Field(default=1.0, ge=0)
    """f-grpo's exponent."""
    delta: float = Field(default=1e-4, gt=0)
    """Added to the deviation that advantages are divided by."""
    clip_low: float = Field(default=0.20, gt=0, lt=1)
    clip_high: float = Field(default=0.28, gt=0)
    loss: Literal["grpo", "dapo", "dr_grpo", "bnpo"] = "grpo"
    """grpo: the mean over rollouts of the mean over a rollout's own tokens."""
    resample: int = Field(default=0, ge=0)
    """Times that tasks whose group has no signal are replaced by others in a step."""
    temperature: float = Field(default=1.0, gt=0)
    top_p: float = Field(default=1.0, gt=0, le=1)
    top_k: int = Field(default=0, ge=0)
    """0 is no limit."""
    turns: int = Field(default=40, ge=1)
    """Assistant messages of an episode."""
    turn_tokens: int = Field(default=1024, ge=1)
    """New tokens of one assistant message."""
    episode_tokens: int = Field(default=16384, ge=8)
    """Tokens of an episode: prompt, assistant and tools."""
    observation_tokens: int = Field(default=2048, ge=8)
    """Tokens of one tool result; the rest is cut, with a notice."""
    sampler: Sampler = "model"
    """Who generates: the model that is trained, or vLLM beside it or as a server."""
    vllm_url: str = ""
    """The server's address; for vllm-server."""
    vllm_memory: float = Field(default=0.3, gt=0, lt=1)
    """Share of a GPU's memory that vLLM takes; for vllm-colocate."""
    checkpoint_every: int = Field(default=10, ge=1)
    """Generation batches between checkpoints, fewer than a collapse takes. A training of less
    than twice as many has one after its first half, which its second half judges."""
    collapse_after: int = Field(default=20, ge=0)
    """End where success was above 0 and then 0 for so many generation batches; 0 never
    does."""
