"""Join: look a record up by a key that came from the service before; its facts go on."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_core.expressions import Expr
from compoworld_tasks_walk.catalogue import Barren, FieldProfile, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Known, Rec
from compoworld_tasks_walk.patterns.narrowing import narrow
from compoworld_tasks_walk.patterns.pattern import (
    Option,
    by_fact,
    facts_of,
    leads,
    settle,
    targets,
    worth,
)
from compoworld_tasks_walk.script import FactOf, Value
from compoworld_tasks_walk.selecting import Wanted, select, selectable


class Join:
    """Read only: the record's own facts are what the next visit uses."""

    name = "join"
    writes = False
    weight = 2.0
    probes = ("edges-carry", "no-shortcut")

    def options(self, draft: Draft, visit: int, fact: Known) -> Iterator[Option]:
        """Each table that the key finds, and each table whose rows refer to such a record."""
        for profile, column in targets(draft, visit, fact):

            def direct(profile: TableProfile = profile, column: FieldProfile = column) -> None:
                rec = by_fact(draft, visit, fact, profile, column)
                self._finish(draft, visit, fact, rec)

            natural = worth(draft, fact, profile.service, profile.name, self.name)
            yield Option(natural, direct, leads(draft, visit, profile, column.name))
            for child, ref in referring(draft, profile):

                def through(
                    profile: TableProfile = profile,
                    column: FieldProfile = column,
                    child: TableProfile = child,
                    ref: str = ref,
                ) -> None:
                    rec = of_parent(draft, visit, fact, profile, column, child, ref)
                    self._finish(draft, visit, fact, rec)

                natural = worth(draft, fact, child.service, child.name, self.name)
                yield Option(0.8 * natural, through, leads(draft, visit, child, ref))

    def _finish(self, draft: Draft, visit: int, fact: Known, rec: Rec) -> None:
        found = facts_of(draft, rec, visit)
        if not found:
            raise Barren(f"{rec.service}.{rec.table} tells nothing that can be carried on")
        draft.carry(fact, visit)
        draft.known += found


def referring(draft: Draft, parent: TableProfile) -> list[tuple[TableProfile, str]]:
    """Tables of the same service whose rows refer to this one, and can be looked up by it."""
    known, key = draft.catalogue.referring, (parent.service, parent.name)
    if key not in known:
        known[key] = [
            (profile, name)
            for (service, _), profile in draft.catalogue.tables.items()
            if service == parent.service and profile.name != parent.name
            for name, column in profile.fields.items()
            if column.fact.ref == parent.name and not column.fact.many
            if column.filled > 0.3 and selectable(draft, profile, [name])
        ]
    return known[key]


def of_parent(
    draft: Draft,
    visit: int,
    fact: Known,
    parent: TableProfile,
    column: FieldProfile,
    child: TableProfile,
    ref: str,
    like: dict[str, tuple[object, ...]] | None = None,
) -> Rec:
    """Select a child of the record that the key finds: the customer's open invoice."""
    like = draft.catalogue.like(child, [ref], {**(like or {}), ref: child.fields[ref].values})
    owner = by_fact(draft, visit, fact, parent, column)
    for row in (owner.hero, owner.shadow):
        if draft.catalogue.stands(child, ref, row["id"]):
            raise Barren(f"{row['id']!r} has rows in {child.name} already")
    pair = draft.planter.pair(child.service, child.name, like)
    pair.set(ref, owner.hero["id"], owner.shadow["id"])
    draft.planter.align(pair.hero, owner.hero["id"])
    draft.planter.align(pair.shadow, owner.shadow["id"])
    key: Expr = draft.expr(owner, "id")
    said: Value = FactOf(owner.id, "id", "id")
    conditions = [Wanted(ref, key, said, owner.id)]
    narrowed = narrow(draft, pair, ref, like)
    if narrowed:
        name, value = narrowed
        expr, literal = draft.say(value, "status")
        conditions.append(Wanted(name, expr, literal))
    rec = select(draft, visit, child.service, child.name, conditions)
    return settle(draft, rec, pair)
