"""3c: no solution leaves a service out: a search over tool calls for what an edge carries.

For each edge, its source service is taken away with all that it holds. From the facts of the
instruction that describe the carried value, and from what other services alone give the plan on
the way to it, the search looks records up by known keys, in all services that are left
(distractors too), until nothing new is found. Refuted where the value is found all the same. It
is enough to leave one service out at a time: who may use fewer of them knows less.

What counts is *association*, not occurrence. A record is found where a known key means at most
three rows of its table (over a chain the choices multiply); its keys are then known. That the
value stands somewhere in a table that anyone may list gives nothing away, as long as nothing
tells which row is meant; and facts of the instruction about something else are no start: from
any person in a company some chain of colleagues leads to any other, but nobody has a reason to
follow it. For the same reason a chain does not go on from colleagues of the caller, nor from a
record to another that only shares something with it: who is in the same organization as a
person is somebody else.

The state is searched first, as if every record could be looked up by every key in it. What an
agent can find is less, so most tasks pass here. A chain that is found is then walked with real
calls of read-only tools, and refutes the task only if these show the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from attrs import frozen

from compoworld_core import facts
from compoworld_core.expressions import All, Expr, Lit, Out, Pick, walk
from compoworld_core.plan import Carry
from compoworld_core.proof.case import Case, Refuted
from compoworld_core.proof.probes.shortcuts import scalars
from compoworld_core.proof.probes.solver_reads import Reads
from compoworld_core.proof.probes.solver_records import (
    Chain,
    Place,
    Records,
    key_of,
    kinds_of,
    known,
    title_key,
)
from compoworld_core.state import Entity
from compoworld_core.types import KEY_KINDS, Kind

NAME = "no-detour"
_FOUND_KINDS: Final = KEY_KINDS | {"title", "text", "money", "cents"}
"""Kinds whose values tell records apart: that a date or a status agrees says nothing."""

_WORDS: Final = ("title", "text")
"""Of these a text may state any number."""


@frozen
class _Origin:
    """Where a carried value comes from."""

    literals: tuple[Lit, ...]
    steps: frozenset[str]
    services: frozenset[str]


def probe(case: Case) -> dict[str, Any]:
    """Each edge whose value says something: is it known without its source?"""
    records = Records(case.initial)
    origins = [(carry, _origin(case, carry.expr)) for carry in case.plan.carries]
    searched = 0
    for carry, origin in origins:
        values = _values(case, carry)
        if not values:
            continue
        source = case.candidate.walk[carry.edge]
        start = _start(case, origin, origins, source)
        if all(key_of(carry.kind, value) in start for value in values):
            what = _listed(values)
            raise Refuted(NAME, f"edge {carry.edge}: {what} is known before {source} is asked")
        chain = _detour(records, start, source, carry, values, None)
        for only in () if chain is None else (_places(chain), None):
            reads = Reads(case.initial.fork(), records, start, only)
            chain = _detour(records, start, source, carry, values, reads)
            if chain is not None:
                raise Refuted(NAME, _told(carry, source, values, reads, chain))
        searched += 1
    return {"edges": searched}


def _values(case: Case, carry: Carry) -> list[Any]:
    """What the edge carries, where it is worth a search."""
    if carry.source == "id" or carry.kind not in _FOUND_KINDS:
        return []
    value = carry.expr.value(case.replay.scope)
    return value if isinstance(value, list) else [value]


def _origin(case: Case, expr: Expr) -> _Origin:
    """The literals behind an expression, and the steps and services that it reads."""
    literals: list[Lit] = []
    steps: dict[str, str] = {}
    waiting = [expr]
    while waiting:
        for part in walk(waiting.pop()):
            if isinstance(part, Lit):
                literals.append(part)
            elif isinstance(part, Out | Pick | All) and part.step not in steps:
                step = case.plan.step(part.step)
                steps[step.id] = step.service
                waiting += step.expressions()
    return _Origin(tuple(literals), frozenset(steps), frozenset(steps.values()))


def _start(
    case: Case, origin: _Origin, origins: list[tuple[Carry, _Origin]], source: str
) -> dict[str, tuple[str, Any]]:
    """Key → (kind, value) of what is known at first."""
    known_values = [(each.kind, each.literal) for each in origin.literals]
    for carry, earlier in origins:  # what the plan finds on the way without the source
        if earlier.steps < origin.steps and source not in earlier.services:
            value = carry.expr.value(case.replay.scope)
            known_values += [(carry.kind, each) for each in scalars(value)]
    return {
        title_key(value) if kind == "title" else key_of(kind, value): (kind, value)
        for kind, value in known_values
        if (kind in KEY_KINDS or kind == "title") and value is not None
    }


def _detour(
    records: Records,
    start: dict[str, tuple[str, Any]],
    source: str,
    carry: Carry,
    values: list[Any],
    reads: Reads | None,
) -> Chain | None:
    """The record that gives the last of the values away, if all are found."""
    wanted = list(values)

    def everything(_: str, chain: Chain) -> Iterable[str]:
        return records.keys(chain.place)

    for chain in known(records, start, source, reads.sees if reads else everything):
        wanted = [each for each in wanted if not _tells(records, chain, carry, each, reads)]
        if not wanted:
            return chain
    return None


def _tells(
    records: Records, chain: Chain, carry: Carry, value: Any, reads: Reads | None
) -> bool:
    """Does a known record hold the value, where an agent sees it?"""
    place = chain.place
    key = key_of(carry.kind, value)
    if carry.kind in KEY_KINDS and key in records.keys(place):
        return reads is None or reads.shows(place, key)
    row = records.row(place)
    for name in _telling(type(row), carry.kind):
        for one in scalars(getattr(row, name)):
            if one is not None and _same(carry.kind, one, value):
                return reads is None or reads.prints(place, one)
    return False


@lru_cache(maxsize=4096)
def _telling(entity: type[Entity], kind: str) -> tuple[str, ...]:
    """The fields that may tell a value of a kind: texts, and amounts for an amount."""
    amounts = {"money", "cents"}
    wanted = {"text", "title"} | (amounts if kind in amounts else set())
    return tuple(name for name, held, _ in kinds_of(entity) if held in wanted)


def _same(kind: Kind, one: Any, value: Any) -> bool:
    """Is it the value, or a text that states it, and no other of its kind beside it?"""
    if isinstance(one, str):
        text = str(value)
        if text.casefold() not in one.casefold() or not facts.mentions(kind, text, one):
            return False
        return "\n" not in one if kind in _WORDS else len(facts.find(kind, one)) == 1
    return kind in ("money", "cents") and facts.equal(kind, one, value)


def _places(chain: Chain | None) -> frozenset[Place]:
    """The records of a chain."""
    found = set()
    while chain is not None:
        found.add(chain.place)
        chain = chain.before
    return frozenset(found)


def _told(carry: Carry, source: str, values: list[Any], reads: Reads, chain: Chain) -> str:
    calls = " → ".join(_calls(reads, chain))
    return f"edge {carry.edge}: {_listed(values)} is found without {source}: {calls}"


def _listed(values: list[Any]) -> str:
    return ", ".join(repr(value) for value in values)


def _calls(reads: Reads, chain: Chain | None) -> Iterator[str]:
    if chain is not None:
        yield from _calls(reads, chain.before)
        yield reads.call(chain.place)
