"""The rubric: what a replay tells about columns, currencies, stamps, side rows and states."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal

import pytest
from attrs import Factory, define

from compoworld_core import UNSET, Context, Entity, Ref, Service, State, Table
from compoworld_core.environment import Environment
from compoworld_core.expressions import All, Const, Expr, Fn, Lit, Out
from compoworld_core.plan import Argument, Expect, Goal, Plan, Step
from compoworld_core.proof.case import rubric
from compoworld_core.proof.player import play
from compoworld_core.proof.verdict import judge
from compoworld_core.records import Check, Criterion, Gate, Verdict
from compoworld_core.resources import Page, given, paginate, require
from compoworld_core.types import Code, Currency, DateTime, Money, StaffEmail, Status, Text

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SEPTEMBER = NOW.replace(month=9)


class Order(Entity):
    id: str
    number: Code
    amount: Money
    currency: Currency = "EUR"
    contact: StaffEmail = "dana@x.example"
    owner: StaffEmail = "omar@x.example"
    status: Status = "open"
    due_at: DateTime | None = None
    updated_at: DateTime


class Message(Entity):
    id: str
    text: Text
    status: Literal["draft", "sent"] = "draft"


class Entry(Entity):
    id: str
    what: Text


class ShopState(State):
    orders: Table[Order] = Table()
    messages: Table[Message] = Table()
    entries: Table[Entry] = Table()


shop = Service("shop", state=ShopState, domain="samples", summary="Orders and messages.")


@shop.tool(read_only=True)
def get_order(state: ShopState, order_id: Ref[Order]) -> Order:
    """Show an order."""
    return require(state.orders, order_id, "order")


@shop.tool(read_only=True)
def list_orders(state: ShopState, currency: Currency = "EUR") -> Page[Order]:
    """List the orders in a currency."""
    return paginate(state.orders.where(currency=currency), 20, None)


@shop.tool
def close_order(state: ShopState, ctx: Context, order_id: Ref[Order]) -> Order:
    """Close an order."""
    state.entries.insert(Entry(id=ctx.new_id("en_"), what="closed"))
    return state.orders.update(order_id, status="closed", updated_at=ctx.now)


@shop.tool
def repeat_order(state: ShopState, ctx: Context, order_id: Ref[Order]) -> Order:
    """Order the same again, and note it on the order."""
    row = require(state.orders, order_id, "order")
    state.orders.insert(row.model_copy(update={"id": ctx.new_id("or_")}))
    return state.orders.update(order_id, status="repeated", updated_at=ctx.now)


@shop.tool
def write_message(
    state: ShopState, ctx: Context, text: Text, status: Literal["draft", "sent"] = UNSET
) -> Message:
    """Write a message."""
    return state.messages.insert(
        Message(id=ctx.new_id("me_"), text=text, **given(status=status))
    )


def order(number: int, amount: str, **more: Any) -> Order:
    row = {"id": f"or_{number}", "number": f"ORD-{number}", "amount": Decimal(amount)}
    return Order.model_validate({"updated_at": NOW, **row, **more})


@pytest.fixture
def start() -> Environment:
    rows = [
        order(1, "676", contact="ana@x.example", owner="bo@x.example", due_at=SEPTEMBER),
        order(2, "812.50", contact="cy@x.example"),
        order(3, "93", contact="omar@x.example"),
        order(4, "1500", currency="USD"),
    ]
    state = ShopState(orders=Table(rows))
    state.ledger.actor = "omar@x.example"
    state.ledger.now = NOW
    return Environment.of([(shop, state)])


@define
class Work:
    """A plan that was played, and its rubric."""

    start: Environment
    plan: Plan
    criteria: tuple[Criterion, ...] = ()
    gate: Gate = Factory(lambda: Gate(id="none", text=""))

    def __attrs_post_init__(self) -> None:
        replay = play(self.plan, self.start.fork())
        self.criteria, self.gate = rubric(self.plan, replay, self.start)

    def check(self) -> Check:
        return self.criteria[0].targets[0].checks[0]

    def verdict(self, *calls: tuple[str, dict[str, Any]]) -> Verdict:
        final = self.start.fork()
        for tool, arguments in calls:
            assert not final.call(f"shop.{tool}", arguments).is_error
        return judge(self.criteria, (self.gate,), self.start, final)


def stating(
    start: Environment, expr: Expr, kind: Any, tool: str = "get_order", **more: Any
) -> Work:
    """Read order 1, write a message that states something of it."""
    text = Fn(name="text", args=(expr,), kinds=(kind,), template="Value: {}")
    steps = (
        Step(id="s1", visit=0, service="shop", tool=tool,
             arguments=(Argument(path=("order_id",), expr=Const(literal="or_1")),)
             if tool == "get_order" else ()),
        Step(id="s2", visit=0, service="shop", tool="write_message", write=True,
             arguments=(Argument(path=("text",), expr=text),)),
    )  # fmt: skip
    expect = Expect(
        field="text", mode="contains", kind="text", exprs=(expr,), kinds=(kind,), **more
    )
    goal = Goal(id="c1", step="s2", kind="create", text="There is a message.", service="shop",
                table="messages", new_id=("id",), expects=(expect,))  # fmt: skip
    return Work(start, Plan(steps=steps, goals=(goal,)))


def field(name: str) -> Out:
    return Out(step="s1", path=(name,))


def says(work: Work, text: str, **more: Any) -> bool:
    return work.verdict(("write_message", {"text": text, **more})).success


def test_a_check_names_the_column_in_which_its_fact_was_found(start: Environment) -> None:
    (column,) = stating(start, field("number"), "code").check().columns
    assert (column.service, column.table, column.field) == ("shop", "orders", "number")


@pytest.mark.parametrize(
    ("text", "ok"),
    [
        ("Value: ORD-1", True),
        ("ORD-1 it is. ORD-77 is nothing of ours.", True),
        ("ORD-1 it is. Then there is ORD-2.", False),
        ("ORD-1 it is, and not ORD-2.", True),
        ("ORD-1, ORD-2, ORD-3", False),
        ("not ORD-1", False),
        ("not sure if it is ORD-1", False),
    ],
)
def test_a_text_that_gives_another_record_too_fails(
    start: Environment, text: str, ok: bool
) -> None:
    work = stating(start, field("number"), "code")
    assert says(work, text) is ok


@pytest.mark.parametrize(
    ("text", "ok"),
    [
        ("Ask ana@x.example. Copy to cy@x.example.", False),
        ("Ask ana@x.example. It is owned by bo@x.example.", True),
        ("Ask ana@x.example. Regards, omar@x.example", True),
        ("Ask ana@x.example or omar@x.example", False),
    ],
)
def test_other_values_of_the_record_and_a_signature_may_be_told(
    start: Environment, text: str, ok: bool
) -> None:
    assert says(stating(start, field("contact"), "email"), text) is ok


def test_what_the_instruction_names_may_be_told(start: Environment) -> None:
    work = stating(start, field("contact"), "email")
    named = Lit(literal="cy@x.example", kind="email")
    search = Step(id="s0", visit=0, service="shop", tool="get_order",
                  arguments=(Argument(path=("order_id",), expr=Const(literal="or_2")),
                             ))  # fmt: skip
    goal = work.plan.goals[0]
    more = goal.model_copy(
        update={"expects": (*goal.expects, Expect(field="status", mode="equals", kind="status",
                                                  exprs=(Const(literal="draft"),)))}
    )  # fmt: skip
    note = Step(id="s3", visit=0, service="shop", tool="write_message", write=True,
                arguments=(Argument(path=("text",), expr=named),))  # fmt: skip
    plan = Plan(steps=(search, *work.plan.steps, note), goals=(more,))
    asides = Work(start, plan).check().asides
    assert [fact.value for fact in asides] == ["cy@x.example"]


@pytest.mark.parametrize(
    ("text", "ok"),
    [("676.00", True), ("€676.00", True), ("676 EUR", True), ("$676.00", False)],
)
def test_an_amount_is_in_the_currency_of_its_record(
    start: Environment, text: str, ok: bool
) -> None:
    assert says(stating(start, field("amount"), "money"), f"Value: {text}") is ok


def test_a_sum_is_in_the_currency_of_its_parts(start: Environment) -> None:
    total = Fn(name="sum", args=(All(step="s1", items=("items",), path=("amount",)),))
    work = stating(start, total, "money", tool="list_orders")
    assert work.check().values[0].value == "1581.5 EUR"


@pytest.mark.parametrize(("label", "ok"), [("SEK", True), ("EUR", False), ("", True)])
def test_a_converted_amount_is_in_the_currency_that_the_plan_names(
    start: Environment, label: str, ok: bool
) -> None:
    convert = Fn(
        name="convert", args=(field("amount"), Const(literal="11.5")), kinds=("money",)
    )
    work = stating(start, convert, "money", currency=Lit(literal="SEK", kind="currency"))
    assert says(work, f"Amount in {label}: 7,774.00" if label else "7,774.00") is ok


def test_a_record_in_another_state_is_not_the_one_that_was_asked_for(
    start: Environment,
) -> None:
    """Two messages, a draft and one that was sent: they cannot be exchanged."""
    one, two = (
        stating(start, field("number"), "code"),
        stating(start, field("contact"), "email"),
    )
    first = one.plan.steps[1]
    sent = Argument(path=("status",), expr=Const(literal="sent"))
    second = two.plan.steps[1].model_copy(
        update={"id": "s3", "arguments": (*two.plan.steps[1].arguments, sent)}
    )
    goals = (
        one.plan.goals[0],
        two.plan.goals[0].model_copy(update={"id": "c2", "step": "s3"}),
    )
    work = Work(start, Plan(steps=(one.plan.steps[0], first, second), goals=goals))
    draft = {"text": "ORD-1"}
    right = (("write_message", draft),
             ("write_message", {"text": "ana@x.example", "status": "sent"}))  # fmt: skip
    turned = (("write_message", {**draft, "status": "sent"}),
              ("write_message", {"text": "ana@x.example"}))  # fmt: skip
    assert work.verdict(*right).success
    assert not any(work.verdict(*turned).criteria.values())


def doing(start: Environment, tool: str) -> Work:
    which = Argument(path=("order_id",), expr=Const(literal="or_1"))
    step = Step(id="s1", visit=0, service="shop", tool=tool, write=True, arguments=(which,))
    return Work(start, Plan(steps=(step,), goals=()))


def test_a_row_that_bears_the_time_of_the_first_write_may_be_written_twice(
    start: Environment,
) -> None:
    work = doing(start, "close_order")
    assert "updated_at" in work.gate.allowed[0].fields
    close = ("close_order", {"order_id": "or_1"})
    assert work.verdict(close, close).success


def test_a_time_that_lies_elsewhere_is_no_stamp(start: Environment) -> None:
    gate = doing(start, "close_order").gate  # the order is due in September
    assert set(gate.allowed[0].fields) == {"status", "updated_at"}


def test_a_log_may_grow_and_records_on_the_side_may_not(start: Environment) -> None:
    (log,) = doing(start, "close_order").gate.new
    assert (log.table, log.at_most) == ("entries", None)
    (orders,) = doing(start, "repeat_order").gate.new
    assert (orders.table, orders.at_most) == ("orders", 1)


def test_one_more_record_on_the_side_breaks_the_gate(start: Environment) -> None:
    work, again = doing(start, "repeat_order"), ("repeat_order", {"order_id": "or_1"})
    assert work.verdict(again).success
    assert not work.verdict(again, again).success
