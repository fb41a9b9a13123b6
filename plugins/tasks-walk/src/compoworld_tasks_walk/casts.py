"""Casts: the services that one walk can visit together, by what they can tell one another."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from compoworld_tasks_walk import motives, stories
from compoworld_tasks_walk.catalogue import Barren
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.outlook import opens, takes, usable
from compoworld_tasks_walk.patterns import Pattern
from compoworld_tasks_walk.patterns.finding import SPEAKING
from compoworld_tasks_walk.patterns.records import TRADE, outline, outlines
from compoworld_tasks_walk.patterns.targets import named_tables
from compoworld_tasks_walk.script import Stated
from compoworld_tasks_walk.words import head

DRAWS = 8
"""Casts that are drawn before the services are said not to go together."""
LAST = ("each", "except", "dedup", "permission", "answer")
"""Patterns that leave nothing to tell where they are."""
ACTS = 3.0
"""How much more a service is wanted in whose records the story has something done."""
ALIKE = 0.05
"""How much less a service is wanted whose work is called as that of another one."""
ENDINGS = 0.15
"""How often a walk is to end in a service that tells nothing, as a calendar."""


def draw_cast(
    draft: Draft, services: Sequence[str], k: int, patterns: Sequence[Pattern]
) -> tuple[tuple[str, ...], str]:
    """The k services of a walk, its start first, and the one that it ends in ("" where open).

    Args:
        draft: an empty plan, with its story.
        services: those that may be visited.
        k: how many of them are.
        patterns: what a visit may do.

    Raises Barren where no k of them tell one another anything.
    """
    if k == 1:
        return (draft.rng.choice(services),), ""
    for _ in range(DRAWS):
        found = _grown(draft, services, k, patterns)
        if found is not None:
            return found
    raise Barren(f"nobody would carry anything between {k} of these services")


def kept_for(draft: Draft, ending: str, patterns: Sequence[Pattern]) -> str:
    """A matter of the story that a walk's ending takes: nothing else may use it up."""
    places = [place for place in draft.catalogue.tables if place[0] in draft.services]
    telling = [
        p for p in places if draft.catalogue.archetype(*p) in SPEAKING and p[0] != ending
    ]
    if not telling:
        return ""
    bare = draft.bare()
    bare.walk = (telling[0][0], ending)
    there = usable(bare, 1, patterns)
    for matter in draft.shuffled(stories.of(draft.story).matters):
        stated = Stated("", "", matter.kind, matter.name)
        if takes(bare, 1, outline(*telling[0], "", matter.kind, stated), there):
            return matter.name
    return ""


def _grown(
    draft: Draft, services: Sequence[str], k: int, patterns: Sequence[Pattern]
) -> tuple[tuple[str, ...], str] | None:
    """A cast that grows by services that one of it leads to; None where it does not grow."""

    def leads(here: str, there: Sequence[str], last: bool = False) -> bool:
        return any(reaches(draft, here, to, last, patterns) for to in there if to != here)

    def entered(there: str, cast: Sequence[str], last: bool = False) -> bool:
        return any(leads(here, [there], last) for here in cast)

    cast = [draft.rng.choice(services)]
    ends = k > 2 and draft.rng.random() < ENDINGS
    while len(cast) < k:
        left = [name for name in services if name not in cast]
        last = len(cast) == k - 1
        after = cast if last else [*cast, *left]
        on = [name for name in left if entered(name, cast) and leads(name, after)]
        closing = [n for n in left if last and not leads(n, cast) and entered(n, cast, True)]
        chosen = closing if closing and (ends or not on) else on
        if not chosen:
            return None
        weights = [
            (ACTS if named_tables(draft, name) else 1.0)
            * (ALIKE if _alike(draft, name, cast) else 1.0)
            for name in chosen
        ]
        cast.append(draft.rng.choices(chosen, weights)[0])
        if chosen is closing:
            return tuple(cast), cast[-1]
    if not all(leads(name, cast) for name in cast):
        return None
    return tuple(cast), _last(draft, cast, patterns) if k > 2 else ""


def _alike(draft: Draft, name: str, cast: Sequence[str]) -> bool:
    """Does another one hold what is called the same: are there issues, or orders, in both?"""
    return any(_nouns(draft, name) & _nouns(draft, other) for other in cast)


def _nouns(draft: Draft, service: str) -> frozenset[str]:
    """What a service's pieces of work are called, and its sorts of trade."""
    known = draft.catalogue.called
    if service not in known:
        found = set()
        for place in draft.catalogue.tables:
            archetype = draft.catalogue.archetype(*place)
            if place[0] == service and archetype in ("work", *TRADE):
                found.add(head(draft.noun(*place)) if archetype == "work" else archetype)
        known[service] = frozenset(found)
    return known[service]


def _last(draft: Draft, cast: Sequence[str], patterns: Sequence[Pattern]) -> str:
    """Where the plan's favoured pattern, after which a service tells nothing, can be."""
    if draft.favoured not in LAST:
        return ""
    only = frozenset({draft.favoured})
    bare = draft.bare()
    fitting = []
    for to in cast[1:]:
        for here in cast:
            bare.walk = (here, to)
            if here != to and opens(bare, 0, patterns, only):
                fitting.append(to)
                break
    return draft.rng.choice(fitting) if fitting else ""


def reaches(
    draft: Draft, here: str, there: str, last: bool, patterns: Sequence[Pattern]
) -> bool:
    """Could one service ever tell another what is used there, and be left then (or not)?"""
    known = draft.catalogue.leading
    names = tuple(pattern.name for pattern in patterns)
    key = ("reaches", here, there, last, draft.story, draft.lenient, names)
    if key not in known:
        bare = draft.bare()
        bare.walk = (here, there) if last else (here, there, there)
        known[key] = opens(bare, 0, patterns) or _settles(bare, here, patterns)
    return known[key]


def _settles(bare: Draft, here: str, patterns: Sequence[Pattern]) -> bool:
    """Is what comes of a deed of the story of use to the next visit: the amount paid back?"""
    there = usable(bare, 1, patterns)
    for profile, keys in named_tables(bare, here):
        archetype = bare.catalogue.archetype(here, profile.name)
        deeds = [word for kind, word in stories.of(bare.story).deeds if kind == archetype]
        for done in {motives.DEEDS[word] for word in deeds if word in motives.DEEDS}:
            for fact in outlines(profile, keys[0].name if keys else ""):
                if takes(bare, 1, evolve(fact, settled=done), there):
                    return True
    return False
