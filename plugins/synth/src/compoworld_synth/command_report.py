"""``compoworld synth report`` and ``compoworld synth figures``."""

from __future__ import annotations

from pathlib import Path

import click

from compoworld_core.cli import output


@click.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@output.json_option
def report(path: Path, as_json: bool) -> None:
    """Say of each tool of an import what it is, and why."""
    from compoworld_synth.report import KEYS, rows

    found = rows(path)
    if as_json:
        output.json_document({"tools": found})
        return
    cells = [
        [", ".join(v) if isinstance(v := row[key], list) else v for key in KEYS]
        for row in found
    ]
    output.table([key.upper() for key in KEYS], cells)


@click.command()
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--unchecked", is_flag=True, help="Do not run what was emitted.")
@output.json_option
def figures(path: Path, unchecked: bool, as_json: bool) -> None:
    """Import every listing in a folder and count: by server, by domain and in all."""
    from compoworld_synth.figures import KEYS, of_folder, totals

    rows = list(of_folder(path, checked=not unchecked))
    sums = {"servers": rows, "domains": totals(rows, "domain"), "totals": totals(rows)}
    if as_json:
        output.json_document(sums)
        return
    output.table([key.upper() for key in KEYS], [[row[key] for key in KEYS] for row in rows])
    for name in ("domains", "totals"):
        table = sums[name]
        if table:
            output.line("")
            output.table([k.upper() for k in table[0]], [list(row.values()) for row in table])
