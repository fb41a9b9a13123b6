"""Finding: records that a plan selects: by a fact, through their party, or by a description.

Each is planted as it is selected: the record, its shadow and what competes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from attrs import evolve

from compoworld_core.expressions import Expr
from compoworld_tasks_walk import stories, topics
from compoworld_tasks_walk.catalogue import Barren, FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import NEVER, Known, Names, Rec
from compoworld_tasks_walk.patterns.drawing import drawn, proses
from compoworld_tasks_walk.patterns.narrowing import narrow
from compoworld_tasks_walk.patterns.records import (
    Like,
    describe,
    found_before,
    of_base,
    settle,
    worth,
)
from compoworld_tasks_walk.patterns.targets import READ_AS, nameable, naming, pending
from compoworld_tasks_walk.patterns.ties import Tie, ties
from compoworld_tasks_walk.planting import Pair, Said
from compoworld_tasks_walk.plots import Matter
from compoworld_tasks_walk.script import FactOf, Stated, Value
from compoworld_tasks_walk.selecting import Wanted, select

PARTIES: Final = ("customer", "firm", "colleague")
"""Archetypes of which a task meets one in a table: a second would be taken for the first."""
KNOWN: Final = 0.5
"""How often a record that is known is gone back to, rather than another one found."""
SPEAKING: Final = ("message", "work", "document", "meeting", "comment")
"""Archetypes in whose texts people write what counts."""
NARROWED: Final = 0.3
"""How often one of several records of a customer's is picked out by its state."""
NAMING: Final = ("message", "work", "document")
"""Archetypes in whose texts people name records of other services."""
LINKS: Final = 3
"""Ties that are tried."""

SPARED: Final = 0.5
"""How much of what a story has to say is kept for each visit to come, before one text says two
things."""
Prepare = Callable[[Pair], None]
"""Sets values of the rows before they are looked up."""


def by_tie(
    draft: Draft,
    visit: int,
    tie: Tie,
    like: Like | None = None,
    prepare: Prepare = lambda pair: None,
) -> Rec:
    """The record that a tie leads to; plants it, its shadow and siblings.

    A record that the plan has found this way before is taken again.
    """
    if tie.child is not None:
        return _of_parent(draft, visit, tie, tie.child, like, prepare)
    if tie.titled:
        return _titled(draft, visit, tie, like, prepare)
    return by_fact(draft, visit, tie.fact, tie.profile, tie.column, like, prepare)


def by_fact(
    draft: Draft,
    visit: int,
    fact: Known,
    profile: TableProfile,
    column: FieldProfile,
    like: Like | None = None,
    prepare: Prepare = lambda pair: None,
) -> Rec:
    """The record whose key is the fact."""
    if fact.names is not None:
        return _named(draft, visit, fact, like or {})
    if draft.planter.holds(profile, column.name, fact.hero):
        return again(draft, fact, profile, column, like or {})
    kind = draft.catalogue.archetype(profile.service, profile.name)
    if kind in PARTIES and found_before(draft, profile.service, profile.name):
        raise Barren(f"a second {profile.name} would be taken for the first")
    if any(draft.catalogue.stands(profile, column.name, v) for v in (fact.hero, fact.shadow)):
        return of_base(draft, visit, fact, profile, column, like or {})
    like = {column.name: column.values, **(like or {})}
    like = draft.catalogue.like(profile, [column.name], like)
    pair = draft.planter.pair(profile.service, profile.name, like)
    pair.set(column.name, fact.hero, fact.shadow)
    draft.planter.align(pair.hero, fact.hero)
    draft.planter.align(pair.shadow, fact.shadow)
    conditions = [Wanted(column.name, draft.use(fact), fact.value)]
    if not column.fact.distinct:
        conditions += _narrowed(draft, pair, column.name, like)
    speak(draft, pair)
    prepare(pair)
    rec = select(draft, visit, profile.service, profile.name, conditions)
    return settle(draft, rec, pair)


def unsaid(draft: Draft) -> list[Matter]:
    """What the story has to say that no text of the plan says yet: it is said in one place."""
    said = {
        sentence.name
        for rec in draft.records.values()
        if rec.pair
        for text in rec.pair.said.values()
        for sentence in text
    }
    told = {one.value.name for one in draft.known if isinstance(one.value, Stated)}
    told |= {one.value.name for one in draft.carried if isinstance(one.value, Stated)}
    kept = {draft.kept} if draft.walk[-1] != draft.ending else set()
    return [m for m in stories.of(draft.story).matters if m.name not in said | told | kept]


def speak(draft: Draft, pair: Pair, lead: Matter | None = None) -> None:
    """Let a text of a record say something of the story, as what people write does.

    It says the lead, and a second thing where enough is left for the visits to come. It may
    name a record of another service too, for where the walk goes next.
    """
    profile = pair.profile
    if draft.catalogue.archetype(profile.service, profile.name) not in SPEAKING:
        return
    text = next(proses(profile), None)
    said: list[Said] = []
    matters = draft.shuffled(unsaid(draft)) if text else []
    if draft.favoured == "branch":
        matters.sort(key=lambda matter: not matter.stake)
    matters.sort(key=lambda matter: matter is not lead)
    spare = len(matters) - 1 - SPARED * (len(draft.walk) - len(draft.patterns) - 1)
    for matter in matters:
        if said and spare < 1:
            break
        if matter.kind not in {one.kind for one in said}:
            spare -= bool(said)
            values = drawn(draft, matter.kind, 2)
            said.append(Said(matter.name, matter.kind, matter.first, *values))
    if text and said:
        pair.write(text.name, (*_named_in(draft, pair, said), *said))


def _named_in(draft: Draft, pair: Pair, said: Sequence[Said]) -> list[Said]:
    """A sentence that names a record of a service that the walk has not come to."""
    profile = pair.profile
    if draft.catalogue.archetype(profile.service, profile.name) not in NAMING:
        return []
    here = (profile.service, draft.ending, *draft.walk)
    held, kinds = pending(draft), {READ_AS.get(one.kind, one.kind) for one in said}
    for service in draft.shuffled(name for name in draft.services if name not in here):
        targets = [
            target
            for target in nameable(draft, service)
            if target.place not in held and target.reads_as not in kinds
        ]
        if targets:
            try:
                return [naming(draft, draft.rng.choice(targets))]
            except Barren:
                continue
    return []


def _narrowed(draft: Draft, pair: Pair, key: str, like: Like) -> list[Wanted]:
    """A second condition, where one key may stand in several rows."""
    narrowed = narrow(draft, pair, key, like) if draft.rng.random() < NARROWED else None
    if narrowed is None:
        return []
    name, value = narrowed
    expr, said = draft.say(value, "status")
    return [Wanted(name, expr, said)]


def _of_parent(
    draft: Draft, visit: int, tie: Tie, child: TableProfile, like: Like | None, prepare: Prepare
) -> Rec:
    """A child of the record that the key finds: the customer's open invoice."""
    ref, wanted = tie.ref, like or {}
    like = draft.catalogue.like(child, [ref], {**wanted, ref: child.fields[ref].values})
    owner = by_tie(draft, visit, evolve(tie, child=None, ref=""))
    if draft.planter.holds(child, ref, owner.hero["id"]):
        for rec in found_before(draft, child.service, child.name):
            if rec.hero.get(ref) == owner.hero["id"] and _suits(rec, wanted):
                return rec
        raise Barren(f"{child.name} is looked up by {ref} already")
    for row in (owner.hero, owner.shadow):
        if draft.catalogue.stands(child, ref, row["id"]):
            raise Barren(f"{row['id']!r} has rows in {child.name} already")
    pair = draft.planter.pair(child.service, child.name, like)
    pair.set(ref, owner.hero["id"], owner.shadow["id"])
    draft.planter.align(pair.hero, owner.hero["id"])
    draft.planter.align(pair.shadow, owner.shadow["id"])
    key: Expr = draft.expr(owner, "id")
    said: Value = FactOf(owner.id, "id", "id")
    conditions = [Wanted(ref, key, said, owner.id), *_narrowed(draft, pair, ref, like)]
    speak(draft, pair)
    prepare(pair)
    rec = select(draft, visit, child.service, child.name, conditions)
    return settle(draft, rec, pair)


def _titled(draft: Draft, visit: int, tie: Tie, like: Like | None, prepare: Prepare) -> Rec:
    """The one record of a table that is about the hero by its title."""
    table = tie.profile

    own = topics.parts(draft.topic)[0]

    def spoken(pair: Pair, key: FieldProfile) -> None:
        named = str(pair.hero.row[key.name]).lower()
        if not all(word in named for word in own.lower().split()):
            raise Barren(f"every name for a {table.name} about the hero is taken")
        speak(draft, pair)
        prepare(pair)

    for rec in found_before(draft, table.service, table.name):
        if _suits(rec, like or {}):
            return rec
        raise Barren(f"a second {table.name} about the hero")
    return describe(draft, visit, table.name, like, spoken, tie.column)


def _named(draft: Draft, visit: int, fact: Known, like: Like) -> Rec:
    """The record that a text names; it and the one that could be meant too are planted."""
    assert fact.names is not None, "only such facts name a record"
    pair, key = fact.names.pair, fact.names.key
    for rec in found_before(draft, pair.profile.service, pair.profile.name):
        if rec.pair is pair:
            return rec
    fields = [key] if fact.names.owner is None else [fact.names.owned, key]
    for name, values in draft.catalogue.like(pair.profile, fields, like).items():
        ref, _, inner = name.partition(".")
        rows = (pair.hero.row, pair.shadow.row)
        if inner or any(row.get(ref) not in values for row in rows):
            raise Barren(f"the {pair.profile.name} that is named is of another kind")
    wanted = [*_owned(draft, visit, fact.names), Wanted(key, draft.use(fact), fact.value)]
    rec = select(draft, visit, pair.profile.service, pair.profile.name, wanted)
    return settle(draft, rec, pair)


def _owned(draft: Draft, visit: int, names: Names) -> list[Wanted]:
    """The condition that makes a named record the hero's, which its rows are made to meet."""
    if names.owner is None:
        draft.planter.rows += names.rows
        return []
    fact, profile, column = names.owner
    if not names.ref:
        draft.planter.rows += names.rows
        return [Wanted(column.name, draft.use(fact), fact.value)]
    owner = by_fact(draft, visit, fact, profile, column)
    if draft.planter.holds(names.pair.profile, names.ref, owner.hero["id"]):
        raise Barren(f"{names.pair.profile.name} of the {profile.name} are spoken of already")
    draft.planter.rows += names.rows
    for planted in names.rows:
        to = owner.shadow if planted.role == "shadow" else owner.hero
        planted.row[names.ref] = to["id"]
        draft.planter.align(planted, to["id"])
    said = FactOf(owner.id, "id", "id")
    return [Wanted(names.ref, draft.expr(owner, "id"), said, owner.id)]


def again(
    draft: Draft,
    fact: Known,
    profile: TableProfile,
    column: FieldProfile,
    like: Mapping[str, tuple[object, ...]],
) -> Rec:
    """The record that the plan found by this key, or any of the hero's; Barren elsewhere."""
    for rec in found_before(draft, profile.service, profile.name):
        theirs = fact.visit == NEVER and rec.hero.get(column.name) == fact.hero
        held = rec.hero.get(column.name), rec.shadow.get(column.name)
        same = column.name in rec.used and held == (fact.hero, fact.shadow)
        if (theirs or same) and _suits(rec, like):
            return rec
    raise Barren(f"{profile.name} is looked up by {column.name} already")


def _suits(rec: Rec, like: Mapping[str, tuple[object, ...]]) -> bool:
    return all(rec.hero.get(n) in values for n, values in like.items() if "." not in n)


def linking(draft: Draft, visit: int, table: str) -> bool:
    """Could something that is known find a record of this table?"""
    return any(
        tie.found.name == table
        for known in draft.known
        if known.names is None
        for tie in ties(draft, draft.walk[visit], known)
    )


def linked(
    draft: Draft,
    visit: int,
    table: str,
    like: Like | None = None,
    prepare: Prepare = lambda pair: None,
) -> Rec:
    """A record of a table that is known already, or tied to what is: the customer's ticket."""
    service = draft.walk[visit]
    held = [
        rec
        for rec in draft.records.values()
        if rec.service == service and rec.pair and not rec.many
        if rec.table == table
        if _suits(rec, like or {})
    ]
    if held and draft.rng.random() < KNOWN:
        return draft.rng.choice(held)
    found = [
        (tie, weight)
        for fact in draft.known
        if fact.names is None
        for tie in ties(draft, draft.walk[visit], fact)
        if tie.found.name == table
        if (weight := worth(draft, fact, service, tie.found.name, "join")) > 0
    ]
    for _ in range(LINKS):
        if not found:
            break
        index = draft.rng.choices(range(len(found)), [weight for _, weight in found])[0]
        tie, _ = found.pop(index)
        mark = draft.mark()
        try:
            return by_tie(draft, visit, tie, like, prepare)
        except Barren:
            draft.back(mark)
    raise Barren("nothing here is tied to what is known")
