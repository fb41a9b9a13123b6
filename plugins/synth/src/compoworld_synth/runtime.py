"""Runtime: what emitted services call, so that their functions show what is particular."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, TypeVar

from compoworld_core import Context, Entity, Table, ToolError
from compoworld_core.resources import require, search
from compoworld_core.service import Original
from compoworld_core.types import freeze

E = TypeVar("E", bound=Entity)

__all__ = [
    "at", "cycle", "filtered", "found", "given", "hub_key", "insert", "key", "known",
    "originals", "page", "patched", "pick", "require", "share",
]  # fmt: skip

_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "eq": lambda held, asked: bool(held == asked),
    "ne": lambda held, asked: bool(held != asked),
    "in": lambda held, asked: held in asked,
    "not_in": lambda held, asked: held not in asked,
    "ge": lambda held, asked: bool(held >= asked),
    "gt": lambda held, asked: bool(held > asked),
    "le": lambda held, asked: bool(held <= asked),
    "lt": lambda held, asked: bool(held < asked),
    "contains": lambda held, asked: str(asked).casefold() in str(held).casefold(),
}


def originals(path: Path) -> dict[str, Original]:
    """The tools of `schemas.json` as their server states them, by name."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: Original(each["description"], each["input_schema"], _check(each["input_schema"]))
        for name, each in data.items()
    }


def _check(schema: dict[str, Any]) -> Callable[[Any], list[tuple[str, str]]]:
    """A check against a schema, compiled when it is first needed."""
    compiled: list[Any] = []

    def check(instance: Any) -> list[tuple[str, str]]:
        if not compiled:
            import jsonschema_rs

            compiled.append(jsonschema_rs.validator_for(schema))
        return [
            (".".join(map(str, error.instance_path)), error.message[:400])
            for error in compiled[0].iter_errors(instance)
        ]

    return check


def at(value: Any, *path: str) -> Any:
    """What a nested argument holds; None where it is absent."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def given(**fields: Any) -> dict[str, Any]:
    """The fields that the caller gave; null is absent. Containers are frozen."""
    return {name: freeze(value) for name, value in fields.items() if value is not None}


def known(table: Table[E], key: Any, noun: str) -> None:
    """ToolError(not_found) unless an optional reference names a row."""
    for each in key if isinstance(key, list | tuple) else (key,):
        if each is not None:
            require(table, each, noun)


def insert(table: Table[E], row: E) -> E:
    """Add a row; ToolError(conflict) where its key is taken."""
    if row.id in table:
        raise ToolError("conflict", f"{str(row.id)[:80]!r} exists already")
    return table.insert(row)


def patched(table: Table[E], key: Any, noun: str, changes: dict[str, Any]) -> E:
    """The row with these fields changed; not_found where there is none."""
    row = require(table, key, noun)
    return table.update(row.id, **changes) if changes else row


def filtered(rows: Iterable[E], *conditions: tuple[str, str, Any]) -> list[E]:
    """The rows that satisfy every (field, comparison, value) whose value is given."""
    asked = [c for c in conditions if c[2] is not None and c[2] != []]
    return [row for row in rows if all(_holds(row, *condition) for condition in asked)]


def _holds(row: Entity, field: str, comparison: str, value: Any) -> bool:
    held = getattr(row, field)
    if held is None:
        return comparison in ("ne", "not_in")
    if comparison in ("eq", "contains") and isinstance(held, tuple):
        wanted = value if isinstance(value, list | tuple) else [value]
        return all(item in held for item in wanted)
    if comparison == "eq" and isinstance(value, list | tuple):
        return held in value
    try:
        return _COMPARE[comparison](held, value)
    except TypeError:
        return False


def found(rows: Iterable[E], query: str | None, fields: tuple[str, ...]) -> list[E]:
    """The rows that contain every word of the query."""
    return search(rows, query or "", fields)


def page(
    rows: Sequence[E],
    name: str,
    *,
    limit: Any = None,
    cursor: Any = None,
    offset: Any = None,
    number: Any = None,
) -> dict[str, Any]:
    """Some of the rows under the name of their kind, with the total and the next cursor."""
    size = 50 if limit is None else _number(limit, "page size")
    start = 0 if offset is None else _number(offset, "offset")
    if cursor is not None:
        if not str(cursor).removeprefix("c").isdecimal():
            raise ToolError(
                "invalid_argument", f"cursor {str(cursor)[:40]!r} is not from a page"
            )
        start = int(str(cursor).removeprefix("c"))
    elif number is not None:
        start = max(0, _number(number, "page") - 1) * size
    if size < 1 or start < 0:
        raise ToolError("invalid_argument", "page sizes count from 1, offsets from 0")
    end = start + size
    more = f"c{end}" if end < len(rows) else None
    return {
        name: [row.model_dump(mode="json") for row in rows[start:end]],
        "total": len(rows),
        "next_cursor": more,
    }


def _number(value: Any, what: str) -> int:
    """A whole number, also as text; ToolError(invalid_argument) otherwise."""
    try:
        return int(value)
    except (TypeError, ValueError):
        why = f"{what} {str(value)[:40]!r} is not a number"
        raise ToolError("invalid_argument", why) from None


# -- keys and seeds ----------------------------------------------------------------------------


def key(ctx: Context, form: str, noun: str) -> Any:
    """A fresh key of a form (`compoworld_synth.design.IdForm`)."""
    if form == "number":
        return ctx.next_number(noun, 101)
    if form == "digits":
        return str(ctx.next_number(noun, 100001))
    if form == "code":
        return f"{noun[:3].upper()}-{ctx.next_number(noun, 101)}"
    if form in ("uuid", "hex32", "hex24"):
        text = ctx.new_id("", length=24 if form == "hex24" else 32, alphabet="0123456789abcdef")
        parts = (text[:8], text[8:12], "4" + text[13:16], "a" + text[17:20], text[20:])
        return "-".join(parts) if form == "uuid" else text
    if form == "natural":
        return f"{noun.replace('_', '-')}-{ctx.next_number(noun)}"
    return ctx.new_id(f"{noun[:3]}_", length=12)


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


def cycle(n: int, values: Sequence[Any]) -> Any:
    """Values in turn, so that each occurs and no two fields go together."""
    return values[(n + n // max(1, len(values))) % len(values)]
