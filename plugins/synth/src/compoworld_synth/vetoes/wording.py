"""Wording: vetoes that read how keys and modifiers are written."""

from __future__ import annotations

import re
from typing import Final

from compoworld_synth import filters
from compoworld_synth.archetypes import archetype_of
from compoworld_synth.design import Veto
from compoworld_synth.keys import key_stem
from compoworld_synth.naming import expanded, is_plural, joined, singular, snake, words
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Catalogue, Resource
from compoworld_synth.rest import key_of
from compoworld_synth.vetoes.case import Case

_KEYS: Final = ("ids", "keys", "uuids", "gids")


def parting(case: Case) -> Veto | None:
    """`remove_tag_from_task`: it may only part two records, not delete one."""
    if case.plan.kind not in ("delete", "batch_delete", "part_update"):
        return None
    if case.item.spec.rest is not None and key_of(case.item.spec.rest):
        return None  # the path names the record itself
    if _KEPT.search(case.item.text[:400]):
        return Veto("parting", True, "what it removes is still there after it")
    for preposition, modifier in case.item.phrase.modifiers:
        other = case.catalogue.find(modifier)
        if (
            preposition in ("from", "to", "in")
            and other is not None
            and other is not case.resource
        ):
            return Veto("parting", True, f"it may only part it from a {other.name}")
    for each in case.params:
        other = case.catalogue.named(each.ref or "")
        if each.role != "ref" or not each.param.required or other is None:
            continue
        if each.param.name not in case.catalogue.scope and _apart(
            case.resource, other, case.catalogue
        ):
            return Veto("parting", True, f"it may only part it from a {each.ref}")
    return None


_KEPT: Final = re.compile(
    r"\b(becomes? (a |an )?(regular|normal|standalone|independent)|itself (is|are) not deleted"
    r"|without deleting (it|them|the)|^\W*(detach|dissociat|disassociat|unlink)\w*)\b",
    re.IGNORECASE,
)


def _apart(resource: Resource, other: Resource, catalogue: Catalogue) -> bool:
    """Whether a record is made without the other: then it is no part of it."""
    makes = [one for one in resource.operations if one.phrase.group in ("create", "upsert")]
    reads = [one for one in resource.operations if one.phrase.group in ("list", "get")]
    for one in makes or reads:
        if not any(catalogue.referred(param) is other for param in one.params):
            return True
    return False


def alternate_keys(case: Case) -> Veto | None:
    """Two arguments for one field: `projectId` or `projectKey`."""
    taken = [
        (e.field, e.comparison) for e in case.params if e.role in ("ref", "filter", "field")
    ]
    twice = next((field for field, sign in taken if taken.count((field, sign)) > 1), None)
    return Veto("alternate_keys", True, f"two arguments for {twice}") if twice else None


def one_of_a_list(case: Case) -> Veto | None:
    """A plural with a required key that no reference explains: `epics-get-by-id`."""
    if case.plan.kind not in ("list", "search"):
        return None
    by_key = any(
        p == "by" and m[-1:] in (("id",), ("ids",), ("key",))
        for p, m in case.item.phrase.modifiers
    )
    lost = [
        each
        for each in case.params
        if each.param.required
        and each.role == "filter"
        and each.param.name not in case.catalogue.scope
        and (key_stem(each.param) == () or each.param.kind in ("obj", "arr"))
    ]
    if by_key or lost:
        return Veto("one_of_a_list", True, "it reads what a key names, not a list")
    return None


def either_key(case: Case) -> Veto | None:
    """`issue_id_or_key`: one argument for two keys of a record that is elsewhere made."""
    for each in case.params:
        if each.param.required and each.role != "id" and "or" in words(each.param.name):
            return Veto("either_key", True, f"{each.param.name} takes one of two keys")
    return None


def _one_media(item: Operation) -> bool:
    """`delete_media(sid)`: a word that is one and several, and one key."""
    one = item.phrase.noun[-1:] in (("media",), ("series",), ("data",))
    return one and item.own is not None and item.own.required


def several(case: Case) -> Veto | None:
    """A create or change of several at once."""
    single = ("create", "update", "transition", "delete", "upload", "upsert", "part_update")
    if case.plan.kind in single and case.item.phrase.plural and not _one_media(case.item):
        return Veto("several", True, "the noun is plural")
    many = [
        e
        for e in case.params
        if e.param.kind == "arr"
        and e.param.items is not None
        and e.param.items.kind == "obj"
        and joined((e.field or "").split("_"))
        in (joined(case.resource.noun), joined(case.resource.noun[-1:]))
    ]
    if case.plan.kind == "create" and many:
        return Veto("several", True, f"{many[0].param.name} holds several records")
    return None


def membership(case: Case) -> Veto | None:
    """`create` that takes only keys: membership between two records, not a record."""
    if case.plan.kind != "create" or case.item.phrase.verb not in (
        "add",
        "insert",
        "set",
        "reserve",
    ):
        return None
    taken = [each for each in case.params if each.role not in ("control", "projection")]
    if any(
        joined(case.resource.noun[-1:]) == joined((each.ref or "").split("_")[-1:])
        for each in taken
        if each.param.required
    ):
        return Veto("membership", True, "it joins two records that exist")
    if not any(each.role in ("field", "bag") for each in taken):
        return Veto("membership", True, "it joins two records that exist")
    if (
        case.item.phrase.modifiers
        and case.catalogue.find(case.item.phrase.modifiers[0][1])
        and not case.resource.keyed
    ):
        return Veto("membership", False, "perhaps a part of another record")
    return None


def omitted(case: Case) -> Veto | None:
    """`build_number`, "the last one when omitted": a filter that works when it is absent."""
    if case.plan.kind not in ("list", "search", "count", "get_or_list"):
        return None
    for each in case.params:
        if each.param.name in case.catalogue.scope:
            continue  # of the account, not of the records
        if each.role in ("filter", "ref", "refs") and filters.instead(each.param):
            why = f"without {each.param.name} it selects something of its own"
            return Veto("omitted", True, why)
    return None


_LISTED: Final = re.compile(
    r"^\W*(?:get|gets|list|lists|retrieve|retrieves|returns?|fetch|fetches|show|shows)"
    r"(?: (?:a|the|all|paginated|full|complete))* (?:list|array|set|collection) of "
    r"(?:all |the |your |available |every )*((?:[a-z][\w-]* ){0,3}?[a-z][\w-]*?s)\b"
    r"(?= |[.,(]|$)",
    re.IGNORECASE,
)


def another_object(case: Case) -> Veto | None:
    """`get_user_subscriptions`, "a list of users": what it shows is another thing."""
    if case.plan.kind not in ("list", "search"):
        return None
    found = _LISTED.match(case.item.text)
    if found is None:
        return None
    said = [singular(word) for word in words(found[1])]
    known = case.catalogue.find(said[-1:]) or archetype_of(said)
    mine = singular(expanded(case.resource.noun[-1]))
    alike = archetype_of(said) and archetype_of(said) == archetype_of(case.resource.noun)
    if not known or alike or mine in {expanded(word) for word in said}:
        return None
    return Veto("another_object", True, f"it shows {found[1]}, not a {case.resource.name}")


_PLACES: Final = frozenset({
    "range", "cell", "cells", "range_name", "start_index", "end_index", "cell_range", "index",
    "start_cell", "line", "start_line", "row", "column", "slide_index", "paragraph_index",
})  # fmt: skip


_RANGES: Final = frozenset({"range", "ranges", "cell", "cells", "range_name", "cell_range"})


def into_a_document(case: Case) -> Veto | None:
    """`insert_link(range, url)`: it writes at a place in a document; a filled container."""
    if case.plan.kind in ("list", "get", "search"):
        for each in case.params:
            if snake(each.param.name) in _RANGES:
                return Veto("into_a_document", True, f"it reads at the {each.param.name}")
    if case.plan.kind not in ("create", "update"):
        return None
    for each in case.params:
        placed = snake(each.param.name) in _PLACES and each.param.required
        if placed and case.item.phrase.verb in (
            "insert",
            "add",
            "set",
            "write",
            "put",
            "update",
        ):
            return Veto(
                "into_a_document", True, f"it writes at the {each.param.name} of another"
            )
    lists = [each for each in case.params if each.param.kind == "arr" and each.param.required]
    adds = case.item.phrase.verb == "add" and case.item.phrase.position == "last"
    if adds and lists and case.plan.kind == "create":
        return Veto("into_a_document", True, f"it adds {lists[0].param.name} to a container")
    return None


def renames_the_key(case: Case) -> Veto | None:
    """`rename_branch(name, new_name)`: the key itself changes, and with it all references."""
    if case.plan.kind != "update" or case.item.own is None:
        return None
    plain = words(case.item.own.name)[-1] in ("id", "gid", "uuid", "sid", "guid", "key")
    renamed = any(snake(each.param.name) == "new_name" for each in case.params)
    named = words(case.item.own.name)[-1] == "name"
    if renamed and named:
        return Veto("renames_the_key", True, "its key is its name, which changes")
    if case.item.phrase.verb == "rename" and (case.resource.natural or not plain):
        return Veto("renames_the_key", True, "its key is its name, which changes")
    return None


def several_in_a_text(case: Case) -> Veto | None:
    """`issue_keys` as a string: several keys with commas between them."""
    for each in case.params:
        if each.param.kind == "str" and each.role in ("id", "ref") and not each.param.enum:
            last = words(each.param.name)[-1:]
            many = last and (last[0] in _KEYS or (each.role == "id" and is_plural(last[0])))
            if many:
                return Veto("several_in_a_text", True, f"{each.param.name} holds several keys")
    return None
