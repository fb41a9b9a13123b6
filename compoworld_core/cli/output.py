"""What the command line writes: the only module that prints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """The ``--json`` switch that every command has, as the argument ``as_json``."""
    option = click.option(
        "--json", "as_json", is_flag=True, help="Write one JSON document to standard output."
    )
    return option(command)


_UNSHOWN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What a terminal obeys instead of showing: control characters, directions, halves of pairs."""


def visible(text: str) -> str:
    """The text with `\\u001b` and the like for what a terminal would obey; JSON stays JSON."""
    return _UNSHOWN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def line(text: str = "") -> None:
    """Write a line to standard output."""
    click.echo(visible(text))


def note(text: str) -> None:
    """Write a line to standard error: progress, hints, what is not the answer."""
    click.echo(visible(text), err=True)


def error(text: str) -> None:
    """Write what went wrong to standard error."""
    click.echo(f"Error: {visible(text)}", err=True)


def json_document(data: object) -> None:
    """Write one JSON document to standard output."""
    click.echo(visible(json.dumps(data, indent=2, ensure_ascii=False)))


def table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write rows in aligned columns; numbers to the right, the last column ragged.

    A cell is one line whatever it holds: a stranger's text cannot make rows of its own.
    """
    cells = [[_cell(visible(str(cell))) for cell in row] for row in rows]
    widths = [
        max(len(header), *(len(row[i]) for row in cells)) if cells else len(header)
        for i, header in enumerate(headers)
    ]
    numeric = [
        bool(rows) and all(isinstance(row[i], int | float) for row in rows)
        for i in range(len(headers))
    ]
    for row in [list(headers), *cells]:
        columns = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        click.echo("  ".join(columns).rstrip())


def _cell(text: str) -> str:
    return text.replace("\n", "\\n").replace("\t", "\\t")


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 service``, ``2 services``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
