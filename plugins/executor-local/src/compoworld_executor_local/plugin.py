"""Registers the executors of this machine."""

from __future__ import annotations

from compoworld_core import Register, hookimpl


@hookimpl
def register_executors(register: Register) -> None:
    """Add `local` and `serial`."""
    register(
        "local",
        "compoworld_executor_local.pool:ProcessPool",
        summary="a pool of processes on this machine",
    )
    register(
        "serial",
        "compoworld_executor_local.serial:Serial",
        summary="this process, one item after the other",
    )
