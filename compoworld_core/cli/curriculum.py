"""``compoworld tasks curriculum``: a run's tasks from easy to hard."""

from __future__ import annotations

from pathlib import Path

import click

from compoworld_core.cli import output, ranges


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--difficulty", callback=ranges.scores, metavar="LOW:HIGH", help="Only tasks of these."
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False),
    help="The run folder; a half-written one goes on.",
)  # fmt: skip
@output.json_option
def curriculum(
    path: Path, difficulty: tuple[float, float] | None, out: Path, as_json: bool
) -> None:
    """Write the tasks of a run into a run folder of their own, ordered by difficulty score."""
    from compoworld_core import excerpt
    from compoworld_core.difficulty import score_of
    from compoworld_core.errors import UsageError
    from compoworld_core.run import Run

    run = Run.open(path)
    low, high = difficulty or (0.0, 1.0)
    scored = sorted((score_of(task), n, task.id) for n, task in enumerate(run.tasks()))
    chosen = [(score, name) for score, _, name in scored if low <= score <= high]
    if not scored:
        raise UsageError(f"{run.path} holds no tasks; make some: compoworld tasks generate")
    if not chosen:
        raise UsageError(
            f"{run.path} holds scores from {scored[0][0]:.2f} to {scored[-1][0]:.2f}, none from"
            f" {low} to {high}; choose another --difficulty"
        )
    configuration = {
        "command": "curriculum", "source": excerpt.origin(run), "difficulty": difficulty
    }  # fmt: skip
    excerpt.write(run, out, configuration, [name for _, name in chosen])
    figures = {
        "tasks": len(chosen), "easiest": chosen[0][0], "hardest": chosen[-1][0], "out": str(out)
    }  # fmt: skip
    if as_json:
        output.json_document(figures)
        return
    counted = output.counted(len(chosen), "task")
    output.line(f"{counted}, scores {chosen[0][0]:.2f} to {chosen[-1][0]:.2f}, in {out}")
