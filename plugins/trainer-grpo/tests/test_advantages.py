"""Rewards, weights and advantages of groups, against the paper's equations in NumPy."""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from compoworld_rewards.completion import completion_focused
from compoworld_rewards.plain import binary, uniform
from compoworld_trainer_grpo.advantages import DELTA, Scoring, focal, no_signal, normalised

from compoworld_core.errors import PluginError, UsageError
from compoworld_core.records import Verdict


def verdicts(rows: Sequence[Sequence[int]], gate: Sequence[int] | None = None) -> list[Verdict]:
    held = gate or [1] * len(rows)
    return [
        Verdict(
            criteria={f"c{j}": bool(b) for j, b in enumerate(row)}, gates={"unchanged": bool(g)}
        )
        for row, g in zip(rows, held, strict=True)
    ]


def draws(seed: int, n: int = 8, m: int = 5) -> np.ndarray[Any, Any]:
    """n rollouts of m criteria and a gate, as 0 and 1."""
    random = Random(seed)
    return np.array([[int(random.random() < 0.4) for _ in range(m + 1)] for _ in range(n)])


def reference_reward(b: np.ndarray[Any, Any], lam: float) -> np.ndarray[Any, Any]:
    """Section 4.3: p_j, w_j, R_i; a gate is one more criterion."""
    p = b.mean(axis=0)
    w = lam + (1 - p)
    return np.asarray((b * w).sum(axis=1) / w.sum())


def reference_advantage(r: np.ndarray[Any, Any], delta: float) -> np.ndarray[Any, Any]:
    """Section 4.3: population deviation."""
    return np.asarray((r - r.mean()) / (r.std(ddof=0) + delta))


@pytest.mark.parametrize("seed", range(6))
def test_rewards_and_advantages_are_the_papers(seed: int) -> None:
    b = draws(seed)
    group = Scoring(completion_focused, {"lam": 0.01}).score(
        "t", verdicts(b[:, :-1].tolist(), b[:, -1].tolist())
    )
    reward = reference_reward(b, 0.01)
    np.testing.assert_allclose(np.array(group.rewards, dtype=float), reward, atol=1e-12)
    np.testing.assert_allclose(group.advantages, reference_advantage(reward, DELTA), atol=1e-9)


@pytest.mark.parametrize(
    ("reward", "expected"),
    [(uniform, lambda b: b.mean(axis=1)), (binary, lambda b: b.all(axis=1).astype(float))],
)
def test_other_rewards_are_normalised_the_same(reward: Any, expected: Any) -> None:
    b = draws(3, n=6, m=1)
    group = Scoring(reward, {}, delta=0.5).score(
        "t", verdicts(b[:, :-1].tolist(), b[:, -1].tolist())
    )
    np.testing.assert_allclose(
        group.advantages, reference_advantage(expected(b), 0.5), atol=1e-12
    )


def test_deviation_divides_by_n_not_by_n_less_one() -> None:
    # two rollouts, 0 and 1: the population's deviation is 0.5, the sample's 0.707
    assert normalised([0.0, 1.0], delta=0.0) == [-1.0, 1.0]


def test_equal_rewards_give_exact_zeros() -> None:
    # 0.1 three times has a mean that is not 0.1: a division would make noise into a signal
    assert normalised([0.1, 0.1, 0.1], delta=1e-300) == [0.0, 0.0, 0.0]
    assert no_signal([0.1, 0.1, 0.1])
    assert not no_signal([0.1, 0.2])


@pytest.mark.parametrize("gamma", [0.5, 1.0, 2.0])
def test_f_grpo_scales_advantages_by_the_share_that_failed(gamma: float) -> None:
    rows = [[1, 1], [1, 1], [1, 0], [0, 0]]
    plain = Scoring(completion_focused, {}).score("t", verdicts(rows))
    scaled = Scoring(completion_focused, {}, "f-grpo", gamma).score("t", verdicts(rows))
    assert scaled.factor == pytest.approx(0.5**gamma)
    assert scaled.rewards == plain.rewards
    np.testing.assert_allclose(scaled.advantages, np.array(plain.advantages) * 0.5**gamma)


def test_f_grpo_falls_with_success_and_leaves_failure_alone() -> None:
    factors = [focal([True] * k + [False] * (8 - k)) for k in range(9)]
    assert factors[0] == 1.0
    assert factors[-1] == 0.0
    assert factors == sorted(factors, reverse=True)


def test_a_rollout_without_a_verdict_is_no_part_of_its_group() -> None:
    rows = verdicts([[1, 1], [1, 0], [0, 0]])
    alone = Scoring(completion_focused, {}).score("t", rows)
    with_error = Scoring(completion_focused, {}).score("t", [rows[0], None, *rows[1:]])
    assert with_error.rewards[1] is None
    assert with_error.advantages == (alone.advantages[0], 0.0, *alone.advantages[1:])


def test_shuffled_rollouts_have_shuffled_advantages() -> None:
    rows = verdicts(draws(1)[:, :-1].tolist())
    scoring = Scoring(completion_focused, {}, "f-grpo")
    before = scoring.score("t", rows).advantages
    order = list(range(len(rows)))
    Random(4).shuffle(order)
    after = scoring.score("t", [rows[i] for i in order]).advantages
    np.testing.assert_allclose(after, [before[i] for i in order], atol=1e-12)


def test_regrouped_batches_have_the_same_groups() -> None:
    each = {name: verdicts(draws(i)[:, :-1].tolist()) for i, name in enumerate("abc")}
    scoring = Scoring(completion_focused, {})

    def batch(order: str) -> dict[str, tuple[float, ...]]:
        tasks = [name for name in order for _ in range(8)]
        rows = [verdict for name in order for verdict in each[name]]
        return {g.task: g.advantages for g in scoring.score_batch(tasks, rows, n=8)}

    assert batch("abc") == batch("cab")


def test_a_group_of_two_tasks_is_refused() -> None:
    rows = verdicts([[1], [0], [1], [0]])
    with pytest.raises(PluginError, match="tasks a, b"):
        Scoring(uniform, {}).score_batch(["a", "b", "b", "a"], rows, n=2)


def test_rows_that_are_no_whole_groups_are_refused() -> None:
    with pytest.raises(UsageError, match="multiple of 2"):
        Scoring(uniform, {}).score_batch(["a"] * 3, verdicts([[1], [0], [1]]), n=2)
