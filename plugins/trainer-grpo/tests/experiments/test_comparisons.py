"""Each comparison from its tasks to its claims, at a size that learns nothing."""

from pathlib import Path

import pytest
from attrs import evolve
from compoworld_trainer_grpo.experiments import comparisons, courses
from compoworld_trainer_grpo.experiments.lab import Lab

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
    sets = [int(row.arm.split()[0]) for row in record.rows]
    assert sets == sorted(sets, reverse=True)
    assert sets[0] >= 2 * sets[1]
