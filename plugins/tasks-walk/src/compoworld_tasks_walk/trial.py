"""Trial: a call is made on a fork with the planted rows before the plan relies on it.

Affordances say what a tool does in general; whether it shows or accepts this very row (hidden,
archived, out of range) is found out by trying.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from compoworld_core.environment import Environment
from compoworld_core.errors import PlanError, ServiceError
from compoworld_core.expressions import at
from compoworld_core.patch import Operation, Patch
from compoworld_tasks_walk.affordances import Lookup, Write
from compoworld_tasks_walk.catalogue import Barren, Catalogue
from compoworld_tasks_walk.planting import Planted


def environment(catalogue: Catalogue, service: str, rows: Iterable[Planted]) -> Environment:
    """One service with some planted rows; Barren where one does not fit."""
    base = catalogue.trials.get(service)
    if base is None:
        held = catalogue.world.bases[service].state.fork()
        base = Environment.of([(catalogue.world.services[service], held)])
        catalogue.trials[service] = base
    trial = base.fork()
    operations = [
        Operation.model_construct(
            op="insert", table=p.table, id=p.row["id"], row=p.row, at=p.at
        )
        for p in rows
        if p.service == service
    ]
    try:
        trial.commit(service, Patch.model_construct(operations=operations, ledger=None))
    except (ValidationError, ValueError) as error:
        raise Barren(f"a planted row of {service} does not fit: {error}") from error
    return trial


def shows(
    catalogue: Catalogue,
    rows: Iterable[Planted],
    lookup: Lookup,
    values: Mapping[str, Any],
    wanted: Iterable[Any],
) -> None:
    """Barren unless the look-up, called with these values, shows all wanted ids."""
    trial = environment(catalogue, lookup.service, rows)
    known = {name: value for name, value in values.items() if name in lookup.by}
    observation = trial.call(
        f"{lookup.service}.{lookup.tool}", lookup.calls(known, catalogue.actor)
    )
    path = tuple(lookup.reveals["id"])
    try:
        found = at(observation.data, tuple(lookup.items))
        items = found if lookup.shape == "many" else [found]
        seen = [at(item, path) for item in items]
    except (PlanError, ServiceError) as error:
        raise Barren(f"{lookup.tool} shows no such row: {error}") from error
    if any(key not in seen for key in wanted):
        raise Barren(f"{lookup.tool} does not show the row")


def accepted(
    catalogue: Catalogue,
    rows: Iterable[Planted],
    write: Write,
    row: Mapping[str, Any],
    values: Mapping[str, Any],
) -> None:
    """Barren unless the write works on this row with these values."""
    trial = environment(catalogue, write.service, rows)
    try:
        named = {name: row[name] for name in write.by}
        arguments = write.calls(named, values, catalogue.actor)
        observation = trial.call(f"{write.service}.{write.tool}", arguments)
    except (KeyError, ServiceError) as error:
        raise Barren(f"{write.tool} cannot be tried: {error}") from error
    if observation.is_error:
        raise Barren(f"{write.tool} refuses: {observation.text[:120]}")
