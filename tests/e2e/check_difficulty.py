"""The difficulty score has a measured effect: policies pass fewer of the harder tasks.

Run by hand: `python tests/e2e/check_difficulty.py --n 200 --seed 20262`. Generates a mixed set
(2 to 6 services, 0 to 6 distractors), lets the `partial` family and the `search` family play
it, and prints the pass rate for each tenth of the tasks, from easy to hard. Exits 1 unless, for
each family, the rate falls: Spearman's coefficient of rate and tenth is at most -0.9, and no
tenth is above the one before by more than two standard errors of the difference. The scores
must spread, too.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, variance

from check_tasks import asked  # beside this file

FAMILIES: dict[str, tuple[tuple[str, ...], ...]] = {
    "partial": tuple(("partial", "--option", f"rate={rate}") for rate in (0.05, 0.1, 0.2)),
    "search": tuple(("search", "--option", f"budget={budget}") for budget in (3, 4, 5)),
}
"""Family → its policies with their options; a task's rate is the mean over all of them."""

MOST_RHO = -0.9
STEPS = 10
LEAST, MOST = 0.2, 0.8
"""Mean scores that the easiest tenth may have at most, and the hardest at least."""


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value; equal ones share theirs."""
    ordered = sorted(values)
    return [ordered.index(v) + (ordered.count(v) - 1) / 2 for v in values]


def spearman(values: Sequence[float]) -> float:
    """Rank correlation of the values with their positions; 0 where all are equal."""
    left, right = ranks(range(len(values))), ranks(values)
    middle = fmean(left)
    spread = sum((a - middle) ** 2 for a in left) * sum((b - middle) ** 2 for b in right)
    if not spread:
        return 0.0
    product = sum((a - middle) * (b - middle) for a, b in zip(left, right, strict=True))
    return float(product / spread**0.5)


def tenths(rates: Sequence[float]) -> list[list[float]]:
    """The tasks' rates, from easy to hard, in ten parts of nearly the same size."""
    size = len(rates)
    return [list(rates[size * n // STEPS : size * (n + 1) // STEPS]) for n in range(STEPS)]


def error(part: Sequence[float]) -> float:
    """The squared standard error of a part's mean, over its tasks."""
    return variance(part) / len(part) if len(part) > 1 else 0.25


def flaws(family: str, rates: Sequence[float]) -> list[str]:
    """What contradicts that the rate falls from easy to hard."""
    parts = tenths(rates)
    means = [fmean(part) for part in parts]
    rho = spearman(means)
    found = [] if rho <= MOST_RHO else [f"{family}: Spearman is {rho:.2f}, not {MOST_RHO}"]
    for n in range(1, STEPS):
        allowed = 2 * (error(parts[n - 1]) + error(parts[n])) ** 0.5
        if means[n] > means[n - 1] + allowed:
            found.append(
                f"{family}: tenth {n + 1} passes {means[n]:.3f}, tenth {n} {means[n - 1]:.3f}"
            )
    return found


def scores(run: Path) -> dict[str, float]:
    """Task → score, from the run folder."""
    found = {}
    for path in sorted(run.glob("tasks*.jsonl")):
        with path.open(encoding="utf-8") as file:
            for line in file:
                task = json.loads(line)
                found[task["id"]] = float(task["difficulty"]["score"])
    return found


def passes(out: Path) -> dict[str, list[bool]]:
    """Task → whether each of its rollouts passed."""
    found: dict[str, list[bool]] = {}
    for path in sorted(out.glob("trajectories*.jsonl")):
        with path.open(encoding="utf-8") as file:
            for line in file:
                rollout = json.loads(line)
                verdict = rollout["verdict"] or {"criteria": {"none": False}, "gates": {}}
                ok = all(verdict["criteria"].values()) and all(verdict["gates"].values())
                found.setdefault(rollout["task"], []).append(ok)
    return found


def check(given: argparse.Namespace, out: Path) -> list[str]:
    """Print the table; returns what does not hold."""
    run, spread = out / "run", ("--workers", str(given.workers))
    made = asked(
        "tasks", "generate", "--n", str(given.n), "--k", "2:6", "--distractors", "0:6",
        "--seed", str(given.seed), "--scale", str(given.scale), *spread, "--out", str(run),
    )  # fmt: skip
    print(f"generated {made['accepted']} of {made['tried']} tries in {made['seconds']} s")
    score = scores(run)
    ordered = sorted(score, key=lambda task: (score[task], task))
    print(f"{'TENTH':18}" + "".join(f"{n + 1:7}" for n in range(STEPS)) + "    RHO")
    middles = [fmean(part) for part in tenths([score[task] for task in ordered])]
    print(f"{'score':18}" + "".join(f"{value:7.2f}" for value in middles))
    wrong = [] if made["accepted"] >= given.n else [f"{made['accepted']} tasks were accepted"]
    if middles[0] > LEAST or middles[-1] < MOST:
        wrong.append(
            f"scores go from {middles[0]:.2f} to {middles[-1]:.2f}: they do not spread"
        )
    for family in given.families:
        rates: dict[str, list[float]] = {}
        for number, words in enumerate(FAMILIES[family]):
            played = out / f"{family}-{number}"
            asked(
                "rollouts", "run", "--tasks", str(run), "--policy", *words, "--n",
                str(given.samples), "--seed", str(given.seed), *spread, "--out", str(played),
            )  # fmt: skip
            for task, results in passes(played).items():
                rates.setdefault(task, []).append(fmean(results))
            _show(" ".join(words[0::2]), [rates[task][-1] for task in ordered])
        whole = [fmean(rates[task]) for task in ordered]
        _show(family, whole)
        wrong += flaws(family, whole)
    return wrong


def _show(name: str, rates: Sequence[float]) -> None:
    means = [fmean(part) for part in tenths(rates)]
    shown = "".join(f"{value:7.3f}" for value in means)
    print(f"{name:18}{shown}  {spearman(means):5.2f}", flush=True)


def main(words: list[str] | None = None) -> int:
    """Parse the words of the command line, check, say what is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20262)
    parser.add_argument("--scale", type=int, default=200)
    parser.add_argument("--samples", type=int, default=4, help="rollouts of each task")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--families", nargs="+", default=list(FAMILIES), choices=FAMILIES)
    parser.add_argument("--out", type=Path, help="keep the runs here")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        wrong = check(given, given.out or Path(folder))
    for line in wrong:
        print(f"WRONG  {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
