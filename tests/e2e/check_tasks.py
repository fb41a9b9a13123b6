"""Generates tasks of a fresh seed, proves them again and lets three policies play them.

Run it by hand: `.venv/bin/python tests/e2e/check_tasks.py --n 500 --seed 20261`. It exits with
1 unless every task proves again, the oracle passes all, doing nothing passes none, the spoiled
oracle lies strictly between, and no instruction has a slip of the pen or the name of a tool.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from compoworld_tasks_walk.slips import slips

from compoworld_core.run import Run

COMMAND = Path(sys.executable).with_name("compoworld")


def asked(*arguments: str) -> dict[str, Any]:
    """The JSON answer of a command; an answer of no (1) is an answer too."""
    words = [str(COMMAND), *arguments, "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise SystemExit(f"{' '.join(arguments)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def check(n: int, seed: int, scale: int, samples: int, workers: int, out: Path) -> list[str]:
    """Print the table; returns what does not hold."""
    run, spread = str(out / "run"), ["--workers", str(workers)]
    made = asked(
        "tasks", "generate", "--n", str(n), "--seed", str(seed), "--scale", str(scale),
        *spread, "--out", run,
    )  # fmt: skip
    print(f"generated {made['accepted']} of {made['tried']} tries in {made['seconds']} s")
    print(f"  refused: {made['rejected']}")
    proven = asked("tasks", "verify", run, *spread)
    print(f"proven again {proven['proven']} of {proven['tasks']}", flush=True)
    wrong = [f"{f['task']}: {f['probe']}: {f['why']}" for f in proven["failures"]]
    wrong += faults(Run.open(run))
    if made["accepted"] < n:
        wrong.append(f"{made['accepted']} of {n} tasks were accepted")
    rates = {}
    print(f"{'POLICY':10}{'ROLLOUTS':>10}{'PASS':>8}{'UNIFORM':>9}{'REWARD':>8}{'ERRORS':>8}")
    for policy in ("oracle", "partial", "null"):
        found = asked(
            "rollouts", "run", "--tasks", run, "--policy", policy, "--n", str(samples),
            "--seed", str(seed), *spread, "--out", str(out / policy),
        )  # fmt: skip
        rates[policy] = found["pass_rate"]
        print(
            f"{policy:10}{found['rollouts']:10}{found['pass_rate']:8.3f}"
            f"{found['uniform']:9.3f}{found['reward']:8.3f}{found['errors']:8}",
            flush=True,
        )
        if found["errors"]:
            wrong.append(f"{policy}: {found['errors']} rollouts ended in an error")
    if rates["oracle"] != 1:
        wrong.append(f"the oracle passes {rates['oracle']:.4f}")
    if rates["null"] != 0:
        wrong.append(f"doing nothing passes {rates['null']:.4f}")
    if not 0 < rates["partial"] < 1:
        wrong.append(f"the spoiled oracle passes {rates['partial']:.4f}")
    return wrong


def faults(run: Run) -> list[str]:
    """What is wrong with the wording of a run's instructions."""
    services = run.world().services.values()
    tools = {name for service in services for name in service.tools if not name.isalpha()}
    found = []
    for task in run.tasks():
        said = re.findall(r"[\w-]+", task.instruction)
        leaks = [f"the name of a tool: {name}" for name in said if name in tools]
        found += [f"{task.id}: {fault}" for fault in (*slips(task.instruction), *leaks)]
    return found


def main(words: list[str] | None = None) -> int:
    """Parse the words of the command line, check, say what is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--n", type=int, default=500)
    parser.add_argument("--seed", type=int, default=20261)
    parser.add_argument("--scale", type=int, default=200)
    parser.add_argument("--samples", type=int, default=2, help="rollouts of each task")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, help="keep the runs here")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        out = given.out or Path(folder)
        wrong = check(given.n, given.seed, given.scale, given.samples, given.workers, out)
    for line in wrong:
        print(f"WRONG  {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
