"""The dependency graph G = (C, D) of a task and the random walk that draws it (paper, 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from random import Random

from pydantic import BaseModel, ConfigDict

from compoworld_core.errors import UsageError


class DependencyGraph(BaseModel):
    """The services of a task, and which needs information or state from which."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    services: tuple[str, ...]
    """C, in the order of their first visit."""
    edges: tuple[tuple[str, str], ...]
    """D: (source, target), each once, in the order of the walk."""


def graph_of(walk: Sequence[str]) -> DependencyGraph:
    """The graph of a walk: its services and its consecutive pairs."""
    pairs = dict.fromkeys(pairwise(walk))
    return DependencyGraph(services=tuple(dict.fromkeys(walk)), edges=tuple(pairs))


def random_walk(
    services: Sequence[str],
    length: int,
    rng: Random,
    weight: Callable[[str, str], float] = lambda source, target: 1.0,
) -> tuple[str, ...] | None:
    """A walk that visits every service, never stays in place, and revisits when longer.

    Args:
        services: the K services.
        length: L, the number of visits; at least K.
        rng: the only source of chance.
        weight: how likely an edge is; 0 forbids it.

    Returns None where the weights allow no such walk from the drawn start.
    """
    if length < len(services):
        raise UsageError(f"a walk of {length} visits cannot visit {len(services)} services")
    if len(services) < 2:
        raise UsageError("a walk needs at least two services")
    weights = {a: {b: weight(a, b) for b in services if b != a} for a in services}
    for _ in range(32):
        walk = _try_walk(services, length, rng, weights)
        if walk:
            return walk
    return None


def _try_walk(
    services: Sequence[str],
    length: int,
    rng: Random,
    weights: Mapping[str, Mapping[str, float]],
) -> tuple[str, ...] | None:
    walk = [rng.choice(list(services))]
    unseen = [name for name in services if name != walk[0]]
    while len(walk) < length:
        options = weights[walk[-1]]
        must = len(unseen) >= length - len(walk)
        names = [n for n in options if options[n] > 0 and (n in unseen or not must)]
        if not names:
            return None
        chosen = rng.choices(names, [options[n] * (2 if n in unseen else 1) for n in names])[0]
        walk.append(chosen)
        if chosen in unseen:
            unseen.remove(chosen)
    return tuple(walk) if not unseen else None
