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
_SMALL = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen
"""
_UNITS = {word: n for n, word in enumerate(_SMALL.split())}
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
# The look-ahead makes the groups atomic; possessive quantifiers are wrong before Python 3.11.5.
_DIGITS = re.compile(
    r"\d{1,3}(?=(?P<groups>(?: \d{3})+))(?P=groups)(?!\d)(?:[.,]\d+)?|\d+(?:[.,']\d+)*"
)
_BEFORE = re.compile(
    rf"(?P<sign>(?<![\w)\]])-)?"
    rf"(?:(?<![a-z0-9_])(?P<pre>{_CODE}|{_SYMBOL})\s?(?P<inner>-)?|(?<![\w.]))$",
    _I,
)
_PART_BEFORE = re.compile(r"(?:\w-|\d[.,']|\d\s?/\s?)$")
_AFTER = re.compile(
    rf"(?:\.?-(?![\w-]))?"
    rf"(?:(?P<scale>k|mn?|bn?)(?![a-z0-9])|\s(?P<scaleword>thousand|million|billion)\b)?"
    rf"(?:\s?(?P<post>%|percent\b|per\ cent\b|pct\b|cents?\b|{_CODE}\b|{_WORDS}\b"
    rf"|(?:us)?\$|[€£¥₹]|kr\b\.?|zł))?"
    rf"(?![\w%]|-\w|[.,']\d|\s?/\s?\d)",
    _I,
)
_LABELLED = re.compile(rf"\b(?P<code>{_CODE})\)?\s*(?:is|was|of|=|:)?\s*[\"'*_`(]*$", _I)
_LABELLED_AFTER = re.compile(rf"\s*(?:\(|in\s+|\(in\s+)(?P<code>{_CODE}|{_WORDS})\b", _I)
_CENTS_BEFORE = re.compile(r"\b(?:cents|minor\ units)\)?\s*(?:is|was|=|:)\s*[\"'*_`(]*$", _I)
_CENTS_AFTER = re.compile(r"\s*(?:\(\s*)?(?:in\s+)?(?:cents|minor\ units)\b", _I)
_CODE_AFTER = re.compile(rf"-(?={_CODE}\b)", _I)
_SPELT = re.compile(
    rf"(?<![\w-])(?:(?:{'|'.join([*_UNITS, *_TENS])}|hundred|thousand)"
    rf"(?:(?:\s+and\s+|[\s-]+)(?={'|'.join([*_UNITS, *_TENS])}|hundred|thousand))?)+(?![\w-])",
    _I,
)
_LONGEST = 200
"""Characters of a typed value that is still one number."""
_PLAIN = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
"""What has one reading only."""
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
_WORD = re.compile(r"[a-z]+")
_SPELT_WORDS = frozenset([*_UNITS, *_TENS, "hundred", "thousand"])


@frozen
class Number:
    """A number in a text."""

    start: int
    end: int
    readings: tuple[Decimal, ...]
    """Likeliest first: `1.200` may be 1.2 or, as in much of Europe, 1200."""
    marks: tuple[str, ...] = ()
    """ISO codes that the currency mark beside it may mean."""
    labelled: tuple[str, ...] = ()
    """The same, of a currency that its label names: "Amount in EUR: 1,200"."""
    percent: bool = False
    in_cents: bool = False
    label: bool = False
    """It names something (room 3, step 2) and counts nothing."""
    counts_things: bool = False
    """A plural noun follows: it is a count rather than an amount."""

    @property
    def amount(self) -> bool:
        """Whether the text can mean an amount of money."""
        return (
            bool(self.marks)
            or self.in_cents
            or not (self.percent or self.counts_things or self.label)
        )

    @property
    def count(self) -> bool:
        """Whether the text can mean a count."""
        return not (self.marks or self.percent or self.in_cents or self.label)


def numbers_in(text: str) -> list[Number]:
    """Find the numbers in a text whose dates, times, phones and addresses are masked."""
    found = [n for m in _DIGITS.finditer(text) if (n := _number(m, text)) is not None]
    if has_spelt(text.casefold()):
        found += [n for m in _SPELT.finditer(text) if (n := _spelt(m, text)) is not None]
        found.sort(key=lambda number: number.start)
    return found


def has_spelt(lower: str) -> bool:
    """Say whether a folded text may hold a number in words."""
    return not _SPELT_WORDS.isdisjoint(_WORD.findall(lower))


def mask(text: str, spans: list[tuple[int, int]]) -> str:
    """Overwrite spans, keeping every place where it is."""
    characters = list(text)
    for start, end in spans:
        characters[start:end] = FILLER * (end - start)
    return "".join(characters)


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
        raise ValueError(f"{value!r} is no number")
    if isinstance(value, Decimal | int | float):
        number = Decimal(str(value))
    else:
        text = str(value).strip()
        if _PLAIN.fullmatch(text) and len(text) <= _LONGEST:
            return _shortest(Decimal(text))
        found = [n for n in numbers_in(text) if n.readings] if len(text) <= _LONGEST else []
        if len(found) != 1:
            raise ValueError(f"{text[:80]!r} is not one number; write it as 1200.50")
        number = found[0].readings[0]
    if not number.is_finite():
        raise ValueError(f"{value!r} is not a finite number")
    return _shortest(number)


def _shortest(number: Decimal) -> Decimal:
    whole = number == number.to_integral_value()
    return Decimal(int(number)) if whole else number.normalize()


def _number(match: re.Match[str], text: str) -> Number | None:
    start, end = match.span()
    head = _BEFORE.search(text, max(0, start - 6), start)
    # `1200-EUR` is an amount, any other word after a hyphen makes a code or a range.
    joined = _CODE_AFTER.match(text, end)
    tail = _AFTER.match(text, joined.end() if joined else end)
    if head is None or tail is None:
        return None
    if not head["pre"] and _PART_BEFORE.search(text, max(0, start - 4), start):
        return None
    scale = (tail["scale"] or tail["scaleword"] or "").casefold()
    factor = Decimal(10) ** _SCALES.get(scale, 0)
    sign = -1 if head["sign"] or head["inner"] else 1
    readings = tuple(sign * factor * value for value in parse_digits(match[0]))
    if not readings:
        return None
    post = (tail["post"] or "").casefold()
    percent = post.startswith(("%", "per", "pct"))
    label = text[max(0, start - 30) : start]
    cents = post in ("cent", "cents") or (
        not post
        and not head["pre"]
        and bool(_CENTS_BEFORE.search(label) or _CENTS_AFTER.match(text, tail.end()))
    )
    mark = head["pre"] or ("" if percent or cents else post)
    if mark:
        # Money has no third decimal: beside a currency, `1.200` is more likely 1200.
        readings = readings[::-1]
    before, after = (
        text[max(0, head.start() - 20) : head.start()],
        text[tail.end() : tail.end() + 30],
    )
    line_starts = not before.strip() or "\n" in before[len(before.rstrip()) :]
    bullet = line_starts and after[:1] in (".", ")") and len(after) > 1
    return Number(
        head.start(),
        tail.end(),
        readings,
        marks=currencies(mark) if mark else (),
        labelled=() if mark or percent else _labelled(label, text, tail.end()),
        percent=percent,
        in_cents=cents,
        label=not mark and (bullet or _LABEL.search(before) is not None),
        counts_things=not mark and _THINGS.match(after) is not None,
    )


def _labelled(before: str, text: str, end: int) -> tuple[str, ...]:
    """The currency that the words around an amount name: "in EUR: 5", "5 (EUR)"."""
    found = _LABELLED.search(before) or _LABELLED_AFTER.match(text, end)
    return currencies(found["code"]) if found else ()


def _spelt(match: re.Match[str], text: str) -> Number | None:
    words = [w for w in re.split(r"[\s-]+", match[0].lower()) if w != "and"]
    before = text[max(0, match.start() - 12) : match.start()]
    after = text[match.end() : match.end() + 30]
    if words == ["one"]:
        # A pronoun: "this one", "no one", "one of them".
        pronoun = re.search(
            r"\b(?:no|this|that|the|each|every|any|some|which|another)\s+$", before, _I
        )
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
