"""Informing: which ways to the hero's records work and lead to something that is told.

Each is tried once for all, on an empty plan with draws of its own, so that the answer is the
same whoever asks first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from attrs import evolve

from compoworld_tasks_walk import topics
from compoworld_tasks_walk.catalogue import Barren, FieldProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.hero import anchors, drawn
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.patterns.drawing import proses
from compoworld_tasks_walk.patterns.finding import by_tie
from compoworld_tasks_walk.patterns.notes import writes_texts
from compoworld_tasks_walk.patterns.records import facts_of
from compoworld_tasks_walk.patterns.ties import Tie, ties

TRIALS: Final = 3
"""How often a way is tried before it is said to lead nowhere."""


def informs(draft: Draft, tie: Tie) -> bool:
    """Does a record of the hero's that is found this way tell a fact in a field?"""
    return tie.fact.service != "" or _tried(
        draft, tie, "informs", lambda trial, rec: bool(facts_of(trial, rec, 0))
    )


def texts(
    draft: Draft, visit: int, fact: Known, kinds: tuple[str, ...]
) -> Iterator[tuple[Tie, FieldProfile]]:
    """The texts of the hero's records in the service of a visit in which people write.

    Args:
        draft: the plan so far.
        visit: whose service.
        fact: a key of the hero's.
        kinds: archetypes of what they write in.
    """
    for tie in ties(draft, draft.walk[visit], fact):
        if writes_texts(draft, tie.found, kinds) and _tried(draft, tie, "found"):
            for text in proses(tie.found):
                yield tie, text


def _tried(
    draft: Draft,
    tie: Tie,
    asked: str,
    answer: Callable[[Draft, Rec], bool] = lambda trial, rec: True,
) -> bool:
    """Is a record found this way, of which something holds?"""
    known = draft.catalogue.sound
    table = tie.found
    key = (asked, table.service, table.name, f"{tie.profile.name}.{tie.key}", tie.fact.kind)
    if key not in known:
        known[key] = any(_holds(draft, tie, f"{key}:{n}", answer) for n in range(TRIALS))
    return known[key]


def _holds(draft: Draft, tie: Tie, seed: str, answer: Callable[[Draft, Rec], bool]) -> bool:
    rng = Random(seed)
    hero = drawn(draft.catalogue, rng)
    topic = topics.draw(rng, hero.person.company)
    trial = Draft(draft.catalogue, (tie.found.service,) * 2, rng, topic, hero)
    trial.known = anchors(hero)
    (fact,) = (fact for fact in trial.known if fact.kind == tie.fact.kind)
    try:
        return answer(trial, by_tie(trial, 0, evolve(tie, fact=fact)))
    except Barren:
        return False
