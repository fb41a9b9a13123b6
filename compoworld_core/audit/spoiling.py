"""Spoiling: values that are nearly right, as careless policies write them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any, Final

from compoworld_core.audit.rivals import like
from compoworld_core.audit.spellings import amount, day, instant
from compoworld_core.audit.writes import Unfit

NUMBERS: Final = frozenset({"money", "cents", "quantity", "percent"})
_OTHER_YEAR = 0.25
"""How often the neighbour of a date is the same day of another year."""
_LONGEST_NUMBER = 7
"""Digits of a code that people count by; longer ones are opaque."""


def shifted(kind: str, raw: Any, rng: Random) -> Any:
    """The value next to the right one: one more, a day later, the code that follows."""
    step = rng.choice((1, -1))
    if kind in NUMBERS:
        unit = 100 if kind == "cents" else 1
        return _number(raw, Decimal(str(amount("", raw))) + step * unit)
    if kind == "date":
        at = day(raw)
        if rng.random() < _OTHER_YEAR and (at.month, at.day) != (2, 29):
            return at.replace(year=at.year + step).isoformat()
        return (at + timedelta(days=step)).isoformat()
    if kind == "datetime":
        return _stamp(raw, timedelta(hours=step))
    if kind in ("code", "id"):
        digits = re.search(r"\d+$", str(raw))
        if digits and len(digits.group()) <= _LONGEST_NUMBER:
            number = int(digits.group()) + 1
            return like(raw, f"{str(raw)[: digits.start()]}{number:0{len(digits.group())}}")
    raise Unfit("the value has no neighbour")


def _stamp(raw: Any, by: timedelta) -> str:
    return (instant(raw) + by).isoformat().replace("+00:00", "Z")


def _number(raw: Any, value: Decimal) -> Any:
    if value < 0:
        value = abs(value) + 2
    text = format(value, "f")
    return text if isinstance(raw, str) else like(raw, text)


def rounded(kind: str, raw: Any) -> str:
    """The value without what makes it exact: an amount without cents, a day, no time."""
    if kind in ("money", "cents"):
        value = amount(kind, raw)
        whole = value.quantize(Decimal(1))
        if whole != value:
            return f"{whole:,}"
    if kind == "datetime":
        at = day(raw)
        return f"{at.day} {at:%B} {at.year}"
    raise Unfit("the value has nothing to round off")


def other_unit(kind: str, raw: Any) -> Any:
    """The amount in the wrong unit: cents for whole units, or the other way round."""
    if kind not in ("money", "cents", "quantity", "percent"):
        raise Unfit("the value has no unit")
    value = amount("", raw)
    if not value:
        raise Unfit("nothing is nothing in any unit")
    return _number(raw, value * 100)


def other_zone(kind: str, raw: Any) -> str:
    """The clock time in a zone where it is another instant, as a text."""
    if kind != "datetime":
        raise Unfit("the value has no zone")
    at = instant(raw)
    return f"{at:%Y-%m-%dT%H:%M:%S}-05:00"


def day_and_month_swapped(kind: str, raw: Any) -> str:
    """The date with its day read as the month."""
    if kind not in ("date", "datetime"):
        raise Unfit("the value is no date")
    at = day(raw)
    if at.day > 12 or at.day == at.month:
        raise Unfit("day and month cannot be taken for each other")
    return date(at.year, at.day, at.month).isoformat() + str(raw)[10:]


def mistyped(kind: str, raw: Any, rng: Random) -> Any:
    """The value with two neighbouring characters exchanged, or a digit changed."""
    text = str(raw)
    if kind in NUMBERS or kind in ("phone", "code", "id"):
        spots = [i for i, c in enumerate(text) if c.isdigit() and i > 0]
        if not spots:
            raise Unfit("there is no digit to mistype")
        spot = rng.choice(spots)
        digit = str((int(text[spot]) + rng.randint(1, 8)) % 10)
        return like(raw, f"{text[:spot]}{digit}{text[spot + 1 :]}")
    if kind in ("email", "person", "company", "file_name"):
        spots = [
            i
            for i in range(1, len(text) - 1)
            if text[i].isalpha() and text[i + 1].isalpha() and text[i] != text[i + 1]
        ]
        if not spots:
            raise Unfit("there are no letters to exchange")
        spot = rng.choice(spots)
        return f"{text[:spot]}{text[spot + 1]}{text[spot]}{text[spot + 2 :]}"
    raise Unfit("a typing error is not to be told from another wording")


def part_of(kind: str, raw: Any) -> str:
    """What is left where somebody writes only a part of the value."""
    made = _PARTS.get(kind)
    left = made(str(raw)) if made else ""
    if not left or left == str(raw):
        raise Unfit("the value has no parts")
    return left


def _half(text: str) -> str:
    words = text.split()
    return " ".join(words[: len(words) // 2])


_PARTS: Final[dict[str, Callable[[str], str]]] = {
    "person": lambda text: text.split()[0],
    "title": _half,
    "email": lambda text: text.partition("@")[0],
    "phone": lambda text: text[:-3],
    "date": lambda text: f"{day(text):%B} {day(text).year}",
    "datetime": lambda text: f"{day(text):%B} {day(text).year}",
    "code": lambda text: re.sub(r"\d+$", "", text).rstrip("-#"),
    "id": lambda text: text[: len(text) // 2],
    "money": lambda text: text[: len(text) // 2],
    "url": lambda text: text.rpartition("/")[0],
}
