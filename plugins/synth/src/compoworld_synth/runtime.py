"""Runtime: what emitted services call, so that their functions show what is particular."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from compoworld_core import Entity, Table, ToolError
from compoworld_core.resources import require as require
from compoworld_core.resources import search
from compoworld_core.service import Original
from compoworld_core.types import freeze
from compoworld_synth.filters import EVERYTHING
from compoworld_synth.sowing import below as below
from compoworld_synth.sowing import couples as couples
from compoworld_synth.sowing import cycle as cycle
from compoworld_synth.sowing import hub_key as hub_key
from compoworld_synth.sowing import iso as iso
from compoworld_synth.sowing import key as key
from compoworld_synth.sowing import parent as parent
from compoworld_synth.sowing import pick as pick
from compoworld_synth.sowing import pick_like as pick_like
from compoworld_synth.sowing import share as share

E = TypeVar("E", bound=Entity)

_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "eq": lambda held, asked: bool(held == asked),
    "ne": lambda held, asked: bool(held != asked),
    "in": lambda held, asked: held in asked,
    "ge": lambda held, asked: bool(held >= asked),
    "gt": lambda held, asked: bool(held > asked),
    "le": lambda held, asked: bool(held <= asked),
    "lt": lambda held, asked: bool(held < asked),
    "contains": lambda held, asked: str(asked).casefold() in str(held).casefold(),
    "below": lambda held, asked: str(held).startswith(f"{asked}/"),
    "prefix": lambda held, asked: str(held).startswith(str(asked)),
}


def originals(path: Path) -> dict[str, Original]:
    """The tools of `schemas.json` as their server states them, by name."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: Original(
            each["description"],
            each["input_schema"],
            _check(each["input_schema"]),
            each.get("method", ""),
        )
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


def needed(value: Any, name: str) -> Any:
    """The value; ToolError(invalid_argument) where the call left it out."""
    if value is None or value == []:
        raise ToolError("invalid_argument", f"{name} is needed: give it")
    return value


def text(value: Any) -> Any:
    """A number that names a text key, as text: 104.0 → "104"; lists item by item."""
    if isinstance(value, list | tuple):
        return [text(each) for each in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return str(int(value)) if value == int(value) else str(value)


def whole(value: Any) -> Any:
    """A text of digits that names a number key, as a number."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def either(table: Table[E], key: Any, field: str, value: Any, noun: str) -> Any:
    """The key that was given, or that of the row whose field has the value, or None."""
    if key is not None or value is None:
        return key
    return first(filtered(table, (field, "eq", value)), f"{noun} {str(value)[:60]!r}").id


def within(row: E, noun: str, **scope: Any) -> E:
    """The row; not_found where it is not in the parent that the call names."""
    for name, wanted in scope.items():
        held = getattr(row, name)
        if wanted is not None and held is not None and held != wanted:
            raise ToolError("not_found", f"no {noun} {str(row.id)[:80]!r} in {wanted!r}")
    return row


def several(value: Any) -> Any:
    """The values of a text with commas between them; None where there is none."""
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",") if part.strip()] or None


def some(value: Any) -> Any:
    """The value of a filter; None where it asks for all: `all`, `any`, `*`."""
    return None if isinstance(value, str) and value.casefold() in EVERYTHING else value


def refuse(value: Any, name: str) -> None:
    """ToolError(invalid_argument) for a filter in a language that is not understood here."""
    if value not in (None, "", [], {}):
        raise ToolError("invalid_argument", f"{name} is not understood here: leave it out")


def preview(name: str, verb: str) -> dict[str, Any]:
    """What a call answers that is not confirmed: nothing was changed."""
    return {"executed": False, "action": verb, "next": f"call again with {name}=true"}


def no_action(name: str, value: Any) -> ToolError:
    """The error of an action that the tool does not have."""
    return ToolError("invalid_argument", f"{name} {str(value)[:60]!r} is none of its actions")


def every(table: Table[E], keys: Iterable[Any], noun: str) -> list[E]:
    """The rows of all these keys, each once; not_found where one is missing."""
    return [require(table, each, noun) for each in dict.fromkeys(keys)]


def present(table: Table[E], keys: Iterable[Any], noun: str) -> list[E]:
    """The rows of those of these keys that are there, each once."""
    return [table[each] for each in dict.fromkeys(keys) if each in table]


def replaced(**fields: Any) -> dict[str, Any]:
    """All these fields, the absent ones emptied: an update after the manner of PUT."""
    return {name: freeze(value) for name, value in fields.items()}


def masked(written: dict[str, Any], mask: Any, fields: dict[str, str]) -> dict[str, Any]:
    """What an update writes of the fields that its mask names; all of it without a mask.

    Args:
        written: attribute → value, as the call gives them.
        mask: names of fields, a list or a text with commas; `*` is all of them. A name that is
            given no value empties the field.
        fields: spelling without signs → attribute.
    """
    names = mask.split(",") if isinstance(mask, str) else list(mask or ())
    if not names or "*" in names:
        return written
    asked = [re.sub(r"[^a-z0-9]", "", str(name).split(".")[0].lower()) for name in names]
    kept = [fields[name] for name in asked if name in fields]
    if not kept:
        some = ", ".join(list(fields.values())[:12])
        raise ToolError("invalid_argument", f"the mask names no field; there are {some}")
    return {name: written.get(name) for name in kept}


def again(table: Table[E], field: str, token: Any) -> E | None:
    """The record that an earlier call with the same token has made."""
    if token is None:
        return None
    return next(iter(table.where(**{field: token})), None)


def opened(
    bag: Any, known: dict[str, str], name: str, rest: str | None = None
) -> dict[str, Any]:
    """The fields that an object argument gives.

    Args:
        bag: the argument, or None.
        known: field as the server spells it → attribute.
        name: what the argument is called.
        rest: the attribute that keeps keys which are no fields; without one they are refused.
    """
    fields: dict[str, Any] = {}
    kept = {key: value for key, value in (bag or {}).items() if key not in known}
    if kept and rest is None:
        some = ", ".join(list(known)[:12])
        raise ToolError("invalid_argument", f"{name} takes {some}; not {min(kept)[:40]!r}")
    for field, value in (bag or {}).items():
        if field in known and value is not None:
            fields[known[field]] = freeze(value)
    return {**fields, rest: freeze(kept)} if kept and rest is not None else fields


def first(rows: Sequence[E], noun: str) -> E:
    """The first row; not_found where there is none."""
    if not rows:
        raise ToolError("not_found", f"no such {noun}")
    return rows[0]


def among(rows: Sequence[E], key: Any, noun: str) -> E:
    """The row of this key among some; not_found where it is not there."""
    return first([row for row in rows if row.id == key], f"{noun} {str(key)[:80]!r}")


def like(row: E, changes: dict[str, Any]) -> E:
    """A record of the same kind with these fields changed, checked like a new one."""
    held = {name: getattr(row, name) for name in type(row).model_fields}
    return type(row)(**{**held, **changes})


def cascade(
    state: Any, table: str, key: Any, parts: dict[str, tuple[tuple[str, str], ...]]
) -> None:
    """Remove what is part of a record that went: `parts` says table → (table, field) of it."""
    for name, field in parts.get(table, ()):
        rows: Table[Any] = getattr(state, name)
        for row in rows.where(**{field: key}):
            if row.id in rows:
                rows.delete(row.id)
                cascade(state, name, row.id, parts)


def put(table: Table[E], row: E, changes: dict[str, Any]) -> E:
    """A part of another record with these fields changed; kept from now on."""
    if row.id not in table:
        table.insert(row)
    return table.update(row.id, **changes) if changes else row


def only(table: Table[E], noun: str) -> E:
    """The one row of a table; not_found where there is none."""
    row = next(iter(table), None)
    if row is None:
        raise ToolError("not_found", f"there is no {noun}")
    return row


def own(table: Table[E], actor: str, noun: str) -> E:
    """The row of the caller's account: by email address, else the first."""
    mine = (row for row in table if getattr(row, "email", None) == actor)
    return next(mine, None) or only(table, noun)


def join(table: Table[E], row: E) -> E:
    """A pair of records that are joined; they may be already."""
    return table.get(row.id) or table.insert(row)


def members(pairs: Iterable[Entity], field: str, table: Table[E]) -> list[E]:
    """The rows that one field of the pairs names."""
    keys = [getattr(pair, field) for pair in pairs]
    return [table[each] for each in keys if each in table]


def filtered(rows: Iterable[E], *conditions: tuple[str, str, Any]) -> list[E]:
    """The rows that satisfy every (field, comparison, value) whose value is given."""
    asked = [c for c in conditions if c[2] is not None and c[2] != []]
    return [row for row in rows if all(_holds(row, *condition) for condition in asked)]


def _holds(row: Entity, field: str, comparison: str, value: Any) -> bool:
    held = getattr(row, field)
    if held is None:
        return comparison == "ne"
    if comparison in ("eq", "contains") and isinstance(held, tuple):
        wanted = value if isinstance(value, list | tuple) else [value]
        return all(item in held for item in wanted)
    if comparison == "in" and isinstance(held, tuple):
        return any(item in value for item in held)
    if comparison == "eq" and isinstance(value, list | tuple):
        return held in value
    if comparison == "le" and isinstance(held, str) and held.startswith(f"{value}T"):
        return True  # the last day of a period counts
    try:
        return _COMPARE[comparison](held, value)
    except TypeError:
        return False


def found(rows: Iterable[E], query: str | None, fields: tuple[str, ...]) -> list[E]:
    """The rows that contain every word of the query."""
    return search(rows, query or "", fields)


_WAY: Final = re.compile(r"[\s:_.\[-]*(asc|desc|ascending|descending)\]?$", re.IGNORECASE)


def ordered(
    rows: Sequence[E], by: Any, way: Any, fields: dict[str, str], *, rising: bool = False
) -> list[E]:
    """The rows sorted by a field, rows without a value last.

    Args:
        by: `name`, `-name`, `name:desc`, `name asc`; none: the order of creation.
        way: `asc` or `desc`, or a bool: whether it falls (rises, where `rising`).
        fields: spelling without signs → attribute.
    """
    if by is None and way is None:
        return list(rows)
    asked, way = _asked(by, way)
    found_ = _WAY.search(asked)
    plain = re.sub(r"[^a-z0-9]", "", (asked[: found_.start()] if found_ else asked).lower())
    falls = asked.startswith("-") or (found_ is not None and found_[1].lower()[0] == "d")
    if isinstance(way, bool):
        falls = way != rising
    elif way is not None:
        falls = str(way).lower().startswith(("desc", "-", "newest", "reverse"))
    if not plain:
        return list(reversed(rows)) if falls else list(rows)
    names = (plain, f"{plain}at", plain.removesuffix("date") + "at", f"{plain}date")
    name = next((fields[each] for each in names if each in fields), None)
    if name is None:
        some = ", ".join(sorted(fields.values())[:12])
        raise ToolError("invalid_argument", f"cannot sort by {asked[:40]!r}; it has {some}")
    held = [row for row in rows if getattr(row, name) is not None]
    held.sort(key=lambda row: getattr(row, name), reverse=falls)
    return held + [row for row in rows if getattr(row, name) is None]


def _asked(by: Any, way: Any) -> tuple[str, Any]:
    """Field and direction of a sort argument: text, an object of the two, a list of such."""
    if isinstance(by, list | tuple):
        by = by[0] if by else None
    if isinstance(by, dict):
        named = [v for k, v in by.items() if str(k).lower() in _FIELD_WORDS]
        ways = [v for k, v in by.items() if str(k).lower() in _WAY_WORDS]
        if named:
            return str(named[0]), ways[0] if ways else way
        return next(((str(k), v) for k, v in by.items()), ("", way))
    if isinstance(way, list | tuple):
        way = way[0] if way else None
    return str(by or "").strip(), way


_FIELD_WORDS: Final = (
    "field",
    "by",
    "name",
    "key",
    "property",
    "sortby",
    "column",
    "attribute",
)
_WAY_WORDS: Final = ("direction", "order", "dir", "sortorder", "way")


def page(
    rows: Sequence[E],
    name: str,
    *,
    limit: Any = None,
    cursor: Any = None,
    before: Any = None,
    offset: Any = None,
    number: Any = None,
    onward: str = "next_cursor",
    stated: bool = False,
) -> dict[str, Any]:
    """Some of the rows under the name of their kind, with the total and the next cursor.

    A cursor is what an earlier page gave, or the key of the row after (before) which to go on.
    Where the server states its results, what is empty is left out.
    """
    size = 50 if limit is None else _number(limit, "page size")
    start = 0 if offset is None else _number(offset, "offset")
    if cursor is not None:
        start = _place(rows, cursor, 1)
    elif before is not None:
        start = max(0, _place(rows, before, 0) - size)
    elif number is not None:
        start = max(0, _number(number, "page") - 1) * size
    if size < 1 or start < 0:
        raise ToolError("invalid_argument", "page sizes count from 1, offsets from 0")
    end = start + size
    more = f"c{end}" if end < len(rows) else None
    shown_rows = [row.model_dump(mode="json", exclude_none=stated) for row in rows[start:end]]
    found_page = {name: shown_rows, "total": len(rows), onward: more}
    if stated:
        found_page = {key: value for key, value in found_page.items() if value is not None}
    return found_page


def shown(row: Entity) -> dict[str, Any]:
    """A record as a server shows it that states its results: what is empty is left out."""
    return row.model_dump(mode="json", exclude_none=True)


def _place(rows: Sequence[E], cursor: Any, after: int) -> int:
    """The index that a cursor stands for; ToolError where it is neither place nor key."""
    for index, row in enumerate(rows):
        if row.id == cursor:
            return index + after
    if not str(cursor).removeprefix("c").isdecimal():
        raise ToolError("invalid_argument", f"cursor {str(cursor)[:40]!r} is not from a page")
    return int(str(cursor).removeprefix("c"))


def _number(value: Any, what: str) -> int:
    """A whole number, also as text; ToolError(invalid_argument) otherwise."""
    try:
        return int(value)
    except (TypeError, ValueError):
        why = f"{what} {str(value)[:40]!r} is not a number"
        raise ToolError("invalid_argument", why) from None
