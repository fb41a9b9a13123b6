"""Plans that answer and plans that branch: what the certificate demands of them."""

from __future__ import annotations

from typing import Any

import pytest
from sample_tasks import Draft, arg, draft, sample_world

from compoworld_core.expressions import All, Expr, Fn, Lit, Out
from compoworld_core.plan import Expect, Fact, Goal, Step, When
from compoworld_core.proof.case import Case, Refuted
from compoworld_core.proof.certificate import prove
from compoworld_core.proof.player import play

TOTAL = Fn(name="sum", args=(All(step="s3", items=("items",), path=("amount",)),))
CONTACT = Out(step="s2", path=("items", 0, "id"))


@pytest.fixture
def made() -> Draft:
    return draft(sample_world(scale=40))


def change(made: Draft, **update: Any) -> None:
    made.plan = made.plan.model_copy(update=update)


def answering(made: Draft) -> Draft:
    """The task also asks for the total."""
    goal = Goal(
        id="told", kind="answer", text="The answer tells the total.",
        expects=(
            Expect(field="", mode="contains", kind="text", exprs=(TOTAL,), kinds=("money",),
                   decoys=(Fact(kind="money", value="770"),)),
        ),
    )  # fmt: skip
    told = Fn(name="text", args=(TOTAL,), kinds=("money",), template="They owe {}.")
    change(made, goals=(*made.plan.goals, goal), answer=told)
    made.wording.say(" And tell me the total.")
    return made


def branching(made: Draft, limit: str = "300") -> Draft:
    """What is noted at the contact depends on the total; the other world is above 300."""
    steps, goals = [], []
    for key, words, negated in (("up", "call them today", False), ("down", "no hurry", True)):
        said: Expr = Lit(literal=words, kind="text")
        when = When(
            test="above", left=TOTAL, right=Lit(literal=limit, kind="money"), kind="money",
            negated=negated,
        )  # fmt: skip
        steps.append(
            Step(id=key, visit=5, service="crm", tool="add_to_notes", write=True, when=when,
                 arguments=(arg("contact_id", CONTACT), arg("text", said)))
        )  # fmt: skip
        goals.append(
            Goal(id=key, step=key, kind="update", service="crm", table="contacts",
                 text=f"The contact's notes say {words}.", key=CONTACT,
                 expects=(Expect(field="notes", mode="contains", kind="text", exprs=(said,),
                                 kinds=("text",), keeps=True),))
        )  # fmt: skip
    change(made, steps=(*made.plan.steps, *steps), goals=(*made.plan.goals, *goals))
    w = made.wording
    w.say(" If the total is above ").literal("money", limit).say(", note ")
    w.literal("text", "call them today").say(", otherwise ").literal("text", "no hurry")
    w.say(".")
    return made


def refuted(made: Draft) -> Refuted:
    with pytest.raises(Refuted) as caught:
        prove(made.candidate(), made.initial(), made.bases())
    return caught.value


def test_an_answer_is_a_criterion(made: Draft) -> None:
    task = prove(answering(made).candidate(), made.initial(), made.bases())
    assert [c.kind for c in task.criteria if c.id == "told"] == ["answer"]


@pytest.mark.parametrize("text", [None, "", "Done.", "They owe 770.", "It is not 200.50."])
def test_no_answer_and_a_wrong_one_fail(made: Draft, text: str | None) -> None:
    case = Case(answering(made).candidate(), made.initial())
    case.prepare()
    final = case.replay.environment.fork()
    assert case.judge(final).success
    final.answer = text
    verdict = case.judge(final)
    assert not verdict.criteria["told"]
    assert sum(verdict.criteria.values()) == len(verdict.criteria) - 1


def test_an_answer_worded_otherwise_passes(made: Draft) -> None:
    case = Case(answering(made).candidate(), made.initial())
    case.prepare()
    final = case.replay.environment.fork()
    final.answer = "All done. In total it comes to $200.5, as of today."
    assert case.judge(final).success


def test_an_answer_that_the_instruction_gives_away_is_refused(made: Draft) -> None:
    answering(made).wording.say(" It should be 200.50.")
    assert refuted(made).probe == "discoverable"


def test_one_way_is_taken_here_and_the_other_one_there(made: Draft) -> None:
    task = prove(branching(made).candidate(), made.initial(), made.bases())
    assert {c.id for c in task.criteria} & {"up", "down"} == {"down"}


def test_a_branch_that_no_world_takes_is_refused(made: Draft) -> None:
    found = refuted(branching(made, limit="3000"))
    assert (found.probe, "dead" in found.why) == ("edges-carry", True)


def test_the_other_way_fails_here(made: Draft) -> None:
    case = Case(branching(made).candidate(), made.initial())
    case.prepare()
    flipped = case.plan.model_copy(
        update={
            "steps": tuple(
                step
                if step.when is None
                else step.model_copy(
                    update={
                        "when": step.when.model_copy(update={"negated": not step.when.negated})
                    }
                )
                for step in case.plan.steps
            )
        }
    )
    final = play(flipped, case.initial.fork()).environment
    assert not case.judge(final).success
