"""Patch: typed changes to a state as data: a task's s0 over its base, a prediction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core.errors import SimulationError
from compoworld_core.state import Entity, Ledger, State


class Operation(BaseModel):
    """One change: insert or replace a row, update fields, delete a row, set a scalar field."""

    model_config = ConfigDict(extra="forbid")

    op: Literal["insert", "replace", "update", "delete", "set"]
    table: str
    id: str | int | None = None
    """The row's key (update, delete)."""
    row: dict[str, Any] = Field(default_factory=dict)
    """The whole row (insert, replace) or the changed fields (update); {"value": …} for set."""
    at: float | None = None
    """Where an inserted row stands: between base rows 3 and 4 is 3.5; None is the end."""


class Patch(BaseModel):
    """Operations in order; the ledger too where ids or the clock are changed."""

    model_config = ConfigDict(extra="forbid")

    operations: list[Operation] = Field(default_factory=list)
    ledger: Ledger | None = None


def patched(state: State, patch: Patch) -> Iterator[tuple[str, Entity]]:
    """(table, row) of what a patch has put into a state, or changed there."""
    for operation in patch.operations:
        key = operation.row.get("id") if operation.id is None else operation.id
        if operation.op in ("insert", "replace", "update"):
            row = state.table(operation.table).get(key)
            if row is not None:
                yield operation.table, row


def apply(state: State, patch: Patch) -> None:
    """Apply a patch; every row is validated like a construction.

    Raises SimulationError where an operation names nothing that exists; pydantic's
    ValidationError where a row does not fit. The caller undoes what was applied before it.
    """
    entities = state.tables()
    for operation in patch.operations:
        if operation.op == "set":
            setattr(state, operation.table, operation.row.get("value"))
            continue
        if operation.table not in entities:
            raise SimulationError(
                f"no table {operation.table!r}; there are: {', '.join(entities)}"
            )
        table = state.table(operation.table)
        try:
            if operation.op == "insert":
                row = entities[operation.table].model_validate(operation.row)
                table.insert(row, before=operation.at)
            elif operation.op == "replace":
                table.replace(entities[operation.table].model_validate(operation.row))
            elif operation.op == "update":
                table.update(_key(operation), **operation.row)
            else:
                table.delete(_key(operation))
        except KeyError as error:
            raise SimulationError(f"{operation.table} has no row {error}") from error
    if patch.ledger is not None:
        state.ledger = patch.ledger.copy_out()


def _key(operation: Operation) -> str | int:
    if operation.id is None:
        raise SimulationError(f"{operation.op} on {operation.table} names no id")
    return operation.id
