"""Selecting: the look-up that finds the rows meeting all conditions, as a step of the plan."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from compoworld_core.expressions import All, Condition, Expr, Fn
from compoworld_core.plan import Selection
from compoworld_tasks_walk.affordances import Lookup
from compoworld_tasks_walk.arguments import distinct, fill
from compoworld_tasks_walk.catalogue import Barren, TableProfile
from compoworld_tasks_walk.draft import Draft
from compoworld_tasks_walk.known import Rec
from compoworld_tasks_walk.script import Extreme, Mentioned, Trait, Value


@frozen
class Wanted:
    """One condition on the rows: what the field must be, and how the instruction says it."""

    field: str
    expr: Expr
    value: Value
    via: str = ""
    """The field is a key of this other record."""
    negated: bool = False
    """The field must be anything but that."""


def select(
    draft: Draft,
    visit: int,
    service: str,
    table: str,
    wanted: Sequence[Wanted],
    *,
    many: bool = False,
    best: tuple[str, Extreme] | None = None,
) -> Rec:
    """Add the look-up that selects the rows meeting all conditions.

    Args:
        draft: the plan so far.
        visit: which visit of the walk.
        service: whose.
        table: which.
        wanted: what the rows must be like.
        many: a set, not one record.
        best: of those, the one whose field has the largest (latest) or smallest value.

    Raises Barren where no learnt look-up can do it.
    """
    profile = draft.profile(service, table)
    asked = [each.field for each in wanted if not each.negated]
    shown = [each.field for each in wanted if each.negated] + ([best[0]] if best else [])
    lookup = draft.catalogue.way(profile, asked, many or best is not None)
    if lookup is None or not all(name in lookup.reveals for name in shown):
        raise Barren(f"no look-up of {service}.{table} by {', '.join([*asked, *shown])}")
    arguments = [
        pair
        for each in wanted
        if not each.negated and each.field in lookup.by
        for pair in fill(lookup.by[each.field].slot, each.expr)
    ]
    arguments += draft.constants(lookup)
    step = draft.call(visit, service, lookup.tool, distinct(arguments))
    conditions = [(each.field, each.expr) for each in wanted]
    where = _where(profile, lookup, wanted)
    if best is not None:
        name, extreme = best
        kind = profile.fields[name].fact.kind
        path = tuple(lookup.reveals[name])
        among = All(step=step, items=lookup.items, where=where, path=path)
        expr = Fn(name=extreme.op, args=(among,), kinds=(kind,))
        where = (*where, Condition(path=path, kind=kind, equals=expr))
    rec = Rec(
        f"r{len(draft.records) + 1}", service, table, visit, step, lookup, where, many,
        used={name for name, _ in conditions} | ({best[0]} if best else set()),
    )  # fmt: skip
    draft.records[rec.id] = rec
    ids = tuple(lookup.reveals["id"])
    draft.selections.append(
        Selection(
            id=rec.id,
            step=step,
            service=service,
            table=table,
            many=many,
            conditions=tuple((n, profile.fields[n].fact.kind, e) for n, e in conditions),
            negated=tuple(each.field for each in wanted if each.negated),
            best=(best[0], best[1].op) if best else None,
            key=rec.items(ids) if many else rec.item(ids),
        )
    )
    traits = [
        Trait(each.field, profile.fields[each.field].fact.kind, each.value, each.via,
              each.negated)
        for each in wanted
    ]  # fmt: skip
    if best is not None:
        traits.append(Trait(best[0], profile.fields[best[0]].fact.kind, best[1]))
    draft.mentioned[rec.id] = Mentioned(
        rec.id, service, table, draft.noun(service, table), tuple(traits), many,
        draft.catalogue.archetype(service, table),
    )  # fmt: skip
    return rec


def _where(
    profile: TableProfile, lookup: Lookup, wanted: Sequence[Wanted]
) -> tuple[Condition, ...]:
    """What the plan itself looks at in a list."""
    if lookup.shape != "many":
        return ()
    return tuple(
        Condition(
            path=tuple(lookup.reveals[each.field]),
            kind=profile.fields[each.field].fact.kind,
            equals=each.expr,
            negated=each.negated,
        )
        for each in wanted
        if each.field in lookup.reveals
    )


def selectable(
    draft: Draft, profile: TableProfile, fields: Sequence[str], *, many: bool = False
) -> bool:
    """Is there a look-up that selects (or lists) rows by these fields?"""
    return draft.catalogue.way(profile, fields, many) is not None
