"""Faults in what is new: what lists show of it, what it comes to, how it is refused."""

from collections.abc import Callable
from typing import Any

import pytest
from compoworld_validator import validate
from pydantic import BaseModel

from compoworld_core import Entity, Service, State, Table, ToolError
from compoworld_core.context import Context
from compoworld_core.resources import require
from compoworld_core.types import Title


class Line(BaseModel):
    drink: str
    count: int


class Drink(Entity):
    id: str
    name: Title
    price: int


class Order(Entity):
    id: str
    guest: Title
    total: int
    table_id: str
    note: str = ""
    pieces: int = 1


class Seat(Entity):
    id: str
    name: Title


class BarState(State):
    drinks: Table[Drink] = Table()
    orders: Table[Order] = Table()
    seats: Table[Seat] = Table()
    last: int = 100


def list_orders(state: BarState) -> list[Order]:
    return list(state.orders)


def list_drinks(state: BarState) -> list[Drink]:
    return list(state.drinks)


def order_drinks(state: BarState, guest: Title, lines: list[Line]) -> Order:
    total = 0
    for line in lines:
        total += require(state.drinks, line.drink, "drink").price * line.count
    state.last += 1
    seat = state.orders.get(state.orders.keys()[0])
    made = Order(
        id=f"order_{state.last}",
        guest=guest,
        total=total,
        table_id=seat.table_id if seat else "",
        pieces=len(lines),
    )
    state.orders.insert(made)
    return made


def change_order(
    state: BarState, order_id: str, table_id: str | None = None, note: str | None = None
) -> Order:
    order = require(state.orders, order_id, "order")
    if table_id is not None:
        require(state.seats, table_id, "table")
    return state.orders.update(
        order_id, table_id=table_id or order.table_id, note=note or order.note
    )


class Extras(BaseModel):
    straw: str
    words: str


def dress_order(state: BarState, order_id: str, extras: Extras | None = None) -> Order:
    order = require(state.orders, order_id, "order")
    dressing = f"{extras.straw} {extras.words}" if extras is not None else ""
    return state.orders.update(order_id, note=f"{order.note} dressed {dressing}")


def bar(**instead: Callable[..., Any]) -> Service[BarState]:
    """A healthy service, some of its tools replaced."""
    service = Service("bar", state=BarState, domain="ecommerce_retail")
    for function in (list_orders, list_drinks, order_drinks, change_order, dress_order):
        name = function.__name__
        reads = name.startswith("list")
        service.tool(name=name, read_only=reads)(instead.get(name, function))

    @service.seed
    def seed(ctx: Context, scale: int) -> BarState:
        state = BarState(ledger=ctx.ledger)
        for number in range(5):
            drink = Drink(
                id=f"drink_{number}c", name=f"Tonic {number}", price=211 + number * 97
            )
            state.drinks.insert(drink)
            state.seats.insert(Seat(id=f"seat_{number}k", name=f"Table {number}"))
        for number in range(6):
            order = Order(
                id=f"order_{number}",
                guest=f"Guest {number}",
                total=500 + number * 3,
                table_id=f"seat_{number % 5}k",
                note="Hot" if number % 2 else "",
            )
            state.orders.insert(order)
        return state

    return service


def old_orders(state: BarState) -> list[Order]:
    return [order for order in state.orders if len(order.id) < 9]


def fewer_drinks(state: BarState, guest: Title, lines: list[Line]) -> Order:
    kept = lines[:-1] if len(lines) > 1 else lines
    made = order_drinks(state, guest, kept)
    return state.orders.update(made.id, pieces=len(lines))


def confused(
    state: BarState, order_id: str, table_id: str | None = None, note: str | None = None
) -> Order:
    if table_id is not None:
        raise ToolError("not_found", f"no order {table_id!r}")
    return change_order(state, order_id, table_id, note)


def bare(state: BarState, order_id: str, extras: Extras | None = None) -> Order:
    return dress_order(state, order_id, None)


def misnamed(
    state: BarState, order_id: str, table_id: str | None = None, note: str | None = None
) -> Order:
    if table_id is not None and table_id not in state.seats:
        raise ToolError("not_found", f"note {table_id!r} is not there")
    return change_order(state, order_id, table_id, note)


def test_the_healthy_service_passes() -> None:
    assert validate(bar()).findings == {}


@pytest.mark.parametrize(
    ("tool", "sick", "reason"),
    [
        ("list_orders", old_orders, "not_listed"),
        ("order_drinks", fewer_drinks, "argument_lost"),
        ("change_order", confused, "refused_pair"),
        ("change_order", misnamed, "argument_lost"),
        ("dress_order", bare, "argument_lost"),
    ],
)
def test_a_fault_is_found_in_its_tool(tool: str, sick: Callable[..., Any], reason: str) -> None:
    found = validate(bar(**{tool: sick})).findings
    assert {name: finding.reason.value for name, finding in found.items()} == {tool: reason}


class Page(BaseModel):
    seats: list[Seat]
    next_cursor: str | None = None


def booking(step: int) -> Service[BarState]:
    """One seat from the start; a page goes on `step` rows after what it has shown."""
    service = Service("booking", state=BarState, domain="ecommerce_retail")

    @service.tool(read_only=True)
    def list_seats(state: BarState, limit: int = 50, cursor: str | None = None) -> Page:
        if limit < 1 or (cursor is not None and not cursor.isdigit()):
            raise ToolError("invalid_argument", "no such page")
        begin = int(cursor or 0)
        shown, end = list(state.seats)[begin : begin + limit], begin + limit + step
        more = begin + limit < len(state.seats)
        return Page(seats=shown, next_cursor=str(end) if more else None)

    @service.tool
    def add_seat(state: BarState, name: Title) -> Seat:
        state.last += 1
        made = Seat(id=f"seat_{state.last}k", name=name)
        state.seats.insert(made)
        return made

    @service.seed
    def seed(ctx: Context, scale: int) -> BarState:
        state = BarState(ledger=ctx.ledger)
        state.seats.insert(Seat(id="seat_0k", name="Table 0"))
        return state

    return service


@pytest.mark.parametrize(("step", "found"), [(0, set()), (1, {"list_seats"})])
def test_pages_of_a_short_list_are_judged_once_writes_have_filled_it(
    step: int, found: set[str]
) -> None:
    assert set(validate(booking(step)).findings) == found
