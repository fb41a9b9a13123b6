"""Registers the sandboxes."""

from __future__ import annotations

from compoworld_core import Register, hookimpl


@hookimpl
def register_sandboxes(register: Register) -> None:
    """Add `bubblewrap` and `container`; by name, the first comes first."""
    register(
        "bubblewrap",
        "compoworld_sandbox_bubblewrap.bubblewrap:BubblewrapSandbox",
        summary="no network, own processes, read-only system, limits; by bwrap",
    )
    register(
        "container",
        "compoworld_sandbox_bubblewrap.container:ContainerSandbox",
        summary="the same by docker or podman, in the image COMPOWORLD_SANDBOX_IMAGE",
    )
