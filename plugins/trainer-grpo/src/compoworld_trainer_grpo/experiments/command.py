"""``compoworld experiment``: the demo and the paper's comparisons, end to end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import evolve

from compoworld_core.cli import output
from compoworld_core.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from compoworld_trainer_grpo.experiments.lab import Lab
    from compoworld_trainer_grpo.experiments.record import Record

_LISTED = {
    "demo": "SFT, then GRPO, on composed tasks of reduced size, in minutes; one seed",
    "learn": "the same with three seeds in half an hour; exit 1 where GRPO does not add 0.15",
    "composed": "training on compositions against single services, tested on compositions",
    "growth": "growing numbers of demonstrations, each of another set of services",
    "rewards": "completion-focused against uniform, binary and f-grpo from one start",
    "lengths": "services and visits of training against those of the test",
}
"""Experiment → what it shows."""


@click.command()
@click.argument("name", required=False)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False),
    help="The folder for everything; what is there already is reused.",
)  # fmt: skip
@click.option("--seeds", type=click.IntRange(1), help="Instead of as many as it says.")
@click.option(
    "--preset", default="tiny-cpu", show_default=True,
    help="Of a comparison: which model is trained, and where.",
)  # fmt: skip
@click.option("--scale", type=float, default=1.0, show_default=True, help="Of its sizes.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Processes that generate.  [one for each processor]",
)
@output.json_option
@click.pass_context
def experiment(
    ctx: click.Context,
    /,
    name: str | None,
    out: Path | None,
    seeds: int | None,
    preset: str,
    scale: float,
    workers: int | None,
    as_json: bool,
) -> None:
    """Run the experiment NAME; without a name, list them.

    Exit 1 where a claim that the experiment is judged by does not hold.
    """
    from compoworld_core.registry import closest

    if name is None:
        if as_json:
            output.json_document({"experiments": _LISTED})
        else:
            output.table(("EXPERIMENT", "WHAT IT SHOWS"), [[n, t] for n, t in _LISTED.items()])
        return
    if name not in _LISTED:
        known = ", ".join(_LISTED)
        raise UnknownName("experiment", name, closest(name, _LISTED), known)
    if out is None:
        raise click.UsageError("Missing option '--out'.")
    if not 0 < scale <= 100:
        raise UsageError(f"--scale is {scale}; give a number above 0, up to 100, such as 0.5")
    from compoworld_trainer_grpo.configuration import shared
    from compoworld_trainer_grpo.experiments.lab import Lab

    def say(text: str) -> None:
        if not as_json:
            output.note(text)

    # before torch is imported: with a process for each seed, two spinning threads in each
    # would slow all of them down on few processors
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    run = _runner(name, seeds, scale, preset)
    workers = workers or min(os.cpu_count() or 1, 8)
    lab = Lab(out, say, workers=workers, base=shared(preset))
    record = run(lab)
    data = _keep(lab, record)
    if as_json:
        output.json_document(data)
    else:
        _page(record, out)
    judged = name == "learn"
    if judged and not all(claim.holds for claim in record.claims):
        ctx.exit(1)


def _runner(name: str, seeds: int | None, scale: float, preset: str) -> Callable[[Lab], Record]:
    """The experiment of a name, at a size."""
    from compoworld_trainer_grpo.configuration import shared

    if name in ("demo", "learn"):
        shared(preset)  # or there is none of that name
        if preset != "tiny-cpu":
            raise UsageError(
                f"{name} trains the model tiny; --preset {preset} goes with the comparisons:"
                f" {', '.join(each for each in _LISTED if each not in ('demo', 'learn'))}"
            )
        from compoworld_trainer_grpo.experiments import demo

        size = demo.QUICK if name == "demo" else demo.LEARN
        size = evolve(size.scaled(scale), seeds=seeds or size.seeds)
        return lambda lab: demo.run(lab, size, name)
    from compoworld_trainer_grpo.experiments.comparisons import runner

    return runner(name, seeds, scale, preset)


def _keep(lab: Lab, record: Record) -> dict[str, Any]:
    """Write the record into a run folder, and the page about it."""
    from compoworld_core.cli.extension import load_command
    from compoworld_core.run import Run
    from compoworld_trainer_grpo.experiments.lab import keep

    data = record.data()
    folder = lab.path / "result"
    Run.start(folder, {"command": "experiment", "name": record.name}, {})
    keep(folder / "experiment.json", data)
    runs = [
        folder,
        *sorted(p.parent for p in lab.path.glob("*/run.toml") if p.parent != folder),
    ]
    runs += sorted(p.parent for p in lab.path.glob("seed*/*/run.toml"))
    arguments = [*map(str, runs), "--title", record.title, "--tasks", "12", "--quiet"]
    load_command("report html").main(
        [*arguments, "--out", str(lab.path / "report.html")], standalone_mode=False
    )
    return data


def _page(record: Record, out: Path) -> None:
    from compoworld_trainer_grpo.experiments.record import table

    output.line(record.question)
    output.line()
    output.table(*table(record))
    output.line()
    for claim in record.claims:
        output.line(f"{'yes' if claim.holds else 'NO '}  {claim.text}: {claim.value:+.3f}")
    for note in record.notes:
        output.line(f"  {note}")
    output.line(f"Curves, tasks and rollouts: {out / 'report.html'}")
