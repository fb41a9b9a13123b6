"""Lapses: a dropped condition and a forgotten recipient are wrong, or the task is refuted."""

from random import Random

import pytest
from sample_tasks import Draft, arg, draft, sample_world

from compoworld_core import Entity, Service, State, Table
from compoworld_core.environment import Environment
from compoworld_core.expressions import All, Condition, Const, Expr, Lit, Pick
from compoworld_core.plan import Argument, Expect, Goal, Plan, Step
from compoworld_core.proof.case import Candidate, Case, Refuted
from compoworld_core.proof.lapses import condition_ignored, missing_recipient, places
from compoworld_core.proof.mutant import Skipped
from compoworld_core.proof.probes import unambiguous
from compoworld_core.types import Email, Title


class Person(Entity):
    id: str
    name: str
    team: str
    email: Email


class Letter(Entity):
    id: str
    title: Title
    to: tuple[Email, ...]


class PostState(State):
    people: Table[Person] = Table()
    letters: Table[Letter] = Table()


post = Service("post", state=PostState, domain="samples", summary="Letters.")


@post.tool(read_only=True)
def list_people(state: PostState) -> list[Person]:
    """All people."""
    return list(state.people)


@post.tool
def send(state: PostState, title: Title, to: list[Email]) -> Letter:
    """Send a letter."""
    letter = Letter(id=f"le_{len(state.letters) + 1}", title=title, to=tuple(to))
    return state.letters.insert(letter)


def person(number: int, name: str, team: str, email: str) -> Person:
    return Person(id=f"pe_{number}", name=name, team=team, email=f"{email}@post.example")


def equals(field: str, value: str) -> Condition:
    return Condition(path=(field,), kind="text", equals=Lit(literal=value, kind="text"))


def case_of(*people: Person, to: tuple[Argument, ...], wanted: tuple[Expr, ...]) -> Case:
    state = PostState()
    for row in people:
        state.people.insert(row)
    title = Lit(literal="Hello", kind="title")
    plan = Plan(
        steps=(
            Step(id="s1", visit=0, service="post", tool="list_people"),
            Step(id="s2", visit=0, service="post", tool="send", write=True,
                 arguments=(arg("title", title), *to)),
        ),
        goals=(
            Goal(id="letter", step="s2", kind="create", service="post", table="letters",
                 text="There is a letter.", new_id=("id",),
                 expects=(
                     Expect(field="title", mode="equals", kind="title", exprs=(title,)),
                     Expect(field="to", mode="has", kind="email", exprs=wanted),
                 )),
        ),
    )  # fmt: skip
    candidate = Candidate(
        instruction="Write.", services=("post",), distractors=(), walk=("post",), plan=plan,
        patches={}, worlds=(), spans=(),
    )  # fmt: skip
    case = Case(candidate, Environment.of([(post, state)]))
    case.prepare()
    return case


ANA = person(1, "Ana", "sales", "ana")
NAMESAKE = person(2, "Ana", "support", "ana.b")
TEAMMATE = person(3, "Bo", "sales", "bo")
BOTH = (equals("name", "Ana"), equals("team", "sales"))


def one(*where: Condition) -> Pick:
    return Pick(step="s1", items=(), where=where, path=("email",))


def letter_to_one(*people: Person) -> Case:
    expr = one(*BOTH)
    return case_of(*people, to=(Argument(path=("to", 0), expr=expr),), wanted=(expr,))


def letter_to_all(*people: Person) -> Case:
    expr = All(step="s1", items=(), where=(equals("team", "sales"),), path=("email",))
    return case_of(*people, to=(arg("to", expr),), wanted=(expr,))


def sent(final: Environment) -> list[tuple[str, ...]]:
    return [letter.to for letter in final.state("post").letters]


def test_without_a_condition_another_row_is_picked() -> None:
    case = letter_to_one(ANA, NAMESAKE, TEAMMATE)
    finals = [condition_ignored(case, Random(seed)) for seed in range(8)]
    picked = {to for final in finals for to in sent(final)}
    assert picked == {(NAMESAKE.email,), (TEAMMATE.email,)}
    assert not any(case.judge(final).success for final in finals)


def test_without_a_condition_the_set_is_larger() -> None:
    case = letter_to_all(ANA, NAMESAKE, TEAMMATE)
    (to,) = sent(condition_ignored(case, Random(0)))
    assert sorted(to) == sorted(p.email for p in (ANA, NAMESAKE, TEAMMATE))


def test_a_condition_that_the_search_applied_leaves_nothing_to_ignore() -> None:
    case = letter_to_one(ANA)
    with pytest.raises(Skipped, match="no list shows"):
        condition_ignored(case, Random(0))


def test_a_condition_without_effect_refutes_the_task() -> None:
    twin = NAMESAKE.model_copy(update={"email": ANA.email})
    case = letter_to_one(ANA, twin, TEAMMATE)
    assert [place.condition.path for place in places(case)] == [("name",), ("team",)]
    with pytest.raises(Refuted, match="the same without") as caught:
        unambiguous.probe(case)
    assert caught.value.probe == "unambiguous"


def test_a_recipient_is_left_out() -> None:
    bo = one(equals("name", "Bo"))
    ana = one(*BOTH)
    case = case_of(
        ANA, NAMESAKE, TEAMMATE,
        to=(Argument(path=("to", 0), expr=ana), Argument(path=("to", 1), expr=bo)),
        wanted=(ana, bo),
    )  # fmt: skip
    finals = [missing_recipient(case, Random(seed)) for seed in range(8)]
    assert {to for final in finals for to in sent(final)} == {(ANA.email,), (TEAMMATE.email,)}
    assert not any(case.judge(final).success for final in finals)


def test_a_list_that_nothing_demands_may_be_shorter() -> None:
    ana = one(*BOTH)
    extra = Argument(path=("to", 1), expr=Const(literal="desk@post.example"))
    case = case_of(ANA, TEAMMATE, to=(Argument(path=("to", 0), expr=ana), extra), wanted=(ana,))
    for seed in range(6):
        assert sent(missing_recipient(case, Random(seed))) == [("desk@post.example",)]


@pytest.fixture
def sample() -> Draft:
    return draft(sample_world(scale=30))


def test_a_sample_without_lists_has_no_recipient_to_miss(sample: Draft) -> None:
    case = Case(sample.candidate(), sample.initial())
    case.prepare()
    with pytest.raises(Skipped, match="no list"):
        missing_recipient(case, Random(0))
