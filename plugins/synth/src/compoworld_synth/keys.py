"""Keys: which parameters take the key of a record, and of which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from compoworld_synth import lexicon
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import expanded, joined, singular, words
from compoworld_synth.operations import Operation
from compoworld_synth.rest import key_of

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

_NOT_KEYS: Final = word_set(
    "comment source description status label content text message note title body query url"
    " script type value format language action"
)
_NOT_NUMBERED: Final = word_set("phone page line version serial account tax card part max")


def key_stem(param: Param) -> tuple[str, ...] | None:
    """Words before the key word: `project_id` → ("project",), `id` → (), `title` → None."""
    found = words(param.name)
    if not found or param.kind in ("obj", "bool"):
        return None
    if param.enum and len(param.enum) < 60:
        return None
    found = _either(found)
    last = found[-1]
    if (
        last in ("ids", "uuids", "gids", "keys", "sids", "uids")
        or singular(last) in lexicon.KEYS
    ):
        stem = tuple(singular(expanded(word)) for word in found[:-1])
        if singular(last) in ("number", "slug", "identifier", "key") and not stem:
            return None if last in ("number", "slug") else ()
        if singular(last) == "number" and stem and stem[-1] in _NOT_NUMBERED:
            return None
        return _flat(stem)
    return None


def _either(found: Sequence[str]) -> tuple[str, ...]:
    """`id_or_name`, `symbol_or_asset_id`: the words of the half that is a key."""
    if "or" not in found[1:-1]:
        return tuple(found)
    place = found.index("or", 1)
    front, back = tuple(found[:place]), tuple(found[place + 1 :])
    for half in (back, front):
        if singular(half[-1]) in lexicon.KEYS:
            return half
    return tuple(found)


def _flat(stem: Iterable[str]) -> tuple[str, ...]:
    return tuple(part for word in stem for part in word.split("_"))


def own_key(item: Operation, noun: Sequence[str], scope: frozenset[str]) -> Param | None:
    """The required parameter that takes the key of the noun's record.

    The path's last variable where there is a path; else `{noun}_id`, the last word's, a bare
    `id`, the noun itself.
    """
    stated = key_of(item.spec.rest) if item.spec.rest is not None else None
    if stated is not None:
        return next((param for param in item.params if param.name == stated), None)
    free = _candidates(item)
    whole, last = joined(noun), joined(noun[-1:])
    bare = None
    for param in free:
        stem = key_stem(param)
        if stem is None or param.kind == "arr":
            continue
        if stem and joined(stem) in (whole, last):
            return param
        if stem and len(noun) > 1 and joined(stem) == joined(noun[1:]):
            return param
        if 1 < len(stem) < len(noun) and joined(stem) == joined(noun[-len(stem) :]):
            return param
        if len(stem) > 1 and joined(stem[:1]) == last and stem[-1] == "public":
            return param
        if not stem:
            bare = bare or param
    if bare is not None and bare.name not in scope:
        return bare
    for param in free:
        if param.kind not in ("str", "int", "num", "any") or param.enum:
            continue
        spelled = tuple(singular(expanded(word)) for word in words(param.name))
        if spelled and joined(spelled) in (whole, last) and spelled[-1] not in _NOT_KEYS:
            return param
        if (
            len(spelled) > 1
            and spelled[-1] == "name"
            and joined(spelled[:-1]) in (whole, last)
            and item.phrase.group in ("get", "delete", "update", "transition")
        ):
            return param
    return None


_ADDRESSING: Final = frozenset({"update", "delete", "transition", "move"})


def _candidates(item: Operation) -> list[Param]:
    """The parameters that may take the key: required ones, those of a path, else any.

    A change of one record needs its key even where the schema forgets to say so.
    """
    if item.action is not None:
        return [param for param in item.params if key_stem(param) is not None]
    sole = len(item.params) == 1 and item.phrase.group in ("get", "delete", "transition")
    found = [
        param
        for param in item.params
        if param.required or sole or param.path[:1] in (("path",), ("path_params",))
    ]
    keyed = any(key_stem(param) is not None for param in found)
    two = either(item, item.phrase.noun) if item.phrase.group in ("get", "delete") else None
    if not keyed and two is not None and not item.phrase.plural:
        return [*found, two[0]]
    if not keyed and item.phrase.group in _ADDRESSING and not item.phrase.plural:
        optional = [p for p in item.params if not p.required and key_stem(p) is not None]
        if len(optional) == 1:
            return [*found, *optional]
    return found


_SECOND: Final = word_set("email name slug key username login code symbol title")
_FUZZY: Final = re.compile(r"\b(fuzzy|partial|substring|case.insensitive)\b", re.IGNORECASE)
_OR: Final = re.compile(r"\b(or|either)\b", re.IGNORECASE)


def either(item: Operation, noun: Sequence[str]) -> tuple[Param, Param] | None:
    """(its id, another key of it), of which a call gives one: `get_contact(id?, email?)`."""
    mine = ("", joined(noun), joined(noun[-1:]))
    ids, others = [], []
    for param in item.params:
        spoken = words(param.name)
        own = not param.required and joined(spoken[:-1]) in mine and not param.enum
        if own and param.kind in ("str", "int", "num", "any", "union"):
            ids += [param] if spoken[-1] in ("id", "uid", "uuid", "gid") else []
            others += [param] if spoken[-1] in _SECOND else []
    told = _OR.search(item.text[:300]) is not None and not _FUZZY.search(item.text[:600])
    return (ids[0], others[0]) if len(ids) == len(others) == 1 and told else None


def near_key(item: Operation, others: Iterable[Sequence[str]]) -> Param | None:
    """The key that names the front of the noun: `get_pull_request(pull_number)`.

    Not where a shorter noun of the server begins with the same words: it has the key then.
    """
    noun = item.phrase.noun
    shorter = [each for each in others if len(each) < len(noun)]
    for param in _candidates(item):
        stem = key_stem(param)
        if not stem or len(stem) >= len(noun) or param.kind == "arr":
            continue
        if joined(stem) != joined(noun[: len(stem)]):
            continue
        if not any(joined(each) == joined(noun[: len(each)]) for each in shorter):
            return param
    return None
