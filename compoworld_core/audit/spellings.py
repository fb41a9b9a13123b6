"""Spellings: the same value as different people write it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from random import Random
from typing import Any, Final

from compoworld_core import pools
from compoworld_core.audit.writes import Unfit

_SMALL: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip


def day(raw: Any) -> date:
    """The day that a value names; Unfit where it names none."""
    try:
        return date.fromisoformat(str(raw)[:10])
    except ValueError as error:
        raise Unfit("the value is no day") from error


def instant(raw: Any) -> datetime:
    """The instant that a value names; Unfit where it names none."""
    try:
        found = datetime.fromisoformat(str(raw).replace("Z", "+00:00"))
    except ValueError as error:
        raise Unfit("the value is no instant") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def amount(kind: str, raw: Any) -> Decimal:
    """The amount in its main unit; Unfit where it is none."""
    try:
        found = Decimal(str(raw))
    except InvalidOperation as error:
        raise Unfit("the value is no amount") from error
    return found / 100 if kind == "cents" else found


def plain(kind: str, raw: Any) -> str:
    """How a person would simply write a value of this kind."""
    if kind == "date":
        return _long_day(day(raw))
    if kind == "datetime":
        at = instant(raw).astimezone(UTC)
        return f"{_long_day(at.date())}, {at:%H:%M} UTC"
    if kind in ("money", "cents"):
        return _grouped(amount(kind, raw), ",")
    return str(raw)


def _long_day(at: date) -> str:
    return f"{at.day} {at:%B} {at.year}"


def _ordinal(number: int) -> str:
    if 10 < number % 100 < 14:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def _dates(raw: Any) -> list[str]:
    at = day(raw)
    return [
        at.isoformat(),
        f"{at:%B} {at.day}, {at.year}",
        f"{at:%a}, {at.day} {at:%b} {at.year}",
        f"{at:%b} {_ordinal(at.day)}, {at.year}",
        f"the {_ordinal(at.day)} of {at:%B} {at.year}",
        f"{at:%Y/%m/%d}",
        f"{at.day:02} {at:%b} {at.year}",
        f"{at:%A} {at.day} {at:%B} {at.year}",
        f"{at.isoformat()} ({at:%A})",
    ]


def _instants(raw: Any) -> list[str]:
    at = instant(raw).astimezone(UTC)
    there = at.astimezone(timezone(timedelta(hours=2)))
    clock = f"{at:%I:%M %p}".lstrip("0")
    return [
        f"{at:%Y-%m-%d %H:%M} UTC",
        f"{at:%Y-%m-%dT%H:%M:%SZ}",
        there.isoformat(),
        f"{at:%B} {at.day}, {at.year} at {clock} UTC",
        f"{at:%a} {at.day} {at:%b} {at.year}, {at:%H:%M} (UTC)",
        f"{at.day} {at:%B} {at.year} at {clock.lower()} UTC",
        f"{at:%A}, {at:%B} {_ordinal(at.day)}, {at.year}, {clock.replace(' ', '')} GMT",
        f"{at:%Y-%m-%dT%H:%MZ}",
    ]


def _grouped(value: Decimal, separator: str) -> str:
    whole = value == value.to_integral_value()
    text = f"{value:,.0f}" if whole else f"{value:,.2f}"
    return text.replace(",", separator)


def _amounts(kind: str, raw: Any) -> list[str]:
    value = amount(kind, raw)
    return [
        f"{value:.2f}",
        f"{value:,.2f}",
        _grouped(value, ","),
        f"{value:,.2f}".replace(",", " "),
        f"{value:,.2f}".replace(",", "'"),
        f"{value:,.2f}".translate(str.maketrans(",.", ".,")),
    ]


_SIGNS: Final = {"$": "USD", "€": "EUR", "£": "GBP"}


def _with_currency(kind: str, raw: Any, shown: str) -> list[str]:
    """The amount with its currency, where it is shown with its sign."""
    value = amount(kind, raw)
    for sign, word in _SIGNS.items():
        if sign in shown:
            return [
                f"{word} {value:,.2f}",
                f"{value:,.2f} {word}",
                f"{value:.2f} {word}",
                f"{sign}{value:.2f}",
                f"{value:,.2f} {sign}",
                f"{value:,.2f} {word}".translate(str.maketrans(",.", ".,")),
            ]
    return []


def _quantities(raw: Any) -> list[str]:
    value = amount("quantity", raw)
    number = int(value)
    found = [f"{number}.0", f"{number:,}"]
    if 0 <= number < len(_SMALL):
        found.append(_SMALL[number])
    return found


def _people(raw: Any) -> list[str]:
    words = str(raw).split()
    if len(words) != 2 or words[0] not in pools.FIRST_NAMES:
        return [str(raw).upper(), str(raw).lower()]
    first, last = words
    return [
        f"{last}, {first}",
        f"{last.upper()}, {first}",
        str(raw).upper(),
        f"{first}  {last}",
    ]


def _phones(raw: Any) -> list[str]:
    groups = str(raw).lstrip("+").split()
    digits = "".join(groups)
    return [
        f"+{digits}",
        "+" + "-".join(groups),
        f"00{digits}",
        f"+{groups[0]} ({groups[1]}) {'-'.join(groups[2:])}"
        if len(groups) > 2
        else f"+{digits}",
        "+" + ".".join(groups),
    ]


def _emails(raw: Any) -> list[str]:
    name, at, host = str(raw).partition("@")
    return [str(raw).upper(), f"<{raw}>", f"mailto:{raw}", f"{name.capitalize()}{at}{host}"]


def _codes(raw: Any) -> list[str]:
    text = str(raw)
    found = [text.lower(), f"({text})", f'"{text}"', f"no. {text}"]
    if re.fullmatch(r"[A-Z]{2,}-\d+", text):
        found.append(text.replace("-", " "))
    return found


def _titles(raw: Any) -> list[str]:
    text = str(raw)
    return [text.upper(), text.lower(), f"“{text}”", f"'{text}'", text.replace(" ", "  ", 1)]


def _ids(raw: Any) -> list[str]:
    return [f"`{raw}`", f"({raw})", f'"{raw}"', f"#{raw}" if str(raw).isdigit() else f"<{raw}>"]


_SPELLINGS: Final[dict[str, Callable[[Any], list[str]]]] = {
    "date": _dates,
    "datetime": _instants,
    "money": lambda raw: _amounts("money", raw),
    "cents": lambda raw: _amounts("cents", raw),
    "quantity": _quantities,
    "percent": lambda raw: [f"{amount('percent', raw)} %", f"{amount('percent', raw)} percent"],
    "person": _people,
    "company": lambda raw: [str(raw).upper(), str(raw).lower(), f"“{raw}”"],
    "phone": _phones,
    "email": _emails,
    "code": _codes,
    "title": _titles,
    "tag": lambda raw: [str(raw).lower(), f'"{raw}"'],
    "status": lambda raw: [str(raw).lower(), str(raw).replace("_", " ")],
    "id": _ids,
    "url": lambda raw: [f"<{raw}>", f"({raw})"],
    "currency": lambda raw: [str(raw).lower(), str(raw).upper()],
    "country": lambda raw: [str(raw).upper()],
    "file_name": lambda raw: [f'"{raw}"', f"({raw})"],
}


def spellings(kind: str, raw: Any, shown: str) -> list[str]:
    """Other ways to write a value in a text, none of them as it is shown."""
    made = _SPELLINGS.get(kind)
    found = made(raw) if made else []
    if kind in ("money", "cents"):
        found = _with_currency(kind, raw, shown) or found
    return [text for text in found if text != shown]


def other_spelling(kind: str, raw: Any, shown: str, rng: Random) -> str:
    """One of the other ways; Unfit where there is none."""
    found = spellings(kind, raw, shown)
    if not found:
        raise Unfit("the value has one spelling")
    return rng.choice(found)
