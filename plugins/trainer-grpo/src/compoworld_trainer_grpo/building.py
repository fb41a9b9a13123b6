"""Building: the libraries that DeepSpeed compiles where they are first used.

Torch's builder marks a build by a file that a kill leaves behind, and whoever comes next waits
for it without a word and without an end. So each is built before any process of a training
wants it, by one of ours at a time, and marks of builds that nobody is at are removed.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from attrs import frozen

from compoworld_core.errors import CompoWorldError
from compoworld_trainer_grpo import worker


@frozen
class Library:
    """One of DeepSpeed's, and how to do without it."""

    name: str
    """Torch's, of the folder and the file."""
    builder: str
    """DeepSpeed's."""
    what: str
    without: str


COMMUNICATION: Final = Library(
    "deepspeed_shm_comm",
    "ShareMemCommBuilder",
    "DeepSpeed's library for CPUs",
    "--launcher none",
)
ADAM: Final = Library(
    "cpu_adam",
    "CPUAdamBuilder",
    "DeepSpeed's Adam for what is offloaded",
    "--set launch.offload=none",
)

_BUILD: Final = "from deepspeed.ops.op_builder.cpu import {0}; {0}().load(verbose=False)"
_MARK: Final = "lock"
"""Torch's."""
_TAIL: Final = 15


def folder(library: Library) -> Path:
    """Where torch keeps a library."""
    chosen = os.environ.get("TORCH_EXTENSIONS_DIR")
    if chosen:
        return Path(chosen) / library.name
    from torch.utils.cpp_extension import _get_build_directory

    return Path(_get_build_directory(library.name, verbose=False))


def build(library: Library, note: Callable[[str], None]) -> None:
    """Have the library there; the first time takes a minute or two.

    Raises CompoWorldError with the compiler's last lines where it cannot be built.

    Args:
        library: COMMUNICATION or ADAM.
        note: is told that it takes a while.
    """
    place = folder(library)
    place.mkdir(parents=True, exist_ok=True)
    with (place / "compoworld.lock").open("wb") as ours:
        fcntl.flock(ours, fcntl.LOCK_EX)
        (place / _MARK).unlink(missing_ok=True)
        if (place / f"{library.name}.so").is_file():
            return
        note(f"compiling {library.what}, once; this takes a minute or two")
        made = subprocess.run(  # noqa: S603  # our own interpreter
            [sys.executable, "-c", _BUILD.format(library.builder)],
            env={**os.environ, "DS_ACCELERATOR": "cpu"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            preexec_fn=worker.end_with_parent,  # prctl alone: no lock is taken
        )
    if made.returncode:
        tail = "\n".join((made.stdout + made.stderr).splitlines()[-_TAIL:])
        raise CompoWorldError(
            f"{library.what} cannot be compiled; {library.without} trains without it. The"
            f" compiler's last lines:\n{tail}"
        )
