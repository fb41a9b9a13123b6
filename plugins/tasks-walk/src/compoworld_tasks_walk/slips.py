"""Slips: faults of grammar and typing that a rendered instruction must not have."""

from __future__ import annotations

import re
from typing import Final

_QUOTED: Final = re.compile(r'"[^"\n]*"')
_OPAQUE: Final = re.compile(r"\S*(?:@|://)\S*|#\S+|\b\w*_\w*\.\w+\b")
_VOWEL = r"(?!uni|use|usa|eu|one|U[A-Z])[aeiou]"
_LINK = r"\b(?:of|to|for|in|the|a|an|and)"
_CHECKS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("two spaces", re.compile(r"[^\n]  ")),
    ("a space before a mark", re.compile(r" (?:[,.;:!?)]|'s\b)")),
    ("two marks", re.compile(r"[,.;:!?] ?[,.;:]")),
    ("an unfilled hole", re.compile(r"[{}<>\[\]]")),
    ("an underscore", re.compile(r"\w_\w")),
    ("a word twice", re.compile(r"\b([A-Za-z]+) \1\b", re.IGNORECASE)),
    ("a before a vowel", re.compile(rf"\ba {_VOWEL}", re.IGNORECASE)),
    ("an before a consonant", re.compile(r"\ban (?!hour|heir)[^aeiou\W]", re.IGNORECASE)),
    ("a small letter after a full stop", re.compile(r"(?<!\d)[.!?] [a-z]")),
    ("nothing for a value", re.compile(r"\b(?:None|null|nan)\b")),
    ("a loose link", re.compile(rf"{_LINK}(?:[.,;!?]|$)", re.MULTILINE)),
)  # fmt: skip


def slips(text: str) -> list[str]:
    """What is wrong with a text, with the place; nothing where it is clean."""
    found = []
    if text.count('"') % 2:
        found.append("a quote that is not closed")
    if '""' in text.replace('" "', ""):
        found.append("empty quotes")
    bare = _OPAQUE.sub("X", _QUOTED.sub('"X"', text))
    for name, pattern in _CHECKS:
        for match in pattern.finditer(bare):
            near = bare[max(0, match.start() - 25) : match.end() + 25]
            found.append(f"{name}: …{near}…")
    if not text[:1].isupper():
        found.append("it does not begin with a capital")
    if text.rstrip()[-1:] not in ".!?":
        found.append("it does not end with a full stop")
    return found
