"""Candidates that no careful generator makes: each weakness is refuted, and by which probe."""

from collections.abc import Callable
from typing import Any

import pytest
from sample_tasks import Draft, arg, draft, sample_world
from weak_tasks import (
    INVOICES,
    NAME,
    STAGE,
    answering,
    carry,
    expects,
    goal,
    plan,
    selection,
    verdict,
)

from compoworld_core.expressions import All, Condition, Const, Fn, Lit, Out, Rule
from compoworld_core.patch import Operation, Patch
from compoworld_core.plan import Expect, When
from compoworld_core.records import World as OtherWorld
from compoworld_core.world import World


@pytest.fixture(scope="module")
def world() -> World:
    return sample_world(scale=40)


@pytest.fixture
def sound(world: World) -> Draft:
    return draft(world)


def condition_that_always_holds(made: Draft) -> None:
    made.step("s7", when=When(test="equals", left=STAGE, right=STAGE))


def branch_that_nothing_leads_to(made: Draft) -> None:
    never = When(test="equals", left=STAGE, right=NAME)
    dead = made.plan.step("s7b").model_copy(update={"id": "s7c", "when": never})
    plan(made, steps=(*made.plan.steps, dead))


def call_that_is_never_refused(made: Draft) -> None:
    made.step("s7", may_fail=True)


def answer_that_the_instruction_gives(made: Draft) -> None:
    answering(made, Out(step="s8", path=("items", 0, "number")), "code")


def exception_that_leaves_nothing_out(made: Draft) -> None:
    other = Condition(path=("status",), kind="status", equals=STAGE, negated=True)
    made.step("s4", foreach=INVOICES.model_copy(update={"where": (other,)}))


def described_exception_that_leaves_nothing_out(made: Draft) -> None:
    mail = made.plan.selections[0]
    more = (*mail.conditions, ("label", "status", Const(literal="archive")))
    selection(made, "mail", conditions=more, negated=("label",))


def last_of_one(made: Draft) -> None:
    selection(made, "other", best=("amount", "largest"))


def largest_of_one(made: Draft) -> None:
    ids = All(step="s8", items=("items",), path=("id",))
    only = Fn(name="largest", args=(ids,), kinds=("id",))
    made.step("s9", arguments=(arg("invoice_id", only), made.plan.step("s9").arguments[1]))


def conversion_at_the_rate_of_one(made: Draft) -> None:
    title, said, priority = made.plan.step("s5").arguments
    assert isinstance(said.expr, Fn)
    rate = Lit(literal="1", kind="quantity")
    same = Fn(name="convert", args=(said.expr.args[0], rate), kinds=("money",))
    text = said.expr.model_copy(update={"args": (same,)})
    made.step("s5", arguments=(title, arg("description", text), priority))
    made.wording.say(" The rate is ").literal("quantity", "1").say(".")
    first, second, third = expects(made, "issue")
    goal(made, "issue", expects=(first, second.model_copy(update={"exprs": (same,)}), third))


def no_days_later(made: Draft) -> None:
    day, none = Lit(literal="2026-06-19", kind="date"), Lit(literal=0, kind="quantity")
    same = Fn(name="business_days", args=(day, none))
    made.step("s4", arguments=(made.plan.step("s4").arguments[0], arg("due", same)))
    made.wording.say(" That is in ").literal("quantity", 0).say(" business days.")
    goal(
        made, "dues", expects=(expects(made, "dues")[0].model_copy(update={"exprs": (same,)}),)
    )


def ruled(made: Draft, *lines: str) -> None:
    """The collector is whom the contact's notes name for its stage."""
    for number, (table, row) in enumerate(made.rows["crm"]):
        made.rows["crm"][number] = table, row.model_copy(update={"notes": "\n".join(lines)})
    rule = Rule(source=Out(step="s2b", path=("notes",)), case=STAGE, kind="email")
    made.step("s9", arguments=(made.plan.step("s9").arguments[0], arg("collector", rule)))
    goal(made, "collector", expects=(Expect(field="collector", mode="equals", kind="email",
                                            exprs=(rule,)),))  # fmt: skip
    carry(made, 5, expr=rule, source="rule")
    changed(made, 5, "crm", "contacts", "co_hero", stage="customer")


def changed(made: Draft, edge: int, service: str, table: str, key: str, **row: Any) -> None:
    patch = Patch(operations=[Operation(op="update", table=table, id=key, row=row)])
    made.worlds[edge] = OtherWorld(edge=edge, service=service, says="another", patch=patch)


def emails(made: Draft) -> list[str]:
    return [person.email for person in made.world.cast.staff]


def rule_with_two_lines_for_the_case(made: Draft) -> None:
    one, two, three, *_ = emails(made)
    ruled(made, f"lead: {one}", f"lead: {two}", f"customer: {three}")


def rule_with_one_line(made: Draft) -> None:
    one, two, *_ = emails(made)
    ruled(made, f"lead: {one}")
    changed(made, 5, "crm", "contacts", "co_hero", notes=f"lead: {two}")


def status_said_by_an_article(made: Draft) -> None:
    _move_status(made, "all")


def status_said_by_another(made: Draft) -> None:
    made.wording.text = made.wording.text.replace("all open", "all paid")


def _move_status(made: Draft, words: str) -> None:
    start = made.wording.text.index(f"{words} open")
    made.wording.spans = [
        span.model_copy(update={"start": start, "end": start + len(words)})
        if span.target == "open"
        else span
        for span in made.wording.spans
    ]


def demand_of_an_empty_list(made: Draft) -> None:
    nobody = Expect(field="labels", mode="has", kind="tag", exprs=(Const(literal=[]),))
    goal(made, "issue", expects=(*expects(made, "issue"), nobody))


def text_that_must_state_nothing(made: Draft) -> None:
    blank = expects(made, "issue")[1].model_copy(
        update={"exprs": (Const(literal=""),), "kinds": ("title",), "decoys": ()}
    )
    goal(made, "issue", expects=(expects(made, "issue")[0], blank))


def text_that_must_state_no_amount(made: Draft) -> None:
    text_that_must_state_nothing(made)
    blank = expects(made, "issue")[1].model_copy(update={"kinds": ("money",)})
    goal(made, "issue", expects=(expects(made, "issue")[0], blank))


def title_that_nobody_judges(made: Draft) -> None:
    goal(made, "note", expects=expects(made, "note")[1:])


def date_that_is_judged_on_other_rows_only(made: Draft) -> None:
    more = arg("due", Lit(literal="2026-06-19", kind="date"))
    made.step("s9", arguments=(*made.plan.step("s9").arguments, more))


def new_row_whose_id_is_shown_elsewhere(made: Draft) -> None:
    goal(made, "note", new_id=("title",))
    carry(made, 4, expr=Out(step="s6", path=("title",)))


def whole_record_carried(made: Draft) -> None:
    carry(made, 1, expr=Out(step="s2b"))


def whole_records_carried(made: Draft) -> None:
    carry(made, 2, expr=INVOICES, source="set")


AMOUNTS = All(step="s3", items=("items",), path=("amount",))


def several_values_carried_as_one(made: Draft) -> None:
    carry(made, 2, expr=AMOUNTS)


def set_that_the_instruction_gives(made: Draft) -> None:
    carry(made, 2, expr=AMOUNTS, source="set")
    made.wording.say(" One is 120 and the other 80.50.")


def text_that_may_state_any_amount_besides(made: Draft) -> None:
    first, total, third = expects(made, "issue")
    goal(made, "issue", expects=(first, total.model_copy(update={"decoys": ()}), third))


def decision_in_a_service_off_the_walk(made: Draft) -> None:
    made.worlds.append(OtherWorld(edge=-1, service="elsewhere", says="x", patch=Patch()))


def decision_that_changes_nothing(made: Draft) -> None:
    made.worlds.append(OtherWorld(edge=-1, service="crm", says="x", patch=Patch()))


WEAK: list[tuple[str, list[Callable[[Draft], None]]]] = [
    (
        "edges-carry",
        [
            condition_that_always_holds,
            branch_that_nothing_leads_to,
            call_that_is_never_refused,
            whole_record_carried,
            whole_records_carried,
            several_values_carried_as_one,
            decision_in_a_service_off_the_walk,
            decision_that_changes_nothing,
        ],
    ),
    (
        "discoverable",
        [
            answer_that_the_instruction_gives,
            set_that_the_instruction_gives,
            status_said_by_an_article,
            status_said_by_another,
        ],
    ),
    (
        "unambiguous",
        [
            exception_that_leaves_nothing_out,
            described_exception_that_leaves_nothing_out,
            last_of_one,
            largest_of_one,
            conversion_at_the_rate_of_one,
            no_days_later,
            rule_with_one_line,
        ],
    ),
    (
        "reachable",
        [
            text_that_must_state_no_amount,
            rule_with_two_lines_for_the_case,
            new_row_whose_id_is_shown_elsewhere,
        ],
    ),
    ("not-vacuous", [demand_of_an_empty_list, text_that_must_state_nothing]),
    ("tolerant-and-strict", [text_that_may_state_any_amount_besides]),
    ("criteria-needed", [title_that_nobody_judges, date_that_is_judged_on_other_rows_only]),
]


@pytest.mark.parametrize(
    ("probe", "weak"),
    [(probe, weak) for probe, several in WEAK for weak in several],
    ids=lambda v: getattr(v, "__name__", v),
)
def test_a_weak_candidate_is_refuted(
    sound: Draft, probe: str, weak: Callable[[Draft], None]
) -> None:
    weak(sound)
    assert verdict(sound) == probe


def test_a_rule_with_a_line_for_each_case_is_fine(sound: Draft) -> None:
    one, two, *_ = emails(sound)
    ruled(sound, f"lead: {one}", f"customer: {two}")
    assert verdict(sound) == ""


def test_an_answer_that_a_call_shows_is_fine(sound: Draft) -> None:
    answering(sound, NAME, "person")
    renamed = Operation(op="update", table="contacts", id="co_hero", row={"name": "Bo Elsner"})
    patch = Patch(operations=[renamed])
    sound.worlds.append(OtherWorld(edge=-1, service="crm", says="another", patch=patch))
    assert verdict(sound) == ""


def test_a_state_may_be_said_as_people_do(sound: Draft) -> None:
    """No word of "owed" is another state, so it can mean "open"."""
    text = sound.wording.text
    at = text.index("all open") + len("all ")
    sound.wording.text = text[:at] + "owed" + text[at + len("open") :]
    assert verdict(sound) == ""
