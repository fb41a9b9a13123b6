"""Slips: faults of grammar and typing that a rendered instruction must not have."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from compoworld_tasks_walk import lexicon, words

_QUOTED: Final = re.compile(r'"[^"\n]*"')
_OPAQUE: Final = re.compile(
    r"\+\d[\d ]*\d|\S*(?:@|://)\S*[\w/]|#\S*\w|\w*_\w*\.\w+|\d[\d.,:]*\d|\w*\d\w*"
)
_HANDLE: Final = re.compile(r"\b((?:user)?name|login|handle|the domain) [\w-]+(?:\.[\w-]+)*")
_VOWEL = r"(?!uni|use|usa|eu|one|U[A-Z])[aeiou]"
_LINK = r"(?:\b(?:of|to|for|the|a|an|and)|(?<!log )(?<!expert )\bin)"
_CHECKS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("two spaces", re.compile(r"[^\n]  ")),
    ("a space before a mark", re.compile(r" (?:[,.;:!?)]|'s\b)")),
    ("two marks", re.compile(r"[,.;:!?] ?[,.;:]")),
    ("an unfilled hole", re.compile(r"[{}<>\[\]]")),
    ("an underscore", re.compile(r"\w_\w")),
    ("a word twice", re.compile(r"\b(?!X\b)([A-Za-z]+) \1\b", re.IGNORECASE)),
    ("a noun twice", re.compile(r"\b([a-z]{3,})s? (?:in |on |as )?the \1s?\b")),
    ("a field's name", re.compile(r"\b[a-z]+[A-Z]\w*")),
    ("a before a vowel", re.compile(rf"\ba {_VOWEL}", re.IGNORECASE)),
    ("an before a consonant", re.compile(r"\ban (?!hour|heir)[^aeiou\W]", re.IGNORECASE)),
    ("a small letter after a full stop", re.compile(r"(?<!\d)[.!?] [a-z]")),
    ("nothing for a value", re.compile(r"\b(?:None|null|nan)\b")),
    ("a loose link", re.compile(rf"{_LINK}(?:[.,;!?]|$)", re.MULTILINE)),
    ("a question without its mark", re.compile(r"(?:^|[.!?] )(?:Could|Can) you [^.!?]*[.!]")),
    ("a small letter at the start of a line", re.compile(r"\n(?:- |\d+\. )?[a-z]")),
    ("no space after a mark", re.compile(r"[a-z][,;!?][A-Za-z]")),
    ("a reason twice", re.compile(r"\bsince [^.!?]* since (?:the|this|that|they|we)\b")),
    ("one of several", re.compile(r"\bthose (?:[a-z-]+ )?[a-z]+s (?:is|has|was)\b")),
    ("please twice", re.compile(r"\bplease\b[^.!?]*[^.!?\w]please\b", re.IGNORECASE)),
    ("a link twice", re.compile(r"\b(?:in|of|for|from|at) (?:in|of|for|from|at) ")),
    ("two places", re.compile(r"\bin the (\w+) in the \1\b")),
    ("owners in a row", re.compile(r"\w's [\w-]+'s [\w-]+'s ")),
    ("a field as its own name", re.compile(r"\bwith the [^.,]{1,60} as the \w+s\b")),
)  # fmt: skip
_RAW_ID: Final = re.compile(
    r"(?<![\w@/.#-])(?=[\w-]*[a-zA-Z])(?=[\w-]*\d[\w-]*\d)[A-Za-z0-9][\w-]{13,}(?![\w@-])(?!\.\w)"
)
"""A long mix of letters and figures that only systems speak of."""
_SIGNED: Final = re.compile(r"\n\n[^\n]+\n\S+@\S+$")
"""The sender's name and address at the end."""
_WORD: Final = re.compile(r"(?<![\w'-])[a-z]{7,}(?![\w'-])")
_ID: Final = re.compile(r"(?<![\w'-])[a-z]+ids?(?![\w'-])")
_REAL_IDS: Final = lexicon.members(
    "paid unpaid prepaid said void avoid valid invalid bid rapid solid grid aid raid hybrid kid"
    " lid mid rigid fluid liquid void voids maid laid afraid amid avoids grids bids aids raids"
    " solids"
)  # fmt: skip
_COMPOUNDS: Final = lexicon.members(
    "checkout checkouts overview warehouse warehouses workshop handover website notebook"
    " mailbox mailboxes workspace workspaces milestone milestones checklist organization"
    " organizations organisation organisations subscription subscriptions"
)  # fmt: skip
"""Real words that look as if two of a field's words ran together."""


def slips(text: str) -> list[str]:
    """What is wrong with a text, with the place; nothing where it is clean."""
    found = []
    if text.count('"') % 2:
        found.append("a quote that is not closed")
    if '""' in text.replace('" "', ""):
        found.append("empty quotes")
    bare = _OPAQUE.sub("X", _HANDLE.sub(r"\1 X", _QUOTED.sub(_unquoted, text)))
    for name, pattern in _CHECKS:
        for match in pattern.finditer(bare):
            near = bare[max(0, match.start() - 25) : match.end() + 25]
            found.append(f"{name}: …{near}…")
    found += [f"words run together: {each}" for each in _WORD.findall(bare) if _joined(each)]
    found += [f"an id in words: {each}" for each in _ID.findall(bare) if each not in _REAL_IDS]
    if not text[:1].isupper():
        found.append("it does not begin with a capital")
    found += [f"a raw id: {each}" for each in _RAW_ID.findall(text)]
    if _SIGNED.sub("", text).rstrip()[-1:] not in ".!?":
        found.append("it does not end with a full stop")
    return found


def _unquoted(quoted: re.Match[str]) -> str:
    """What stands for a text in quotes: one that ends a sentence still ends it."""
    end = quoted[0][-2:-1]
    return f'"X{end}"' if end in ".?!" else '"X"'


@cache
def _pieces() -> frozenset[str]:
    """The words that names of fields are made of."""
    names = [*lexicon.LABELS, *lexicon.PHRASES, *lexicon.REFS, *lexicon.LABELS.values()]
    held = {word for name in names for word in words.split(name).split() if len(word) > 2}
    return frozenset(held | {"display", "customer", "order", "reason", "checkout", "abandoned"})


@cache
def _joined(word: str) -> bool:
    """Is a word two or more words of fields' names without a space?"""
    return word not in _COMPOUNDS and word not in _values() and _splits(word, 0)


@cache
def _values() -> frozenset[str]:
    said = " ".join([*lexicon.LABELS.values(), *lexicon.PHRASES.values()])
    return frozenset(said.split())


def _splits(word: str, found: int) -> bool:
    """Can the word be cut into known pieces, at least two with those found before?"""
    if not word:
        return found > 1
    ends = range(3, len(word) + 1)
    return any(word[:end] in _pieces() and _splits(word[end:], found + 1) for end in ends)
