"""Composition: any set of services as one environment over one shared world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compoworld_core.cards import checked
from compoworld_core.cast import draw_cast
from compoworld_core.environment import Environment
from compoworld_core.observation import LIMIT
from compoworld_core.plugins import services
from compoworld_core.service import Service

if TYPE_CHECKING:
    from compoworld_core.protocols import Simulator


def load_service(name: str) -> Service[Any]:
    """The installed service of this name; UnknownName with the closest names otherwise."""
    return checked(services().load(name), name)


def compose(
    *names: str | Service[Any],
    seed: int = 0,
    scale: int = 200,
    simulator: Simulator | None = None,
    limit: int = LIMIT,
) -> Environment:
    """Compose services into one seeded environment.

    Args:
        names: installed services by name, or Service objects.
        seed: draws the world: the same seed gives the same bytes in any process.
        scale: about how many records each service holds, from 20 up.
        simulator: answers the calls of simulated tools; without one they are unavailable.
        limit: characters of an observation that are shown.
    """
    chosen = [load_service(name) if isinstance(name, str) else name for name in names]
    cast = draw_cast(seed, scale)
    pairs = [(service, service.new_state(cast, seed, scale)) for service in chosen]
    return Environment.of(pairs, simulator=simulator, limit=limit)
