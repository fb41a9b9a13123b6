"""Actions: a tool with an action parameter read as several operations, one for each value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from compoworld_synth import lexicon
from compoworld_synth.keys import key_stem
from compoworld_synth.naming import joined, singular, snake, words
from compoworld_synth.operations import Operation, Phrase, group_of

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

_NAMES: Final = frozenset({"action", "operation", "op", "command", "method"})
_TRIVIAL: Final = lexicon.word_set("all details detail info by id list one single")
_ROLES: Final = lexicon.word_set("write read reader writer editor manager management manage")
"""Words of a tool's name that say what it does with the noun before them."""
_MOST: Final = 12
_PAGING: Final = (
    lexicon.LIMITS | lexicon.CURSORS | lexicon.OFFSETS | lexicon.PAGES | lexicon.SORTS
    | lexicon.ORDERS | (lexicon.QUERIES - {"text", "contains", "phrase", "keywords"})
)  # fmt: skip


def chooser(params: Sequence[Param]) -> Param | None:
    """The parameter whose values are actions; None where the tool is one operation."""
    for param in params:
        named = snake(param.name) in _NAMES and param.kind == "str"
        if named and param.required and 2 <= len(param.enum) <= _MOST:
            return param
    return None


def split(item: Operation) -> list[Operation]:
    """The operation itself, or one for each action of its tool."""
    param = chooser(item.params)
    if param is None or item.spec.rest is not None or not item.phrase.noun:
        return [item]
    if item.phrase.group not in ("", "compute"):
        return [item]
    noun = tuple(singular(word) for word in item.phrase.noun)
    while len(noun) > 1 and noun[-1] in _ROLES:
        noun = noun[:-1]
    others = tuple(each for each in item.params if each is not param)
    return [_one(item, param, value, noun, others) for value in param.enum]


def _one(
    item: Operation, param: Param, value: Any, noun: tuple[str, ...], others: tuple[Param, ...]
) -> Operation:
    """The operation that one value asks for; without a verb where its effect is unknown."""
    spoken = list(words(str(value)))
    verb, rest = (spoken[0], spoken[1:]) if spoken else ("", [])
    group = group_of(verb)
    plain = set(rest) <= _TRIVIAL or joined(rest) in (joined(noun), joined(noun[-1:]))
    if verb == "get" and rest == ["all"]:
        group = "list"
    phrase = Phrase(verb, group if plain else "compute", noun, plural=group in _MANY)
    used = tuple(
        evolve(each, required=False)
        for each in others
        if _applies(each, str(value), group, [str(v) for v in param.enum], noun)
    )
    return Operation(item.spec, used, phrase, action=value, action_param=param.name)


_MANY: Final = frozenset({"list", "search"})


def _applies(
    param: Param, value: str, group: str, values: list[str], noun: tuple[str, ...]
) -> bool:
    """Whether a parameter is one of this action's.

    Its description may name the actions that take it; else keys go with what addresses one
    record, paging with lists, and the rest with what writes.
    """
    text = param.description or ""
    named = {each for each in values if re.search(rf"\b{re.escape(each)}\b", text, re.I)}
    if named:
        return value in named
    stem = key_stem(param)
    own = stem is not None and (not stem or joined(stem) in (joined(noun), joined(noun[-1:])))
    if own:
        return group not in ("create", "list", "search", "count")
    if snake(param.name) in _PAGING:
        return group in _MANY
    if snake(param.name) in lexicon.CONTROL | lexicon.PROJECTION:
        return True
    if group in ("get", "delete", "transition"):
        return stem is not None
    return group in ("create", "update", "upsert") or stem is not None or bool(param.enum)
