"""Each comparison from its tasks to its claims, at a size that learns nothing."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import evolve
from compoworld_trainer_grpo.experiments import comparisons, courses
from compoworld_trainer_grpo.experiments.lab import Lab
from compoworld_trainer_grpo.experiments.record import Record, Row

from compoworld_core.run import Run

SIZE = courses.Size(
    seeds=1, demonstrations=8, shown=8, practice=30, held=6, samples=1, sft_steps=4,
    short_steps=4, grpo_steps=1,
)  # fmt: skip
ARMS = {
    "composed": {"composed", "single services"},
    "rewards": {"SFT", "completion-focused", "uniform", "binary", "f-grpo"},
    "lengths": {"K=2, L=2", "K=2, L=3", "K=3, L=3"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_a_comparison_trains_each_arm_and_scores_it_on_each_test(
    name: str, tmp_path: Path
) -> None:
    record = getattr(comparisons, name)(Lab(tmp_path, print), SIZE)
    assert {row.arm for row in record.rows} == ARMS[name]
    tests = {row.test for row in record.rows}
    assert len(record.rows) == len(ARMS[name]) * len(tests)
    assert all(row.turns is not None for row in record.rows)
    assert {claim.text.rsplit(": ")[1].split()[0] for claim in record.claims} == {
        "success", "uniform", "turns",
    }  # fmt: skip
    assert record.curves


@pytest.mark.slow
def test_each_demonstration_of_the_growing_ones_is_of_another_set(tmp_path: Path) -> None:
    size = evolve(SIZE, demonstrations=12, held=4)
    record = comparisons.growth(Lab(tmp_path, print), size)
    sizes = [int(row.arm.split()[0]) for row in record.rows]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] >= 2 * sizes[1]
    most, *fewer = (sets(tmp_path / f"train-{count}") for count in sizes)
    for name, found in (("train", most), ("test", sets(tmp_path / "test"))):
        assert len(set(found)) == len(found), name
    assert not set(most) & set(sets(tmp_path / "test"))
    assert all(found == most[: len(found)] for found in fewer)


def sets(run: Path) -> list[frozenset[str]]:
    """The set of services of each task."""
    return [frozenset(task.services) for task in Run.open(run).tasks()]


def test_training_tasks_of_each_length_are_as_many(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As many as the shape with the fewest has, of which fewer were accepted than wanted."""
    accepted = iter((14, 11, 12))
    arms: dict[str, list[str]] = {}

    def tasks(_: Lab, name: str, __: object) -> Any:
        made = [SimpleNamespace(id=f"{name}-{n}") for n in range(next(accepted))]
        return SimpleNamespace(tasks=lambda: iter(made))

    def supervise(_: Lab, record: Record, *given: Any) -> None:
        size, _, trained, tests = given
        arms.update(trained)
        assert list(trained) == list(tests)
        assert all(set(trained[name]).isdisjoint(tests[name]) for name in tests)
        assert [len(test) for test in tests.values()] == [size.held] * 3
        figures = dict.fromkeys(("mean", "low", "high"), 0.0)
        record.rows += [
            Row(arm, test, 0, 1, 1, figures, figures, figures)
            for arm in trained for test in tests
        ]  # fmt: skip

    monkeypatch.setattr(Lab, "tasks", tasks)
    monkeypatch.setattr(Lab, "part", lambda _, __, ___, some: [task.id for task in some])
    monkeypatch.setattr(comparisons, "_supervise", supervise)
    record = comparisons.lengths(Lab(tmp_path, str), evolve(SIZE, held=3))
    assert {name: len(some) for name, some in arms.items()} == dict.fromkeys(ARMS["lengths"], 8)
    assert "8 demonstrations in each arm." in record.notes
