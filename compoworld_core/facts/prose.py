"""A free text read once: cleaned characters, views for look-ups, and negated places."""

from __future__ import annotations

import re
import unicodedata

from attrs import frozen

FILLER = "_"
"""What masked spans are overwritten with: a word character, so that no match can lean on it."""

_QUOTES = str.maketrans(
    {
        "‘": "'", "’": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "‐": "-", "‑": "-", "−": "-", "—": " - ", "\u200b": "", "\ufeff": "",
    }
)  # fmt: skip
_EN_DASH = re.compile(r"(?<=\d)\s?–\s?(?=\d)")
_SPACES = re.compile(r"\s+")
_EMPHASIS = (
    re.compile(r"(?<![\w*])(\*{1,3})(?![\s*])([^*\n]{1,200})(?<!\s)\1(?![\w*])"),
    re.compile(r"(?<![\w_])(__?)(?![\s_])([^_\n]{1,200})(?<!\s)\1(?![\w_.])"),
)
_NAME_BREAKS = re.compile(r"[-_\s]+")

_NEGATOR = re.compile(
    r"(?:\b(?:not|no\ longer|instead\ of|rather\ than|other\ than|without|except(?:\ for)?"
    r"|excluding|neither|nor|never)|n't)"
    # Only words that pass the negation on: in "do not forget INV-1" the verb keeps it.
    r"(?:\s+(?:the|a|an|for|of|on|at|in|by|to|from|with|about|due|dated|is|was|be|been|as|our|"
    r"their|his|her|its|this|that|exactly|issue|ticket|invoice|order|account|case|number|ref|"
    r"reference|contact|customer|amount|total|date|email|phone|deal|task|document|file|tag|"
    r"status|called|named|titled))*"
    r"[\s\"'(#]*$",
    re.IGNORECASE,
)
_TAIL = 70
"""Characters before a place in which its negator must stand."""


@frozen
class Place:
    """Where a text states something, in one of the views of the text."""

    view: str
    start: int

    @property
    def negated(self) -> bool:
        """Whether the words right before the place deny it ("not X", "instead of X")."""
        tail = self.view[max(0, self.start - _TAIL) : self.start]
        return _NEGATOR.search(tail) is not None


def clean(text: str) -> str:
    """Unify spaces, quotes, dashes and compatibility characters."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
        text = _EN_DASH.sub("-", text).replace("–", " - ")
    return text


def unmarked(text: str) -> str:
    """Take out the marks of emphasis around words: `**Dana** _Reyes_` is `Dana Reyes`."""
    for marks in _EMPHASIS:
        text = marks.sub(r"\2", text)
    return text


def plain(text: str) -> str:
    """Fold accents and collapse spaces: the view for people, whose capitals tell."""
    text = _SPACES.sub(" ", text).strip()
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(c for c in decomposed if not unicodedata.combining(c))
    return text


def lower(text: str) -> str:
    """Fold case too: the view for addresses and codes."""
    return plain(text).casefold()


def flat(text: str) -> str:
    """Fold as `lower` does, and hyphens and underscores to spaces: the view for titles."""
    return _NAME_BREAKS.sub(" ", lower(text)).strip()


def occurrences(needle: str, view: str) -> list[int]:
    """Find a needle between characters that are not of a word."""
    found: list[int] = []
    if not needle:
        return found
    open_left, open_right = not _in_word(needle[0]), not _in_word(needle[-1])
    at = view.find(needle)
    while at >= 0:
        end = at + len(needle)
        left = open_left or at == 0 or not _in_word(view[at - 1])
        right = open_right or end == len(view) or not _in_word(view[end])
        if left and right:
            found.append(at)
        at = view.find(needle, at + 1)
    return found


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"
