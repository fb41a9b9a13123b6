"""Registers the rewards."""

from __future__ import annotations

from compoworld_core import Register, hookimpl


@hookimpl
def register_rewards(register: Register) -> None:
    """Add `completion-focused`, `uniform` and `binary`."""
    register(
        "completion-focused",
        "compoworld_rewards.completion:completion_focused",
        summary="criteria weigh more the fewer rollouts of the group satisfy them",
    )
    register(
        "uniform",
        "compoworld_rewards.plain:uniform",
        summary="the share of criteria that hold",
    )
    register(
        "binary",
        "compoworld_rewards.plain:binary",
        summary="1 where all criteria and gates hold, else 0",
    )
