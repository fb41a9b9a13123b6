"""REST: what method and path say, where a source has them; names are then not asked.

GET on `…/{x}` gets, on a collection lists; POST on a collection creates; PUT replaces, PATCH
merges, DELETE deletes. POST on `…/{x}/verb` is an action, which the rules leave alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from compoworld_synth.lexicon import COMPUTING, NOT_FIRST, PREPOSITIONS, TRANSITIONS, VERBS
from compoworld_synth.naming import is_plural, singular, words
from compoworld_synth.operations import Phrase

if TYPE_CHECKING:
    from compoworld_synth.listing import Rest

_VERSION = re.compile(r"v[0-9]+([a-z]+[0-9]*)?|api|rest")


_POLICIES = {"getIamPolicy": "get", "setIamPolicy": "update"}
"""Verbs behind a colon that read and write a part of what the path names."""


def phrase_of(rest: Rest) -> Phrase | None:
    """The phrase of a method on a path; None where the source groups nothing by paths.

    An action that the path names has no verb, unless it is one of a state machine.

    >>> from compoworld_synth.listing import Rest
    >>> phrase_of(Rest("GET", "/v1/users/{userId}/drafts/{id}")).noun
    ('draft',)
    """
    parts = [part for part in re.split(r"[/:]", rest.path) if part]
    parts = [part for part in parts if not _VERSION.fullmatch(part)]
    literal = [part for part in parts if "{" not in part]
    if not literal:
        return None
    undecided = Phrase(noun=words(literal[-1])) if rest.resource else None
    if parts[-1] in _POLICIES and "{" in parts[-2] and len(literal) > 1:
        verb = _POLICIES[parts[-1]]
        owner = tuple(singular(word) for word in words(literal[-2]))
        return Phrase(verb, verb, (*owner, "iam", "policy"))
    acts = rest.method == "POST" and parts[-1] in TRANSITIONS and len(literal) > 1
    if acts and "{" in parts[-2]:
        noun = tuple(singular(word) for word in words(literal[-2]))
        return Phrase(parts[-1], "transition", noun)
    if ":" in rest.path:
        return undecided
    if _acts(words(parts[-1])):
        return undecided
    on_item = "{" in parts[-1]
    noun = tuple(singular(word) for word in words(literal[-1]))
    collection = is_plural(literal[-1].split("-")[-1].split("_")[-1]) or is_plural(
        (words(literal[-1]) or ("",))[-1]
    )
    group = _group(rest, on_item=on_item, collection=collection)
    if not noun or group is None:
        return undecided
    return Phrase(group, group, noun, plural=group == "list")


def _acts(spoken: tuple[str, ...]) -> bool:
    """Whether the last part is a deed, no thing: `modifyLabels`, `quickAdd`."""
    strong = (frozenset(VERBS) | COMPUTING) - NOT_FIRST
    return len(spoken) > 1 and spoken[0] in strong and spoken[1] not in PREPOSITIONS


def _group(rest: Rest, *, on_item: bool, collection: bool) -> str | None:
    """Class of the method; an action has none."""
    if on_item:
        return {"GET": "get", "PUT": "update", "PATCH": "update", "DELETE": "delete"}.get(
            rest.method
        )
    named = words(rest.operation)[-1:] if rest.operation else ()
    if not collection and named == ("list",) and rest.response_lists:
        return "list" if rest.method == "GET" else None
    if not collection and named in (("insert",), ("create",)) and rest.method == "POST":
        return "create"
    if not collection:
        # one thing below what the path names: settings of a user, a profile
        return {"GET": "get", "PUT": "update", "PATCH": "update"}.get(rest.method)
    listed = bool(rest.response_lists) or rest.response is None
    if rest.method == "GET":
        return "list" if listed else None
    return "create" if rest.method == "POST" else None


def key_of(rest: Rest) -> str | None:
    """The argument of the path's last variable, where the path ends in one."""
    tail = re.split(r"[/:]", rest.path.rstrip("/"))
    acts = rest.method == "POST" and len(tail) > 1 and tail[-1] in TRANSITIONS
    ends = tail[-2].endswith("}") if acts else tail[-1].endswith("}")
    return rest.path_parameters[-1] if ends and rest.path_parameters else None
