"""``compoworld export sft``: the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from compoworld_core.cli import output
from compoworld_core.run import Run
from compoworld_export_sft.export import Arguments, Choice, export

_EXISTING = click.Path(path_type=Path, exists=True)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=_EXISTING, metavar="RUN...")
@click.option("--tasks", multiple=True, type=_EXISTING, help="A run that holds the tasks.")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, dir_okay=False),
    help="The JSONL file; it is replaced.",
)  # fmt: skip
@click.option(
    "--only-success/--all", default=True, show_default=True,
    help="Only trajectories in which all criteria and gates hold.",
)  # fmt: skip
@click.option("--replay-only", is_flag=True, help="Take tasks without a full proof too.")
@click.option(
    "--arguments", type=click.Choice(["text", "object"]), default="text", show_default=True,
    help="A call's arguments as JSON text or as an object.",
)  # fmt: skip
@click.option("--quiet", is_flag=True, help="Say nothing.")
@output.json_option
@click.pass_context
def sft(
    ctx: click.Context,
    /,
    runs: tuple[Path, ...],
    tasks: tuple[Path, ...],
    out: Path,
    only_success: bool,
    replay_only: bool,
    arguments: Arguments,
    quiet: bool,
    as_json: bool,
) -> dict[str, Any]:
    """Write the trajectories of RUN... as chat messages with tool calls and tools, a row each.

    Exit 1 where no trajectory was taken.
    """
    choice = Choice(only_success, replay_only, arguments)
    tally = export(
        [Run.open(path) for path in runs], out, choice, [Run.open(path) for path in tasks]
    )
    left_out = dict(sorted(tally.left_out.items()))
    figures: dict[str, Any] = {"rows": tally.rows, "left_out": left_out, "out": str(out)}
    if as_json:
        output.json_document(figures)
    elif not quiet:
        output.line(f"{output.counted(tally.rows, 'row')} in {out}")
        for why, count in left_out.items():
            output.line(f"  {count} left out: {why}")
    if tally.unknown_tasks and not replay_only and not quiet:
        output.note(
            f"{output.counted(tally.unknown_tasks, 'row')} of tasks that are in none of the"
            " runs; to leave out those without a full proof, give --tasks RUN"
        )
    if not tally.rows:
        output.note("no trajectory was taken; --all takes those that failed, too")
        ctx.exit(1)
    return figures
