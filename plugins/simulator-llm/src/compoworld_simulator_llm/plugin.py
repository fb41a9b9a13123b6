"""Registers the simulator."""

from __future__ import annotations

from compoworld_core import Register, hookimpl


@hookimpl
def register_simulators(register: Register) -> None:
    """Add `llm`."""
    register(
        "llm",
        "compoworld_simulator_llm.simulator:ModelSimulator",
        summary="a model behind an OpenAI-compatible endpoint predicts patch and observation",
    )
