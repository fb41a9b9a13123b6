"""Search: plans for a walk, built visit by visit, the natural ways first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from compoworld_tasks_walk import topics
from compoworld_tasks_walk.associations import guarded
from compoworld_tasks_walk.catalogue import Barren, Catalogue
from compoworld_tasks_walk.draft import Draft, Mark, Plants
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.patterns import PATTERNS, Option, Pattern
from compoworld_tasks_walk.patterns.pattern import (
    describe,
    facts_of,
    handle_of,
    leads,
    linked,
    targets,
)
from compoworld_tasks_walk.reach import describable, goes_on, takes_text
from compoworld_tasks_walk.script import FactOf, Figure

TRIES = 6
"""Options tried at one visit before the plan is given up."""
RETURNS = 4
"""How often a plan goes back one visit."""
MOST_WRITES = 9
GOOD = 2.6
"""A plan that is worth this much a visit is taken without a look at others."""
AGAIN = 0.45
"""How much less a pattern is wanted each time that it was used already."""


def plans(
    catalogue: Catalogue,
    walk: tuple[str, ...],
    rng: Random,
    *,
    patterns: Sequence[str] = (),
    count: int = 2,
    plants: Plants | None = None,
) -> tuple[list[Draft], Counter[str]]:
    """Up to `count` plans for a walk, the best first, and why others came to nothing."""
    chosen = [p for p in PATTERNS if not patterns or p.name in patterns]
    present = {
        catalogue.archetype(name, write.table)
        for name in walk
        for write in catalogue.writes(name)
    }
    found: list[Draft] = []
    reasons: Counter[str] = Counter()
    for _ in range(count + 4):
        if len(found) >= count:
            break
        topic = topics.draw(rng, present)
        draft = Draft(catalogue, walk, rng, topic, plants or Plants())
        try:
            build(draft, chosen)
        except Barren as barren:
            reasons[str(barren)] += 1
        else:
            found.append(draft)
            if draft.score >= GOOD * len(walk):
                break
    found.sort(key=lambda draft: -draft.score)
    return found, reasons


def build(draft: Draft, patterns: Sequence[Pattern]) -> None:
    """Fill all visits of the walk; Barren where that does not work out.

    A visit that cannot be filled sends the search back one visit, a few times.
    """
    first = describe_telling(draft)
    draft.patterns.append("start")
    draft.known += [*handle_of(draft, first), *facts_of(draft, first, 0)]
    marks: list[Mark] = []
    returns = RETURNS
    visit = 1
    while visit < len(draft.walk):
        mark = draft.mark()
        try:
            _visit(draft, visit, patterns)
        except Barren:
            if not marks or not returns:
                raise
            returns -= 1
            draft.back(marks.pop())
            visit -= 1
            continue
        marks.append(mark)
        visit += 1
    writes = len(draft.goals)
    if writes < 2:
        raise Barren("too few writes")
    if writes > MOST_WRITES:
        draft.score -= 1.5 * (writes - MOST_WRITES)
    if not draft.plants.shadows:
        draft.planter.rows = [p for p in draft.planter.rows if p.role != "shadow"]


def describe_telling(draft: Draft) -> Rec:
    """The described record of the first visit; one that has facts to carry on."""
    for _ in range(TRIES):
        mark = draft.mark()
        try:
            rec = describe(draft, 0)
        except Barren:
            draft.back(mark)
            continue
        if any(_goes_on(draft, fact, 1) for fact in facts_of(draft, rec, 0)):
            return rec
        draft.back(mark)
    raise Barren(f"{draft.walk[0]} has no record to start from")


def _visit(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> None:
    last = visit == len(draft.walk) - 1
    carried = [
        fact for fact in draft.known if fact.visit == visit - 1 and draft.may_carry(fact)
    ]
    options: list[tuple[Pattern, list[Option]]] = []
    afresh = last or restarts(draft, visit)
    for pattern in patterns:
        if not pattern.writes and last:
            continue
        listed = [
            option
            for fact in carried
            for option in pattern.options(draft, visit, fact)
            if option.weight > 0 and (afresh or option.leads)
        ]
        if listed:
            options.append((pattern, listed))
    for _ in range(TRIES):
        if not options:
            break
        weights = [_weight(draft, pattern, listed) for pattern, listed in options]
        pattern, listed = draft.rng.choices(options, weights)[0]
        index = draft.rng.choices(range(len(listed)), [o.weight for o in listed])[0]
        option = listed.pop(index)
        if not listed:
            options = [pair for pair in options if pair[1]]
        mark = draft.mark()
        try:
            option.apply()
            if not last:
                _go_on(draft, visit, pattern)
            guarded(draft)
        except Barren:
            draft.back(mark)
            continue
        draft.score += option.weight
        draft.patterns.append(pattern.name)
        return
    raise Barren(f"no pattern at {draft.walk[visit - 1]} → {draft.walk[visit]}")


def restarts(draft: Draft, visit: int) -> bool:
    """Is there a record here, tied to a known one or to be described, that leads on?"""
    tied = (place for fact in draft.known for place in targets(draft, visit, fact))
    named = describable(draft.catalogue, draft.walk[visit])
    return any(leads(draft, visit, profile, key.name) for profile, key in (*tied, *named))


def _weight(draft: Draft, pattern: Pattern, listed: Sequence[Option]) -> float:
    """How likely a pattern is tried: by its best option; the same one again is dull."""
    again = draft.patterns.count(pattern.name)
    best = max(option.weight for option in listed)
    return pattern.weight * best * (AGAIN**again)


def _go_on(draft: Draft, visit: int, pattern: Pattern) -> None:
    """There must be a fact for the next visit.

    Where the pattern leaves none, or only a new id, another record of this service may give
    it: one that is tied to a record known already, else, which reads as another errand, one
    that is described by itself.
    """
    facts = [fact for fact in draft.known if fact.visit == visit]
    going = [fact for fact in facts if _goes_on(draft, fact, visit + 1)]
    only_ids = all(fact.source == "id" for fact in going)
    if going and not (only_ids and draft.rng.random() < 0.7):
        return
    if not pattern.writes:
        raise Barren("nothing to carry on")
    for find in (linked, describe):
        mark = draft.mark()
        try:
            rec = find(draft, visit)
        except Barren:
            draft.back(mark)
            continue
        more = facts_of(draft, rec, visit)
        if any(_goes_on(draft, fact, visit + 1) for fact in more):
            # only these go on: a record that nothing uses would be named for nothing
            draft.known = [fact for fact in draft.known if fact.visit != visit] + more
            return
        draft.back(mark)
    if not going:
        raise Barren("nothing to carry on")


def _goes_on(draft: Draft, fact: Known, visit: int) -> bool:
    """Can the service of the next visit use the fact at all?"""
    service = draft.walk[visit]
    if not isinstance(fact.value, FactOf | Figure):
        return takes_text(draft.catalogue, service)
    return goes_on(draft.catalogue, (fact.service, fact.table, fact.field), service)
