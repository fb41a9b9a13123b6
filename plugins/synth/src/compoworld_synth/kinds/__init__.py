"""Kinds: one small function each says whether an operation is of it, and by what evidence."""

from __future__ import annotations

import re
from typing import Final

from compoworld_synth import lexicon
from compoworld_synth.keys import key_stem
from compoworld_synth.kinds import batches, parts, states
from compoworld_synth.kinds.plan import Plan, Rule
from compoworld_synth.naming import snake, words
from compoworld_synth.operations import Operation
from compoworld_synth.resources import Catalogue, Resource


def getting(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`get_ticket(ticket_id)`: a reading verb, one noun, its own required key."""
    if item.phrase.group not in ("get", "search") or item.own is None:
        return None
    alone = item.own.name in resource.keys and item.own.required
    if item.phrase.plural and not alone:
        return None
    return Plan("get", (f"reads one {resource.name} by {item.own.name}",))


def listing(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`list_tickets(status)`: a listing verb, or a reading one before a plural."""
    group = item.phrase.group
    free = item.own is None or not item.own.required
    if group == "list" or (group == "get" and item.phrase.plural and free):
        return Plan("list", (f"lists {resource.name} records",))
    names = {snake(param.name) for param in item.params}
    paged = names & lexicon.LIMITS and names & _ON
    asked = [p for p in item.params if p.required and p.name not in catalogue.scope]
    plain = all(catalogue.referred(p) is not None for p in asked)
    if group == "get" and item.own is None and paged and plain and not resource.keyed:
        return Plan("list", (f"lists {resource.name} records page by page",))
    return None


_ON: Final = lexicon.CURSORS | lexicon.OFFSETS | lexicon.PAGES


def getting_by(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`get_user_by_email(email)`: one record by a field that tells it from the others."""
    by = [words_ for preposition, words_ in item.phrase.modifiers if preposition == "by"]
    if item.phrase.group != "get" or item.own is not None or item.phrase.plural or not by:
        return None
    needed = [p for p in item.params if p.required and p.name not in catalogue.scope]
    if len(needed) != 1 or needed[0].kind not in ("str", "int", "num") or needed[0].enum:
        return None
    if catalogue.referred(needed[0]) not in (None, resource):
        return None
    spoken = set(words(needed[0].name)) & set(by[0])
    if not spoken or not (resource.written or resource.groups["list"]):
        return None
    return Plan("get_by", (f"reads one {resource.name} by its {needed[0].name}",))


def copying(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`duplicate_project(project_id, name)`: a record like another, under a new key."""
    if item.phrase.group != "copy" or item.own is None or item.phrase.plural:
        return None
    if not item.own.required or not resource.read or item.phrase.batch:
        return None
    return Plan("copy", (f"copies one {resource.name} by {item.own.name}",))


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
    if item.own is not None and key_stem(item.own) is not None and not _chosen(item):
        return None  # a key that exists: it is joined to something, or is its parent
    if item.own is not None and item.own.name not in resource.keys:
        item.own = None  # no other tool asks by it: a field like others
    asked = any(param.name in resource.keys for param in item.params)
    if item.own is None and resource.natural and not asked:
        item.own = next(
            (p for p in item.params if p.required and p.kind == "str" and p.name == "name"),
            None,
        )  # the name that other tools ask by
    return Plan("create", (f"makes a {resource.name}",), _implied(item, resource))


def _implied(item: Operation, resource: Resource) -> tuple[tuple[str, object], ...]:
    """`create_draft_post`: the flag `draft` of a post, where another tool knows it."""
    for word in item.phrase.qualifiers:
        for one in resource.operations:
            for param in one.params:
                if param.kind == "bool" and snake(param.name) in (word, f"is_{word}"):
                    return ((snake(param.name), True),)
    return ()


def _chosen(item: Operation) -> bool:
    """Whether the creator chooses the key: `create_project(key, name)`."""
    spoken = words(item.own.name) if item.own is not None else ()
    return (
        len(spoken) == 1
        and spoken[0] in ("key", "slug", "identifier", "code")
        and (item.phrase.verb in ("create", "add", "register"))
    )


def updating(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`update_ticket(ticket_id, status)`: a changing verb, the key, something else to write."""
    if item.phrase.group != "update" or item.own is None or item.phrase.batch:
        return None
    if len(item.params) < 2:
        return None
    rest = item.spec.rest
    puts = rest is not None and rest.method == "PUT"
    if puts and re.match(r"\W*creates?\b", item.text, re.IGNORECASE):
        return Plan("create", (f"makes a {resource.name} under the name that it is given",))
    evidence = (f"changes one {resource.name} by {item.own.name}",)
    return Plan("update", evidence, replaces=puts)


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
    if item.phrase.verb in _ENDING and _GOES.match(item.text):
        return Plan("delete", (f"removes one {resource.name} by {item.own.name}",))
    sets = states.spelled(lexicon.TRANSITIONS[item.phrase.verb], resource)
    return Plan("transition", (f"sets {sets[0][0]} of one {resource.name}",), sets)


_ENDING: Final = frozenset({"revoke", "void", "expire", "reject", "decline"})
_GOES: Final = re.compile(r"^\W*(permanently )?(remove|delete|destroy)s?\b", re.IGNORECASE)
"""`revoke_key`, "Remove an api key": it is gone, no state of it."""


_EITHER: Final = re.compile(
    r"\bcreates? (or|and) (updates?|replaces?|overwrites?|modif(y|ies))\b"
    r"|\b(updates?|replaces?|sets?) or creates?\b|\bnot exist.{0,30}\bcreated?\b|\bupsert",
    re.IGNORECASE,
)


def upserting(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`upsert_contact(contact_id, name)`: changed where it exists, else made."""
    said = item.phrase.group in ("update", "create") and _EITHER.search(item.text[:300])
    if not (item.phrase.group == "upsert" or said) or item.phrase.batch:
        return None
    if item.own is None or len(item.params) < 2 or not item.own.required:
        return None
    return Plan("upsert", (f"makes or changes one {resource.name} by {item.own.name}",))


def counting(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`count_tickets(status)`: how many records hold the filters."""
    if item.phrase.group != "count" or not resource.read:
        return None
    return Plan("count", (f"counts {resource.name} records",))


def uploading(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`upload_attachment(ticket_id, file_name)`: a new record that other tools read."""
    if item.phrase.group != "upload" or item.own is not None or item.phrase.batch:
        return None
    if item.phrase.plural or not resource.read or not item.params:
        return None
    return Plan("upload", (f"makes a {resource.name}",))


def permitting(item: Operation, resource: Resource, catalogue: Catalogue) -> Plan | None:
    """`testIamPermissions(resource, permissions)`: which the caller has: all of them."""
    if item.phrase.group != "permissions" or item.own is None or not resource.read:
        return None
    if not any(snake(param.name) == "permissions" for param in item.params):
        return None
    return Plan("permissions", (f"the caller owns each {resource.name} that there is",))


RULES: Final[tuple[Rule, ...]] = (
    parts.one_or_many,
    getting,
    parts.current,
    batches.getting,
    getting_by,
    parts.part,
    parts.current_changing,
    listing,
    searching,
    counting,
    batches.creating,
    upserting,
    creating,
    copying,
    uploading,
    batches.changing,
    updating,
    moving,
    batches.deleting,
    deleting,
    changing_state,
    permitting,
)
"""In the order of trial; the first that applies decides."""
