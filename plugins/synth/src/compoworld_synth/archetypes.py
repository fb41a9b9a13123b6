"""Archetypes: fields that a kind of thing always has, for entities of which little is known.

They are marked as invented, so that tasks do not build on them unless a tool shows them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from compoworld_synth.design import FieldDesign, FieldType
from compoworld_synth.lexicon import by_word
from compoworld_synth.naming import singular

_NOUNS: Final = by_word(
    {
        "person": "user contact person member customer agent employee candidate lead"
        " player author assignee owner teacher student requester recipient follower participant"
        " reviewer watcher subscriber patient guest driver attendee invitee client organizer",
        "company": "company organization organisation vendor supplier agency studio school"
        " publisher brand manufacturer",
        "money": "invoice payment transaction order expense charge refund bill quote payout"
        " donation deposit transfer dispute",
        "file": "file attachment document image asset photo video upload folder recording"
        " artifact",
        "message": "message comment note reply email review post tweet announcement feedback",
        "event": "event meeting appointment interview booking reservation shift session",
        "work": "task issue ticket story epic bug milestone sprint todo request incident",
        "label": "tag label category type role group topic language genre industry reason"
        " priority resolution unit segment department degree discipline diet classification"
        " emote club payee team stage position subject class section method pool channel style"
        " component album game indexer audience",
        "place": "country region location zone city locale timezone",
        "currency": "currency cryptocurrency",
        "project": "project workspace space board course program collection portfolio site"
        " objective goal initiative campaign cycle case budget list website module account"
        " application app notebook",
        "page": "page form template dashboard view doc script notebook flow workflow survey"
        " playlist syllabus quiz",
        "repository": "repository repo package",
        "branch": "branch",
        "commit": "commit revision changeset",
        "run": "run build job pipeline deployment step execution migration backup scan",
        "product": "product variant item variation plan offer",
        "discount": "discount coupon promotion",
        "agreement": "subscription contract membership registration enrollment submission"
        " approval leave",
        "device": "device monitor sensor camera host printer simulator",
        "server": "instance service cluster node bucket database queue endpoint registry"
        " namespace vault droplet gateway function container vm environment",
        "notification": "notification alert warning reminder",
        "extension": "extension plugin integration connector addon provider connection",
        "permission": "permission scope",
        "property": "field property column",
        "secret": "certificate",
        "deed": "workout activity route trip effort hike ride",
        "deal": "deal opportunity",
        "setting": "variable setting",
        "rule": "rule policy filter",
        "link": "link bookmark",
    }
)
_FIELDS: Final[dict[str, tuple[tuple[str, FieldType, str], ...]]] = {
    "person": (("name", "str", "person"), ("email", "str", "email")),
    "company": (("name", "str", "company"), ("website", "str", "url")),
    "money": (
        ("amount", "float", "money"), ("currency", "str", "currency"),
        ("created_at", "str", "datetime"),
    ),
    "file": (("name", "str", "file_name"), ("url", "str", "url"), ("size", "int", "")),
    "message": (("text", "str", "text"), ("created_at", "str", "datetime")),
    "event": (("title", "str", "title"), ("starts_at", "str", "datetime")),
    "work": (("title", "str", "title"), ("status", "str", "status")),
    "label": (("name", "str", "title"),),
    "place": (("name", "str", "country"), ("code", "str", "code")),
    "currency": (("name", "str", "title"), ("code", "str", "currency")),
    "project": (("name", "str", "title"), ("description", "str", "text"),
                ("created_at", "str", "datetime")),
    "page": (("title", "str", "title"), ("description", "str", "text"),
             ("updated_at", "str", "datetime")),
    "repository": (("name", "str", "title"), ("description", "str", "text"),
                   ("default_branch", "str", ""), ("url", "str", "url")),
    "branch": (("name", "str", "title"), ("commit", "str", "code")),
    "commit": (("hash", "str", "code"), ("message", "str", "text"),
               ("author", "str", "person"), ("date", "str", "datetime")),
    "run": (("name", "str", "title"), ("status", "str", "status"),
            ("started_at", "str", "datetime"), ("duration", "int", "")),
    "product": (("name", "str", "title"), ("description", "str", "text"),
                ("price", "float", "money")),
    "discount": (("code", "str", "code"), ("amount", "float", "money")),
    "agreement": (("status", "str", "status"), ("created_at", "str", "datetime")),
    "device": (("name", "str", "title"), ("status", "str", "status")),
    "server": (("name", "str", "title"), ("status", "str", "status"),
               ("created_at", "str", "datetime")),
    "notification": (("title", "str", "title"), ("text", "str", "text"),
                     ("created_at", "str", "datetime")),
    "extension": (("name", "str", "title"), ("enabled", "bool", "boolean")),
    "permission": (("name", "str", "title"), ("description", "str", "text")),
    "property": (("name", "str", "title"), ("label", "str", "title"), ("type", "str", "")),
    "secret": (("name", "str", "title"), ("created_at", "str", "datetime"),
               ("expires_at", "str", "datetime")),
    "deed": (("name", "str", "title"), ("date", "str", "datetime"), ("duration", "int", "")),
    "deal": (("name", "str", "title"), ("amount", "float", "money"),
             ("stage", "str", "status")),
    "setting": (("key", "str", "code"), ("value", "str", "")),
    "rule": (("name", "str", "title"), ("enabled", "bool", "boolean")),
    "link": (("title", "str", "title"), ("url", "str", "url")),
    "": (("name", "str", "title"),),
}  # fmt: skip
_SAME: Final = {
    "name": {"title", "first_name", "full_name", "display_name"},
    "title": {"name", "subject", "summary"},
    "text": {"body", "content", "message", "description"},
    "description": {"body", "content", "text", "summary"},
    "created_at": {"created", "date", "created_date", "created_time", "timestamp"},
}
_ENUMS: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    ("run", "status"): ("queued", "running", "success", "failed"),
    ("server", "status"): ("running", "stopped"),
    ("device", "status"): ("online", "offline"),
    ("agreement", "status"): ("active", "pending", "ended"),
    ("repository", "default_branch"): ("main",),
}


def archetype_of(noun: Sequence[str]) -> str:
    """What kind of thing a noun is: `("support", "ticket")` → work; empty if unknown."""
    return _NOUNS.get(singular(noun[-1]), "") if noun else ""


def invented_fields(archetype: str, known: Collection[str]) -> tuple[FieldDesign, ...]:
    """The archetype's fields that are not known yet."""
    return tuple(
        FieldDesign(
            name,
            name,
            kind,
            semantic=semantic or None,
            enum=_ENUMS.get((archetype, name), ()),
            invented=True,
            source="archetype",
        )
        for name, kind, semantic in _FIELDS[archetype]
        if name not in known and not (_SAME.get(name, set()) & set(known))
    )
