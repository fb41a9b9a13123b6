"""Recurring events: RRULE and EXDATE lines, the instances that they stand for."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from attrs import frozen

from compoworld_core import ToolError
from compoworld_core.resources import check
from compoworld_services_productivity_collaboration.google_calendar.state import Event
from compoworld_services_productivity_collaboration.google_calendar.times import stamp

_FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BYDAY = re.compile(r"^([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)$")
_STAMP = re.compile(r"^\d{8}(T\d{6}Z?)?$")
_INSTANCE = re.compile(r"^(?P<master>.+)_(?P<stamp>\d{8}T\d{6}Z)$")
_MOST = 400
"""Instances of one series that a listing looks at."""
_STEPS = 20_000
_KEYS = ("FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "WKST")


@frozen
class Rule:
    """An RRULE: how often, how many times or until when, on which days."""

    frequency: str
    interval: int = 1
    count: int | None = None
    until: datetime | None = None
    days: tuple[tuple[int, int], ...] = ()
    """(which in the month, weekday); which is 0 for each."""
    month_days: tuple[int, ...] = ()


def checked(lines: list[str]) -> tuple[str, ...]:
    """Recurrence lines, or ToolError for what cannot be read."""
    check(len(lines) <= 20, "invalid_argument", "recurrence: 20 lines are the most")
    rules = 0
    for line in lines:
        name, _, value = line.partition(":")
        kind = name.partition(";")[0].upper()
        if kind == "RRULE":
            parse(value)
            rules += 1
        elif kind == "EXDATE":
            for part in value.split(","):
                _moment(part)
        else:
            raise ToolError(
                "invalid_argument",
                f"recurrence: {line[:60]!r}; write RRULE:FREQ=WEEKLY;COUNT=5 or EXDATE:…",
            )
    check(not lines or rules == 1, "invalid_argument", "recurrence needs exactly one RRULE")
    return tuple(line.strip() for line in lines)


def parse(value: str) -> Rule:
    """An RRULE's value."""
    parts: dict[str, str] = {}
    for part in value.strip().rstrip(";").split(";"):
        key, sign, text = part.partition("=")
        if not sign or key.upper() not in _KEYS:
            raise _wrong(f"{part[:40]!r} is not one of {', '.join(_KEYS)}")
        parts[key.upper()] = text.upper()
    frequency = parts.get("FREQ", "")
    if frequency not in _FREQUENCIES:
        raise _wrong(f"FREQ is one of {', '.join(_FREQUENCIES)}")
    if "COUNT" in parts and "UNTIL" in parts:
        raise _wrong("COUNT and UNTIL do not go together")
    until = _moment(parts["UNTIL"]) if "UNTIL" in parts else None
    if until is not None and len(parts["UNTIL"]) == 8:
        until += timedelta(days=1) - timedelta(seconds=1)
    days = [_BYDAY.match(day) for day in parts.get("BYDAY", "").split(",") if day]
    if any(day is None for day in days):
        raise _wrong("BYDAY lists days like MO,WE or 1MO")
    found = tuple((int(d[1] or 0), _WEEKDAYS.index(d[2])) for d in days if d)
    if frequency != "MONTHLY" and any(which for which, _ in found):
        raise _wrong("numbered days such as 1MO go with FREQ=MONTHLY")
    month_days = tuple(
        _number(day, "BYMONTHDAY", 31) for day in parts.get("BYMONTHDAY", "").split(",") if day
    )
    return Rule(
        frequency,
        _number(parts.get("INTERVAL", "1"), "INTERVAL", 999),
        _number(parts["COUNT"], "COUNT", 9999) if "COUNT" in parts else None,
        until,
        found,
        month_days,
    )


def rule_of(event: Event) -> Rule:
    """The rule of a series."""
    line = next(line for line in event.recurrence if line.upper().startswith("RRULE"))
    return parse(line.partition(":")[2])


def starts(event: Event, low: datetime, high: datetime) -> Iterator[datetime]:
    """Starts of a series' instances that touch the range."""
    rule, length = rule_of(event), event.end - event.start
    left_out = {
        _moment(part)
        for line in event.recurrence
        if line.upper().startswith("EXDATE")
        for part in line.partition(":")[2].split(",")
    }
    shown = 0
    for number, start in enumerate(_all(rule, event.start)):
        if rule.count is not None and number >= rule.count:
            return
        if (rule.until is not None and start > rule.until) or start >= high:
            return
        if start + length > low and start not in left_out:
            shown += 1
            if shown > _MOST:
                return
            yield start


def instance(event: Event, start: datetime) -> Event:
    """One instance of a series, as an event of its own."""
    return event.model_copy(
        update={
            "id": f"{event.id}_{stamp(start)}",
            "start": start,
            "end": start + (event.end - event.start),
            "recurrence": (),
            "recurringEventId": event.id,
            "originalStartTime": start,
        }
    )


def split_id(key: str) -> tuple[str, datetime] | None:
    """(series, start) from an instance's id."""
    found = _INSTANCE.match(key)
    if not found:
        return None
    try:
        return found["master"], _moment(found["stamp"])
    except ToolError:
        return None


def ended(event: Event, before: datetime) -> tuple[str, ...]:
    """The lines of a series that stops before a time."""
    lines = []
    for line in event.recurrence:
        if not line.upper().startswith("RRULE"):
            lines.append(line)
            continue
        name, _, value = line.partition(":")
        parts = [p for p in value.split(";") if not p.upper().startswith(("COUNT=", "UNTIL="))]
        until = stamp(before - timedelta(seconds=1))
        lines.append(f"{name}:{';'.join([*parts, f'UNTIL={until}'])}")
    return tuple(lines)


def rest(event: Event, start: datetime) -> tuple[str, ...]:
    """The lines of the part of a series that begins at a time."""
    rule = rule_of(event)
    if rule.count is None:
        return event.recurrence
    past = sum(1 for n, s in enumerate(_all(rule, event.start)) if n < rule.count and s < start)
    left = max(1, rule.count - past)
    return tuple(re.sub(r"COUNT=\d+", f"COUNT={left}", line) for line in event.recurrence)


def _all(rule: Rule, first: datetime) -> Iterator[datetime]:
    """Starts by the rule alone, in order, without an end."""
    for step in range(_STEPS):
        try:
            found = list(_period(rule, first, step * rule.interval))
        except (OverflowError, ValueError):
            return
        yield from (start for start in found if start >= first)


def _period(rule: Rule, first: datetime, step: int) -> Iterator[datetime]:
    """Starts in the step-th day, week, month or year after the first."""
    if rule.frequency == "DAILY":
        day = first + timedelta(days=step)
        if not rule.days or day.weekday() in {weekday for _, weekday in rule.days}:
            yield day
    elif rule.frequency == "WEEKLY":
        monday = first + timedelta(weeks=step) - timedelta(days=first.weekday())
        weekdays = sorted({weekday for _, weekday in rule.days}) or [first.weekday()]
        yield from (monday + timedelta(days=weekday) for weekday in weekdays)
    elif rule.frequency == "MONTHLY":
        months = first.year * 12 + first.month - 1 + step
        year, month = divmod(months, 12)
        for day_of_month in _month_days(rule, first, year, month + 1):
            yield first.replace(year=year, month=month + 1, day=day_of_month)
    elif first.month != 2 or first.day != 29 or monthrange(first.year + step, 2)[1] == 29:
        yield first.replace(year=first.year + step)


def _month_days(rule: Rule, first: datetime, year: int, month: int) -> list[int]:
    start, length = monthrange(year, month)
    if rule.days:
        found = set()
        for which, weekday in rule.days:
            days = list(range(1 + (weekday - start) % 7, length + 1, 7))
            if which == 0:
                found |= set(days)
            elif abs(which) <= len(days):
                found.add(days[which - 1 if which > 0 else which])
        return sorted(found)
    wanted = rule.month_days or (first.day,)
    return sorted(day for day in set(wanted) if day <= length)


def _number(text: str, key: str, most: int) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= most:
        raise _wrong(f"{key} is a number from 1 to {most}")
    return int(text)


def _moment(text: str) -> datetime:
    text = text.strip()
    if not _STAMP.match(text):
        raise _wrong(f"{text[:40]!r} is not a time like 20260315T100000Z")
    try:
        form = "%Y%m%d" if len(text) == 8 else "%Y%m%dT%H%M%S"
        return datetime.strptime(text.rstrip("Z"), form).replace(tzinfo=UTC)
    except ValueError:
        raise _wrong(f"{text[:40]!r} is not a time like 20260315T100000Z") from None


def _wrong(why: str) -> ToolError:
    return ToolError("invalid_argument", f"recurrence: {why}")
