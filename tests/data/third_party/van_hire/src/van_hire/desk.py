"""Vans, and who has hired which from when to when."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from compoworld_core import UNSET, Context, Entity, Ref, Service, State, Table, ToolError
from compoworld_core.resources import Page, check, given, paginate, require, transition
from compoworld_core.types import Code, CustomerEmail, Date, DateTime, Money, Text, Title

VanStatus = Literal["available", "workshop"]
BookingStatus = Literal["reserved", "out", "returned", "cancelled"]


class Van(Entity):
    id: str
    plate: Code
    model: Title
    daily_rate: Money
    status: VanStatus = "available"


class Booking(Entity):
    id: str
    van_id: Ref["Van"]
    customer: CustomerEmail
    purpose: Text
    starts: Date
    ends: Date
    deposit: Money
    status: BookingStatus = "reserved"
    created_at: DateTime


class HireState(State):
    vans: Table[Van] = Table()
    bookings: Table[Booking] = Table()


service = Service(
    "van_hire",
    state=HireState,
    domain="travel_maps_local",
    title="Van Hire",
    summary="Vans for hire, and the bookings of them.",
)
service.words.update(
    {
        "vans": "van",
        "vans.plate": "with the plate {}",
        "bookings": "van booking",
        "bookings.customer": "of {}",
        "bookings.starts": "starting on {}",
        "bookings.ends": "ending on {}",
        "bookings.status": "that is {}",
    }
)


@service.tool(read_only=True)
def list_vans(state: HireState, status: VanStatus | None = None) -> list[Van]:
    """List the vans of the desk.

    Args:
        status: only those in this status.
    """
    return list(state.vans) if status is None else state.vans.where(status=status)


@service.tool(read_only=True)
def get_van(state: HireState, van_id: Ref["Van"]) -> Van:
    """Get one van."""
    return require(state.vans, van_id, "van")


@service.tool(read_only=True)
def list_bookings(
    state: HireState,
    customer: CustomerEmail | None = None,
    van_id: Ref["Van"] | None = None,
    status: BookingStatus | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 25,
    cursor: str | None = None,
) -> Page[Booking]:
    """List bookings in the order they were made.

    Args:
        customer: only those of this address.
        van_id: only those of this van.
        status: only those in this status.
        limit: how many at most.
        cursor: next_cursor of the page before.
    """
    wanted = {"customer": customer, "van_id": van_id, "status": status}
    rows = state.bookings.where(**{k: v for k, v in wanted.items() if v is not None})
    return paginate(rows, limit, cursor)


@service.tool(read_only=True)
def get_booking(state: HireState, booking_id: Ref["Booking"]) -> Booking:
    """Get one booking."""
    return require(state.bookings, booking_id, "booking")


@service.tool
def book_van(
    state: HireState,
    ctx: Context,
    van_id: Ref["Van"],
    customer: CustomerEmail,
    starts: Date,
    ends: Date,
    purpose: Text = "",
) -> Booking:
    """Reserve a van that is free on all of these days. The deposit is two days' rate.

    Args:
        van_id: the van.
        customer: who hires it.
        starts: the first day.
        ends: the last day.
        purpose: what it is wanted for.
    """
    van = require(state.vans, van_id, "van")
    check(van.status == "available", "failed_precondition", "the van is in the workshop")
    _free(state, van.id, starts, ends)
    booking = Booking(
        id=ctx.new_id("bk-"),
        van_id=van.id,
        customer=customer,
        purpose=purpose,
        starts=starts,
        ends=ends,
        deposit=2 * van.daily_rate,
        created_at=ctx.now,
    )
    return state.bookings.insert(booking)


@service.tool
def change_booking(
    state: HireState,
    booking_id: Ref["Booking"],
    starts: Date = UNSET,
    ends: Date = UNSET,
    purpose: Text = UNSET,
) -> Booking:
    """Change days or purpose of a booking that is still reserved.

    Args:
        booking_id: the booking.
        starts: the new first day.
        ends: the new last day.
        purpose: what it is wanted for, in place of the old text.
    """
    booking = require(state.bookings, booking_id, "booking")
    changes = given(starts=starts, ends=ends, purpose=purpose)
    check(bool(changes), "invalid_argument", "name something to change")
    if booking.status != "reserved":
        raise ToolError("failed_precondition", f"the booking is {booking.status}")
    days = {"starts": booking.starts, "ends": booking.ends, **changes}
    if "starts" in changes or "ends" in changes:
        _free(state, booking.van_id, days["starts"], days["ends"], apart_from=booking.id)
    return state.bookings.update(booking.id, **changes)


@service.tool
def set_booking_status(
    state: HireState, booking_id: Ref["Booking"], status: BookingStatus
) -> Booking:
    """Hand the van out, take it back, or cancel a booking that is still reserved."""
    booking = require(state.bookings, booking_id, "booking")
    steps = {"reserved": ("out", "cancelled"), "out": ("returned",)}
    transition(booking.status, status, steps, "the booking")
    return state.bookings.update(booking.id, status=status)


def _free(
    state: HireState, van_id: str, starts: date, ends: date, apart_from: str = ""
) -> None:
    check(starts <= ends, "invalid_argument", "ends is before starts")
    for other in state.bookings.where(van_id=van_id):
        standing = other.status in ("reserved", "out") and other.id != apart_from
        if standing and starts <= other.ends and other.starts <= ends:
            raise ToolError("conflict", f"the van is taken from {other.starts} to {other.ends}")


_MODELS = ("Long wheelbase", "High roof", "Tipper", "Crew van", "Box van", "Small van")
_PURPOSES = ("Moving an office", "A trade fair", "Building site", "Deliveries", "A day out")


@service.seed
def seed(ctx: Context, scale: int) -> HireState:
    """One van for each five bookings."""
    rng, cast = ctx.rng, ctx.cast
    vans = [
        Van(
            id=ctx.new_id("van-"),
            plate=f"{rng.choice('ABCDEF')}{rng.choice('KLMNP')} {number}",
            model=rng.choice(_MODELS),
            daily_rate=Decimal(rng.randrange(35, 120)),
            status="workshop" if rng.random() < 0.1 else "available",
        )
        for number in rng.sample(range(1000, 10_000), max(2, scale // 6))
    ]
    free_from = {van.id: cast.today.date() - timedelta(days=40) for van in vans}
    bookings = []
    for _ in range(scale - len(vans)):
        van = rng.choice(vans)
        starts = free_from[van.id] + timedelta(days=rng.randrange(1, 9))
        ends = starts + timedelta(days=rng.randrange(6))
        free_from[van.id] = ends
        past: tuple[BookingStatus, ...] = ("returned", "returned", "cancelled")
        ahead: tuple[BookingStatus, ...] = ("reserved", "reserved", "reserved", "cancelled")
        today = cast.today.date()
        if starts <= today <= ends:
            status: BookingStatus = "out"
        else:
            status = rng.choice(past if ends < today else ahead)
        bookings.append(
            Booking(
                id=ctx.new_id("bk-"),
                van_id=van.id,
                customer=rng.choice(cast.customers).email,
                purpose=rng.choice(_PURPOSES),
                starts=starts,
                ends=ends,
                deposit=2 * van.daily_rate,
                status=status,
                created_at=cast.today - timedelta(days=rng.randrange(41, 90)),
            )
        )
    return HireState(vans=Table(vans), bookings=Table(bookings))
