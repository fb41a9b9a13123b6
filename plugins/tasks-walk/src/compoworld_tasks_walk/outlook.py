"""Outlook: what a plan could read and do next, seen before anything is planted or played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from attrs import define, field, frozen

from compoworld_tasks_walk import motives
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.hero import confusable
from compoworld_tasks_walk.known import NEVER, Known
from compoworld_tasks_walk.patterns import PATTERNS, READS, Option, Pattern
from compoworld_tasks_walk.patterns.ties import referring
from compoworld_tasks_walk.sinks import fitting, subject_of

Listed = list[tuple[Pattern, list[Option]]]


@frozen
class Onward:
    """What a visit has left to tell when it has acted; looked for only as far as it matters."""

    draft: Draft
    visit: int
    patterns: Sequence[Pattern]
    shortest: int

    def leaves(self, table: str = "") -> bool:
        """Does it tell what the walk can go on with, where a table is closed ("" for none)?

        By the kind of what it tells: the plan will have grown until then.
        """
        draft, visit = self.draft, self.visit
        asked = ("leaves", draft.walk[: visit + 1], draft.services, draft.dead, table)
        if asked not in draft.readable:
            walk = draft.walk
            draft.readable[asked] = any(
                option.table not in self._closed(table) for option in self._told()
            )
            draft.walk = walk
        return bool(draft.readable[asked])

    def _told(self) -> Iterator[Option]:
        draft, visit = self.draft, self.visit
        for to in chain(*nexts(draft, visit, self.shortest)):
            send(draft, visit, to)
            there = usable(draft, visit + 1, self.patterns)
            for pattern in READS:
                for option in (
                    _readable(draft, visit, pattern) if pattern in self.patterns else ()
                ):
                    if not option.tells or any(
                        takes(draft, visit + 1, fact, there) for fact in option.tells
                    ):
                        yield option

    def _closed(self, table: str) -> frozenset[str]:
        """A table that tells nothing more, and its children."""
        parent = self.draft.catalogue.tables.get((self.draft.walk[self.visit], table))
        children = referring(self.draft, parent) if parent is not None else []
        return frozenset({table, *(child.name for child, _ in children)})


@define
class Takers:
    """Which patterns take what is like some fact: of those that were asked."""

    left: set[Pattern]
    """Those not asked yet."""
    yes: set[str] = field(factory=set)
    """Names of those that do."""


READILY = sorted(PATTERNS, key=lambda p: p.name not in ("copy", "update", "join", "create"))
"""The patterns, those first that take most facts and are asked soonest."""


def options_of(
    draft: Draft, visit: int, patterns: Sequence[Pattern], facts: Sequence[Known]
) -> Listed:
    """What each pattern can do here with these facts."""
    taken = made_by(draft)
    found = [(pattern, _listed(draft, visit, pattern, facts, taken)) for pattern in patterns]
    return [pair for pair in found if pair[1]]


def _listed(
    draft: Draft,
    visit: int,
    pattern: Pattern,
    facts: Sequence[Known],
    taken: set[tuple[str, str]],
) -> list[Option]:
    """What one pattern can do here that was not tried."""
    return [
        option
        for fact in facts
        for option in pattern.options(draft, visit, fact)
        if option.weight > 0 and (draft.walk[visit], option.table) not in taken
        if way_of(draft, visit, pattern, option) not in draft.dead
    ]


def way_of(draft: Draft, visit: int, pattern: Pattern, option: Option) -> tuple[str, ...]:
    """What an option does, as far as matters for not trying it again."""
    to = draft.walk[visit + 1] if visit + 1 < len(draft.walk) else ""
    return (draft.walk[visit], to, pattern.name, option.table, option.tool)


def made_by(draft: Draft) -> set[tuple[str, str]]:
    """Tables into which the plan has put what would be taken for what was there."""
    steps = {step.id: step.tool for step in draft.steps}
    return {
        (goal.service, goal.table)
        for goal in draft.goals
        if goal.kind == "create" and goal.table
        if confusable(draft.catalogue, goal.service, goal.table, steps[goal.step])
    }


def promising(
    draft: Draft, visit: int, patterns: Sequence[Pattern], left: Onward | None = None
) -> Listed:
    """What can be read of the hero's at a visit that the next one may use.

    Nothing else than what the favoured pattern takes, where there is such. `left` is what the
    next visit has to have left.
    """
    reads = [pattern for pattern in READS if pattern in patterns]
    there = usable(draft, visit + 1, patterns)
    favoured = there & {draft.favoured} - set(draft.patterns)
    if favoured and opens(draft, visit, patterns, favoured, left):
        there = favoured
    told = [(pattern, list(_told(draft, visit, pattern, there, left))) for pattern in reads]
    return [pair for pair in told if pair[1]]


def opens(
    draft: Draft,
    visit: int,
    patterns: Sequence[Pattern],
    there: frozenset[str] | None = None,
    left: Onward | None = None,
) -> bool:
    """Can anything be read of the hero's at a visit that the next one may use?

    Args:
        draft: the plan so far.
        visit: of what the walk has come to.
        patterns: what may be done.
        there: names of those of the next visit; all that are open where None.
        left: what the next visit has to have left.
    """
    there = usable(draft, visit + 1, patterns) if there is None else there
    walk = draft.walk[visit : visit + 2]
    asked = ("opens", visit, walk, there, draft.dead, draft.kept, draft.services, left is None)
    if asked not in draft.readable:
        draft.readable[asked] = any(
            True
            for pattern in READS
            if pattern in patterns
            for _ in _told(draft, visit, pattern, there, left)
        )
    return bool(draft.readable[asked])


def _told(
    draft: Draft, visit: int, pattern: Pattern, there: frozenset[str], left: Onward | None
) -> Iterator[Option]:
    for option in _readable(draft, visit, pattern):
        if way_of(draft, visit, pattern, option) not in draft.dead and (
            not option.tells
            or any(admits(draft, visit + 1, fact, there, left) for fact in option.tells)
        ):
            yield option


def _readable(draft: Draft, visit: int, pattern: Pattern) -> list[Option]:
    """What a pattern can read of the hero's at a visit, kept while the plan does not grow.

    Patterns that look ahead depend on where the walk goes next; what is kept for the ending is
    said on the way there alone.
    """
    to = draft.walk[visit + 1] if pattern.ahead else draft.walk[-1] == draft.ending
    here = (visit, draft.walk[visit], pattern.name, to)
    known: list[Option] | None = draft.readable.get(here)
    if known is None:
        keys = [fact for fact in draft.known if fact.visit == NEVER]
        known = draft.readable[here] = _listed(draft, visit, pattern, keys, made_by(draft))
    return known


def nexts(draft: Draft, visit: int, shortest: int) -> tuple[list[str], list[str]]:
    """The services that may come after a visit: those that are new to the walk, and others."""
    here, before = draft.walk[visit], draft.walk[: visit + 1]
    left = len(draft.walk) - visit - 1
    lacking = [name for name in draft.services if name not in before]
    new = [name for name in lacking if name != draft.ending]
    alone = len(draft.services) == 1
    seen = [name for name in dict.fromkeys(before) if name != here or alone]
    if draft.ending in lacking and not new:
        new = [draft.ending] if visit + 2 >= shortest else []
        return new, [] if left == 1 else seen
    if len(lacking) >= left and new:
        return new, []
    return new, seen


def onward(
    draft: Draft, visit: int, patterns: Sequence[Pattern], shortest: int
) -> Onward | None:
    """What a visit has to have left; None where the walk may end with it."""
    if visit == len(draft.walk) - 1 or may_end(draft, visit, shortest):
        return None
    return Onward(draft, visit, patterns, shortest)


def may_end(draft: Draft, visit: int, shortest: int) -> bool:
    """May the walk end with a visit, once it has acted?"""
    return visit + 1 >= shortest and all_visited(draft, visit)


def all_visited(draft: Draft, visit: int) -> bool:
    """Has the walk visited all of its services by then?"""
    return len(set(draft.walk[: visit + 1])) == len(draft.services)


def send(draft: Draft, visit: int, to: str) -> None:
    """Let the walk lead to a service from a visit on."""
    draft.walk = (*draft.walk[: visit + 1], *(to,) * (len(draft.walk) - visit - 1))


def leaves_open(option: Option, left: Onward | None) -> bool:
    """Can the walk go on after an option?"""
    return left is None or not option.closes or left.leaves(option.closes)


def open_to(draft: Draft, patterns: Sequence[Pattern]) -> list[Pattern]:
    """The patterns that the plan may still use."""
    return [
        p
        for p in patterns
        if p.name not in draft.spared and not (p.once and p.name in draft.patterns)
    ]


def usable(draft: Draft, visit: int, patterns: Sequence[Pattern]) -> frozenset[str]:
    """Names of the patterns that a visit may use: the last one writes."""
    last = visit == len(draft.walk) - 1
    return frozenset(p.name for p in open_to(draft, patterns) if p.writes or not last)


def takes(draft: Draft, visit: int, fact: Known, patterns: frozenset[str]) -> bool:
    """Would one of the patterns of these names take such a fact at a visit, were it the first?

    It depends on what the fact is like and on nothing that the plan holds, so that the answer
    is the same whoever asks first.
    """
    last = visit == len(draft.walk) - 1
    like = (_likeness(draft, fact), draft.walk[visit], draft.lenient, last)
    known = draft.catalogue.takers
    if like not in known:
        known[like] = Takers(left=set() if _idle(draft, visit, fact) else {*READILY})
    asked = known[like]
    if not asked.yes.isdisjoint(patterns):
        return True
    unasked = [p for p in READILY if p in asked.left and p.name in patterns]
    if unasked:
        bare = draft.bare()
        for pattern in unasked:
            asked.left.remove(pattern)
            if any(option.weight > 0 for option in pattern.options(bare, visit, fact)):
                asked.yes.add(pattern.name)
                return True
    return False


def admits(
    draft: Draft, visit: int, fact: Known, patterns: frozenset[str], left: Onward | None = None
) -> bool:
    """Would one of these patterns take such a fact at a visit, in the plan as it stands?

    And has that visit something left then?
    """
    last = visit == len(draft.walk) - 1
    like = _likeness(draft, fact)
    asked = ("admits", visit, draft.walk[visit], last, like, patterns, draft.dead)
    if asked not in draft.readable:
        taken = takes(draft, visit, fact, patterns)
        draft.readable[asked] = _closings(draft, visit, fact, patterns) if taken else []
    return any(leaves_open(option, left) for option in draft.readable[asked])


def _closings(draft: Draft, visit: int, fact: Known, patterns: frozenset[str]) -> list[Option]:
    """An option for each table that is closed by what is done with a fact.

    One alone that closes none, where there is such: it leaves everything open.
    """
    taken = made_by(draft)
    closing: dict[str, Option] = {}
    for pattern in READILY:
        if pattern.name in patterns:
            options = _listed(draft, visit, pattern, [fact], taken)
            closing |= {option.closes: option for option in options}
            if "" in closing:
                return [closing[""]]
    return list(closing.values())


def _likeness(draft: Draft, fact: Known) -> tuple[Any, ...]:
    """What a fact is like, in the draft's story; kept with the fact, which is asked often."""
    if fact.likeness is None or fact.likeness[0] != draft.story:
        named = None if fact.names is None else (fact.names.pair.profile.name, fact.names.key)
        fact.likeness = (
            draft.story, fact.service, fact.table, fact.field, fact.kind, type(fact.value),
            fact.source, named, subject_of(draft, fact), motives.matter_of(fact.value),
        )  # fmt: skip
    return fact.likeness


def _idle(draft: Draft, visit: int, fact: Known) -> bool:
    """Does it find nothing, and mean nothing to the errand or fit nowhere? No pattern takes it.

    Only a day may fit as what is reckoned from it.
    """
    place = (fact.service, fact.table, fact.field)
    if (
        fact.source != "field"
        or fact.names
        or draft.lenient
        or draft.catalogue.joins.get(place)
    ):
        return False
    return not subject_of(draft, fact) or (
        fact.kind in ("money", "cents", "code")
        and not any(fitting(draft, draft.walk[visit], fact, how) for how in ("copy", "create"))
    )
