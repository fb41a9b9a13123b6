"""Kinds: one small function each says whether an operation is of it, and by what evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attrs import frozen

from compoworld_synth import lexicon
from compoworld_synth.design import Kind
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Catalogue, Resource, key_stem


@frozen
class Plan:
    """A kind with its evidence in short sentences."""

    kind: Kind
    evidence: tuple[str, ...]
    sets: tuple[tuple[str, object], ...] = ()
    replaces: bool = False


Rule = Callable[[Operation, Resource, Catalogue], Plan | None]


_SINGLE = frozenset({"settings", "configuration", "preference", "profile", "account", "me"})
"""Nouns of which there is one where nothing tells which."""


def getting(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`get_ticket(ticket_id)`: a reading verb, one noun, its own required key."""
    if item.phrase.group not in ("get", "search") or item.own is None:
        return None
    if item.phrase.plural and item.own.name not in resource.keys:
        return None
    return Plan("get", (f"reads one {resource.name} by {item.own.name}",))


def current(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`get_current_user()`: one record and nothing to tell which."""
    me = "current" in item.phrase.qualifiers or item.phrase.noun[-1:] == ("me",)
    if item.phrase.group != "get" or item.phrase.plural or any(p.required for p in item.params):
        return None
    single = item.phrase.noun[-1] in _SINGLE and not resource.keyed and not item.params
    if not me and (not single or resource.groups["list"]):
        return None
    return Plan("current_get", (f"the current {resource.name}",))


def listing(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`list_tickets(status)`: a listing verb, or a reading one before a plural."""
    group = item.phrase.group
    if group == "list" or (group == "get" and item.phrase.plural and item.own is None):
        return Plan("list", (f"lists {resource.name} records",))
    return None


def searching(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`search_tickets(query)`: a searching verb over a plural, by words."""
    if item.phrase.group != "search":
        return None
    return Plan("search", (f"searches {resource.name} records",))


def creating(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`create_ticket(subject)`: a creating verb and something to write."""
    group = item.phrase.group
    if group not in ("create", "send") or item.phrase.batch or not item.params:
        return None
    if item.own is not None and key_stem(item.own) is not None:
        return None  # a key that exists: the record is joined to something, or is its parent
    return Plan("create", (f"makes a {resource.name}",))


def updating(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`update_ticket(ticket_id, status)`: a changing verb, the key, something else to write."""
    if item.phrase.group != "update" or item.own is None or item.phrase.batch:
        return None
    if len(item.params) < 2:
        return None
    return Plan("update", (f"changes one {resource.name} by {item.own.name}",))


def moving(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`move_card(card_id, list_id)`: the key, and keys of where it goes."""
    if item.phrase.group != "move" or item.own is None or item.phrase.batch:
        return None
    others = [p for p in item.params if p.required and p is not item.own]
    whereto = [p for p in others if catalogue.referred(p) is not None]
    if not whereto or whereto != others or any("from" in p.name.lower() for p in item.params):
        return None
    return Plan("update", (f"moves one {resource.name} to another {whereto[0].name}",))


def deleting(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`delete_ticket(ticket_id)`: a deleting verb and the key."""
    if item.phrase.group != "delete" or item.own is None or item.phrase.batch:
        return None
    return Plan("delete", (f"deletes one {resource.name} by {item.own.name}",))


def changing_state(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`archive_project(project_id)`: a verb of a state machine and the key."""
    if item.phrase.group != "transition" or item.own is None or item.phrase.batch:
        return None
    sets = lexicon.TRANSITIONS[item.phrase.verb]
    return Plan("transition", (f"sets {sets[0][0]} of one {resource.name}",), sets)


RULES: Final[tuple[Rule, ...]] = (
    getting,
    current,
    listing,
    searching,
    creating,
    updating,
    moving,
    deleting,
    changing_state,
)
"""In the order of trial; the first that applies decides."""
