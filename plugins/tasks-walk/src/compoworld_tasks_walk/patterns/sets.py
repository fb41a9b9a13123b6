"""Sets: all records that share a carried key and pass a filter, with siblings that do not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from attrs import frozen

from compoworld_core.expressions import Expr
from compoworld_tasks_walk.catalogue import Barren, FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.habits import GONE, SETTLED
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.patterns.finding import by_fact
from compoworld_tasks_walk.patterns.narrowing import narrowing, narrows
from compoworld_tasks_walk.patterns.records import settle
from compoworld_tasks_walk.patterns.ties import Tie, key_held, ties
from compoworld_tasks_walk.planting import Planted
from compoworld_tasks_walk.script import FactOf, Value
from compoworld_tasks_walk.selecting import Wanted, select, selectable

Like = dict[str, tuple[object, ...]]


@frozen
class SetKey:
    """What the rows of a set share: a carried key, or the record that the key finds."""

    tie: Tie
    profile: TableProfile
    column: FieldProfile
    parent: tuple[TableProfile, FieldProfile] | None = None
    """The table and field that the key finds, where the set's rows refer to that row."""


@frozen
class Shared:
    """The shared value, in the plan, in the two worlds and in the instruction."""

    expr: Expr
    hero: Any
    shadow: Any
    value: Value
    via: str = ""


def set_keys(draft: Draft, visit: int, fact: Known) -> Iterator[SetKey]:
    """The tables of this visit's service in which the fact can stand for several rows."""
    if fact.names is not None:
        return
    for tie in ties(draft, draft.walk[visit], fact):
        if key_held(draft, fact, tie.found, tie.key, (tie.profile, tie.column)):
            continue
        if tie.child is not None:
            yield SetKey(tie, tie.child, tie.child.fields[tie.ref], (tie.profile, tie.column))
        elif not tie.titled and not tie.column.fact.distinct:
            yield SetKey(tie, tie.profile, tie.column)


OPEN: Final = re.compile(r"open|past.?due|unpaid|overdue|pending")
"""States of records that people ask after."""


def shared_key(draft: Draft, visit: int, fact: Known, key: SetKey) -> Shared:
    """What the rows of a set have in common; finds the record that they refer to.

    Barren where rows with it are there already: they would be in the set too.
    """
    if key.parent is None:
        shared = Shared(draft.use(fact), fact.hero, fact.shadow, fact.value)
    else:
        owner = by_fact(draft, visit, fact, *key.parent)
        shared = Shared(
            draft.expr(owner, "id"), owner.hero["id"], owner.shadow["id"],
            FactOf(owner.id, "id", "id"), owner.id,
        )  # fmt: skip
    profile, name = key.profile, key.column.name
    if draft.planter.holds(profile, name, shared.hero):
        raise Barren(f"{profile.name} is looked up by {name} already")
    if draft.catalogue.stands(profile, name, shared.hero):
        raise Barren(f"{shared.hero!r} has rows in {profile.name} already")
    return shared


Prepare = Callable[[list[Planted], list[Planted], list[Planted]], None]
"""Sets values of the hero rows, shadow rows and siblings before they are looked up."""


def select_set(
    draft: Draft,
    visit: int,
    fact: Known,
    key: SetKey,
    like: Like | None = None,
    prepare: Prepare = lambda heroes, shadows, siblings: None,
    *,
    negated: bool = False,
) -> Rec:
    """Select the rows that share the key and whose enum field has a drawn value.

    Hero and shadow rows differ in number. With `negated`, the rows that have any other value.
    """
    profile, column, rng = key.profile, key.column, draft.rng
    shared = shared_key(draft, visit, fact, key)
    filters = _filters(draft, key, like or {}, negated)
    chosen = narrowing(draft, profile, [each for each, _ in filters])
    values = next(held for each, held in filters if each is chosen)
    likely = [held for held in values if _likely(held, negated)]
    kept = [held for held in values if negated or str(held).lower() not in GONE]
    value = rng.choice(likely or kept or values)
    rest = [v for v in values if v != value]
    inside, outside = (rest, [value]) if negated else ([value], rest)
    asked = [column.name] if negated else [column.name, chosen.name]
    like = draft.catalogue.like(profile, asked, like or {}, many=True)
    free: Like = {name: held for name, held in like.items() if name != chosen.name}
    wanted: Like = {**free, chosen.name: tuple(inside)}
    pair = draft.planter.pair(profile.service, profile.name, wanted)
    pair.set(column.name, shared.hero, shared.shadow)
    draft.planter.align(pair.hero, shared.hero)
    draft.planter.align(pair.shadow, shared.shadow)
    pair.set(chosen.name, rng.choice(inside), rng.choice(inside))
    count = rng.choice((2, 3, 3, 4))

    def more(first: Planted, like: Like, role: str, options: list[Any]) -> Planted:
        """One more row with the same key: other values in all else."""
        planted = draft.planter.plant(profile, role, like=like)
        planted.row[column.name] = first.row[column.name]
        planted.row[chosen.name] = rng.choice(options)
        draft.planter.align(planted, first.row[column.name])
        return planted

    heroes = [pair.hero]
    heroes += [more(pair.hero, wanted, "hero", inside) for _ in range(count - 1)]
    shadows = [pair.shadow]
    shadows += [more(pair.shadow, wanted, "shadow", inside) for _ in range(count % 3)]
    siblings = []
    if draft.plants.siblings:
        firsts = (pair.hero, pair.hero, pair.shadow)
        siblings = [more(first, free, "sibling", outside) for first in firsts]
    prepare(heroes, shadows, siblings)
    enum_expr, enum_said = draft.say(value, "status")
    wants = [
        Wanted(column.name, shared.expr, shared.value, shared.via),
        Wanted(chosen.name, enum_expr, enum_said, negated=negated),
    ]
    rec = select(draft, visit, profile.service, profile.name, wants, many=True)
    rec.rivals = [twin.row for twin in siblings]
    return settle(draft, rec, pair, heroes)


def _likely(state: Any, negated: bool) -> bool:
    """Do people ask after records in a state; or, of what they leave out, is it over?"""
    named = str(state).lower()
    return named in SETTLED if negated else OPEN.search(named) is not None


def _filters(
    draft: Draft, key: SetKey, like: Like, negated: bool
) -> list[tuple[FieldProfile, list[Any]]]:
    """The enum fields that can narrow a set, with their values; Barren where none can."""
    profile, column = key.profile, key.column
    found = []
    for each in profile.enums():
        asked = [column.name] if negated else [column.name, each.name]
        if each.name == column.name or not narrows(draft, profile, each):
            continue
        if not selectable(draft, profile, asked, many=True):
            continue
        values = _values(each, like)
        if len(values) > 1:
            found.append((each, values))
    if not found:
        raise Barren(f"{profile.service}.{profile.name} has no filter that leaves some out")
    return found


def _values(column: FieldProfile, like: Like) -> list[Any]:
    """The values of an enum field that are seeded and allowed, each once."""
    allowed = set(map(str, like.get(column.name, column.values)))
    return [value for value in dict.fromkeys(column.values) if str(value) in allowed]
