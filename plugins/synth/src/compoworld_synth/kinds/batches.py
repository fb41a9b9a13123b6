"""Batches: one call for several records, told by a list of keys or of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from compoworld_synth import lexicon
from compoworld_synth.keys import key_stem
from compoworld_synth.kinds import states
from compoworld_synth.kinds.plan import Plan
from compoworld_synth.lexicon import word_set
from compoworld_synth.naming import joined, singular, words
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Catalogue, Resource

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

_GENERIC: Final = word_set("item items record records data entries entry object objects inputs")


def keys_of(item: Operation, resource: Resource) -> Param | None:
    """The list of keys of the records: `ticket_ids`, `ids`; where no other says which."""
    found = []
    for param in item.params:
        stem = key_stem(param)
        if param.kind != "arr" or stem is None or not param.required:
            continue
        inner = param.items
        if inner is None or inner.kind not in ("str", "int", "num", "any"):
            continue
        if not stem or joined(stem) in (joined(resource.noun), joined(resource.noun[-1:])):
            found.append(param)
    return found[0] if len(found) == 1 else None


def _many(item: Operation) -> bool:
    return item.phrase.plural or item.phrase.batch


def deleting(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`delete_tickets(ticket_ids)`: a deleting verb and a list of keys."""
    many = keys_of(item, resource)
    if item.phrase.group != "delete" or many is None:
        return None
    return Plan("batch_delete", (f"deletes {resource.name} records by {many.name}",), many=many)


def getting(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`get_tickets(ids)`: a reading verb and a required list of keys."""
    many = keys_of(item, resource)
    if item.phrase.group not in ("get", "list") or many is None or not _many(item):
        return None
    return Plan("batch_get", (f"reads {resource.name} records by {many.name}",), many=many)


def changing(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`archive_tickets(ids)`: a changing verb, a list of keys, the same values for all."""
    many = keys_of(item, resource)
    group = item.phrase.group
    if group not in ("update", "transition") or many is None or not _many(item):
        return None
    sets: tuple[tuple[str, object], ...] = ()
    if group == "transition":
        sets = states.spelled(lexicon.TRANSITIONS[item.phrase.verb], resource)
    if not sets and len(item.params) < 2:
        return None
    evidence = (f"changes {resource.name} records by {many.name}",)
    return Plan("batch_update", evidence, sets, many=many)


def creating(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`create_tickets(tickets)`: a creating verb and a list of objects with known fields."""
    if item.phrase.group != "create" or not _many(item):
        return None
    lists = [p for p in item.params if p.kind == "arr" and p.required]
    if len(lists) != 1 or lists[0].items is None or not lists[0].items.properties:
        return None
    spoken = tuple(singular(word) for word in words(lists[0].name))
    named = joined(spoken) in (joined(resource.noun), joined(resource.noun[-1:]))
    if not named and not set(spoken) <= _GENERIC:
        return None
    evidence = (f"makes a {resource.name} of each of {lists[0].name}",)
    return Plan("batch_create", evidence, many=lists[0])
