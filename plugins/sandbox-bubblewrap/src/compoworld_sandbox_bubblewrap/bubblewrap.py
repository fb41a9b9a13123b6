"""BubblewrapSandbox: namespaces by ``bwrap``, rights given up by the first program inside."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from compoworld_core import sandbox
from compoworld_core.sandbox import Ended, Job
from compoworld_sandbox_bubblewrap import cgroup, staging, syscalls
from compoworld_sandbox_bubblewrap.supervision import supervise

_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Programs and libraries of the host; nothing of /etc but what the loader needs."""
_OPEN: Final = (sandbox.FOLDER, sandbox.TEMPORARY, "/dev/shm")  # noqa: S108  # its own
"""Where the job may write; each place has the same limited size."""
_FIRST_USER: Final = 2_000_000_000
"""User ids from here on belong to nobody."""
_PATIENCE: Final = 20.0
"""Seconds for the smallest job."""
_USERS: Final = "job:x:{uid}:{uid}::/job:/bin/sh\n"

_jobs = itertools.count()


class BubblewrapSandbox:
    """Runs jobs in namespaces of their own: files, network, processes, IPC, host name.

    As root, the namespaces are made with the host's own rights and the job runs as a user
    who owns nothing; else in a user namespace, where it can make no further one.
    """

    def __init__(self, program: str = "bwrap") -> None:
        self._program = program

    def refusal(self) -> str:
        """Why it cannot run here; found out by running the smallest job."""
        if shutil.which(self._program) is None:
            return f"{self._program} is not there; apt-get install bubblewrap"
        with tempfile.TemporaryDirectory(prefix="compoworld-") as scratch:
            argv = [*self._argv(Job(("/bin/true",)), Path(scratch), 0), "--", "/bin/true"]
            try:
                tried = subprocess.run(  # noqa: S603  # argv is ours
                    argv, capture_output=True, timeout=_PATIENCE, check=False
                )
            except subprocess.TimeoutExpired:
                return f"{self._program} did not end the smallest job in {_PATIENCE:g} s"
        if tried.returncode == 0:
            return ""
        said = tried.stderr.decode(errors="replace").strip() or f"status {tried.returncode}"
        return (
            f"{self._program} cannot make namespaces ({said}); run as root, or allow"
            " unprivileged user namespaces"
        )

    def run(self, job: Job) -> Ended:
        """Run a job; see :class:`compoworld_core.protocols.Sandbox`."""
        uid = _user() if _is_root() else 0
        group = cgroup.make(job.limits)
        try:
            with tempfile.TemporaryDirectory(prefix="compoworld-") as scratch:
                python, _ = staging.interpreter()
                argv = list(self._argv(job, Path(scratch), uid))
                inside = [python, "-I", "-S", staging.RUN_INSIDE, staging.spec(job, uid)]
                calls = Path(scratch, "calls")
                calls.write_bytes(syscalls.program())
                with calls.open("rb") as filtered:
                    handles = (filtered.fileno(),) if calls.stat().st_size else ()
                    for handle in handles:
                        argv += ["--seccomp", str(handle)]
                    heard = supervise(
                        [*argv, "--", *inside], job.limits, group, {}, handles=handles
                    )
        finally:
            if group is not None:
                group.remove()
        status, files = staging.read_reply(heard.reply, job)
        if heard.stopped:
            status = None
        return Ended(status, heard.output, files, heard.stopped)

    def _argv(self, job: Job, scratch: Path, uid: int) -> Iterator[str]:
        """The command line up to the program; what comes later is mounted over the earlier."""
        limits = job.limits
        yield from (
            shutil.which(self._program) or self._program,
            "--die-with-parent",
            "--new-session",
            "--clearenv",
        )
        yield from ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts")
        yield from ("--unshare-cgroup-try", "--hostname", "sandbox")
        if not _is_root():
            yield from ("--unshare-user", "--uid", "1000", "--gid", "1000", "--disable-userns")
        for place in _SYSTEM:
            folder = Path(place)
            if folder.is_symlink():  # /lib64 → usr/lib64
                yield from ("--symlink", str(folder.readlink()), place)
            elif folder.is_dir():
                yield from ("--ro-bind", place, place)
        passwd = scratch / "passwd"
        passwd.write_text(_USERS.format(uid=uid or 1000))
        passwd.chmod(0o644)
        yield from ("--proc", "/proc", "--dev", "/dev")
        size = str(limits.disk_mb << 20)
        for place in _OPEN:
            yield from ("--perms", "1777", "--size", size, "--tmpfs", place)
        readable = dict.fromkeys((*staging.interpreter()[1], *job.readable))
        yield from _folders(Path("/etc/passwd"), Path(sandbox.SOCKET), *readable)
        yield from ("--ro-bind", str(passwd), "/etc/passwd")
        for place in ("/etc/ld.so.cache", "/etc/alternatives"):
            yield from ("--ro-bind-try", place, place)
        for path in readable:
            yield from ("--ro-bind", str(path), str(path))
        yield from ("--ro-bind", str(staging.INSIDE), staging.RUN_INSIDE)
        if job.folder is not None:
            staged = scratch / "in"
            staging.stage(job.folder, staged)
            yield from ("--ro-bind", str(staged), "/run/in")
        if job.socket is not None:
            yield from ("--bind", str(job.socket), sandbox.SOCKET)
        # In a user namespace the job owns these two, so their modes would not stop it.
        yield from ("--remount-ro", "/dev", "--remount-ro", "/")
        for name, value in staging.environment(job).items():
            yield from ("--setenv", name, value)
        yield from ("--chdir", sandbox.FOLDER)


def _folders(*paths: Path) -> Iterator[str]:
    """Make the folders above mount points; those that bwrap makes are closed to others."""
    above = {parent for path in paths for parent in path.parents if len(parent.parts) > 1}
    for place in sorted(above - {Path(place) for place in (*_SYSTEM, *_OPEN)}):
        yield from ("--perms", "0755", "--dir", str(place))


def _user() -> int:
    """A user id for one job: limits count by user, so no two that run at once may share one.

    A process id has at most 22 bits on Linux, which leaves 256 jobs at once to a process.
    """
    return _FIRST_USER + os.getpid() % (1 << 22) * 256 + next(_jobs) % 256


def _is_root() -> bool:
    return os.geteuid() == 0
