"""Search: plans about one customer, built edge by edge, the natural ways first.

The walk is drawn with the plan, over a cast of services: where nothing natural leads from one
to another, the walk goes elsewhere, as long as all of them are still visited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from compoworld_tasks_walk import topics
from compoworld_tasks_walk.associations import guarded
from compoworld_tasks_walk.casts import draw_cast, kept_for
from compoworld_tasks_walk.catalogue import Barren, Catalogue
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.hero import anchors, drawn
from compoworld_tasks_walk.known import Known
from compoworld_tasks_walk.marks import Plants
from compoworld_tasks_walk.outlook import (
    Listed,
    all_visited,
    leaves_open,
    may_end,
    onward,
    open_to,
    opens,
    options_of,
    promising,
    takes,
    usable,
    way_of,
)
from compoworld_tasks_walk.patterns import PATTERNS, READS, Option, Pattern
from compoworld_tasks_walk.patterns.targets import withdraw
from compoworld_tasks_walk.turns import carried, leads_on, turn, used

TRIES = 6
"""Ways tried for one edge before the plan is given up."""
BUILDS = 20
"""Plans that may come to nothing before a try is given up."""
STRICT = 5
"""Of those, how many first ones remark on no record twice."""
LOOSE = 12
"""Of those, from which on a text may speak of two tables of orders."""
MOST_WRITES = 9
GOOD = 2.6
"""A plan that is worth this much a visit is taken without a look at others."""
AGAIN = 0.45
"""How much less a pattern is wanted each time that it was used already."""
STAPLES = ("statement", "join", "named", "correction", "update", "copy", "create")
"""What most plans are made of anyway; of the others, each plan is drawn one to have."""
RARE = {
    "policy": 3.0, "branch": 3.0, "fallback": 2.0, "latest": 2.0, "convert": 1.5,
    "each": 1.0, "write-back": 1.0,
}  # fmt: skip
COMMON = 0.6
"""How often a plan is drawn which seldom pattern to have: most what comes of itself least."""
FAVOUR = 30
"""How much more a plan wants the pattern that was drawn for it, until it has it once."""
OWN = 0.85
"""How often what a visit has found goes on, rather than another record of the hero's."""


def plans(
    catalogue: Catalogue,
    services: Sequence[str],
    k: int,
    length: int,
    rng: Random,
    *,
    shortest: int = 0,
    patterns: Sequence[str] = (),
    count: int = 2,
    plants: Plants | None = None,
    least_writes: int = 2,
) -> tuple[list[Draft], Counter[str]]:
    """Up to `count` plans over k services, the best first, and why others came to nothing.

    Args:
        catalogue: what the world's services can do.
        services: those that may be visited.
        k: how many of them are.
        length: how many visits the walk makes, at most.
        shortest: how many it makes at least, where it leads no further; as many where 0.
        rng: draws everything.
        patterns: names of those that may be used; all where empty.
        count: how many plans are weighed against one another.
        plants: which competitors are planted.
        least_writes: how many actions a plan has at least.
    """
    chosen = [p for p in PATTERNS if not patterns or p.name in patterns]
    found: list[Draft] = []
    reasons: Counter[str] = Counter()
    fixed = len(services) <= k
    for number in range(count + BUILDS * (1 + fixed)):
        if len(found) >= count:
            break
        hero = drawn(catalogue, rng)
        topic = topics.draw(rng, hero.person.company)
        draft = Draft(catalogue, ("",) * length, rng, topic, hero, plants or Plants())
        draft.known += anchors(hero)
        draft.lenient = number >= count + BUILDS and not found  # no other services to turn to
        draft.strict, draft.loose = number < count + STRICT, number >= count + LOOSE
        seldom = [p.name for p in chosen if p.name not in STAPLES]
        wanted = [RARE.get(name, COMMON) for name in seldom]
        draft.favoured = rng.choices(seldom, wanted)[0] if seldom else ""
        spared = [p.name for p in chosen if not patterns and rng.random() >= p.share]
        draft.spared = frozenset(spared) - {draft.favoured}
        try:
            draft.pool = tuple(services)
            draft.services, draft.ending = draw_cast(draft, services, k, chosen)
            draft.kept = kept_for(draft, draft.ending, chosen) if draft.ending else ""
            build(draft, chosen, shortest or length, least_writes)
        except Barren as barren:
            reasons[str(barren)] += 1
        else:
            found.append(draft)
            if draft.score >= GOOD * len(draft.walk):
                break
    found.sort(key=lambda draft: -draft.score)
    return found, reasons


def build(
    draft: Draft, patterns: Sequence[Pattern], shortest: int, least_writes: int = 2
) -> None:
    """Fill the edges of a walk over the draft's services; Barren where that does not work out.

    Where nothing leads on, a walk that is long enough ends. A shorter one is given up: going
    back an edge costs more than another plan (measured).
    """
    assert draft.hero is not None, "a task is about somebody"
    draft.walk = (draft.services[0],) * len(draft.walk)
    draft.patterns.append("start")
    for edge in range(len(draft.walk) - 1):
        mark = draft.mark()
        try:
            _edge(draft, edge, patterns, shortest)
        except Barren:
            draft.back(mark)
            if _complete(draft, edge + 1, patterns, shortest):
                draft.walk = draft.walk[: edge + 1]
                break
            if not draft.ending:
                raise
            # without an ending the walk may turn to that service now, or to another one
            draft.ending, draft.kept, draft.readable, draft.dead = "", "", {}, frozenset()
            _edge(draft, edge, patterns, shortest)
        if draft.walk[edge] == draft.ending:
            draft.ending = draft.kept = ""  # it has told something after all
    withdraw(draft)
    writes = len(draft.goals)
    if writes < least_writes:
        raise Barren("too few writes")
    if writes > MOST_WRITES:
        draft.score -= 1.5 * (writes - MOST_WRITES)
    if not draft.plants.shadows:
        draft.planter.rows = [p for p in draft.planter.rows if p.role != "shadow"]


def _complete(draft: Draft, visits: int, patterns: Sequence[Pattern], shortest: int) -> bool:
    """May the walk end after so many visits?"""
    writes = {pattern.name for pattern in patterns if pattern.writes}
    ids = sum(carry.source == "id" for carry in draft.carries)
    return (
        visits >= shortest
        and all_visited(draft, visits - 1)
        and draft.patterns[-1] in writes
        and ids * 5 <= visits - 1
    )


def _edge(draft: Draft, edge: int, patterns: Sequence[Pattern], shortest: int) -> None:
    """From the visit of this number to another service, which uses what this one tells."""
    reasons: Counter[str] = Counter()
    tried: list[str] = []
    for _ in range(TRIES):
        mark, known = draft.mark(), len(tried)
        try:
            turn(draft, edge, patterns, shortest, tried)
            options = _tell(draft, edge, patterns, shortest)
            _use(draft, edge + 1, options, patterns, shortest)
            guarded(draft)
        except Barren as barren:
            reasons[str(barren)] += 1
            draft.back(mark)
            if len(tried) == known:
                break  # nothing leads on
            continue
        draft.dead = frozenset()
        return
    raise Barren(reasons.most_common(1)[0][0])


def _tell(draft: Draft, visit: int, patterns: Sequence[Pattern], shortest: int) -> Listed:
    """Something of this visit that the next one can use: found already, or another record's.

    Returns what the next visit can do with it.
    """
    own = used(draft, visit, patterns)
    looked_up = draft.patterns[-1] in _READING
    only_ids = all(fact.source == "id" for fact in own)
    goes_on = own and not only_ids and not _steered(draft, visit, patterns, own)
    if looked_up or (goes_on and draft.rng.random() < OWN):
        known = draft.known
        draft.known = [f for f in known if f.visit != visit or f in own]
        options = _choices(draft, visit + 1, patterns, shortest)
        if options:
            return options
        if looked_up:
            raise Barren(f"{draft.walk[visit + 1]} has no use for what was looked up")
        draft.known = known
    mark = draft.mark()
    try:
        return _read(draft, visit, patterns, shortest)
    except Barren:
        draft.back(mark)
        options = _choices(draft, visit + 1, patterns, shortest) if own else []
        if not options:
            raise
        return options


def _steered(
    draft: Draft, visit: int, patterns: Sequence[Pattern], own: Sequence[Known]
) -> bool:
    """Is there something to read here for the favoured pattern, and nothing found so far?"""
    if not draft.favoured or draft.favoured in (*draft.patterns, *draft.reads):
        return False
    only = usable(draft, visit + 1, patterns) & {draft.favoured}
    found = any(takes(draft, visit + 1, fact, only) for fact in own)
    return bool(only) and not found and opens(draft, visit, patterns, only)


def _read(draft: Draft, visit: int, patterns: Sequence[Pattern], shortest: int) -> Listed:
    """Read something of the hero's here that the next visit can use; what it can do with it."""
    # what this visit has found besides is not carried: nothing would be named for nothing
    draft.known = [fact for fact in draft.known if fact.visit != visit]
    left = onward(draft, visit + 1, patterns, shortest)
    options = promising(draft, visit, patterns, left)
    for _ in range(TRIES):
        if not options:
            break
        pattern, option = _drawn(draft, options)
        mark = draft.mark()
        try:
            option.apply()
            choices = _choices(draft, visit + 1, patterns, shortest)
            if not choices:
                raise Barren("the next visit has no use for it")
        except Barren:
            draft.back(mark)
            draft.dead |= {way_of(draft, visit, pattern, option)}
            continue
        draft.score += option.weight
        draft.reads.append(pattern.name)
        return choices
    raise Barren(f"{draft.walk[visit]} has nothing to tell {draft.walk[visit + 1]}")


def _choices(
    draft: Draft,
    visit: int,
    patterns: Sequence[Pattern],
    shortest: int,
) -> Listed:
    """What can be done at a visit with what the one before tells, and the walk goes on."""
    last = visit == len(draft.walk) - 1
    fitting = [p for p in open_to(draft, patterns) if p.writes or not last]
    options = options_of(draft, visit, fitting, carried(draft, visit - 1))
    left = onward(draft, visit, patterns, shortest)
    open_ = [
        (pattern, [o for o in listed if leaves_open(o, left)]) for pattern, listed in options
    ]
    return [pair for pair in open_ if pair[1]]


def _use(
    draft: Draft, visit: int, options: Listed, patterns: Sequence[Pattern], shortest: int
) -> None:
    """Do one of the options at this visit."""
    last = visit == len(draft.walk) - 1
    may = may_end(draft, visit, shortest)
    for _ in range(TRIES):
        if not options:
            break
        pattern, option = _drawn(draft, options)
        mark = draft.mark()
        try:
            option.apply()
            ends = pattern.writes and may
            if not (last or ends or leads_on(draft, visit, patterns, shortest)):
                raise Barren("nothing is left to tell here")
        except Barren:
            draft.back(mark)
            if option.tool:
                draft.dead |= {way_of(draft, visit, pattern, option)}
            continue
        draft.score += option.weight
        draft.patterns.append(pattern.name)
        return
    raise Barren(f"no pattern at {draft.walk[visit - 1]} → {draft.walk[visit]}")


def _drawn(draft: Draft, options: Listed) -> tuple[Pattern, Option]:
    """An option, the natural ones first; it is taken off the list."""
    weights = [_weight(draft, pattern, listed) for pattern, listed in options]
    pattern, listed = draft.rng.choices(options, weights)[0]
    index = draft.rng.choices(range(len(listed)), [o.weight for o in listed])[0]
    option = listed.pop(index)
    if not listed:
        options[:] = [pair for pair in options if pair[1]]
    return pattern, option


def _weight(draft: Draft, pattern: Pattern, listed: Sequence[Option]) -> float:
    """How likely a pattern is tried: by its best option; the same one again is dull."""
    again = draft.patterns.count(pattern.name) + draft.reads.count(pattern.name)
    best = max(option.weight for option in listed)
    wanted = FAVOUR if pattern.name == draft.favoured and not again else 1.0
    return pattern.weight * wanted * best * (AGAIN**again)


_READING = frozenset(pattern.name for pattern in READS)
