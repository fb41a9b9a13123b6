"""Reach: which records people can describe, and which service can use what another one tells.

Affordances say what a look-up does in general; here it is tried with planted rows. The draws
are each place's own, so that the answers are the same whoever asks first.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from compoworld_tasks_walk import moves
from compoworld_tasks_walk.catalogue import (
    FACT_KINDS,
    Barren,
    Catalogue,
    FieldProfile,
    Place,
    TableProfile,
)
from compoworld_tasks_walk.planting import Planter
from compoworld_tasks_walk.trial import shows


def describable(
    catalogue: Catalogue, service: str, table: str = ""
) -> list[tuple[TableProfile, FieldProfile]]:
    """The fields by which people can describe a row of a service (or of one table)."""
    named = catalogue.named
    if (service, table) not in named:
        named[service, table] = [
            (profile, column)
            for (owner, name), profile in catalogue.tables.items()
            if owner == service and table in ("", name)
            for column in profile.fields.values()
            if column.filled > 0.3
            and (column.outside or (column.fact.kind == "title" and column.fact.distinct))
            and handle(catalogue, profile, column) > 0
            and plantable(catalogue, (service, name, column.name))
        ]
    return named[service, table]


def handle(catalogue: Catalogue, profile: TableProfile, column: FieldProfile) -> float:
    """How natural it is to name a record of a table by this field."""
    archetype = catalogue.archetype(profile.service, profile.name)
    rare = 0.1 if archetype in ("place", "record", "repository", "channel") else 1.0
    return rare * moves.handle_worth(archetype, column.fact.kind, column.name)


def plantable(catalogue: Catalogue, place: Place) -> bool:
    """Was a planted row ever seen by looking it up by this field? Tried a few times, once.

    The draws are the place's own, so that the answer is the same whoever asks first.
    """
    known = catalogue.plantable.get(place)
    if known is None:
        known = any(_seen(catalogue, place, n) for n in range(4))
        catalogue.plantable[place] = known
    return known


def _seen(catalogue: Catalogue, place: Place, attempt: int) -> bool:
    service, table, name = place
    profile = catalogue.tables[service, table]
    lookup = catalogue.way(profile, [name])
    if lookup is None:
        return False
    planter = Planter(catalogue, Random(f"{place}:{attempt}"))
    try:
        like = catalogue.like(profile, [name], {name: profile.fields[name].values})
        planted = planter.plant(profile, "hero", like=like)
        values = {name: planted.row[name]}
        shows(catalogue, planter.rows, lookup, values, [planted.row["id"]])
    except Barren:
        return False
    return True


WHO = ("email", "person", "company", "phone")
"""Kinds by which a customer is known: the instruction names them, so they tell nothing."""

TELLING = 1.0
"""A fact that is worth less to tell is stated nowhere."""
IDENTITY = ("phone", "email", "person", "title", "company")
"""Kinds of facts that say who or what is meant: they are no news to anybody."""
UNTOLD = ("channel", "repository", "place", "record", "product", "colleague")
"""Archetypes of whose records nobody tells a field."""


def tale(catalogue: Catalogue, service: str, table: str, field: str) -> float:
    """How far a field (or a figure over it) is worth telling; 0 where nobody would."""
    name = field.rpartition(".")[2]
    column = catalogue.tables[service, table].fields.get(name)
    if column is not None and column.fact.kind in IDENTITY:
        return 0.0
    if catalogue.archetype(service, table) in UNTOLD or "account" in name.lower():
        return 0.0
    if catalogue.archetype(service, table) == "document" and "amount" in name.lower():
        return 0.0
    worth = moves.tale_worth(name)
    return worth if worth >= TELLING else 0.0


def telling(profile: TableProfile, used: Iterable[str]) -> list[FieldProfile]:
    """The fields of a row that can be carried on, once it was found by those used."""
    return [
        column
        for column in profile.fields.values()
        if column.fact.kind in FACT_KINDS
        and column.name not in used
        and not (column.fact.many or column.fact.ref or column.fact.enum or column.past)
        and not (column.outside and (column.fact.kind in WHO or "account" in column.name))
    ]
