"""Pool: the tasks that GRPO trains on, and the order in which batches take them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from compoworld_core.errors import UsageError
from compoworld_core.records import Task
from compoworld_core.run import Run, open_task
from compoworld_trainer_grpo.settings import GrpoSettings

if TYPE_CHECKING:
    from compoworld_core.environment import Environment


class Pool:
    """The tasks that are trained on, each with the run that its s0 lies in."""

    def __init__(self, found: Iterable[tuple[Run, Task]]) -> None:
        self.tasks: dict[str, Task] = {}
        """By id, in the order of the runs."""
        self._runs: dict[str, Run] = {}
        for run, task in found:
            if task.id not in self.tasks:
                self.tasks[task.id] = task
                self._runs[task.id] = run

    @classmethod
    def open(cls, settings: GrpoSettings) -> Pool:
        """The tasks of a run's settings.

        Raises UsageError where there is none, one that is named is missing, or one carries no
        proof.
        """
        runs = [Run.open(Path(path)) for path in settings.tasks]
        pool = cls((run, task) for run in runs for task in run.tasks())
        if settings.only:
            missing = sorted(set(settings.only) - set(pool.tasks))
            if missing:
                raise UsageError(
                    f"no task is called {missing[0]!r} in {', '.join(settings.tasks)};"
                    f" {len(missing)} of {len(settings.only)} names in `only` are missing"
                )
            pool.tasks = {name: pool.tasks[name] for name in settings.only}
        if not pool.tasks:
            raise UsageError(
                f"{', '.join(settings.tasks)}: no tasks; make some: compoworld tasks generate"
            )
        unproven = [t.id for t in pool.tasks.values() if t.certificate.kind != "proven"]
        if unproven and not settings.only:
            raise UsageError(
                f"{len(unproven)} tasks, such as {unproven[0]}, carry no proof, only a replay:"
                " they may be impossible, or solved by doing nothing. To train on them all the"
                " same, name the tasks: --set 'only=[\"ID\"]'"
            )
        return pool

    def start(self, task: Task) -> Environment:
        """A task in s0."""
        return open_task(self._runs[task.id], task)

    def texts(self) -> Iterator[str]:
        """Rendered openings and the services' documents, for the tokenizer of `tiny`."""
        from compoworld_core.conversation import opening
        from compoworld_core.meta import SCHEMAS
        from compoworld_trainer_grpo.models.tiny import catalogue
        from compoworld_trainer_grpo.sft import installed
        from compoworld_trainer_grpo.templates.known import find

        compact = find("compact")
        for task in self.tasks.values():
            messages = opening(task.instruction, answered=task.user is not None)
            yield compact.render(messages, SCHEMAS, generation=True)
        yield from catalogue(installed(n for t in self.tasks.values() for n in t.services))


def task_order(names: Sequence[str], settings: GrpoSettings) -> list[str]:
    """The tasks of all generation batches, one after the other.

    Each pass over the tasks is shuffled anew; those that do not fill a batch are left for the
    next pass, so that no batch holds a task twice. Made here and not by a data loader, it is
    the same in a run that goes on after a kill.

    Raises UsageError where a batch wants more tasks than there are.
    """
    each = settings.tasks_per_step
    if len(names) < each:
        raise UsageError(
            f"a generation batch wants {each} tasks and there are {len(names)}; tasks_per_step"
            f" that fits: at most {len(names)}, or make more tasks"
        )
    a_pass = len(names) // each
    steps = settings.steps or max(1, round(settings.epochs * a_pass))
    draw = Random(f"tasks:{settings.seed}")
    order: list[str] = []
    while len(order) < steps * each:
        shuffled = sorted(names)
        draw.shuffle(shuffled)
        order += shuffled[: a_pass * each]
    return order[: steps * each]
