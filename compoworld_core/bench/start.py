"""Start: how long a command takes from the shell's point of view."""

from __future__ import annotations

import subprocess
import sys
from statistics import median
from time import perf_counter
from typing import Final

_PROGRAM: Final = "from compoworld_core.cli import main; main()"


def command_ms(*arguments: str, times: int) -> float:
    """The median time of a `compoworld` command in a process of its own."""
    took = []
    for _ in range(times):
        start = perf_counter()
        subprocess.run(  # noqa: S603  # this interpreter, on our own command line
            [sys.executable, "-c", _PROGRAM, *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        took.append(perf_counter() - start)
    return median(took) * 1e3
