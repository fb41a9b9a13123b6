"""Difficulty: a score from 0 to 1 that more of anything never lowers, and requests that aim."""

import re
from pathlib import Path
from typing import Any

import pytest
from bare_tasks import bare_task
from sample_tasks import draft, sample_world

from compoworld_core import difficulty
from compoworld_core.expressions import Expr, Fn, Grep, Item, Lit, Out
from compoworld_core.patch import Operation, Patch
from compoworld_core.plan import Argument, Goal, Plan, Selection, Step, When
from compoworld_core.proof.case import Candidate
from compoworld_core.request import Request
from compoworld_core.user import USER

LITERAL = Lit(literal="ana@example.org", kind="email")


def step(name: str, *reads: str, write: bool = False, **more: Any) -> Step:
    """A call whose arguments come from other steps."""
    found = tuple(
        Argument(path=(f"a{n}",), expr=Out(step=read, path=("id",)))
        for n, read in enumerate(reads)
    )
    return Step(id=name, visit=0, service="crm", tool="t", arguments=found, write=write, **more)


def plan(*steps: Step, **more: Any) -> Plan:
    return Plan(steps=steps, goals=(), **more)


def features(made: Plan, patches: dict[str, Patch] | None = None) -> dict[str, float]:
    return difficulty.features(made, patches or {}, ("crm", "mailbox"), (), {})


@pytest.fixture(scope="module")
def candidate() -> Candidate:
    return draft(sample_world(scale=60)).candidate()


# -- features ------------------------------------------------------------------------------


def test_depth_is_the_longest_chain_up_to_a_write() -> None:
    steps = [
        step("s1"), step("s2", "s1"), step("s3", "s2", write=True),
        step("s4", "s1", write=True), step("s5", "s3"), step("s6", "s5"),
    ]  # fmt: skip
    assert features(plan(*steps))["depth"] == 3


def test_a_plan_that_reads_nothing_has_depth_one() -> None:
    assert features(plan(step("s1", write=True)))["depth"] == 1


def test_a_for_each_counts_as_several_calls() -> None:
    each = Out(step="s1", path=("items",))
    found = features(plan(step("s1"), step("s2", "s1", write=True, foreach=each)))
    assert (found["read_calls"], found["write_calls"]) == (1, difficulty.ITEMS)


@pytest.mark.parametrize(
    ("expr", "counts"),
    [
        (Fn(name="text", args=(LITERAL,), kinds=("email",), template="to {}"), 0),
        (Fn(name="form", args=(LITERAL,), template="email:{}"), 0),
        (Fn(name="sum", args=(Out(step="s1"),), kinds=("money",)), 1),
        (Grep(source=Out(step="s1", path=("body",)), kind="email"), 1),
    ],
)
def test_what_no_observation_shows_is_a_transformation(expr: Expr, counts: int) -> None:
    made = step("s2", write=True).model_copy(
        update={"arguments": (Argument(path=("to",), expr=expr),) * 2}
    )
    assert features(plan(step("s1"), made))["transformations"] == counts


def test_a_choice_and_a_call_that_may_fail_are_branches() -> None:
    when = When(test="equals", left=Out(step="s1"), right=LITERAL)
    steps = [step("s1", may_fail=True), step("s2", write=True, when=when), step("s3")]
    assert features(plan(*steps))["branches"] == 2


def test_planted_rows_beyond_the_meant_ones_are_near_duplicates() -> None:
    def selection(name: str, table: str) -> Selection:
        return Selection(
            id=name, step="s1", service="crm", table=table, key=LITERAL,
            conditions=(("email", "email", LITERAL),),
        )  # fmt: skip

    rows = ["contacts"] * 4 + ["deals"] + ["notes"] * 3
    operations = [Operation(op="insert", table=table, row={}) for table in rows]
    made = plan(step("s1"), selections=(selection("r1", "contacts"), selection("r2", "deals")))
    found = features(made, {"crm": Patch(operations=operations)})
    assert (found["near_duplicates"], found["constraints"]) == (3, 2)


def test_a_question_to_the_user_is_no_read_and_an_answer_is_counted() -> None:
    asks = step("s1").model_copy(update={"service": USER})
    found = features(plan(asks, step("s2", "s1", write=True), answer=Out(step="s2")))
    assert (found["questions"], found["read_calls"], found["answer"]) == (1, 0, 1)


@pytest.mark.parametrize("register", ["request", "terse"])
def test_a_terse_text_leaves_more_to_the_reader(register: str) -> None:
    found = difficulty.features(plan(), {}, ("crm",), (), {"register": register})
    assert found["register"] == (1 if register == "terse" else 0)


# -- the score -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(difficulty.WEIGHTS))
def test_more_of_a_feature_is_harder(name: str) -> None:
    found = {"services": 4.0, "visits": 7.0, "write_calls": 5.0, "read_calls": 8.0}
    more = found | {name: found.get(name, 0) + 1}
    assert difficulty.score(more) > difficulty.score(found)


def test_scores_are_between_nothing_and_one() -> None:
    assert 0 < difficulty.score({}) < 0.1
    assert 0.9 < difficulty.score(dict.fromkeys(difficulty.WEIGHTS, 20.0)) <= 1


def test_a_generators_own_numbers_are_kept_beside_the_features(candidate: Candidate) -> None:
    candidate.difficulty = {"steps": 9.0, "write_calls": 99.0}
    found = difficulty.rate(candidate)
    assert found["steps"] == 9
    assert found["write_calls"] != 99
    assert set(difficulty.WEIGHTS) < set(found)
    assert found["score"] == difficulty.score(found)


def test_a_task_without_a_score_gets_one_from_its_record() -> None:
    steps = [step(f"s{n}", write=True) for n in range(6)]
    easy = bare_task(1, ("crm", "mailbox"))
    goals = tuple(Goal(id=f"c{n}", step=f"s{n}", kind="update", text="") for n in range(6))
    hard = bare_task(2, ("crm", "mailbox"), reference=Plan(steps=tuple(steps), goals=goals))
    assert difficulty.score_of(easy) < difficulty.score_of(hard)
    told = bare_task(3, ("crm", "mailbox"), difficulty={"score": 0.9})
    assert difficulty.score_of(told) == 0.9


def test_the_item_of_a_for_each_is_no_step_that_is_read() -> None:
    made = step("s1", write=True).model_copy(
        update={"arguments": (Argument(path=("id",), expr=Item()),)}
    )
    assert features(plan(made))["depth"] == 1


def test_the_page_shows_the_weights() -> None:
    page = Path(__file__).parents[2] / "sdk_docs" / "how-to" / "shape-a-dataset.md"
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", page.read_text(), re.MULTILINE)
    assert {name: float(weight) for name, weight in rows} == difficulty.WEIGHTS


# -- requests that aim ---------------------------------------------------------------------


def asked(**changes: object) -> Request:
    values = {"n": 1, "k": 2, "most_k": 6, "distractors": 0, "most_distractors": 6}
    return Request.model_validate(values | changes)


def test_a_request_without_ranges_is_the_request_of_each_try() -> None:
    plain = Request(n=1)
    assert plain.of_try(3) is plain


def test_each_try_draws_its_shape_from_the_ranges() -> None:
    tries = [asked().of_try(index) for index in range(200)]
    assert {each.k for each in tries} == {2, 3, 4, 5, 6}
    assert {each.distractors for each in tries} == set(range(7))
    assert all(each.k <= each.walk[0] <= each.walk[1] for each in tries)
    assert asked().of_try(17) == tries[17]


def test_harder_requests_ask_for_larger_shapes() -> None:
    def size(low: float, high: float) -> float:
        tries = [asked(difficulty=(low, high)).of_try(index) for index in range(100)]
        assert {each.walk[0] == each.walk[1] for each in tries} == {True}
        return sum(each.walk[0] for each in tries) / 100

    assert size(0, 0.2) + 2 < size(0.4, 0.6) < size(0.8, 1) - 2


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"most_k": 1}, "k from 2 to 1 is no range"),
        ({"most_distractors": -1}, "distractors from 0 to -1 is no range"),
        ({"difficulty": (0.5, 0.5)}, "0.5:0.5 is no range within 0:1"),
        ({"difficulty": (0.5, 1.5)}, "0.5:1.5 is no range within 0:1"),
        ({"walk": (2, 5)}, "does not fit 6 services"),
    ],
)
def test_what_is_no_range_is_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        asked(**changes)
