"""What the command line writes: the only module that prints."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """The ``--json`` switch that every command has, as the argument ``as_json``."""
    option = click.option(
        "--json", "as_json", is_flag=True, help="Write one JSON document to standard output."
    )
    return option(command)


def line(text: str = "") -> None:
    """Write a line to standard output."""
    click.echo(text)


def note(text: str) -> None:
    """Write a line to standard error: progress, hints, what is not the answer."""
    click.echo(text, err=True)


def error(text: str) -> None:
    """Write what went wrong to standard error."""
    click.echo(f"Error: {text}", err=True)


def json_document(data: object) -> None:
    """Write one JSON document to standard output."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))


def table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write rows in aligned columns; numbers to the right, the last column ragged."""
    cells = [[str(cell) for cell in row] for row in rows]
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


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 service``, ``2 services``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
