"""Sowing: keys of new records and what emitted seeds draw; called by way of `runtime`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, TypeVar

from compoworld_core import Context, Entity, Table

E = TypeVar("E", bound=Entity)


def iso(moment: datetime, kind: str = "datetime") -> str:
    """A moment as text, or its day: what servers give whose times are texts."""
    return moment.date().isoformat() if kind == "date" else moment.isoformat()


def key(ctx: Context, form: str, noun: str) -> Any:
    """A fresh key of a form (`compoworld_synth.design.IdForm`)."""
    if form == "number":
        return ctx.next_number(noun, _first(noun))
    if form == "digits":
        return str(ctx.next_number(noun, 100_000 + _first(noun)))
    if form == "code":
        return f"{noun[:3].upper()}-{ctx.next_number(noun, 101)}"
    if form in ("uuid", "hex32", "hex24"):
        text = ctx.new_id("", length=24 if form == "hex24" else 32, alphabet="0123456789abcdef")
        parts = (text[:8], text[8:12], "4" + text[13:16], "a" + text[17:20], text[20:])
        return "-".join(parts) if form == "uuid" else text
    if form == "natural":
        return f"{noun.replace('_', '-')}-{ctx.next_number(noun)}"
    return ctx.new_id(f"{noun[:3]}_", length=12)


def below(above: Any, collection: str, last: Any) -> str:
    """The resource name of a record of a collection below another: `projects/p/topics/t`."""
    return f"{above}/{collection}/{last}"


def address(table: str, key: Any) -> str:
    """The address under which a record is shown to people."""
    return f"https://app.example.com/{table.replace('_', '-')}/{key}"


def _first(noun: str) -> int:
    """Where the numbers of a kind of record begin, so that kinds rarely share one."""
    return 1001 + 1000 * (int(blake2b(noun.encode(), digest_size=2).hexdigest(), 16) % 97)


def hub_key(ctx: Context, form: str, noun: str, n: int) -> Any:
    """The key of the n-th hub record: the same in every piece of one world."""
    fact = f"{ctx.cast.company.domain}:{ctx.cast.staff[0].email}:{noun}:{n}"
    digest = blake2b(fact.encode(), digest_size=16).hexdigest()
    if form == "number":
        return 100_000 + n * 1000 + int(digest[:4], 16) % 1000
    if form in ("digits", "code"):
        digits = f"{100_000 + n * 1000 + int(digest[:4], 16) % 1000}"
        return digits if form == "digits" else f"{noun[:3].upper()}-{digits}"
    if form == "uuid":
        parts = (
            digest[:8],
            digest[8:12],
            "4" + digest[13:16],
            "a" + digest[17:20],
            digest[20:],
        )
        return "-".join(parts)
    if form in ("hex24", "hex32"):
        return digest[: 24 if form == "hex24" else 32]
    return f"{noun[:3]}_{digest[:12]}"


def share(scale: int, tables: int) -> int:
    """How many rows a table gets of about `scale` in all: from 4 up."""
    return max(4, scale // max(1, tables))


def pick(table: Table[E], n: int) -> Any:
    """The key of some row, all in turn; None where the table is empty."""
    keys = table.keys()
    return keys[n % len(keys)] if keys else None


def pick_like(table: Table[E], n: int, pattern: str) -> Any:
    """The key of some row that has this pattern, all in turn; None where none has."""
    held = table.keys()
    keys = [key for key in held if re.fullmatch(pattern, str(key))]
    return keys[n % len(keys)] if keys else None


def couples(left: Table[Any], right: Table[Any]) -> list[tuple[Any, Any]]:
    """Pairs of keys to join: each record on the left with two on the right."""
    two = right.keys()
    found = [
        (key, two[(n + step) % len(two)])
        for n, key in enumerate(left.keys())
        for step in (0, 1)
        if two
    ]
    return list(dict.fromkeys(found))


def parent(table: Table[E], key: Any, field: str) -> Any:
    """The key of a row's parent, so that a record and its parent name the same one."""
    row = table.get(key)
    return None if row is None else getattr(row, field)


def cycle(n: int, values: Sequence[Any]) -> Any:
    """Values in turn, so that each occurs and no two fields go together."""
    return values[(n + n // max(1, len(values))) % len(values)]
