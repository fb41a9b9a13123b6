"""Mutations do what they say: equivalent ones end well, wrong ones differ where they should."""

from random import Random

import pytest
from sample_tasks import Draft, draft, sample_world

from compoworld_core.environment import Environment
from compoworld_core.plan import Step
from compoworld_core.proof import mutations
from compoworld_core.proof.case import Case
from compoworld_core.proof.mutant import Skipped
from compoworld_core.proof.mutations import EQUIVALENT, WRONG

ELSEWHERE = {"condition ignored", "missing recipient", "no answer", "wrong answer"}
"""Lapses that the sample leaves no room for; they have tests of their own."""


@pytest.fixture(scope="module")
def made() -> Draft:
    return draft(sample_world(scale=40))


@pytest.fixture(scope="module")
def case(made: Draft) -> Case:
    case = Case(made.candidate(), made.initial())
    case.prepare()
    return case


@pytest.mark.parametrize("kind", sorted(EQUIVALENT.keys() - {"late reads"}))
@pytest.mark.parametrize("seed", range(4))
def test_equivalent_outcomes_pass(case: Case, kind: str, seed: int) -> None:
    assert case.judge(EQUIVALENT[kind](case, Random(seed))).success


def test_reads_made_right_before_they_are_needed_pass(made: Draft) -> None:
    """The plan reads first what it can; the mutation reads late again."""
    written = {step.id for step in made.plan.steps if step.write}
    early: list[Step] = []
    for step in made.plan.steps:
        waits = step.write or bool(set(step.reads) & written)
        written |= {step.id} if waits else set()
        early += [] if waits else [step]
    rest = [step for step in made.plan.steps if step not in early]
    made.plan = made.plan.model_copy(update={"steps": (*early, *rest)})
    case = Case(made.candidate(), made.initial())
    case.prepare()
    assert case.judge(EQUIVALENT["late reads"](case, Random(0))).success


@pytest.mark.parametrize("kind", sorted(WRONG.keys() - ELSEWHERE))
@pytest.mark.parametrize("seed", range(4))
def test_wrong_outcomes_fail(case: Case, kind: str, seed: int) -> None:
    assert not case.judge(WRONG[kind](case, Random(seed))).success


def changed(case: Case, final: Environment) -> dict[str, set[object]]:
    """Table → keys of the rows that the mutant left otherwise than the reference did."""
    found: dict[str, set[object]] = {}
    for change in case.replay.environment.diff(final):
        found.setdefault(change.table, set()).add(change.id)
    return found


def test_another_order_ends_in_the_same_records(case: Case) -> None:
    finals = [mutations.other_order(case, Random(seed)) for seed in range(6)]
    orders = {
        tuple(call.tool for call in final.transcript if not call.observation.is_error)
        for final in finals
    }
    assert len(orders) > 1


def test_a_skipped_item_leaves_one_row_of_the_for_each(case: Case) -> None:
    rows = changed(case, mutations.skipped_item(case, Random(1)))
    assert len(rows.pop("invoices")) == 1
    assert not rows


def test_a_duplicate_adds_one_row(case: Case) -> None:
    final = mutations.duplicate(case, Random(1))
    (change,) = case.replay.environment.diff(final)
    assert change.before is None


def test_a_collateral_change_is_of_a_row_beside_the_targets(case: Case) -> None:
    final = mutations.collateral(case, Random(1))
    (change,) = case.replay.environment.diff(final)
    assert change.before is not None
    assert change.after is not None


def test_a_wrong_value_is_the_decoy(case: Case) -> None:
    final = mutations.wrong_value(case, Random(0))
    row = next(iter(final.state("tracker").table("issues").where(title="Launch plan dispute")))
    assert "770" in row.description


def test_a_plan_without_a_for_each_has_no_item_to_skip(made: Draft) -> None:
    other = draft(made.world)
    other.step("s4", foreach=None, arguments=made.plan.step("s9").arguments)
    other.plan = other.plan.model_copy(
        update={
            "steps": tuple(s for s in other.plan.steps if s.id != "s4"),
            "goals": tuple(g for g in other.plan.goals if g.step != "s4"),
        }
    )
    case = Case(other.candidate(), other.initial())
    case.prepare()
    with pytest.raises(Skipped, match="no for-each"):
        mutations.skipped_item(case, Random(0))
