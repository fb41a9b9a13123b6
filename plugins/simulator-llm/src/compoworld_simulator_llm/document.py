"""Document: a state as JSON for a patch (RFC 6902), and what a patched one changes.

Tables are objects of rows by id, settings stand beside them. Only the rows that a patch names
are dumped, so that a patch costs what it touches.
"""

from __future__ import annotations

import copy
import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import jsonpatch
import jsonpointer
from attrs import frozen

from compoworld_core.context import Context, advance
from compoworld_core.errors import SimulationError
from compoworld_core.patch import Operation, Patch
from compoworld_core.state import Ledger, State, dump

_MOST_OPERATIONS: Final = 200
"""Far more than the rows that one call may change need."""
_MOST_COPIED: Final = 100_000
"""Characters of JSON that the copies of a patch may make, as many as an answer may have."""
_OFFERED: Final = 3
"""Fresh ids of each table; a call that makes more rows of a kind must choose the others."""
_UNSAFE: Final = frozenset({"Cc", "Cf", "Cs"})
"""Control characters, invisible format characters, surrogates."""
_KEEP: Final = "\n\t\u200c\u200d"
"""Line breaks, tabs, and the joiners that scripts and emoji need."""


@frozen
class Bounds:
    """How much one prediction may change: a model that errs must not empty a service."""

    rows: int = 20
    deleted: int = 3


@frozen
class FreshIds:
    """Ids for rows that a prediction may insert, and the ledger once they are taken."""

    ids: Mapping[str, tuple[str | int, ...]]
    """Table → ids in the form of the ids that it holds."""
    ledger: Ledger


def fresh_ids(state: State, service: str, count: int = _OFFERED) -> FreshIds:
    """Draw ids from a copy of the ledger: the same state gives the same ids."""
    ledger = state.ledger.copy_out()
    context = Context(ledger, service)
    found: dict[str, tuple[str | int, ...]] = {}
    for name in state.tables():
        keys = state.table(name).keys()
        if keys and all(isinstance(key, int) for key in keys):
            most = max(int(key) for key in keys)
            found[name] = tuple(most + n for n in range(1, count + 1))
        else:
            prefix = _prefix([str(key) for key in keys]) or f"{name[:3]}_"
            found[name] = tuple(context.new_id(prefix) for _ in range(count))
    return FreshIds(found, ledger)


def _prefix(keys: Sequence[str]) -> str:
    """What all ids begin with, up to a separator: `tk_` of `tk_3f` and `tk_9a`."""
    if len(keys) < 2:
        return ""
    low, high = min(keys), max(keys)
    same = next((n for n, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), 0)
    end = max(low[:same].rfind(mark) for mark in "_-:#") + 1
    return low[:end]


def to_patch(
    state: State,
    operations: object,
    bounds: Bounds,
    fresh: FreshIds,
    *,
    read_only: bool = False,
) -> Patch:
    """What a JSON Patch means for a typed state; it is not applied.

    Raises SimulationError, with a message for the model, where the patch is malformed, names
    something outside the service's own records, or changes more than the bounds allow.
    """
    listed = _operations(operations)
    if listed and read_only:
        raise SimulationError("the tool only reads: its patch must be an empty list")
    tables = state.tables()
    settings = [n for n in type(state).model_fields if n not in tables and n != "ledger"]
    document: dict[str, Any] = {name: {} for name in tables}
    document |= state.model_dump(mode="json", include=set(settings))
    named: dict[str, dict[str, str | int]] = {name: {} for name in tables}
    for operation in listed:
        for parts in _pointers(operation):
            _check(parts, tables, settings)
            if parts[0] in tables:
                table = state.table(parts[0])
                key = _typed(parts[1], table.keys())
                named[parts[0]][parts[1]] = key
                row = dump(table.get(key))
                if row is not None:
                    document[parts[0]][parts[1]] = row
    try:
        after = _patched(document, listed)
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException) as error:
        raise SimulationError(f"the patch does not apply: {_brief(error)}") from error
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        raise SimulationError(f"the patch is malformed: {_brief(error)}") from error
    made = [*_row_changes(named, document, after, bounds)]
    for name in settings:
        if name not in after:
            raise SimulationError(f"{name} cannot be removed; replace its value")
        if after[name] != document[name]:
            made.append(Operation(op="set", table=name, row={"value": plain(after[name])}))
    if not any(each.op == "insert" for each in made):
        return Patch(operations=made)
    ledger = fresh.ledger.copy_out()
    advance(ledger)  # a patch that brings a ledger brings it as it is after the write
    return Patch(operations=made, ledger=ledger)


def _patched(document: Mapping[str, Any], operations: Sequence[dict[str, Any]]) -> Any:
    """A patched copy. One operation after the other, so that copies are measured before they
    are made: each could double what the last has made."""
    after: Any = copy.deepcopy(document)
    copied = 0
    for operation in operations:
        if operation.get("op") == "copy":
            source = jsonpointer.resolve_pointer(after, operation["from"])
            copied += len(json.dumps(source))
            if copied > _MOST_COPIED:
                raise SimulationError(f"copies may have {_MOST_COPIED} characters in all")
        after = jsonpatch.JsonPatch([operation]).apply(after, in_place=True)
    return after


def _row_changes(
    named: Mapping[str, Mapping[str, str | int]],
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    bounds: Bounds,
) -> Iterator[Operation]:
    changed = deleted = 0
    for name, keys in named.items():
        for text, key in keys.items():
            old, new = before[name].get(text), after[name].get(text)
            if old == new:
                continue
            changed += 1
            deleted += new is None
            if changed > bounds.rows:
                raise SimulationError(f"one call may change {bounds.rows} rows at most")
            if deleted > bounds.deleted:
                raise SimulationError(f"one call may delete {bounds.deleted} rows at most")
            if new is None:
                yield Operation(op="delete", table=name, id=key)
                continue
            if not isinstance(new, dict):
                raise SimulationError(f"/{name}/{text} must be an object with the row's fields")
            if new.get("id", key) != key:
                raise SimulationError(f"the row at /{name}/{text} must have that id")
            op: Literal["insert", "replace"] = "insert" if old is None else "replace"
            yield Operation(op=op, table=name, row=plain({"id": key, **new}))


def _operations(given: object) -> list[dict[str, Any]]:
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise SimulationError("patch must be a list of RFC 6902 operations")
    if len(given) > _MOST_OPERATIONS:
        raise SimulationError(f"a patch has {_MOST_OPERATIONS} operations at most")
    return given


def _pointers(operation: Mapping[str, Any]) -> Iterator[list[str]]:
    """The paths that an operation touches, in parts."""
    sources = ("from",) if operation.get("op") in ("move", "copy") else ()
    for name in ("path", *sources):
        text = operation.get(name)
        if not isinstance(text, str):
            raise SimulationError(f"each operation needs {name}, a JSON Pointer")
        try:
            yield list(jsonpointer.JsonPointer(text).parts)
        except jsonpointer.JsonPointerException as error:
            raise SimulationError(f"{name} {text[:80]!r} is no JSON Pointer") from error


def _check(parts: Sequence[str], tables: Mapping[str, Any], settings: Sequence[str]) -> None:
    known = [*tables, *settings]
    if not parts or parts[0] not in known:
        raise SimulationError(
            f"/{'/'.join(parts)[:80]} is not of this service; paths begin with one of:"
            f" {', '.join(f'/{name}' for name in known)}"
        )
    if parts[0] in tables and len(parts) < 2:
        raise SimulationError(f"/{parts[0]} is a whole table; name a row: /{parts[0]}/ID")


def _typed(text: str, keys: Sequence[str | int]) -> str | int:
    """A pointer's part as the table's keys are typed."""
    if keys and isinstance(keys[0], int):
        try:
            return int(text)
        except ValueError as error:
            raise SimulationError(f"{text[:80]!r} is no id here: ids are numbers") from error
    return text


def plain(value: Any) -> Any:
    """A JSON value whose texts hold no terminal escapes, direction marks or lone surrogates."""
    if isinstance(value, str):
        return "".join(c for c in value if c in _KEEP or unicodedata.category(c) not in _UNSAFE)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    return value


def _brief(error: object) -> str:
    """An error's text, short and in one line."""
    return " ".join(str(error).split())[:300]
