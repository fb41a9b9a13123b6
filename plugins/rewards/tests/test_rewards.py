"""Rewards: the facts that the recipe states, over any group."""

import pytest
from compoworld_rewards.completion import completion_focused
from compoworld_rewards.plain import binary, uniform
from hypothesis import given
from hypothesis import strategies as st

from compoworld_core import plugins
from compoworld_core.errors import UsageError
from compoworld_core.records import Verdict

LAMBDAS = st.floats(1e-6, 1e3)


def verdict(criteria: list[bool], gates: list[bool] | None = None) -> Verdict:
    return Verdict(
        criteria={f"c{n}": ok for n, ok in enumerate(criteria)},
        gates={f"g{n}": ok for n, ok in enumerate(gates or [])},
    )


@st.composite
def groups(draw: st.DrawFn, least_gates: int = 0) -> list[Verdict]:
    criteria, gates = draw(st.integers(1, 8)), draw(st.integers(least_gates, 2))
    row = st.tuples(
        st.lists(st.booleans(), min_size=criteria, max_size=criteria),
        st.lists(st.booleans(), min_size=gates, max_size=gates),
    )
    return [verdict(*pair) for pair in draw(st.lists(row, min_size=1, max_size=9))]


# -- completion-focused --------------------------------------------------------------------


@given(groups(), LAMBDAS, st.sampled_from(["criterion", "multiply"]))
def test_a_reward_is_between_0_and_1_and_1_exactly_when_all_holds(
    group: list[Verdict], lam: float, gates: str
) -> None:
    rewards = completion_focused(group, lam=lam, gates=gates)  # type: ignore[arg-type]  # one of the two
    assert len(rewards) == len(group)
    for reward, each in zip(rewards, group, strict=True):
        assert 0 <= reward <= 1
        assert (reward == 1) == each.success


@given(groups(), LAMBDAS)
def test_it_is_the_formula(group: list[Verdict], lam: float) -> None:
    rows = [[*v.criteria.values(), *v.gates.values()] for v in group]
    p = [sum(row[j] for row in rows) / len(rows) for j in range(len(rows[0]))]
    w = [lam + (1 - share) for share in p]
    wanted = [sum(a * b for a, b in zip(w, row, strict=True)) / sum(w) for row in rows]
    assert completion_focused(group, lam=lam) == pytest.approx(wanted)


@given(st.integers(1, 6), st.integers(1, 5), LAMBDAS)
def test_with_equal_rates_it_is_the_uniform_mean(size: int, held: int, lam: float) -> None:
    held = min(held, size)
    # a circulant group: each criterion holds in `held` of the `size` rollouts
    group = [verdict([(i + j) % size < held for j in range(size)]) for i in range(size)]
    assert completion_focused(group, lam=lam) == pytest.approx([held / size] * size)


def test_what_everyone_satisfies_weighs_lambda() -> None:
    easy, both = verdict([True, False]), verdict([True, True])
    assert completion_focused([easy, both], lam=0.01)[0] == pytest.approx(0.01 / 0.52)


def test_the_default_lambda_is_the_papers() -> None:
    group = [verdict([True, False]), verdict([True, True])]
    assert completion_focused(group) == completion_focused(group, lam=0.01)


def test_what_few_satisfy_earns_more_than_what_many_do() -> None:
    rare = verdict([True, False])
    common = verdict([False, True])
    rewards = completion_focused([rare, common, common, common])
    assert rewards[0] > rewards[1]


@given(groups(), LAMBDAS, st.randoms(use_true_random=False))
def test_permuting_the_group_permutes_the_rewards(
    group: list[Verdict], lam: float, rng: object
) -> None:
    order = list(range(len(group)))
    rng.shuffle(order)  # type: ignore[attr-defined]  # a Random
    rewards = completion_focused(group, lam=lam)
    shuffled = completion_focused([group[i] for i in order], lam=lam)
    assert shuffled == [rewards[i] for i in order]


@pytest.mark.parametrize("lam", [0, -0.5, float("nan"), float("inf"), "0.1", True])
def test_lambda_must_be_above_0(lam: float) -> None:
    with pytest.raises(UsageError, match="finite number above 0"):
        completion_focused([verdict([True])], lam=lam)


def test_a_group_that_satisfies_everything_earns_1() -> None:
    assert completion_focused([verdict([True, True], [True])] * 4) == [1.0] * 4


def test_a_group_of_one_is_scored() -> None:
    assert completion_focused([verdict([True, False])], lam=0.5) == pytest.approx([0.25])


# -- gates ---------------------------------------------------------------------------------


def test_doing_nothing_earns_next_to_nothing() -> None:
    idle, done = verdict([False] * 3, [True]), verdict([True] * 3, [True])
    assert 0 < completion_focused([idle, done])[0] < 0.01


def test_breaking_a_gate_costs() -> None:
    clean, broken = verdict([True, False], [True]), verdict([True, False], [False])
    kept, lost = completion_focused([clean, broken])
    assert kept > lost > 0


@given(groups(least_gates=1), LAMBDAS)
def test_multiplied_gates_take_all_and_otherwise_change_nothing(
    group: list[Verdict], lam: float
) -> None:
    bare = completion_focused([verdict(list(v.criteria.values())) for v in group], lam=lam)
    for reward, without, each in zip(
        completion_focused(group, lam=lam, gates="multiply"), bare, group, strict=True
    ):
        assert reward == (without if all(each.gates.values()) else 0)


def test_a_gate_and_a_criterion_of_one_name_are_two_conditions() -> None:
    both = Verdict(criteria={"same": True}, gates={"same": False})
    assert uniform([both]) == [0.5]


# -- uniform, binary -----------------------------------------------------------------------


@given(groups())
def test_uniform_without_gates_is_the_uniform_score(group: list[Verdict]) -> None:
    bare = [verdict(list(v.criteria.values())) for v in group]
    assert uniform(bare) == [v.uniform for v in group]


@given(groups())
def test_binary_is_success(group: list[Verdict]) -> None:
    assert binary(group) == [float(v.success) for v in group]


# -- wrong use -----------------------------------------------------------------------------


@pytest.mark.parametrize("reward", [completion_focused, uniform, binary])
def test_an_empty_group_an_empty_rubric_and_mixed_tasks_are_refused(reward: object) -> None:
    assert callable(reward)
    with pytest.raises(UsageError, match="at least one rollout"):
        reward([])
    with pytest.raises(UsageError, match="no criterion"):
        reward([Verdict(criteria={}, gates={"g": True})])
    with pytest.raises(UsageError, match="different rubrics"):
        reward([verdict([True]), verdict([True, True])])


def test_an_unknown_way_with_gates_is_refused() -> None:
    with pytest.raises(UsageError, match="there are: criterion, multiply"):
        uniform([verdict([True])], gates="ignore")  # type: ignore[arg-type]  # the point


def test_verdicts_may_name_their_criteria_in_any_order() -> None:
    first = Verdict(criteria={"a": True, "b": False}, gates={})
    second = Verdict(criteria={"b": True, "a": False}, gates={})
    assert completion_focused([first, second]) == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("name", ["completion-focused", "uniform", "binary"])
def test_it_is_found_by_name(name: str) -> None:
    reward = plugins.rewards().load(name)
    assert callable(reward)
    assert reward([verdict([True], [True])]) == [1.0]
