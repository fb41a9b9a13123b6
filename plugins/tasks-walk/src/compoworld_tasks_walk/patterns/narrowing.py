"""Narrowing: a second condition of a description, and rows that meet all but that one."""

from __future__ import annotations

from collections.abc import Sequence

from compoworld_tasks_walk import moves
from compoworld_tasks_walk.catalogue import FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.habits import SETTLED
from compoworld_tasks_walk.planting import Pair
from compoworld_tasks_walk.selecting import selectable

NARROWING = 0.7
"""From this worth on people narrow by a field."""


def narrows(draft: Draft, profile: TableProfile, column: FieldProfile) -> bool:
    """Do people narrow by this field: "the open invoice", never "the user with end rights"?"""
    archetype = draft.catalogue.archetype(profile.service, profile.name)
    return moves.filter_worth(archetype, column.name) >= NARROWING


def narrowing(
    draft: Draft, profile: TableProfile, options: Sequence[FieldProfile]
) -> FieldProfile:
    """The field that people would narrow by, of those that can."""
    archetype = draft.catalogue.archetype(profile.service, profile.name)
    weights = [moves.filter_worth(archetype, column.name) for column in options]
    return draft.rng.choices(options, weights)[0]


def narrow(
    draft: Draft,
    pair: Pair,
    key: str,
    like: dict[str, tuple[object, ...]] | None,
) -> tuple[str, str] | None:
    """An enum condition that is needed: siblings share the key and differ in it."""
    profile = pair.profile
    options = [
        column
        for column in profile.enums()
        if column.name != key
        and pair.hero.row.get(column.name) is not None
        and narrows(draft, profile, column)
        and selectable(draft, profile, [key, column.name])
    ]
    if not options:
        return None
    column = narrowing(draft, profile, options)
    allowed = set(map(str, (like or {}).get(column.name, column.values)))
    values = [v for v in dict.fromkeys(column.values) if str(v) in allowed]
    values = [v for v in values if str(v).lower() not in SETTLED] or values
    values = [v for v in values if str(v).lower() != "new"] or values  # a text makes new ones
    if not values:
        return None
    value = draft.rng.choice(values)
    others = [v for v in dict.fromkeys(column.values) if v != value]
    if not others:
        return None
    pair.set(column.name, value, value)
    if draft.plants.siblings:
        for planted in (pair.hero, pair.shadow):
            twin = draft.planter.plant(profile, "sibling")
            twin.row[key] = planted.row[key]
            draft.planter.align(twin, twin.row[key])
            twin.row[column.name] = draft.rng.choice(others)
    return column.name, value


def near_duplicate(draft: Draft, pair: Pair, key: str) -> tuple[str, object] | None:
    """A second condition of a description, and a row with the same key that does not meet it.

    The row has other values in all else: whoever overlooks the condition carries them on.
    """
    profile = pair.profile
    options = []
    for column in profile.fields.values():
        value = pair.hero.row.get(column.name)
        if column.name == key or value is None or column.fact.ref or column.fact.many:
            continue
        telling = column.fact.enum or column.fact.kind == "date"
        if (
            telling
            and narrows(draft, profile, column)
            and selectable(draft, profile, [key, column.name])
        ):
            options.append(column)
    if not options:
        return None
    column = narrowing(draft, profile, options)
    value = pair.hero.row[column.name]
    others = [
        v.isoformat() if hasattr(v, "isoformat") else v
        for v in dict.fromkeys(column.values)
        if str(v) != str(value)
    ]
    if not others:
        return None
    pair.fixed.add(column.name)
    if draft.plants.near_duplicates:
        twin = draft.planter.plant(profile, "near-duplicate")
        twin.row[key] = pair.hero.row[key]
        draft.planter.align(twin, twin.row[key])
        twin.row[column.name] = draft.rng.choice(others)
    return column.name, value
