"""Sets: all records that share a carried key and pass a filter, with siblings that do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from compoworld_core.expressions import Expr
from compoworld_tasks_walk.catalogue import Barren, FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.patterns.join import referring
from compoworld_tasks_walk.patterns.pattern import by_fact, settle, targets
from compoworld_tasks_walk.planting import Planted
from compoworld_tasks_walk.script import FactOf, Value

Like = dict[str, tuple[object, ...]]


@frozen
class SetKey:
    """What the rows of a set share: a carried key, or the record that the key finds."""

    profile: TableProfile
    column: FieldProfile
    parent: tuple[TableProfile, FieldProfile] | None = None
    """The table and field that the key finds, where the set's rows refer to that row."""


@frozen
class _Shared:
    """The shared value, in the plan, in the two worlds and in the instruction."""

    expr: Expr
    hero: Any
    shadow: Any
    value: Value
    via: str = ""


def set_keys(draft: Draft, visit: int, fact: Known) -> Iterator[SetKey]:
    """The tables of this visit's service in which the fact can stand for several rows."""
    for profile, column in targets(draft, visit, fact):
        if not column.fact.distinct:
            yield SetKey(profile, column)
        for child, ref in referring(draft, profile):
            yield SetKey(child, child.fields[ref], (profile, column))


def _shared(draft: Draft, visit: int, fact: Known, key: SetKey) -> _Shared:
    if key.parent is None:
        return _Shared(draft.use(fact), fact.hero, fact.shadow, fact.value)
    owner = by_fact(draft, visit, fact, *key.parent)
    return _Shared(
        draft.expr(owner, "id"), owner.hero["id"], owner.shadow["id"],
        FactOf(owner.id, "id", "id"), owner.id,
    )  # fmt: skip


def select_set(
    draft: Draft, visit: int, fact: Known, key: SetKey, like: Like | None = None
) -> tuple[Rec, list[Planted], list[Planted]]:
    """Select the rows that share the key and whose enum field has a drawn value.

    Returns the record set, its hero rows and its shadow rows; they differ in number.
    """
    profile, column = key.profile, key.column
    draw = draft.rng
    filters = [
        c
        for c in profile.enums()
        if c.name != column.name and draft.can_select_many(profile, [column.name, c.name])
    ]
    if not filters:
        raise Barren(f"{profile.service}.{profile.name} has no filter for a set")
    shared = _shared(draft, visit, fact, key)
    if draft.planter.holds(profile, column.name, shared.hero):
        raise Barren(f"{profile.name} is looked up by {column.name} already")
    if draft.catalogue.stands(profile, column.name, shared.hero):
        raise Barren(f"{shared.hero!r} has rows in {profile.name} already")
    chosen = draw.choice(filters)
    allowed = set(map(str, (like or {}).get(chosen.name, chosen.values)))
    values = [v for v in dict.fromkeys(chosen.values) if str(v) in allowed]
    if not values:
        raise Barren(f"no value of {chosen.name} is allowed")
    value = draw.choice(values)
    others = [v for v in dict.fromkeys(chosen.values) if v != value]
    like = draft.catalogue.like(profile, [column.name, chosen.name], like or {}, many=True)
    wanted: Like = {**like, chosen.name: (value,)}
    pair = draft.planter.pair(profile.service, profile.name, wanted)
    pair.set(column.name, shared.hero, shared.shadow)
    draft.planter.align(pair.hero, shared.hero)
    draft.planter.align(pair.shadow, shared.shadow)
    pair.set(chosen.name, value, value)
    count = draw.choice((2, 3, 3, 4))
    heroes = [pair.hero] + [
        _more(draft, profile, wanted, pair.hero, column, chosen) for _ in range(count - 1)
    ]
    shadows = [pair.shadow] + [
        _more(draft, profile, wanted, pair.shadow, column, chosen) for _ in range(count % 3)
    ]
    if draft.plants.siblings:
        for planted in (pair.hero, pair.hero, pair.shadow):
            twin = _more(draft, profile, {}, planted, column, None)
            twin.role = "sibling"
            twin.row[chosen.name] = draw.choice(others)
    enum_expr, enum_said = draft.say(value, "status")
    rec = draft.select(
        visit, profile.service, profile.name,
        [
            (column.name, shared.expr, shared.value, shared.via),
            (chosen.name, enum_expr, enum_said, ""),
        ],
        many=True,
    )  # fmt: skip
    settle(draft, rec, pair, heroes)
    return rec, heroes, shadows


def _more(
    draft: Draft,
    profile: TableProfile,
    like: Like,
    first: Planted,
    column: FieldProfile,
    filtered: FieldProfile | None,
) -> Planted:
    """One more row of the set: the same key and filter, other values."""
    planted = draft.planter.plant(profile, first.role, like=like)
    same: list[Any] = [column, *([filtered] if filtered else [])]
    for shared in same:
        planted.row[shared.name] = first.row[shared.name]
    draft.planter.align(planted, first.row[column.name])
    return planted
