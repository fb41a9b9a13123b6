"""Structures: what the things consist of that a record holds several of, or one of.

Of such a part (`addresses`, `line items`) a description names nothing; everybody knows what it
holds, and a text in its place would be another thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import evolve

from compoworld_synth.design import FieldDesign, FieldType
from compoworld_synth.naming import is_plural, singular, words

_PARTS: Final[dict[str, tuple[str, ...]]] = {
    "address": ("street", "city", "postal_code", "country"),
    "line_item": ("name", "quantity", "price"),
    "dns_record": ("type", "name", "value", "ttl"),
    "attendee": ("name", "email"),
    "participant": ("name", "email"),
    "reviewer": ("name", "email"),
    "interviewer": ("name", "email"),
    "collaborator": ("name", "email"),
    "attachment": ("name", "url", "size"),
    "comment": ("text", "author", "created_at"),
    "reaction": ("emoji", "count"),
    "level": ("location", "available"),
    "fulfillment": ("status", "tracking_number", "created_at"),
    "custom_field": ("name", "value"),
    "answer": ("question", "answer"),
    "variation": ("name", "value"),
    "step": ("name", "status"),
    "stage": ("id", "name"),
    "header": ("name", "value"),
}  # fmt: skip
"""Singular of a part → its properties: the longest name that fits counts."""
_KINDS: Final[dict[str, tuple[FieldType, str | None]]] = {
    "quantity": ("int", None), "price": ("float", None), "ttl": ("int", None),
    "size": ("int", None), "count": ("int", None), "available": ("int", None),
    "email": ("str", "email"), "url": ("str", "url"), "created_at": ("str", "datetime"),
    "text": ("str", "text"), "city": ("str", None), "country": ("str", "country"),
    "author": ("str", "person"), "status": ("str", "status"),
}  # fmt: skip


def opened(item: FieldDesign) -> FieldDesign:
    """The field with what its part or parts consist of, where that is known.

    >>> from compoworld_synth.design import FieldDesign
    >>> [each.name for each in opened(FieldDesign("addresses", "addresses", "list")).parts]
    ['street', 'city', 'postal_code', 'country']
    """
    spoken = words(item.name)
    several = is_plural(spoken[-1]) and item.type == "list"
    if item.parts or item.ref is not None or not (several or spoken[-1] == "address"):
        return item
    if item.name in _OTHER:
        return item
    plain = (*spoken[:-1], singular(spoken[-1]))
    for start in range(len(plain)):
        known = _PARTS.get("_".join(plain[start:]))
        if known is not None:
            parts = tuple(_part(name, plain) for name in known)
            return evolve(item, type="json", semantic=None, parts=parts, several=several)
    return item


_OTHER: Final = frozenset({"email_address", "ip_address", "mac_address", "wallet_address"})
"""Addresses that are one text."""


def _part(name: str, of: Sequence[str]) -> FieldDesign:
    kind, semantic = _KINDS.get(name, ("str", None))
    people = name == "name" and of[-1] in ("attendee", "participant", "reviewer")
    return FieldDesign(name, name, kind, semantic="person" if people else semantic)
