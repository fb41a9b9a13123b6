"""Names, addresses, numbers and codes that identify: where a text mentions a given one, and
which ones a text holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from attrs import frozen

from compoworld_core import pools
from compoworld_core.facts import prose
from compoworld_core.facts.calendar import Closed, DateSpan
from compoworld_core.facts.numbers import ISO_CODES
from compoworld_core.facts.prose import Place

_CALLING_CODES = """
1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63
64 65 66 81 82 84 86 90 91 92 93 94 95 98 211 212 213 216 218 220 221 225 233 234 237 254 255
256 260 263 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 380 381 382 385
386 387 389 420 421 852 853 855 856 880 886 960 961 962 963 964 965 966 967 968 970 971 972 973
974 975 976 977 992 993 994 995 996 998
"""
CALLING_CODES = frozenset(_CALLING_CODES.split())

SHORTEST_PHONE = 7

EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
URL = re.compile(r"\bhttps?://[^\s<>\"]+", re.IGNORECASE)
FILE = re.compile(
    r"(?<![\w./-])[\w][\w-]*(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{1,4}(?![\w-]|\.\w)"
)
PHONE = re.compile(
    r"(?<![\w.,:/+-])(?<!\d )(?:"
    r"(?:\+|00)\d[\d ().-]{5,}\d"
    r"|\(?0\d[\d ()/-]{5,}\d"
    r"|\d{2,4}([ .-])\d{2,5}(?:\1\d{2,5})+"
    r"|\(\d{2,5}\)\ ?\d{2,4}[ -]?\d{2,5}"
    r")(?!\w|[.,]\d)"
)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}([ .])\d{3}(?:\1\d{3})*")
CODE = re.compile(
    r"(?<![\w.@/-])(?:#\d{2,}|(?=[\w-]*\d)[A-Z][A-Za-z0-9]*(?:[-_/][A-Za-z0-9]+)*"
    r"|[A-Z]{2,5}\ \d{3,})(?![\w@]|-\w)"
)
IDENTIFIER = re.compile(r"(?<![\w.@/-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])\w[\w-]{4,}\w(?![\w@])")
_NAME = r"[^\W\d_][\w'-]{0,40}[^\W\d_]"
PERSON = re.compile(rf"(?<![\w@.-])({_NAME})(?:\s+[A-Z]\.?)?\s+({_NAME})(?![\w@])")
PERSON_REVERSED = re.compile(rf"(?<![\w@.-])({_NAME}),\s+({_NAME})(?![\w@])")
QUOTED = re.compile(r"\"([^\"\n]{2,})\"")
COMPANY = re.compile(
    r"(?<![\w@.-])((?:[A-Z][\w&']*[\s-]+){1,3}?(?:"
    + "|".join(sector.word for sector in pools.SECTORS)
    + r"|Inc|Ltd|LLC|GmbH|AG|BV|AB|Corp|Company|Group|Industries))(?![\w@])"
)
_FIRST_NAMES = frozenset(pools.FIRST_NAMES)
_NO_FIRST_NAMES = frozenset(
    ["the", "please", "contact", "call", "email", "ask", "tell", "from", "for", "to", "with"]
)
_NO_COMPANY = re.compile(
    r"(?:(?:The|At|From|For|To|With|By|In|Our|Their|Ask|Tell|Contact|Call|And|Of|Re|New)\s+)+"
)
_DIGIT = re.compile(r"[0-9]")
_KEY_NOUN = re.compile(
    r"(?:[#(:=]|\b(?:no|nr|number|id|ids|issue|ticket|order|invoice|case|task|record|item|ref|"
    r"entry|request|message|pr|card|deal|contact|event|document|page|row)\.?)\s*[\"']?$",
    re.IGNORECASE,
)


_PHONE_SEPARATORS = " ().-/"
_PREFIXED = re.compile(r"(?:(?<!\w)\+|(?<![\w+])00)$")
PART_BEFORE = re.compile(r"(?:[-.$€£¥+]|\d[,:'/])$")
PART_AFTER = re.compile(r"[%@]|[-.,:'/]\w")
"""Around digits that are a part of something longer."""


@frozen
class DigitRun:
    """All digits of a text in a row, with their places."""

    digits: str
    places: list[int]

    @classmethod
    def of(cls, text: str) -> DigitRun:
        """Collect the digits of a text."""
        matches = list(_DIGIT.finditer(text))
        return cls("".join(match[0] for match in matches), [m.start() for m in matches])


def place_name(name: str, view: str) -> Iterator[Place]:
    """Find a title, company or phrase in a flat view."""
    needle = prose.flat(name)
    for at in prose.occurrences(needle, view):
        yield Place(view, at, at + len(needle))


def place_person(name: str, view: str, lower: str) -> Iterator[Place]:
    """Find a person in a plain view: `Dana Reyes`, `Reyes, Dana`, `Dana M. Reyes`."""
    folded = prose.lower(name)
    parts = [part for part in folded.split() if len(part.rstrip(".")) > 1]
    if not parts or not all(part in lower for part in parts):
        return
    found = False
    for usual in (" ".join(parts), f"{parts[-1]}, {' '.join(parts[:-1])}"):
        for place in _bounded(usual, lower, before=".-@", after="-@"):
            found = True
            yield place
    if found:
        return
    for match in _person_pattern(tuple(parts)).finditer(view):
        yield Place(view, *match.span())


def place_email(email: str, view: str) -> Iterator[Place]:
    """Find a mail address in a lower view."""
    yield from _bounded(email.casefold(), view, before=".+-%@", after="-@")


def place_file(name: str, view: str) -> Iterator[Place]:
    """Find a file name in a lower view."""
    yield from _bounded(prose.lower(name), view, before=".-@", after="-@")


def place_url(canonical: str, view: str) -> Iterator[Place]:
    """Find a web address in a lower view, with or without its scheme."""
    bare = canonical.partition("://")[2] or canonical
    for place in _bounded(prose.lower(bare), view, before=".-@", after="-@"):
        rest = view[place.start + len(bare) :].removeprefix("/")
        if not rest[:1] or rest[0].isspace() or not _goes_on(rest):
            yield place


def place_code(code: str, view: str) -> Iterator[Place]:
    """Find a document or account number in a lower view: `ISS-1234`, `ISS 1234`, `iss1234`."""
    folded = prose.lower(code)
    found = False
    for place in _bounded(folded, view, before="-@.", after="-@"):
        found = True
        yield place
    chunks = re.findall(r"[^\W\d_]+|\d+", folded)
    if found or len(chunks) < 2 or not all(chunk in view for chunk in chunks):
        return
    for match in _code_pattern(tuple(chunks)).finditer(view):
        yield Place(view, *match.span())


def place_number_key(digits: str, text: str, masked: str) -> Iterator[Place]:
    """Find a key of digits only, outside the dates, phones and files that are masked."""
    for at in prose.occurrences(digits, text):
        end = at + len(digits)
        before, after = text[max(0, at - 24) : at], text[end : end + 2]
        if masked[at:end] != digits:
            continue
        if PART_BEFORE.search(before) or PART_AFTER.match(after):
            continue
        # A bare 7 may count anything; it is a key where the text calls it one.
        if len(digits) < 3 and text.strip() != digits and not _KEY_NOUN.search(before):
            continue
        yield Place(text, at, end)


def place_id(identifier: str, text: str) -> Iterator[Place]:
    """Find an opaque identifier, letter by letter."""
    yield from _bounded(identifier, text, before="-", after="-@")


def place_phone(digits: str, text: str, found: DigitRun) -> Iterator[Place]:
    """Find a phone number, international or national, in any grouping."""
    for form, needle in enumerate(_dialled(digits)):
        at = found.digits.find(needle)
        while at >= 0:
            places = found.places[at : at + len(needle)]
            start, end = places[0], places[-1] + 1
            if (
                _in_one_number(places, text)
                and _starts_number(text, start, whole=form < 2)
                and not _digits_follow(text, end)
            ):
                yield Place(text, start, end)
            at = found.digits.find(needle, at + 1)


def phones_in(text: str, dates: list[DateSpan]) -> list[tuple[int, int, str]]:
    """Find phone numbers with their digits."""
    found = []
    closed = Closed([(span.start, span.end) for span in dates])
    for match in PHONE.finditer(text):
        start, end = match.span()
        digits = re.sub(r"\(0\)|\D", "", match[0])
        if not SHORTEST_PHONE <= len(digits) <= 15 or _THOUSANDS.fullmatch(match[0]):
            continue
        if closed.meets(start, end):
            continue
        found.append((start, end, digits.removeprefix("00")))
    return found


def people_in(text: str) -> list[tuple[int, str]]:
    """Find people's names; capitalised pairs where no usual first name is among them."""
    usual: list[tuple[int, str]] = []
    others: list[tuple[int, str]] = []
    at = 0
    while match := PERSON.search(text, at):
        first, last = match.groups()
        if first in _FIRST_NAMES and last[0].isupper():
            usual.append((match.start(), f"{first} {last}"))
            at = match.end()
            continue
        titled = first[0].isupper() and last[0].isupper()
        if titled and last not in _FIRST_NAMES and first.casefold() not in _NO_FIRST_NAMES:
            others.append((match.start(), f"{first} {last}"))
        at = match.end(1)
    for match in PERSON_REVERSED.finditer(text):
        last, first = match.groups()
        if first in _FIRST_NAMES and last[0].isupper() and last not in _FIRST_NAMES:
            usual.append((match.start(), f"{first} {last}"))
    return sorted(usual) or others


def companies_in(text: str) -> list[tuple[int, str]]:
    """Find company names by the words that usually end them."""
    found = []
    for match in COMPANY.finditer(text):
        opener = _NO_COMPANY.match(match[1])
        skipped = opener.end() if opener and len(match[1].split()) > 2 else 0
        found.append((match.start(1) + skipped, match[1][skipped:]))
    return found


def codes_in(text: str) -> list[tuple[int, str]]:
    """Find document and account numbers."""
    found = []
    for match in CODE.finditer(text):
        code = match[0].lstrip("#")
        head = re.split(r"[\s\d_/-]", code, maxsplit=1)[0]
        spaced = " " in code
        # Q3, v2 and A4 are no document numbers.
        if (
            code.isalnum()
            and sum(c.isdigit() for c in code) < 3
            and not match[0].startswith("#")
        ):
            continue
        if (head in ISO_CODES and head != code) or (spaced and head in ("PO", "AM", "PM")):
            continue
        found.append((match.start(), code.replace(" ", "-")))
    return found


def _bounded(needle: str, view: str, *, before: str, after: str) -> Iterator[Place]:
    """Find a needle that no longer key contains."""
    for at in prose.occurrences(needle, view):
        end = at + len(needle)
        if at and view[at - 1] in before and not _opens(view, at):
            continue
        if view[end : end + 1] and view[end] in after and view[end + 1 : end + 2].isalnum():
            continue
        if view[end : end + 1] == "." and view[end + 1 : end + 2].isalnum():
            continue
        yield Place(view, at, end)


def _opens(view: str, at: int) -> bool:
    """Say whether the mark before a place is punctuation of the sentence (`- `, `foo. `)."""
    return view[at - 1] in "-." and (at == 1 or view[at - 2].isspace())


def _goes_on(rest: str) -> bool:
    """Say whether a web address continues after the part that matched."""
    return rest[0].isalnum() or (rest[0] in "/?#&=%_-~" and rest[1:2].isalnum())


def _digits_follow(text: str, end: int) -> bool:
    """Say whether the number goes on: a digit too many is another number."""
    if re.match(r"[.-]?\d", text[end : end + 2]):
        return True
    more = re.match(r" \d{1,4}(?!\d)(?! ?[A-Za-z]|[-/:.]\d)", text[end : end + 8])
    return more is not None


@lru_cache(maxsize=4096)
def _person_pattern(parts: tuple[str, ...]) -> re.Pattern[str]:
    escaped = [f"(?i:{re.escape(part)})" for part in parts]
    # A name or initial may stand between; a word without a capital is no name.
    straight = r"(?:\ (?:[^\W\d_]\.?|[A-Z][\w'-]*))?\ ".join(escaped)
    reversed_ = rf"{escaped[-1]},\ ?" + r"\ ".join(escaped[:-1])
    if len(parts) == 1:
        reversed_ = straight
    return re.compile(rf"(?<![\w.@-])(?:{straight}|{reversed_})(?![\w@]|-\w|\.\w)")


@lru_cache(maxsize=4096)
def _code_pattern(chunks: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"(?<![\w@.-])" + r"[-_\s/]?".join(chunks) + r"(?![\w@]|-\w|\.\w)")


@lru_cache(maxsize=4096)
def _dialled(digits: str) -> tuple[str, ...]:
    """List the digits by which one phone number is written, the whole number first."""
    if len(digits) < 5:
        return ()
    prefix = next((digits[:n] for n in (3, 2, 1) if digits[:n] in CALLING_CODES), "")
    local = digits[len(prefix) :]
    if not prefix or len(local) < 6:
        return (digits,)
    return (digits, f"{prefix}0{local}", f"0{local}", local)


def _in_one_number(places: list[int], text: str) -> bool:
    """Say whether only separators of a phone number stand between digits."""
    for left, right in pairwise(places):
        if right - left > 1 and (
            right - left > 4 or text[left + 1 : right].strip(_PHONE_SEPARATORS)
        ):
            return False
    return True


def _starts_number(text: str, start: int, *, whole: bool) -> bool:
    """Say whether a phone number begins at its first digit, and not with another prefix."""
    before = text[max(0, start - 6) : start]
    if whole and _PREFIXED.search(before):
        return True
    return re.search(r"(?:\w|[\d+][\s().-]{0,2})$", before) is None
