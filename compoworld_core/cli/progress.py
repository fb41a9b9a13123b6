"""A line on standard error that says how far a long command is."""

from __future__ import annotations

import sys
import time

import click
from attrs import define, field

_EVERY_TERMINAL = 0.1
_EVERY_LOG = 10.0


@define
class Progress:
    """Rewrites one line on a terminal; elsewhere adds a line now and then."""

    quiet: bool = False
    _shown: float = 0.0
    _width: int = 0
    _started: float = field(factory=time.monotonic)

    def say(self, text: str) -> None:
        """Show where the work stands; calls in quick succession are left out."""
        if self.quiet:
            return
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if now - self._shown < (_EVERY_TERMINAL if terminal else _EVERY_LOG):
            return
        if not terminal and not self._shown:
            self._shown = now  # the first line of a log comes when there is something to tell
            return
        self._shown = now
        if terminal:
            click.echo(f"\r{text[:100].ljust(self._width)}", err=True, nl=False)
            self._width = min(len(text), 100)
        else:
            click.echo(text, err=True)

    def end(self) -> None:
        """Leave the line, so that what follows starts a new one."""
        if self._width:
            click.echo(f"\r{' ' * self._width}\r", err=True, nl=False)
            self._width = 0

    @property
    def seconds(self) -> float:
        """How long it took so far."""
        return time.monotonic() - self._started


def bar(part: int, whole: int, width: int = 20) -> str:
    """`[#####     ]`."""
    done = width if not whole else min(width, width * part // whole)
    return f"[{'#' * done}{' ' * (width - done)}]"
