"""The tally of an audit: outcomes by kind, how they were judged, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, Final

from attrs import define, field

from compoworld_core.audit.kinds import Kind, all_kinds
from compoworld_core.audit.trial import Trial
from compoworld_core.audit.writes import Unfit
from compoworld_core.environment import Environment
from compoworld_core.errors import PlanError, ServiceError
from compoworld_core.garbage import uncollected
from compoworld_core.proof.verdict import judge
from compoworld_core.records import Task
from compoworld_core.run import Run, open_task

SAME: Final = "it leaves the same records and answer as the reference"
AGAIN: Final = "it repeats an outcome of its kind"
CASES: Final = 20
"""Outcomes of each kind that a hundred tasks should give."""
LEAST: Final = {"wrong": 8, "equivalent": 4}
"""Outcomes of each side that a task should give."""


def outcomes(
    task: Task, initial: Environment, *, draws: int, seed: int, only: Iterable[str] = ()
) -> list[dict[str, Any]]:
    """Each outcome that was made of a task, and each that could not be made.

    `{"kind", "side", "accepted"}`, or `{"kind", "side", "skipped": why}`.
    """
    trial = Trial(task, initial)
    wanted = set(only)
    found = []
    for kind in all_kinds():
        if wanted and kind.name not in wanted:
            continue
        seen: set[tuple[str, str | None]] = set()
        for draw in range(draws * kind.times):
            row: dict[str, Any] = {"kind": kind.name, "side": kind.side}
            row |= _judged(trial, kind, Random(f"{seed}:{task.id}:{kind.name}:{draw}"), seen)
            found.append(row)
            if draw >= draws - 1 and "skipped" in row:
                break
    return found


def _judged(
    trial: Trial, kind: Kind, rng: Random, seen: set[tuple[str, str | None]]
) -> dict[str, Any]:
    try:
        outcome = kind.mutate(trial, rng)
    except Unfit as error:
        return {"skipped": str(error)}
    except ServiceError as error:  # found by a mutation; `services check` is for that
        return {"skipped": f"the service broke its contract: {error.service}"}
    except PlanError:
        return {"skipped": "the reference cannot be played that way"}
    if kind.side == "wrong" and trial.idle(outcome):
        return {"skipped": SAME}
    if kind.times > 1:
        end = (outcome.digest(), outcome.answer)
        if end in seen:
            return {"skipped": AGAIN}
        seen.add(end)
    task = trial.task
    verdict = judge(task.criteria, task.gates, trial.initial, outcome, answer=outcome.answer)
    return {"accepted": verdict.success}


def audit_line(folder: str, line: str, *, draws: int, seed: int) -> dict[str, Any]:
    """The outcomes of one task of a run, given as its line in the file. For any process."""
    run = _run(folder)
    task = Task.model_validate_json(line)
    with uncollected():
        found = outcomes(task, open_task(run, task), draws=draws, seed=seed)
    return {"task": task.id, "outcomes": found}


@lru_cache(maxsize=2)
def _run(folder: str) -> Run:
    return Run.open(Path(folder))


def _sides() -> dict[str, dict[str, list[int]]]:
    sides: dict[str, dict[str, list[int]]] = {"wrong": {}, "equivalent": {}}
    for kind in all_kinds():
        sides[kind.side][kind.name] = [0, 0]
    return sides


@define
class Audit:
    """The confusion matrix of the verifier, by kind of outcome."""

    counts: dict[str, dict[str, list[int]]] = field(factory=_sides)
    """Side → kind → [outcomes, judged as they should be]."""
    skipped: dict[str, dict[str, int]] = field(factory=dict)
    """Kind → why there was no outcome → how often."""
    misjudged: list[dict[str, str]] = field(factory=list)
    """{"task", "kind", "side"} of each outcome that was judged otherwise."""
    tasks: int = 0
    thin: list[str] = field(factory=list)
    """Tasks that gave fewer outcomes than a task should."""

    def add(self, task: str, found: list[dict[str, Any]]) -> None:
        """Count the outcomes of one task."""
        self.tasks += 1
        made = {"wrong": 0, "equivalent": 0}
        for row in found:
            kind, side = row["kind"], row["side"]
            if "skipped" in row:
                reasons = self.skipped.setdefault(kind, {})
                reasons[row["skipped"]] = reasons.get(row["skipped"], 0) + 1
                continue
            made[side] += 1
            right = row["accepted"] is (side == "equivalent")
            self.counts[side][kind][0] += 1
            self.counts[side][kind][1] += right
            if not right:
                self.misjudged.append({"task": task, "kind": kind, "side": side})
        if any(made[side] < least for side, least in LEAST.items()):
            self.thin.append(task)

    def rate(self, side: str) -> float:
        """Share of a side's outcomes that were judged as they should be; 1 where none were."""
        made = sum(n for n, _ in self.counts[side].values())
        return sum(ok for _, ok in self.counts[side].values()) / made if made else 1.0

    def short(self) -> dict[str, int]:
        """Kinds with fewer outcomes than a hundred tasks should give, scaled to the tasks."""
        wanted = CASES * min(self.tasks, 100) / 100
        return {
            kind: n
            for kinds in self.counts.values()
            for kind, (n, _) in kinds.items()
            if n < wanted
        }

    def document(self, seconds: float) -> dict[str, Any]:
        """The audit as JSON values."""
        return {
            "wrong": {
                k: {"n": n, "rejected": ok} for k, (n, ok) in self.counts["wrong"].items()
            },
            "equivalent": {
                k: {"n": n, "accepted": ok} for k, (n, ok) in self.counts["equivalent"].items()
            },
            "rejected": round(self.rate("wrong"), 6),
            "accepted": round(self.rate("equivalent"), 6),
            "skipped": {k: dict(sorted(v.items())) for k, v in sorted(self.skipped.items())},
            "short": self.short(),
            "thin": self.thin,
            "misjudged": self.misjudged,
            "tasks": self.tasks,
            "seconds": seconds,
        }
