"""Collection: what a report is about, read from run folders in one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from attrs import define, field

from compoworld_core.errors import UsageError
from compoworld_core.records import Task, Trajectory
from compoworld_core.run import Run
from compoworld_report_html.training import Training, read_experiment, read_training


@define
class Score:
    """What rollouts came to; one that ended in an error counts as 0 in each mean."""

    rollouts: int = 0
    passed: int = 0
    uniform: float = 0.0
    reward: float = 0.0
    errors: int = 0
    calls: int = 0

    def add(self, trajectory: Trajectory) -> None:
        """Count one rollout."""
        verdict = trajectory.verdict
        self.rollouts += 1
        self.passed += verdict is not None and verdict.success
        self.uniform += verdict.uniform if verdict is not None else 0.0
        self.reward += trajectory.reward or 0.0
        self.errors += bool(trajectory.error)
        self.calls += trajectory.usage.get("calls", 0)

    def mean(self, name: str) -> float:
        """The mean of a figure over all rollouts."""
        value: float = getattr(self, name)
        return value / max(self.rollouts, 1)


@define
class Series:
    """The rollouts of one folder: one policy, with its options."""

    label: str
    folder: str
    total: Score = field(factory=Score)
    tasks: dict[str, Score] = field(factory=dict)
    """Task → score of its group."""
    shown: dict[str, list[Trajectory]] = field(factory=dict)
    """Task → the rollouts that the report shows step by step."""


@define
class Collection:
    """Tasks in order, one series per folder with rollouts, and how the generation went."""

    tasks: list[Task] = field(factory=list)
    """The tasks that are shown."""
    total_tasks: int = 0
    series: list[Series] = field(factory=list)
    tries: list[dict[str, Any]] = field(factory=list)
    names: dict[str, int] = field(factory=dict)
    """Service → tasks whose walk visits it."""
    absent: list[str] = field(factory=list)
    """Tasks that have rollouts and are in none of the folders."""
    trainings: list[Training] = field(factory=list)
    experiments: list[dict[str, Any]] = field(factory=list)


def collect(runs: Iterable[Run], *, most_tasks: int, per_outcome: int) -> Collection:
    """Read runs; UsageError where they hold nothing to report.

    Args:
        runs: folders with tasks, rollouts, a training, or what an experiment found.
        most_tasks: tasks that are shown.
        per_outcome: rollouts of a task that are shown, for each series and outcome.
    """
    runs = list(runs)
    found = Collection()
    known: set[str] = set()
    for run in runs:
        for task in run.tasks():
            if task.id in known:
                continue
            known.add(task.id)
            found.total_tasks += 1
            for name in task.services:
                found.names[name] = found.names.get(name, 0) + 1
            if len(found.tasks) < most_tasks:
                found.tasks.append(task)
        found.tries += [each for each in run.metrics() if each.get("kind") == "try"]
    shown = {task.id for task in found.tasks}
    for run in runs:
        training = read_training(run)
        if training is not None:
            found.trainings.append(training)
        experiment = read_experiment(run.path)
        if experiment is not None:
            found.experiments.append(experiment)
        series = _series(run, shown, per_outcome)
        if series is not None:
            found.series.append(series)
    _tell_apart(found.series)
    played = dict.fromkeys(name for series in found.series for name in series.tasks)
    found.absent = [name for name in played if name not in known]
    if not (found.tasks or found.series or found.trainings or found.experiments):
        raise UsageError(
            "the runs hold neither tasks nor rollouts nor a training; make some:"
            " compoworld tasks generate --out RUN"
        )
    return found


def _series(run: Run, shown: set[str], per_outcome: int) -> Series | None:
    series = None
    for trajectory in run.trajectories():
        if series is None:
            series = Series(trajectory.policy, run.path.resolve().name)
        series.total.add(trajectory)
        series.tasks.setdefault(trajectory.task, Score()).add(trajectory)
        if trajectory.task in shown:
            _keep(series.shown.setdefault(trajectory.task, []), trajectory, per_outcome)
    return series


def _keep(kept: list[Trajectory], trajectory: Trajectory, most: int) -> None:
    """Keep the first ones of each outcome."""
    alike = [other for other in kept if _outcome(other) == _outcome(trajectory)]
    if len(alike) < most and not any(_same(trajectory, other) for other in alike):
        kept.append(trajectory)


def _same(one: Trajectory, other: Trajectory) -> bool:
    return one.messages == other.messages and one.error == other.error


def _outcome(trajectory: Trajectory) -> str:
    if trajectory.verdict is None:
        return "error"
    return "passed" if trajectory.verdict.success else "failed"


def _tell_apart(series: list[Series]) -> None:
    """Give series of one policy the names of their folders."""
    times = Counter(each.label for each in series)
    for each in series:
        if times[each.label] > 1:
            each.label = f"{each.label} ({each.folder})"
