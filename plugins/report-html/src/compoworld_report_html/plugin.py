"""Registers the report's command."""

from __future__ import annotations

from compoworld_core import Register, hookimpl


@hookimpl
def register_commands(register: Register) -> None:
    """Add `compoworld report html`."""
    register(
        "report html",
        "compoworld_report_html.command:html",
        summary="tasks, proofs and rollouts as one self-contained page",
    )
