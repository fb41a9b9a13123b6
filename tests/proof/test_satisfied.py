"""Satisfied: the verdict's yes or no, without looking at everything."""

from random import Random

import pytest
from sample_tasks import Draft, draft, sample_world

from compoworld_core.proof.case import Case
from compoworld_core.proof.mutations import EQUIVALENT, WRONG
from compoworld_core.proof.player import play
from compoworld_core.proof.verdict import judge, satisfied


@pytest.fixture(scope="module")
def made() -> Draft:
    return draft(sample_world(scale=40))


@pytest.fixture(scope="module")
def case(made: Draft) -> Case:
    prepared = Case(made.candidate(), made.initial())
    prepared.prepare()
    return prepared


@pytest.mark.parametrize(
    "kind",
    [
        "other order", "extra reads", "retry after errors", "other wording", "wrong record",
        "wrong value", "skipped item", "skipped step", "duplicate", "collateral change",
    ],
)  # fmt: skip
def test_it_says_what_the_verdict_says(case: Case, kind: str) -> None:
    final = (EQUIVALENT | WRONG)[kind](case, Random(kind))
    assert case.passes(final) is case.judge(final).success


def test_nothing_done_does_not_satisfy(case: Case) -> None:
    assert not case.passes(case.initial.fork())


def test_it_needs_no_memory(made: Draft, case: Case) -> None:
    assert case.gate is not None
    initial = made.initial()
    final = play(made.plan, initial.fork()).environment
    assert satisfied(case.criteria, (case.gate,), initial, final)


@pytest.mark.parametrize("left_out", ["s5", "s6"])
def test_a_missing_write_is_missed_without_a_memory(
    made: Draft, case: Case, left_out: str
) -> None:
    assert case.gate is not None
    initial = made.initial()
    final = play(made.plan, initial.fork(), skip=(left_out,), lenient=True).environment
    verdict = judge(case.criteria, (case.gate,), initial, final)
    assert satisfied(case.criteria, (case.gate,), initial, final) is verdict.success


def test_a_remembered_step_leaves_the_same_transcript(made: Draft, case: Case) -> None:
    first = play(made.plan, case.initial.fork()).environment
    second = play(made.plan, case.initial.fork()).environment
    told = [(call.tool, call.arguments, call.observation.text) for call in first.transcript]
    again = [(call.tool, call.arguments, call.observation.text) for call in second.transcript]
    assert again == told
    assert told
