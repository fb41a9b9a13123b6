"""``compoworld tasks``: generate, verify, show; and the commands of the modules beside it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from pydantic import ValidationError

from compoworld_core.cli import output, ranges
from compoworld_core.cli.audit import audit
from compoworld_core.cli.curriculum import curriculum
from compoworld_core.cli.extension import OpenGroup
from compoworld_core.cli.options import load_executor, named_values
from compoworld_core.cli.progress import Progress, bar
from compoworld_core.cli.split import split
from compoworld_core.cli.stats import acceptance, stats
from compoworld_core.cli.task_page import page
from compoworld_core.errors import UsageError
from compoworld_core.generation import Request, Tally, generate
from compoworld_core.lines import to_line
from compoworld_core.records import Task
from compoworld_core.run import Run
from compoworld_core.schema import problems

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.group(cls=OpenGroup)
def tasks() -> None:
    """Generate, verify and show tasks."""


for command in (audit, curriculum, split, stats):
    tasks.add_command(command)


def _names(_ctx: click.Context, _option: click.Parameter, given: Sequence[str]) -> list[str]:
    """`--services a,b --services c` as one list."""
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


@tasks.command("generate")
@click.option("--n", default=100, show_default=True, help="Tasks that must be accepted.")
@click.option(
    "--k",
    default="5",
    show_default=True,
    callback=ranges.whole_numbers,
    metavar="K or A:B",
    help="Services of a task; drawn for each from a range.",
)
@click.option(
    "--distractors",
    default="5",
    show_default=True,
    callback=ranges.whole_numbers,
    metavar="N or A:B",
    help="Services not needed; drawn for each from a range.",
)
@click.option(
    "--walk", callback=ranges.whole_numbers, metavar="A:B", help="Visits of a walk.  [7:12]"
)
@click.option(
    "--difficulty",
    callback=ranges.scores,
    metavar="LOW:HIGH",
    help="Scores, from 0 to 1; what is easier or harder is refused.",
)
@click.option("--seed", default=0, show_default=True, help="Same seed, same bytes.")
@click.option(
    "--scale", default=200, show_default=True, help="About how many records a service."
)
@click.option("--services", multiple=True, callback=_names, help="Walk only over these: a,b,c.")
@click.option(
    "--domains", multiple=True, callback=_names, help="Only services of these domains."
)
@click.option("--patterns", multiple=True, callback=_names, help="Only these patterns.")
@click.option(
    "--per-composition", type=click.IntRange(1), metavar="N",
    help="Tasks of one set of services at most; the sets take turns.",
)  # fmt: skip
@click.option("--generator", default="walk", show_default=True, help="Who proposes the tasks.")
@click.option(
    "--option", "options", multiple=True, callback=named_values, metavar="NAME=VALUE",
    help="An option of the generator.",
)  # fmt: skip
@click.option("--workers", default=1, show_default=True, help="Tries at a time.")
@click.option("--executor", default="local", show_default=True, help="Who spreads the tries.")
@click.option("--max-tries", type=int, help="Tries at most.  [20 for each task, at least 50]")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False),
    help="The run folder; a half-written run goes on.",
)  # fmt: skip
@output.json_option
@click.pass_context
def generate_(ctx: click.Context, /, as_json: bool, **given: Any) -> None:
    """Generate tasks and prove each; exit 1 where too few were accepted.

    A terminal shows one line that moves on; anywhere else a line is added every ten seconds,
    the first after ten.
    """
    workers, max_tries, out = given.pop("workers"), given.pop("max_tries"), given.pop("out")
    for name in ("k", "distractors"):
        least, most = given[name]
        given |= {name: least, f"most_{name}": most if most != least else None}
    executor = load_executor(given.pop("executor"), workers)
    try:
        request = Request.model_validate(given)
    except ValidationError as error:
        raise UsageError("; ".join(problems(error))) from error
    progress = Progress()

    def show(tally: Tally) -> None:
        progress.say(f"{bar(tally.accepted, request.n)} {_standing(tally, request.n)}")

    try:
        tally = generate(
            request, out, workers=workers, executor=executor, max_tries=max_tries, progress=show
        )
    finally:
        progress.end()
    seconds = round(progress.seconds, 3)
    if as_json:
        output.json_document(
            {
                "accepted": tally.accepted,
                "tried": tally.tried,
                "rejected": dict(sorted(tally.rejected.items())),
                "reasons": tally.reasons,
                "services": acceptance(tally),
                "seconds": seconds,
                "out": str(out),
            }
        )
    else:
        _summary(tally, request.n, seconds, out)
    if tally.accepted < request.n:
        kept = "; they are kept" if tally.accepted else ""
        output.note(
            f"{tally.accepted} of {request.n} tasks after {tally.tried} tries{kept}."
            f" Go on with more: --max-tries {2 * tally.tried}{_easier(tally, request)}"
        )
        ctx.exit(1)


def _easier(tally: Tally, request: Request) -> str:
    """What to type where most tries led to no plan: few services carry no long walk."""
    least = request.walk[0]
    shorter = max(request.k, least // 2 + 1)
    if 2 * tally.rejected.get("plan", 0) <= tally.tried or shorter >= least:
        return ""
    return (
        f", or let walks be shorter: --walk {shorter}:{least}; most tries found no plan of"
        f" {least} visits over these services"
    )


def _standing(tally: Tally, wanted: int) -> str:
    reasons = sorted(tally.rejected.items(), key=lambda pair: (-pair[1], pair[0]))
    refused = ", ".join(f"{probe} {count}" for probe, count in reasons[:4])
    text = f"{tally.accepted}/{wanted} accepted, {tally.tried} tried"
    return f"{text}; refused: {refused}" if refused else text


def _summary(tally: Tally, wanted: int, seconds: float, out: Path) -> None:
    output.line(f"{_standing(tally, wanted)}  ({seconds:.1f} s)")
    rows = [
        [count, probe, why]
        for probe, reasons in sorted(tally.reasons.items())
        for why, count in sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
    ]
    if rows:
        output.line()
        output.table(("TRIES", "REFUSED BY", "WHY"), rows)
    if tally.services:
        output.line()
        listed = sorted(tally.services.items())
        output.table(("SERVICE", "ACCEPTED", "TRIED"), [[name, *c] for name, c in listed])
    if tally.accepted:
        output.line()
        output.line(f"Look at them: compoworld tasks show {out}")


# -- verify --------------------------------------------------------------------------------


@tasks.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option("--workers", default=1, show_default=True, help="Tasks at a time.")
@click.option("--executor", default="local", show_default=True, help="Who spreads the tasks.")
@output.json_option
@click.pass_context
def verify(ctx: click.Context, path: Path, workers: int, executor: str, as_json: bool) -> None:
    """Prove every task again from the files alone; exit 1 where one fails.

    Tasks that are replay-only were never proven; they are counted apart and are no failures.
    """
    from compoworld_core.verification import verify_line

    run = Run.open(path)
    total = sum(1 for _ in run.tasks())
    if not total:
        raise UsageError(f"{run.path} holds no tasks; make some: compoworld tasks generate")
    lines = (to_line(task) for task in run.tasks() if task.certificate.kind == "proven")
    function = partial(verify_line, str(run.path.resolve()))
    spread = load_executor(executor, workers)
    results = map(function, lines) if spread is None else spread.map(
        function, lines, workers=workers
    )  # fmt: skip
    progress = Progress()
    failures: list[dict[str, str]] = []
    done = 0
    try:
        for failure in results:
            done += 1
            if failure is not None:
                failures.append(failure)
            progress.say(f"{bar(done, total)} {done}/{total} tasks, {len(failures)} failed")
    finally:
        progress.end()
    proven, replay_only = done - len(failures), total - done
    if as_json:
        output.json_document(
            {
                "tasks": total,
                "proven": proven,
                "replay_only": replay_only,
                "failures": failures,
            }
        )
    else:
        for failure in failures:
            output.line(f"{failure['task']}  FAIL  {failure['probe']}: {failure['why']}")
        said = f"{proven} proven, {len(failures)} failed"
        if replay_only:
            said += f", {replay_only} replay-only and therefore not proven"
        output.line(f"{output.counted(total, 'task')}: {said}")
    if failures:
        ctx.exit(1)


# -- show ----------------------------------------------------------------------------------


@tasks.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.argument("task", required=False)
@output.json_option
def show(path: Path, task: str | None, as_json: bool) -> None:
    """List the tasks of a run, or show one: TASK is its id or the beginning of it."""
    run = Run.open(path)
    if task is not None:
        found = run.task(task)
        if as_json:
            output.json_document(found.model_dump(mode="json", by_alias=True))
        else:
            for line in page(found):
                output.line(line)
        return
    rows = [_row(task) for task in run.tasks()]
    if not rows:
        raise UsageError(
            f"{run.path} holds no tasks; make some: compoworld tasks generate. For rollouts:"
            f" compoworld rollouts show {run.path}"
        )
    if as_json:
        output.json_document({"tasks": rows})
        return
    output.table(
        ("TASK", "VISITS", "STEPS", "CRITERIA", "INSTRUCTION"),
        [
            [r["id"], len(r["walk"]), r["steps"], r["criteria"], _head(r["instruction"])]
            for r in rows
        ],
    )
    output.line(output.counted(len(rows), "task"))


def _row(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "services": task.services,
        "walk": task.walk,
        "steps": len(task.reference.steps),
        "criteria": len(task.criteria),
        "kind": task.certificate.kind,
        "difficulty": task.difficulty.get("score"),
        "instruction": task.instruction,
    }


def _head(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 70 else line[:67] + "..."
