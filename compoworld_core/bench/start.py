"""Start: how long a command takes from the shell's point of view."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from compoworld_core import cards, plugins
from compoworld_core.cards import Card, ToolCard

_PROGRAM: Final = "from compoworld_core.cli import main; main()"
_PACKAGE: Final = "compoworld_bench_services"
_TOOLS: Final = 15
"""Tools of a made-up service."""


def command_ms(*arguments: str, times: int, path: Path | None = None) -> float:
    """The median time of a `compoworld` command in a process of its own.

    Args:
        arguments: the command line.
        times: how often it is run.
        path: where distributions lie that the process finds besides the installed ones.
    """
    places = [str(path)] if path is not None else []
    places += filter(None, [os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    took = []
    for _ in range(times):
        start = perf_counter()
        subprocess.run(  # noqa: S603  # this interpreter, on our own command line
            [sys.executable, "-c", _PROGRAM, *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            env=environment,
        )
        took.append(perf_counter() - start)
    return median(took) * 1e3


def listing_ms(count: int, *, times: int) -> float:
    """The time of `compoworld services list` with this many services, each with a card."""
    with TemporaryDirectory() as folder:
        _make_up(Path(folder), max(0, count - len(plugins.services())))
        return command_ms("services", "list", times=times, path=Path(folder))


def _make_up(folder: Path, count: int) -> None:
    """A distribution of services that can be listed; they hold no code."""
    tools = tuple(
        ToolCard(f"tool_{n}", "deterministic", f"Do the thing of number {n}.", n % 2 == 0)
        for n in range(_TOOLS)
    )
    names = [f"made_up_{n:03}" for n in range(count)]
    text = cards.text_of(
        [
            Card(name, "bench", "A service that is there to be listed.", tools, "")
            for name in names
        ]
    )
    package = folder / _PACKAGE
    package.mkdir()
    (package / "__init__.py").touch()
    (package / cards.FILE).write_text(text, encoding="utf-8")
    about = folder / f"{_PACKAGE}-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {_PACKAGE}\nVersion: 1\n")
    points = "".join(f"{name} = {_PACKAGE}:{name}\n" for name in names)
    (about / "entry_points.txt").write_text(f"[compoworld.services]\n{points}")
