"""Accounts, calendars and events as calls name them, and what may be done with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

from compoworld_core import ToolError
from compoworld_core.observation import closest
from compoworld_core.resources import check, require
from compoworld_core.schema import UNSET
from compoworld_services_productivity_collaboration.google_calendar import recurrence
from compoworld_services_productivity_collaboration.google_calendar.state import (
    Calendar,
    CalendarState,
    Event,
)

_MOST_CALENDARS = 50


def check_account(state: CalendarState, account: str | list[str] | None) -> None:
    """ToolError unless the account, where one is named, is connected and signed in."""
    if account is UNSET or account is None:
        return
    for name in [account] if isinstance(account, str) else account:
        row = require(state.accounts, name, "account")
        check(
            row.status == "active",
            "failed_precondition",
            f"account {name} has not signed in yet; open the link that `add` gave",
        )


def primary(state: CalendarState) -> Calendar:
    """The account's own calendar."""
    for row in state.calendars:
        if row.primary:
            return row
    raise ToolError("not_found", "the account has no primary calendar")


def calendar(state: CalendarState, key: str) -> Calendar:
    """The calendar of this id; `primary` is the account's own."""
    return primary(state) if key == "primary" else require(state.calendars, key, "calendar")


def calendars(state: CalendarState, key: str | list[str]) -> list[Calendar]:
    """Calendars by ids or names: one, a list, or a list written as JSON."""
    names = [key] if isinstance(key, str) else key
    if isinstance(key, str) and key.lstrip().startswith("["):
        try:
            names = [str(name) for name in json.loads(key)]
        except (ValueError, TypeError, RecursionError):
            raise ToolError(
                "invalid_argument", f'calendarId {key[:60]!r} is not a list like ["primary"]'
            ) from None
    check(
        1 <= len(names) <= _MOST_CALENDARS,
        "invalid_argument",
        f"calendarId: name 1 to {_MOST_CALENDARS} calendars",
    )
    found = {row.id: row for row in (_by_name(state, name) for name in names)}
    return list(found.values())


def _by_name(state: CalendarState, name: str) -> Calendar:
    if name == "primary":
        return primary(state)
    row = state.calendars.get(name)
    if row is not None:
        return row
    wanted = name.strip().casefold()
    named = [row for row in state.calendars if row.summary.casefold() == wanted]
    if len(named) == 1:
        return named[0]
    if named:
        ids = ", ".join(row.id for row in named)
        raise ToolError("conflict", f"{len(named)} calendars are called {name!r}: {ids}")
    known = [row.id for row in state.calendars] + [row.summary for row in state.calendars]
    raise ToolError("not_found", f"no calendar {name[:80]!r}. {closest(name, known)}")


def needs_reading(row: Calendar) -> None:
    """ToolError unless the calendar's events may be seen."""
    check(
        row.accessRole != "freeBusyReader",
        "permission_denied",
        f"of the calendar {row.summary!r} you see only when it is busy; use get-freebusy",
    )


def needs_writing(row: Calendar) -> None:
    """ToolError unless events may be added to the calendar."""
    check(
        row.accessRole in ("owner", "writer"),
        "permission_denied",
        f"you are {row.accessRole} of the calendar {row.summary!r} and cannot change it",
    )


def event(state: CalendarState, at: Calendar, key: str) -> Event:
    """The event of this id in a calendar; also one instance of a series."""
    row = state.events.get(key)
    if row is None:
        named = recurrence.split_id(key)
        if named:
            series = state.events.get(named[0])
            if series is not None and series.calendarId == at.id and series.recurrence:
                found = occurrence(state, series, named[1])
                if found is not None:
                    return found
    row = require(state.events, key, "event")
    if row.calendarId != at.id:
        raise ToolError(
            "not_found", f"event {key} is not in {at.summary!r}; it is in {row.calendarId}"
        )
    return row


def occurrence(state: CalendarState, series: Event, start: datetime) -> Event | None:
    """The instance of a series with this original start; a changed one as it is now."""
    for row in state.events.where(recurringEventId=series.id):
        if row.originalStartTime == start:
            return row
    high = start + (series.end - series.start)
    for when in recurrence.starts(series, start, high):
        if when == start:
            return recurrence.instance(series, start)
    return None


def needs_changing(at: Calendar, row: Event, actor: str) -> None:
    """ToolError unless the actor may change this event."""
    needs_writing(at)
    check(
        row.status != "cancelled",
        "failed_precondition",
        f"the event {row.summary!r} is cancelled",
    )
    own = actor in (row.organizer, row.creator) or not at.primary or row.guestsCanModify
    check(
        own,
        "permission_denied",
        f"only {row.organizer}, who organizes {row.summary!r}, can change it; "
        "respond-to-event answers the invitation",
    )


def in_range(
    state: CalendarState,
    at: Calendar,
    low: datetime,
    high: datetime,
    keep: Callable[[Event], bool] | None = None,
) -> list[Event]:
    """The events of a calendar that touch a range; series as their instances.

    Args:
        keep: only events, and instances of series, that pass this.
    """
    found: list[Event] = []
    for row in state.events.where(calendarId=at.id):
        if keep is not None and not keep(row):
            continue
        if row.recurrence:
            if row.status != "cancelled":
                found += _instances(state, row, low, high)
        elif row.status != "cancelled" and row.end > low and row.start < high:
            found.append(row)
    return found


def _instances(
    state: CalendarState, series: Event, low: datetime, high: datetime
) -> list[Event]:
    changed = {row.originalStartTime for row in state.events.where(recurringEventId=series.id)}
    return [
        recurrence.instance(series, start)
        for start in recurrence.starts(series, low, high)
        if start not in changed
    ]


def masked(at: Calendar, row: Event) -> Event:
    """What a reader of somebody else's calendar sees of an event."""
    if at.accessRole != "reader" or row.visibility not in ("private", "confidential"):
        return row
    hidden = {"summary": "Busy", "description": "", "location": "", "attendees": ()}
    values = {name: row.__dict__[name] for name in Event.model_fields}  # no cached texts
    return Event.model_construct(**{**values, **hidden, "attachments": (), "hangoutLink": None})
