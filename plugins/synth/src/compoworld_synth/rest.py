"""REST: what method and path say, where a source has them; names are then not asked.

GET on `…/{x}` gets, on a collection lists; POST on a collection creates; PUT replaces, PATCH
merges, DELETE deletes. POST on `…/{x}/verb` is an action, which the rules leave alone.
"""

from __future__ import annotations

import re
from itertools import pairwise
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
    short = [n for n, part in enumerate(parts) if len(part) < 3]
    if rest.resource and short:  # `/b`: an abbreviation of what it calls buckets
        parts[short[-1]] = rest.resource[-1]
    literal = [part for part in parts if "{" not in part]
    if not literal:
        return None
    undecided = Phrase(noun=words(literal[-1])) if rest.resource else None
    if literal[-1] == "iam" and len(literal) > 1:  # a policy of its own below a record
        owner = tuple(singular(word) for word in words(literal[-2]))
        verb = {"GET": "get", "PUT": "update"}.get(rest.method, "")
        return Phrase(verb, verb, (*owner, "iam", "policy")) if verb else undecided
    if parts[-1] in _POLICIES and "{" in parts[-2] and len(literal) > 1:
        verb = _POLICIES[parts[-1]]
        owner = tuple(singular(word) for word in words(literal[-2]))
        return Phrase(verb, verb, (*owner, "iam", "policy"))
    asks = parts[-1] == "testIamPermissions" or parts[-2:] == ["iam", "testPermissions"]
    if asks and len(literal) > 1:
        whole = next(part for part in reversed(literal[:-1]) if part != "iam")
        return Phrase("test", "permissions", tuple(singular(word) for word in words(whole)))
    verb = _verb(parts[-1])
    if rest.method == "POST" and verb and len(literal) > 1 and "{" in parts[-2]:
        noun = tuple(singular(word) for word in words(literal[-2]))
        return Phrase(verb, "copy" if verb == "copy" else "transition", noun)
    if ":" in rest.path:
        return undecided
    collected = rest.resource and parts[-1] == rest.resource[-1]
    if "{" not in parts[-1] and not collected and _acts(words(parts[-1])):
        return undecided
    on_item = "{" in parts[-1] or _by_query(rest)
    noun = tuple(singular(word) for word in words(literal[-1]))
    collection = is_plural(literal[-1].split("-")[-1].split("_")[-1]) or is_plural(
        (words(literal[-1]) or ("",))[-1]
    )
    group = _group(rest, on_item=on_item, collection=collection)
    if not noun or group is None:
        return undecided
    return Phrase(group, group, noun, plural=group == "list")


def _verb(part: str) -> str:
    """`copy`, or the verb of a state machine that a path ends in: `pauseMigration`."""
    first = (words(part) or ("",))[0]
    if part == "copy" or part in TRANSITIONS:
        return part
    return first if first in ("pause", "resume", "cancel", "finalize") else ""


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
    listed = bool(rest.response_lists) or not rest.answers
    if rest.method == "GET":
        return "list" if listed else None
    return "create" if rest.method == "POST" else None


def _by_query(rest: Rest) -> bool:
    """`DELETE /captions?id=…`, `PUT /captions` with an id in the body: no variable."""
    if rest.method not in ("DELETE", "PUT", "PATCH") or rest.path.rstrip("/").endswith("}"):
        return False
    inside = (rest.body or {}).get("properties", {})
    if ":" in rest.path or rest.path_parameters:
        return False
    return "id" in (rest.query_parameters if rest.method == "DELETE" else inside)


def option(rest: Rest, name: str, path: tuple[str, ...]) -> bool:
    """Whether an argument is an option of the call: in the query, beside a body of values."""
    held = rest.body is not None or rest.method in ("GET", "DELETE")
    return held and len(path) == 1 and name in rest.query_parameters


def segment(rest: Rest, name: str) -> str:
    """The literal part of the path before a variable; empty where none is."""
    parts = [part for part in re.split(r"[/:]", rest.path) if part]
    for before, part in pairwise(parts):
        if part.strip("{}+") == name and "{" not in before:
            return "" if _VERSION.fullmatch(before) else before
    return ""


def key_of(rest: Rest) -> str | None:
    """The argument of the path's last variable, where the path ends in one."""
    if _by_query(rest):
        return "id"
    tail = re.split(r"[/:]", rest.path.rstrip("/"))
    acts = rest.method == "POST" and len(tail) > 1 and bool(_verb(tail[-1]))
    acts = acts or tail[-1] == "testIamPermissions"
    ends = tail[-2].endswith("}") if acts else tail[-1].endswith("}")
    return rest.path_parameters[-1] if ends and rest.path_parameters else None
