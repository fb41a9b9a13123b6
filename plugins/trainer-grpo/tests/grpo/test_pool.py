"""The tasks of a training: from several runs, proven, or named one by one."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from compoworld_trainer_grpo.pool import Pool
from compoworld_trainer_grpo.settings import GrpoSettings

from compoworld_core.errors import UsageError
from compoworld_core.lines import to_line
from compoworld_core.records import Task
from compoworld_core.run import Run


def settings(*runs: Path, **values: Any) -> GrpoSettings:
    return GrpoSettings(model="tiny", tasks=tuple(map(str, runs)), **values)


@pytest.fixture
def unproven(tasks_run: Run, tasks: list[Task], tmp_path: Path) -> Path:
    """A run whose tasks were made by hand: they were only replayed."""
    folder = tmp_path / "foreign"
    shutil.copytree(tasks_run.path, folder)
    made = [
        task.model_copy(
            update={
                "id": f"task-foreign{number}",
                "certificate": task.certificate.model_copy(update={"kind": "replay-only"}),
            }
        )
        for number, task in enumerate(tasks)
    ]
    (folder / "tasks.jsonl").write_text("".join(f"{to_line(task)}\n" for task in made))
    return folder


def test_each_task_starts_from_its_own_run(tasks_run: Run, tasks: list[Task]) -> None:
    pool = Pool.open(settings(tasks_run.path))
    assert list(pool.tasks) == [task.id for task in tasks]
    opened = pool.start(tasks[1])
    assert sorted(opened.services) == sorted((*tasks[1].services, *tasks[1].distractors))


def test_tasks_without_a_proof_are_refused(unproven: Path) -> None:
    with pytest.raises(UsageError, match="3 tasks, such as task-foreign0, carry no proof"):
        Pool.open(settings(unproven))


def test_tasks_without_a_proof_are_taken_by_name(unproven: Path, tasks_run: Run) -> None:
    pool = Pool.open(settings(tasks_run.path, unproven, only=("task-foreign2",)))
    assert list(pool.tasks) == ["task-foreign2"]


def test_a_name_that_is_not_there_is_refused(tasks_run: Run) -> None:
    with pytest.raises(UsageError, match="no task is called 'nope'"):
        Pool.open(settings(tasks_run.path, only=("nope",)))


def test_a_fresh_models_tokenizer_sees_the_instructions(
    tasks_run: Run, tasks: list[Task]
) -> None:
    texts = list(Pool.open(settings(tasks_run.path)).texts())
    assert all(task.instruction in text for task, text in zip(tasks, texts, strict=False))
