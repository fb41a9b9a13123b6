"""Tasks without a proof or a plan: what splits, profiles and likeness are tested with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from compoworld_core.graph import graph_of
from compoworld_core.lines import to_line
from compoworld_core.patch import Operation, Patch
from compoworld_core.plan import Plan
from compoworld_core.records import Certificate, StartState, Task
from compoworld_core.run import Run

_SYLLABLES = ("ka", "lo", "mi", "nu", "pe", "ri", "so", "tu", "va", "zen")


def words(number: int, count: int = 30) -> str:
    """An instruction that no other number has."""
    rng = Random(f"words:{number}")
    return " ".join("".join(rng.choices(_SYLLABLES, k=3)) for _ in range(count))


def bare_task(number: int, walk: Sequence[str], **changes: Any) -> Task:
    """A replay-only task with this walk, and its own instruction and s0."""
    row = {"table": "rows", "op": "insert", "row": {"number": number}}
    values: dict[str, Any] = {
        "id": f"task-{number:012x}",
        "instruction": words(number),
        "services": tuple(dict.fromkeys(walk)),
        "walk": tuple(walk),
        "graph": graph_of(walk),
        "s0": StartState(
            bases={}, patches={walk[0]: Patch(operations=[Operation.model_validate(row)])}
        ),
        "criteria": (),
        "reference": Plan(steps=(), goals=()),
        "goal_digest": "",
        "certificate": Certificate(kind="replay-only"),
    }
    return Task.model_validate(values | changes)


def bare_run(path: Path, tasks: Iterable[Task]) -> Run:
    """A run folder with these tasks, and no world."""
    run = Run.start(path, {"command": "by hand"}, {})
    (path / "tasks.jsonl").write_text("".join(f"{to_line(task)}\n" for task in tasks))
    return run
