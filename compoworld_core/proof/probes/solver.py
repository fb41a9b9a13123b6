"""3c: no solution leaves a service out: a search over tool calls for what a plan goes by.

That is what each edge carries, what the answer tells, rates, rules and what conditions compare.
For each of these values its source service is taken away with all that it holds. From the facts
of the instruction that describe the value, and from what other services alone give the plan on
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
person is somebody else. The same goes for a date or an amount: a record that was found so must
state it, in a field of its kind or in a text that states no other. Where few values are
possible (statuses, counts, countries), the field must also be called the same. The times at
which records were made and changed tell no day: they agree by chance.

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
from compoworld_core.proof.probes.sought import Sought, carried, deciding
from compoworld_core.state import Entity
from compoworld_core.types import KEY_KINDS, Kind

NAME = "no-detour"
_FEW_VALUES: Final = frozenset(
    {"status", "boolean", "tag", "quantity", "percent", "country", "currency"}
)
"""Kinds whose values agree by chance."""
_WORDS: Final = ("title", "text")
"""Of these a text may state any number."""
_WORDED: Final = KEY_KINDS | set(_WORDS)
"""Kinds that a text names by their own words."""
_AMOUNTS: Final = frozenset({"money", "cents"})


@frozen
class _Origin:
    """Where a value comes from."""

    literals: tuple[Lit, ...]
    steps: frozenset[str]
    services: frozenset[str]


def probe(case: Case) -> dict[str, Any]:
    """Each value that the plan goes by: is it known without its source?"""
    records = Records(case.initial)
    origins = [(carry, _origin(case, carry.expr)) for carry in case.plan.carries]
    walk = case.candidate.walk
    edges = [carried(carry, walk) for carry in case.plan.carries if carry.source != "id"]
    done = [(each.expr, each.source) for each in edges]
    besides = [s for s in deciding(case.plan) if (s.expr, s.source) not in done]
    return {
        "edges": sum(_search(case, records, origins, sought) for sought in edges),
        "besides": sum(_search(case, records, origins, sought) for sought in besides),
    }


def _search(
    case: Case, records: Records, origins: list[tuple[Carry, _Origin]], sought: Sought
) -> bool:
    """Refuted where the value is found without its source; whether there is one."""
    start = _start(case, _origin(case, sought.expr), origins, sought.source)
    scope = case.replay.scope
    wanted = [sought.values(expr, scope) for expr in sought.forms(case.plan)]
    for values in wanted:
        if values and all(key_of(sought.kind, value) in start for value in values):
            what = f"{sought.says}: {_listed(values)}"
            raise Refuted(NAME, f"{what} is known before {sought.source} is asked")
        chain = _detour(records, start, sought, values, None) if values else None
        for only in () if chain is None else (_places(chain), None):
            reads = Reads(case.initial.fork(), records, start, only)
            chain = _detour(records, start, sought, values, reads)
            if chain is not None:
                raise Refuted(NAME, _told(sought, values, reads, chain))
    return bool(wanted[0])


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
    sought: Sought,
    values: list[Any],
    reads: Reads | None,
) -> Chain | None:
    """The record that gives the last of the values away, if all are found."""
    wanted = list(values)

    def everything(_: str, chain: Chain) -> Iterable[str]:
        return records.keys(chain.place)

    for chain in known(records, start, sought.source, reads.sees if reads else everything):
        wanted = [each for each in wanted if not _tells(records, chain, sought, each, reads)]
        if not wanted:
            return chain
    return None


def _tells(
    records: Records, chain: Chain, sought: Sought, value: Any, reads: Reads | None
) -> bool:
    """Does a known record hold the value, where an agent sees it?"""
    place, kind = chain.place, sought.kind
    key = key_of(kind, value)
    if kind in KEY_KINDS and key in records.keys(place):
        return reads is None or reads.shows(place, key)
    row = records.row(place)
    called = _field_of(sought.expr) if kind in _FEW_VALUES else ""
    for name, held in _telling(type(row), kind, called):
        for one in scalars(getattr(row, name)):
            if one is not None and _same(kind, one, held, value):
                return reads is None or reads.prints(place, one)
    return False


@lru_cache(maxsize=4096)
def _telling(entity: type[Entity], kind: Kind, called: str) -> tuple[tuple[str, str], ...]:
    """The fields that may tell a value of a kind, each with its own."""
    fields = [(name, held) for name, held, _ in kinds_of(entity)]
    if kind in _FEW_VALUES:
        same = (each for each in fields if _bare(each[0]) == called)
        return tuple(each for each in same if each[1] in (kind, ""))
    alike = _AMOUNTS if kind in _AMOUNTS else {kind}
    return tuple(each for each in fields if each[1] in alike or each[1] in _WORDS)


def _field_of(expr: Expr) -> str:
    """The field that shows a value; empty where it is read out of a text."""
    if isinstance(expr, Out | Pick | All):
        return _bare(next((p for p in reversed(expr.path) if isinstance(p, str)), ""))
    return ""


def _bare(name: str) -> str:
    return name.replace("_", "").casefold()


def _same(kind: Kind, one: Any, held: str, value: Any) -> bool:
    """Is it the value, or a text that states it, and no other of its kind beside it?"""
    if held not in _WORDS:
        return facts.equal(kind, one, value)
    if kind in _WORDED and str(value).casefold() not in one.casefold():
        return False
    if not facts.mentions(kind, value, one):
        return False
    return "\n" not in one if kind in _WORDS else len(facts.find(kind, one)) == 1


def _places(chain: Chain | None) -> frozenset[Place]:
    """The records of a chain."""
    found = set()
    while chain is not None:
        found.add(chain.place)
        chain = chain.before
    return frozenset(found)


def _told(sought: Sought, values: list[Any], reads: Reads, chain: Chain) -> str:
    calls = " → ".join(_calls(reads, chain))
    return f"{sought.says}: {_listed(values)} is found without {sought.source}: {calls}"


def _listed(values: list[Any]) -> str:
    return ", ".join(repr(value) for value in values)


def _calls(reads: Reads, chain: Chain | None) -> Iterator[str]:
    if chain is not None:
        yield from _calls(reads, chain.before)
        yield reads.call(chain.place)
