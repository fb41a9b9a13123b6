"""ContainerSandbox: the same job in a container of ``docker`` or ``podman``."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from compoworld_core import sandbox
from compoworld_core.sandbox import Ended, Job
from compoworld_sandbox_bubblewrap import staging
from compoworld_sandbox_bubblewrap.supervision import supervise

IMAGE: Final = "COMPOWORLD_SANDBOX_IMAGE"
"""The environment variable that names the image; pulled beforehand, never by a job."""
_RUNTIMES: Final = ("docker", "podman")
_NOBODY: Final = "65534:65534"

_jobs = itertools.count()


class ContainerSandbox:
    """Runs jobs in throw-away containers without network, capabilities or a writable root.

    The interpreter and what a job names come from the host, so the image must have the same C
    library; nothing else is asked of it.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._image = environment.get(IMAGE, "")
        self._path = environment.get("PATH", "")

    def refusal(self) -> str:
        """Why it cannot run here."""
        runtime = self._runtime()
        if not runtime:
            return f"neither {' nor '.join(_RUNTIMES)} is there"
        name = Path(runtime).name
        if self._asked(runtime, "info"):
            return f"{name} is there and does not answer; start its daemon"
        if not self._image:
            return f"{IMAGE} names no image; set it to one with this machine's C library"
        if self._asked(runtime, "image", "inspect", self._image):
            return f"{name} has no image {self._image}; pull it"
        return ""

    def run(self, job: Job) -> Ended:
        """Run a job; see :class:`compoworld_core.protocols.Sandbox`."""
        runtime = self._runtime()
        name = f"compoworld-{os.getpid()}-{next(_jobs)}"
        with tempfile.TemporaryDirectory(prefix="compoworld-") as scratch:
            argv = [runtime, *self._argv(job, Path(scratch), name)]
            # The container is the daemon's child, so its group and its end are the daemon's.
            # The runtime needs its settings (DOCKER_HOST, HOME); no container inherits them.
            heard = supervise(
                argv, job.limits, None, os.environ, lambda: self._end(runtime, name)
            )
        status, files = staging.read_reply(heard.reply, job)
        if heard.stopped:
            status = None
        # 137 without a reply: the container's first program was killed, for its memory.
        killed = heard.status == 137 and status is None and not heard.stopped
        return Ended(status, heard.output, files, "memory" if killed else heard.stopped)

    def _runtime(self) -> str:
        found = (shutil.which(name, path=self._path) for name in _RUNTIMES)
        return next((path for path in found if path), "")

    def _asked(self, runtime: str, *words: str) -> int:
        """Exit status of a question to the runtime; not zero where it takes too long."""
        try:
            return subprocess.run(  # noqa: S603  # words are ours, but for the user's image
                [runtime, *words], capture_output=True, timeout=20, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            return 1

    def _end(self, runtime: str, name: str) -> None:
        self._asked(runtime, "rm", "--force", name)

    def _argv(self, job: Job, scratch: Path, name: str) -> Iterator[str]:
        limits = job.limits
        memory = f"{limits.memory_mb}m"
        yield from ("run", "--rm", "--name", name, "--network", "none", "--read-only")
        yield from ("--user", _NOBODY, "--cap-drop", "ALL", "--pull", "never")
        yield from ("--security-opt", "no-new-privileges", "--ipc", "private")
        yield from ("--memory", memory, "--memory-swap", memory)
        yield from ("--pids-limit", str(limits.processes + 4))
        for place in (sandbox.FOLDER, sandbox.TEMPORARY):
            yield from ("--tmpfs", f"{place}:rw,exec,mode=1777,size={limits.disk_mb}m")
        python, needed = staging.interpreter()
        for path in dict.fromkeys((*needed, *job.readable)):
            yield from ("--volume", f"{path}:{path}:ro")
        yield from ("--volume", f"{staging.INSIDE}:{staging.RUN_INSIDE}:ro")
        if job.folder is not None:
            staged = scratch / "in"
            staging.stage(job.folder, staged)
            yield from ("--volume", f"{staged}:/run/in:ro")
        if job.socket is not None:
            yield from ("--volume", f"{job.socket}:{sandbox.SOCKET}")
        for key, value in staging.environment(job).items():
            yield from ("--env", f"{key}={value}")
        yield from ("--workdir", sandbox.FOLDER, "--entrypoint", python, self._image)
        yield from ("-I", "-S", staging.RUN_INSIDE, staging.spec(job, 0))
