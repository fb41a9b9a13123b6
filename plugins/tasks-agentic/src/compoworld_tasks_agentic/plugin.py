"""Registers the generator."""

from __future__ import annotations

from compoworld_core import Register, hookimpl


@hookimpl
def register_task_generators(register: Register) -> None:
    """Add `agentic`."""
    register(
        "agentic",
        "compoworld_tasks_agentic.generator:AgenticGenerator",
        summary="a language model proposes or rewords tasks; the same proof decides",
    )
