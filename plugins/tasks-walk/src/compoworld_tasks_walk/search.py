"""Search: several plans per walk, built visit by visit, of which the best are tried first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from compoworld_core.errors import CompoWorldError
from compoworld_tasks_walk.catalogue import Barren, Catalogue
from compoworld_tasks_walk.draft import Draft, Mark, Plants
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.patterns import PATTERNS, Pattern
from compoworld_tasks_walk.patterns.pattern import describe, facts_of
from compoworld_tasks_walk.reach import reaches, takes_text
from compoworld_tasks_walk.topics import TOPICS

TRIES = 7
"""Options tried at one visit before the plan is given up."""
RETURNS = 4
"""How often a plan goes back one visit."""
MOST_WRITES = 9


def plans(
    catalogue: Catalogue,
    walk: tuple[str, ...],
    rng: Random,
    *,
    patterns: Sequence[str] = (),
    count: int = 3,
    plants: Plants | None = None,
) -> tuple[list[Draft], Counter[str]]:
    """Up to `count` plans for a walk, the best first, and why others came to nothing."""
    chosen = [p for p in PATTERNS if not patterns or p.name in patterns]
    found: list[Draft] = []
    reasons: Counter[str] = Counter()
    for _ in range(count + 2):
        if len(found) >= count:
            break
        draft = Draft(catalogue, walk, rng, rng.choice(TOPICS), plants or Plants())
        try:
            build(draft, chosen)
        except Barren as barren:
            reasons[str(barren)] += 1
        else:
            found.append(draft)
    found.sort(key=lambda draft: -draft.score)
    return found, reasons


def build(draft: Draft, patterns: Sequence[Pattern]) -> None:
    """Fill all visits of the walk; Barren where that does not work out.

    A visit that cannot be filled sends the search back one visit, a few times.
    """
    first = describe_telling(draft)
    draft.patterns.append("start")
    draft.known += facts_of(draft, first)
    marks: list[Mark] = []
    returns = RETURNS
    visit = 1
    while visit < len(draft.walk):
        mark = draft.mark()
        draft.visit_rows = len(draft.planter.rows)
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
        except (Barren, CompoWorldError):
            draft.back(mark)
            continue
        if any(_goes_on(draft, fact, 1) for fact in facts_of(draft, rec)):
            return rec
        draft.back(mark)
    raise Barren(f"{draft.walk[0]} has no record to start from")


def _visit(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> None:
    last = visit == len(draft.walk) - 1
    carried = [fact for fact in draft.known if fact.visit == visit - 1]
    options = [
        (pattern, listed)
        for pattern in patterns
        if (pattern.writes or not last)
        and (listed := [o for fact in carried for o in pattern.options(draft, visit, fact)])
    ]
    for _ in range(TRIES):
        if not options:
            break
        weights = [_weight(draft, pattern) for pattern, _ in options]
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
        except Barren:
            draft.back(mark)
            continue
        draft.score += option.score
        draft.patterns.append(pattern.name)
        return
    raise Barren(f"no pattern at {draft.walk[visit - 1]} → {draft.walk[visit]}")


WEIGHTS = {
    "update": 3.0,
    "each": 2.5,
    "aggregate": 3.0,
    "join": 2.0,
    "copy": 1.2,
    "create": 1.0,
}


def _weight(draft: Draft, pattern: Pattern) -> float:
    """How likely a pattern is tried; the same one twice in a row is dull."""
    weight = WEIGHTS.get(pattern.name, 1.0)
    return weight * (0.4 if draft.patterns[-1] == pattern.name else 1.0)


def _go_on(draft: Draft, visit: int, pattern: Pattern) -> None:
    """There must be a fact for the next visit; after a write, a new description may give it."""
    facts = [fact for fact in draft.known if fact.visit == visit]
    only_ids = all(fact.source == "id" for fact in facts)
    if any(_goes_on(draft, fact, visit + 1) for fact in facts) and not (
        only_ids and draft.rng.random() < 0.7
    ):
        return
    if not pattern.writes:
        raise Barren("nothing to carry on")
    mark = draft.mark()
    try:
        rec = describe(draft, visit)
        more = facts_of(draft, rec)
        if any(_goes_on(draft, fact, visit + 1) for fact in more):
            # only these go on: a record that nothing uses would be described for nothing
            draft.known = [fact for fact in draft.known if fact.visit != visit] + more
            return
    except Barren:
        pass
    draft.back(mark)
    if not any(_goes_on(draft, fact, visit + 1) for fact in facts):
        raise Barren("nothing to carry on")


def _goes_on(draft: Draft, fact: Known, visit: int) -> bool:
    """Can the service of the next visit use the fact at all?"""
    service = draft.walk[visit]
    place = (fact.service, fact.table, fact.field)
    return reaches(draft.catalogue, place, service) or takes_text(draft.catalogue, service)
