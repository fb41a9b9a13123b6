"""Evaluation: means over tasks, pass^k without bias, intervals that cover and repeat."""

from itertools import combinations
from random import Random

import pytest

from compoworld_core.evaluation import Evaluation, Outcome, bootstrap


def outcome(task: str, passed: int, rollouts: int, **slices: tuple[str, ...]) -> Outcome:
    return Outcome(task, rollouts, passed, passed / rollouts, 0, slices)


def test_pass_hat_is_the_share_of_subsets_that_pass_whole() -> None:
    verdicts = [True, True, True, False, False]
    found = outcome("a", 3, 5)
    for k in range(1, 6):
        subsets = list(combinations(verdicts, k))
        assert found.hat(k) == pytest.approx(sum(map(all, subsets)) / len(subsets))


def test_a_task_counts_once_however_often_it_was_played() -> None:
    found = Evaluation([outcome("a", 8, 8), outcome("b", 0, 2)]).figures()
    assert found["success"]["mean"] == 0.5
    assert found["rollouts"] == 10


def test_pass_hat_goes_as_far_as_the_task_with_fewest_rollouts() -> None:
    found = Evaluation([outcome("a", 8, 8), outcome("b", 1, 2)]).figures()
    assert list(found["pass_hat"]) == ["1", "2"]
    assert found["pass_hat"]["2"]["mean"] == 0.5


def test_slices_hold_only_their_tasks_and_come_in_the_order_of_numbers() -> None:
    found = Evaluation(
        [
            outcome("a", 2, 2, pattern=("create", "copy"), k=("10",)),
            outcome("b", 0, 2, pattern=("copy",), k=("2",)),
        ]
    ).figures()["by"]
    assert list(found["k"]) == ["2", "10"]
    assert found["pattern"]["create"]["success"]["mean"] == 1.0
    assert found["pattern"]["copy"]["success"]["mean"] == 0.5
    assert found["domain"] == {}


def test_an_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = Random(5)
    covered = 0
    for trial in range(200):
        values = [float(rng.random() < 0.4) for _ in range(60)]
        found = bootstrap(values, trial, 200)
        covered += found.low <= 0.4 <= found.high
    assert 180 <= covered <= 198


def test_an_interval_repeats_with_its_seed() -> None:
    values = [n**0.5 for n in range(9)]
    assert bootstrap(values, 3) == bootstrap(values, 3)
    assert bootstrap(values, 3) != bootstrap(values, 4)


@pytest.mark.parametrize(("value", "low", "high"), [(1.0, 0.722, 1.0), (0.0, 0.0, 0.278)])
def test_where_all_tasks_agree_the_interval_is_wilsons(
    value: float, low: float, high: float
) -> None:
    found = bootstrap([value] * 10, 0)
    assert found.mean == value
    assert (found.low, found.high) == (
        pytest.approx(low, abs=1e-3),
        pytest.approx(high, abs=1e-3),
    )
    assert 0 <= found.low <= found.high <= 1


def test_no_values_have_no_mean() -> None:
    assert bootstrap([], 0).mean == 0.0


def test_pass_hat_is_told_of_each_pattern_domain_and_difficulty() -> None:
    slices = {"pattern": ("copy",), "difficulty": ("0.0-0.2",), "k": ("2",)}
    found = Evaluation(
        [
            outcome("a", 2, 4, **slices, domain=("crm",)),
            outcome("b", 3, 3, **slices, domain=("pay",)),
        ]
    ).figures()
    by = found["by"]
    assert [hat["mean"] for hat in by["domain"]["crm"]["pass_hat"].values()] == [
        0.5, pytest.approx(1 / 6), 0.0, 0.0,
    ]  # fmt: skip
    for name in ("pattern", "difficulty"):
        assert [part["pass_hat"] for part in by[name].values()] == [found["pass_hat"]]
    assert "pass_hat" not in by["k"]["2"]
