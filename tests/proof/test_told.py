"""The certificate of a task with a user: facts given away, and facts that nobody needs."""

import json
from collections.abc import Callable

import pytest
from held_back import DUE, TITLE, HeldBack, asks, held_back
from sample_services import Mail
from sample_tasks import arg, draft, sample_world

from compoworld_core.expressions import Fn, Lit
from compoworld_core.proof.case import Case, Refuted
from compoworld_core.proof.certificate import candidate_of, prove, reprove, task_id
from compoworld_core.proof.player import play
from compoworld_core.proof.probes import told
from compoworld_core.records import Task, UserFact
from compoworld_core.world import World

COLOUR = UserFact(
    about=(("colour",),), kind="title", value="Deep teal", other="Red", says='"{}".'
)


@pytest.fixture(scope="module")
def world() -> World:
    return sample_world(scale=40)


@pytest.fixture
def sound(world: World) -> HeldBack:
    return held_back(world)


def why(made: HeldBack) -> str:
    with pytest.raises(Refuted) as caught:
        made.prove()
    return f"{caught.value.probe}: {caught.value.why}"


# -- a sound one ---------------------------------------------------------------------------


def test_a_sound_candidate_becomes_a_task_that_keeps_its_user(sound: HeldBack) -> None:
    task = sound.prove()
    assert task.user is not None
    assert task.user.facts == (DUE, TITLE)
    found = {probe.name: probe.detail for probe in task.certificate.probes}
    assert found[told.NAME] == {"facts": 2, "questions": 2}


def test_it_proves_again_from_its_record(sound: HeldBack) -> None:
    stored = json.dumps(sound.prove().model_dump(mode="json", by_alias=True), sort_keys=True)
    task = Task.model_validate_json(stored)
    reprove(task, sound.initial())
    assert candidate_of(task).user == task.user


def test_what_the_user_says_is_part_of_the_record(sound: HeldBack) -> None:
    task = sound.prove()
    assert task.user is not None
    other = DUE.model_copy(update={"says": "Put down {}."})
    user = task.user.model_copy(update={"facts": (other, TITLE)})
    changed = task.model_copy(update={"user": user})
    assert task_id(changed) != task.id


def test_a_task_without_a_user_has_neither_the_probe_nor_another_id(world: World) -> None:
    made = draft(world)
    task = prove(made.candidate(), made.initial(), made.bases())
    assert told.NAME not in [probe.name for probe in task.certificate.probes]
    data = task.model_dump(mode="json", exclude={"user"}, by_alias=True)
    assert task_id(Task.model_validate(data)) == task.id


def test_the_reference_reads_the_values_in_the_replies(sound: HeldBack) -> None:
    case = Case(sound.candidate(), sound.initial())
    calls = play(case.plan, case.initial.fork()).calls
    (due,) = [call for call in calls if call.step == "due"]
    assert (due.tool, json.loads(due.text)) == ("@user.ask", {"reply": DUE.sentence})
    written = [json.loads(call.arguments)["due"] for call in calls if call.step == "s4"]
    assert set(written) == {"2026-06-19"}


# -- each breakage -------------------------------------------------------------------------


def said_in_the_instruction(made: HeldBack) -> None:
    made.draft.wording.say(" It should all be settled by June 19th, 2026.")


def planted(made: HeldBack) -> None:
    hero: Mail = made.draft.row("mailbox", "ml_hero")
    twin = hero.model_copy(update={"id": "ml_x", "subject": "See Launch plan minutes"})
    made.draft.rows["mailbox"].append(("mails", twin))


def never_asked_for(made: HeldBack) -> None:
    made.facts.append(COLOUR)


def asked_for_and_not_used(made: HeldBack) -> None:
    made.facts.append(COLOUR)
    steps = (*made.draft.plan.steps, asks("idle", 6, "Which colour do you like?"))
    made.draft.plan = made.draft.plan.model_copy(update={"steps": steps})


def asked_for_nothing(made: HeldBack) -> None:
    steps = (*made.draft.plan.steps, asks("idle", 6, "What is the weather like?"))
    made.draft.plan = made.draft.plan.model_copy(update={"steps": steps})


def about_anything(made: HeldBack) -> None:
    """A question with any "the" in it brings the fact out."""
    made.facts[0] = DUE.model_copy(update={"about": (("the",),)})


def volunteered(made: HeldBack) -> None:
    made.facts[0] = DUE.model_copy(update={"about": (("know", "tell"),)})
    question = Fn(name="text", args=(), template="Do you know it?")
    made.draft.step("due", arguments=(arg("question", question),))


def guessed_in_the_question(made: HeldBack) -> None:
    question = Fn(name="text", args=(), template="Is the due date 19 June 2026?")
    made.draft.step("due", arguments=(arg("question", question),))


def same_in_the_other_world(made: HeldBack) -> None:
    made.facts[0] = DUE.model_copy(update={"other": "2026-06-19"})


def impossible_in_the_other_world(made: HeldBack) -> None:
    made.facts[1] = TITLE.model_copy(update={"other": 'One" or "two'})


def no_answer_at_all(made: HeldBack) -> None:
    question = Fn(name="text", args=(), template="I see.")
    made.draft.step("due", arguments=(arg("question", question),))


def another_tool_of_the_user(made: HeldBack) -> None:
    made.draft.step("due", tool="order")


@pytest.mark.parametrize(
    ("breakage", "reason"),
    [
        (said_in_the_instruction, "told-when-asked: the instruction gives '2026-06-19' away"),
        (
            planted,
            "told-when-asked: 'Launch plan minutes' stands in subject of ml_x in",
        ),
        (never_asked_for, "told-when-asked: 'Deep teal' is never asked for"),
        (asked_for_and_not_used, "every criterion holds without asking for 'Deep teal'"),
        (asked_for_nothing, "told-when-asked: idle asks for nothing that is held back"),
        (about_anything, "is told whenever 'the' is said"),
        (volunteered, "told-when-asked: the user gives '2026-06-19' away when told"),
        (guessed_in_the_question, "told-when-asked: due: the question states '2026-06-19'"),
        (same_in_the_other_world, "told-when-asked: '2026-06-19' instead of '2026-06-19'"),
        (impossible_in_the_other_world, "the plan fails"),
        (no_answer_at_all, "reachable: due: @user.ask"),
        (another_tool_of_the_user, "@user has one tool, ask(question)"),
    ],
)
def test_each_breakage_meets_its_probe(
    sound: HeldBack, breakage: Callable[[HeldBack], None], reason: str
) -> None:
    breakage(sound)
    assert reason in why(sound)


def test_a_fact_that_no_criterion_needs_refutes_the_task(sound: HeldBack) -> None:
    """The note's title is asked for and written, but nothing demands it."""
    plan = sound.draft.plan
    goals = tuple(
        goal.model_copy(update={"expects": goal.expects[1:]}) if goal.id == "note" else goal
        for goal in plan.goals
    )
    sound.draft.plan = plan.model_copy(update={"goals": goals})
    case = Case(sound.candidate(), sound.initial())
    case.prepare()
    with pytest.raises(Refuted, match="the old calls satisfy the rubric too"):
        told.probe(case)


def test_a_plan_that_asks_where_nobody_answers_is_refuted(sound: HeldBack) -> None:
    candidate = sound.candidate()
    candidate.user = None
    with pytest.raises(Refuted, match="nobody answers: the conversation is over"):
        prove(candidate, sound.initial(), sound.draft.bases())


def test_a_literal_of_a_question_must_be_in_the_instruction(sound: HeldBack) -> None:
    question = Lit(literal="What is the due date?", kind="text")
    sound.draft.step("due", arguments=(arg("question", question),))
    assert why(sound).startswith("discoverable")
