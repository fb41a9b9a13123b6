"""Bugs in what a call writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import ValidationError

from compoworld_core.state import Entity, State
from compoworld_core.table import Key, Table
from compoworld_validator.mutation.mutant import Bug, Operator, in_deletes, in_writes

Changed = tuple[Table[Any], Key, Entity, Entity]
"""(table, id, before, after) of a row that a call updated."""


def _dropped(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """The result is right and nothing is kept."""
    return bug.run(state.fork(), arguments)


def _lost_field(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """One of the fields that change stays as it was."""
    result, updated = _run(bug, state, arguments)
    for table, key, before, after in updated:
        for name in _changed_fields(before, after)[-1:]:
            _put(table, key, {name: getattr(before, name)})
    return result


def _wrong_field(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """A text lands in another text field."""
    result, updated = _run(bug, state, arguments)
    for table, key, before, after in updated:
        for name in _changed_fields(before, after):
            value = getattr(after, name)
            others = [
                each
                for each, held in after.__dict__.items()
                if each not in (name, "id") and type(held) is type(value)
            ]
            if others and _put(table, key, {name: getattr(before, name), others[0]: value}):
                break
    return result


def _wrong_row(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """The neighbour is updated instead."""
    result, updated = _run(bug, state, arguments)
    for table, key, before, after in updated:
        other = _neighbour(table, key)
        fields = {name: getattr(after, name) for name in _changed_fields(before, after)}
        if other is not None and _put(table, other, fields):
            table.replace(before)
    return result


def _collateral(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """The neighbour is updated too."""
    result, updated = _run(bug, state, arguments)
    for table, key, before, after in updated:
        other = _neighbour(table, key)
        if other is not None:
            fields = {name: getattr(after, name) for name in _changed_fields(before, after)}
            _put(table, other, fields)
    return result


def _clears_others(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """A partial update sets a field that was not given to its default."""
    result, updated = _run(bug, state, arguments)
    for table, key, before, after in updated:
        changed = _changed_fields(before, after)
        for name, info in type(after).model_fields.items():
            default = info.get_default(call_default_factory=False)
            if info.is_required() or name in changed or getattr(after, name) == default:
                continue
            if _put(table, key, {name: default}):
                break
    return result


def _delete_keeps(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """What was deleted is still there."""
    before = state.fork()
    result = bug.run(state, arguments)
    for name, _, old, new in list(before.changes(state)):
        if new is None and old is not None:
            state.table(name).insert(old)
    return result


def _deletes_more(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """The first row that is left goes too."""
    before = state.fork()
    result = bug.run(state, arguments)
    for name, _, _, new in list(before.changes(state)):
        table = state.table(name)
        if new is None and table:
            table.delete(table.keys()[0])
    return result


def _duplicate(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """What is created is created twice."""
    before = state.fork()
    result = bug.run(state, arguments)
    for name, key, old, new in list(before.changes(state)):
        if old is None and new is not None:
            twin = f"{key}2" if isinstance(key, str) else key + 1_000_000
            try:
                row = type(new).model_validate({**new.__dict__, "id": twin})
            except ValidationError:  # the form of its ids allows no other: no bug here
                continue
            if twin not in state.table(name):
                state.table(name).insert(row)
    return result


def _forgets(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """A field of what is created has its default instead of the value."""
    before = state.fork()
    result = bug.run(state, arguments)
    for name, key, old, new in list(before.changes(state)):
        if old is None and new is not None:
            _forget_one(state.table(name), key, new)
    return result


def _forget_one(table: Table[Any], key: Key, row: Entity) -> None:
    for name, info in type(row).model_fields.items():
        default = info.get_default(call_default_factory=False)
        given = not info.is_required() and getattr(row, name) != default
        if given and _put(table, key, {name: default}):
            return


def _stale_echo(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """The write is right and the row is shown as it was before."""
    result, updated = _run(bug, state, arguments)
    for _, key, before, after in updated:
        if isinstance(result, Entity) and result.id == key and type(before) is type(result):
            return before
        del after
    return result


def _run(bug: Bug, state: State, arguments: dict[str, Any]) -> tuple[Any, list[Changed]]:
    """The healthy call, and the rows that it updated."""
    before = state.fork()
    result = bug.run(state, arguments)
    return result, list(_updated(before, state))


def _updated(before: State, after: State) -> Iterator[Changed]:
    for name, key, old, new in before.changes(after):
        if old is not None and new is not None:
            yield after.table(name), key, old, new


def _changed_fields(before: Entity, after: Entity) -> list[str]:
    return [n for n in type(after).model_fields if getattr(before, n) != getattr(after, n)]


def _neighbour(table: Table[Any], key: Key) -> Key | None:
    return next((other for other in table.keys() if other != key), None)  # noqa: SIM118  # a method of tables


def _put(table: Table[Any], key: Key, fields: dict[str, Any]) -> bool:
    """Update a row where its type allows it."""
    try:
        table.update(key, **fields)
    except (ValidationError, ValueError):  # this row takes no such bug; the driver will tell
        return False
    return True


WRITING: Final = tuple(
    Operator(name, in_deletes if name.startswith("delete_") else in_writes, deed)
    for name, deed in {
        "dropped_write": _dropped,
        "lost_field": _lost_field,
        "wrong_field": _wrong_field,
        "wrong_row": _wrong_row,
        "collateral_write": _collateral,
        "partial_update_clears": _clears_others,
        "delete_that_keeps": _delete_keeps,
        "delete_of_more": _deletes_more,
        "duplicate_create": _duplicate,
        "forgotten_field": _forgets,
        "stale_echo": _stale_echo,
    }.items()
)
