"""Where services meet: fields of a composed world whose values are largely the same."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from compoworld_core.facts import normalise
from compoworld_core.state import State
from compoworld_tasks_walk.affordances import Fact

Place = tuple[str, str, str]
"""(service, table, field)."""


def overlap(
    states: Mapping[str, State], facts: Mapping[str, Mapping[str, Mapping[str, Fact]]]
) -> dict[tuple[Place, Place], float]:
    """Pairs of key-like fields of different services → share of the smaller set they share.

    Args:
        states: service → its seeded state; all of one composed world.
        facts: service → table → field → meaning, as affordances hold them.
    """
    values = {
        (service, table, name): found
        for service, state in states.items()
        for table, fields in facts.get(service, {}).items()
        for name, fact in fields.items()
        if fact.is_key and (found := _values(state, table, name, fact))
    }
    homes: dict[Hashable, list[Place]] = {}
    for place, held in values.items():
        for value in held:
            homes.setdefault(value, []).append(place)
    common: dict[tuple[Place, Place], int] = {}
    for places in homes.values():
        for a in places:
            for b in places:
                if a[0] != b[0]:
                    common[a, b] = common.get((a, b), 0) + 1
    return {
        pair: count / min(len(values[pair[0]]), len(values[pair[1]]))
        for pair, count in sorted(common.items())
    }


def _values(state: State, table: str, name: str, fact: Fact) -> frozenset[Hashable]:
    """The distinct values of a field, each with its kind, in canonical form."""
    found: set[Hashable] = set()
    for row in state.table(table):
        value = getattr(row, name, None)
        for item in value if fact.many and value else (value,):
            if item not in (None, ""):
                found.add((fact.kind, normalise(fact.kind, item)))
    return frozenset(found)
