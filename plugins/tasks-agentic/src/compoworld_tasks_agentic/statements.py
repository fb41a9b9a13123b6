"""Statements: what a text says that could change the task: facts, names, times, exceptions.

Reads with suspicion: rather one harmless word too many is refused than one fact is let in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from compoworld_core import facts, pools
from compoworld_tasks_agentic.vocabulary import (
    NEGATIONS,
    NO_NAMES,
    NUMBERS,
    OPERATORS,
    SEQUENCE,
    TIMES,
)

_FOUND: Final = (
    "email", "url", "phone", "file_name", "code", "date", "datetime", "percent", "person",
    "company",
)  # fmt: skip
"""Kinds whose facts are looked for by the reader that the rubric uses."""

_DIGITS: Final = re.compile(r"\d+")
_LIST_NUMBER: Final = re.compile(r"(?m)^[ \t]*\d{1,2}[.)](?=[ \t])")
WORD: Final = re.compile(r"[^\W\d_][\w'’&-]*")
_QUOTED: Final = re.compile(r"[\"“”«„]([^\"“”«»„\n]{2,})[\"“”»]|‘([^‘’\n]{3,})’")
_HANDLE: Final = re.compile(r"(?<![\w.])[@#][\w-]{2,}")
_SYMBOLS: Final = re.compile(r"[$€£¥₹%]")
_CODE_LIKE: Final = re.compile(r"\b\w+_\w+\b|\b[a-z][a-z0-9]*\.[a-z_]\w*\b|\b\w+\(\)|[{}<>`]")
_SENTENCE_OPENS: Final = re.compile(r"(?:^|[.!?:;\n•–—*-]|\d[.)])[\s\"'“‘(]*$")
_FIRST_NAMES: Final = frozenset(pools.FIRST_NAMES)


def words_of(text: str) -> list[str]:
    """The words of a text, folded, without a possessive ending."""
    return [_folded(match[0]) for match in WORD.finditer(text)]


def _folded(word: str) -> str:
    plain = word.replace("’", "'").casefold()
    return plain.removesuffix("'s").rstrip("'-")


def same_stem(one: str, other: str) -> bool:
    """Are two folded words forms of one: paid and paying are not, archive and archived are?"""
    length = max(4, min(len(one), len(other)) - 2)
    return one == other or (min(len(one), len(other)) >= 4 and one[:length] == other[:length])


def says_word(value: str, said: str) -> bool:
    """Does a phrase say each word of an enum value or a noun, in some form?"""
    wanted = [_folded(word) for word in re.split(r"[\W_]+", value) if word]
    held = words_of(said.replace("-", " ").replace("_", " "))
    return all(any(same_stem(word, one) for one in held) for word in wanted)


def added(text: str, allowed: str, values: Iterable[tuple[str, Any]] = ()) -> Iterator[str]:
    """What a text states and another does not, one phrase each.

    Args:
        text: what is looked at.
        allowed: the text whose statements may be repeated.
        values: facts that may be stated in any notation, as (kind, value).
    """
    notations = [way for kind, value in values for way in facts.renderings(kind, value)]
    pool = " \n ".join([allowed, *notations])
    yield from _added_facts(text, pool)
    yield from _added_tokens(text, pool)
    yield from _added_names(text, pool)


def _added_facts(text: str, pool: str) -> Iterator[str]:
    for kind in _FOUND:
        known = set(facts.find(kind, pool))
        for found in facts.find(kind, text):
            if kind == "person" and not _named(found):
                continue  # a pair of capitals; single ones are looked at below
            if found not in known and not _said_in(kind, found, pool):
                yield f"the {kind.replace('_', ' ')} {_shown(found)}"


def _named(found: Any) -> bool:
    return any(part.title() in _FIRST_NAMES for part in str(found).split())


def _said_in(kind: str, found: Any, pool: str) -> bool:
    """Names that the pool holds in another order or beside other words are no additions."""
    return kind in ("person", "company") and set(words_of(str(found))) <= set(words_of(pool))


def _shown(found: Any) -> str:
    if isinstance(found, tuple):
        return "-".join(f"{part:02}" for part in found)
    return repr(str(found))


def _added_tokens(text: str, pool: str) -> Iterator[str]:
    numbers = {int(match[0]) for match in _DIGITS.finditer(pool) if len(match[0]) <= 40}
    for match in _DIGITS.finditer(_LIST_NUMBER.sub("", text)):
        if len(match[0]) > 40 or int(match[0]) not in numbers:
            yield f"the number {match[0][:40]}"
    held = {part for word in words_of(pool) for part in (word, *word.split("-"))}
    for word in words_of(text):
        for part in word.split("-"):
            if part in NUMBERS and part not in held:
                yield f"the number word {part!r}"
            if part in TIMES and part not in held:
                yield f"the time {part!r}"
    if "may" not in held and re.search(r"\bMay\b", text) and "May" not in pool:
        yield "the time 'May'"
    flat = pool.casefold()
    for match in _QUOTED.finditer(text):
        quoted = match[1] or match[2]
        if quoted.strip(" .,").casefold() not in flat:
            yield f"the quoted {quoted[:60]!r}"
    for pattern, noun in ((_HANDLE, "handle"), (_SYMBOLS, "sign"), (_CODE_LIKE, "code")):
        for match in pattern.finditer(text):
            if match[0] not in pool:
                yield f"the {noun} {match[0][:60]!r}"


def _added_names(text: str, pool: str) -> Iterator[str]:
    """Words with a capital that opens no sentence: people, companies, products, places."""
    held = set(words_of(pool))
    matches = list(WORD.finditer(text))
    for number, match in enumerate(matches):
        word = _folded(match[0])
        if not match[0][0].isupper() or word in held or word in NO_NAMES:
            continue
        opens = _SENTENCE_OPENS.search(text[max(0, match.start() - 12) : match.start()])
        if not opens:
            yield f"the name {match[0]!r}"
            continue
        if match[0] in _FIRST_NAMES:
            yield f"the name {match[0]!r}"
            continue
        following = matches[number + 1] if number + 1 < len(matches) else None
        if (
            following is not None
            and text[match.end() : following.start()] == " "
            and following[0][0].isupper()
            and _folded(following[0]) not in held | NO_NAMES
        ):
            yield f"the name {match[0] + ' ' + following[0]!r}"


def operators(text: str) -> set[str]:
    """The groups of deciding words that a text uses."""
    plain = SEQUENCE.sub(" ", text)
    words = {part for word in words_of(plain) for part in (word, *word.split("-"))}
    return {name for name, group in OPERATORS.items() if words & group}


def negations(text: str) -> int:
    """How often a text denies or excludes."""
    return len(NEGATIONS.findall(text))
