"""World: the services of a run, each seeded once from one cast; what tasks are patches over."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from attrs import field, frozen

from compoworld_core.cast import Cast, draw_cast
from compoworld_core.composition import load_service
from compoworld_core.service import Service
from compoworld_core.state import State


@frozen
class Base:
    """A service's seeded state and the name under which a run folder keeps it."""

    state: State
    digest: str


@frozen
class World:
    """One world: a cast, and a frozen base per service."""

    seed: int
    scale: int
    cast: Cast
    services: dict[str, Service[Any]]
    bases: dict[str, Base] = field(factory=dict)

    @property
    def states(self) -> dict[str, State]:
        """Service → its base state; shared, never written to."""
        return {name: base.state for name, base in self.bases.items()}


def draw_world(names: Sequence[str], seed: int, scale: int) -> World:
    """Seed the named services over one cast; the same arguments give the same bytes."""
    cast = draw_cast(seed, scale)
    services = {name: load_service(name) for name in names}
    bases = {}
    for name, service in services.items():
        state = service.new_state(cast, seed, scale)
        bases[name] = Base(state, base_digest(state))
    return World(seed, scale, cast, services, bases)


def dump_base(state: State) -> bytes:
    """A base as it lies in a run folder."""
    return state.model_dump_json().encode()


def base_digest(state: State) -> str:
    """The content address of a base: SHA-256 of its file."""
    return sha256(dump_base(state)).hexdigest()
