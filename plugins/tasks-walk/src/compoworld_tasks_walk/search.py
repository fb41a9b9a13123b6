"""Search: plans about one customer, built edge by edge, the natural ways first.

The walk is drawn with the plan: where nothing natural leads from one service to another, the
walk goes elsewhere, as long as all services are still visited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from compoworld_tasks_walk import topics
from compoworld_tasks_walk.associations import guarded
from compoworld_tasks_walk.catalogue import Barren, Catalogue
from compoworld_tasks_walk.draft import Draft, Mark, Plants
from compoworld_tasks_walk.hero import anchors, drawn
from compoworld_tasks_walk.known import NEVER, Known
from compoworld_tasks_walk.patterns import PATTERNS, READS, Option, Pattern
from compoworld_tasks_walk.patterns.finding import speaks
from compoworld_tasks_walk.patterns.ties import ties

TRIES = 6
"""Ways tried for one edge before the plan goes back."""
BUILDS = 9
"""Plans that may come to nothing before a try is given up."""
RETURNS = 5
"""How often a plan goes back one edge."""
MOST_WRITES = 9
GOOD = 2.6
"""A plan that is worth this much a visit is taken without a look at others."""
AGAIN = 0.45
"""How much less a pattern is wanted each time that it was used already."""
FRESH = 0.7
"""How often a walk turns to a service that it has not visited, while it may."""
ENDINGS = 0.3
"""How often a walk is to end in a service that tells nothing, as a calendar."""
OWN = 0.6
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
    for _ in range(count + BUILDS):
        if len(found) >= count:
            break
        hero = drawn(catalogue, rng)
        topic = topics.draw(rng, hero.person.company)
        visits = rng.randint(shortest or length, length)
        draft = Draft(catalogue, ("",) * visits, rng, topic, hero, plants or Plants())
        draft.known += anchors(hero)
        ends = [name for name in services if not _leads(draft, name, services, chosen)]
        draft.ending = rng.choice(ends) if ends and k > 2 and rng.random() < ENDINGS else ""
        try:
            build(draft, services, k, chosen, shortest or length, least_writes)
        except Barren as barren:
            reasons[str(barren)] += 1
        else:
            found.append(draft)
            if draft.score >= GOOD * len(draft.walk):
                break
    found.sort(key=lambda draft: -draft.score)
    return found, reasons


def build(
    draft: Draft,
    services: Sequence[str],
    k: int,
    patterns: Sequence[Pattern],
    shortest: int,
    least_writes: int = 2,
) -> None:
    """Fill the edges of the walk; Barren where that does not work out.

    Where nothing leads on, a walk that is long enough ends; a shorter one goes back an edge, a
    few times.
    """
    assert draft.hero is not None, "a task is about somebody"
    draft.patterns.append("start")
    marks: list[Mark] = []
    returns = RETURNS
    while len(marks) < len(draft.walk) - 1:
        mark = draft.mark()
        try:
            _edge(draft, len(marks), services, k, patterns)
        except Barren:
            draft.back(mark)
            if _complete(draft, len(marks) + 1, k, patterns, shortest):
                draft.walk = draft.walk[: len(marks) + 1]
                break
            if not marks or not returns:
                raise
            returns -= 1
            draft.back(marks.pop())
            draft.dead = frozenset()
            continue
        marks.append(mark)
    writes = len(draft.goals)
    if writes < least_writes:
        raise Barren("too few writes")
    if writes > MOST_WRITES:
        draft.score -= 1.5 * (writes - MOST_WRITES)
    if not draft.plants.shadows:
        draft.planter.rows = [p for p in draft.planter.rows if p.role != "shadow"]


def _complete(
    draft: Draft, visits: int, k: int, patterns: Sequence[Pattern], shortest: int
) -> bool:
    """May the walk end after so many visits?"""
    writes = {pattern.name for pattern in patterns if pattern.writes}
    ids = sum(carry.source == "id" for carry in draft.carries)
    return (
        visits >= shortest
        and len(set(draft.walk[:visits])) == k
        and draft.patterns[-1] in writes
        and ids * 5 <= visits - 1
    )


def _edge(
    draft: Draft, edge: int, services: Sequence[str], k: int, patterns: Sequence[Pattern]
) -> None:
    """From the visit of this number to another service, which uses what this one tells."""
    reasons: Counter[str] = Counter()
    starts = [] if edge else [s for s in services if _leads(draft, s, services, patterns)]
    tried: list[str] = []
    draft.readable = {}
    for start in draft.shuffled(starts) or [""] * TRIES:
        mark, known = draft.mark(), len(tried)
        if start:
            draft.walk = (start,) * len(draft.walk)
        try:
            _turn(draft, edge, services, k, patterns, tried)
            _tell(draft, edge, patterns)
            _use(draft, edge + 1, patterns)
            guarded(draft)
        except Barren as barren:
            reasons[str(barren)] += 1
            draft.back(mark)
            if len(tried) == known and not start:
                break  # nothing leads on
            continue
        draft.dead, draft.readable = frozenset(), {}
        return
    raise Barren(reasons.most_common(1)[0][0])


def _turn(
    draft: Draft,
    edge: int,
    services: Sequence[str],
    k: int,
    patterns: Sequence[Pattern],
    tried: list[str],
) -> None:
    """Draw the service that the edge leads to, such that k services come to be visited.

    Those tried before come last; the one drawn is noted.
    """
    here, before = draft.walk[edge], draft.walk[: edge + 1]
    left, lacking = len(draft.walk) - edge - 1, k - len(set(before))
    kept = int(bool(draft.ending) and left > 1)
    lacking -= kept
    new = [name for name in services if name not in before]
    if draft.ending and lacking and not kept:
        new = [draft.ending]
    seen = [name for name in dict.fromkeys(before) if name != here or k == 1]
    fresh = lacking > 0 and (not seen or lacking >= left - kept or draft.rng.random() < FRESH)
    for to in sorted(draft.shuffled(new if fresh else seen), key=tried.count):
        if left > 1 and not _leads(draft, to, services, patterns):
            continue  # a walk can only end there
        draft.walk = (*before, *(to,) * left)
        if _used(draft, edge, patterns) or _promising(draft, edge, patterns):
            tried.append(to)
            return
    raise Barren(f"{here} has nothing to tell to any other service")


def _leads(
    draft: Draft, service: str, services: Sequence[str], patterns: Sequence[Pattern]
) -> bool:
    """Has a service anything of the hero's to tell that another one has a use for?"""
    known = draft.catalogue.taken
    key = ("leads", service, *services, draft.story, *(pattern.name for pattern in patterns))
    if key not in known:
        bare = draft.bare()
        others = [name for name in services if name != service]
        known[key] = False
        for other in others or [service]:
            bare.walk = (service, other, other)
            known[key] = known[key] or _linked(bare, 0, patterns)
    return known[key]


def _tell(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> None:
    """Something of this visit that the next one can use: found already, or another record's."""
    own = _used(draft, visit, patterns)
    looked_up = draft.patterns[-1] in _READING
    only_ids = all(fact.source == "id" for fact in own)
    if looked_up or (own and not only_ids and draft.rng.random() < OWN):
        if not own:
            raise Barren(f"{draft.walk[visit + 1]} has no use for what was looked up")
        draft.known = [f for f in draft.known if f.visit != visit or f in own]
        return
    mark = draft.mark()
    try:
        _read(draft, visit, patterns)
    except Barren:
        draft.back(mark)
        if not own:
            raise


def _read(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> None:
    """Read something of the hero's here that the next visit can use."""
    # what this visit has found besides is not carried: nothing would be named for nothing
    draft.known = [fact for fact in draft.known if fact.visit != visit]
    options = _promising(draft, visit, patterns)
    for _ in range(TRIES):
        if not options:
            break
        pattern, option = _drawn(draft, options)
        mark = draft.mark()
        try:
            option.apply()
            if not _used(draft, visit, patterns):
                raise Barren("the next visit has no use for it")
        except Barren:
            draft.back(mark)
            draft.dead |= {_way(draft, visit, pattern, option)}
            continue
        draft.score += option.weight
        draft.reads.append(pattern.name)
        return
    raise Barren(f"{draft.walk[visit]} has nothing to tell {draft.walk[visit + 1]}")


def _use(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> None:
    """Do something at this visit with what the one before has told."""
    last = visit == len(draft.walk) - 1
    patterns = _left(draft, patterns)
    carried = [f for f in draft.known if f.visit == visit - 1 and draft.may_carry(f)]
    usable = [pattern for pattern in patterns if pattern.writes or not last]
    options = _options(draft, visit, usable, carried)
    for _ in range(TRIES):
        if not options:
            break
        pattern, option = _drawn(draft, options)
        mark = draft.mark()
        try:
            option.apply()
            if not last and not _leads_on(draft, visit):
                raise Barren("nothing is left to tell here")
        except Barren:
            draft.back(mark)
            if option.tool:
                draft.dead |= {_way(draft, visit, pattern, option)}
            continue
        draft.score += option.weight
        draft.patterns.append(pattern.name)
        return
    raise Barren(f"no pattern at {draft.walk[visit - 1]} → {draft.walk[visit]}")


Listed = list[tuple[Pattern, list[Option]]]


def _options(
    draft: Draft, visit: int, patterns: Sequence[Pattern], facts: Sequence[Known]
) -> Listed:
    """What each pattern can do here with these facts."""
    found: Listed = []
    made = _made(draft)
    for pattern in patterns:
        listed = [
            option
            for fact in facts
            for option in pattern.options(draft, visit, fact)
            if option.weight > 0 and (draft.walk[visit], option.table) not in made
            if _way(draft, visit, pattern, option) not in draft.dead
        ]
        if listed:
            found.append((pattern, listed))
    return found


def _way(draft: Draft, visit: int, pattern: Pattern, option: Option) -> tuple[str, ...]:
    """What an option does, as far as matters for not trying it again."""
    to = draft.walk[visit + 1] if visit + 1 < len(draft.walk) else ""
    return (draft.walk[visit], to, pattern.name, option.table, option.tool)


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
    return pattern.weight * best * (AGAIN**again)


def _leads_on(draft: Draft, visit: int) -> bool:
    """Can the walk go on from here: by what was found, or by another record of the hero's?"""
    if any(f.visit == visit and f.source != "id" and not draft.spent(f) for f in draft.known):
        return True
    made = _made(draft)
    return any(
        (tie.found.service, tie.found.name) not in made and speaks(draft, tie)
        for fact in draft.known
        if fact.visit == NEVER
        for tie in ties(draft, visit, fact)
    )


def _made(draft: Draft) -> set[tuple[str, str]]:
    """Tables into which the plan has put something: it would be taken for what was there."""
    return {(g.service, g.table) for g in draft.goals if g.kind == "create" and g.table}


def _promising(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> Listed:
    """What can be read of the hero's at a visit that the next one may use."""
    found: Listed = []
    for pattern, listed in _readable(draft, visit, patterns):
        told = [
            option
            for option in listed
            if _way(draft, visit, pattern, option) not in draft.dead
            if not option.tells
            or any(_takes(draft, visit + 1, fact, patterns) for fact in option.tells)
        ]
        if told:
            found.append((pattern, told))
    return found


def _readable(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> Listed:
    """What can be read of the hero's at a visit, kept while the plan does not grow.

    Patterns that look ahead depend on where the walk goes next, and are asked each time.
    """
    keys = [fact for fact in draft.known if fact.visit == NEVER]
    reads = [pattern for pattern in READS if pattern in patterns]
    if draft.walk[visit] not in draft.readable:
        fixed = [pattern for pattern in reads if not pattern.ahead]
        draft.readable[draft.walk[visit]] = _options(draft, visit, fixed, keys)
    looking = [pattern for pattern in reads if pattern.ahead]
    return [*draft.readable[draft.walk[visit]], *_options(draft, visit, looking, keys)]


def _linked(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> bool:
    """Has this service anything of the hero's to tell that the next one may use?"""
    here, there = draft.walk[visit], draft.walk[visit + 1]
    last = visit + 2 == len(draft.walk)
    key = (here, there, last, draft.story, tuple(pattern.name for pattern in patterns))
    known = draft.catalogue.taken
    if key not in known:
        bare = draft.bare()
        known[key] = bool(_promising(bare, visit, patterns))
    return known[key]


def _used(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> list[Known]:
    """The facts of a visit that some pattern of the next one takes."""
    return [
        fact
        for fact in draft.known
        if fact.visit == visit and draft.may_carry(fact) and not draft.spent(fact)
        if _takes(draft, visit + 1, fact, patterns)
    ]


def _left(draft: Draft, patterns: Sequence[Pattern]) -> list[Pattern]:
    """The patterns that the plan may still use."""
    return [p for p in patterns if not (p.once and p.name in draft.patterns)]


def _takes(draft: Draft, visit: int, fact: Known, patterns: Sequence[Pattern]) -> bool:
    """Would some pattern take such a fact at a visit, were it the first?

    It depends on what the fact is like and on nothing that the plan holds, so that the answer
    is the same whoever asks first.
    """
    last = visit == len(draft.walk) - 1
    usable = [p for p in _left(draft, patterns) if p.writes or not last]
    named = None if fact.names is None else (fact.names.pair.profile.name, fact.names.key)
    key = (
        fact.service, fact.table, fact.field, fact.kind, type(fact.value), fact.source, named,
        fact.settled,
        draft.walk[visit], draft.story, tuple(pattern.name for pattern in usable),
    )  # fmt: skip
    known = draft.catalogue.taken
    if key not in known:
        bare = draft.bare()
        known[key] = any(
            option.weight > 0
            for pattern in usable
            for option in pattern.options(bare, visit, fact)
        )
    return known[key]


_READING = frozenset(pattern.name for pattern in READS)
