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
        " player author"
        " assignee owner teacher student requester recipient",
        "company": "company organization vendor supplier",
        "money": "invoice payment transaction order expense charge refund bill quote payout",
        "file": "file attachment document image asset photo video upload folder",
        "message": "message comment note reply email review",
        "event": "event meeting appointment interview booking",
        "work": "task issue ticket story epic bug milestone sprint",
    }
)
_FIELDS: Final[dict[str, tuple[tuple[str, FieldType, str], ...]]] = {
    "person": (("name", "str", "person"), ("email", "str", "email")),
    "company": (("name", "str", "company"), ("website", "str", "url")),
    "money": (("amount", "float", "money"), ("currency", "str", "currency")),
    "file": (("name", "str", "file_name"), ("url", "str", "url")),
    "message": (("text", "str", "text"),),
    "event": (("title", "str", "title"), ("starts_at", "datetime", "datetime")),
    "work": (("title", "str", "title"), ("status", "str", "status")),
    "": (("name", "str", "title"),),
}
_SAME: Final = {"name": {"title", "first_name", "full_name"}, "title": {"name", "subject"}}


def archetype_of(noun: Sequence[str]) -> str:
    """What kind of thing a noun is: `("support", "ticket")` → work; empty if unknown."""
    return _NOUNS.get(singular(noun[-1]), "") if noun else ""


def invented_fields(archetype: str, known: Collection[str]) -> tuple[FieldDesign, ...]:
    """The archetype's fields that are not known yet."""
    return tuple(
        FieldDesign(name, name, kind, semantic=semantic, invented=True, source="archetype")
        for name, kind, semantic in _FIELDS[archetype]
        if name not in known and not (_SAME.get(name, set()) & set(known))
    )
