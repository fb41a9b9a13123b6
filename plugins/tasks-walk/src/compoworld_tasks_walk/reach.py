"""Reach: which records people can describe, and which service can use what another one tells.

Affordances say what a look-up does in general; here it is tried with planted rows. The draws
are each place's own, so that the answers are the same whoever asks first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from compoworld_core.types import Kind
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


IMPLIED: Mapping[Kind, frozenset[Kind]] = {
    "email": frozenset({"person", "company"}),
    "person": frozenset({"email"}),
}
"""What a key gives away: an address shows the name and the firm, a name the address."""


TELLING = 1.0
"""A fact that is worth less to tell is stated nowhere."""
IDENTITY = ("phone", "email", "person")
"""Kinds of facts that say who somebody is: they find records, and no text is about them."""
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
    worth = moves.tale_worth(name)
    return worth if worth >= TELLING else 0.0


def goes_on(catalogue: Catalogue, place: Place, target: str) -> bool:
    """Can the target service use a field: find a record by it, or take it in a text?"""
    return reaches(catalogue, place, target) or (
        takes_text(catalogue, target) and tale(catalogue, *place) > 0
    )


def telling(profile: TableProfile, used: Iterable[str]) -> list[FieldProfile]:
    """The fields of a row that can be carried on, once it was found by those used."""
    spent: set[Kind] = set()
    for name in used:
        if profile.fields[name].outside:
            kind = profile.fields[name].fact.kind
            spent |= {kind, *IMPLIED.get(kind, ())}
    return [
        column
        for column in profile.fields.values()
        if column.fact.kind in FACT_KINDS
        and column.name not in used
        and not (column.fact.many or column.fact.ref or column.fact.enum or column.past)
        and not (column.fact.kind in spent and column.outside)
    ]


def onward(catalogue: Catalogue, profile: TableProfile, used: str, target: str) -> bool:
    """Could a row that was found by a field tell something that the target can use?"""
    key = ("onward", profile.service, profile.name, used, target)
    if key not in catalogue.sound:
        catalogue.sound[key] = any(
            goes_on(catalogue, (profile.service, profile.name, column.name), target)
            for column in telling(profile, (used,))
        )
    return catalogue.sound[key]


def weight(catalogue: Catalogue, source: str, target: str) -> float:
    """How well two services follow one another in a walk; 0 where nothing can be carried."""
    key = (source, target)
    if key not in catalogue.weights:
        crossings = {
            (profile.name, column.name)
            for profile, found_by in findable(catalogue, source)
            for column in telling(profile, (found_by.name,))
            if reaches(catalogue, (source, profile.name, column.name), target)
        }
        tells = takes_text(catalogue, target) and any(
            tale(catalogue, source, profile.name, column.name)
            for profile, found_by in findable(catalogue, source)
            for column in telling(profile, (found_by.name,))
        )
        catalogue.weights[key] = min(len(crossings), 6) + (0.5 if tells else 0.0)
    return catalogue.weights[key]


def tied(catalogue: Catalogue, service: str) -> bool:
    """Has the service records that something known elsewhere can find?"""
    return any(
        place[0] == service and plantable(catalogue, place)
        for places in catalogue.joins.values()
        for place in places
    )


def findable(catalogue: Catalogue, service: str) -> list[tuple[TableProfile, FieldProfile]]:
    """The tables of a service and the fields by which a plan can find a row of them."""
    joined = dict.fromkeys(
        place for places in catalogue.joins.values() for place in places if place[0] == service
    )
    return [
        *describable(catalogue, service),
        *(
            (catalogue.tables[place[:2]], catalogue.tables[place[:2]].fields[place[2]])
            for place in joined
            if plantable(catalogue, place)
        ),
    ]
