"""Registers the trainers, and the policy that plays with what they made."""

from __future__ import annotations

from compoworld_core import Register, hookimpl


@hookimpl
def register_policies(register: Register) -> None:
    """Add `local`."""
    register(
        "local",
        "compoworld_trainer_grpo.local:local",
        summary="a model in this process: tiny, smollm2, a folder or a training run",
    )


@hookimpl
def register_trainers(register: Register) -> None:
    """Add `sft` and `grpo`."""
    register(
        "sft",
        "compoworld_trainer_grpo.trainers:SftTrainer",
        summary="supervised fine-tuning on exported trajectories, assistant tokens only",
    )
    register(
        "grpo",
        "compoworld_trainer_grpo.trainers:GrpoTrainer",
        summary="GRPO on tasks, rubric verdicts rewarded group by group",
    )
