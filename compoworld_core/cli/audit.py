"""``compoworld tasks audit``: the verifier measured as a classifier of outcomes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from compoworld_core.cli import output
from compoworld_core.cli.options import load_executor
from compoworld_core.cli.progress import Progress
from compoworld_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from compoworld_core.audit.tally import Audit
    from compoworld_core.run import Run

_SHOWN = 20
"""Misjudged outcomes that are listed one by one; `--json` has all."""


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option("--draws", default=1, show_default=True, help="Outcomes of each kind for a task.")
@click.option("--seed", default=0, show_default=True, help="Draws the places of the mutations.")
@click.option("--workers", default=1, show_default=True, help="Tasks at a time.")
@click.option("--executor", default="local", show_default=True, help="Who spreads the tasks.")
@output.json_option
@click.pass_context
def audit(
    ctx: click.Context,
    path: Path,
    draws: int,
    seed: int,
    workers: int,
    executor: str,
    as_json: bool,
) -> None:
    """Judge mutated outcomes: wrong ones must fail, equivalent ones must pass.

    Exit 1 where one is misjudged. Kinds that a task offers no place for are skipped and
    counted by reason.
    """
    from compoworld_core.audit.tally import Audit, audit_line
    from compoworld_core.run import Run

    if draws < 1:
        raise UsageError(f"--draws is {draws}; give at least 1")
    run = Run.open(path)
    function = partial(audit_line, str(run.path.resolve()), draws=draws, seed=seed)
    spread = load_executor(executor, workers)
    lines = _proven(run)
    results = map(function, lines) if spread is None else spread.map(
        function, lines, workers=workers
    )  # fmt: skip
    found = Audit()
    progress = Progress()
    try:
        for row in results:
            found.add(row["task"], row["outcomes"])
            progress.say(f"{found.tasks} tasks, {len(found.misjudged)} outcomes misjudged")
    finally:
        progress.end()
    if not found.tasks:
        raise UsageError(
            f"{run.path} holds no proven tasks; make some: compoworld tasks generate"
        )
    seconds = round(progress.seconds, 3)
    if as_json:
        output.json_document(found.document(seconds))
    else:
        _show(found, seconds)
    if found.misjudged:
        ctx.exit(1)


def _proven(run: Run) -> Iterator[str]:
    """The lines of the proven tasks; a replay-only one has no reference to mutate."""
    from compoworld_core.lines import to_line

    return (to_line(task) for task in run.tasks() if task.certificate.kind == "proven")


def _show(found: Audit, seconds: float) -> None:
    rows = [
        [side, kind, made, right, made - right or "", sum(found.skipped.get(kind, {}).values())]
        for side, kinds in found.counts.items()
        for kind, (made, right) in kinds.items()
    ]
    heads = ("OUTCOME", "KIND", "OUTCOMES", "JUDGED RIGHT", "MISJUDGED", "SKIPPED")
    output.table(heads, rows)
    output.line()
    for kind, reasons in sorted(found.skipped.items()):
        for why, count in sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])):
            output.line(f"skipped {kind}: {count} × {why}")
    output.line()
    for row in found.misjudged[:_SHOWN]:
        output.line(f"{row['task']}  misjudged: {row['kind']}")
    short = found.short()
    if short:
        listed = ", ".join(f"{kind} {n}" for kind, n in short.items())
        output.line(f"Kinds with fewer than 20 outcomes for 100 tasks: {listed}")
    if found.thin:
        output.line(
            f"Tasks with fewer than 8 wrong or 4 equivalent outcomes: {len(found.thin)}"
        )
    output.line(
        f"{output.counted(found.tasks, 'task')}: {found.rate('wrong'):.2%} of wrong outcomes"
        f" rejected, {found.rate('equivalent'):.2%} of equivalent ones accepted"
        f"  ({seconds:.1f} s)"
    )
