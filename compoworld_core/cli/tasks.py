"""``compoworld tasks``: generate, verify, show, stats, audit."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

import click
from pydantic import ValidationError

from compoworld_core.cli import output
from compoworld_core.cli.extension import OpenGroup
from compoworld_core.cli.options import load_executor, named_values
from compoworld_core.cli.progress import Progress, bar
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


def _names(_ctx: click.Context, _option: click.Parameter, given: Sequence[str]) -> list[str]:
    """`--services a,b --services c` as one list."""
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def _visits(_ctx: click.Context, _option: click.Parameter, given: str | None) -> Any:
    if given is None:
        return None
    low, colon, high = given.partition(":")
    try:
        return int(low), int(high) if colon else int(low)
    except ValueError as error:
        raise click.BadParameter(f"{given!r} is no range; write it as 7:12") from error


@tasks.command("generate")
@click.option("--n", default=100, show_default=True, help="Tasks that must be accepted.")
@click.option("--k", default=5, show_default=True, help="Services of a task.")
@click.option("--distractors", default=5, show_default=True, help="Services not needed.")
@click.option("--walk", callback=_visits, metavar="A:B", help="Visits of a walk.  [7:12]")
@click.option("--seed", default=0, show_default=True, help="Same seed, same bytes.")
@click.option(
    "--scale", default=200, show_default=True, help="About how many records a service."
)
@click.option("--services", multiple=True, callback=_names, help="Walk only over these: a,b,c.")
@click.option(
    "--domains", multiple=True, callback=_names, help="Only services of these domains."
)
@click.option("--patterns", multiple=True, callback=_names, help="Only these patterns.")
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
                "services": _acceptance(tally),
                "seconds": seconds,
                "out": str(out),
            }
        )
    else:
        _summary(tally, request.n, seconds, out)
    if tally.accepted < request.n:
        output.note(
            f"{tally.accepted} of {request.n} tasks after {tally.tried} tries; they are kept."
            f" Go on with more: --max-tries {2 * tally.tried}"
        )
        ctx.exit(1)


def _standing(tally: Tally, wanted: int) -> str:
    reasons = sorted(tally.rejected.items(), key=lambda pair: (-pair[1], pair[0]))
    refused = ", ".join(f"{probe} {count}" for probe, count in reasons[:4])
    text = f"{tally.accepted}/{wanted} accepted, {tally.tried} tried"
    return f"{text}; refused: {refused}" if refused else text


def _acceptance(tally: Tally) -> dict[str, dict[str, int]]:
    return {
        name: {"accepted": counts[0], "tried": counts[1]}
        for name, counts in sorted(tally.services.items())
    }


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
    listed = list(run.tasks())
    if not listed:
        raise UsageError(f"{run.path} holds no tasks; make some: compoworld tasks generate")
    lines = [to_line(task) for task in listed if task.certificate.kind == "proven"]
    replay_only = len(listed) - len(lines)
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
            progress.say(
                f"{bar(done, len(lines))} {done}/{len(lines)} tasks, {len(failures)} failed"
            )
    finally:
        progress.end()
    proven = done - len(failures)
    if as_json:
        output.json_document(
            {
                "tasks": len(listed),
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
        output.line(f"{output.counted(len(listed), 'task')}: {said}")
    if failures:
        ctx.exit(1)


# -- show, stats ---------------------------------------------------------------------------


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
    listed = list(run.tasks())
    if not listed:
        raise UsageError(
            f"{run.path} holds no tasks; make some: compoworld tasks generate. For rollouts:"
            f" compoworld rollouts show {run.path}"
        )
    if as_json:
        rows = [
            {"id": t.id, "services": t.services, "walk": t.walk, "criteria": len(t.criteria),
             "kind": t.certificate.kind, "instruction": t.instruction}
            for t in listed
        ]  # fmt: skip
        output.json_document({"tasks": rows})
        return
    output.table(
        ("TASK", "VISITS", "STEPS", "CRITERIA", "INSTRUCTION"),
        [
            [t.id, len(t.walk), len(t.reference.steps), len(t.criteria), _head(t.instruction)]
            for t in listed
        ],
    )
    output.line(output.counted(len(listed), "task"))


def _head(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 70 else line[:67] + "..."


@tasks.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@output.json_option
def stats(path: Path, as_json: bool) -> None:
    """Count what a run holds: lengths, services, what edges carry, why tries were refused."""
    run = Run.open(path)
    listed = list(run.tasks())
    tally = Tally()
    for metric in run.metrics():
        if metric.get("kind") == "try":
            tally.add(metric)
    found = _figures(listed) | {
        "tried": tally.tried,
        "rejected": dict(sorted(tally.rejected.items())),
        "acceptance": _acceptance(tally),
    }
    if as_json:
        output.json_document(found)
        return
    tries = output.counted(tally.tried, "try", "tries")
    output.line(f"{output.counted(len(listed), 'task')} from {tries}")
    for name, value in found.items():
        if isinstance(value, dict) and value and name != "acceptance":
            inner = ", ".join(f"{key} {count}" for key, count in value.items())
            output.line(f"{name.replace('_', ' ')}: {inner}")
    if tally.services:
        output.table(
            ("SERVICE", "ACCEPTED", "TRIED"),
            [[n, *c] for n, c in sorted(tally.services.items())],
        )


def _figures(listed: Sequence[Task]) -> dict[str, Any]:
    probes = [{p.name: p.detail for p in t.certificate.probes} for t in listed]
    return {
        "tasks": len(listed),
        "visits": _spread([len(t.walk) for t in listed]),
        "steps": _spread([len(t.reference.steps) for t in listed]),
        "calls": _spread([p["reachable"]["calls"] for p in probes if "reachable" in p]),
        "criteria": _spread([len(t.criteria) for t in listed]),
        "words": _spread([len(t.instruction.split()) for t in listed]),
        "services": _counted(name for t in listed for name in t.services),
        "carried": _counted(c.source for t in listed for c in t.reference.carries),
        "carried_kinds": _counted(c.kind for t in listed for c in t.reference.carries),
        "patterns": _counted(p for t in listed for p in t.provenance.get("patterns", ())),
        "registers": _counted(
            t.provenance["register"] for t in listed if "register" in t.provenance
        ),
        "certificates": _counted(t.certificate.kind for t in listed),
    }


def _counted(names: Any) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0])))


def _spread(values: list[int]) -> dict[str, float]:
    if not values:
        return {}
    return {
        "least": min(values),
        "median": median(values),
        "mean": round(mean(values), 2),
        "most": max(values),
    }


# -- audit ---------------------------------------------------------------------------------


@tasks.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option("--draws", default=3, show_default=True, help="Outcomes of each kind for a task.")
@click.option("--seed", default=0, show_default=True, help="Draws the places of the mutations.")
@output.json_option
@click.pass_context
def audit(ctx: click.Context, path: Path, draws: int, seed: int, as_json: bool) -> None:
    """Judge mutated outcomes: wrong ones must fail, equivalent ones must pass."""
    from compoworld_core.proof.audit import Audit
    from compoworld_core.run import open_task

    run = Run.open(path)
    found = Audit()
    progress = Progress()
    for number, task in enumerate(run.tasks(), 1):
        found.add(task, open_task(run, task), draws=draws, seed=seed)
        progress.say(f"{number} tasks, {len(found.misjudged)} outcomes misjudged")
    progress.end()
    if as_json:
        wrong = {kind: {"n": n, "rejected": ok} for kind, (n, ok) in found.wrong.items()}
        same = {kind: {"n": n, "accepted": ok} for kind, (n, ok) in found.equivalent.items()}
        output.json_document({"wrong": wrong, "equivalent": same})
    else:
        rows = [["wrong", kind, *counts] for kind, counts in found.wrong.items()]
        rows += [["equivalent", kind, *counts] for kind, counts in found.equivalent.items()]
        output.table(("OUTCOME", "KIND", "OUTCOMES", "JUDGED RIGHT"), rows)
        for name, kind in found.misjudged[:20]:
            output.line(f"{name}  misjudged: {kind}")
    if found.misjudged:
        ctx.exit(1)
