"""Reach: which records people can describe, and which service can use what another one tells.

Affordances say what a look-up does in general; here it is tried with planted rows. The draws
are each place's own, so that the answers are the same whoever asks first.
"""

from __future__ import annotations

from random import Random

from compoworld_tasks_walk.catalogue import (
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
            and plantable(catalogue, (service, name, column.name))
        ]
    return named[service, table]


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


def takes_text(catalogue: Catalogue, service: str) -> bool:
    """Can any fact be stated in a text of this service: of a new record or a described one?"""
    found = catalogue.texts.get(service)
    if found is None:
        found = any(
            write.op == "create" or bool(describable(catalogue, service, write.table))
            for write in catalogue.writes(service)
            if write.op != "delete"
            for name, into in write.sinks.items()
            if (column := catalogue.tables[service, write.table].fields.get(name))
            and column.fact.kind == "text"
            and column.prose
            and into.slot.json_type == "string"
            and name not in write.exists
            and name not in write.unique
        )
        catalogue.texts[service] = found
    return found


def reaches(catalogue: Catalogue, source: Place, target: str) -> bool:
    """Does a look-up of the target service find records by what this field holds?"""
    return any(
        place[0] == target and plantable(catalogue, place)
        for place in catalogue.joins.get(source, ())
    )


def weight(catalogue: Catalogue, source: str, target: str) -> float:
    """How well two services follow one another in a walk; 0 where nothing can be carried."""
    joins = sum(
        place[0] == source and reaches(catalogue, place, target) for place in catalogue.joins
    )
    return min(joins, 6) + (0.5 if takes_text(catalogue, target) else 0.0)
