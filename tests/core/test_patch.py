"""Patch: typed changes as data."""

from typing import Any

import pytest
from desk import DeskState
from pydantic import ValidationError

from compoworld_core.errors import SimulationError
from compoworld_core.patch import Operation, Patch, apply
from compoworld_core.state import Ledger
from compoworld_core.table import Table


def agent(key: str, name: str = "Ann") -> dict[str, Any]:
    return {"id": key, "name": name, "email": "ann@example.com"}


def state() -> DeskState:
    return DeskState.model_validate({"agents": [agent("a"), agent("b")]}).freeze()


def patched(*operations: dict[str, Any], ledger: Ledger | None = None) -> DeskState:
    changed = state()
    parts = [Operation.model_validate(operation) for operation in operations]
    apply(changed, Patch(operations=parts, ledger=ledger))
    return changed


def test_rows_are_inserted_replaced_updated_and_deleted() -> None:
    changed = patched(
        {"op": "insert", "table": "agents", "row": agent("c")},
        {"op": "replace", "table": "agents", "row": agent("a", "Bo")},
        {"op": "update", "table": "agents", "id": "c", "row": {"name": "Cy"}},
        {"op": "delete", "table": "agents", "id": "b"},
        {"op": "set", "table": "motto", "row": {"value": "new"}},
    )
    assert [(row.id, row.name) for row in changed.agents] == [("a", "Bo"), ("c", "Cy")]
    assert changed.motto == "new"


def test_an_inserted_row_stands_where_it_says() -> None:
    changed = patched({"op": "insert", "table": "agents", "row": agent("c"), "at": 0.5})
    assert changed.agents.keys() == ["a", "c", "b"]


def test_a_ledger_is_taken_over_as_a_copy() -> None:
    ledger = Ledger(writes=7, counters={"n": 1})
    changed = patched(ledger=ledger)
    changed.ledger.counters["n"] = 2
    assert (changed.ledger.writes, ledger.counters) == (7, {"n": 1})


@pytest.mark.parametrize(
    ("operation", "says"),
    [
        ({"op": "insert", "table": "agentz", "row": {}}, "there are: agents, tickets"),
        ({"op": "update", "table": "agents", "row": {}}, "names no id"),
        ({"op": "update", "table": "agents", "id": "x", "row": {"name": "n"}}, "no row"),
        ({"op": "replace", "table": "agents", "row": agent("x")}, "no row"),
        ({"op": "delete", "table": "agents", "id": "x"}, "no row"),
    ],
)
def test_a_patch_to_nothing_says_what_there_is(operation: dict[str, Any], says: str) -> None:
    with pytest.raises(SimulationError, match=says):
        patched(operation)


def test_a_row_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValidationError, match="Field required"):
        patched({"op": "insert", "table": "agents", "row": {"id": "c"}})
    with pytest.raises(ValidationError, match="Extra inputs"):
        patched({"op": "update", "table": "agents", "id": "a", "row": {"age": 3}})


def test_a_patch_survives_json() -> None:
    patch = Patch(
        operations=[Operation(op="insert", table="agents", row=agent("c"), at=1.5)],
        ledger=Ledger(writes=1),
    )
    assert Patch.model_validate_json(patch.model_dump_json()) == patch
    one, other = state(), state()
    apply(one, patch)
    apply(other, Patch.model_validate_json(patch.model_dump_json()))
    assert one.model_dump_json() == other.model_dump_json()


def test_a_table_is_not_a_setting() -> None:
    with pytest.raises((TypeError, SimulationError)):
        patched({"op": "set", "table": "agents", "row": {"value": Table()}})
