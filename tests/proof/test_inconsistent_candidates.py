"""Candidates whose parts do not fit each other are refuted before anything is played."""

from collections.abc import Callable

import pytest
from sample_services import Comment
from sample_tasks import WALK, Draft, draft, sample_world
from weak_tasks import NAME, STAGE, answering, carry, expects, goal, plan, selection, verdict

from compoworld_core.expressions import Const, Out
from compoworld_core.patch import Operation
from compoworld_core.plan import Carry, Expect, When
from compoworld_core.records import Span
from compoworld_core.world import World


@pytest.fixture(scope="module")
def world() -> World:
    return sample_world(scale=40)


@pytest.fixture
def sound(world: World) -> Draft:
    return draft(world)


def waiting_for_a_refusal_that_no_step_may_meet(made: Draft) -> None:
    made.step("s7", when=When(test="fails", left=STAGE, negated=True))


def comparing_with_nothing(made: Draft) -> None:
    made.step("s7", when=When(test="equals", left=STAGE))


def answer_that_nobody_judges(made: Draft) -> None:
    plan(made, answer=NAME)


def answer_that_says_nothing(made: Draft) -> None:
    answering(made, NAME, "person")
    goal(made, "answer", expects=())


def answer_that_is_not_given(made: Draft) -> None:
    answering(made, NAME, "person")
    plan(made, answer=None)


def answer_that_no_call_shows(made: Draft) -> None:
    answering(made, Const(literal="Ana"), "person")


def demand_without_a_value(made: Draft) -> None:
    nothing = expects(made, "contact")[0].model_copy(update={"exprs": (), "kinds": ()})
    goal(made, "contact", expects=(nothing,))


def demand_of_a_field_that_is_not_there(made: Draft) -> None:
    lost = Expect(field="labls", mode="equals", kind="tag", exprs=(Const(literal=None),))
    goal(made, "issue", expects=(*expects(made, "issue"), lost))


def goal_that_demands_nothing(made: Draft) -> None:
    goal(made, "collector", expects=())


def write_that_nobody_demands(made: Draft) -> None:
    plan(made, goals=tuple(g for g in made.plan.goals if g.id != "collector"))


def goal_of_a_step_that_is_not_there(made: Draft) -> None:
    goal(made, "collector", step="s77")


def goal_about_another_service(made: Draft) -> None:
    goal(made, "collector", service="crm", table="contacts")


def goal_about_no_table(made: Draft) -> None:
    goal(made, "collector", table="bills")


def goal_without_its_row(made: Draft) -> None:
    goal(made, "collector", key=None)


def goal_twice(made: Draft) -> None:
    plan(made, goals=(*made.plan.goals, made.plan.goals[-1]))


def new_row_whose_id_is_shown_nowhere(made: Draft) -> None:
    goal(made, "note", new_id=None)


def carried_from_elsewhere(made: Draft) -> None:
    carry(made, 1, expr=Out(step="s3", path=("items", 0, "account_no")))


def fact_carried_as_a_new_id(made: Draft) -> None:
    """So it would not be looked for in the instruction."""
    carry(made, 1, source="id")


def carried_by_no_edge(made: Draft) -> None:
    extra = Carry(edge=77, kind="person", expr=NAME, source="field")
    plan(made, carries=(*made.plan.carries, extra))


def step_on_a_visit_of_another_service(made: Draft) -> None:
    made.step("s7", visit=0)


def step_on_no_visit(made: Draft) -> None:
    made.step("s7", visit=-2)


def write_that_is_called_a_read(made: Draft) -> None:
    made.step("s7", write=False)


def read_that_is_called_a_write(made: Draft) -> None:
    made.step("s7b", write=True)


def step_twice(made: Draft) -> None:
    plan(made, steps=(*made.plan.steps, made.plan.step("s7b")))


def walk_that_stays(made: Draft) -> None:
    made.walk = (*WALK[:2], *WALK[1:])


def description_shown_by_no_step(made: Draft) -> None:
    selection(made, "who", step="s99")


def description_by_a_field_that_is_not_there(made: Draft) -> None:
    selection(made, "other", best=("amnt", "largest"))


def exception_without_a_condition(made: Draft) -> None:
    selection(made, "who", negated=("stage",))


def planted_row_that_refers_to_nothing(made: Draft) -> None:
    stray = Comment(id="cm_stray", issue_id="is_nowhere", body="Any news?")
    made.rows["tracker"] = [("comments", stray)]


def other_world_that_refers_to_nothing(made: Draft) -> None:
    planted_row_that_refers_to_nothing(made)
    row = made.rows.pop("tracker")[0][1].model_dump(mode="json")
    stray = Operation(op="insert", table="comments", row=row)
    patch = made.worlds[3].patch.model_copy(update={"operations": [stray]})
    made.worlds[3] = made.worlds[3].model_copy(update={"patch": patch})


def phrase_about_nothing(made: Draft) -> None:
    made.wording.spans.append(Span(start=0, end=2, kind="reference", target="nobody"))


@pytest.mark.parametrize(
    "misfit",
    [
        waiting_for_a_refusal_that_no_step_may_meet,
        comparing_with_nothing,
        answer_that_nobody_judges,
        answer_that_says_nothing,
        answer_that_is_not_given,
        answer_that_no_call_shows,
        demand_without_a_value,
        demand_of_a_field_that_is_not_there,
        goal_that_demands_nothing,
        write_that_nobody_demands,
        goal_of_a_step_that_is_not_there,
        goal_about_another_service,
        goal_about_no_table,
        goal_without_its_row,
        goal_twice,
        new_row_whose_id_is_shown_nowhere,
        carried_from_elsewhere,
        carried_by_no_edge,
        fact_carried_as_a_new_id,
        step_on_a_visit_of_another_service,
        step_on_no_visit,
        write_that_is_called_a_read,
        read_that_is_called_a_write,
        step_twice,
        description_shown_by_no_step,
        description_by_a_field_that_is_not_there,
        exception_without_a_condition,
        planted_row_that_refers_to_nothing,
        other_world_that_refers_to_nothing,
        phrase_about_nothing,
    ],
    ids=lambda v: v.__name__,
)
def test_a_misfit_is_refuted(sound: Draft, misfit: Callable[[Draft], None]) -> None:
    misfit(sound)
    assert verdict(sound) == "consistent"


def test_a_planted_row_may_refer_to_what_is_there(sound: Draft) -> None:
    issue = next(iter(sound.world.states["tracker"].table("issues")))
    comment = Comment(id="cm_news", issue_id=issue.id, body="Any news?")
    sound.rows["tracker"] = [("comments", comment)]
    assert verdict(sound) == ""


def test_a_walk_that_stays_is_none(sound: Draft) -> None:
    walk_that_stays(sound)
    assert verdict(sound) == "graph"
