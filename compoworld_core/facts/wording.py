"""How a person writes a fact: the usual way first, then other ways that mean the same."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

from compoworld_core.facts import calendar, countries, numbers

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SYMBOL = {"USD": "$", "EUR": "€", "GBP": "£", "INR": "₹"}
_SUFFIXES = ("th", "st", "nd", "rd")


def words_for(kind: str, value: Any, currency: str | None) -> list[str]:
    """List the ways to write a fact, the usual one first, without repetition."""
    if kind == "money":
        ways = _money(numbers.to_number(value), currency or _own_currency(value))
    elif kind == "cents":
        ways = _money(numbers.to_number(value) / 100, currency or _own_currency(value) or "USD")
    else:
        ways = _WAYS[kind](value) if kind in _WAYS else [str(value)]
    return list(dict.fromkeys(ways))


def _own_currency(value: Any) -> str | None:
    found = numbers.MARK.search(value) if isinstance(value, str) else None
    codes = numbers.currencies(found[0]) if found else ()
    return codes[0] if codes else None


def _money(amount: Decimal, currency: str | None) -> list[str]:
    sign, size = ("-" if amount < 0 else ""), abs(amount)
    places = max(2, -int(size.normalize().as_tuple().exponent))
    english = f"{size:,.{places}f}"
    plain = f"{size:.{places}f}"
    whole = [f"{size:,.0f}"] if size == size.to_integral() else []
    # Three decimals with a comma would read as thousands.
    german = english.translate(str.maketrans(",.", ".,")) if places == 2 else plain
    spaced = english.replace(",", " ")
    thousands = size / 1000
    short = []
    if size >= 1000 and thousands * 10 == (thousands * 10).to_integral():
        short = [f"{thousands.normalize():f}k"]
    bodies = [english, *whole, plain, german, spaced, *short]
    if currency is None:
        return [f"{sign}{body}" for body in bodies]
    symbol = _SYMBOL.get(currency)
    usual = [f"{sign}{symbol}{body}" for body in (english, *whole, *short)] if symbol else []
    return [
        *usual,
        *(f"{sign}{body} {currency}" for body in bodies),
        f"{currency} {sign}{plain}",
    ]


def _date(value: Any) -> list[str]:
    year, month, day = calendar.to_day(value)
    name = _MONTHS[month - 1]
    return [
        f"{day} {name} {year}",
        f"{name} {day}, {year}",
        f"{year:04}-{month:02}-{day:02}",
        f"{day} {name[:3]} {year}",
        f"{day}{_ordinal(day)} of {name} {year}",
        f"{year:04}/{month:02}/{day:02}",
        f"{day}.{month}.{year:04}",
        *([f"{year}{month:02}{day:02}"] if 1900 <= year < 2100 else []),
    ]


def _datetime(value: Any) -> list[str]:
    instant: datetime = calendar.to_instant(value)
    seconds = f":{instant:%S}" if instant.second or instant.microsecond else ""
    if instant.microsecond:
        seconds += f".{instant.microsecond:06}"
    clock = f"{instant:%H:%M}{seconds}"
    plain, american, iso, short, *_ = _date(instant)
    hour = instant.hour % 12 or 12
    half = "am" if instant.hour < 12 else "pm"
    spoken = [f"{hour}:{instant:%M} {half} UTC on {american}"] if not seconds else []
    return [
        f"{plain} at {clock} UTC",
        f"{american}, {clock} UTC",
        f"{iso}T{clock}Z",
        f"{iso} {clock}",
        f"{iso}T{clock}+00:00",
        f"{clock} on {short}",
        *spoken,
    ]


def _quantity(value: Any) -> list[str]:
    number = numbers.to_number(value)
    ways = [f"{number:,f}", f"{number:f}"]
    if number == number.to_integral() and 1 < number < len(_WORDS):
        ways.append(_WORDS[int(number)])
    return ways


def _percent(value: Any) -> list[str]:
    number = numbers.to_number(value)
    return [f"{number:f}%", f"{number:f} %", f"{number:f} percent"]


def _phone(value: Any) -> list[str]:
    text = str(value).strip()
    plus = "+" if text.startswith("+") else ""
    groups = [group for group in text.replace("-", " ").lstrip("+").split() if group]
    if len(groups) < 2 or not all(group.isdigit() for group in groups):
        return [text]
    return [text, plus + "".join(groups), f"{plus}{groups[0]} " + "-".join(groups[1:])]


def _person(value: Any) -> list[str]:
    parts = str(value).split()
    return [str(value)] if len(parts) != 2 else [str(value), f"{parts[1]}, {parts[0]}"]


def _folded(value: Any) -> list[str]:
    text = str(value)
    return [text, text.replace("_", " "), text.lower()]


def _company(value: Any) -> list[str]:
    text = str(value)
    return [text, text.replace(" ", "-"), text.upper()]


def _code(value: Any) -> list[str]:
    text = str(value)
    head, mark, tail = text.partition("-")
    spaced = [f"{head} {tail}"] if mark and head.isalpha() and tail.isdigit() else []
    return [text, text.lower(), *spaced]


def _country(value: Any) -> list[str]:
    names = countries.NAMES.get(countries.to_code(str(value)))
    return list(names[:1]) if names else [str(value)]


def _boolean(value: Any) -> list[str]:
    return ["yes", "true"] if value in (True, "true", "yes") else ["no", "false"]


def _ordinal(day: int) -> str:
    return "th" if 10 < day < 20 else _SUFFIXES[day % 10] if day % 10 < 4 else "th"


_WAYS: dict[str, Callable[[Any], list[str]]] = {
    "person": _person,
    "phone": _phone,
    "company": _company,
    "date": _date,
    "datetime": _datetime,
    "quantity": _quantity,
    "percent": _percent,
    "status": _folded,
    "tag": _folded,
    "email": lambda value: [str(value), str(value).upper()],
    "country": _country,
    "code": _code,
    "boolean": _boolean,
}
