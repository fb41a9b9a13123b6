"""Registers the exporter's command."""

from __future__ import annotations

from compoworld_core import Register, hookimpl


@hookimpl
def register_commands(register: Register) -> None:
    """Add `compoworld export sft`."""
    register(
        "export sft",
        "compoworld_export_sft.command:sft",
        summary="successful trajectories as chat messages with tool calls",
    )
