"""Bugs in what a call shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pydantic import BaseModel

from compoworld_core.errors import ErrorCode, ToolError
from compoworld_core.state import State
from compoworld_validator.mutation.mutant import Bug, Operator, anywhere, in_reads

_OTHER_CODE: Final[dict[str, ErrorCode]] = {"not_found": "conflict"}


def _short_page(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """The last item of a list is lost: off by one."""
    return _with_items(bug.run(state, arguments), lambda items: items[:-1])


def _no_first(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """The first item of a list is lost."""
    return _with_items(bug.run(state, arguments), lambda items: items[1:])


def _repeated(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """The last item of a list is there twice."""
    return _with_items(bug.run(state, arguments), lambda items: [*items, *items[-1:]])


def _unstable(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """Every second call has the list the other way round."""
    bug.memory["calls"] = bug.memory.get("calls", 0) + 1
    result = bug.run(state, arguments)
    if bug.memory["calls"] % 2:
        return result
    return _with_items(result, lambda items: items[::-1])


def _stale(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """A result is shown again for the same arguments, whatever was written since."""
    given = {k: v for k, v in arguments.items() if k != bug.tool.context_parameter}
    key = f"{state.ledger.key}:{given!r}"
    if key not in bug.memory:
        bug.memory[key] = bug.run(state, arguments)
    return bug.memory[key]


def _mutated_read(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """A read deletes a row, past the core's lock."""
    result = bug.run(state, arguments)
    journal = state.journal
    held, journal.locked = journal.locked, ""
    try:
        for name in state.tables():
            table = state.table(name)
            if table:
                table.delete(table.keys()[-1])
                break
    finally:
        journal.locked = held
    return result


def _nulled(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """A field that may be empty is shown as empty."""
    result = bug.run(state, arguments)
    if not isinstance(result, BaseModel):
        return result
    for name, info in type(result).model_fields.items():
        optional = not info.is_required() and info.default is None
        if optional and getattr(result, name) is not None and name != "next_cursor":
            return result.model_copy(update={name: None})
    return result


def _wrong_code(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """An error has another code."""
    try:
        return bug.run(state, arguments)
    except ToolError as error:
        code = _OTHER_CODE.get(error.code, "not_found")
        raise ToolError(code, error.message) from error


def _hidden_error(bug: Bug, state: State, arguments: dict[str, Any]) -> Any:
    """Where an error is due, the result of an earlier call is shown."""
    try:
        result = bug.memory["last"] = bug.run(state, arguments)
    except ToolError:
        if "last" not in bug.memory:
            raise
        return bug.memory["last"]
    return result


def _with_items(result: Any, change: Callable[[list[Any]], list[Any]]) -> Any:
    """A result with its list changed: it is one itself, or its first field that is one."""
    if isinstance(result, list):
        return change(result)
    if isinstance(result, dict):
        for name, value in result.items():
            if isinstance(value, list) and value:
                return {**result, name: change(value)}
    if isinstance(result, BaseModel):
        for name in type(result).model_fields:
            value = getattr(result, name)
            if isinstance(value, list) and value:
                return result.model_copy(update={name: change(value)})
    return result


READING: Final = (
    Operator("off_by_one_page", in_reads, _short_page),
    Operator("first_item_lost", in_reads, _no_first),
    Operator("repeated_item", in_reads, _repeated),
    Operator("unstable_order", in_reads, _unstable),
    Operator("stale_cache", in_reads, _stale),
    Operator("mutated_read", in_reads, _mutated_read),
    Operator("nulled_field", anywhere, _nulled),
    Operator("wrong_error_code", anywhere, _wrong_code),
    Operator("hidden_error", anywhere, _hidden_error),
)
