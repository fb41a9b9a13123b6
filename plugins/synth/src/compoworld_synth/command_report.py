"""``compoworld synth report``, ``figures`` and ``sample``."""

from __future__ import annotations

from pathlib import Path

import click

from compoworld_core.cli import output
from compoworld_core.errors import UsageError


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
@click.option("--keep", type=click.Path(path_type=Path), help="A new folder for the packages.")
@output.json_option
def figures(path: Path, unchecked: bool, keep: Path | None, as_json: bool) -> None:
    """Import every listing in a folder and count: by server, by domain and in all."""
    from compoworld_synth.figures import KEYS, of_folder, totals

    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise UsageError(f"{keep} is not empty; name a new folder for --keep")
    rows = list(of_folder(path, checked=not unchecked, keep=keep))
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


@click.command()
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--n", "count", default=150, show_default=True, help="How many tools.")
@click.option("--seed", default=0, show_default=True, help="Which tools.")
@click.option("--out", type=click.Path(path_type=Path), help="A new folder of texts.")
@click.option("--per", default=30, show_default=True, help="Tools in one text of --out.")
def sample(path: Path, count: int, seed: int, out: Path | None, per: int) -> None:
    """Draw deterministic tools of imports below PATH, with description, schema and code.

    For a reader who judges whether the code does what the description says. Make the imports
    with `compoworld synth figures FOLDER --keep PATH`.
    """
    from compoworld_synth.sample import markdown, pick

    picked = pick(path, count, seed)
    if out is None:
        output.line(markdown(picked))
        return
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty; name a new folder for --out")
    out.mkdir(parents=True, exist_ok=True)
    for number, start in enumerate(range(0, len(picked), max(1, per)), 1):
        text = markdown(picked[start : start + per], start + 1)
        (out / f"{number:02}.md").write_text(text, encoding="utf-8")
    output.line(f"{len(picked)} tools in {out}")
