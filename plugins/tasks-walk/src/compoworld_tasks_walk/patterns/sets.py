"""Sets: all records that share a carried key and pass a filter, with siblings that do not."""

from __future__ import annotations

from typing import Any

from compoworld_tasks_walk.catalogue import FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft, Known, Rec
from compoworld_tasks_walk.patterns.pattern import settle
from compoworld_tasks_walk.planting import Barren, Planted

Like = dict[str, tuple[object, ...]]


def select_set(
    draft: Draft,
    visit: int,
    fact: Known,
    profile: TableProfile,
    column: FieldProfile,
    like: Like | None = None,
) -> tuple[Rec, list[Planted], list[Planted]]:
    """Select the rows whose key is the fact and whose enum field has a drawn value.

    Returns the record set, its hero rows and its shadow rows; they differ in number.
    """
    if draft.planter.holds(profile, column.name, fact.hero):
        raise Barren(f"{profile.name} is looked up by {column.name} already")
    if draft.catalogue.stands(profile, column.name, fact.hero):
        raise Barren(f"{fact.hero!r} has rows in {profile.name} already")
    draw = draft.rng
    filters = [
        c
        for c in profile.enums()
        if c.name != column.name and draft.can_select_many(profile, [column.name, c.name])
    ]
    if not filters:
        raise Barren(f"{profile.service}.{profile.name} has no filter for a set")
    chosen = draw.choice(filters)
    allowed = set(map(str, (like or {}).get(chosen.name, chosen.values)))
    values = [v for v in dict.fromkeys(chosen.values) if str(v) in allowed]
    if not values:
        raise Barren(f"no value of {chosen.name} is allowed")
    value = draw.choice(values)
    others = [v for v in dict.fromkeys(chosen.values) if v != value]
    like = draft.like(profile, [column.name, chosen.name], like or {}, many=True)
    wanted: Like = {**like, chosen.name: (value,)}
    pair = draft.planter.pair(profile.service, profile.name, wanted)
    pair.set(column.name, fact.hero, fact.shadow)
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
    expr = draft.use(fact)
    enum_expr, enum_said = draft.say(value, "status")
    rec = draft.select(
        visit, profile.service, profile.name,
        [(column.name, expr, fact.value, ""), (chosen.name, enum_expr, enum_said, "")], many=True,
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
    return planted
