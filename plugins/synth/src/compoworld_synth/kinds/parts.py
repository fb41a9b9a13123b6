"""Parts: records of which there is one, for each owner or in all; reads by key or of all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from compoworld_synth import lexicon
from compoworld_synth.keys import key_stem
from compoworld_synth.kinds.plan import Plan
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import joined, snake, words
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Catalogue, Resource

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

_SINGLE: Final = word_set(
    "settings configuration preference preferences profile account me store shop branding"
)
"""Nouns of which there is one where nothing tells which."""
_ONE_IN_PLURAL: Final = frozenset({"settings", "preferences", "me"})
_KEPT: Final = word_set(
    "settings configuration config preference preferences profile policy branding address"
    " option options quota template branding_model permission biography avatar"
)
"""Nouns of parts that are kept, not worked out."""
_OWN: Final = re.compile(
    r"\b(current(ly)?( \w+)? (user|account|member)|authenticated|logged.?in|my (own )?(user|"
    r"account|profile)|your (own )?(user|account|profile)|token belongs)\b",
    re.IGNORECASE,
)
_EITHER: Final = re.compile(
    r"\b(get|show|retrieve|fetch|details?)\b.{0,160}\b(or|and) (get |retrieve )?(lists?|all)\b"
    r"|\blists?\b.{0,200}\bor (get|show|retrieve|fetch|details)\b|\b1[.)] lists?\b"
    r"|\b(if|when) (no |not |omit|absent|left out).{0,60}\b(lists?|all)\b"
    r"|\bomit .{0,40}\b(to list|list all|for all)\b",
    re.IGNORECASE,
)


def _free(item: Operation) -> list[Param]:
    """The parameters that say something: neither control nor projection nor paging."""
    quiet = lexicon.CONTROL | lexicon.PROJECTION
    return [p for p in item.params if snake(p.name) not in quiet]


def current(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`get_current_user()`, `get_settings()`: one record and nothing to tell which."""
    phrase = item.phrase
    if phrase.group != "get" or any(p.required for p in item.params):
        return None
    asking = {"current", "authenticated"} & set(phrase.qualifiers)
    me = bool(asking) or phrase.noun[-1:] == ("me",)
    me = me or (not _free(item) and bool(_OWN.search(item.text[:200])))
    if me and (not phrase.plural or phrase.noun[-1:] == ("me",)):
        return Plan("current_get", (f"the current {resource.name}",))
    if phrase.plural and phrase.noun[-1] not in _ONE_IN_PLURAL:
        return None
    if resource.keyed or resource.groups["list"] or _free(item):
        return None
    updated = any(
        each.phrase.group == "update"
        and not any(p.required and key_stem(p) is not None for p in each.params)
        for each in resource.operations
    )
    if phrase.noun[-1] in _SINGLE or updated:
        return Plan("current_get", (f"the only {resource.name}",))
    if _worked_out(item) or item.params:
        return None
    doubt = "nothing but its name says that there is one"
    return Plan("current_get", (f"the only {resource.name}",), doubt=doubt)


_WORKED_OUT: Final = re.compile(
    r"\b(status|health|summar(y|ies|ize)|statistics?|stats|screenshot|selection|selected|check"
    r"|counts?|overview|analy\w+|metrics?|report|server|version|now|real.?time|recent|latest"
    r"|active|all|list|state|auth\w*|token|diagnos\w+|guid\w+|best practices|instructions"
    r"|documentation|random|next|first|last|trending|rate.?limit|screen|log|currently"
    r"|environment|balance|usage|history|tree|diff|schema|structure|hierarch\w+|contents?|images?|thumbnail|playlist"
    r"|stream|download|links?|urls?|previews?|extract|generate\w*|guess|estimat\w+)\b",
    re.IGNORECASE,
)


def _worked_out(item: Operation) -> bool:
    """Whether name or description speak of what is worked out or comes and goes."""
    named = " ".join((*item.phrase.noun, item.phrase.trailing, *item.phrase.qualifiers))
    last = {item.phrase.noun[-1], item.phrase.trailing}
    reported = (last & lexicon.REPORT) | (set(item.phrase.noun) & lexicon.DERIVED)
    return bool(reported or _WORKED_OUT.search(named) or _WORKED_OUT.search(item.text[:160]))


def current_changing(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`update_settings(theme)`: no key at all, where a read without a key exists."""
    if item.phrase.group != "update" or item.own is not None or resource.keyed:
        return None
    if any(p.required and key_stem(p) is not None for p in item.params) or not _free(item):
        return None
    if resource.groups["list"] or resource.groups["create"]:
        return None
    for each in resource.operations:
        if current(each, resource, catalogue) is not None:
            return Plan("current_update", (f"changes the only {resource.name}",))
    return None


def one_or_many(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`get_site(site?)`, "or list all": the record of the key, or the list without it."""
    if item.phrase.group != "get" or (item.own is not None and item.own.required):
        return None
    if not _EITHER.search(item.text[:600]):
        return None
    key = item.own or _optional_key(item, resource, catalogue)
    if key is None:
        return None
    doubt = "" if key_stem(key) is not None else f"{key.name} may be no key"
    evidence = (f"reads one {resource.name} by {key.name}, or lists them",)
    return Plan("get_or_list", evidence, key=key, doubt=doubt)


def _optional_key(item: Operation, resource: Resource, catalogue: Catalogue) -> Param | None:
    """The optional parameter that names the record: `{noun}_id`, `id`, the noun, `name`."""
    last, whole = joined(resource.noun[-1:]), joined(resource.noun)
    bare = None
    for param in item.params:
        if param.required or param.kind not in ("str", "int", "num") or param.enum:
            continue
        if param.name in catalogue.scope or snake(param.name) in lexicon.CONTROL:
            continue
        stem = key_stem(param)
        spoken = words(param.name)
        if stem and joined(stem) in (last, whole):
            return param
        if joined(spoken) in (last, whole):
            return param
        if spoken[-1:] == ("name",) and joined(spoken[:-1]) in (last, whole):
            return param
        if stem == () or spoken == ("name",):
            bare = bare or param
    return bare


def _owner_key(item: Operation, catalogue: Catalogue) -> Param | None:
    """The only required key, which is not a list; beside a scope, one of a known record.

    Where there is a path, its last variable.
    """
    if item.spec.rest is not None and item.spec.rest.path_parameters:
        last = item.spec.rest.path_parameters[-1]
        return next((p for p in item.params if p.name == last and len(p.path) == 1), None)
    found = [
        p
        for p in item.params
        if p.required
        and p.kind != "arr"
        and (key_stem(p) is not None or catalogue.referred(p) is not None)
    ]
    if len(found) > 1:
        found = [
            p
            for p in found
            if p.name not in catalogue.scope and catalogue.referred(p) is not None
        ]
    return found[0] if len(found) == 1 else None


def _part(
    item: Operation, resource: Resource, catalogue: Catalogue
) -> tuple[Param, str] | None:
    """(key, owner or nothing) of an operation on the part of another record."""
    if item.own is not None or resource.groups["list"] or resource.groups["create"]:
        return None
    key = _owner_key(item, catalogue)
    if key is None:
        return None
    if key_stem(key) == () and item.container is None and item.spec.rest is None:
        return None
    owner = catalogue.referred(key) or catalogue.named(item.container or "")
    if any(
        o.phrase.group == "get" and o.phrase.plural and o is not item
        for o in resource.operations
        if not item.phrase.plural
    ):
        return None  # `get_all_positions` beside `get_position`: some have none
    if owner is resource or (item.phrase.plural and resource.noun[-1] not in _ONE_IN_PLURAL):
        return None
    if any(_asks_more(each, catalogue) for each in resource.operations):
        return None
    keyed = [each for each in resource.operations if _owner_key(each, catalogue) is not None]
    same = {joined(words(k.name)) for k in (_owner_key(o, catalogue) for o in keyed) if k}
    if len(same) != 1:
        return None
    groups = {each.phrase.group for each in resource.operations}
    written = "get" in groups and "update" in groups
    kept = resource.noun[-1] in _KEPT and owner is not None
    if not written and not kept:
        plain = (
            owner is not None
            and (owner.keyed or item.container is not None)
            and not _worked_out(item)
        )
        if not plain or any(not p.required for p in _free(item)):
            return None
    return key, owner.name if owner is not None else ""


def _asks_more(item: Operation, catalogue: Catalogue) -> bool:
    """Whether a read needs more than the owner's key to tell which part."""
    key = _owner_key(item, catalogue)
    placed = item.spec.rest.path_parameters if item.spec.rest is not None else ()
    return item.phrase.group == "get" and any(
        p.required and p is not key and p.name not in catalogue.scope and p.name not in placed
        for p in _free(item)
    )


def part(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`get_chat_settings(room_id)`: the part that each owner has one of, kept somewhere."""
    if item.phrase.group not in ("get", "update") or item.phrase.batch:
        return None
    found = _part(item, resource, catalogue)
    if found is None:
        return None
    key, owner = found
    if item.phrase.group == "get":
        evidence = (f"reads the {resource.name} of what {key.name} names",)
        updated = any(o.phrase.group == "update" for o in resource.operations)
        sure = updated or resource.noun[-1] in _KEPT
        doubt = "" if sure else "nothing changes it: it may be worked out"
        return Plan("part_get", evidence, key=key, owner=owner or None, doubt=doubt)
    if len(_free(item)) < 2 or "get" not in {o.phrase.group for o in resource.operations}:
        return None
    evidence = (f"changes the {resource.name} of what {key.name} names",)
    return Plan("part_update", evidence, key=key, owner=owner or None)
