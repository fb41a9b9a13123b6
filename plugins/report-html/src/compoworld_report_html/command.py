"""``compoworld report html``: the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from compoworld_core.cli import output
from compoworld_core.errors import UsageError
from compoworld_core.run import Run
from compoworld_report_html.collection import collect
from compoworld_report_html.page import write_report


@click.command()
@click.argument(
    "runs", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True),
    metavar="RUN...",
)  # fmt: skip
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, dir_okay=False),
    help="The HTML file; it is replaced.",
)  # fmt: skip
@click.option("--title", default="CompoWorld run", show_default=True, help="Of the page.")
@click.option("--tasks", default=40, show_default=True, help="Tasks that are shown.")
@click.option(
    "--per-outcome", default=1, show_default=True,
    help="Rollouts of a task that are shown step by step, for each policy and outcome.",
)  # fmt: skip
@click.option("--quiet", is_flag=True, help="Say nothing.")
@output.json_option
def html(
    runs: tuple[Path, ...],
    out: Path,
    title: str,
    tasks: int,
    per_outcome: int,
    quiet: bool,
    as_json: bool,
) -> dict[str, Any]:
    """Write tasks, proofs and rollouts of RUN... as one page that opens anywhere."""
    for name, value in (("--tasks", tasks), ("--per-outcome", per_outcome)):
        if value < 0:
            raise UsageError(f"{name} is {value}; give 0 or more")
    found = collect(
        [Run.open(path) for path in runs], most_tasks=tasks, per_outcome=per_outcome
    )
    size = write_report(found, out, title)
    figures: dict[str, Any] = {
        "tasks": found.total_tasks,
        "shown": len(found.tasks),
        "rollouts": sum(series.total.rollouts for series in found.series),
        "bytes": size,
        "out": str(out),
    }
    if as_json:
        output.json_document(figures)
    elif not quiet:
        output.line(f"{out}  ({size / 1e6:.1f} MB): open it in any browser")
    return figures
