"""Numbers in free text: amounts with their currency, percentages and counts."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from attrs import frozen

from compoworld_core.facts.prose import FILLER

SYMBOLS: dict[str, tuple[str, ...]] = {
    "$": ("USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"),
    "us$": ("USD",),
    "ca$": ("CAD",),
    "c$": ("CAD",),
    "a$": ("AUD",),
    "au$": ("AUD",),
    "nz$": ("NZD",),
    "hk$": ("HKD",),
    "r$": ("BRL",),
    "€": ("EUR",),
    "£": ("GBP",),
    "¥": ("JPY", "CNY"),
    "₹": ("INR",),
    "rs": ("INR",),
    "kr": ("SEK", "NOK", "DKK"),
    "zł": ("PLN",),
    "dollar": ("USD", "CAD", "AUD", "NZD", "SGD", "HKD"),
    "buck": ("USD",),
    "euro": ("EUR",),
    "pound": ("GBP",),
    "yen": ("JPY",),
    "rupee": ("INR",),
    "franc": ("CHF",),
    "krona": ("SEK",),
    "krone": ("NOK", "DKK"),
    "kroner": ("NOK", "DKK"),
    "kronor": ("SEK",),
    "zloty": ("PLN",),
}
"""Currency marks as people write them, the likeliest currency first."""

ISO_CODES = (
    "USD", "EUR", "GBP", "JPY", "CHF", "SEK", "NOK", "DKK", "PLN", "CAD", "AUD", "NZD", "INR",
    "CNY", "BRL", "MXN", "SGD", "HKD", "CZK", "HUF", "ZAR", "KRW", "TRY", "ILS", "THB", "RON",
)  # fmt: skip

_SCALES = {"k": 3, "thousand": 3, "m": 6, "mn": 6, "million": 6, "bn": 9, "b": 9, "billion": 9}
_UNITS = {
    word: n
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()  # noqa: SIM905
    )
}
_TENS = {
    word: n * 10
    for n, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2
    )
}
_I = re.IGNORECASE
_CODES = "|".join(ISO_CODES)
_CODE = rf"(?:{_CODES})"
_SYMBOL = r"(?:(?:us|ca|c|au|a|nz|hk|r)?\$|[€£¥₹]|rs\.?|kr\.?|zł)"
_WORDS = r"(?:dollars?|bucks?|euros?|pounds?|yen|rupees?|francs?|kron(?:a|er?|or)|zloty)"
MARK = re.compile(rf"(?<![a-z]){_SYMBOL}|\b{_CODE}\b|\b{_WORDS}\b", _I)
_NUMBER = re.compile(
    rf"(?<!\d[.,'])(?P<sign>(?<![\w)\]])-)?"
    rf"(?:(?<![a-z0-9_])(?P<pre>{_CODE}|{_SYMBOL})\s?(?P<inner>-)?|(?<![\w.]))"
    rf"(?P<digits>\d{{1,3}}(?:\ \d{{3}})++(?!\d)(?:[.,]\d+)?+|\d++(?:[.,']\d++)*+)"
    rf"(?:\.?-(?![\w-]))?"
    rf"(?:(?P<scale>k|mn?|bn?)(?![a-z0-9])|\s(?P<scaleword>thousand|million|billion)\b)?"
    rf"(?:\s?(?P<post>%|percent\b|per\ cent\b|pct\b|cents?\b|{_CODE}\b|{_WORDS}\b"
    rf"|(?:us)?\$|[€£¥₹]|kr\b\.?|zł))?"
    rf"(?![\w%]|-[^\W\d_]|[.,']\d)",
    _I,
)
_SPELT = re.compile(
    rf"(?<![\w-])(?:(?:{'|'.join([*_UNITS, *_TENS])}|hundred|thousand)"
    rf"(?:(?:\s+and\s+|[\s-]+)(?={'|'.join([*_UNITS, *_TENS])}|hundred|thousand))?)+(?![\w-])",
    _I,
)
_GLUED = re.compile(r"(?<![\w-])\w+(?:[-_]\w+)*")
_GLUED_AMOUNT = re.compile(
    rf"(?:{_CODE})?\d+(?:k|mn?|bn?)?(?:{_CODE})?|\d+(?:-(?:{_CODE}))", _I
)
_RATIO = re.compile(r"(?<!\w)\d+(?:\s?/\s?\d+)+(?!\w)")
_RANGE = re.compile(r"(?<!\w)\d[\d.,]*(?:-\d[\d.,]*)+(?<![.,])")
_GROUPED = re.compile(r"\d{1,3}(?:([ ,.'])\d{3})(?:\1\d{3})*")
_INDIAN = re.compile(r"\d{1,2}(?:,\d\d)+,\d{3}")

_LABEL = re.compile(
    r"(?:#|\b(?:version|v|room|step|item|no|nr|number|phase|part|chapter|page|line|level|tier|"
    r"week|day|section|option|building|floor|gate|dock|suite|quarter|order|invoice|ticket|"
    r"issue|case|account|ref|id|po|unit|box|bay|track|hall|desk|table|figure|appendix)\.?\s*#?)"
    r"\s*$",
    _I,
)
_THINGS = re.compile(
    r"\s+(?!(?:is|was|has|as|plus|less|minus|this|its|versus|vs|does|times|across)\b)[a-z]+s\b"
)
_BULLET = re.compile(r"(?:^|\n)\s*$")


@frozen
class Number:
    """A number in a text."""

    start: int
    end: int
    readings: tuple[Decimal, ...]
    """Likeliest first: `1.200` may be 1.2 or, as in much of Europe, 1200."""
    marks: tuple[str, ...] = ()
    """ISO codes that the currency mark beside it may mean."""
    percent: bool = False
    in_cents: bool = False
    label: bool = False
    """It names something (room 3, step 2) and counts nothing."""
    counts_things: bool = False
    """A plural noun follows: it is a count rather than an amount."""

    @property
    def amount(self) -> bool:
        """Whether the text can mean an amount of money."""
        return bool(self.marks) or self.in_cents or not (
            self.percent or self.counts_things or self.label
        )

    @property
    def count(self) -> bool:
        """Whether the text can mean a count."""
        return not (self.marks or self.percent or self.in_cents or self.label)


def numbers_in(masked: str) -> list[Number]:
    """Find the numbers in a text whose dates, times, phones and addresses are masked."""
    text = mask(masked, [m.span() for m in _GLUED.finditer(masked) if _is_code(m[0])])
    text = mask(text, [m.span() for m in _RATIO.finditer(text)])
    text = mask(text, [m.span() for m in _RANGE.finditer(text)])
    found = [n for m in _NUMBER.finditer(text) if (n := _number(m, text)) is not None]
    found += [n for m in _SPELT.finditer(text) if (n := _spelt(m, text)) is not None]
    return sorted(found, key=lambda number: number.start)


def mask(text: str, spans: list[tuple[int, int]]) -> str:
    """Overwrite spans, keeping every place where it is."""
    for start, end in spans:
        text = text[:start] + FILLER * (end - start) + text[end:]
    return text


def currencies(mark: str) -> tuple[str, ...]:
    """Read a currency mark or word as the ISO codes it may mean."""
    key = mark.strip().rstrip(".").casefold()
    if key.upper() in ISO_CODES:
        return (key.upper(),)
    return SYMBOLS.get(key) or SYMBOLS.get(key.rstrip("s"), ())


def parse_digits(digits: str) -> tuple[Decimal, ...]:
    """Read digits with separators, likeliest first; nothing where they are no number."""
    grouped = _GROUPED.match(digits)
    whole = grouped[0] if grouped else ""
    mark = grouped[1] if grouped else ""
    rest = digits[len(whole) :]
    if grouped and not whole.startswith("0"):
        joined = whole.replace(mark, "")
        if not rest:
            # A single point before three digits is a decimal point to most of the world.
            plain = (Decimal(whole),) if mark == "." and whole.count(".") == 1 else ()
            return (*plain, Decimal(joined))
        if rest[0] in ".," and rest[0] != mark and rest[1:].isdigit():
            return (Decimal(f"{joined}.{rest[1:]}"),)
        if mark in " '" or whole.count(mark) > 1:
            return ()
    indian = _INDIAN.match(digits)
    if indian and (len(digits) == indian.end() or digits[indian.end()] == "."):
        return (Decimal(digits.replace(",", "")),)
    if digits.isdigit():
        return (Decimal(digits),)
    point = re.fullmatch(r"(\d+)[.,](\d+)", digits)
    return (Decimal(f"{point[1]}.{point[2]}"),) if point else ()


def to_number(value: Any) -> Decimal:
    """Read a typed value as a number; 33, 33.0 and "33" are one value."""
    if isinstance(value, bool):
        raise ValueError(f"{value!r} is no number")  # noqa: TRY004 - one error for all misfits
    if isinstance(value, Decimal | int | float):
        number = Decimal(str(value))
    else:
        found = [n for n in numbers_in(str(value).strip()) if n.readings]
        if len(found) != 1:
            raise ValueError(f"{value!r} is not one number; write it as 1200.50")
        number = found[0].readings[0]
    if not number.is_finite():
        raise ValueError(f"{value!r} is not a finite number")
    return number.quantize(Decimal(1)) if number == number.to_integral() else number.normalize()


def _is_code(token: str) -> bool:
    """Say whether a token mixes letters and digits and is no glued amount (1200USD, 5k)."""
    mixed = any(c.isdigit() for c in token) and any(c.isalpha() for c in token)
    return mixed and _GLUED_AMOUNT.fullmatch(token) is None


def _number(match: re.Match[str], text: str) -> Number | None:
    scale = (match["scale"] or match["scaleword"] or "").casefold()
    factor = Decimal(10) ** _SCALES.get(scale, 0)
    sign = -1 if match["sign"] or match["inner"] else 1
    readings = tuple(sign * factor * value for value in parse_digits(match["digits"]))
    if not readings:
        return None
    post = (match["post"] or "").casefold()
    percent = post.startswith(("%", "per", "pct"))
    cents = post in ("cent", "cents")
    mark = match["pre"] or ("" if percent or cents else post)
    before, after = text[: match.start()], text[match.end() : match.end() + 30]
    bullet = after[:1] in (".", ")") and _BULLET.search(before) is not None and len(after) > 1
    return Number(
        match.start(),
        match.end(),
        readings,
        marks=currencies(mark) if mark else (),
        percent=percent,
        in_cents=cents,
        label=not mark and (bullet or _LABEL.search(before[-20:]) is not None),
        counts_things=not mark and _THINGS.match(after) is not None,
    )


def _spelt(match: re.Match[str], text: str) -> Number | None:
    words = [w for w in re.split(r"[\s-]+", match[0].lower()) if w != "and"]
    before, after = text[max(0, match.start() - 12) : match.start()], text[match.end() :]
    if words == ["one"]:
        # A pronoun: "this one", "no one", "one of them".
        pronoun = re.search(r"\b(?:no|this|that|the|each|every|any|some|which|another)\s+$", before, _I)
        if pronoun or re.match(r"\s+(?:of|another|more)\b", after, _I):
            return None
    total = current = 0
    for word in words:
        if word == "hundred":
            current = (current or 1) * 100
        elif word == "thousand":
            total, current = total + (current or 1) * 1000, 0
        else:
            current += _UNITS.get(word, _TENS.get(word, 0))
    mark = re.match(rf"\s({_WORDS}|{_CODE})\b", after, _I)
    percent = re.match(r"\s?(?:%|percent\b|per cent\b)", after, _I) is not None
    return Number(
        match.start(),
        match.end() + (mark.end() if mark else 0),
        (Decimal(total + current),),
        marks=currencies(mark[1]) if mark else (),
        percent=percent,
        label=_LABEL.search(before) is not None,
        counts_things=not mark and _THINGS.match(after) is not None,
    )
