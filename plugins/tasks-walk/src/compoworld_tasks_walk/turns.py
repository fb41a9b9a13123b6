"""Turns: to which service a walk goes next, and whether it can go on from there."""

from __future__ import annotations

from collections.abc import Sequence

from compoworld_tasks_walk import motives
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.outlook import opens, promising, takes, usable
from compoworld_tasks_walk.patterns import Pattern
from compoworld_tasks_walk.patterns.targets import named_tables
from compoworld_tasks_walk.script import Stated, simple

ACTING = 0.8
"""How often a walk goes back to a service in whose records the story has something done."""
FRESH = 0.7
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
        if not _leads_to(draft, edge, to, patterns):
            continue
        ends = to == draft.ending or len(draft.walk) - edge == 2
        if ends or _told_on(draft, edge + 1, patterns, shortest):
            tried.append(to)
            return
        stuck = stuck or to
    cast = draft.services
    for to in draft.shuffled(_understudies(draft, edge)):
        if _leads_to(draft, edge, to, patterns):
            ends = len(draft.walk) - edge == 2
            draft.services = tuple(name for name in cast if name != _replaced(draft, edge))
            draft.services += (to,)
            if ends or _told_on(draft, edge + 1, patterns, shortest):
                tried.append(to)
                return
            draft.services = cast
    if not stuck:
        raise Barren(f"{draft.walk[edge]} has nothing to tell to any other service")
    _send(draft, edge, stuck)
    tried.append(stuck)


def _wanting(
    draft: Draft, edge: int, ahead: Sequence[str], patterns: Sequence[Pattern]
) -> set[str]:
    """Those services in which the plan's favoured pattern takes what can be told here."""
    found: set[str] = set()
    if not draft.favoured or draft.favoured in (*draft.patterns, *draft.reads):
        return found
    for to in ahead:
        _send(draft, edge, to)
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
    here, before = draft.walk[edge], draft.walk[: edge + 1]
    visits = len(draft.walk) - edge - 1
    lacking = [s for s in draft.services if s not in before]
    new = draft.shuffled(name for name in lacking if name != draft.ending)
    alone = len(draft.services) == 1
    seen = draft.shuffled(name for name in dict.fromkeys(before) if name != here or alone)
    if draft.rng.random() < ACTING:  # one goes back to act, rather than to remark again
        seen.sort(key=lambda name: not named_tables(draft, name))
    if draft.ending in lacking and not new:
        new = [draft.ending] if edge + 2 >= shortest else []
        return new if visits == 1 else [*new, *seen]
    if len(lacking) >= visits:
        return new or seen
    return [*new, *seen] if draft.rng.random() < FRESH else [*seen, *new]


def _leads_to(draft: Draft, visit: int, to: str, patterns: Sequence[Pattern]) -> bool:
    """Send the walk there; has this visit anything to tell that can be used there?"""
    _send(draft, visit, to)
    return bool(used(draft, visit, patterns)) or opens(draft, visit, patterns)


def _send(draft: Draft, visit: int, to: str) -> None:
    """Let the walk lead to a service from a visit on."""
    draft.walk = (*draft.walk[: visit + 1], *(to,) * (len(draft.walk) - visit - 1))


def _told_on(draft: Draft, visit: int, patterns: Sequence[Pattern], shortest: int) -> bool:
    """Has the service of a visit anything of the hero's to tell where the walk may go on?"""
    walk = draft.walk
    for to in _ahead(draft, visit, shortest):
        _send(draft, visit, to)
        if opens(draft, visit, patterns):
            draft.walk = walk
            return True
    draft.walk = walk
    return False


def telling(draft: Draft, visit: int, patterns: Sequence[Pattern], shortest: int) -> set[str]:
    """Some of the tables of the hero's at a visit that tell what the walk can go on with."""
    walk = draft.walk
    found: set[str] = set()
    for to in _ahead(draft, visit, shortest):
        if len(found) > 3:
            break
        _send(draft, visit, to)
        found |= {o.table for _, listed in promising(draft, visit, patterns) for o in listed}
    draft.walk = walk
    return found


def leads_on(draft: Draft, visit: int, patterns: Sequence[Pattern], shortest: int) -> bool:
    """Can the walk go on from here: by what was found, or by another record of the hero's?"""
    walk = draft.walk
    ahead = _ahead(draft, visit, shortest)
    found = any(_leads_to(draft, visit, to, patterns) for to in ahead)
    draft.walk = walk
    return found


def all_visited(draft: Draft, visit: int) -> bool:
    """Has the walk visited all of its services by then?"""
    return len(set(draft.walk[: visit + 1])) == len(draft.services)


def used(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> list[Known]:
    """The facts of a visit that some pattern of the next one takes."""
    there = usable(draft, visit + 1, patterns)
    return [fact for fact in carried(draft, visit) if takes(draft, visit + 1, fact, there)]


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
