"""Building: the library that DeepSpeed compiles at its first start on a CPU.

Torch's builder marks a build by a file that a kill leaves behind, and whoever comes next waits
for it without a word and without an end. So it is built before any process of a training wants
it, by one of ours at a time, and marks of builds that nobody is at are removed.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from compoworld_core.errors import CompoWorldError
from compoworld_trainer_grpo import worker

_NAME: Final = "deepspeed_shm_comm"
_BUILD: Final = (
    "from deepspeed.ops.op_builder.cpu import ShareMemCommBuilder;"
    " ShareMemCommBuilder().load(verbose=False)"
)
_MARK: Final = "lock"
"""Torch's."""
_TAIL: Final = 15


def folder() -> Path:
    """Where torch keeps the library."""
    chosen = os.environ.get("TORCH_EXTENSIONS_DIR")
    if chosen:
        return Path(chosen) / _NAME
    from torch.utils.cpp_extension import _get_build_directory

    return Path(_get_build_directory(_NAME, verbose=False))


def build(note: Callable[[str], None]) -> None:
    """Have the library there; the first time takes a minute or two.

    Raises CompoWorldError with the compiler's last lines where it cannot be built.

    Args:
        note: is told that it takes a while.
    """
    place = folder()
    place.mkdir(parents=True, exist_ok=True)
    with (place / "compoworld.lock").open("wb") as ours:
        fcntl.flock(ours, fcntl.LOCK_EX)
        (place / _MARK).unlink(missing_ok=True)
        if (place / f"{_NAME}.so").is_file():
            return
        note("compiling DeepSpeed's library for CPUs, once; this takes a minute or two")
        made = subprocess.run(  # noqa: S603  # our own interpreter
            [sys.executable, "-c", _BUILD],
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
            "DeepSpeed's library for CPUs cannot be compiled; --launcher none trains without"
            f" it. The compiler's last lines:\n{tail}"
        )
