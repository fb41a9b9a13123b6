"""``compoworld rollouts``: run, show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compoworld_core.cli import output, playing
from compoworld_core.cli.extension import OpenGroup
from compoworld_core.cli.options import load_executor, named_values
from compoworld_core.cli.progress import Progress, bar
from compoworld_core.cli.rollout_page import outcome, page
from compoworld_core.episode import Limits
from compoworld_core.errors import UsageError
from compoworld_core.rollout import REWARD, Job, Summary, run_rollouts
from compoworld_core.run import Run
from compoworld_core.simulation import Simulation

if TYPE_CHECKING:
    from compoworld_core.records import Trajectory


@click.group(cls=OpenGroup)
def rollouts() -> None:
    """Let a policy play tasks, and look at what it did."""


@rollouts.command("run")
@click.option(
    "--tasks", required=True, type=click.Path(path_type=Path, exists=True),
    help="The run folder whose tasks are played.",
)  # fmt: skip
@click.option("--policy", required=True, help="Who plays: compoworld plugins list.")
@click.option("--n", default=8, show_default=True, help="Rollouts of each task.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same bytes.")
@click.option("--reward", default=REWARD, show_default=True, help="Who scores a group.")
@click.option("--limit", type=int, metavar="TASKS", help="Play only the first tasks.")
@click.option(
    "--option", "options", multiple=True, callback=named_values, metavar="NAME=VALUE",
    help="An option of the policy.",
)  # fmt: skip
@click.option(
    "--reward-option", "reward_options", multiple=True, callback=named_values,
    metavar="NAME=VALUE", help="An option of the reward.",
)  # fmt: skip
@click.option(
    "--user", default="", metavar="NAME",
    help="Who answers questions, where tasks have a user; by default whom each task names.",
)  # fmt: skip
@playing.simulated
@playing.limited
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False),
    help="The run folder; half-written rollouts go on.",
)  # fmt: skip
@output.json_option
@click.pass_context
def run_(ctx: click.Context, /, as_json: bool, **given: Any) -> None:
    """Play each task N times and reward each group; exit 1 where no rollout was judged."""
    job = Job(
        policy=given["policy"],
        n=given["n"],
        seed=given["seed"],
        options=given["options"],
        reward=given["reward"],
        reward_options=given["reward_options"],
        limits=Limits(given["max_turns"], given["max_calls"], given["max_observation"]),
        user=given["user"],
        user_options=given["user_options"],
        simulation=Simulation(
            given["simulator"], given["simulator_options"], given["simulate"]
        ),
    )
    workers, out = given["workers"], given["out"]
    executor = load_executor(given["executor"], workers)
    progress = Progress()

    def show_standing(summary: Summary, wanted: int) -> None:
        progress.say(f"{bar(summary.rollouts, wanted)} {_standing(summary)}")

    try:
        summary = run_rollouts(
            Run.open(given["tasks"]),
            out,
            job,
            limit=given["limit"],
            workers=workers,
            executor=executor,
            progress=show_standing,
        )
    finally:
        progress.end()
    figures = summary.figures() | {"seconds": round(progress.seconds, 3), "out": str(out)}
    if as_json:
        output.json_document(figures)
    else:
        output.line(f"{_standing(summary)}  ({progress.seconds:.1f} s)")
        names = ("rollouts", "pass_rate", "uniform", "reward", "errors")
        for name in names:
            output.line(f"  {name.replace('_', ' '):<12} {_figure(figures[name])}")
        if summary.zero_signal:
            groups = f"{summary.zero_signal} of {output.counted(summary.groups, 'group')}"
            output.line(f"  all rewards equal, so nothing to learn from: {groups}")
        output.line(f"Look at them: compoworld rollouts show {out}")
    if summary.errors >= summary.rollouts:
        first = next(Run.open(out).trajectories())
        output.note(f"every rollout ended in an error; the first: {first.error}")
        ctx.exit(1)


def _figure(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _standing(summary: Summary) -> str:
    figures = summary.figures()
    text = f"{output.counted(summary.rollouts, 'rollout')}, {figures['pass_rate']:.1%} passed"
    return f"{text}, {output.counted(summary.errors, 'error')}" if summary.errors else text


@rollouts.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True), metavar="DIR")
@click.argument("trajectory", required=False)
@click.option("--failed", is_flag=True, help="List only rollouts that did not pass.")
@click.option("--full", is_flag=True, help="Show observations in full length.")
@output.json_option
def show(path: Path, trajectory: str | None, failed: bool, full: bool, as_json: bool) -> None:
    """List the rollouts of DIR, or show one: TRAJECTORY is its id or the beginning of it."""
    run = Run.open(path)
    if trajectory is not None:
        found = run.trajectory(trajectory)
        if as_json:
            output.json_document(found.model_dump(mode="json", by_alias=True))
        else:
            for line in page(found, full=full):
                output.line(line)
        return
    held = list(run.trajectories())
    if not held:
        raise UsageError(
            f"{run.path} holds no rollouts; make some: compoworld rollouts run. For tasks:"
            f" compoworld tasks show {run.path}"
        )
    listed = [each for each in held if not failed or not _passed(each)]
    if as_json:
        output.json_document({"rollouts": [_row(each) for each in listed]})
        return
    output.table(
        ("ROLLOUT", "TASK", "SAMPLE", "CALLS", "UNIFORM", "REWARD", "OUTCOME"),
        [
            [
                each.id, each.task, each.sample, each.usage.get("calls", 0),
                "-" if each.verdict is None else f"{each.verdict.uniform:.2f}",
                "-" if each.reward is None else f"{each.reward:.3f}", outcome(each),
            ]
            for each in listed
        ],
    )  # fmt: skip
    output.line(output.counted(len(listed), "rollout"))


def _passed(trajectory: Trajectory) -> bool:
    return trajectory.verdict is not None and trajectory.verdict.success


def _row(trajectory: Trajectory) -> dict[str, Any]:
    verdict = trajectory.verdict
    return {
        "id": trajectory.id,
        "task": trajectory.task,
        "policy": trajectory.policy,
        "sample": trajectory.sample,
        "success": _passed(trajectory),
        "uniform": None if verdict is None else verdict.uniform,
        "reward": trajectory.reward,
        "error": trajectory.error,
        "usage": trajectory.usage,
    }
