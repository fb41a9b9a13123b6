"""Rivals: facts that a text states beside the ones it was to state. Who gives two chose none.

Two rules. *Joined*: another fact of the same kind and shape that "or", "and", a comma or a
slash ties to the expected one. *Listed*: anywhere in the text, a value that other records hold
where the expected one was found.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from attrs import Factory, define, frozen

from compoworld_core import pools
from compoworld_core.facts import keys, prose
from compoworld_core.facts.prose import Place
from compoworld_core.facts.reading import Reading

NAMED: Final = frozenset(
    ["person", "email", "company", "title", "text", "file_name", "status", "tag", "code", "id",
     "url"]
)  # fmt: skip
"""Kinds whose values are looked for by their words."""
COMMON: Final = frozenset(["status", "tag", "country", "currency", "quantity", "percent"])
"""Kinds whose values are words and numbers of any text: there they count only where joined."""

_CLOSE = r"[\"')\]*`_.]*\s*"
_OPEN = r"\s*[\"'(\[*`_#-]*"
_HEDGE = r"(?:maybe|perhaps|possibly|else|even|otherwise|alternatively)"
_OR: Final = re.compile(
    rf"{_CLOSE},?\s*(?:/|\||\(?(?:and/or|or|vs\.?|versus)\b|\(?{_HEDGE}\b)"
    rf"(?:\s+[a-z]+){{0,3}}{_OPEN}",
    re.IGNORECASE,
)
_LIST: Final = re.compile(
    rf"{_CLOSE}(?:[,;&+]|\b(?:and|plus|as\ well\ as)\b|\n\s*[-*•]?)"
    rf"(?:\s*(?:and|or|also|{_HEDGE})\b)*{_OPEN}",
    re.IGNORECASE,
)
_PART: Final = re.compile(r"\s*(?:of\s+(?:which|it|them|that)|thereof)\b", re.IGNORECASE)
"""After an amount: it is a part of the one before ("$1,200, $200 of which is tax")."""
_WORD: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(r"\d+")
_FIRST_NAMES: Final = frozenset(pools.FIRST_NAMES)
_SHORTEST_KEY = 5
_WIDEST_GAP = 60


@frozen
class Spot:
    """A fact in a text: where, whether it is an expected one, and what it may be."""

    place: Place
    mine: bool
    values: tuple[Hashable, ...]
    shape: str = ""
    telling: bool = True
    """It is hardly there by chance."""


@define
class Pool:
    """The values of a column, to be found in texts."""

    canonical: dict[Hashable, Any] = Factory(dict)
    words: dict[str, Any] = Factory(dict)
    lengths: dict[str, tuple[int, ...]] = Factory(dict)
    """First word → the numbers of words of the names that begin with it."""

    def add_name(self, value: Any) -> None:
        """Take in a value that texts name by its words."""
        words = words_of(str(value))
        if words:
            self.words.setdefault(" ".join(words), value)
            known = self.lengths.get(words[0], ())
            if len(words) not in known:
                self.lengths[words[0]] = (*known, len(words))


def words_of(value: str) -> list[str]:
    """The words of a name, folded."""
    return _WORD.findall(prose.flat(value))


def joined(kind: str, reading: Reading, values: Sequence[Hashable]) -> Iterator[Spot]:
    """Facts of a kind that the text ties to an expected one by "or", "and", a comma…"""
    spots = sorted(spots_of(kind, reading, values), key=lambda spot: spot.place.start)
    for left, right in pairwise(spots):
        differ = left.shape and right.shape and left.shape != right.shape
        if left.mine is right.mine or differ:
            continue
        rival = right if left.mine else left
        if rival.place.negated or not tied(kind, left.place, right.place):
            continue
        if rival is right and _PART.match(reading.text, right.place.end):
            continue
        yield rival


def tied(kind: str, left: Place, right: Place) -> bool:
    """Whether only words and marks that join alternatives stand between two places."""
    gap = left.view[left.end : right.start]
    if len(gap) > _WIDEST_GAP:
        return False
    if _OR.fullmatch(gap):
        return True
    return kind not in ("quantity", "percent") and _LIST.fullmatch(gap) is not None


def listed(
    kind: str,
    reading: Reading,
    values: Sequence[Hashable],
    own: Sequence[str],
    quiet: Sequence[str],
    pool: Pool,
) -> Iterator[Any]:
    """Values of a column that the text states beside the expected ones.

    Args:
        kind: of the facts.
        reading: the text.
        values: expected, canonical.
        own: the same, as written.
        quiet: what counts only where the text ties it to an expected one.
        pool: the column.
    """
    if kind in NAMED:
        yield from _named(kind, reading, own, quiet, pool)
        return
    spots = list(spots_of(kind, reading, values))
    mine = [spot.place for spot in spots if spot.mine]
    for spot in spots:
        if spot.mine or spot.place.negated:
            continue
        loose = spot.telling and kind not in COMMON
        for value in spot.values:
            held = pool.canonical.get(value)
            if held is None:
                continue
            if (loose and str(held) not in quiet) or _beside(kind, spot.place, mine):
                yield held


def _named(
    kind: str, reading: Reading, own: Sequence[str], quiet: Sequence[str], pool: Pool
) -> Iterator[Any]:
    view = reading.flat
    tokens = list(_WORD.finditer(view))
    found = [token[0] for token in tokens]
    if pool.lengths.keys().isdisjoint(found):
        return
    covered = [span for name in own for span in _spans(words_of(name), found)]
    mine = [Place(view, tokens[a].start(), tokens[b - 1].end()) for a, b in covered]
    still = {" ".join(words_of(name)) for name in quiet}
    for start, word in enumerate(found):
        for length in pool.lengths.get(word, ()):
            end = start + length
            name = " ".join(found[start:end])
            if end > len(found) or name not in pool.words:
                continue
            if any(a <= start and end <= b for a, b in covered):
                continue
            place = Place(view, tokens[start].start(), tokens[end - 1].end())
            if place.negated:
                continue
            loose = kind not in COMMON and name not in still and _telling(name)
            if loose or _beside(kind, place, mine):
                yield pool.words[name]


def _spans(words: list[str], found: list[str]) -> Iterator[tuple[int, int]]:
    if not words:
        return
    for start, word in enumerate(found):
        end = start + len(words)
        if word == words[0] and found[start:end] == words:
            yield start, end


def _telling(name: str) -> bool:
    """Two words, or a key with digits: hardly in a text by chance."""
    if " " in name:
        return any(not part.isdigit() for part in name.split())
    return len(name) >= _SHORTEST_KEY and any(c.isdigit() for c in name)


def _beside(kind: str, place: Place, own: Iterable[Place]) -> bool:
    for mine in own:
        left, right = (mine, place) if mine.start < place.start else (place, mine)
        if left.end <= right.start and tied(kind, left, right):
            return True
    return False


def spots_of(kind: str, reading: Reading, values: Sequence[Hashable]) -> Iterator[Spot]:
    """All facts of a kind whose form shows that they are ones; nothing for other kinds."""
    if kind in ("money", "cents", "quantity", "percent"):
        yield from _figures(kind, reading, values)
    elif kind == "phone":
        ends = [str(value)[-_LOCAL:] for value in values]
        for start, end, digits in reading.phones:
            mine = any(digits.endswith(tail) for tail in ends)
            yield Spot(Place(reading.text, start, end), mine, (digits,))
    elif kind in ("code", "id") and all(str(value).isdigit() for value in values):
        for match in _NUMBER.finditer(reading.masked):
            held = match[0]
            place = Place(reading.text, *match.span())
            alone = held in values or _is_key(reading, match)
            if alone:
                yield Spot(place, held in values, (held,), telling=len(held) >= _SHORTEST_KEY)
    elif kind in ("date", "datetime"):
        yield from _times(kind, reading, values)
    elif kind in ("email", "url", "code", "id", "person", "company"):
        yield from _keys(kind, reading, values)


_LOCAL = 7
"""Last digits of a phone number, which are the same in each way to write it."""


def _is_key(reading: Reading, match: re.Match[str]) -> bool:
    """Whether digits stand by themselves, and count nothing."""
    start, end = match.span()
    text = reading.text
    if keys.PART_BEFORE.search(text, max(0, start - 3), start) or keys.PART_AFTER.match(
        text, end
    ):
        return False
    around = [n for n in reading.numbers if n.start <= start < n.end]
    return not any(n.marks or n.percent or n.counts_things or n.in_cents for n in around)


def _figures(kind: str, reading: Reading, values: Sequence[Hashable]) -> Iterator[Spot]:
    for number in reading.numbers:
        fitting = {
            "quantity": number.count and not number.label,
            "percent": number.percent,
        }.get(kind, number.amount)
        if not fitting:
            continue
        mine = any(reading.number_fits(kind, number, value, None) for value in values)
        held = reading.text[number.start : number.end]
        size = sum(c.isdigit() for c in held)
        scale = 100 if kind == "cents" and not number.in_cents else 1
        if kind == "money" and number.in_cents:
            readings: tuple[Hashable, ...] = tuple(r / 100 for r in number.readings)
        else:
            readings = tuple(r * scale for r in number.readings)
        yield Spot(
            Place(reading.text, number.start, number.end),
            mine,
            readings,
            # An amount in another currency is no alternative, it is a conversion.
            shape=number.marks[0] if number.marks else "",
            telling=bool(number.marks) or size >= 3,
        )


def _times(kind: str, reading: Reading, values: Sequence[Hashable]) -> Iterator[Spot]:
    if kind == "datetime":
        for moment in reading.moments:
            mine = any(
                r <= value < r + moment.step  # type: ignore[operator]  # instants
                for r in moment.readings
                for value in values
            )
            yield Spot(Place(reading.text, moment.start, moment.end), mine, moment.readings)
        return
    for span in reading.dates:
        mine = any(
            r == value or (r[0] == 0 and r[1:] == value[1:])  # type: ignore[index]  # days
            for r in span.readings
            for value in values
        )
        yield Spot(Place(reading.text, span.start, span.end), mine, span.readings)


def _keys(kind: str, reading: Reading, values: Sequence[Hashable]) -> Iterator[Spot]:
    shapes = kind in ("code", "id")
    for place, value in reading.find(kind):
        words = " ".join(str(value).split())
        if kind == "person" and words.split(" ")[0] not in _FIRST_NAMES:
            continue
        canonical = words if kind == "id" else words.casefold()
        shape = _shape(canonical) if shapes else ""
        yield Spot(place, canonical in values, (canonical,), shape)


def _shape(key: str) -> str:
    """What keys of one sort have in common: `INV-2041` and `INV-7` do, `AC-2041` does not."""
    head, mark, _ = key.partition("_" if "_" in key else "-")
    return head.casefold() if mark and head.isalpha() else str(len(key))
