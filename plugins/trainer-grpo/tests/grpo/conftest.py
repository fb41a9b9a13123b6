"""Sample tasks, a small model, and engines that say what they are told."""

import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from compoworld_core import plugins
from compoworld_core.episode import play_episode
from compoworld_core.generation import Request, generate
from compoworld_core.meta import SCHEMAS
from compoworld_core.records import Task, Trajectory
from compoworld_core.rollout import load_policy
from compoworld_core.run import Run, open_task

HERE = Path(__file__).parent
SERVICES = HERE.parents[3] / "tests" / "services"
NAMES = ("mailbox", "crm", "billing", "tracker", "notes")

sys.path[:0] = [str(HERE), str(SERVICES)]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The sample services and their generator are installed, and no other service."""
    variables = {
        "PYTHONPATH": f"{SERVICES}{os.pathsep}{SERVICES / 'installed'}",
        "COMPOWORLD_DISABLE_PLUGINS": "services",
        "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SERVICES / "installed"))
        for name, value in variables.items():
            patch.setenv(name, value)
        plugins.current.cache_clear()
        yield variables
    plugins.current.cache_clear()


@pytest.fixture(scope="module")
def tasks_run(installed: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with three tasks."""
    path = tmp_path_factory.mktemp("tasks") / "run"
    generate(Request(n=3, distractors=0, services=NAMES, scale=40, generator="sample"), path)
    return Run.open(path)


@pytest.fixture(scope="module")
def tasks(tasks_run: Run) -> list[Task]:
    return list(tasks_run.tasks())


@pytest.fixture(scope="module")
def solved(tasks_run: Run, tasks: list[Task]) -> list[Trajectory]:
    """Each task, played by the oracle."""
    return [
        play_episode(task, open_task(tasks_run, task), load_policy("oracle")(task, seed=0))
        for task in tasks
    ]


@pytest.fixture(scope="module")
def loaded(solved: list[Trajectory]) -> Any:
    """A small model with fresh weights, whose tokenizer knows the tasks."""
    from compoworld_trainer_grpo.models import tiny
    from compoworld_trainer_grpo.templates.known import find

    texts = [find("compact").render(t.messages, SCHEMAS, generation=False) for t in solved]
    return tiny.build(texts, seed=3, vocabulary=512, layers=2, hidden=64)


@pytest.fixture(scope="module")
def opener(tasks_run: Run) -> Any:
    return partial(open_task, tasks_run)
