"""The pattern protocol, and what several patterns share: selecting by a fact, reading facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from attrs import frozen

from compoworld_core.patch import Operation
from compoworld_core.types import Kind
from compoworld_tasks_walk.catalogue import (
    FACT_KINDS,
    Barren,
    FieldProfile,
    TableProfile,
)
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Counter, Known, Rec
from compoworld_tasks_walk.planting import Pair, Planted
from compoworld_tasks_walk.reach import describable, plantable
from compoworld_tasks_walk.script import FactOf
from compoworld_tasks_walk.trial import shows

IMPLIED: Mapping[Kind, frozenset[Kind]] = {
    "email": frozenset({"person"}),
    "person": frozenset({"email"}),
}
"""What a key gives away: an address shows the name, and the other way round."""


@frozen
class Option:
    """One way to go on: how likely it is tried, what it is worth, and how to do it."""

    weight: float
    score: float
    apply: Callable[[], None]
    """Raises Barren where it does not work out; the draft is then rolled back."""


class Pattern(Protocol):
    """A small object that proposes what a visit may do."""

    name: str
    writes: bool
    """Ends in a write, so that it can be the last visit."""

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Ways to use a fact of the visit before in the service of this visit."""
        ...


def targets(
    draft: Draft, visit: int, fact: Known
) -> Iterator[tuple[TableProfile, FieldProfile]]:
    """Fields of this visit's service that hold the same things as the fact."""
    service = draft.walk[visit]
    for place in draft.catalogue.joins.get((fact.service, fact.table, fact.field), ()):
        if place[0] == service and plantable(draft.catalogue, place):
            profile = draft.profile(service, place[1])
            yield profile, profile.fields[place[2]]


def by_fact(
    draft: Draft,
    visit: int,
    fact: Known,
    profile: TableProfile,
    column: FieldProfile,
    like: dict[str, tuple[object, ...]] | None = None,
) -> Rec:
    """Select the record whose key is the fact; plants it, its shadow and siblings."""
    if draft.planter.holds(profile, column.name, fact.hero):
        raise Barren(f"{profile.name} is looked up by {column.name} already")
    if any(draft.catalogue.stands(profile, column.name, v) for v in (fact.hero, fact.shadow)):
        return of_base(draft, visit, fact, profile, column, like or {})
    like = draft.catalogue.like(profile, [column.name], like or {})
    pair = draft.planter.pair(profile.service, profile.name, like)
    pair.set(column.name, fact.hero, fact.shadow)
    draft.planter.align(pair.hero, fact.hero)
    draft.planter.align(pair.shadow, fact.shadow)
    expr = draft.use(fact)
    conditions = [(column.name, expr, fact.value, "")]
    if not column.fact.distinct:
        narrowed = narrow(draft, pair, column.name, like)
        if narrowed:
            name, value = narrowed
            said_expr, said = draft.say(value, "status")
            conditions.append((name, said_expr, said, ""))
    rec = draft.select(visit, profile.service, profile.name, conditions)
    return settle(draft, rec, pair)


def of_base(
    draft: Draft,
    visit: int,
    fact: Known,
    profile: TableProfile,
    column: FieldProfile,
    like: dict[str, tuple[object, ...]],
) -> Rec:
    """Select a row of the base world, as our own people are: nothing needs planting."""
    rows = []
    for value in (fact.hero, fact.shadow):
        wanted = draft.catalogue.like(profile, [column.name], {**like, column.name: (value,)})
        found = draft.catalogue.donors(profile, wanted)
        if not column.fact.distinct or len(found) != 1:
            raise Barren(f"{value!r} does not name one row of {profile.name}")
        rows.append(found[0].model_dump(mode="json"))
    conditions = [(column.name, draft.use(fact), fact.value, "")]
    rec = draft.select(visit, profile.service, profile.name, conditions)
    planted = [Planted(profile.service, profile.name, row, 0.0, "base") for row in rows]
    return settle(draft, rec, Pair(profile, planted[0], planted[1], fixed=set(profile.fields)))


def settle(draft: Draft, rec: Rec, pair: Pair, members: Sequence[Planted] = ()) -> Rec:
    """Tie a selected record to its planted rows, once its look-up was seen to show them."""
    rec.pair, rec.hero, rec.shadow = pair, pair.hero.row, pair.shadow.row
    rec.members = [planted.row for planted in members]
    pair.fixed |= rec.used
    rows = draft.planter.rows[draft.visit_rows :]
    heroes = [row["id"] for row in rec.members] or [rec.hero["id"]]
    for row, wanted in ((rec.hero, heroes), (rec.shadow, [rec.shadow["id"]])):
        values = {name: row[name] for name in rec.used}
        shows(draft.catalogue, rows, rec.lookup, values, wanted)
    return rec


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
        and draft.can_select(profile, [key, column.name])
    ]
    if not options:
        return None
    column = draft.rng.choice(options)
    allowed = set(map(str, (like or {}).get(column.name, column.values)))
    values = [v for v in dict.fromkeys(column.values) if str(v) in allowed]
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


def describe(draft: Draft, visit: int, like: dict[str, tuple[object, ...]] | None = None,
             table: str = "") -> Rec:  # fmt: skip
    """Select a record that the instruction describes; near-duplicates are planted."""
    service = draft.walk[visit]
    options = describable(draft.catalogue, service, table)
    if not options:
        raise Barren(f"{service} has no record that people can describe")
    profile, column = draft.rng.choice(options)
    like = draft.catalogue.like(
        profile, [column.name], {**(like or {}), column.name: column.values}
    )
    pair = draft.planter.pair(service, profile.name, like)
    key = pair.hero.row[column.name]
    if draft.catalogue.stands(profile, column.name, key):
        raise Barren(f"{key!r} names a row of {profile.name} already")
    draft.planter.reserve(profile, column.name, key)
    pair.set(column.name, key, pair.shadow.row[column.name])
    expr, said = draft.say(key, column.fact.kind)
    conditions = [(column.name, expr, said, "")]
    if not column.fact.distinct:
        second = near_duplicate(draft, pair, column.name)
        if second:
            name, value = second
            kind = profile.fields[name].fact.kind
            kind = "status" if profile.fields[name].fact.enum else kind
            second_expr, second_said = draft.say(value, kind)
            conditions.append((name, second_expr, second_said, ""))
    rec = draft.select(visit, service, profile.name, conditions)
    draft.score -= 1.0
    return settle(draft, rec, pair)


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
        if telling and draft.can_select(profile, [key, column.name]):
            options.append(column)
    if not options:
        return None
    column = draft.rng.choice(options)
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


def facts_of(draft: Draft, rec: Rec) -> list[Known]:
    """What the record tells that can be carried on: fields whose shadow value differs."""
    if rec.pair is None:
        return []
    profile = draft.profile(rec.service, rec.table)
    used_kinds = {
        profile.fields[name].fact.kind for name in rec.used if profile.fields[name].outside
    }
    spent = used_kinds.union(*(IMPLIED.get(kind, frozenset()) for kind in used_kinds))
    found = []
    for name, column in profile.fields.items():
        kind = column.fact.kind
        if kind not in FACT_KINDS or name in rec.used or column.fact.many or column.fact.ref:
            continue
        if (kind in spent and column.outside) or column.fact.enum or column.past:
            continue
        hero, shadow = rec.hero.get(name), rec.shadow.get(name)
        if hero in (None, "") or shadow in (None, "") or hero == shadow:
            continue
        if draft.catalogue.actor in (hero, shadow):
            continue  # the instruction is signed with it
        if isinstance(hero, dict | list) or not draft.shows(rec, name):
            continue
        found.append(
            Known(
                rec.service, rec.table, name, kind, None, hero, shadow, rec.visit,
                FactOf(rec.id, name, kind),
                Counter(
                    rec.service,
                    (
                        Operation(
                            op="update", table=rec.table, id=rec.hero["id"], row={name: shadow}
                        ),
                    ),
                    f"{rec.table} {rec.hero['id']}: {name} is {shadow!r} instead of {hero!r}",
                ),
                record=rec.id,
            )
        )  # fmt: skip
    return found
