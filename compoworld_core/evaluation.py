"""Evaluation: what a policy's rollouts over tasks come to, sliced, with bootstrap intervals.

Figures are means over tasks of what each task's rollouts came to, so that a task counts once
however often it was played; an interval is the middle 95 % of the same mean over tasks drawn
with replacement. Where all tasks agree, such draws would all be the same, and nobody can be so
certain: the interval is Wilson's, of as many tries as there are tasks. A rollout that ended in
an error is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import comb, sqrt
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, Protocol

from attrs import define, field, frozen

from compoworld_core.difficulty import score_of
from compoworld_core.records import Task
from compoworld_core.rollout import Job, Summary, load_policy, run_rollouts
from compoworld_core.run import Run

if TYPE_CHECKING:
    from compoworld_core.protocols import Executor
    from compoworld_core.records import Trajectory

SLICES: Final = ("pattern", "domain", "difficulty", "k", "visits", "composition")
"""What figures are broken down by; a task may be in several slices of one."""

HATS: Final = ("pattern", "domain", "difficulty")
"""Slices that have pass^k too."""

RESAMPLES: Final = 1000
"""Draws of a bootstrap: enough for limits that are stable to about a hundredth of a width."""

_INTERVAL: Final = 0.95
_Z: Final = 1.96
"""Deviations of a normal distribution that hold so much of it."""


@frozen
class Estimate:
    """A mean over tasks and its interval of 95 %."""

    mean: float
    low: float
    high: float

    def figures(self) -> dict[str, float]:
        """As JSON shows it."""
        return {"mean": self.mean, "low": self.low, "high": self.high}


@frozen
class Outcome:
    """What one task's rollouts came to."""

    task: str
    rollouts: int
    passed: int
    uniform: float
    """Mean share of criteria that hold."""
    errors: int
    slices: Mapping[str, tuple[str, ...]] = field(factory=dict)

    @property
    def success(self) -> float:
        """Share of rollouts that passed."""
        return self.passed / self.rollouts

    def hat(self, k: int) -> float:
        """pass^k: the chance that k rollouts drawn without replacement all pass.

        C(passed, k) / C(rollouts, k), which is unbiased (tau-bench, Yao et al. 2024).
        """
        return comb(self.passed, k) / comb(self.rollouts, k)


@define
class Evaluation:
    """Outcomes of all tasks, and how they are summed up."""

    outcomes: list[Outcome] = field(factory=list)
    seed: int = 0
    """Of the resampling."""
    resamples: int = RESAMPLES

    def add(
        self, task: Task, group: Sequence[Trajectory], domain_of: Mapping[str, str]
    ) -> None:
        """Count a task's rollouts.

        Args:
            task: that was played.
            group: its rollouts.
            domain_of: service → domain; what is not here is unknown.
        """
        verdicts = [each.verdict for each in group if each.verdict is not None]
        self.outcomes.append(
            Outcome(
                task=task.id,
                rollouts=len(group),
                passed=sum(verdict.success for verdict in verdicts),
                uniform=sum(verdict.uniform for verdict in verdicts) / len(group),
                errors=sum(bool(each.error) for each in group),
                slices=slices_of(task, domain_of),
            )
        )

    def figures(self) -> dict[str, Any]:
        """All figures: over everything, and by slice."""
        return {
            **self._summary(self.outcomes),
            "pass_hat": self._hats(self.outcomes),
            "by": {name: self._by(name) for name in SLICES},
            "interval": {"level": _INTERVAL, "resamples": self.resamples, "seed": self.seed},
        }

    def _hats(self, outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
        """pass^k for every k that can be told: up to the rollouts of the task with fewest."""
        most = min((each.rollouts for each in outcomes), default=0)
        return {str(k): self._hat(outcomes, k).figures() for k in range(1, most + 1)}

    def _hat(self, outcomes: Sequence[Outcome], k: int) -> Estimate:
        return self._estimate(outcomes, lambda each: each.hat(k))

    def _by(self, name: str) -> dict[str, dict[str, Any]]:
        held: dict[str, list[Outcome]] = {}
        for outcome in self.outcomes:
            for value in outcome.slices.get(name, ()):
                held.setdefault(value, []).append(outcome)
        found = {value: self._summary(held[value]) for value in sorted(held, key=_order)}
        if name in HATS:
            for value, part in found.items():
                part["pass_hat"] = self._hats(held[value])
        return found

    def _summary(self, outcomes: Sequence[Outcome]) -> dict[str, Any]:
        return {
            "tasks": len(outcomes),
            "rollouts": sum(each.rollouts for each in outcomes),
            "errors": sum(each.errors for each in outcomes),
            "success": self._estimate(outcomes, lambda each: each.success).figures(),
            "uniform": self._estimate(outcomes, lambda each: each.uniform).figures(),
        }

    def _estimate(
        self, outcomes: Sequence[Outcome], measure: Callable[[Outcome], float]
    ) -> Estimate:
        return bootstrap([measure(each) for each in outcomes], self.seed, self.resamples)


def bootstrap(values: Sequence[float], seed: int, resamples: int = RESAMPLES) -> Estimate:
    """The mean of values and its percentile interval; zeros where there are no values.

    Where all values are equal, the interval is Wilson's, of as many tries as there are values:
    their draws say nothing of tasks that were not played.

    Args:
        values: one per task, from 0 to 1.
        seed: of the resampling, so that the same values have the same interval.
        resamples: how often as many values are drawn with replacement.
    """
    if not values:
        return Estimate(0.0, 0.0, 0.0)
    size = len(values)
    mean = sum(values) / size
    if len(set(values)) == 1 or resamples < 1:
        return _wilson(mean, size)
    rng = Random(seed)
    means = sorted(sum(rng.choices(values, k=size)) / size for _ in range(resamples))
    edge = (1 - _INTERVAL) / 2
    low = means[int(edge * (resamples - 1))]
    high = means[round((1 - edge) * (resamples - 1))]
    return Estimate(mean, low, high)


def _wilson(share: float, tries: int) -> Estimate:
    """A share of tries and Wilson's interval, which has a width where all or none succeed.

    Of values between 0 and 1 it is too wide rather than too narrow.
    """
    spread = _Z**2 / tries
    middle = (share + spread / 2) / (1 + spread)
    half = sqrt(share * (1 - share) * spread + spread**2 / 4) / (1 + spread)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Estimate(share, min(low, share), max(high, share))


def slices_of(task: Task, domain_of: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Slice → the values that a task has in it."""
    patterns = dict.fromkeys(p for p in task.provenance.get("patterns", ()) if p != "start")
    domains = dict.fromkeys(domain_of.get(name, "unknown") for name in task.services)
    return {
        "pattern": tuple(map(str, patterns)),
        "domain": tuple(domains),
        "difficulty": (_fifth(score_of(task)),),
        "k": (str(len(task.services)),),
        "visits": (str(len(task.walk)),),
        "composition": ("+".join(sorted(task.services)),),
    }


class Wholesale(Protocol):
    """A policy's factory that can play many rollouts at once, as local models want it."""

    def play(
        self, run: Run, job: Job, wanted: Iterable[tuple[Task, int]]
    ) -> Iterator[Trajectory]:
        """The rollout of each task and sample, in their order, with `job.key` as its id."""


@frozen
class _Together:
    """An executor that has a policy play the rollouts itself."""

    policy: Wholesale
    run: Run
    job: Job

    def map(self, function: Any, items: Iterable[Any], *, workers: int) -> Iterator[Any]:
        wanted = ((Task.model_validate_json(line), sample) for line, sample in items)
        return self.policy.play(self.run, self.job, wanted)


def play(
    run: Run,
    out: Path | str,
    job: Job,
    *,
    limit: int | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    progress: Callable[[Summary, int], None] = lambda summary, wanted: None,
) -> Summary:
    """Have a policy play tasks into a run folder; one that can plays many rollouts at once.

    Takes what `run_rollouts` takes.
    """
    factory: Any = load_policy(job.policy)
    if executor is None and hasattr(factory, "play") and not job.simulation:
        executor = _Together(factory, run, job)
    return run_rollouts(
        run, out, job, limit=limit, workers=workers, executor=executor, progress=progress
    )


def evaluate(
    tasks: Iterable[Task],
    trajectories: Iterable[Trajectory],
    domain_of: Mapping[str, str],
    *,
    seed: int = 0,
) -> Evaluation:
    """Sum up trajectories by their tasks, in the order of the tasks; others are left out."""
    groups: dict[str, list[Trajectory]] = {}
    for trajectory in trajectories:
        groups.setdefault(trajectory.task, []).append(trajectory)
    found = Evaluation(seed=seed)
    for task in tasks:
        if task.id in groups:
            found.add(task, groups[task.id], domain_of)
    return found


def _fifth(score: float) -> str:
    """`0.2-0.4`: the fifth of the scale of difficulty in which a score is."""
    lower = min(4, int(score * 5))
    return f"{lower / 5:.1f}-{(lower + 1) / 5:.1f}"


def _order(value: str) -> tuple[int, str]:
    """Numbers by their size, then text."""
    return (int(value), "") if value.isdecimal() else (-1, value)
