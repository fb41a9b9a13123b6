"""Registers the policies that need no model."""

from __future__ import annotations

from compoworld_core import Register, hookimpl


@hookimpl
def register_policies(register: Register) -> None:
    """Add `oracle`, `partial`, `null`, `random` and `search`."""
    register(
        "oracle",
        "compoworld_policies.reference:oracle",
        summary="plays the reference solution, and discovers tools as an agent must",
    )
    register(
        "partial",
        "compoworld_policies.reference:partial",
        summary="an oracle that drops or spoils writes at a given rate",
    )
    register("null", "compoworld_policies.null:Null", summary="does nothing")
    register(
        "random",
        "compoworld_policies.wanderer:wanderer",
        summary="calls tools at random, with arguments that fit their schemas",
    )
    register(
        "search",
        "compoworld_policies.search:search",
        summary="knows what it needs, and has to find it within a budget of tries",
    )
