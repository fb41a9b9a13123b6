"""Supervision: starts a sandbox's outer process, reads what it says, and ends it in time."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from attrs import frozen

from compoworld_core.sandbox import Limits, Stop
from compoworld_sandbox_bubblewrap.cgroup import Group

_PACE: Final = 0.05
"""Seconds between two looks at a running sandbox."""
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


@frozen
class Heard:
    """What was read from a sandbox's outer process."""

    status: int
    """Its own exit status, which is not the job's."""
    reply: bytes
    """Its standard output; empty where it was longer than a reply can be."""
    output: str
    stopped: Stop


class _Reader(threading.Thread):
    """Reads a pipe to its end, keeping the first half of a limit and the last."""

    def __init__(self, pipe: IO[bytes], most: int) -> None:
        super().__init__(daemon=True)
        self._pipe, self._half = pipe, most // 2
        self._first, self._last = bytearray(), bytearray()
        self.total = 0
        self.start()

    def run(self) -> None:
        while chunk := os.read(self._pipe.fileno(), 1 << 16):
            self.total += len(chunk)
            room = self._half - len(self._first)
            self._first += chunk[:room]
            self._last += chunk[max(room, 0) :]
            del self._last[: max(len(self._last) - self._half, 0)]

    def content(self) -> bytes:
        """What was kept, with a line where something was left out."""
        left = self.total - len(self._first) - len(self._last)
        notice = f"\n[{left} bytes left out]\n".encode() if left else b""
        return bytes(self._first) + notice + bytes(self._last)


def supervise(
    argv: Sequence[str],
    limits: Limits,
    group: Group | None,
    environment: Mapping[str, str],
    end: Callable[[], None] | None = None,
    handles: Sequence[int] = (),
) -> Heard:
    """Run the outer process to its end or the limits; kill the rest.

    Args:
        argv: the outer process; all others die with it.
        limits: of time, memory and output.
        group: its control group; without one, the memory of its descendants is watched.
        environment: of the outer process; those inside may be able to read it.
        end: what else ends the sandbox, where it is no descendant of the outer process.
        handles: open files that the outer process reads.
    """
    prefix = group.prefix() if group is not None else ()
    process = subprocess.Popen(  # noqa: S603  # argv is ours
        [*prefix, *argv],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(environment),
        pass_fds=handles,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    most = (limits.returned_mb << 20) * 3  # base64, names, quotes; and only halves are kept
    with process.stdout, process.stderr:
        reply = _Reader(process.stdout, most)
        output = _Reader(process.stderr, limits.output_kb << 10)
        try:
            stopped = _watch(process, limits, group)
        finally:
            process.kill()
            status = process.wait()
            if end is not None:
                end()
        # All writers are dead, or about to be; a pipe that stays open is left to its thread.
        reply.join(5.0)
        output.join(5.0)
    whole = reply.total <= most // 2
    return Heard(
        status,
        reply.content() if whole else b"",
        output.content().decode(errors="replace"),
        stopped,
    )


def _watch(process: subprocess.Popen[bytes], limits: Limits, group: Group | None) -> Stop:
    """Wait for the end, or for the limit that comes first."""
    deadline = time.monotonic() + limits.seconds
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):  # still running
            process.wait(_PACE)
        if group is not None and group.overrun():
            return "memory"
        if process.returncode is not None:
            return ""
        if group is None and resident(process.pid) > limits.memory_mb << 20:
            return "memory"
        if time.monotonic() > deadline:
            return "time"


def resident(root: int, processes: Path = Path("/proc")) -> int:
    """Bytes of memory that a process and all its descendants hold."""
    parents: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for folder in processes.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            after_name = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        parents[int(folder.name)] = int(after_name[1])
        sizes[int(folder.name)] = int(after_name[21]) * _PAGE
    total = 0
    for pid in parents:
        above = pid
        while above and above != root:
            above = parents.get(above, 0)
        total += sizes[pid] if above == root else 0
    return total
