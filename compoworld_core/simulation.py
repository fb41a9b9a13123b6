"""Simulation: who answers tools without code, or all tools of a service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from attrs import evolve, field, frozen

from compoworld_core import plugins
from compoworld_core.environment import Environment
from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.registry import check_options, closest
from compoworld_core.service import Service

if TYPE_CHECKING:
    from compoworld_core.protocols import Simulator

_WHY = "the whole service is simulated"


@frozen
class Simulation:
    """Which simulator answers, how it is set up, and for which services altogether."""

    name: str = ""
    """A registered simulator; empty: such tools are unavailable."""
    options: dict[str, Any] = field(factory=dict)
    services: tuple[str, ...] = ()
    """Services all of whose tools are simulated."""

    def __attrs_post_init__(self) -> None:
        if not self.name and (self.options or self.services):
            raise UsageError("no simulator is named; give --simulator NAME")

    def __bool__(self) -> bool:
        return bool(self.name)

    def applied(self, environment: Environment) -> Environment:
        """A fork of an environment in which a fresh simulator answers."""
        fork = environment.fork()
        if not self:
            return fork
        missing = [name for name in self.services if name not in fork.services]
        if missing:
            near = tuple(closest(missing[0], fork.services))
            raise UnknownName("service", missing[0], near, ", ".join(fork.services))
        pairs = [
            (fully_simulated(service) if name in self.services else service, fork.states[name])
            for name, service in fork.services.items()
        ]
        made = Environment.of(pairs, simulator=self.simulator(), limit=fork.limit)
        made.dialogue, made.answer = fork.dialogue, fork.answer
        return made

    def simulator(self) -> Simulator:
        """A fresh simulator; UsageError where an option is not one of its own."""
        target = plugins.simulators().load(self.name)
        if not callable(target):
            if self.options:
                raise UsageError(f"simulator {self.name!r} takes no options")
            return cast("Simulator", target)
        check_options(f"simulator {self.name!r}", target, self.options)
        return cast("Simulator", target(**self.options))


def fully_simulated(service: Service[Any]) -> Service[Any]:
    """A copy of a service all of whose tools the simulator answers; marks and schemas stay."""
    return service.with_tools(
        {
            name: evolve(tool, kind="simulated", why=tool.why or _WHY)
            for name, tool in service.tools.items()
        }
    )
