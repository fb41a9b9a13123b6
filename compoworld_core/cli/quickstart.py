"""``compoworld quickstart``: the main job end to end, on embedded defaults."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from attrs import define, field

from compoworld_core import lines, plugins
from compoworld_core.cli import output
from compoworld_core.cli.extension import load_command
from compoworld_core.cli.options import load_executor
from compoworld_core.cli.progress import Progress, bar
from compoworld_core.generation import Request, Tally, generate
from compoworld_core.rollout import Job, Summary, run_rollouts
from compoworld_core.run import Run

if TYPE_CHECKING:
    from compoworld_core.protocols import Executor

Result = TypeVar("Result")

POLICIES: Final = ("oracle", "partial", "null")
_MOST_WORKERS: Final = 8


@click.command()
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False),
    help="The folder for everything; what is there already is reused.",
)  # fmt: skip
@click.option("--n", default=24, show_default=True, help="Tasks.")
@click.option("--samples", default=8, show_default=True, help="Rollouts of a task.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same bytes.")
@click.option("--k", default=5, show_default=True, help="Services of a task.")
@click.option("--distractors", default=5, show_default=True, help="Services not needed.")
@click.option("--scale", default=200, show_default=True, help="About how many records each.")
@click.option("--generator", default="walk", show_default=True, help="Who proposes the tasks.")
@click.option("--workers", type=int, help="Processes.  [one for each processor]")
@output.json_option
@click.pass_context
def quickstart(ctx: click.Context, /, out: Path, as_json: bool, **given: Any) -> None:
    """Generate and prove tasks, let three policies play them, export data, write a report.

    Exit 1 where the oracle does not pass everything, or doing nothing passes anything.
    """
    job = Quickstart(out, quiet=as_json, workers=_workers(given.pop("workers")))
    samples = given.pop("samples")
    tally = job.make_tasks(Request(walk=(given["k"] + 2, given["k"] + 7), **given))
    if not tally.accepted:
        output.note(f"no task was accepted in {tally.tried} tries; why: {tally.rejected}")
        ctx.exit(1)
    summaries = {name: job.play(name, samples, given["seed"]) for name in POLICIES}
    rows = job.run_command(
        "export sft", job.played(), ["--tasks", str(job.tasks)], out / "sft.jsonl"
    )
    report = job.run_command(
        "report html", [job.tasks, *job.played()], ["--title", "CompoWorld: first run"],
        out / "report.html",
    )  # fmt: skip
    if as_json:
        output.json_document(
            {
                "tasks": tally.accepted,
                "tried": tally.tried,
                "policies": {name: s.figures() for name, s in summaries.items()},
                "sft": rows,
                "report": report,
                "reused": job.reused,
                "seconds": round(job.progress.seconds, 3),
                "out": str(out),
            }
        )
    else:
        _table(summaries)
        _where(job, tally, rows)
    if not sound(summaries):
        output.note(
            "the oracle should pass everything and doing nothing should pass nothing; see why:"
            f" compoworld rollouts show {out / 'oracle'} --failed"
        )
        ctx.exit(1)


def _workers(given: int | None) -> int:
    return min(os.cpu_count() or 1, _MOST_WORKERS) if given is None else given


def sound(summaries: dict[str, Summary]) -> bool:
    """Whether the proof holds in play: the oracle passes all, doing nothing passes none."""
    oracle, null = summaries["oracle"], summaries["null"]
    return oracle.passed == oracle.rollouts and not null.passed


@define
class Quickstart:
    """The steps, each of which goes on where an earlier process left it."""

    out: Path
    quiet: bool
    workers: int
    progress: Progress = field(factory=Progress)
    reused: list[str] = field(factory=list)
    """What was there already."""

    @property
    def tasks(self) -> Path:
        """The run folder of the tasks."""
        return self.out / "tasks"

    def played(self) -> list[Path]:
        """The run folders of the rollouts."""
        return [self.out / name for name in POLICIES]

    def make_tasks(self, request: Request) -> Tally:
        """Generate and prove the tasks."""

        def show(tally: Tally) -> None:
            self.progress.say(
                f"tasks    {bar(tally.accepted, request.n)} {tally.accepted}/{request.n}"
                f" proven, {tally.tried} tried"
            )

        def work() -> Tally:
            return generate(
                request, self.tasks, workers=self.workers, executor=self._executor(),
                progress=show,
            )  # fmt: skip

        tally = self._step("tasks", self.tasks, "tasks", request.n, work)
        tried = output.counted(tally.tried, "try", "tries")
        self._say(f"tasks    {tally.accepted} proven, from {tried}{self._again('tasks')}")
        return tally

    def play(self, policy: str, samples: int, seed: int) -> Summary:
        """Let a policy play every task."""

        def show(summary: Summary, wanted: int) -> None:
            self.progress.say(
                f"{policy:<8} {bar(summary.rollouts, wanted)} {summary.rollouts}/{wanted}"
            )

        # doing nothing is done before a pool has started
        executor = None if policy == "null" else self._executor()

        def work() -> Summary:
            return run_rollouts(
                Run.open(self.tasks), self.out / policy, Job(policy, n=samples, seed=seed),
                workers=self.workers, executor=executor, progress=show,
            )  # fmt: skip

        wanted = samples * _count(self.tasks, "tasks")
        summary = self._step(policy, self.out / policy, "trajectories", wanted, work)
        rollouts = output.counted(summary.rollouts, "rollout")
        self._say(f"{policy:<8} {rollouts}, {summary.passed} passed{self._again(policy)}")
        return summary

    def run_command(
        self, name: str, runs: list[Path], options: list[str], out: Path
    ) -> dict[str, Any] | int:
        """Run a plugin's command on the runs; its figures."""
        arguments = [*map(str, runs), *options, "--out", str(out), "--quiet"]
        found: dict[str, Any] | int = load_command(name).main(
            arguments, prog_name=f"compoworld {name}", standalone_mode=False
        )
        return found

    def _step(
        self, name: str, path: Path, kind: str, wanted: int, work: Callable[[], Result]
    ) -> Result:
        if _count(path, kind) >= wanted:
            self.reused.append(name)
        try:
            return work()
        finally:
            self.progress.end()

    def _executor(self) -> Executor | None:
        if "local" not in plugins.executors():
            return None
        return load_executor("local", self.workers)

    def _again(self, name: str) -> str:
        return " (reused)" if name in self.reused else ""

    def _say(self, text: str) -> None:
        if not self.quiet:
            output.line(f"{text}  [{self.progress.seconds:.0f} s]")


def _count(path: Path, kind: str) -> int:
    """Records of a kind in a run folder that may not be there yet."""
    return sum(1 for shard in lines.shards(path, kind) for _ in lines.read(shard))


def _table(summaries: dict[str, Summary]) -> None:
    rows = []
    for name, summary in summaries.items():
        figures = summary.figures()
        uniform, reward = f"{figures['uniform']:.3f}", f"{figures['reward']:.3f}"
        rows.append([name, summary.rollouts, f"{figures['pass_rate']:.1%}", uniform, reward])
    output.line()
    output.table(("POLICY", "ROLLOUTS", "PASS RATE", "UNIFORM", "REWARD"), rows)


def _where(job: Quickstart, tally: Tally, rows: dict[str, Any] | int) -> None:
    out = job.out
    count = rows["rows"] if isinstance(rows, dict) else 0
    output.line()
    output.line("Everything lies in")
    output.table(
        ("", ""),
        [
            [f"  {job.tasks}", f"{output.counted(tally.accepted, 'task')} with their proofs"],
            [f"  {out}/{{{','.join(POLICIES)}}}", "rollouts with verdicts and rewards"],
            [f"  {out / 'sft.jsonl'}", f"{output.counted(count, 'row')} to train on"],
            [f"  {out / 'report.html'}", "all of it to look at, in any browser"],
        ],
    )
    output.line()
    output.line("Go on with")
    policy = f"compoworld rollouts run --tasks {job.tasks} --policy openai --option model=NAME"
    for text in (
        f"compoworld tasks show {job.tasks}",
        f"compoworld tasks verify {job.tasks}",
        f"compoworld rollouts show {out / 'partial'} --failed",
        "compoworld play gmail slack",
        f"{policy} --out {out / 'model'}",
    ):
        output.line(f"  {text}")
