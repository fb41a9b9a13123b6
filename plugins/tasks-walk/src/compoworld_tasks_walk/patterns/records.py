"""Records: what a plan knows of the records that it has selected, and describing one.

A described record is planted with its shadow, and with a near-duplicate that a condition tells
apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from compoworld_core.patch import Operation
from compoworld_core.types import Kind
from compoworld_tasks_walk import moves
from compoworld_tasks_walk.catalogue import Barren, FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.habits import GONE, SETTLED
from compoworld_tasks_walk.known import Counter, Known, Rec
from compoworld_tasks_walk.motives import DAYS
from compoworld_tasks_walk.patterns.narrowing import near_duplicate
from compoworld_tasks_walk.patterns.writing import settled, written
from compoworld_tasks_walk.planting import Pair, Planted
from compoworld_tasks_walk.reach import describable, handle, telling
from compoworld_tasks_walk.script import FactOf, Stated, Value
from compoworld_tasks_walk.selecting import Wanted, select
from compoworld_tasks_walk.words import head

Like = dict[str, tuple[object, ...]]
"""Field → values that a donor row must have one of."""


def worth(draft: Draft, fact: Known, service: str, table: str, pattern: str) -> float:
    """How natural it is to go from the fact's record to one of this table."""
    target = draft.catalogue.archetype(service, table)
    natural = moves.worth(origin(draft, fact), target, pattern, fact.kind)
    if rivals(draft, service, table):
        return 0.0
    return natural * (ALIKE if _alike(draft, service, table) else 1.0)


TRADE: Final = ("order", "bill", "contract")
"""Archetypes of which a text speaks of one table: of an order and a draft order nobody knows
which one "the order" is."""


def rivals(draft: Draft, service: str, table: str) -> bool:
    """Does the plan speak of another table of the same sort, or of several records of it?"""
    archetype = draft.catalogue.archetype(service, table)
    strict = archetype in TRADE and not (draft.loose or draft.lenient)
    return strict and any(
        draft.catalogue.archetype(rec.service, rec.table) == archetype
        for rec in draft.records.values()
        if rec.many or (rec.service, rec.table) != (service, table)
    )


ALIKE: Final = 0.03
"""How much less a ticket is spoken of beside one of another service: they are mistaken."""


def _alike(draft: Draft, service: str, table: str) -> bool:
    """Does the plan speak of something that is called the same, elsewhere?"""
    noun = head(draft.noun(service, table))
    return any(
        rec.service != service and head(draft.noun(rec.service, rec.table)) == noun
        for rec in draft.records.values()
    )


def origin(draft: Draft, fact: Known) -> str:
    """What the fact's record is about; the hero's own keys are a customer's or a firm's."""
    if not fact.service:
        return "firm" if fact.kind == "company" else "customer"
    if isinstance(fact.value, Stated):
        return "message"  # whatever holds the text, it tells what somebody has written
    return draft.catalogue.archetype(fact.service, fact.table)


def found_before(draft: Draft, service: str, table: str) -> list[Rec]:
    """The single records of a table that the plan has found."""
    return [
        rec
        for rec in draft.records.values()
        if (rec.service, rec.table, rec.many) == (service, table, False) and rec.pair
    ]


def settle(draft: Draft, rec: Rec, pair: Pair, members: Sequence[Planted] = ()) -> Rec:
    """Tie a selected record to its planted rows; Barren unless the plan found just these."""
    rec.pair, rec.hero, rec.shadow = pair, pair.hero.row, pair.shadow.row
    rec.members = [planted.row for planted in members]
    pair.fixed |= rec.used
    found = draft.trial.value(draft.selections[-1].key)
    wanted = [row["id"] for row in rec.members] or rec.hero["id"]
    if (
        (sorted(map(str, found)), len(found)) != (sorted(map(str, wanted)), len(wanted))
        if (rec.many)
        else found != wanted
    ):
        raise Barren(f"{rec.lookup.tool} does not find the row")
    return rec


def of_base(
    draft: Draft,
    visit: int,
    fact: Known,
    profile: TableProfile,
    column: FieldProfile,
    like: Like,
) -> Rec:
    """Select a row of the base world, as our own people are: nothing needs planting."""
    rows = []
    for value in (fact.hero, fact.shadow):
        wanted = draft.catalogue.like(profile, [column.name], {**like, column.name: (value,)})
        found = draft.catalogue.donors(profile, wanted)
        if not column.fact.distinct or len(found) != 1:
            raise Barren(f"{value!r} does not name one row of {profile.name}")
        rows.append(found[0].model_dump(mode="json"))
    conditions = [Wanted(column.name, draft.use(fact), fact.value)]
    rec = select(draft, visit, profile.service, profile.name, conditions)
    planted = [Planted(profile.service, profile.name, row, 0.0, "base") for row in rows]
    return settle(draft, rec, Pair(profile, planted[0], planted[1], fixed=set(profile.fields)))


def describe(
    draft: Draft,
    visit: int,
    table: str,
    like: Like | None = None,
    prepare: Callable[[Pair, FieldProfile], None] = lambda pair, key: None,
    by: FieldProfile | None = None,
) -> Rec:
    """Select a record that the instruction describes; near-duplicates are planted.

    Args:
        draft: the plan so far.
        visit: whose service.
        table: which.
        like: field → values that a donor row must have one of.
        prepare: sets values of the rows, given the field that describes them, before they are
            looked up.
        by: the field that describes it; one that people use where none is given.
    """
    service = draft.walk[visit]
    options = [
        (profile, column, handle(draft.catalogue, profile, column))
        for profile, column in (
            describable(draft.catalogue, service, table)
            if by is None
            else [(draft.profile(service, table), by)]
        )
    ]
    if not options:
        raise Barren(f"{service} has no record that people can describe")
    profile, column, _ = draft.rng.choices(options, [held for *_, held in options])[0]
    like = draft.catalogue.like(
        profile, [column.name], {**(like or {}), column.name: column.values}
    )
    pair = draft.planter.pair(service, profile.name, like)
    prepare(pair, column)
    key = pair.hero.row[column.name]
    if draft.catalogue.stands(profile, column.name, key):
        raise Barren(f"{key!r} names a row of {profile.name} already")
    draft.planter.reserve(profile, column.name, key)
    pair.set(column.name, key, pair.shadow.row[column.name])
    expr, said = draft.say(key, column.fact.kind)
    conditions = [Wanted(column.name, expr, said)]
    if not column.fact.distinct and by is None:
        second = near_duplicate(draft, pair, column.name)
        if second:
            name, value = second
            kind = profile.fields[name].fact.kind
            kind = "status" if profile.fields[name].fact.enum else kind
            second_expr, second_said = draft.say(value, kind)
            conditions.append(Wanted(name, second_expr, second_said))
    rec = select(draft, visit, service, profile.name, conditions)
    return settle(draft, rec, pair)


def _over(draft: Draft, rec: Rec) -> bool:
    """Is the record in a state in which people leave it alone?"""
    enums = draft.profile(rec.service, rec.table).enums()
    return any(str(rec.hero.get(column.name)).lower() in SETTLED for column in enums)


def _gone(draft: Draft, rec: Rec) -> bool:
    """Was the record called off?"""
    enums = draft.profile(rec.service, rec.table).enums()
    trade = draft.catalogue.archetype(rec.service, rec.table) in (*TRADE, "payment")
    return trade and any(str(rec.hero.get(c.name)).lower() in GONE for c in enums)


def outline(service: str, table: str, field: str, kind: Kind, value: Value) -> Known:
    """A fact that could be had, before any record is planted: enough to see who takes it."""
    sample = 1 if kind in ("cents", "quantity") else "2026-01-01" if kind == "date" else "1"
    return Known(
        service, table, field, kind, None, sample, sample, 0, value, Counter(service, (), "")
    )  # fmt: skip


def outlines(profile: TableProfile, used: str) -> tuple[Known, ...]:
    """What a row that is found by a field could tell."""
    return tuple(
        outline(
            profile.service, profile.name, column.name, column.fact.kind,
            FactOf("", column.name, column.fact.kind),
        )
        for column in telling(profile, (used,))
    )  # fmt: skip


def facts_of(draft: Draft, rec: Rec, visit: int) -> list[Known]:
    """What the record tells that can be carried on: fields whose shadow value differs."""
    if rec.pair is None:
        return []
    profile = draft.profile(rec.service, rec.table)
    found = []
    changed, done = written(draft, rec), settled(draft, rec)
    for column in telling(profile, rec.used):
        name, kind = column.name, column.fact.kind
        if name in changed:
            continue
        hero, shadow = rec.hero.get(name), rec.shadow.get(name)
        if hero in (None, "") or shadow in (None, "") or hero == shadow:
            continue
        if draft.known_to_all(hero) or draft.known_to_all(shadow):
            continue
        if isinstance(hero, dict | list) or not draft.shows(rec, name):
            continue
        if kind in DAYS and _over(draft, rec):
            continue  # when it was due is no matter any more
        if not done and _gone(draft, rec):
            continue  # nor what was called off by somebody else
        found.append(
            Known(
                rec.service, rec.table, name, kind, None, hero, shadow, visit,
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
                record=rec.id, settled=done,
            )
        )  # fmt: skip
    return found
