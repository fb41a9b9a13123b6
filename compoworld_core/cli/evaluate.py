"""``compoworld eval``: how well a policy does on tasks, with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compoworld_core.cli import output, playing
from compoworld_core.cli.options import load_executor, named_values
from compoworld_core.episode import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from compoworld_core.rollout import Summary


@click.command("eval")
@click.option(
    "--tasks", required=True, type=click.Path(path_type=Path, exists=True),
    help="The run folder whose tasks are played.",
)  # fmt: skip
@click.option("--policy", required=True, help="Who plays: compoworld plugins list.")
@click.option("--n", default=4, show_default=True, help="Rollouts of each task.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same bytes.")
@click.option("--limit", type=int, metavar="TASKS", help="Play only the first tasks.")
@click.option(
    "--option", "options", multiple=True, callback=named_values, metavar="NAME=VALUE",
    help="An option of the policy.",
)  # fmt: skip
@click.option("--user", default="", metavar="NAME", help="Who answers questions.")
@playing.simulated
@playing.limited
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False),
    help="The run folder of the rollouts; half-written ones go on, whole ones are summed up.",
)  # fmt: skip
@output.json_option
@click.pass_context
def evaluate_(ctx: click.Context, /, as_json: bool, **given: Any) -> None:
    """Play tasks and say how well: success, score, pass^k, each with an interval of 95 %.

    pass^k is the chance that k rollouts of a task all pass. Intervals are over tasks: the
    bootstrap's, and Wilson's where all tasks agree. Broken down by pattern, domain and
    difficulty; JSON has also the number of services, the visits and the compositions, without
    pass^k. Exit 1 where every rollout ended in an error.
    """
    from compoworld_core import cards, plugins
    from compoworld_core.cli.progress import Progress, bar
    from compoworld_core.evaluation import evaluate, play
    from compoworld_core.rollout import Job
    from compoworld_core.run import Run
    from compoworld_core.simulation import Simulation

    job = Job(
        policy=given["policy"],
        n=given["n"],
        seed=given["seed"],
        options=given["options"],
        reward="uniform",
        limits=Limits(given["max_turns"], given["max_calls"], given["max_observation"]),
        user=given["user"],
        user_options=given["user_options"],
        simulation=Simulation(
            given["simulator"], given["simulator_options"], given["simulate"]
        ),
    )
    progress = Progress()

    def show(summary: Summary, wanted: int) -> None:
        passed = f"{summary.passed} passed"
        progress.say(f"{bar(summary.rollouts, wanted)} {summary.rollouts}/{wanted}, {passed}")

    run, out = Run.open(given["tasks"]), given["out"]
    try:
        summary = play(
            run, out, job, limit=given["limit"], workers=given["workers"],
            executor=load_executor(given["executor"], given["workers"]), progress=show,
        )  # fmt: skip
    finally:
        progress.end()
    domain_of = {
        each.card.name: each.card.domain for each in cards.all_cards(plugins.services())[0]
    }
    found = evaluate(run.tasks(), Run.open(out).trajectories(), domain_of, seed=job.seed)
    figures = {"policy": job.policy, "n": job.n, "tasks_from": str(run.path), "out": str(out)}
    figures |= found.figures()
    if as_json:
        output.json_document(figures)
    else:
        _page(figures)
    if summary.errors >= summary.rollouts:
        first = next(Run.open(out).trajectories())
        output.note(f"every rollout ended in an error; the first: {first.error}")
        ctx.exit(1)


def _page(figures: Mapping[str, Any]) -> None:
    """What a person reads."""
    from compoworld_core.evaluation import HATS

    hats = figures["pass_hat"]
    most = list(hats)[1:][-1:]  # pass^1 is success
    rows = [_row("", "all", figures, most)]
    for name in HATS:
        rows += [_row(name, value, part, most) for value, part in figures["by"][name].items()]
    heads = ("", "TASKS OF", "TASKS", "SUCCESS", "UNIFORM SCORE")
    output.table((*heads, *(f"PASS^{k}" for k in most)), rows)
    shown = ", ".join(f"pass^{k} {_shown(hats[k]).strip()}" for k in _few(list(hats)))
    output.line(f"{shown}; in brackets: intervals of 95 % over tasks")
    if figures["errors"]:
        output.line(f"{output.counted(figures['errors'], 'rollout')} ended in an error")
    output.line(f"Look at them: compoworld rollouts show {figures['out']} --failed")


def _row(slice_: str, value: str, part: Mapping[str, Any], most: Sequence[str]) -> list[object]:
    estimates = [part["success"], part["uniform"], *(part["pass_hat"][k] for k in most)]
    return [slice_, value, part["tasks"], *map(_shown, estimates)]


def _shown(estimate: Mapping[str, float]) -> str:
    low, high = estimate["low"], estimate["high"]
    return f"{estimate['mean']:6.1%} [{low:.1%}, {high:.1%}]"


def _few(ks: list[str]) -> list[str]:
    """1, 2, 4, 8, … and the last."""
    return [k for n, k in enumerate(ks, 1) if n & (n - 1) == 0 or n == len(ks)]
