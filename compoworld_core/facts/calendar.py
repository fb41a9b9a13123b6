"""Dates, times and instants in free text, and as typed values."""

from __future__ import annotations

import re
from bisect import bisect, insort
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from attrs import frozen

Day = tuple[int, int, int]

_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MON = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_I = re.IGNORECASE
_ISO = re.compile(r"(?<![\w./-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d|[-/.]\d)")
_COMPACT = re.compile(r"(?<![\w./-])((?:19|20)\d\d)(\d\d)(\d\d)(?=T\d{4}|(?![\w/-]|[.,]\d))")
_NUMERIC = re.compile(r"(?<![\w./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)(?!\w|[-/.]\d)")
_YEAR_FIRST = re.compile(rf"(?<![\w./-])(\d{{4}})[\s-]+({_MON})\.?[\s-]+(\d{{1,2}})(?!\w)", _I)
_DAY_FIRST = re.compile(
    rf"(?<![\w./-])(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?[\s-]*\b({_MON})\b\.?"
    rf"(?:(?:,?\s+|-)(\d{{4}})(?!\w)|(?:-|\s+')(\d\d)(?!\w))?",
    _I,
)
_MONTH_FIRST = re.compile(
    rf"(?<!\w)({_MON})\.?\s+(\d{{1,2}})(st|nd|rd|th)?(?!\w|[:.]\d)(?:,?\s+(\d{{4}})(?!\w))?", _I
)
_SEPARATED = re.compile(r"\d[-/.]\d")
_SPACES = re.compile(r"\s+")
_LONG_NUMBER = re.compile(r",?[\s-]*\d{3,}")

_ZONES = {
    "Z": 0, "UTC": 0, "GMT": 0, "BST": 60, "CET": 60, "CEST": 120, "EET": 120, "EEST": 180,
    "IST": 330, "JST": 540, "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420,
    "MDT": -360, "PST": -480, "PDT": -420,
}  # fmt: skip
_ZONE = rf"(?:\s?\(?({'|'.join(_ZONES)})\b\)?|\s?([+-])(\d\d):?(\d\d)(?!\d))?"
_TIME = re.compile(
    r"(?<![\d:.])(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?!\d)(?:\s?([ap])\.?m\b\.?)?"
    + _ZONE,
    _I,
)
_TIME_12 = re.compile(r"(?<![\w:.])(\d{1,2})(?:[.:](\d\d))?\s?([ap])\.?m\b\.?" + _ZONE, _I)
_HALF_DAY = re.compile(r"\d\s?[AaPp]\.?[Mm]")
_TIME_COMPACT = re.compile(r"T(\d\d)(\d\d)(\d\d)?(Z|[+-]\d{4})?(?!\w)")
_DATE_THEN_TIME = re.compile(r"(?:T|[\s,(|-]*(?:at\s|@|from\s)?\s*)", _I)
_TIME_THEN_DATE = re.compile(r"\)?[\s,]*(?:on\s)?\s*(?:[a-z]{3,6}day,?)?\s*(?:the\s)?\s*", _I)


class Closed:
    """Spans of a text that do not meet; a new one is tested against its neighbours only."""

    def __init__(self, spans: list[tuple[int, int]] | None = None) -> None:
        self._spans = sorted(spans or ())

    def meets(self, start: int, end: int) -> bool:
        """Say whether a span shares a character with one of these."""
        at = bisect(self._spans, (start, start))
        left = at > 0 and self._spans[at - 1][1] > start
        return left or (at < len(self._spans) and self._spans[at][0] < end)

    def add(self, start: int, end: int) -> None:
        """Take in a span that meets none."""
        insort(self._spans, (start, end))


@frozen
class DateSpan:
    """A date in a text; more than one reading where its notation is ambiguous."""

    start: int
    end: int
    readings: tuple[Day, ...]
    """A year of 0 where the text gives none."""


@frozen
class TimeSpan:
    """A time of day in a text."""

    start: int
    end: int
    hour: int
    minute: int
    second: int | None
    micro: int | None
    offset: int
    """Minutes east of UTC; 0 where the text gives none."""


@frozen
class Moment:
    """A date with its time in a text."""

    start: int
    end: int
    readings: tuple[datetime, ...]
    step: timedelta
    """How coarse the text is: an instant within the same step is the one it means."""


def dates_in(text: str) -> list[DateSpan]:
    """Find all dates, in order of their places."""
    spans: list[DateSpan] = []
    closed = Closed()
    for start, end, readings in _candidates(text):
        if not closed.meets(start, end):
            closed.add(start, end)
            spans.append(DateSpan(start, end, tuple(dict.fromkeys(readings))))
    return sorted(spans, key=lambda span: span.start)


def times_in(text: str, dates: list[DateSpan]) -> list[TimeSpan]:
    """Find all times of day outside the dates."""
    spans: list[TimeSpan] = []
    closed = Closed([(day.start, day.end) for day in dates])
    matches = [*_TIME.finditer(text)] if ":" in text else []
    if _HALF_DAY.search(text):
        matches += _TIME_12.finditer(text)
    for match in matches:
        start, end = match.span()
        span = None if closed.meets(start, end) else _time(match)
        if span is not None:
            spans.append(span)
            closed.add(start, end)
    for day in dates:
        compact = _TIME_COMPACT.match(text, day.end)
        if compact is not None:
            hour, minute, second, zone = compact.groups()
            offset = 0 if zone in (None, "Z") else _minutes(zone[0], zone[1:3], zone[3:])
            spans.append(
                TimeSpan(
                    day.end + 1, compact.end(), int(hour), int(minute),
                    int(second or 0), None, offset,
                )
            )  # fmt: skip
    return sorted(spans, key=lambda span: span.start)


def moments_in(text: str, dates: list[DateSpan], times: list[TimeSpan]) -> list[Moment]:
    """Pair dates and times that stand side by side."""
    moments: list[Moment] = []
    starts = [day.start for day in dates]
    for time in times:
        # Only the date right before a time and the one right after it can belong to it.
        at = bisect(starts, time.start)
        for day in dates[max(0, at - 1) : at + 1]:
            if time.start >= day.end:
                gap, between = text[day.end : time.start], _DATE_THEN_TIME
            else:
                gap, between = text[time.end : day.start], _TIME_THEN_DATE
            # One space for many: the patterns would try every way to share them out.
            paired = between.fullmatch(_SPACES.sub(" ", gap))
            readings = _instants(day, time) if paired else ()
            if readings:
                start, end = min(day.start, time.start), max(day.end, time.end)
                moments.append(Moment(start, end, readings, _step(time)))
                break
    return moments


def to_day(value: Any) -> Day:
    """Read a typed value as a date."""
    if isinstance(value, datetime | date):
        return (value.year, value.month, value.day)
    if isinstance(value, tuple) and len(value) == 3:
        year, month, day = value
        return (int(year), int(month), int(day))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return to_day(to_instant(value))
    spans = dates_in(str(value).strip())
    if len(spans) != 1 or len(spans[0].readings) != 1 or spans[0].readings[0][0] == 0:
        raise ValueError(f"{value!r} is not a date; write it as 2026-03-05")
    return spans[0].readings[0]


def to_date(day: Day) -> date:
    """Turn a day into the type that tools take."""
    return date(*day)


def to_instant(value: Any) -> datetime:
    """Read a typed value as an instant in UTC; a naive one is taken as UTC."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if isinstance(value, int | float) and not isinstance(value, bool):
        # Seconds since 1970, or milliseconds where seconds would be millennia away.
        return datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, tz=UTC)
    text = str(value).strip()
    try:
        return to_instant(datetime.fromisoformat(text))
    except ValueError:
        pass  # not ISO 8601: read it as a person would
    days = dates_in(text)
    moments = moments_in(text, days, times_in(text, days))
    readings = [reading for moment in moments for reading in moment.readings]
    if len(readings) != 1:
        raise ValueError(f"{value!r} is not an instant; write it as 2026-03-05T10:00:00Z")
    return readings[0]


def _candidates(text: str) -> Iterator[tuple[int, int, list[Day]]]:
    for match in _COMPACT.finditer(text):
        year, month, day = match.groups()
        yield from _valid(match, [(int(year), int(month), int(day))])
    if _SEPARATED.search(text):
        yield from _numeric(text)
    lower = text.lower()
    if any(name[:3] in lower for name in _MONTH_NAMES):
        yield from _named(text)


def _numeric(text: str) -> Iterator[tuple[int, int, list[Day]]]:
    for match in _ISO.finditer(text):
        year, _, month, day = match.groups()
        yield from _valid(match, [(int(year), int(month), int(day))])
    for match in _NUMERIC.finditer(text):
        first, mark, second, written = match.groups()
        year = int(written) if len(written) == 4 else 2000 + int(written)
        readings = [(year, int(second), int(first))]
        if mark != ".":
            readings.append((year, int(first), int(second)))
        yield from _valid(match, readings)


def _named(text: str) -> Iterator[tuple[int, int, list[Day]]]:
    for match in _YEAR_FIRST.finditer(text):
        yield from _valid(match, [(int(match[1]), _month(match[2]), int(match[3]))])
    for match in _DAY_FIRST.finditer(text):
        written = match[3] or (match[4] and f"20{match[4]}")
        if written or not _LONG_NUMBER.match(text, match.end()):
            yield from _valid(match, [(int(written or 0), _month(match[2]), int(match[1]))])
    for match in _MONTH_FIRST.finditer(text):
        year, name = match[4], match[1]
        # "may 5" and "march 5" without a capital are verbs unless a year or ordinal says else.
        if not year and not match[3] and name in ("may", "march", "mar"):
            continue
        if year or not _LONG_NUMBER.match(text, match.end()):
            yield from _valid(match, [(int(year or 0), _month(name), int(match[2]))])


def _valid(match: re.Match[str], readings: list[Day]) -> Iterator[tuple[int, int, list[Day]]]:
    possible = [reading for reading in readings if _exists(reading)]
    if possible:
        yield match.start(), match.end(), possible


def _exists(day: Day) -> bool:
    try:
        # A leap year stands in for an unwritten one.
        date(day[0] or 2000, day[1], day[2])
    except ValueError:
        return False
    return True


def _month(name: str) -> int:
    prefix = name[:3].lower()
    return next(n for n, month in enumerate(_MONTH_NAMES, 1) if month.startswith(prefix))


def _time(match: re.Match[str]) -> TimeSpan | None:
    groups = match.groups()
    if match.re is _TIME:
        hour, minute, second, fraction, half, zone, sign, zone_h, zone_m = groups
    else:
        (hour, minute, half, zone, sign, zone_h, zone_m), second, fraction = groups, None, None
    h, m = int(hour), int(minute or 0)
    if half:
        if not 1 <= h <= 12:
            return None
        h = h % 12 + (12 if half in "pP" else 0)
    if h > 23 or m > 59 or int(second or 0) > 59:
        return None
    offset = _ZONES[zone.upper()] if zone else _minutes(sign, zone_h, zone_m) if sign else 0
    micro = int(fraction[:6].ljust(6, "0")) if fraction else None
    return TimeSpan(
        match.start(), match.end(), h, m, int(second) if second else None, micro, offset
    )


def _minutes(sign: str, hours: str, minutes: str) -> int:
    total = int(hours) * 60 + int(minutes)
    return -total if sign == "-" else total


def _instants(day: DateSpan, time: TimeSpan) -> tuple[datetime, ...]:
    zone = timezone(timedelta(minutes=time.offset))
    return tuple(
        datetime(
            *reading, time.hour, time.minute, time.second or 0, time.micro or 0, tzinfo=zone
        ).astimezone(UTC)
        for reading in day.readings
        if reading[0]
    )


def _step(time: TimeSpan) -> timedelta:
    if time.micro is not None:
        # A fraction is often cut to milliseconds.
        return timedelta(milliseconds=1)
    return timedelta(minutes=1) if time.second is None else timedelta(seconds=1)
