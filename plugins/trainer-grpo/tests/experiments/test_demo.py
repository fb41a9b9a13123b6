"""The demo: what is reduced is said, and seeds come back in order."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from compoworld_trainer_grpo.experiments import demo, lab
from compoworld_trainer_grpo.experiments.lab import Lab
from compoworld_trainer_grpo.experiments.record import Record, Row

SIZE = demo.Size(seeds=3)


def courses() -> list[demo.Course]:
    return [demo.Course(SIZE, seed, Path("data"), Path("tasks"), {}) for seed in range(3)]


def taken(self: demo.Course, where: Lab) -> Record:
    """A course without a training."""
    where.say(f"seed {self.seed}")
    figures = {"mean": 0.5, "low": 0.4, "high": 0.6}
    record = Record("course", "", "")
    record.rows.append(Row(demo.AFTER_SFT, demo.NEW_RECORDS, self.seed, 4, 8, figures, figures))
    return record


class Elsewhere:
    """An executor that notes how many workers it was given."""

    def __init__(self) -> None:
        self.workers = 0

    def map(
        self, function: Callable[[Any], Any], items: Iterable[Any], *, workers: int
    ) -> Iterator[Any]:
        self.workers = workers
        return map(function, items)


@pytest.mark.parametrize(("processors", "workers"), [(1, 0), (2, 2), (8, 3)])
def test_seeds_are_trained_beside_one_another_and_come_back_in_order(
    processors: int, workers: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    executor, said = Elsewhere(), list[str]()
    monkeypatch.setattr(demo.Course, "take", taken)
    monkeypatch.setattr(lab, "load_executor", lambda _name, _workers: executor)
    record = Record("demo", "", "")
    Lab(tmp_path, said.append, workers=processors).take(record, courses())
    assert [row.seed for row in record.rows] == [0, 1, 2]
    assert said == ["seed 0", "seed 1", "seed 2"]
    assert executor.workers == workers


def test_reduced_tasks_are_said_with_all_that_reduces_them() -> None:
    said = demo.LEARN.pool.said()
    for part in ("2 of shopify", "walks of 2 visits", "pools=24", "least_writes=1", "terse"):
        assert part in said
    assert "only tasks that end in create_refund" in said


def test_the_quick_demo_asks_for_less() -> None:
    for name in ("practice", "held", "grpo_steps", "seeds"):
        assert getattr(demo.QUICK, name) < getattr(demo.LEARN, name)


def test_grpo_has_enough_tasks_of_its_own() -> None:
    """In the quick one each task is new; in the long one each comes twice at most."""
    for size, times in ((demo.QUICK, 1), (demo.LEARN, 2)):
        assert size.practice * times >= size.tasks_per_step * size.grpo_steps
