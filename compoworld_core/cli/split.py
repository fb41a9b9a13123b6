"""``compoworld tasks split``: train, validation and test, with something held out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from compoworld_core.cli import output
from compoworld_core.errors import UsageError

_BYS = ("services", "compositions", "patterns", "length")


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--by",
    required=True,
    type=click.Choice(_BYS),
    help="What train tasks never have.",
)
@click.option("--train", default=0.8, show_default=True, help="Share of the tasks, about.")
@click.option("--validation", default=0.1, show_default=True, help="The same; 0 for none.")
@click.option("--test", default=0.1, show_default=True, help="The same.")
@click.option("--seed", default=0, show_default=True, help="Draws what is held out.")
@click.option(
    "--hold", metavar="A,B", default="",
    help="Held out for test: services, patterns, compositions (a+b), or the least length.",
)  # fmt: skip
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the three run folders and split.json.",
)  # fmt: skip
@output.json_option
@click.pass_context
def split(ctx: click.Context, /, path: Path, out: Path, as_json: bool, **given: Any) -> None:
    """Split the tasks of a run into train, validation and test, proven to be disjoint.

    Tasks that would mix what is held out with what is not are dropped and counted.
    """
    from compoworld_core import holdout, splits
    from compoworld_core.run import Run

    wanted = holdout.Wanted(
        by=given["by"],
        shares={name: given[name] for name in splits.NAMES},
        seed=given["seed"],
        hold=tuple(name.strip() for name in given["hold"].split(",") if name.strip()),
    )
    run = Run.open(path)
    rows_of = [splits.row_of(task) for task in run.tasks()]
    if not rows_of:
        raise UsageError(f"{run.path} holds no tasks; make some: compoworld tasks generate")
    found = holdout.split(rows_of, wanted)
    configuration = {"shares": wanted.shares, "seed": wanted.seed, "hold": wanted.hold}
    record = splits.write(run, out, found, configuration)
    if as_json:
        output.json_document(record | {"out": str(out)})
    else:
        rows = [
            [name, count, ", ".join(record["held"].get(name, ()))[:60]]
            for name, count in record["counts"].items()
        ]
        output.table(("SPLIT", "TASKS", "HELD"), rows)
        for why, count in record["dropped"].items():
            output.line(f"dropped {count}: {why}")
        if record["exposed"]:
            counted = output.counted(record["exposed"], "task")
            output.line(f"{counted} with another split's services among the distractors")
        compared = ", ".join(f"{n} {name}" for name, n in record["proof"]["checked"].items())
        held = "holds" if record["proof"]["holds"] else "FAILS"
        output.line(f"proof from the folders alone: {held} ({compared} compared)")
        for violation in record["proof"]["violations"][:20]:
            output.line(f"  {violation}")
    if not record["proof"]["holds"]:
        ctx.exit(1)
