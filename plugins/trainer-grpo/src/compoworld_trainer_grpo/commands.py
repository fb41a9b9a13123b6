"""``compoworld train sft`` and ``compoworld train grpo``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from compoworld_core.cli import output
from compoworld_core.cli.options import named_values
from compoworld_core.cli.progress import Progress
from compoworld_core.errors import UsageError
from compoworld_trainer_grpo import configuration
from compoworld_trainer_grpo.settings import GrpoSettings, SftSettings

if TYPE_CHECKING:
    from compoworld_trainer_grpo.runs import TrainingRun

Command = TypeVar("Command", bound=Callable[..., Any])

_FOLDER = click.Path(path_type=Path, file_okay=False)
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)

_SHOWN = ("loss", "reward", "success", "uniform", "eval_loss")
"""Figures that the progress line has room for."""


_PRESETS = ", ".join(configuration.known_presets())

_SHARED = (
    click.option("--model", help="tiny, smollm2, a folder, a training run, or a hub name."),
    click.option("--adapter", type=_FOLDER, help="An adapter that the model starts from."),
    click.option("--lora", type=int, metavar="RANK", help="Train an adapter; 0 trains all."),
    click.option(
        "--preset", "presets", multiple=True, metavar="NAME",
        help=f"Settings to start from, later over earlier: {_PRESETS}.",
    ),
    click.option("--config", type=_FILE, help="TOML with tables all, sft, grpo."),
    click.option(
        "--set", "values", multiple=True, callback=named_values, metavar="NAME=VALUE",
        help="Any setting, by its dotted name: learning_rate=1e-4, launch.offload=all.",
    ),
    click.option("--seed", type=int, help="Same seed, same curve."),
    click.option("--learning-rate", type=float, help="By default the recipe's."),
    click.option(
        "--launcher", type=click.Choice(["accelerate", "none"]),
        help="accelerate starts DeepSpeed (the default); none trains in this process.",
    ),
    click.option("--processes", type=int, help="Over all machines."),
    click.option("--zero", type=click.IntRange(1, 3), help="DeepSpeed's stage."),
    click.option(
        "--out", required=True, type=_FOLDER,
        help="The run folder; a training that was cut off goes on.",
    ),
    click.option("--dry-run", is_flag=True, help="Say what would be done, and stop."),
    output.json_option,
)  # fmt: skip


def shared(command: Command) -> Command:
    """The options that both trainers have."""
    for option in reversed(_SHARED):
        command = option(command)
    return command


@click.command()
@click.argument("data", nargs=-1, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--epochs", type=float, help="Times that the data is gone over.")
@click.option("--batch", type=int, help="Rows of an optimiser step, over all processes.")
@shared
@click.pass_context
def sft(ctx: click.Context, /, data: tuple[Path, ...], **given: Any) -> dict[str, Any]:
    """Fine-tune a model on exported trajectories, with loss on the assistant's tokens alone.

    FILE... are files of `compoworld export sft`. Exit 1 where training failed or was ended.
    """
    options = {**_options(given), "epochs": given["epochs"], "batch": given["batch"]}
    options["data"] = [str(path) for path in data] or None
    return _train(ctx, _settings(SftSettings, given, options, "FILE..."), given)


@click.command()
@click.option(
    "--tasks", multiple=True, type=_FOLDER, help="A run with tasks; several are fine."
)
@click.option("--steps", type=int, help="Generation batches; by default the tasks, once.")
@click.option("--rollouts", type=int, help="N: rollouts of a task, from forks of one s0.")
@click.option("--tasks-per-step", type=int, help="Tasks of a generation batch.")
@click.option("--reward", help="Who scores a group: compoworld plugins list.")
@click.option(
    "--scale", type=click.Choice(["none", "f-grpo"]), help="A factor on a group's advantages."
)
@shared
@click.pass_context
def grpo(ctx: click.Context, /, **given: Any) -> dict[str, Any]:
    """Train a policy by GRPO: groups of rollouts through the four meta-tools, rubric rewards.

    Exit 1 where training failed or was ended.
    """
    named = ("steps", "rollouts", "tasks_per_step", "reward", "scale")
    options = {**_options(given), **{name: given[name] for name in named}}
    options["tasks"] = [str(path) for path in given["tasks"]] or None
    return _train(ctx, _settings(GrpoSettings, given, options, "--tasks RUN"), given)


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The shared options by the dotted names of settings."""
    found = {name: given[name] for name in ("model", "seed", "learning_rate")}
    found["adapter"] = None if given["adapter"] is None else str(given["adapter"])
    for name in ("launcher", "processes", "zero"):
        found[f"launch.{name}"] = given[name]
    return found


def _settings(
    kind: type[configuration.Kind],
    given: Mapping[str, Any],
    options: Mapping[str, Any],
    inputs: str,
) -> configuration.Kind:
    values = dict(given["values"])
    if given["lora"]:
        values["lora.rank"] = given["lora"]
    elif given["lora"] == 0:
        values["lora"] = None
    name = "data" if "data" in options else "tasks"
    if options[name] is None and name not in values and given["config"] is None:
        raise UsageError(f"nothing to train on; give {inputs}")
    return configuration.settings(
        kind, presets=given["presets"], file=given["config"], values=values, options=options
    )


def _train(
    ctx: click.Context, settings: SftSettings | GrpoSettings, given: Mapping[str, Any]
) -> dict[str, Any]:
    from compoworld_trainer_grpo import launch, rehearsal
    from compoworld_trainer_grpo.runs import TrainingRun

    launch.check_launch(settings.launch)
    if given["dry_run"]:
        plan = rehearsal.plan(settings, given["out"])
        if given["as_json"]:
            output.json_document(plan)
        else:
            for line in rehearsal.lines(plan):
                output.line(line)
        return plan
    missing = launch.missing_stack()
    if missing:
        raise UsageError(
            f"training needs {', '.join(missing)}, not installed here; install the extra:"
            " pip install 'compoworld[train]'"
        )
    why = rehearsal.missing(settings)
    if why:  # before there is a folder, which would hold the mistake
        raise UsageError(why)
    settings, note = launch.launchable(settings)
    if note:
        output.note(note)
    run = TrainingRun.start(given["out"], settings)
    resumed = run.steps()
    ended = run.ended() if run.finished else None
    progress = Progress(quiet=given["as_json"])
    if ended is not None:
        output.note("this training has finished already; nothing was done")
    else:
        if resumed:
            output.note(f"going on after step {resumed[-1]}")
        try:
            ended = launch.launch(run, lambda line: progress.say(_standing(line)), output.note)
        finally:
            progress.end()
    return _finish(ctx, run, ended, given["as_json"])


def _standing(line: Mapping[str, Any]) -> str:
    shown = [f"{name} {line[name]:.4f}" for name in _SHOWN if isinstance(line.get(name), float)]
    return "  ".join([f"step {line['step']}", *shown])


def _remarks(run: TrainingRun) -> Iterator[str]:
    """What a finished training did not learn from, and what its services cost."""
    lines = list(run.run.metrics())
    for line in lines:
        if line.get("kind") == "data" and line["dropped_rows"]:
            yield (
                f"{line['dropped_rows']:.0f} rows are longer than max_length and were left out;"
                f" {line['rows']:.0f} were not"
            )
    batches = [line for line in lines if line.get("kind") == "train" and "success" in line]
    if batches:
        idle = sum(line["zero_signal_left"] == 1 for line in batches)
        last = batches[-1]
        yield (
            f"last batch: success {last['success']:.3f}, reward {last['reward']:.3f}; {idle} of"
            f" {len(batches)} batches had no signal"
        )
        if idle == len(batches):
            yield (
                "nothing was learnt: the rollouts of each task earned the same; start from a"
                " model that does some of the tasks, or make easier ones"
            )
    costs = [line for line in lines if line.get("kind") == "summary"]
    if costs:
        cost = costs[-1]
        yield (
            f"services took {cost['environment_share']:.1%} of the time:"
            f" {cost['environment_seconds']:.1f} of {cost['seconds']:.1f} seconds"
        )


def _finish(
    ctx: click.Context, run: TrainingRun, ended: Mapping[str, Any], as_json: bool
) -> dict[str, Any]:
    """Say how a training ended, and what somebody would otherwise not notice."""
    best = run.best()
    chosen: dict[str, Any] | None = None
    value = ""
    if best is not None:
        path = str(run.checkpoint(best.step))
        chosen = {"step": best.step, best.metric: best.value, "path": path}
        value = f" ({best.metric} {best.value:.4f}, step {best.step})"
    figures: dict[str, Any] = {**ended, "best": chosen, "out": str(run.path)}
    if ended["outcome"] == "finished":
        figures["model"] = str(run.model)
    if as_json:
        output.json_document(figures)
    elif ended["outcome"] == "finished":
        output.line(f"trained to step {ended['step']}; the model: {run.model}")
        for text in _remarks(run):
            output.note(text)
        if chosen is not None:
            output.note(f"the best checkpoint{value}: {chosen['path']}")
    if ended["outcome"] != "finished":
        output.error(f"training {ended['outcome']}: {ended['message']}")
        if chosen is not None:
            output.note(f"the best so far is kept{value}: {chosen['path']}")
        ctx.exit(1)
    return figures
