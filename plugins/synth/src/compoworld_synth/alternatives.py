"""Alternatives: what else a call may name a record by: `ID or slug`, `name or ID`, `'me'`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from compoworld_synth.naming import snake, spelling, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compoworld_synth.design import FieldDesign
    from compoworld_synth.schemas import Param

_KEY: Final = r"(?:IDs?|identifiers?|UUIDs?|GUIDs?|GIDs?|numeric id|internal id)"
_OTHERS: Final = {
    "slug": "slug", "identifier": "identifier", "name": "name", "code": "code", "key": "key",
    "alias": "alias", "username": "username", "email": "email", "number": "number",
    "symbol": "symbol", "handle": "handle", "mention": "mention_name", "url": "url",
    "title": "title", "login": "login", "host": "host", "domain": "domain", "link": "url",
}  # fmt: skip
"""Words for what tells a record apart, and the field that holds it."""
_FRONT: Final = (
    r"(?:(?:the|its|a|full|display|exact|unique|url|human.readable|stable|short)\s+)*"
)
_WORD: Final = "|".join(sorted((*_OTHERS, "email address"), key=len, reverse=True))
_JOIN: Final = r"\s*(?:\([^)]{0,60}\)\s*)?(?:,\s*(?:or\s+)?|/|\bor\b)\s*(?:by\s+)?"
_KEY_FIRST: Final = re.compile(
    rf"\b{_KEY}(?P<rest>(?:{_JOIN}{_FRONT}(?:\w+\s+){{0,2}}?(?:{_WORD})s?\b)+)", re.IGNORECASE
)
_KEY_LAST: Final = re.compile(
    rf"\b(?P<rest>(?:(?:{_WORD}){_JOIN})+)(?:\w+\s+){{0,2}}?{_KEY}\b", re.IGNORECASE
)
_BESIDE: Final = re.compile(rf"\b{_KEY} \(({_WORD})\)", re.IGNORECASE)
_EACH: Final = re.compile(rf"\b({_WORD})s?\b", re.IGNORECASE)
_AROUND: Final = re.compile(
    r"\burl (?=identifier)|\beither\b[^.]{3,40}\b(must|is required)\b[^.]*", re.IGNORECASE
)
"""`URL identifier` is no address; `either id or name must be given` is about two arguments."""
_ME: Final = re.compile(r"['\"`\u2018\u201c]me['\"`\u2019\u201d]", re.IGNORECASE)
_NOT_ME: Final = re.compile(r"(isn.t|not) accepted|not supported|never", re.IGNORECASE)
SAME: Final = {
    "name": ("name", "display_name", "title", "full_name"),
    "email": ("email", "primary_email", "email_address"),
    "code": ("code",),
}
"""Fields that may hold what an alternative names."""


def of(param: Param) -> tuple[str, ...]:
    """The fields by which a call may name the record in place of its key; empty without.

    >>> from compoworld_synth.schemas import Param
    >>> of(Param("id", ("id",), "str", description="ID or identifier (e.g. ABC-123)"))
    ('identifier',)
    >>> of(Param("course", ("course",), "str", description="Course code or Canvas ID"))
    ('code',)
    >>> of(Param("id", ("id",), "str", description="The ID of the team or user"))
    ()
    """
    if param.kind not in ("str", "any", "union") or param.enum:
        return ()
    text = _AROUND.sub(" ", " ".join(param.description.split())[:240])
    found: list[str] = []
    spoken = words(param.name)
    if "or" in spoken[1:-1]:  # `id_or_slug`
        found += [_OTHERS[word] for word in spoken if word in _OTHERS]
    beside = _BESIDE.search(text)
    if beside is not None:
        found.append(_OTHERS[beside[1].lower().split()[0]])
    for match in (*_KEY_FIRST.finditer(text), *_KEY_LAST.finditer(text)):
        rest = re.sub(r"\([^)]*\)", " ", match["rest"])
        found += [_OTHERS[each.lower().split()[0]] for each in _EACH.findall(rest)]
    if _ME.search(text) and not _NOT_ME.search(text):
        found.append("me")
    return tuple(dict.fromkeys(found))


def held(name: str, fields: Sequence[FieldDesign], noun: str) -> FieldDesign | None:
    """The field of a record that holds what an alternative names; None without one."""
    wanted = {spelling(each) for each in (*SAME.get(name, (name,)), f"{noun}_{name}")}
    for item in fields:
        if item.type == "str" and item.ref is None and spelling(item.name) in wanted:
            return item
    return None


def fields_of(also: Sequence[str]) -> tuple[str, ...]:
    """The alternatives that are fields: not the address that ends in the key, not `me`."""
    return tuple(snake(name) for name in also if name not in ("url", "me"))
