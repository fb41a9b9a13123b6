"""Drawers: a fresh value of each semantic kind, shaped like the values it will stand among."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Container, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any, get_args

from compoworld_core import cast, pools
from compoworld_core.errors import UnknownName
from compoworld_core.types import Kind

Drawer = Callable[[Random, Sequence[Any]], Any]

_TRIES = 500
_SPAN_START = date(2026, 1, 5)
_TRAILING_NUMBER = re.compile(r"^(.*?)(\d+)$", re.DOTALL)
_RANDOM_TAIL = re.compile(r"^(.*[-_:/.])?([^-_:/.]+)$", re.DOTALL)


def draw(
    kind: str,
    rng: Random,
    *,
    taken: Container[object] = frozenset(),
    like: Sequence[Any] = (),
) -> Any:
    """Draw a value of a semantic kind that is not in `taken`.

    Args:
        taken: values that must not come up, as drawn or as case-folded text.
        like: values of the same field; the result has their Python type, form and range
            (an ISO string among ISO strings, a code with their prefix, a status of theirs).
    """
    if kind not in _DRAWERS:
        raise UnknownName("semantic kind", kind, (), ", ".join(sorted(_DRAWERS)))
    drawer = _DRAWERS[kind]
    seen = [value for value in like if value is not None]
    for _ in range(_TRIES):
        value = _as_type(drawer(rng, seen), seen)
        if not cast.is_taken(value, taken):
            return value
    raise cast.exhausted(kind)


def _person(rng: Random, like: Sequence[Any]) -> str:
    return f"{rng.choice(pools.FIRST_NAMES)} {rng.choice(pools.LAST_NAMES)}"


def _email(rng: Random, like: Sequence[Any]) -> str:
    first, last = _person(rng, ()).lower().split()
    domains = [str(value).rpartition("@")[2] for value in like]
    shared = domains[0] if domains else ""
    # One domain for most of them means one firm's own people; otherwise a new firm each.
    if not shared or domains.count(shared) * 2 <= len(domains):
        shared = cast.fresh_company(rng).domain
    return f"{rng.choice((f'{first}.{last}', f'{first[0]}{last}'))}@{shared}"


def _phone(rng: Random, like: Sequence[Any]) -> str:
    return cast.fresh_phone(rng) if not like else _redigit(rng, str(rng.choice(like)), keep=4)


def _company(rng: Random, like: Sequence[Any]) -> str:
    return cast.fresh_company(rng).name


def _money(rng: Random, like: Sequence[Any]) -> Decimal:
    seen = [Decimal(str(value)) for value in like if _is_number(value)]
    low, high = (min(seen), max(seen)) if seen else (Decimal(20), Decimal(5000))
    if low == high:
        low, high = low / 2, high * 2 + 10
    whole = bool(seen) and all(value == value.to_integral() for value in seen)
    drawn = low + (high - low) * Decimal(rng.randrange(10_000)) / 10_000
    return drawn.quantize(Decimal(1) if whole else Decimal("0.01"))


def _integer(low: int, high: int) -> Drawer:
    def drawer(rng: Random, like: Sequence[Any]) -> int:
        seen = [int(Decimal(str(value))) for value in like if _is_number(value)]
        bottom, top = (min(seen), max(seen)) if seen else (low, high)
        # A little beyond the seen range, so that a column of equal values has fresh ones too.
        return rng.randint(bottom, max(top, bottom + 9))

    return drawer


def _percent(rng: Random, like: Sequence[Any]) -> Decimal:
    seen = [Decimal(str(value)) for value in like if _is_number(value)]
    if seen and max(seen) <= 1 and any(value != value.to_integral() for value in seen):
        return Decimal(rng.randrange(1, 100)) / 100
    return Decimal(rng.randrange(1, 100))


def _date(rng: Random, like: Sequence[Any]) -> date:
    seen = [day for value in like if (day := _day(value)) is not None]
    first, last = (min(seen), max(seen)) if seen else (_SPAN_START, _SPAN_START)
    return first + timedelta(days=rng.randint(0, max((last - first).days, 90)))


def _datetime(rng: Random, like: Sequence[Any]) -> datetime:
    day = _date(rng, like)
    minute = rng.choice((0, 0, 0, 15, 30, 30, 45))
    return datetime(day.year, day.month, day.day, rng.randrange(8, 18), minute, tzinfo=UTC)


def _url(rng: Random, like: Sequence[Any]) -> str:
    if like:
        return _reshape(rng, str(rng.choice(like)))
    slug = _title(rng, ()).lower().replace(" ", "-")
    return f"https://{cast.fresh_company(rng).domain}/{slug}"


def _file_name(rng: Random, like: Sequence[Any]) -> str:
    dotted = [str(value) for value in like if "." in str(value)]
    extension = rng.choice(dotted).rpartition(".")[2] if dotted else None
    slug = _title(rng, ()).lower().replace(" ", "-")
    return f"{slug}.{extension or rng.choice(pools.FILE_EXTENSIONS)}"


def _title(rng: Random, like: Sequence[Any]) -> str:
    topic, form = rng.choice(pools.TOPICS), rng.choice(pools.TOPIC_FORMS)
    return f"{topic} {form} {cast.fresh_stem(rng)}"


def _text(rng: Random, like: Sequence[Any]) -> str:
    company = cast.fresh_company(rng).name
    topic = rng.choice(pools.TOPICS).lower()
    chosen = rng.sample(pools.SENTENCES, rng.choice((1, 2, 2)))
    first = rng.choice(pools.FIRST_NAMES)
    return " ".join(s.format(topic=topic, company=company, first=first) for s in chosen)


def _one_of(pool: Sequence[str]) -> Drawer:
    def drawer(rng: Random, like: Sequence[Any]) -> Any:
        return rng.choice(list(dict.fromkeys(like)) or pool)

    return drawer


def _tag(rng: Random, like: Sequence[Any]) -> str:
    known = [str(value) for value in like]
    return rng.choice([*dict.fromkeys(known), *pools.TAGS])


def _code(rng: Random, like: Sequence[Any]) -> str:
    if not like:
        return f"REF-{rng.randrange(100_000, 1_000_000)}"
    model = str(rng.choice(like))
    parts = _TRAILING_NUMBER.match(model)
    if parts is None:
        return _reshape(rng, model)
    prefix, digits = parts.groups()
    seen = [
        int(number[2])
        for value in like
        if (number := _TRAILING_NUMBER.match(str(value))) and number[1] == prefix
    ]
    low, high = min(seen), max(seen)
    width = len(digits)
    top = max(high + max(40, high - low), low + 100)
    return f"{prefix}{str(rng.randint(low, top)).zfill(width)}"


def _identifier(rng: Random, like: Sequence[Any]) -> Any:
    if not like:
        return "".join(rng.choice(string.ascii_lowercase + string.digits) for _ in range(12))
    model = rng.choice(like)
    if isinstance(model, int):
        return _integer(1, 1000)(rng, like)
    return _reshape(rng, str(model))


def _boolean(rng: Random, like: Sequence[Any]) -> bool:
    return rng.random() < 0.5


def _reshape(rng: Random, model: str) -> str:
    """Draw letters and digits anew in the last part of an identifier, keeping its form."""
    parts = _RANDOM_TAIL.match(model)
    head, tail = (parts[1] or "", parts[2]) if parts else ("", model)
    return head + "".join(_same_class(rng, character) for character in tail)


def _redigit(rng: Random, model: str, *, keep: int) -> str:
    """Draw all digits anew but the first `keep` characters'."""
    # No zeros: a leading one would read as a trunk prefix.
    tail = (str(rng.randrange(1, 10)) if c.isdigit() else c for c in model[keep:])
    return model[:keep] + "".join(tail)


def _same_class(rng: Random, character: str) -> str:
    for alphabet in (string.digits, string.ascii_lowercase, string.ascii_uppercase):
        if character in alphabet:
            return rng.choice(alphabet)
    return character


def _is_number(value: object) -> bool:
    return (
        not isinstance(value, bool) and re.fullmatch(r"-?\d+(\.\d+)?", str(value)) is not None
    )


def _day(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, int | float):
        return _instant(value).date()
    try:
        return datetime.fromisoformat(str(value)).date()
    except ValueError:
        return None


def _instant(epoch: float) -> datetime:
    """Read an epoch in seconds, or in milliseconds where seconds would be millennia away."""
    return datetime.fromtimestamp(epoch / 1000 if epoch > 1e11 else epoch, tz=UTC)


def _as_type(value: Any, like: Sequence[Any]) -> Any:
    """Give a value the Python type, and an instant the notation, of its examples."""
    if not like or (isinstance(value, type(like[0])) and not isinstance(value, bool)):
        return value
    model = like[0]
    if isinstance(value, datetime | date):
        return _instant_as(value, model)
    if isinstance(model, str):
        return str(value)
    if isinstance(model, Decimal):
        return Decimal(str(value))
    if isinstance(model, int | float) and isinstance(value, Decimal):
        return type(model)(value)
    return value


def _instant_as(value: datetime | date, model: Any) -> Any:
    moment = (
        value
        if isinstance(value, datetime)
        else datetime(value.year, value.month, value.day, tzinfo=UTC)
    )
    if isinstance(model, int | float) and not isinstance(model, bool):
        seconds = moment.timestamp()
        return type(model)(seconds * 1000 if model > 1e11 else seconds)
    if isinstance(model, datetime):
        return moment
    if not isinstance(model, str):
        return value
    if not isinstance(value, datetime) or len(model) == len("2026-01-05"):
        return moment.date().isoformat()
    text = moment.isoformat()
    return text.replace("+00:00", "Z") if model.endswith("Z") else text


_DRAWERS: dict[str, Drawer] = {
    "person": _person,
    "email": _email,
    "phone": _phone,
    "company": _company,
    "money": _money,
    "cents": _integer(2000, 500_000),
    "currency": _one_of(pools.CURRENCIES),
    "date": _date,
    "datetime": _datetime,
    "url": _url,
    "file_name": _file_name,
    "text": _text,
    "title": _title,
    "quantity": _integer(1, 40),
    "percent": _percent,
    "status": _one_of(pools.STATUSES),
    "tag": _tag,
    "country": _one_of(tuple(country.name for country in pools.HOME_COUNTRIES)),
    "code": _code,
    "id": _identifier,
    "boolean": _boolean,
}
assert set(_DRAWERS) == set(get_args(Kind)), "every semantic kind needs a drawer"
