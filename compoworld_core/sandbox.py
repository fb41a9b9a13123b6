"""Sandboxes: what runs a stranger's program, and what it may take and give back.

A plugin offers one by the hook ``register_sandboxes``; :func:`choose` finds one that works on
this machine, or refuses with each one's reason. Nothing falls back to running without one.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from attrs import field, frozen

from compoworld_core import plugins
from compoworld_core.errors import UsageError

if TYPE_CHECKING:
    from compoworld_core.protocols import Sandbox

TEMPORARY: Final = "/tmp"  # noqa: S108  # a place inside, which ends with the job
"""The folder for temporary files inside; its size is limited as the job folder's is."""
FOLDER: Final = "/job"
"""Where a job's folder lies inside; it is also where its program starts, and its home."""
SOCKET: Final = "/run/outside.sock"
"""Where a job's socket lies inside."""

Stop = Literal["", "time", "memory"]
"""What ended a program before its end; empty where nothing did."""


class NoSandbox(UsageError):  # noqa: N818  # says what it is
    """No sandbox works here, and what was to run runs in one or not at all."""


@frozen
class Limits:
    """What one job may use of the machine."""

    seconds: float = 60.0
    """Wall time, then everything in the sandbox is killed."""
    memory_mb: int = 2_048
    """Memory of all its processes together, what they write to disk included."""
    processes: int = 64
    """Processes and threads at one time."""
    file_mb: int = 64
    """The longest file that it may write."""
    disk_mb: int = 256
    """All that it may hold in its folder; as much again elsewhere (/tmp)."""
    files: int = 256
    """Files that one process may hold open."""
    output_kb: int = 256
    """What is kept of its output, the first half and the last; the middle is left out."""
    returned_mb: int = 16
    """All files that come back."""


@frozen
class Job:
    """One program to run."""

    argv: tuple[str, ...]
    """Program and arguments; the program is an absolute path that is readable inside."""
    folder: Path | None = None
    """Copied in as :data:`FOLDER`; the host's own folder never changes."""
    readable: tuple[Path, ...] = ()
    """Host paths that are there inside, under the same names and read-only."""
    environment: Mapping[str, str] = field(factory=dict)
    """The whole environment, but for HOME, PATH and TMPDIR; nothing of the host's comes in."""
    socket: Path | None = None
    """A host's Unix socket that it may talk to, as :data:`SOCKET`: its only way out."""
    keep: tuple[str, ...] = ()
    """Patterns of what comes back of its folder (`*` does not match a slash)."""
    limits: Limits = Limits()


@frozen
class Ended:
    """How a job ended. Everything in it comes from inside: material, not truth."""

    status: int | None
    """The program's exit status; None where it was stopped, or the sandbox itself failed."""
    output: str
    """Standard output and error together, as they came."""
    files: Mapping[str, bytes] = field(factory=dict)
    """Path within the folder → content, of what the job keeps; regular files only."""
    stopped: Stop = ""

    @property
    def fine(self) -> bool:
        """Whether the program ended by itself with status 0."""
        return self.status == 0 and not self.stopped


def choose(name: str = "") -> Sandbox:
    """The sandbox of a name, or the first that works here.

    Raises NoSandbox with the reason of each that does not work, and UnknownName.
    """
    registry = plugins.sandboxes()
    refusals: list[str] = []
    for each in [name] if name else registry.names():
        sandbox: Sandbox = plugins.make(registry, each)
        refusal = sandbox.refusal()
        if not refusal:
            return sandbox
        refusals.append(f"{each}: {refusal}")
    why = "; ".join(refusals) or "none is installed; pip install compoworld-sandbox-bubblewrap"
    raise NoSandbox(f"no sandbox works here, and without one this does not run ({why})")


def matches(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether a relative path is plain and one of the patterns matches it part by part."""
    parts = path.split("/")
    if path.startswith("/") or "\\" in path or any(p in ("", ".", "..") for p in parts):
        return False
    if not path.isprintable():
        return False
    for pattern in patterns:
        wanted = pattern.split("/")
        if len(wanted) == len(parts) and all(map(fnmatch.fnmatchcase, parts, wanted)):
            return True
    return False
