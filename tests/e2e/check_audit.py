"""Generates tasks of a fresh seed and measures the verifier on outcomes changed on purpose.

Run it by hand: `.venv/bin/python tests/e2e/check_audit.py --n 1000 --seed 77`. It prints the
confusion matrix by kind, and exits with 1 unless 99.5 % of the wrong outcomes are rejected and
99.5 % of the equivalent ones accepted, every task gives at least eight wrong and four
equivalent outcomes, and (from 100 tasks on) every kind that the tasks have a place for has its
twenty cases.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from check_tasks import asked  # found by conftest's path, or as the script's neighbour

TARGET = 0.995
RARE = "no task has a place for it"


def matrix(found: dict[str, Any]) -> None:
    """Print the verdicts by kind, and why outcomes were skipped."""
    print(f"{'OUTCOME':12}{'KIND':28}{'N':>7}{'RIGHT':>7}{'WRONG':>7}{'SKIPPED':>9}")
    for side, right in (("wrong", "rejected"), ("equivalent", "accepted")):
        for kind, row in found[side].items():
            skipped = sum(found["skipped"].get(kind, {}).values())
            missed = row["n"] - row[right]
            print(f"{side:12}{kind:28}{row['n']:7}{row[right]:7}{missed or '':>7}{skipped:9}")
    for kind, reasons in found["skipped"].items():
        for why, count in reasons.items():
            print(f"  skipped {kind}: {count} × {why}")


def check(n: int, seed: int, scale: int, workers: int, out: Path) -> list[str]:
    """Print the figures; returns what does not hold."""
    run, spread = str(out / "run"), ["--workers", str(workers)]
    made = asked(
        "tasks", "generate", "--n", str(n), "--seed", str(seed), "--scale", str(scale),
        *spread, "--out", run,
    )  # fmt: skip
    print(f"generated {made['accepted']} of {made['tried']} tries in {made['seconds']} s")
    found = asked("tasks", "audit", run, "--seed", str(seed), *spread)
    matrix(found)
    rate = found["tasks"] / max(found["seconds"], 0.001)
    print(f"audited {found['tasks']} tasks in {found['seconds']} s, {rate:.2f} a second")
    print(f"rejected {found['rejected']:.4f}, accepted {found['accepted']:.4f}")
    wrong = [f"{row['task']}: {row['kind']} ({row['side']})" for row in found["misjudged"][:40]]
    wrong = [f"misjudged: {line}" for line in wrong]
    if made["accepted"] < n:
        wrong.append(f"{made['accepted']} of {n} tasks were accepted")
    if found["rejected"] >= TARGET and found["accepted"] >= TARGET:
        wrong = [line for line in wrong if not line.startswith("misjudged")]
    if found["thin"]:
        wrong.append(f"tasks with too few outcomes: {', '.join(found['thin'][:10])}")
    if n >= 100:
        short = found["short"].items()
        wrong += [f"{kind} has {cases} cases" for kind, cases in short if cases]
        rare = [kind for kind, cases in short if not cases]
        if rare:
            print(f"{RARE}: {', '.join(rare)}")
    return wrong


def main(words: list[str] | None = None) -> int:
    """Parse the words of the command line, check, say what is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=77)
    parser.add_argument("--scale", type=int, default=200)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, help="keep the run here")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        out = given.out or Path(folder)
        wrong = check(given.n, given.seed, given.scale, given.workers, out)
    for line in wrong:
        print(f"WRONG  {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
