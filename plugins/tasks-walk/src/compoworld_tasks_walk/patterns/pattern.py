"""The pattern protocol, and what several patterns share: selecting by a fact, reading facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from attrs import frozen

from compoworld_core.expressions import Lit
from compoworld_core.patch import Operation
from compoworld_tasks_walk import moves
from compoworld_tasks_walk.catalogue import (
    Barren,
    FieldProfile,
    TableProfile,
)
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Counter, Known, Rec
from compoworld_tasks_walk.patterns.narrowing import narrow, near_duplicate
from compoworld_tasks_walk.patterns.writing import written
from compoworld_tasks_walk.planting import Pair, Planted
from compoworld_tasks_walk.reach import describable, handle, onward, plantable, telling
from compoworld_tasks_walk.script import FactOf, Said
from compoworld_tasks_walk.selecting import Wanted, select

NEVER = -9
"""The visit of a fact that the instruction gives: no edge starts there."""
PARTIES = ("customer", "firm", "colleague")
"""Archetypes of which a task meets one in a table: a second would be taken for the first."""
KNOWN = 0.5
"""How often a record that is known is gone back to, rather than another one found."""
LINKS = 3
"""Ties that are tried."""


@frozen
class Option:
    """One way to go on: how natural it is, and how to do it."""

    weight: float
    """0 is absurd and never tried, 1 is neutral, 3 what people do every day."""
    apply: Callable[[], None]
    """Raises Barren where it does not work out; the draft is then rolled back."""
    leads: bool = False
    """Tells something that the next visit can use; others need another record for that."""


class Pattern(Protocol):
    """A small object that proposes what a visit may do."""

    name: str
    writes: bool
    """Ends in a write, so that it can be the last visit."""
    weight: float
    """How often it is wanted, beside the others."""

    @property
    def probes(self) -> tuple[str, ...]:
        """The probes of the certificate that its tasks stand or fall by."""
        ...

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Ways to use a fact of the visit before in the service of this visit."""
        ...


def worth(draft: Draft, fact: Known, service: str, table: str, pattern: str) -> float:
    """How natural it is to go from the fact's record to one of this table."""
    catalogue = draft.catalogue
    return moves.worth(
        catalogue.archetype(fact.service, fact.table),
        catalogue.archetype(service, table),
        pattern,
        fact.kind,
    )


def leads(draft: Draft, visit: int, profile: TableProfile, key: str) -> bool:
    """Could a row that was found by this key tell something that the next visit can use?"""
    if visit + 1 >= len(draft.walk):
        return True
    return onward(draft.catalogue, profile, key, draft.walk[visit + 1])


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
    """Select the record whose key is the fact; plants it, its shadow and siblings.

    A record that the plan has found by this key before is taken again.
    """
    if draft.planter.holds(profile, column.name, fact.hero):
        return again(draft, fact, profile, column, like or {})
    kind = draft.catalogue.archetype(profile.service, profile.name)
    if kind in PARTIES and found_before(draft, profile.service, profile.name):
        raise Barren(f"a second {profile.name} would be taken for the first")
    if any(draft.catalogue.stands(profile, column.name, v) for v in (fact.hero, fact.shadow)):
        return of_base(draft, visit, fact, profile, column, like or {})
    like = draft.catalogue.like(profile, [column.name], like or {})
    pair = draft.planter.pair(profile.service, profile.name, like)
    pair.set(column.name, fact.hero, fact.shadow)
    draft.planter.align(pair.hero, fact.hero)
    draft.planter.align(pair.shadow, fact.shadow)
    expr = draft.use(fact)
    conditions = [Wanted(column.name, expr, fact.value)]
    if not column.fact.distinct:
        narrowed = narrow(draft, pair, column.name, like)
        if narrowed:
            name, value = narrowed
            said_expr, said = draft.say(value, "status")
            conditions.append(Wanted(name, said_expr, said))
    rec = select(draft, visit, profile.service, profile.name, conditions)
    return settle(draft, rec, pair)


def found_before(draft: Draft, service: str, table: str) -> list[Rec]:
    """The single records of a table that the plan has found."""
    return [
        rec
        for rec in draft.records.values()
        if (rec.service, rec.table, rec.many) == (service, table, False) and rec.pair
    ]


def again(
    draft: Draft,
    fact: Known,
    profile: TableProfile,
    column: FieldProfile,
    like: Mapping[str, tuple[object, ...]],
) -> Rec:
    """The record that the plan found by this key; Barren where it does not do."""
    for rec in found_before(draft, profile.service, profile.name):
        held = rec.hero.get(column.name), rec.shadow.get(column.name)
        if column.name not in rec.used or held != (fact.hero, fact.shadow):
            continue
        if all(rec.hero.get(n) in values for n, values in like.items() if "." not in n):
            return rec
    raise Barren(f"{profile.name} is looked up by {column.name} already")


def linked(
    draft: Draft,
    visit: int,
    table: str = "",
    like: dict[str, tuple[object, ...]] | None = None,
) -> Rec:
    """A record that is known here already, or tied to one that is: the customer's ticket."""
    service = draft.walk[visit]
    held = [
        rec
        for rec in draft.records.values()
        if rec.service == service and rec.pair and not rec.many
        if rec.table == table or (not table and facts_of(draft, rec, visit))
        if all(rec.hero.get(n) in v for n, v in (like or {}).items() if "." not in n)
    ]
    if held and draft.rng.random() < KNOWN:
        return draft.rng.choice(held)
    found = [
        (fact, profile, column, weight)
        for fact in draft.known
        for profile, column in targets(draft, visit, fact)
        if (profile.name == table if table else leads(draft, visit, profile, column.name))
        if (weight := worth(draft, fact, profile.service, profile.name, "join")) > 0
    ]
    for _ in range(LINKS):
        if not found:
            break
        chosen = draft.rng.choices(range(len(found)), [weight for *_, weight in found])[0]
        fact, profile, column, _ = found.pop(chosen)
        mark = draft.mark()
        try:
            return by_fact(draft, visit, fact, profile, column, like)
        except Barren:
            draft.back(mark)
    raise Barren("nothing here is tied to what is known")


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
    conditions = [Wanted(column.name, draft.use(fact), fact.value)]
    rec = select(draft, visit, profile.service, profile.name, conditions)
    planted = [Planted(profile.service, profile.name, row, 0.0, "base") for row in rows]
    return settle(draft, rec, Pair(profile, planted[0], planted[1], fixed=set(profile.fields)))


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


def describe(
    draft: Draft,
    visit: int,
    like: dict[str, tuple[object, ...]] | None = None,
    table: str = "",
    prepare: Callable[[Pair, FieldProfile], None] = lambda pair, key: None,
) -> Rec:
    """Select a record that the instruction describes; near-duplicates are planted.

    Args:
        draft: the plan so far.
        visit: whose service.
        like: field → values that a donor row must have one of.
        table: which; any that leads on where empty.
        prepare: sets values of the rows, given the field that describes them, before they are
            looked up.
    """
    service = draft.walk[visit]
    options = [
        (profile, column, handle(draft.catalogue, profile, column))
        for profile, column in describable(draft.catalogue, service, table)
        if table or leads(draft, visit, profile, column.name)
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
    if not column.fact.distinct:
        second = near_duplicate(draft, pair, column.name)
        if second:
            name, value = second
            kind = profile.fields[name].fact.kind
            kind = "status" if profile.fields[name].fact.enum else kind
            second_expr, second_said = draft.say(value, kind)
            conditions.append(Wanted(name, second_expr, second_said))
    rec = select(draft, visit, service, profile.name, conditions)
    draft.score -= 2.0
    return settle(draft, rec, pair)


def handle_of(draft: Draft, rec: Rec) -> list[Known]:
    """The keys by which the instruction names a record: they find others in any service.

    No edge carries them; the instruction gives them.
    """
    assert rec.pair is not None, "a described record was planted"
    profile = draft.profile(rec.service, rec.table)
    return [
        Known(
            rec.service, rec.table, trait.field, trait.kind,
            None if draft.shows(rec, trait.field) else Lit(
                literal=trait.value.value, kind=trait.kind
            ),
            rec.hero[trait.field], rec.shadow[trait.field], NEVER,
            FactOf(rec.id, trait.field, trait.kind),
            Counter(rec.service, (), "the instruction names another"), record=rec.id,
        )
        for trait in draft.mentioned[rec.id].traits
        if isinstance(trait.value, Said) and profile.fields[trait.field].outside
    ]  # fmt: skip


def facts_of(draft: Draft, rec: Rec, visit: int) -> list[Known]:
    """What the record tells that can be carried on: fields whose shadow value differs."""
    if rec.pair is None:
        return []
    profile = draft.profile(rec.service, rec.table)
    found = []
    changed = written(draft, rec)
    for column in telling(profile, rec.used):
        name, kind = column.name, column.fact.kind
        if name in changed:
            continue
        hero, shadow = rec.hero.get(name), rec.shadow.get(name)
        if hero in (None, "") or shadow in (None, "") or hero == shadow:
            continue
        if draft.owns(hero) or draft.owns(shadow):
            continue  # the instruction is signed with it
        if isinstance(hero, dict | list) or not draft.shows(rec, name):
            continue
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
                record=rec.id,
            )
        )  # fmt: skip
    return found
