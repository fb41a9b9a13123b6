"""Outlook: what a plan could read and do next, seen before anything is planted or played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import NEVER, Known
from compoworld_tasks_walk.patterns import READS, Option, Pattern
from compoworld_tasks_walk.sinks import subject_of

Listed = list[tuple[Pattern, list[Option]]]


def options_of(
    draft: Draft, visit: int, patterns: Sequence[Pattern], facts: Sequence[Known]
) -> Listed:
    """What each pattern can do here with these facts."""
    found: Listed = []
    taken = made_by(draft)
    for pattern in patterns:
        listed = [
            option
            for fact in facts
            for option in pattern.options(draft, visit, fact)
            if option.weight > 0 and (draft.walk[visit], option.table) not in taken
            if way_of(draft, visit, pattern, option) not in draft.dead
        ]
        if listed:
            found.append((pattern, listed))
    return found


def way_of(draft: Draft, visit: int, pattern: Pattern, option: Option) -> tuple[str, ...]:
    """What an option does, as far as matters for not trying it again."""
    to = draft.walk[visit + 1] if visit + 1 < len(draft.walk) else ""
    return (draft.walk[visit], to, pattern.name, option.table, option.tool)


def made_by(draft: Draft) -> set[tuple[str, str]]:
    """Tables into which the plan has put something: it would be taken for what was there."""
    return {(g.service, g.table) for g in draft.goals if g.kind == "create" and g.table}


def promising(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> Listed:
    """What can be read of the hero's at a visit that the next one may use."""
    found: Listed = []
    for pattern, listed in readable(draft, visit, patterns):
        told = [
            option
            for option in listed
            if way_of(draft, visit, pattern, option) not in draft.dead
            if not option.tells
            or any(takes(draft, visit + 1, fact, patterns) for fact in option.tells)
        ]
        if told:
            found.append((pattern, told))
    return found


def readable(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> Listed:
    """What can be read of the hero's at a visit, kept while the plan does not grow.

    Patterns that look ahead depend on where the walk goes next, and are asked each time.
    """
    keys = [fact for fact in draft.known if fact.visit == NEVER]
    reads = [pattern for pattern in READS if pattern in patterns]
    if draft.walk[visit] not in draft.readable:
        fixed = [pattern for pattern in reads if not pattern.ahead]
        draft.readable[draft.walk[visit]] = options_of(draft, visit, fixed, keys)
    looking = [pattern for pattern in reads if pattern.ahead]
    return [*draft.readable[draft.walk[visit]], *options_of(draft, visit, looking, keys)]


def linked(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> bool:
    """Has this service anything of the hero's to tell that the next one may use?"""
    here, there = draft.walk[visit], draft.walk[visit + 1]
    last = visit + 2 == len(draft.walk)
    key = (
        here,
        there,
        last,
        draft.story,
        draft.lenient,
        tuple(pattern.name for pattern in patterns),
    )
    known = draft.catalogue.taken
    if key not in known:
        bare = draft.bare()
        known[key] = bool(promising(bare, visit, patterns))
    return known[key]


def leads(
    draft: Draft, service: str, services: Sequence[str], patterns: Sequence[Pattern]
) -> bool:
    """Has a service anything of the hero's to tell that another one has a use for?"""
    known = draft.catalogue.taken
    key = (
        "leads",
        service,
        *services,
        draft.story,
        draft.lenient,
        *(pattern.name for pattern in patterns),
    )
    if key not in known:
        bare = draft.bare()
        others = [name for name in services if name != service]
        known[key] = False
        for other in others or [service]:
            bare.walk = (service, other, other)
            known[key] = known[key] or linked(bare, 0, patterns)
    return known[key]


def open_to(draft: Draft, patterns: Sequence[Pattern]) -> list[Pattern]:
    """The patterns that the plan may still use."""
    return [
        p
        for p in patterns
        if p.name not in draft.spared and not (p.once and p.name in draft.patterns)
    ]


def takes(draft: Draft, visit: int, fact: Known, patterns: Sequence[Pattern]) -> bool:
    """Would some pattern take such a fact at a visit, were it the first?"""
    last = visit == len(draft.walk) - 1
    named = None if fact.names is None else (fact.names.pair.profile.name, fact.names.key)
    like = (
        fact.service, fact.table, fact.field, fact.kind, type(fact.value), fact.source, named,
        subject_of(draft, fact), draft.walk[visit], draft.story, draft.lenient, last,
    )  # fmt: skip
    usable = [p for p in open_to(draft, patterns) if p.writes or not last]
    return any(_taken(draft, visit, fact, pattern, like) for pattern in usable)


def _taken(
    draft: Draft, visit: int, fact: Known, pattern: Pattern, like: tuple[Any, ...]
) -> bool:
    """Would a pattern take a fact that is like this?

    It depends on what the fact is like and on nothing that the plan holds, so that the answer
    is the same whoever asks first.
    """
    known, key = draft.catalogue.taken, (pattern.name, *like)
    if key not in known:
        bare = draft.bare()
        known[key] = any(option.weight > 0 for option in pattern.options(bare, visit, fact))
    return known[key]
