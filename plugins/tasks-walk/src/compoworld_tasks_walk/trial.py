"""Trial: a plan is played while it is made, in a fork of the world with its planted rows.

Affordances say what a tool does in general; whether it shows or accepts this very row (hidden,
archived, out of range) is seen when the plan's own step is played. What does not play is given
up at once, and what was played is the plan's own replay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen
from pydantic import ValidationError

from compoworld_core.environment import Environment
from compoworld_core.errors import PlanError, ServiceError
from compoworld_core.expressions import Expr, Scope, at, failed
from compoworld_core.observation import Observation
from compoworld_core.patch import Operation, Patch
from compoworld_core.plan import Step
from compoworld_core.proof.player import Replay, play_step
from compoworld_tasks_walk.affordances import Lookup
from compoworld_tasks_walk.catalogue import Barren, Catalogue
from compoworld_tasks_walk.planting import Planted


@frozen
class TrialMark:
    """How a trial stood, for going back."""

    environment: Environment
    outputs: dict[str, Any]
    planted: int


@define(eq=False)
class Trial:
    """The plan so far, as it was played."""

    catalogue: Catalogue
    _replay: Replay = field(init=False)
    _planted: int = 0
    """How many of the planner's rows are in the environment by now."""

    def __attrs_post_init__(self) -> None:
        self._replay = Replay(world(self.catalogue).fork())

    def mark(self) -> TrialMark:
        """How it stands, for `back`."""
        replay = self._replay
        return TrialMark(replay.environment.fork(), replay.scope.outputs.copy(), self._planted)

    def back(self, mark: TrialMark) -> None:
        """Play on from a mark."""
        self._replay = Replay(mark.environment.fork(), Scope(mark.outputs.copy()))
        self._planted = mark.planted

    def play(self, step: Step, rows: list[Planted]) -> None:
        """Play a step once its service has the rows; Barren where it does not play."""
        commit(self._replay.environment, rows[self._planted :])
        self._planted = len(rows)
        try:
            play_step(step, self._replay)
        except (PlanError, ServiceError) as error:
            raise Barren(f"{step.tool}: {str(error)[:160]}") from error

    def failed(self, step: str) -> bool:
        """Was the step's call refused?"""
        return failed(self._replay.scope, step)

    def code(self, step: str) -> str:
        """The code of the error by which a step's call was refused; empty where it was not."""
        output = self._replay.scope.outputs.get(step)
        return output.code if isinstance(output, Observation) else ""

    def after(self, service: str, operation: Operation, steps: Sequence[str]) -> Any:
        """A row as the calls of some steps leave it, were it another one before them.

        Args:
            service: whose row.
            operation: the update that makes it the other one.
            steps: which are called, as they were, whether they are refused or not.

        Barren where the row cannot be so.
        """
        environment = self._replay.environment.fork()
        try:
            environment.commit(service, Patch(operations=[operation]))
        except (ValidationError, ValueError) as error:
            raise Barren(f"a row of {service} cannot be another one: {error}") from error
        for call in self._replay.calls:
            if call.step in steps:
                environment.call(call.tool, call.arguments)
        return environment.states[service].table(operation.table).get(operation.id)

    def value(self, expr: Expr) -> Any:
        """The value of an expression by now; Barren where it has none."""
        try:
            return expr.value(self._replay.scope)
        except PlanError as error:
            raise Barren(str(error)[:160]) from error


def world(catalogue: Catalogue) -> Environment:
    """All services of the catalogue in their base states; nobody writes to it."""
    if catalogue.start is None:
        bases = catalogue.world.bases
        catalogue.start = Environment.of(
            [
                (catalogue.world.services[name], bases[name].state.fork())
                for name in catalogue.affordances
            ]
        )
    return catalogue.start


def commit(environment: Environment, rows: Iterable[Planted]) -> None:
    """Put planted rows into an environment; Barren where one does not fit."""
    operations: dict[str, list[Operation]] = {}
    for p in rows:
        operation = Operation.model_construct(
            op="insert", table=p.table, id=p.row["id"], row=p.row, at=p.at
        )
        operations.setdefault(p.service, []).append(operation)
    for service, planted in operations.items():
        try:
            environment.commit(service, Patch.model_construct(operations=planted, ledger=None))
        except (ValidationError, ValueError) as error:
            raise Barren(f"a planted row of {service} does not fit: {error}") from error


def shows(
    catalogue: Catalogue,
    rows: Iterable[Planted],
    lookup: Lookup,
    values: Mapping[str, Any],
    wanted: Iterable[Any],
) -> None:
    """Barren unless the look-up, called with these values, shows all wanted ids."""
    trial = world(catalogue).fork()
    commit(trial, rows)
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
