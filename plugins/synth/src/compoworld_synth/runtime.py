"""Runtime: what emitted services call, so that their functions show what is particular."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from compoworld_core import Entity, Table, ToolError
from compoworld_core.resources import require as require
from compoworld_core.schema import UNSET as UNSET
from compoworld_core.service import Original
from compoworld_core.types import freeze as freeze
from compoworld_synth.filters import EVERYTHING
from compoworld_synth.rows import filtered as filtered
from compoworld_synth.rows import found as found
from compoworld_synth.rows import kids as kids
from compoworld_synth.rows import laid as laid
from compoworld_synth.rows import off as off
from compoworld_synth.rows import ordered as ordered
from compoworld_synth.rows import page as page
from compoworld_synth.rows import shown as shown
from compoworld_synth.rows import unless as unless
from compoworld_synth.sowing import address as address
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


def cleared(**fields: Any) -> dict[str, Any]:
    """The fields that the caller gave, where null empties one. Containers are frozen."""
    return {name: freeze(value) for name, value in fields.items() if value is not UNSET}


def known(table: Table[E], key: Any, noun: str) -> None:
    """ToolError(not_found) unless an optional reference names a row."""
    for each in key if isinstance(key, list | tuple) else (key,):
        if each is not None and each is not UNSET:
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


def some_of(given: dict[str, Any], *, exact: bool = False) -> None:
    """ToolError(invalid_argument) unless the call gives some of these (exactly one)."""
    count = sum(value is not None and value is not UNSET for value in given.values())
    if count == 0 or (exact and count > 1):
        how = "exactly one" if exact else "at least one"
        raise ToolError("invalid_argument", f"give {how} of {', '.join(given)}")


def not_both(given: dict[str, Any]) -> None:
    """ToolError(invalid_argument) where the call gives more than one of these."""
    if sum(value not in (None, UNSET) for value in given.values()) > 1:
        raise ToolError("invalid_argument", f"give only one of {', '.join(given)}")


def at_most(value: Any, most: int, name: str) -> None:
    """ToolError(invalid_argument) for a text or list that is longer than its server takes."""
    if isinstance(value, str | list | tuple) and len(value) > most:
        what = "characters" if isinstance(value, str) else "items"
        raise ToolError("invalid_argument", f"{name} has at most {most} {what}")


def sent(value: Any) -> bool | None:
    """Whether the call gives it, null or not; None where it is left out."""
    return None if value is UNSET else True


def unique(table: Table[E], field: str, value: Any, noun: str) -> None:
    """ToolError(conflict) where a row has the value already."""
    if value is not None and any(getattr(row, field) == value for row in table):
        raise ToolError("conflict", f"a {noun} with {field} {str(value)[:60]!r} exists already")


def text(value: Any) -> Any:
    """A number that names a text key, as text: 104.0 → "104"; lists item by item."""
    if isinstance(value, list | tuple):
        return [text(each) for each in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return str(int(value)) if value == int(value) else str(value)


def whole(value: Any) -> Any:
    """A text of digits or a broken number that names a number key, as a whole number."""
    if isinstance(value, float | Decimal) and value == int(value):
        return int(value)
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def either(table: Table[E], key: Any, field: str, value: Any, noun: str) -> Any:
    """The key that was given, or that of the row whose field has the value, or None."""
    if key is not None or value is None:
        return key
    return first(filtered(table, (field, "eq", value)), f"{noun} {str(value)[:60]!r}").id


def keyed(table: Table[E], key: Any, fields: Sequence[str], noun: str) -> Any:
    """The key of the row that a key, another value of its own or its address names.

    What names none stays as it is, so that the caller refuses it; ToolError(invalid_argument)
    where several have the value.
    """
    if key is None or key is UNSET or key in table:
        return key
    asked = str(key).casefold()
    named = [
        row
        for row in table
        if any(str(getattr(row, field)).casefold() == asked for field in fields)
    ]
    if len(named) > 1:
        raise ToolError("invalid_argument", f"several {noun}s are {asked[:60]!r}: give the id")
    last = str(key).rstrip("/").rsplit("/", 1)[-1]
    return named[0].id if named else last if last in table else key


def me(table: Table[E], key: Any, actor: str, noun: str) -> Any:
    """The key, or that of the caller's own row where it is `me`."""
    return own(table, actor, noun).id if str(key).casefold() == "me" else key


def fixed(value: Any, usual: str, name: str) -> None:
    """ToolError(invalid_argument) for a form of the answer that is not given here."""
    if value is not None and str(value).casefold() != usual.casefold():
        raise ToolError("invalid_argument", f"{name} is always {usual} here: leave it out")


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


def preview(name: str, verb: str, *, go: bool = True) -> dict[str, Any]:
    """What a call answers that is not meant yet: nothing was changed."""
    again = f"call again with {name}={str(go).lower()}"
    return {"executed": False, "action": verb, "next": again}


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
