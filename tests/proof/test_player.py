"""The player has calls and its own observations; expressions have a value or a clear error."""

from typing import Any

import pytest
from sample_tasks import Draft, arg, draft, sample_world

from compoworld_core.errors import PlanError
from compoworld_core.expressions import (
    All,
    Condition,
    Const,
    Expr,
    Fn,
    Grep,
    Item,
    Lit,
    Out,
    Pick,
    Rule,
    Scope,
    build,
)
from compoworld_core.proof.player import play


@pytest.fixture(scope="module")
def made() -> Draft:
    return draft(sample_world(scale=40))


ROWS = {
    "items": [
        {"id": "a", "status": "open", "amount": "10.50", "due": "2026-03-02"},
        {"id": "b", "status": "open", "amount": "0.25", "due": "2026-04-01"},
        {"id": "c", "status": "paid", "amount": "99", "due": "2026-05-01"},
    ]
}
SCOPE = Scope(
    {"s": ROWS, "t": {"text": "Please see INV-12 by 3 May 2026, it is 1,200.50 USD."}}
)
OPEN = (Condition(path=("status",), kind="status", equals=Lit(literal="Open", kind="status")),)
AMOUNTS = All(step="s", items=("items",), where=OPEN, path=("amount",))


NOT_OPEN = tuple(one.model_copy(update={"negated": True}) for one in OPEN)
RULES = Const(
    literal="Who decides\nHigh: ana@desk.example\nNormal: bo@desk.example; On hold: 25.00"
)


def condition(path: str, kind: Any, value: str) -> Condition:
    return Condition(path=(path,), kind=kind, equals=Const(literal=value))


def days(name: Any, start: str, count: Any, way: int = 1) -> Fn:
    return Fn(name=name, args=(Const(literal=start), Const(literal=count)), number=way)


def convert(amount: Any, rate: str, kind: Any) -> Fn:
    return Fn(name="convert", args=(Const(literal=amount), Const(literal=rate)), kinds=(kind,))


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (Out(step="s", path=("items", 2, "id")), "c"),
        (Pick(step="s", items=("items",), where=(condition("amount", "money", "99.00"),),
              path=("id",)), "c"),
        (All(step="s", items=("items",), where=OPEN, path=("id",)), ["a", "b"]),
        (Fn(name="sum", args=(AMOUNTS,)), "10.75"),
        (Fn(name="count", args=(AMOUNTS,)), 2),
        (Fn(name="largest", args=(AMOUNTS,), kinds=("money",)), "10.50"),
        (Fn(name="smallest", args=(AMOUNTS,), kinds=("money",)), "0.25"),
        (days("days", "2026-03-02", 30), "2026-04-01"),
        (days("business_days", "2026-03-02", 2, -1), "2026-02-26"),
        (days("business_days", "2026-03-07T09:00:00Z", 1), "2026-03-09"),
        (days("business_days", "2026-03-06", 0), "2026-03-06"),
        (convert("100.50", "1.0842", "money"), "108.96"),
        (convert(1005, "1.5", "cents"), 1508),
        (Rule(source=RULES, case=Const(literal="high"), kind="email"), "ana@desk.example"),
        (Rule(source=RULES, case=Const(literal="on_hold"), kind="money"), 25),
        (All(step="s", items=("items",), where=NOT_OPEN, path=("id",)), ["c"]),
        (Fn(name="date", args=(Const(literal="2026-03-02T09:00:00Z"),)), "2026-03-02"),
        (Fn(name="form", args=(Const(literal="a@b.co"),), template="from:{}"), "from:a@b.co"),
        (Fn(name="text", args=(Const(literal="{}"), Const(literal="x")), kinds=("id", "id"),
            template="{} and {}."), "{} and x."),
        (Grep(source=Out(step="t", path=("text",)), kind="code"), "INV-12"),
        (Grep(source=Out(step="t", path=("text",)), kind="date"), "2026-05-03"),
        (Grep(source=Out(step="t", path=("text",)), kind="money"), "1200.5"),
    ],
)  # fmt: skip
def test_an_expression_has_a_json_value(expr: Expr, value: Any) -> None:
    assert expr.value(SCOPE) == value
    assert type(expr.value(SCOPE)) is type(value)


@pytest.mark.parametrize(
    ("expr", "said"),
    [
        (Out(step="x"), "step x has no observation"),
        (Out(step="s", path=("items", 9)), "no 9 in an observation"),
        (Pick(step="s", items=("items",), where=OPEN), "2 items match in s, not one"),
        (Pick(step="s", items=("items", 0, "id")), "shows no list"),
        (Fn(name="largest", args=(Const(literal=[]),), kinds=("money",)), "largest of nothing"),
        (days("days", "soon", 1), "'soon' is not a date"),
        (days("days", "2026-03-02", "1.5"), "'1.5' is no number of days"),
        (days("days", "2026-03-02", -1), "-1 is no number of days"),
        (Rule(source=RULES, case=Const(literal="low"), kind="email"), "0 lines speak of 'low'"),
        (Fn(name="sum", args=(Const(literal=["much"]),)), "'much' is not a number"),
        (Grep(source=Const(literal="nothing here"), kind="date"), "expected one date"),
    ],
)
def test_an_expression_without_a_value_is_a_plan_error(expr: Expr, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        expr.value(SCOPE)


def test_arguments_are_built_at_their_paths() -> None:
    built = build([(("a", "b"), 1), (("list", 0, "x"), 2), (("list", 1, "x"), 3)])
    assert built == {"a": {"b": 1}, "list": [{"x": 2}, {"x": 3}]}


def test_the_reference_is_played_through_call_tool(made: Draft) -> None:
    replay = play(made.plan, made.initial())
    assert [call.tool for call in replay.calls[:3]] == [
        "mailbox.search_mails", "crm.list_contacts", "crm.get_contact",
    ]  # fmt: skip
    assert len(replay.environment.transcript) == len(replay.calls) == 12


def test_a_for_each_makes_a_call_per_item(made: Draft) -> None:
    replay = play(made.plan, made.initial())
    assert len(replay.arguments_of("s4")) == 2
    assert replay.scope.item is None


def test_a_failed_call_names_step_and_observation(made: Draft) -> None:
    step = made.plan.step("s7b").model_copy(
        update={"arguments": (arg("contact_id", Const(literal="co_x")),)}
    )
    plan = made.plan.model_copy(update={"steps": (step,)})
    with pytest.raises(PlanError, match=r"s7b: crm\.get_contact.*not_found"):
        play(plan, made.initial())


def test_lenient_play_leaves_out_what_depends_on_a_step(made: Draft) -> None:
    replay = play(made.plan, made.initial(), skip=("s5",), lenient=True)
    played = {call.step for call in replay.calls}
    assert {"s5", "s6", "s7"}.isdisjoint(played)
    assert {"s4", "s9"} <= played


def test_a_replay_resumed_from_a_snapshot_leaves_the_first_untouched(made: Draft) -> None:
    first = play(made.plan, made.initial(), keep=True)
    digest, calls = first.environment.digest(), len(first.calls)
    again = first.snapshots["s5"].resume()
    play(made.plan, again.environment, replay=again, start=5)
    assert again.environment.digest() == digest == first.environment.digest()
    assert (len(again.calls), len(first.calls)) == (calls, calls)


def test_a_step_knows_what_it_reads(made: Draft) -> None:
    assert made.plan.step("s2").needs() == {"s1"}
    assert made.plan.step("s4").needs() == {"s3"}
    assert made.plan.step("s1").needs() == set()


def test_an_item_outside_a_for_each_is_an_error() -> None:
    with pytest.raises(PlanError):
        Item(path=("id",)).value(Scope())
