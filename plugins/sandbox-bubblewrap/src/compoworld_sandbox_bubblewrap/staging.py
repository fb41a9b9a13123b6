"""Staging: what goes into a sandbox, and what is read of what comes out."""

from __future__ import annotations

import base64
import binascii
import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from compoworld_core import sandbox
from compoworld_core.sandbox import Job

INSIDE: Final = Path(__file__).with_name("inside.py")
"""The first program inside."""
RUN_INSIDE: Final = "/run/inside.py"


def interpreter() -> tuple[str, tuple[Path, ...]]:
    """The Python that starts :data:`INSIDE`, and the folders that it needs."""
    own = getattr(sys, "_base_executable", sys.executable)
    prefixes = sorted({Path(sys.prefix), Path(sys.base_prefix)})
    return own, tuple(prefixes)


def stage(folder: Path, into: Path) -> None:
    """Copy regular files and folders, readable by all; links and the like stay out.

    A link is left out because it would be followed by whoever copies, with their rights.
    """
    into.mkdir(mode=0o755)
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        target = into / entry.name
        if entry.is_dir(follow_symlinks=False):
            stage(Path(entry.path), target)
        elif entry.is_file(follow_symlinks=False):
            shutil.copyfile(entry.path, target, follow_symlinks=False)
            target.chmod(0o755 if entry.stat().st_mode & 0o100 else 0o644)


def spec(job: Job, uid: int) -> str:
    """The argument of the program inside."""
    limits = job.limits
    return json.dumps(
        {
            "argv": job.argv,
            "folder": sandbox.FOLDER,
            "copied": job.folder is not None,
            "uid": uid,
            "keep": job.keep,
            "returned": limits.returned_mb << 20,
            "rlimits": {
                "RLIMIT_CORE": 0,
                "RLIMIT_CPU": int(limits.seconds) + 1,
                # Not the address space: V8 reserves far more than it uses.
                "RLIMIT_DATA": limits.memory_mb << 20,
                "RLIMIT_FSIZE": limits.file_mb << 20,
                "RLIMIT_NOFILE": limits.files,
                "RLIMIT_NPROC": limits.processes,
            },
        }
    )


def environment(job: Job) -> dict[str, str]:
    """The whole environment of the program."""
    return {
        "HOME": sandbox.FOLDER,
        "PATH": "/usr/bin:/bin",
        "TMPDIR": sandbox.TEMPORARY,
        "LANG": "C.UTF-8",
        **job.environment,
    }


def read_reply(reply: bytes, job: Job) -> tuple[int | None, Mapping[str, bytes]]:
    """Status and files of what came back; (None, {}) where it is no reply.

    Whatever ran inside may have written it: names and sizes are judged here again.
    """
    try:
        data: Any = json.loads(reply)
        status = data["status"]
        found = {str(name): base64.b64decode(data["files"][name]) for name in data["files"]}
    except (ValueError, TypeError, KeyError, RecursionError, binascii.Error):
        return None, {}
    if isinstance(status, bool) or not isinstance(status, int):
        return None, {}
    files = {name: found[name] for name in sorted(found) if sandbox.matches(name, job.keep)}
    return status, files
