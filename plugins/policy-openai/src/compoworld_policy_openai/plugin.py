"""Registers the policy."""

from __future__ import annotations

from compoworld_core import Register, hookimpl


@hookimpl
def register_policies(register: Register) -> None:
    """Add `openai`."""
    register(
        "openai",
        "compoworld_policy_openai.policy:ChatPolicy",
        summary="a model behind an OpenAI-compatible chat endpoint, named by the environment",
    )
