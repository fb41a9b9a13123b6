"""Withholding: values of a plan that the user keeps until asked for them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from compoworld_policies.reference import oracle
from compoworld_tasks_walk.script import Make, Mentioned, Said, Script
from compoworld_tasks_walk.withholding import Withheld, with_request, withhold

from compoworld_core import facts
from compoworld_core.episode import play_episode
from compoworld_core.errors import UsageError
from compoworld_core.expressions import Lit, Out, Scope
from compoworld_core.generation import Rejection, load_generator
from compoworld_core.plan import Argument, Expect, Goal, Plan, Step
from compoworld_core.proof.case import start_environment
from compoworld_core.records import Task
from compoworld_core.types import Kind
from compoworld_core.user import USER, PlainUser
from compoworld_core.world import World

Tries = Callable[..., list[Task | Rejection]]
STAFF = ("ana@own.example", "bo@own.example")
VALUES: dict[Kind, Any] = {
    "date": "2026-11-05",
    "datetime": "2026-11-05T13:00:00Z",
    "money": "120",
    "cents": 12000,
    "quantity": 7,
    "percent": 15,
    "title": "Audit overview",
    "text": "We agreed on this.",
    "email": "ana@own.example",
}


def made(said: dict[str, Said], *, nouns: tuple[str, ...] = ("task",)) -> tuple[Plan, Script]:
    """A plan and a script that create one record for each noun, with these values."""
    steps, goals, actions, records = [], [], [], {}
    for number, noun in enumerate(nouns, 1):
        goal = f"c{number}"
        exprs = {name: Lit(literal=each.value, kind=each.kind) for name, each in said.items()}
        arguments = tuple(Argument(path=(name,), expr=e) for name, e in exprs.items())
        expects = tuple(
            Expect(field=n, mode="equals", kind=said[n].kind, exprs=(e,))
            for n, e in exprs.items()
        )
        steps.append(
            Step(id=f"s{number}", visit=0, service="desk", tool="create_task",
                 arguments=arguments, write=True)
        )  # fmt: skip
        goals.append(
            Goal(id=goal, step=f"s{number}", kind="create", service="desk", table="tasks",
                 text="A new task exists.", expects=expects)
        )  # fmt: skip
        actions.append(Make(goal, 0, "create_task", goal, tuple(said.items())))
        records[goal] = Mentioned(goal, "desk", "tasks", noun)
    plan = Plan(steps=tuple(steps), goals=tuple(goals))
    return plan, Script(records=records, actions=tuple(actions), topic="annual audit")


def held(said: dict[str, Said], seed: int = 0, **more: Any) -> Withheld | None:
    return withhold(*made(said, **more), STAFF, Random(seed))


@pytest.mark.parametrize("kind", sorted(VALUES))
def test_the_plan_reads_in_the_reply_what_the_literal_was(kind: Kind) -> None:
    found = held({"value": Said(VALUES[kind], kind)})
    assert found is not None
    ask, write = found.plan.steps
    (fact,) = found.user.facts
    question = ask.arguments[0].expr.value(Scope())
    reply = PlainUser(found.user.facts).reply((), question)
    assert (ask.service, reply) == (USER, fact.sentence)
    read = write.arguments[0].expr.value(Scope(outputs={ask.id: {"reply": reply}}))
    assert facts.equal(kind, read, VALUES[kind])
    assert type(read) is type(VALUES[kind])
    assert found.plan.goals[0].expects[0].exprs == (write.arguments[0].expr,)


@pytest.mark.parametrize("kind", sorted(VALUES))
def test_the_other_world_is_another_value_of_the_kind(kind: Kind) -> None:
    found = held({"value": Said(VALUES[kind], kind)})
    assert found is not None
    (fact,) = found.user.facts
    assert not facts.equal(kind, fact.value, fact.other)
    assert type(fact.other) is type(fact.value)


def test_the_script_no_longer_says_it() -> None:
    found = held({"due_date": Said("2026-11-05", "date")})
    assert found is not None
    assert found.script.actions[0].said == ()  # type: ignore[union-attr]  # a Make by construction


@pytest.mark.parametrize(
    "said",
    [
        Said("high", "status"),
        Said(True, "boolean"),
        Said('Say "yes"', "title"),
        Said("two\nlines", "text"),
        Said("with {} in it", "title"),
    ],
)
def test_what_no_sentence_can_state_is_not_held_back(said: Said) -> None:
    assert held({"value": said}) is None


def test_an_amount_with_a_currency_of_its_own_is_not_held_back() -> None:
    said = {"amount": Said(12000, "cents"), "currency": Said("EUR", "currency")}
    assert held(said) is None


def test_a_record_that_has_no_noun_alone_keeps_its_values() -> None:
    said = {"due_date": Said("2026-11-05", "date")}
    assert held(said, nouns=("task", "task")) is None
    assert held(said, nouns=("task", "invoice")) is not None


def test_the_first_of_two_days_stays_in_the_text() -> None:
    """In the other world it would lie after the second one."""
    said = {"start": Said("2026-11-05", "date"), "end": Said("2026-11-06", "date")}
    for seed in range(20):
        found = held(said, seed)
        assert found is not None
        assert [label for label, _ in found.records] == ["end date"]


def test_each_question_gets_its_own_fact() -> None:
    said = {
        "title": Said("Audit overview", "title"),
        "due_date": Said("2026-11-05", "date"),
        "email": Said("ana@own.example", "email"),
    }
    seen = set()
    for seed in range(40):
        found = held(said, seed, nouns=("task", "invoice"))
        assert found is not None
        user = PlainUser(found.user.facts)
        asks = [step for step in found.plan.steps if step.service == USER]
        replies = [user.reply((), s.arguments[0].expr.value(Scope())) for s in asks]
        assert replies == [fact.sentence for fact in found.user.facts]
        seen.add(len(replies))
    assert seen == {1, 2}


def test_the_sentence_says_what_to_ask_for_and_refers_to_the_record() -> None:
    plan, script = made({"due_date": Said("2026-11-05", "date")})
    found = withhold(plan, script, STAFF, Random(1))
    assert found is not None
    text, (span,) = with_request("Create a task.", (), found, script, Random(1))
    assert "the due date of the new task" in text
    assert text[span.start : span.end] == "the new task"
    assert (span.kind, span.noun, span.target) == ("reference", "new task", "c1")
    assert "2026" not in text


def test_it_is_a_function_of_the_random_state() -> None:
    said = {
        name: Said(value, kind)
        for name, (kind, value) in zip("abcdefghi", VALUES.items(), strict=True)
    }
    assert held(said, 7) == held(said, 7)
    assert len({str(held(said, seed)) for seed in range(20)}) > 5


# -- in generated tasks --------------------------------------------------------------------


@pytest.fixture(scope="module")
def generated(tries: Tries) -> list[Task]:
    found = tries(40, options={"user": 1.0})
    return [task for task in found if isinstance(task, Task)]


def test_generated_tasks_with_a_user_are_proven_and_the_oracle_passes(
    generated: list[Task], world: World
) -> None:
    assert len(generated) >= 3
    for task in generated:
        assert task.user is not None
        assert task.provenance["held_back"] == len(task.user.facts)
        names = tuple(sorted((*task.services, *task.distractors)))
        initial = start_environment(world.services, world.states, task.s0.patches, names)
        trajectory = play_episode(task, initial, oracle(task, seed=1))
        assert trajectory.verdict is not None
        assert trajectory.verdict.success
        assert trajectory.usage["replies"] == len(task.user.facts)


def test_no_instruction_gives_away_what_is_held_back(generated: list[Task]) -> None:
    for task in generated:
        assert task.user is not None
        for fact in task.user.facts:
            assert not facts.mentions(fact.kind, fact.value, task.instruction)


def test_without_the_option_nobody_holds_anything_back(tries: Tries) -> None:
    found = [task for task in tries(4) if isinstance(task, Task)]
    assert found
    assert [task for task in found if task.user or "held_back" in task.provenance] == []


@pytest.mark.parametrize("share", [-0.1, 1.5, "all"])
def test_a_share_that_is_none_is_wrong_usage(
    request_of: Callable[..., Any], share: object
) -> None:
    with pytest.raises(UsageError, match="user"):
        load_generator("walk").check(request_of(options={"user": share}))  # type: ignore[attr-defined]  # an optional method


def test_an_out_expression_is_what_reads_the_reply() -> None:
    found = held({"due_date": Said("2026-11-05", "date")})
    assert found is not None
    read = found.plan.steps[1].arguments[0].expr
    assert read.source == Out(step="u1", path=("reply",))  # type: ignore[union-attr]  # a Grep
