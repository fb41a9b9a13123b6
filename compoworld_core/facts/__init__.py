"""Facts by semantic kind: one canonical value, comparison, and reading and writing in prose.

Typed fields are compared strictly (`equal`). Free text is read as a person reads it
(`mentions`, `asserts`, `states`, `find`, `grep`): other notations of a value count, other
values do not, and neither does what the text denies ("not INV-1", "instead of 5 March").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import UTC
from functools import lru_cache
from typing import Any, get_args

from compoworld_core.errors import UnknownName
from compoworld_core.facts import calendar, countries, numbers, prose, rivals, wording
from compoworld_core.facts.reading import Found, read, read_marked
from compoworld_core.types import Kind

Fact = tuple[str, Any]
"""A kind and a value. An amount may carry its currency as text: `("money", "1200 USD")`."""

KINDS: tuple[str, ...] = get_args(Kind)

_WORDED = frozenset(
    ["person", "email", "company", "title", "text", "file_name", "status", "tag", "code", "id"]
)
"""Kinds that a text names only by their own words."""
_RUN = re.compile(r"[a-z]+|[0-9]+")

_FLAT_KINDS = frozenset({"company", "title", "text", "status", "tag"})
_YES = frozenset({"true", "yes", "y", "on", "1", "enabled"})
_NO = frozenset({"false", "no", "n", "off", "0", "disabled"})


def normalise(kind: str, value: Any) -> Hashable:
    """Return the canonical form of a value; equal facts have one.

    ValueError where it is no such value.
    """
    return _of_text(kind, value) if type(value) is str else _canonical(kind, value)


def _canonical(kind: str, value: Any) -> Hashable:
    try:
        canonical = _CANONICAL[kind]
    except KeyError:
        raise UnknownName("semantic kind", kind, (), ", ".join(KINDS)) from None
    return canonical(value)


_of_text = lru_cache(maxsize=1 << 14)(_canonical)
"""Of a text. Judging compares the same few values again and again."""


def equal(kind: str, a: Any, b: Any) -> bool:
    """Say whether two typed values are one: 33 and 33.0, one instant in two offsets."""
    if a is None or b is None:
        return a is b
    if type(a) is type(b) and a == b and kind in _CANONICAL:
        return True  # most comparisons end here, without a canonical form
    try:
        return normalise(kind, a) == normalise(kind, b)
    except ValueError:
        # A value that is no fact of its kind (a free-form due date) equals only itself.
        return bool(a == b)


def mentions(kind: str, value: Any, text: str, *, currency: str | None = None) -> bool:
    """Say whether a free text names this fact, in whatever notation, and does not deny it.

    Leaving it open ("is it 5 March?") names it too: see `asserts`.

    Of a text longer than 20,000 characters only the beginning is read.

    Args:
        currency: ISO code of an amount; the text may leave it out but may not name another.
    """
    return _stands(kind, value, text, currency, doubted=True)


def asserts(kind: str, value: Any, text: str) -> bool:
    """Say whether a text states this fact: it neither denies it nor leaves it open."""
    return _stands(kind, value, text, None, doubted=False)


def _stands(kind: str, value: Any, text: str, currency: str | None, *, doubted: bool) -> bool:
    if value is None or value == "" or not text:
        return False
    if type(value) is str:
        return _mentions(kind, value, text, currency, doubted)
    return _look(kind, value, text, currency, doubted)


def _look(kind: str, value: Any, text: str, currency: str | None, doubted: bool) -> bool:
    if kind in _WORDED and type(value) is str:
        word = _longest(value)
        if word and text.isascii() and word not in text.lower():
            return False
    if kind in ("money", "cents") and currency is None:
        currency = _written_currency(value)
    canonical = normalise(kind, value)
    reading = read(text)
    places = list(reading.places(kind, canonical, currency))
    if not places and reading.had_marks:
        # The marks may be a part of the value: a title that is written `*Launch*`.
        places = list(read_marked(text).places(kind, canonical, currency))
    return any(not place.negated and (doubted or not place.doubted) for place in places)


_mentions = lru_cache(maxsize=1 << 12)(_look)
"""Of a value that is a text. A proof asks the same of the same note for dozens of outcomes."""


@lru_cache(maxsize=1 << 12)
def _longest(value: str) -> str:
    """The longest run of letters or of digits, which a text that names the value must hold."""
    return max(_RUN.findall(value.lower()), key=len, default="") if value.isascii() else ""


def states(
    text: str, facts: Sequence[Fact], decoys: Sequence[Fact] = ()
) -> tuple[list[Fact], list[Fact]]:
    """Return which of the facts a text lacks, and which of the decoys it states.

    A decoy that equals an expected fact does not count, nor does one that is only a part of an
    expected name (`Launch plan` in `Launch plan details`).
    """
    missing = [(kind, value) for kind, value in facts if not asserts(kind, value, text)]
    found = []
    expected: dict[str, list[Any]] = {}
    for kind, value in facts:
        expected.setdefault(kind, []).append(value)
    for kind, value in decoys:
        same_kind = expected.get(kind)
        if same_kind and any(equal(kind, value, right) for right in same_kind):
            continue
        if mentions(kind, value, _without_longer(kind, value, facts, text)):
            found.append((kind, value))
    return missing, found


def alternatives(text: str, facts: Sequence[Fact], beside: Sequence[Fact] = ()) -> list[Fact]:
    """List other facts that a text ties to its own: "INV-1 or INV-2", "INV-1, INV-2, INV-3".

    Args:
        beside: facts that the text states too, for another reason.
    """
    reading, found = read(text), []
    for kind, values in _by_kind(facts).items():
        for spot in rivals.joined(kind, reading, values):
            said = reading.text[spot.place.start : spot.place.end]
            # A day of an expected time, a number that is another fact's.
            if not any(mentions(k, v, said) for k, v in (*facts, *beside)):
                found.append((kind, spot.values[0]))
    return found


def others(
    kind: str, text: str, facts: Sequence[Fact], asides: Sequence[Fact], pool: rivals.Pool
) -> list[Any]:
    """List the values of a column that a text states beside its facts.

    Args:
        asides: facts that the text may name too, unless it ties them to its own.
    """
    values = _by_kind(facts).get(kind, [])
    own, quiet = ([str(value) for _, value in some] for some in (facts, asides))
    return list(rivals.listed(kind, read(text), values, own, quiet, pool))


def pool_of(kind: str, values: Iterable[Any]) -> rivals.Pool:
    """Make the values of a column ready to be found in texts."""
    pool = rivals.Pool()
    for value in values:
        if value is None or value == "":
            continue
        if kind in rivals.NAMED:
            pool.add_name(value)
            continue
        try:
            pool.canonical.setdefault(normalise(kind, value), value)
        except ValueError:
            continue  # a value that is no fact of its kind is not found in texts either
    return pool


def _by_kind(facts: Sequence[Fact]) -> dict[str, list[Hashable]]:
    found: dict[str, list[Hashable]] = {}
    for kind, value in facts:
        if value is not None and value != "":
            found.setdefault(kind, []).append(normalise(kind, value))
    return found


def find(kind: str, text: str) -> list[Hashable]:
    """List the distinct facts of a kind that a text states, canonical, in order.

    Of a text longer than 20,000 characters only the beginning is read.
    """
    return list(_stated(kind, text))


def grep(kind: str, text: str) -> Any:
    """Return the one fact of a kind that a text states, as a tool takes it.

    Dates come as `date`, instants as `datetime`, amounts as `Decimal`, counts as `int`, the
    rest as written. ValueError unless there is exactly one.
    """
    stated = _stated(kind, text)
    if len(stated) != 1:
        listed = ", ".join(repr(str(value)) for value in stated.values())
        raise ValueError(f"expected one {kind} in the text, found {listed or 'none'}")
    return next(iter(stated.values()))


def render(kind: str, value: Any, style: int = 0, *, currency: str | None = None) -> str:
    """Write a fact as a person does; higher styles are other notations, in a cycle."""
    ways = renderings(kind, value, currency=currency)
    return ways[style % len(ways)]


def renderings(kind: str, value: Any, *, currency: str | None = None) -> list[str]:
    """List ways to write a fact, the usual one first; `mentions` accepts each."""
    if kind not in _CANONICAL:
        raise UnknownName("semantic kind", kind, (), ", ".join(KINDS))
    return wording.words_for(kind, value, currency)


def _stated(kind: str, text: str) -> dict[Hashable, Any]:
    if kind not in _CANONICAL:
        raise UnknownName("semantic kind", kind, (), ", ".join(KINDS))
    # A text or title as a whole is kept as it is written.
    reader = read_marked if kind in ("text", "title") else read
    found: Iterable[Found] = reader(text).find(kind) if text else ()
    stated: dict[Hashable, Any] = {}
    for place, value in found:
        if not place.negated:
            stated.setdefault(normalise(kind, value), value)
    return stated


def _without_longer(kind: str, value: Any, facts: Sequence[Fact], text: str) -> str:
    """Take expected names out of a text where they contain a decoy as a part."""
    if kind not in _FLAT_KINDS:
        return text
    needle = _flat(str(value))
    longer = [
        name
        for k, v in facts
        if k in _FLAT_KINDS and needle in (name := _flat(str(v))) and name != needle
    ]
    if not longer:
        return text
    view = read(text).flat
    for name in longer:
        view = view.replace(name, prose.FILLER * len(name))
    return view


_flat = lru_cache(maxsize=1 << 12)(prose.flat)
"""Of a name, which is short."""


def _written_currency(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    mark = numbers.MARK.search(value)
    codes = numbers.currencies(mark[0]) if mark else ()
    return codes[0] if codes else None


def _name(value: Any) -> str:
    return " ".join(str(value).split()).casefold()


def _label(value: Any) -> str:
    return re.sub(r"[-_\s]+", " ", str(value).lstrip("#")).strip().casefold()


def _identifier(value: Any) -> str:
    return str(value).strip()


def _phone(value: Any) -> str:
    digits = re.sub(r"\(0\)|[^\d]", "", str(value))
    if not digits:
        raise ValueError(f"{value!r} is not a phone number; write it as +44 20 7946 0958")
    return digits.removeprefix("00")


def _url(value: Any) -> str:
    scheme, mark, rest = str(value).strip().partition("://")
    if not mark:
        return str(value).strip().rstrip("/")
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}://{host.lower()}{slash}{path}".rstrip("/")


def _currency(value: Any) -> str:
    codes = numbers.currencies(str(value))
    return codes[0] if codes else str(value).strip().upper()


def _boolean(value: Any) -> bool:
    folded = str(value).strip().casefold()
    if folded not in _YES | _NO:
        raise ValueError(f"{value!r} is neither true nor false")
    return folded in _YES


def _instant(value: Any) -> Hashable:
    return calendar.to_instant(value).astimezone(UTC)


_CANONICAL: dict[str, Callable[[Any], Hashable]] = {
    "person": _name,
    "email": _name,
    "phone": _phone,
    "company": _name,
    "money": numbers.to_number,
    "cents": numbers.to_number,
    "currency": _currency,
    "date": calendar.to_day,
    "datetime": _instant,
    "url": _url,
    "file_name": _name,
    "text": _name,
    "title": _name,
    "quantity": numbers.to_number,
    "percent": numbers.to_number,
    "status": _label,
    "tag": _label,
    "country": lambda value: countries.to_code(str(value)),
    "code": _name,
    "id": _identifier,
    "boolean": _boolean,
}
assert set(_CANONICAL) == set(KINDS), "every semantic kind needs a canonical form"
