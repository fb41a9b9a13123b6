"""Tools that find and show events, and times when people are busy."""

# ruff: noqa: N803, N815  # the product's names

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import Context, Ref, ToolError
from compoworld_core.resources import check, folded
from compoworld_core.schema import UNSET
from compoworld_core.types import DateTime, Email, Text, Title, Url
from compoworld_services_productivity_collaboration.google_calendar.access import (
    calendar,
    calendars,
    check_account,
    event,
    in_range,
    masked,
    needs_reading,
)
from compoworld_services_productivity_collaboration.google_calendar.arguments import (
    CalendarKey,
    EventField,
    EventQuery,
    Nickname,
    Nicknames,
    Pair,
    When,
)
from compoworld_services_productivity_collaboration.google_calendar.state import (
    Attendee,
    Calendar,
    CalendarState,
    Event,
    service,
)
from compoworld_services_productivity_collaboration.google_calendar.times import (
    point,
    window,
    zone_of,
)

_ROOM = 17_000
"""Characters that the events of one answer may take, roughly."""
_AHEAD = timedelta(days=365)
_LONGEST_BUSY = timedelta(days=93)
_TEXT = ("summary", "description", "location", "organizer")
_SHORT = frozenset(
    {"id", "summary", "start", "end", "status", "htmlLink", "location", "attendees"}
)


class EventSummary(BaseModel):
    """An event in a list."""

    model_config = ConfigDict(extra="forbid")

    id: str
    calendarId: Ref[Calendar]
    summary: Title
    start: DateTime
    end: DateTime
    allDay: bool
    status: Literal["confirmed", "tentative", "cancelled"]
    location: Text
    organizer: Email
    attendees: tuple[Attendee, ...]
    recurringEventId: Ref[Event] | None = None
    htmlLink: Url


class EventPage(BaseModel):
    """Events by their start; a notice says if there are more."""

    model_config = ConfigDict(extra="forbid")

    items: list[EventSummary | Event]
    total: int
    notice: str | None = None


class Interval(BaseModel):
    """A time in which somebody is busy."""

    model_config = ConfigDict(extra="forbid")

    start: DateTime
    end: DateTime


class Busy(BaseModel):
    """A calendar's busy times."""

    model_config = ConfigDict(extra="forbid")

    id: Ref[Calendar]
    busy: list[Interval]
    error: str | None = None


class FreeBusy(BaseModel):
    """Busy times of several calendars."""

    model_config = ConfigDict(extra="forbid")

    timeMin: DateTime
    timeMax: DateTime
    calendars: list[Busy]


def summary(row: Event) -> EventSummary:
    """The summary of an event."""
    return EventSummary.model_construct(
        id=row.id,
        calendarId=row.calendarId,
        summary=row.summary,
        start=row.start,
        end=row.end,
        allDay=row.allDay,
        status=row.status,
        location=row.location,
        organizer=row.organizer,
        attendees=row.attendees,
        recurringEventId=row.recurringEventId,
        htmlLink=f"https://calendar.example/event?eid={row.id}",
    )


def page(rows: list[Event], fields: list[EventField] | None) -> EventPage:
    """The first events by their start; all of their fields where further ones are asked for."""
    rows.sort(key=lambda row: row.start)
    everything = bool(fields) and not _SHORT.issuperset(fields or ())
    shown = rows[: _fitting(rows, everything=everything)]
    notice = None
    if len(rows) > len(shown):
        last = shown[-1].start.isoformat()
        notice = (
            f"{len(shown)} of {len(rows)} events shown, up to {last}; raise timeMin for more"
        )
    return EventPage.model_construct(
        items=list(shown) if everything else [summary(row) for row in shown],
        total=len(rows),
        notice=notice,
    )


def _fitting(rows: list[Event], *, everything: bool) -> int:
    """How many events fit into one answer; at least one."""
    room = _ROOM
    for place, row in enumerate(rows):
        room -= 360 + 150 * len(row.attendees) + len(row.summary) + len(row.location)
        if everything:
            room -= 600 + len(row.description)
        if room < 0:
            return max(place, 1)
    return len(rows)


def texts_of(row: Event) -> str:
    """The case-folded texts of an event, names and addresses of its guests too."""
    people = row.__dict__.get("\0people")
    if people is None:
        names = [n for a in row.attendees for n in (a.email, a.displayName) if n]
        people = row.__dict__["\0people"] = " ".join(names).casefold()
    return f"{folded(row, _TEXT)}\n{people}"


@service.tool(name="list-events", read_only=True)
def list_events(
    state: CalendarState,
    ctx: Context,
    calendarId: Ref[Calendar] | Annotated[list[Ref[Calendar]], Field(min_length=1)],
    timeMin: When = UNSET,
    timeMax: When = UNSET,
    timeZone: str = UNSET,
    fields: list[EventField] = UNSET,
    privateExtendedProperty: list[Pair] = UNSET,
    sharedExtendedProperty: list[Pair] = UNSET,
    account: Nicknames = UNSET,
) -> EventPage:
    """List the events of calendars by their start; recurring ones as single instances.

    Args:
        calendarId: ids or names of calendars; primary is the account's own.
        timeMin: only events that end after this.
        timeMax: only events that start before this; a year ahead where left out.
        timeZone: zone of times without an offset.
        fields: fields to show besides the usual ones.
        privateExtendedProperty: only events with these private properties, as key=value.
        sharedExtendedProperty: only events with these shared properties, as key=value.
        account: nicknames of the accounts to ask.
    """
    check_account(state, account)
    found = calendars(state, calendarId)
    rows = _rows(state, ctx, found, timeMin or None, timeMax or None, timeZone or None)
    rows = _with_pairs(rows, privateExtendedProperty or [], sharedExtendedProperty or [])
    return page(rows, fields or None)


@service.tool(name="search-events", read_only=True)
def search_events(
    state: CalendarState,
    ctx: Context,
    calendarId: Ref[Calendar] | list[Ref[Calendar]],
    query: EventQuery,
    timeMin: When,
    timeMax: When,
    timeZone: str = UNSET,
    fields: list[EventField] = UNSET,
    privateExtendedProperty: list[Pair] = UNSET,
    sharedExtendedProperty: list[Pair] = UNSET,
    account: Nicknames = UNSET,
) -> EventPage:
    """Find events by words in their title, description, place, organizer or guests.

    Args:
        calendarId: ids or names of calendars; primary is the account's own.
        query: words that must all occur.
        timeMin: only events that end after this.
        timeMax: only events that start before this.
        timeZone: zone of times without an offset.
        fields: fields to show besides the usual ones.
        privateExtendedProperty: only events with these private properties, as key=value.
        sharedExtendedProperty: only events with these shared properties, as key=value.
        account: nicknames of the accounts to ask.
    """
    check_account(state, account)
    words = query.casefold().split()
    check(bool(words), "invalid_argument", "query is empty; list-events lists all")
    check(bool(timeMin and timeMax), "invalid_argument", "give timeMin and timeMax")
    found = calendars(state, calendarId)
    rows = _rows(
        state,
        ctx,
        found,
        timeMin,
        timeMax,
        timeZone or None,
        lambda row: all(word in texts_of(row) for word in words),
    )
    rows = _with_pairs(rows, privateExtendedProperty or [], sharedExtendedProperty or [])
    seen = [row for row in rows if all(word in texts_of(row) for word in words)]
    return page(seen, fields or None)  # once more: what is masked is not found


@service.tool(name="get-event", read_only=True)
def get_event(
    state: CalendarState,
    calendarId: Ref[Calendar],
    eventId: Ref[Event],
    fields: list[EventField] = UNSET,
    account: Nickname = UNSET,
) -> Event:
    """Show an event, or one instance of a series, with all its fields.

    Args:
        calendarId: the calendar; primary is the account's own.
        eventId: the event.
        fields: fields to show besides the usual ones; all are shown.
        account: nickname of the account to ask.
    """
    check_account(state, account)
    at = calendar(state, calendarId)
    needs_reading(at)
    return masked(at, event(state, at, eventId))


@service.tool(name="list-event-instances", read_only=True)
def list_event_instances(
    state: CalendarState,
    ctx: Context,
    calendarId: Ref[Calendar],
    eventId: Ref[Event],
    timeMin: When = UNSET,
    timeMax: When = UNSET,
    account: Nickname = UNSET,
) -> EventPage:
    """List the single instances of a recurring event.

    Args:
        calendarId: the calendar; primary is the account's own.
        eventId: the series.
        timeMin: only instances that end after this.
        timeMax: only instances that start before this; a year ahead where left out.
        account: nickname of the account to ask.
    """
    check_account(state, account)
    at = calendar(state, calendarId)
    needs_reading(at)
    series = event(state, at, eventId)
    check(bool(series.recurrence), "failed_precondition", f"{series.summary!r} does not recur")
    low, high = _window(ctx.now, timeMin or None, timeMax or None, at.timeZone)
    rows = [r for r in in_range(state, at, low, high) if r.recurringEventId == series.id]
    return page(rows, None)


@service.tool(name="get-freebusy", read_only=True)
def get_freebusy(
    state: CalendarState,
    calendars: list[CalendarKey],
    timeMin: When,
    timeMax: When,
    timeZone: str = UNSET,
    groupExpansionMax: Annotated[int, Field(ge=-9007199254740991, le=100)] = UNSET,
    calendarExpansionMax: Annotated[int, Field(ge=-9007199254740991, le=50)] = UNSET,
    account: Nicknames = UNSET,
) -> FreeBusy:
    """Show when calendars are busy, within a range of at most three months.

    Args:
        calendars: the calendars, each as {"id": …}.
        timeMin: start of the range.
        timeMax: end of the range.
        timeZone: zone of times without an offset.
        groupExpansionMax: how many members of a group to look into.
        calendarExpansionMax: how many calendars to look into.
        account: nicknames of the accounts to ask.
    """
    check_account(state, account)
    zone = zone_of(timeZone or None, "UTC")
    low, high = point(timeMin, "timeMin", zone), point(timeMax, "timeMax", zone)
    if low is None or high is None or low >= high:
        raise ToolError("invalid_argument", "give timeMin and a later timeMax")
    check(high - low <= _LONGEST_BUSY, "invalid_argument", "the range is at most three months")
    most = 50 if calendarExpansionMax is UNSET else calendarExpansionMax
    check(
        1 <= len(calendars) <= most, "invalid_argument", f"name 1 to {max(most, 1)} calendars"
    )
    return FreeBusy.model_construct(
        timeMin=low,
        timeMax=high,
        calendars=[_busy(state, one.id, low, high) for one in calendars],
    )


def _busy(state: CalendarState, key: str, low: datetime, high: datetime) -> Busy:
    try:
        at = calendar(state, key)
    except ToolError:
        return Busy(id=key, busy=[], error="notFound")
    rows = [row for row in in_range(state, at, low, high) if _takes_time(at, row)]
    merged: list[Interval] = []
    for row in sorted(rows, key=lambda row: row.start):
        start, end = max(row.start, low), min(row.end, high)
        if merged and start <= merged[-1].end:
            merged[-1] = Interval(start=merged[-1].start, end=max(end, merged[-1].end))
        else:
            merged.append(Interval(start=start, end=end))
    return Busy(id=at.id, busy=merged)


def _takes_time(at: Calendar, row: Event) -> bool:
    if row.transparency == "transparent" or row.eventType == "workingLocation":
        return False
    return not any(a.email == at.id and a.responseStatus == "declined" for a in row.attendees)


def _window(
    now: datetime, low: str | None, high: str | None, zone: str
) -> tuple[datetime, datetime]:
    start, end = window(low, high, zone)
    return (start, end) if high else (start, max(now, start) + _AHEAD)


def _rows(
    state: CalendarState,
    ctx: Context,
    found: list[Calendar],
    low: str | None,
    high: str | None,
    zone: str | None,
    keep: Callable[[Event], bool] | None = None,
) -> list[Event]:
    rows: list[Event] = []
    for at in found:
        needs_reading(at)
        start, end = _window(ctx.now, low, high, zone_of(zone, at.timeZone))
        rows += (masked(at, row) for row in in_range(state, at, start, end, keep))
    return rows


def _with_pairs(rows: list[Event], private: list[str], shared: list[str]) -> list[Event]:
    for pairs, part in ((private, "private"), (shared, "shared")):
        for pair in pairs:
            key, _, value = pair.partition("=")
            rows = [r for r in rows if getattr(r.extendedProperties, part).get(key) == value]
    return rows
