"""The first program inside a sandbox: gives up rights, runs the job, sends files back.

Runs on a bare interpreter (``-I -S``), so it imports the standard library only. Its one
argument is a JSON object, see :func:`main`. The job's output goes to standard error; standard
output carries one JSON object: ``{"status": …, "files": {path: base64}}``.
"""

from __future__ import annotations

import base64
import fnmatch
import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COPIED = "/run/in"
"""Where the host's copy of the job's folder is mounted."""


def main(spec: dict[str, Any]) -> int:
    """Run the job that a spec describes.

    Args:
        spec: argv, folder, copied (is there anything at COPIED?), uid (0 keeps the present
            one), keep (patterns), returned (bytes), rlimits ({name: value}).
    """
    reply = os.fdopen(os.dup(1), "w")
    os.set_inheritable(reply.fileno(), False)
    give_up_rights(spec["uid"])
    for name, value in spec["rlimits"].items():
        limit(getattr(resource, name), value)
    if spec["copied"]:
        copy(Path(COPIED), Path(spec["folder"]))
    os.chdir(spec["folder"])
    status = play(spec["argv"])
    files = dict(kept(Path(spec["folder"]), spec["keep"], spec["returned"]))
    json.dump({"status": status, "files": files}, reply)
    reply.flush()
    return 0


def give_up_rights(uid: int) -> None:
    """Become a user without rights on the host; with the user id go all capabilities."""
    if uid:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)


def copy(source: Path, target: Path) -> None:
    """Copy the host's files into the job's folder, which belongs to another user."""
    for entry in source.iterdir():
        if entry.is_dir():
            shutil.copytree(entry, target / entry.name)
        else:
            shutil.copy(entry, target / entry.name)


def limit(what: int, value: int) -> None:
    """Set a limit for good; a lower one of the host stays."""
    hard = resource.getrlimit(what)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(what, (value, value))


def play(argv: list[str]) -> int:
    """Run the program to its end, then kill what it has left running."""
    try:
        program = subprocess.Popen(  # noqa: S603  # running what the job says is the purpose
            argv, stdin=subprocess.DEVNULL, stdout=2, stderr=2
        )
    except OSError as error:
        sys.stderr.write(f"{argv[0]} does not start: {error}\n")
        return 127
    status = program.wait()
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        return status  # nothing else runs
    return status


def kept(folder: Path, patterns: list[str], most: int) -> Iterator[tuple[str, str]]:
    """Regular files that a pattern matches, as base64, as long as they fit."""
    for path in sorted(walked(folder)):
        name = path.relative_to(folder).as_posix()
        if not any(fits(name, pattern) for pattern in patterns):
            continue
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            held = os.fstat(handle)
            if not stat.S_ISREG(held.st_mode) or held.st_size > most:
                continue
            content = file.read(most + 1)
        most -= len(content)
        if most < 0:
            return
        yield name, base64.b64encode(content).decode()


def walked(folder: Path) -> Iterator[Path]:
    """All files below, no link being followed."""
    for place, _folders, names in os.walk(folder, followlinks=False):
        for name in names:
            path = Path(place, name)
            if not path.is_symlink():
                yield path


def fits(name: str, pattern: str) -> bool:
    """Whether a pattern matches a path, part by part; the host judges again by its own."""
    parts, wanted = name.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
