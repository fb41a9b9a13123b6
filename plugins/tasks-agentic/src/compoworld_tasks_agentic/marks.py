"""Marks: an instruction with `[[name|words]]` around phrases, to and from plain text.

Marks nest: `[[who|the contact with the address [[mail|ana@mills.example]]]]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from attrs import frozen

from compoworld_core.records import Span

_OPENING: Final = re.compile(r"\[\[([A-Za-z][A-Za-z0-9_-]{0,39})\|")
_TOKEN: Final = re.compile(r"\[\[[A-Za-z][A-Za-z0-9_-]{0,39}\||\]\]")
_DEEPEST: Final = 6


class BadMarks(ValueError):  # noqa: N818  # says what it is
    """Marks that cannot be read; the message is for the model."""


@frozen
class Phrase:
    """A marked phrase and where it stands in the plain text."""

    name: str
    start: int
    end: int
    words: str


@frozen
class Marked:
    """A text without its marks, and the phrases they marked, in the order of their ends."""

    text: str
    phrases: tuple[Phrase, ...]

    def phrase(self, name: str) -> Phrase:
        """The phrase of this name; each stands once."""
        return next(phrase for phrase in self.phrases if phrase.name == name)


def read_marks(marked: str) -> Marked:
    """Take the marks out of a text; BadMarks where one is open, empty, or stands twice."""
    plain = ""
    at = 0
    seen: set[str] = set()
    opened: list[tuple[str, int]] = []
    phrases: list[Phrase] = []
    for token in _TOKEN.finditer(marked):
        plain += marked[at : token.start()]
        at = token.end()
        opening = _OPENING.fullmatch(token[0])
        if opening:
            opened.append((opening[1], len(plain)))
            if len(opened) > _DEEPEST:
                raise BadMarks(f"marks nest deeper than {_DEEPEST}")
            continue
        if not opened:
            raise BadMarks("a mark ends with ]] that none began with [[name|")
        name, start = opened.pop()
        words = plain[start:]
        if not words.strip():
            raise BadMarks(f"the mark {name} holds no words")
        if name in seen:
            raise BadMarks(f"the mark {name} stands twice")
        seen.add(name)
        phrases.append(Phrase(name, start, len(plain), words))
    plain += marked[at:]
    if opened:
        raise BadMarks(f"the mark {opened[-1][0]} has no end; write [[{opened[-1][0]}|words]]")
    if "[[" in plain or "]]" in plain:
        raise BadMarks("[[ or ]] stands outside a mark; write [[name|words]]")
    return Marked(plain, tuple(phrases))


def grouped(spans: Iterable[Span]) -> dict[str, tuple[Span, ...]]:
    """Mark → its spans: s1, s2, … in the order of the text; what lies at one place is one."""
    places: dict[tuple[int, int], list[Span]] = {}
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        places.setdefault((span.start, span.end), []).append(span)
    return {f"s{n}": tuple(group) for n, group in enumerate(places.values(), 1)}


def write_marks(text: str, groups: Mapping[str, tuple[Span, ...]]) -> str:
    """The text with a mark around each group's phrase; BadMarks where phrases cross."""
    if "[[" in text or "]]" in text:
        raise BadMarks("the text itself holds [[ or ]]")
    inserted: list[tuple[int, str]] = []
    ends: list[int] = []
    for name, group in groups.items():
        start, end = group[0].start, group[0].end
        while ends and ends[-1] <= start:
            inserted.append((ends.pop(), "]]"))
        if ends and ends[-1] < end:
            raise BadMarks(f"the phrase of {name} crosses the end of another")
        inserted.append((start, f"[[{name}|"))
        ends.append(end)
    inserted += [(end, "]]") for end in reversed(ends)]
    marked = ""
    at = 0
    for place, token in inserted:
        marked += text[at:place] + token
        at = place
    return marked + text[at:]
