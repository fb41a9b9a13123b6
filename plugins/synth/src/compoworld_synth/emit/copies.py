"""Copies: the template of a record like another, and what says that a new one is a draft."""

from __future__ import annotations

import re
from typing import Final

from compoworld_synth.emit.models import shown_key
from compoworld_synth.emit.values import attribute, literal
from compoworld_synth.emit.writing import Writing


def copy(w: Writing) -> None:
    """A new record with the fields of another and what the call gives besides."""
    w.result, w.context = f"models.{w.record.class_name}", True
    fields = w.written()
    inner = ", ".join(f"{name}={value}" for name, value in fields)
    form, noun = literal(w.record.id_form), literal(w.record.name)
    own = shown_key(w.record)
    repeated = f", {own}=key" if own else ""
    w.body.append(f"row = {w.row()}")
    w.body.append(f"key = kit.key(ctx, {form}, {noun})")
    stamps = w.stamp("created_at", "updated_at")
    taken = {name for name, _ in fields}
    for item in w.record.fields:  # another record has its own, or none
        if (
            item.unique
            and attribute(item) not in taken
            and f" {attribute(item)}=" not in repeated
        ):
            stamps += f", {attribute(item)}=None"
    stamps += "".join(f", {name}={value}" for name, value in draft(w, taken))
    w.body.append(f"changes = {{**kit.given({inner}), **dict(id=key{repeated}{stamps})}}")
    w.body.append(f"return kit.insert({w.table}, kit.like(row, changes))")


def draft(w: Writing, taken: set[str]) -> list[tuple[str, str]]:
    """What says that a new record is a draft, where the description calls it one."""
    gist = re.split(r"\. |\n\n", w.tool.spec.description.strip())[:2]
    if not any(re.search(r"\bdrafts?\b", text) and not _NO_DRAFT.search(text) for text in gist):
        return []
    for item in w.record.fields:
        name = attribute(item)
        if name in taken or item.ref is not None:
            continue
        if item.type == "bool" and item.name in ("draft", "is_draft"):
            return [(name, "True")]
        if item.type == "str" and item.name in ("status", "state"):
            value = next((v for v in item.enum if str(v).lower() == "draft"), None)
            if value is not None or not item.enum:
                return [(name, literal(value or "draft"))]
    return []


_NO_DRAFT: Final = re.compile(r"\b(or|not|from|of|the|this|pull) drafts?\b", re.IGNORECASE)
