"""Hero: the customer whom a task is about, and the keys by which every service knows them.

The instruction names the hero once; whatever is theirs is found by one of these keys. No edge
carries them: what is carried is which of their records is meant, or what one of them tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from compoworld_core.cast import fresh_person
from compoworld_core.expressions import Lit
from compoworld_core.types import Kind
from compoworld_tasks_walk.catalogue import Catalogue, FieldProfile, TableProfile
from compoworld_tasks_walk.known import NEVER, Counter, Known
from compoworld_tasks_walk.parties import Hero, keys_of
from compoworld_tasks_walk.reach import plantable
from compoworld_tasks_walk.script import Said

KINDS: Final[tuple[Kind, ...]] = ("email", "person", "company")
"""Kinds of the keys, the most telling first: a table is searched by the first that it has."""
TITLED: Final = ("document", "work", "meeting", "project")
"""Archetypes of records that are called after the customer whom they are about."""


def drawn(catalogue: Catalogue, rng: Random) -> Hero:
    """Two people of whom nobody has heard yet."""
    circle = catalogue.circle
    draw = fresh_person if circle is None else circle.person
    person = draw(rng, catalogue.tokens)
    taken = catalogue.tokens | {key.casefold() for key in keys_of(person)}
    return Hero(person, draw(rng, taken))


def anchors(hero: Hero) -> list[Known]:
    """The hero's keys as facts: they find records in any service, and no edge carries them."""
    return [
        Known(
            "", "", kind, kind, Lit(literal=hero.key(kind)[0], kind=kind), *hero.key(kind),
            NEVER, Said(hero.key(kind)[0], kind),
            Counter("", (), "the instruction names another"),
        )
        for kind in KINDS
    ]  # fmt: skip


def anchored(catalogue: Catalogue, service: str) -> Mapping[str, FieldProfile]:
    """The tables of a service that are searched by a hero's key, and by which field."""
    if service not in catalogue.anchored:
        found = {}
        for (owner, name), profile in catalogue.tables.items():
            column = _by(catalogue, profile) if owner == service else None
            if column is not None:
                found[name] = column
        catalogue.anchored[service] = found
    return catalogue.anchored[service]


def tells(catalogue: Catalogue, service: str) -> bool:
    """Has a service anything that is found by a customer's key or is called after them?"""
    return bool(anchored(catalogue, service) or titled(catalogue, service))


def titled(catalogue: Catalogue, service: str) -> Sequence[tuple[TableProfile, FieldProfile]]:
    """The tables whose records say by their title that they are about a customer's company."""
    if service not in catalogue.titled:
        catalogue.titled[service] = [
            (profile, column)
            for (owner, name), profile in catalogue.tables.items()
            if owner == service and name not in anchored(catalogue, service)
            if catalogue.archetype(service, name) in TITLED
            for column in profile.fields.values()
            if column.fact.kind in ("title", "file_name") and column.filled > 0.9
            if plantable(catalogue, (service, name, column.name))
        ]
    return catalogue.titled[service]


def confusable(catalogue: Catalogue, service: str, table: str, tool: str) -> bool:
    """Could what a tool makes be taken for the hero's? A mail that we send is not from them."""
    column = anchored(catalogue, service).get(table)
    made = [w for w in catalogue.writes(service) if (w.tool, w.table) == (tool, table)]
    return column is None or any(column.name in write.sinks for write in made)


def _by(catalogue: Catalogue, profile: TableProfile) -> FieldProfile | None:
    if catalogue.archetype(profile.service, profile.name) in ("record", "place", "colleague"):
        return None
    for kind in KINDS:
        for column in profile.fields.values():
            fitting = column.outside and column.fact.kind == kind and column.filled > 0.1
            if fitting and plantable(catalogue, (profile.service, profile.name, column.name)):
                return column
    return None
