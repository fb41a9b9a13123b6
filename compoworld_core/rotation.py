"""Rotation: every set of services comes once before any comes again.

The paper's regime: each trajectory is of another composition. Ranks are stepped through by a
stride that shares no divisor with their number, so nothing has to be remembered and any number
of services will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb, gcd
from random import Random


def turn(services: Sequence[str], k: int, index: int, seed: int = 0) -> tuple[str, ...]:
    """The k services whose turn it is.

    Args:
        services: all of them, each once; the result keeps their order.
        k: at most as many as there are.
        index: of the turn; the same one again after `comb(len(services), k)` turns.
        seed: of the order of the sets.
    """
    first, stride = _order(comb(len(services), k), seed)
    rank = (first + index * stride) % comb(len(services), k)
    chosen: list[str] = []
    for at, name in enumerate(services, 1):
        with_it = comb(len(services) - at, k - len(chosen) - 1) if len(chosen) < k else 0
        if rank < with_it:
            chosen.append(name)
        else:
            rank -= with_it
    return tuple(chosen)


@lru_cache
def _order(count: int, seed: int) -> tuple[int, int]:
    """The first rank, and a stride through all of them."""
    rng = Random(f"rotation:{seed}:{count}")
    stride = rng.randrange(count)
    while gcd(stride, count) != 1:
        stride += 1
    return rng.randrange(count), stride
