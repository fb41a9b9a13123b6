"""The same request gives the same bytes, whatever the process, its cache and its history."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from compoworld_core.generation import Rejection, Request, attempt, load_generator
from compoworld_core.lines import to_line
from compoworld_core.records import Task
from compoworld_core.world import World

# the first test of a changed core learns all tools anew, on however loaded a machine
pytestmark = pytest.mark.timeout(600)

Outcomes = list[Task | Rejection]

COMMAND = Path(sys.executable).with_name("compoworld")
ASKED = [
    "--n", "3", "--k", "3", "--walk", "4:6", "--distractors", "1", "--scale", "40",
    "--seed", "9", "--services", "gmail,hubspot,stripe,zendesk",
]  # fmt: skip


def shown(outcome: Task | Rejection) -> str:
    return to_line(outcome) if isinstance(outcome, Task) else repr(outcome)


def generated(out: Path, cache: Path, hash_seed: str, workers: str) -> dict[str, bytes]:
    surroundings = os.environ | {"PYTHONHASHSEED": hash_seed, "XDG_CACHE_HOME": str(cache)}
    words = [COMMAND, "tasks", "generate", *ASKED, "--workers", workers, "--out", out]
    done = subprocess.run(words, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    files = sorted(path for path in out.rglob("*") if path.is_file())
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    """Other hash seeds; one worker that learns the tools anew, two that find them learnt."""
    cache = tmp_path / "cache"
    cold = generated(tmp_path / "one", cache, "1", "1")
    assert list(cache.rglob("*.json"))
    warm = generated(tmp_path / "two", cache, "2", "2")
    assert cold == warm
    assert cold["tasks.jsonl"].count(b"\n") == 3


def test_a_try_does_not_depend_on_those_before_it(
    tries: Callable[..., Outcomes], world: World, request_of: Callable[..., Request]
) -> None:
    in_order = tries(6)
    fresh = load_generator("walk")
    backwards = [attempt(world, fresh, request_of(), index) for index in reversed(range(6))]
    assert [shown(o) for o in in_order] == [shown(o) for o in reversed(backwards)]
    assert any(isinstance(outcome, Task) for outcome in in_order)


def test_another_seed_gives_other_tasks(tries: Callable[..., Outcomes]) -> None:
    ids = [
        {o.id for o in tries(6, seed=seed) if isinstance(o, Task)}
        for seed in (5, 6)
    ]  # fmt: skip
    assert ids[0]
    assert ids[1]
    assert not ids[0] & ids[1]
