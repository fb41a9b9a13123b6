"""Turns: to which service a walk goes next, and whether it can go on from there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from compoworld_tasks_walk import motives
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.outlook import (
    Onward,
    admits,
    nexts,
    onward,
    opens,
    send,
    usable,
)
from compoworld_tasks_walk.patterns import Pattern
from compoworld_tasks_walk.patterns.targets import named_tables
from compoworld_tasks_walk.script import Stated, simple

ACTING = 0.8
"""How often a walk goes back to a service in whose records the story has something done."""
FRESH = 0.5
"""How often a walk turns to a service that it has not visited, while it may."""


def turn(
    draft: Draft, edge: int, patterns: Sequence[Pattern], shortest: int, tried: list[str]
) -> None:
    """Draw the service that the edge leads to, such that all of them come to be visited.

    Those tried before come last, and before them those that nothing leads on from; the one
    drawn is noted. Where none of the cast can be reached, another service takes the place of
    one that is still to come.
    """
    stuck = ""
    ahead = _ahead(draft, edge, shortest)
    wanted = _wanting(draft, edge, ahead, patterns)
    last = len(draft.walk) - edge == 2

    def order(name: str) -> tuple[int, bool, bool]:
        return tried.count(name), name not in wanted, last and not _writes_to(draft, name)

    for to in sorted(ahead, key=order):
        if _leads_to(draft, edge, to, patterns, shortest):
            tried.append(to)
            return
        stuck = stuck or (to if _found_for(draft, edge, patterns) else "")
    cast = draft.services
    for to in draft.shuffled(_understudies(draft, edge)):
        draft.services = (*(name for name in cast if name != _replaced(draft, edge)), to)
        if _leads_to(draft, edge, to, patterns, shortest):
            tried.append(to)
            return
        draft.services = cast
    if not stuck:
        raise Barren(f"{draft.walk[edge]} has nothing to tell to any other service")
    send(draft, edge, stuck)
    tried.append(stuck)


def _wanting(
    draft: Draft, edge: int, ahead: Sequence[str], patterns: Sequence[Pattern]
) -> set[str]:
    """Those services in which the plan's favoured pattern takes what can be told here."""
    found: set[str] = set()
    if not draft.favoured or draft.favoured in (*draft.patterns, *draft.reads):
        return found
    for to in ahead:
        send(draft, edge, to)
        only = usable(draft, edge + 1, patterns) & {draft.favoured}
        if only and opens(draft, edge, patterns, only):
            found.add(to)
    return found


def _writes_to(draft: Draft, service: str) -> bool:
    """Are messages written there? With one of them an errand is best closed."""
    return any(
        write.op == "create"
        and draft.catalogue.archetype(service, write.table) == "message"
        and write.parent is None
        for write in draft.catalogue.writes(service)
    )


def _replaced(draft: Draft, edge: int) -> str:
    """A service that is still to come, and can be done without; empty where there is none."""
    before = draft.walk[: edge + 1]
    lacking = [s for s in draft.services if s not in before and s != draft.ending]
    return lacking[0] if lacking else ""


def _understudies(draft: Draft, edge: int) -> list[str]:
    """Services that could take the place of one that is still to come."""
    if not _replaced(draft, edge):
        return []
    return [name for name in draft.pool if name not in draft.services]


def _ahead(draft: Draft, edge: int, shortest: int) -> list[str]:
    """The services that may come next, in a drawn order."""
    new, seen = (draft.shuffled(names) for names in nexts(draft, edge, shortest))
    if draft.rng.random() < ACTING:  # one goes back to act, rather than to remark again
        seen.sort(key=lambda name: not named_tables(draft, name))
    first = draft.ending in new or draft.rng.random() < FRESH
    return [*new, *seen] if first else [*seen, *new]


def _leads_to(
    draft: Draft, visit: int, to: str, patterns: Sequence[Pattern], shortest: int
) -> bool:
    """Send the walk there; is this visit's news of use there, and has it news of its own?"""
    send(draft, visit, to)
    left = None if to == draft.ending else onward(draft, visit + 1, patterns, shortest)
    return (left is None or left.leaves()) and _found_for(draft, visit, patterns, left)


def _found_for(
    draft: Draft, visit: int, patterns: Sequence[Pattern], left: Onward | None = None
) -> bool:
    """Has this visit anything to tell that can be used at the next one?"""
    return bool(used(draft, visit, patterns, left)) or opens(draft, visit, patterns, left=left)


def leads_on(draft: Draft, visit: int, patterns: Sequence[Pattern], shortest: int) -> bool:
    """Can the walk go on from here: by what was found, or by another record of the hero's?"""
    walk = draft.walk
    found = False
    for to in chain(*nexts(draft, visit, shortest)):
        send(draft, visit, to)
        found = _found_for(draft, visit, patterns)
        if found:
            break
    draft.walk = walk
    return found


def used(
    draft: Draft, visit: int, patterns: Sequence[Pattern], left: Onward | None = None
) -> list[Known]:
    """The facts of a visit that some pattern of the next one takes, with something left."""
    there = usable(draft, visit + 1, patterns)
    return [
        fact for fact in carried(draft, visit) if admits(draft, visit + 1, fact, there, left)
    ]


def carried(draft: Draft, visit: int) -> list[Known]:
    """The facts of a visit that may go on."""
    return [
        fact
        for fact in draft.known
        if fact.visit == visit and draft.may_carry(fact) and not draft.spent(fact)
        if draft.tells_apart(fact) and not _closed(draft, fact)
    ]


def _closed(draft: Draft, fact: Known) -> bool:
    """Was the record that says it, or the one that this is a part of, closed by the plan?"""
    if not isinstance(fact.value, Stated):
        return False
    said = draft.records.get(fact.record)
    closed = [
        draft.records[part.record]
        for whole in draft.actions
        for part in simple(whole)
        if motives.closes(part) and part.record in draft.records
    ]
    return said is not None and any(said is rec or _part_of(said, rec) for rec in closed)


def _part_of(rec: Rec, whole: Rec) -> bool:
    """Is a record a comment on the other one?"""
    key = whole.hero.get("id")
    same = rec.service == whole.service and rec.table != whole.table
    return same and key is not None and key in rec.hero.values()
