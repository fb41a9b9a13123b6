"""Each kind of outcome is what its name says: changed in one respect, and in no other."""

from random import Random
from typing import Any

import pytest
from sample_tasks import Draft, arg, draft, sample_world

from compoworld_core.audit.kinds import all_kinds
from compoworld_core.audit.trial import Trial
from compoworld_core.audit.writes import Unfit
from compoworld_core.dialogue import Dialogue
from compoworld_core.environment import Environment
from compoworld_core.expressions import All, Const, Expr, Fn, Grep, Lit, Out, Rule
from compoworld_core.plan import Expect, Goal, Step, When
from compoworld_core.proof.certificate import prove
from compoworld_core.records import Task, UserFact, UserScript
from compoworld_core.user import ASK, USER, PlainUser

KINDS = {kind.name: kind for kind in all_kinds()}


@pytest.fixture(scope="module")
def made() -> Draft:
    return draft(sample_world(scale=40))


@pytest.fixture(scope="module")
def task(made: Draft) -> Task:
    return prove(made.candidate(), made.initial(), made.bases())


@pytest.fixture(scope="module")
def trial(made: Draft, task: Task) -> Trial:
    return Trial(task, made.initial())


def outcome(trial: Trial, kind: str, seed: int = 0) -> Environment:
    return KINDS[kind].mutate(trial, Random(seed))


def difference(trial: Trial, end: Environment) -> list[tuple[str, str, str, Any]]:
    """(table, key, field, new value) of what an outcome has otherwise than the reference."""
    return [
        (change.table, str(change.id), name, (change.after or {}).get(name))
        for change in trial.reference.diff(end)
        for name in {**(change.before or {}), **(change.after or {})}
        if (change.before or {}).get(name) != (change.after or {}).get(name)
    ]


def values(trial: Trial, kind: str) -> set[Any]:
    """The values that one outcome of a kind has otherwise than the reference."""
    return {row[3] for row in difference(trial, outcome(trial, kind))}


def replanned(made: Draft, task: Task, **changes: Any) -> Trial:
    plan = task.reference.model_copy(update=changes)
    return Trial(task.model_copy(update={"reference": plan}), made.initial())


# -- wrong ---------------------------------------------------------------------------------


def test_a_skipped_item_is_left_as_it_was(trial: Trial) -> None:
    ((table, key, name, value),) = difference(trial, outcome(trial, "skipped_item"))
    assert (table, name, value) == ("invoices", "due", "2026-03-20")
    assert key in ("in_h1", "in_h2")


def test_off_by_one_is_the_neighbour_of_the_value(trial: Trial) -> None:
    shown = {
        str(row[3])
        for n in range(12)
        for row in difference(trial, outcome(trial, "off_by_one", n))
    }
    assert {"2026-06-18", "2026-06-20"} & shown


def test_several_candidates_name_the_right_value_too(trial: Trial) -> None:
    for seed in range(6):
        for _table, _key, _name, value in difference(
            trial, outcome(trial, "several_candidates", seed)
        ):
            rights = [f.shown for w in trial.writes for s in w.texts for f in s.facts]
            assert any(right in str(value) for right in rights)


def test_a_wrong_record_gets_the_change_instead(trial: Trial) -> None:
    changed = {row[1] for row in difference(trial, outcome(trial, "wrong_record"))}
    assert len(changed) >= 2


def test_a_forgotten_write_takes_those_that_need_it_along(trial: Trial) -> None:
    end = trial.without("s5")
    assert len(end.states["tracker"].table("issues")) == len(
        trial.initial.states["tracker"].table("issues")
    )
    assert end.states["notes"] is not trial.reference.states["notes"]


def test_an_idle_policy_leaves_s0_and_says_done(trial: Trial) -> None:
    end = outcome(trial, "idle_claim")
    assert end.digest() == trial.initial.digest()
    assert end.answer


def test_a_duplicate_is_one_record_more(trial: Trial) -> None:
    end = outcome(trial, "duplicate_creation")
    new = [c for c in trial.reference.diff(end) if c.before is None]
    assert len(new) == 1


def test_old_text_is_dropped_by_the_tool_that_replaces(trial: Trial) -> None:
    found = difference(trial, outcome(trial, "old_text_dropped"))
    assert [(row[0], row[2]) for row in found] == [("contacts", "notes")]
    assert "Prefers mail." not in found[0][3]
    assert "See note" in found[0][3]


def test_a_wrong_lookup_is_followed_to_the_end(trial: Trial) -> None:
    rows = [row[1] for row in difference(trial, outcome(trial, "wrong_lookup"))]
    assert rows != []


def test_only_some_conditions_make_a_filter_ignored(trial: Trial) -> None:
    with pytest.raises(Unfit, match="no set is selected"):
        outcome(trial, "filter_ignored")


# -- equivalent ----------------------------------------------------------------------------


def test_another_order_ends_in_the_same_digest(trial: Trial) -> None:
    assert outcome(trial, "other_order").digest() == trial.reference.digest()


HABITS = ("extra_reads", "looked_around", "other_read_tool", "retry_after_error")


@pytest.mark.parametrize("kind", HABITS)
def test_habits_leave_no_trace(trial: Trial, kind: str) -> None:
    assert outcome(trial, kind).digest() == trial.reference.digest()


def test_another_page_size_needs_a_page_size(trial: Trial) -> None:
    with pytest.raises(Unfit, match="no reading call gives a page size"):
        outcome(trial, "other_page_size")


def test_other_words_keep_the_fact(trial: Trial) -> None:
    for seed in range(8):
        for row in difference(trial, outcome(trial, "with_courtesy", seed)):
            assert any(
                f.shown in row[3] for w in trial.writes for s in w.texts for f in s.facts
            )


# -- answers -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def asking(made: Draft, task: Task) -> Trial:
    total = Fn(name="sum", args=(All(step="s3", items=("items",), path=("amount",)),))
    told = Fn(name="text", args=(total,), kinds=("money",), template="They owe {}.")
    goal = Goal(
        id="told", kind="answer", text="The answer states the total.",
        expects=(Expect(field="answer", mode="contains", kind="text", exprs=(total,),
                        kinds=("money",)),),
    )  # fmt: skip
    return replanned(made, task, answer=told, goals=(*task.reference.goals, goal))


def test_no_answer_is_given(asking: Trial) -> None:
    assert asking.reference.answer == "They owe 200.50."
    assert outcome(asking, "no_answer").answer is None


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("answer_off_by_one", {"They owe 201.50.", "They owe 199.50."}),
        ("answer_in_wrong_unit", {"They owe 20,050."}),
        ("bare_answer", {"200.50"}),
    ],
)
def test_an_answer_is_changed_in_one_respect(asking: Trial, kind: str, said: set[str]) -> None:
    end = outcome(asking, kind)
    assert end.answer in said
    assert list(asking.reference.changes(end)) == []


def test_a_right_answer_without_the_work_leaves_s0(asking: Trial) -> None:
    end = outcome(asking, "answered_without_work")
    assert end.answer == asking.reference.answer
    assert end.digest() == asking.initial.digest()


def test_a_closing_word_is_for_tasks_that_ask_nothing(asking: Trial, trial: Trial) -> None:
    assert outcome(trial, "says_done").answer
    with pytest.raises(Unfit, match="asks for an answer"):
        outcome(asking, "says_done")


# -- branches, rules, exceptions, dates, rates ---------------------------------------------


def with_last(made: Draft, task: Task, **changes: Any) -> Trial:
    *steps, last = task.reference.steps
    return replanned(made, task, steps=(*steps, last.model_copy(update=changes)))


def test_the_wrong_branch_leaves_the_work_undone(made: Draft, task: Task) -> None:
    when = When(test="equals", left=Out(step="s2b", path=("account_no",)),
                right=Lit(literal="AC-880011", kind="code"), kind="code")  # fmt: skip
    trial = with_last(made, task, when=when)
    ((table, key, name, value),) = difference(trial, outcome(trial, "wrong_branch"))
    assert (table, key, name) == ("invoices", "in_o", "collector")
    assert not value


def test_both_branches_are_gone_by_a_policy_that_does_not_ask(made: Draft, task: Task) -> None:
    when = When(test="equals", left=Out(step="s2b", path=("account_no",)),
                right=Lit(literal="AC-1", kind="code"), kind="code")  # fmt: skip
    trial = with_last(made, task, when=when)
    ((table, key, name, value),) = difference(trial, outcome(trial, "both_branches"))
    assert (table, key, name) == ("invoices", "in_o", "collector")
    assert "@" in value


def _with_argument(made: Draft, task: Task, step: str, name: str, expr: Expr) -> Trial:
    """The task with another expression for one argument of a step."""
    steps = []
    for one in task.reference.steps:
        if one.id == step:
            kept = tuple(a for a in one.arguments if a.path != (name,))
            one = one.model_copy(update={"arguments": (*kept, arg(name, expr))})
        steps.append(one)
    return replanned(made, task, steps=tuple(steps))


def test_calendar_days_are_counted_for_business_days(made: Draft, task: Task) -> None:
    friday = Lit(literal="2026-06-19", kind="date")
    due = Fn(name="business_days", args=(friday, Const(literal=2)), kinds=("date",))
    trial = _with_argument(made, task, "s4", "due", due)
    assert values(trial, "calendar_days") == {"2026-06-21"}
    assert values(trial, "wrong_direction") == {"2026-06-17"}


def test_the_line_for_another_case_is_read(made: Draft, task: Task) -> None:
    lines = Const(literal="Open: 19 June 2026\nPaid: 4 July 2026")
    due = Rule(source=lines, case=Lit(literal="open", kind="status"), kind="date")
    trial = _with_argument(made, task, "s4", "due", due)
    assert values(trial, "rule_ignored") == {"2026-07-04"}


def test_an_amount_is_left_unconverted(made: Draft, task: Task) -> None:
    total = Fn(name="sum", args=(All(step="s3", items=("items",), path=("amount",)),))
    converted = Fn(name="convert", args=(total, Const(literal="2")), kinds=("money",))
    text = Fn(name="text", args=(converted,), kinds=("money",), template="They owe {} in all.")
    trial = _with_argument(made, task, "s5", "description", text)
    assert "They owe 200.50 in all." in values(trial, "rate_forgotten")
    assert "They owe 100.25 in all." in values(trial, "rate_inverted")


def test_a_policy_that_does_not_ask_assumes_another_value(made: Draft, task: Task) -> None:
    held = UserFact(about=(("due", "date"),), kind="date", value="2026-06-19",
                    other="2026-07-03", says="It is {}.")  # fmt: skip
    ask = Step(id="ask", visit=0, service=USER, tool=ASK,
               arguments=(arg("question", Const(literal="What date is due?")),))  # fmt: skip
    due = Grep(source=Out(step="ask", path=("reply",)), kind="date")
    kept = [
        one.model_copy(update={"arguments": (one.arguments[0], arg("due", due))})
        if one.id == "s4"
        else one
        for one in task.reference.steps
    ]
    plan = task.reference.model_copy(update={"steps": (ask, *kept)})
    user = UserScript(facts=(held,))
    initial = made.initial()
    initial.dialogue = Dialogue(PlainUser(user.facts))
    trial = Trial(task.model_copy(update={"reference": plan, "user": user}), initial)
    assert values(trial, "guessed_unasked") == {"2026-07-03"}
    assert outcome(trial, "other_order").states["billing"].digest() == (
        trial.reference.states["billing"].digest()
    )
