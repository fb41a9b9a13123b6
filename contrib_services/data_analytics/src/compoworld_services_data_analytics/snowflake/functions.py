"""The SQL functions that statements may call: deterministic ones, dates bound to the clock."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

from compoworld_services_data_analytics.snowflake.budget import Budget, charged, size

ENGINE_FUNCTIONS = frozenset(
    [
        "abs",
        "avg",
        "char",
        "coalesce",
        "count",
        "cume_dist",
        "dense_rank",
        "first_value",
        "format",
        "group_concat",
        "hex",
        "ifnull",
        "iif",
        "instr",
        "lag",
        "last_value",
        "lead",
        "length",
        "lower",
        "ltrim",
        "max",
        "min",
        "nth_value",
        "ntile",
        "nullif",
        "percent_rank",
        "printf",
        "rank",
        "replace",
        "round",
        "row_number",
        "rtrim",
        "sign",
        "string_agg",
        "substr",
        "substring",
        "sum",
        "total",
        "trim",
        "typeof",
        "unicode",
        "upper",
    ]
)
"""The engine's own functions that give the same result everywhere. All others are refused."""

_DATE_FUNCTIONS = {"date": 0, "time": 0, "datetime": 0, "julianday": 0, "strftime": 1,
                   "unixepoch": 0}  # fmt: skip
"""Replaced by ours; the number is the place of the time value among the arguments."""
_MODIFIER = re.compile(
    r"([+-]?\d{1,9}(\.\d{1,6})? (day|month|year|hour|minute|second)s?"
    r"|start of (day|month|year)|weekday [0-6]|unixepoch|auto|julianday)\Z"
)
_MOST_WILDCARDS = 12
_LONGEST_PATTERN = 500


class Functions:
    """The functions of one connection; `asked` and `why` are read by the engine."""

    def __init__(self, connection: sqlite3.Connection, budget: Budget) -> None:
        self._now = ""
        self.asked = ""
        """The time, once a statement has asked for it."""
        self.why = ""
        """Why the last function refused its arguments."""
        self._made = 0
        self._budget = budget
        self._dates = sqlite3.connect(":memory:", check_same_thread=False)
        make = connection.create_function
        for name, place in _DATE_FUNCTIONS.items():
            make(name, -1, self._dated(name, place))
        make("current_timestamp", 0, self._clock)
        make("current_date", 0, lambda: self._clock()[:10])
        make("current_time", 0, lambda: self._clock()[11:19])
        make("row_key", 0, self._row_key)
        make("like", 2, self._wrap(_like, _matched))
        make("match", 2, self._wrap(_ilike, _matched))
        for name, (function, arguments) in _OWN.items():
            make(name, arguments, self._wrap(function))
        for name, arguments, function in charged(budget, self._refuse):
            make(name, arguments, function, deterministic=True)

    @property
    def allowed(self) -> frozenset[str]:
        """The names that statements may call."""
        clock = {"current_timestamp", "current_date", "current_time", "like", "match"}
        return ENGINE_FUNCTIONS | set(_DATE_FUNCTIONS) | clock | set(_OWN)

    def begin(self, now: str) -> None:
        """Start a statement at an instant."""
        self._now, self.asked, self.why, self._made = now, "", "", 0

    def _clock(self) -> str:
        """The clock of the context, as the tables store instants."""
        self.asked = self._now
        return self._now

    def _refuse(self, why: str) -> None:
        self.why = why

    def _row_key(self) -> str:
        self._made += 1
        return f"~new:{self._made:06d}"

    def _wrap(
        self, function: Callable[..., Any], cost: Callable[..., int] | None = None
    ) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            try:
                self._budget.call(cost(*arguments) if cost else sum(map(size, arguments)))
                return function(*arguments)
            except (ValueError, TypeError, OverflowError, AttributeError) as error:
                self.why = f"{function.__name__.strip('_')}: {error}"
                raise

        return call

    def _dated(self, name: str, place: int) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self._budget.call(sum(map(size, arguments)))
            given = list(arguments)
            if len(given) <= place:
                given.append(self._clock())
            value = given[place]
            if isinstance(value, str) and value.strip().lower() in (
                "now",
                "subsec",
                "subsecond",
            ):
                given[place] = self._clock()
            for modifier in given[place + 1 :]:
                if not isinstance(modifier, str) or not _MODIFIER.match(modifier.lower()):
                    self.why = f"{name}: modifier {str(modifier)[:40]!r} is not available"
                    raise ValueError(self.why)
            marks = ", ".join("?" * len(given))
            try:
                return self._dates.execute(f"SELECT {name}({marks})", given).fetchone()[
                    0
                ]  # a name from our own list
            except sqlite3.Error as error:
                self.why = f"{name}: {error}"
                raise

        return call


def _matched(pattern: Any, text: Any) -> int:
    """How much LIKE compares: `_` makes it try each place of the text."""
    return size(text) * (size(pattern) if "_" in str(pattern) else 1)


@lru_cache(maxsize=256)
def _pattern(pattern: str) -> tuple[re.Pattern[str] | str, ...]:
    """The pieces between `%`: plain text, or a fixed-width expression where `_` occurs."""
    if len(pattern) > _LONGEST_PATTERN:
        raise ValueError(f"the pattern is longer than {_LONGEST_PATTERN} characters")
    pieces = pattern.split("%")
    if len(pieces) > _MOST_WILDCARDS:
        raise ValueError(f"more than {_MOST_WILDCARDS - 1} wildcards in one pattern")
    return tuple(
        re.compile("".join("." if c == "_" else re.escape(c) for c in piece), re.DOTALL)
        if "_" in piece
        else piece
        for piece in pieces
    )


def _find(piece: re.Pattern[str] | str, text: str, start: int) -> tuple[int, int]:
    if isinstance(piece, str):
        at = text.find(piece, start)
        return at, at + len(piece)
    found = piece.search(text, start)
    return (found.start(), found.end()) if found else (-1, -1)


def _like(pattern: Any, text: Any) -> int | None:
    """SQL LIKE, with case, in time linear in the text for each piece of the pattern."""
    if pattern is None or text is None:
        return None
    text = str(text)
    pieces = _pattern(str(pattern))
    first, last = pieces[0], pieces[-1]
    at, end = _find(first, text, 0) if first else (0, 0)
    if at != 0:
        return 0
    if len(pieces) == 1:
        return int(end == len(text))
    for piece in pieces[1:-1]:
        if piece:
            at, end = _find(piece, text, end)
            if at < 0:
                return 0
    if not last:
        return 1
    width = len(last) if isinstance(last, str) else _width(last)
    start = len(text) - width
    if start < end:
        return 0
    return int(_find(last, text, start)[0] == start)


def _width(piece: re.Pattern[str]) -> int:
    return len(re.sub(r"\\(.)", r"\1", piece.pattern, flags=re.DOTALL))


def _ilike(pattern: Any, text: Any) -> int | None:
    """LIKE without case."""
    if pattern is None or text is None:
        return None
    return _like(str(pattern).casefold(), str(text).casefold())


def _day(value: Any) -> datetime:
    """A stored date or instant; ValueError where it is neither."""
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        raise ValueError(f"date {str(value)[:40]!r} is not recognized") from None
    return found.replace(tzinfo=None)


def _same_form(value: Any, found: datetime) -> str:
    text = found.isoformat()
    return text[:10] if len(str(value)) <= 10 and text.endswith("T00:00:00") else text + "Z"


def _months(found: datetime, months: int) -> datetime:
    total = found.year * 12 + found.month - 1 + months
    year, month = divmod(total, 12)
    for day in (found.day, 30, 29, 28):
        try:
            return found.replace(year=year, month=month + 1, day=min(day, found.day))
        except ValueError as error:
            if "day" not in str(error):
                raise
    raise ValueError("date is out of range")


def _dateadd(unit: Any, number: Any, value: Any) -> str | None:
    if number is None or value is None:
        return None
    found, many = _day(value), int(number)
    name = str(unit).lower().removesuffix("s")
    if name in ("month", "quarter", "year"):
        months = {"month": 1, "quarter": 3, "year": 12}[name] * many
        return _same_form(value, _months(found, months))
    if name not in ("day", "week", "hour", "minute", "second"):
        raise ValueError(f"{str(unit)[:20]!r} is not a date part")
    return _same_form(value, found + timedelta(**{name + "s": many}))


def _datediff(unit: Any, start: Any, end: Any) -> int | None:
    if start is None or end is None:
        return None
    one, two = _day(start), _day(end)
    name = str(unit).lower().removesuffix("s")
    months = (two.year - one.year) * 12 + two.month - one.month
    days = (two.date() - one.date()).days
    if name == "year":
        return two.year - one.year
    if name == "month":
        return months
    if name == "day":
        return days
    if name == "week":
        return (days + one.weekday()) // 7
    seconds = {"hour": 3600, "minute": 60, "second": 1}.get(name)
    if seconds is None:
        raise ValueError(f"{str(unit)[:20]!r} is not a date part")
    return int((two - one).total_seconds() // seconds)


def _date_trunc(unit: Any, value: Any) -> str | None:
    if value is None:
        return None
    found = _day(value).replace(hour=0, minute=0, second=0, microsecond=0)
    name = str(unit).lower()
    if name == "week":
        found -= timedelta(days=found.weekday())
    elif name == "month":
        found = found.replace(day=1)
    elif name == "quarter":
        found = found.replace(month=(found.month - 1) // 3 * 3 + 1, day=1)
    elif name == "year":
        found = found.replace(month=1, day=1)
    elif name != "day":
        raise ValueError(f"{str(unit)[:20]!r} is not a date part")
    return found.isoformat()[:10]


def _to_date(value: Any) -> str | None:
    return None if value is None else date.isoformat(_day(value).date())


def _part(name: str) -> Callable[[Any], int | None]:
    def part(value: Any) -> int | None:
        found: int | None = None if value is None else getattr(_day(value), name)
        return found

    part.__name__ = name
    return part


def _concat(*values: Any) -> str | None:
    return None if None in values else "".join(str(value) for value in values)


def _contains(text: Any, part: Any) -> int | None:
    return None if text is None or part is None else int(str(part) in str(text))


def _startswith(text: Any, part: Any) -> int | None:
    return None if text is None or part is None else int(str(text).startswith(str(part)))


def _endswith(text: Any, part: Any) -> int | None:
    return None if text is None or part is None else int(str(text).endswith(str(part)))


def _split_part(text: Any, separator: Any, number: Any) -> str | None:
    if text is None or separator is None or number is None:
        return None
    if not separator:
        raise ValueError("the separator is empty")
    parts = str(text).split(str(separator))
    place = int(number) - 1 if int(number) > 0 else len(parts) + int(number)
    return parts[place] if 0 <= place < len(parts) else ""


_OWN: dict[str, tuple[Callable[..., Any], int]] = {
    "concat": (_concat, -1),
    "contains": (_contains, 2),
    "date_trunc": (_date_trunc, 2),
    "dateadd": (_dateadd, 3),
    "datediff": (_datediff, 3),
    "day": (_part("day"), 1),
    "endswith": (_endswith, 2),
    "iff": (lambda test, yes, no: yes if test else no, 3),
    "month": (_part("month"), 1),
    "nvl": (lambda value, instead: instead if value is None else value, 2),
    "split_part": (_split_part, 3),
    "startswith": (_startswith, 2),
    "to_date": (_to_date, 1),
    "year": (_part("year"), 1),
    "zeroifnull": (lambda value: 0 if value is None else value, 1),
}
