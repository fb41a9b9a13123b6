"""Times as the tools take them: ISO texts in a time zone, whole days, ranges."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from attrs import frozen

from compoworld_core import ToolError
from compoworld_core.resources import check

_DAY = re.compile(r"^\d{4}-\d{2}-\d{2}$")
_OFFSET = re.compile(r"(?:[Zz]|[+-]\d{2}:?\d{2})$")
EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)
_LONGEST = timedelta(days=366)


@frozen
class Moment:
    """A point in time, or the start of a whole day."""

    at: datetime
    whole_day: bool
    zone: str


@frozen
class Span:
    """When an event is."""

    start: datetime
    end: datetime
    all_day: bool
    zone: str


def zone_of(name: str | None, default: str) -> str:
    """A time zone's name, checked."""
    chosen = name or default
    _zone(chosen)
    return chosen


def _zone(name: str) -> tzinfo:
    if name in ("UTC", "Etc/UTC", "GMT"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ToolError(
            "invalid_argument",
            f"timeZone {name[:40]!r} is not an IANA time zone like Europe/Berlin",
        ) from None


def moment(text: str, parameter: str, zone: str) -> Moment:
    """A point in time from an ISO text, a date, or `{"dateTime": …, "timeZone": …}`.

    A text without an offset is a local time of the zone.
    """
    text = text.strip()
    if text.startswith("{"):
        text, zone = _parts(text, parameter, zone)
    try:
        if _DAY.match(text):
            day = date.fromisoformat(text)
            return _inside(
                Moment(datetime(day.year, day.month, day.day, tzinfo=UTC), True, zone)
            )
        when = datetime.fromisoformat(text)
        if when.tzinfo is None:
            when = when.replace(tzinfo=_zone(zone))
        return _inside(Moment(when.astimezone(UTC), False, zone))
    except (ValueError, OverflowError):
        raise ToolError(
            "invalid_argument",
            f"{parameter}: {text[:60]!r} is not a time between 1900 and 2200; "
            "write 2026-03-15T10:00:00, or 2026-03-15 for a whole day",
        ) from None


def point(text: str | None, parameter: str, zone: str) -> datetime | None:
    """A point in time of a filter; a date is its midnight in the zone."""
    if not text:
        return None
    found = moment(text, parameter, zone)
    if not found.whole_day:
        return found.at
    return found.at.replace(tzinfo=_zone(found.zone)).astimezone(UTC)


def span(start: Moment, end: Moment) -> Span:
    """When an event is; ToolError where the end does not come after the start."""
    check(
        start.whole_day == end.whole_day,
        "invalid_argument",
        "start and end are both times, or both dates",
    )
    check(
        start.at < end.at,
        "invalid_argument",
        f"the event ends ({end.at.isoformat()}) before it starts ({start.at.isoformat()}); "
        "give both start and end",
    )
    check(end.at - start.at <= _LONGEST, "invalid_argument", "an event lasts at most a year")
    return Span(start.at, end.at, start.whole_day, start.zone)


def window(low: str | None, high: str | None, zone: str) -> tuple[datetime, datetime]:
    """The range of a listing; open ends reach far."""
    start = point(low, "timeMin", zone) or EARLIEST
    end = point(high, "timeMax", zone) or LATEST
    check(start < end, "invalid_argument", "timeMin must come before timeMax")
    return start, end


def stamp(when: datetime) -> str:
    """`20260315T100000Z`, as in the ids of instances and in rules."""
    return f"{when.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _parts(text: str, parameter: str, zone: str) -> tuple[str, str]:
    try:
        value = json.loads(text)
        inner = value.get("dateTime") or value.get("date")
        given = value.get("timeZone")
    except (ValueError, AttributeError, RecursionError):
        inner, given = None, None
    if not isinstance(inner, str) or not (given is None or isinstance(given, str)):
        raise ToolError(
            "invalid_argument",
            f'{parameter}: write {{"dateTime": "2026-03-15T10:00:00", "timeZone": "UTC"}}',
        )
    return inner.strip(), zone_of(given, zone)


def _inside(found: Moment) -> Moment:
    if not EARLIEST <= found.at <= LATEST:
        raise ValueError("out of range")
    return found
