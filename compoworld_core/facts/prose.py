"""A free text read once: cleaned characters, views for look-ups, and negated places."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

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
    re.compile(r"(?<![\w_])(__?)(?![\s_])([^_\n]{1,200})(?<!\s)\1(?![\w_]|\.\w)"),
    re.compile(r"(?<!\w)(_)(?!_)(\w{1,200})(?<!_)\1(?!\w|\.\w)"),  # around one key
)
_NAME_BREAKS = re.compile(r"[-_\s]+")

_PASSING = (
    r"(?:\s+(?:the|a|an|for|of|on|at|in|by|to|from|with|about|due|dated|is|was|be|been|being|as|"
    r"our|their|his|her|its|it|this|that|exactly|really|actually|yet|true|correct|right|issue|"
    r"ticket|invoice|order|account|case|number|ref|reference|contact|customer|amount|total|"
    r"date|email|phone|deal|task|document|file|tag|status|called|named|titled))*"
    r"[\s\"'(\[#:+$€£¥₹*`_-]*$"
)
"""Only words that pass a denial on: in "do not forget INV-1" the verb keeps it."""
_NEGATOR = re.compile(
    r"(?:\b(?:not|cannot|no\ longer|instead\ of|rather\ than|other\ than|without"
    r"|except(?:\ for)?|excluding|neither|nor|never|(?:any|every)(?:thing|one|body)\ but"
    r"|far\ from|by\ no\ means|nothing\ like"
    r"|(?<!not\ )(?<!n't\ )(?<!never\ )(?:ignore|disregard|discard|scratch|forget(?:\ about)?"
    r"|rule\ out|ruled\ out|den(?:y|ies|ied)(?:\ that)?)"
    r"|(?:changed|moved|updated|corrected|switched)\ from"
    r")|\((?:was|were|formerly|previously|originally|before|old|once)\b:?|n't)"
    r"(?:\s+(?:think|believe|say|mean|suppose|expect)(?:\s+that)?)?" + _PASSING,
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:either|one\ of|whether)\b(?:(?![.:!?]\s)[^;\n])*\b(?:or|and)" + _PASSING,
    re.IGNORECASE,
)
"""The second of several: "either that or INV-2"."""
_PAST = re.compile(
    r"\b(?:formerly|previously|originally|initially|used\ to\ be|until\ now|so\ far)"
    + _PASSING,
    re.IGNORECASE,
)
_NOW_AFTER = re.compile(r"[\"')\]*`_]*\s*[,;.-]*\s*(?:(?:and|but|it)\s+)?(?:is\s+)?now\b", re.I)
_COPULA = r"(?:is|was|are|were|be|been|being|would\ be|will\ be|should\ be)"
_SUBJECT = r"(?:it|this|that|they|these|those|(?:the|its|their|his|her|our)(?:\ [\w-]+){1,3})"
_DOUBT = re.compile(
    rf"(?:\b(?:whether|if)\s+{_SUBJECT}(?:\s+{_COPULA}|'s)(?:\s+(?:really|actually|still))?"
    r"|\b(?:may|might|could|can)\s+(?:or\s+(?:may|might|could|can)\s*not\s+)?be"
    r"|\b(?:maybe|perhaps|possibly|either|not\ sure|unsure|uncertain|unclear|unconfirmed"
    r"|no\ idea|unknown|one\ of|any\ of|some\ of|(?:I|we)\ (?:really\ )?doubt|doubtful"
    r"|(?:not|cannot|can't|don't|couldn't|unable\ to)\ (?:confirm|verify|know|tell|be\ sure)"
    r"|wonder(?:ing)?)(?:\s+(?:about|of|on|that|whether|if))*)" + _PASSING,
    re.IGNORECASE,
)
_ASKED = re.compile(
    rf"(?:^|[.:;!?\n(]|\b(?:is|was|are|were)\s+{_SUBJECT})\s*[\"'(+]*$", re.IGNORECASE
)
"""Before a question mark: a fact by itself, or "is it"."""
_CLOSE = r"[\"')\]*`_]*"
_ENDS = r"(?=\s*(?:$|[.,;:!)\n]|-\s|and\b|but\b|as\b|it\b|so\b|please\b))"
_NAY = (
    r"(?:(?:wrong|incorrect|untrue|mistaken|inaccurate|outdated|obsolete|superseded"
    r"|out\ of\ date|to\ be\ (?:ignored|disregarded)"
    r"|not\s+(?:(?:the|a)\s+)?(?:right|correct|accurate))\b"
    r"|(?:false|stale|an?\s+(?:mistake|error|typo|mix-?up)"
    r"|no\s+longer\s+(?:right|correct|true|valid|current|it)"
    rf"|not\s+(?:true|valid|it|so|the\ case|what\ \w+\ \w+)){_ENDS})"
)
_DENIED_AFTER = re.compile(
    rf"{_CLOSE}[\s,;.(-]*"
    rf"(?:(?:(?:which|that|this|it)\s+)?"
    rf"(?:(?:is|was|are|were|turned\ out\ to\ be)\s+{_NAY}"
    r"|(?:is|was|are|were)n't\s+(?:(?:the|a)\s+)?(?:right|correct|accurate)\b"
    rf"|(?:is|was|are|were)n't\s+(?:true|valid|it|so){_ENDS})"
    rf"|(?:(?:which|that|this|it)\s+)?(?:(?:does\ not|doesn't|do\ not|don't|did\ not|didn't"
    rf"|no\ longer|never)\s+"
    rf"(?:(?:apply|applies|applied)\b|(?:hold|holds|count|counts|match|fit){_ENDS})"
    rf"|(?:can|should|must|may)\ (?:be\ (?:ignored|disregarded)|not\ be\ used)"
    rf"|has\ been\ (?:superseded|replaced))\b"
    rf"|{_NAY}\s*\)"
    r"|(?:please\s+)?(?:ignore|disregard)\s+(?:it|that|this)\s*(?:$|[.,;!)\n]))"
    # Within one sentence: a new one may begin with "Sorry, I am late".
    rf"|{_CLOSE}\s*[,;(-]?\s*\b(?:no|nope|sorry|wait|scratch\ that|correction|I\ mean)"
    r"\s*(?:[,.;:]|-\s|it\b)",
    re.IGNORECASE,
)
_DOUBTED_AFTER = re.compile(
    rf"{_CLOSE}\s*[,(]?\s*(?:or\s+(?:maybe|perhaps|possibly)\b|\(\?\)|(?:or\s+not\b)"
    r"|\(?(?:not\s+(?:sure|certain)|unsure|unconfirmed|to\ be\ confirmed|tbc|maybe|perhaps)"
    r"\s*(?:$|[.;!)\n]))",
    re.IGNORECASE,
)
_QUERY_AFTER = re.compile(rf"{_CLOSE}\s*\?")
_TAIL = 90
"""Characters before a place in which its negator must stand, and after it."""


@frozen
class Place:
    """Where a text states something, in one of the views of the text."""

    view: str
    start: int
    end: int = -1
    """Unknown where negative: then only what stands before the place counts."""

    @property
    def negated(self) -> bool:
        """Whether the words around the place deny it ("not X", "X is wrong")."""
        return _standing(*self._around())[0]

    @property
    def doubted(self) -> bool:
        """Whether the words around the place leave open if it holds ("not sure if it is X")."""
        return _standing(*self._around())[1]

    def _around(self) -> tuple[str, str]:
        before = self.view[max(0, self.start - 2 * _TAIL) : self.start]
        # An unknown end: what follows says nothing.
        return before, "." if self.end < 0 else self.view[self.end : self.end + _TAIL]


@lru_cache(maxsize=1 << 12)
def _standing(before: str, after: str) -> tuple[bool, bool]:
    """Whether the words around a place deny it, and whether they leave it open."""
    tail = before[-_TAIL:]
    negated = (
        _NEGATOR.search(tail) is not None
        or _DENIED_AFTER.match(after) is not None
        or (_NOW_AFTER.match(after) is not None and _PAST.search(tail) is not None)
    )
    doubted = (
        _DOUBT.search(tail) is not None
        or _CHOICE.search(before) is not None
        or _DOUBTED_AFTER.match(after) is not None
        or (_QUERY_AFTER.match(after) is not None and _ASKED.search(tail) is not None)
    )
    return negated, doubted


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
