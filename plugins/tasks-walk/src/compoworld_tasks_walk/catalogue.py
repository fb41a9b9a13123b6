"""Catalogue: what a world's services can do for one another.

Joins (a field of one service whose values are found in a field by which another service looks
rows up), and which look-up selects which rows, from affordances and the seeded values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import define, field, frozen

from compoworld_core.cast import Person
from compoworld_core.environment import Environment
from compoworld_core.state import Entity
from compoworld_core.types import KEY_KINDS
from compoworld_core.world import World
from compoworld_tasks_walk.affordances import Affordances, By, Fact, Lookup, Write, thaw
from compoworld_tasks_walk.archetypes import Archetype, archetype
from compoworld_tasks_walk.parties import Circle

_SLUG = re.compile(r"[a-z]+(?:-[a-z]+)+|[a-z]+")
_COUNTED = re.compile(r"(.*?)(\d{1,9})")

Like = Mapping[str, tuple[Any, ...]]
"""Field → values that a row must have one of."""

Place = tuple[str, str, str]
"""(service, table, field)."""

FACT_KINDS = frozenset(
    {"email", "person", "company", "phone", "code", "date", "datetime", "money", "cents",
     "url", "file_name", "title"}
)  # fmt: skip
"""Kinds that are worth carrying: an answer by guessing is unlikely."""


FEW = 8
"""Rows of one parent that are few enough to be looked through."""


class Barren(Exception):  # noqa: N818  # a result, not a failure
    """Nothing fitting can be planted or found here; says why."""


@frozen
class FieldProfile:
    """A field of a seeded table: what it means and what its values look like."""

    name: str
    fact: Fact
    values: tuple[Any, ...]
    """The values that are not null, in row order."""
    filled: float
    """Share of rows that have a value."""
    staff: bool
    """Most values are of our own people."""
    past: bool = False
    """All values are instants in the past: when the row was made, not when it is due."""

    @cached_property
    def numbered(self) -> tuple[str | None, frozenset[int]] | None:
        """(prefix, numbers) of codes that count: ("INV-", {2041, 2043}); None for others."""
        if self.values and all(isinstance(value, int) for value in self.values):
            return None, frozenset(self.values)
        found = [_COUNTED.fullmatch(value) for value in self.values if isinstance(value, str)]
        if not found or None in found:
            return None
        parts = [match for match in found if match]
        prefixes = {match[1] for match in parts}
        if len(prefixes) != 1 or any(match[2].startswith("0") for match in parts):
            return None
        return prefixes.pop(), frozenset(int(match[2]) for match in parts)

    @cached_property
    def prose(self) -> bool:
        """A text field that holds sentences, not labels ("Billing", "Warehouse 2")."""
        texts = [value for value in self.values if isinstance(value, str)]
        return len(texts) >= 3 and sum(text.count(" ") for text in texts) >= 3 * len(texts)

    @cached_property
    def slugs(self) -> bool:
        """Names of small letters and hyphens, as channels have."""
        texts = [value for value in self.values if isinstance(value, str)]
        return self.fact.kind == "code" and bool(texts) and all(map(_SLUG.fullmatch, texts))

    @property
    def outside(self) -> bool:
        """A key of the outside world, to be drawn fresh for a planted row."""
        fact = self.fact
        return (
            fact.kind in KEY_KINDS and fact.kind != "id" and not fact.ref and not fact.many
            and not self.staff and not fact.enum
        )  # fmt: skip


@frozen
class TableProfile:
    """A seeded table: its entity, its rows and its fields."""

    service: str
    name: str
    entity: type[Entity]
    rows: tuple[Entity, ...]
    fields: Mapping[str, FieldProfile]
    ids: Mapping[int, tuple[str, ...]]
    """Text ids by their length."""

    @cached_property
    def numbers(self) -> frozenset[int]:
        """Ids that are numbers."""
        return frozenset(row.id for row in self.rows if isinstance(row.id, int))

    @cached_property
    def mirrors(self) -> tuple[str, ...]:
        """Fields that repeat the id in every row: the number that people call a record by."""
        return tuple(
            name
            for name in self.fields
            if name != "id" and self.rows
            if all(getattr(row, name) == row.id for row in self.rows)
        )

    def selective(self, name: str) -> bool:
        """Does a value of this field select few rows?"""
        column = self.fields[name]
        if column.fact.enum or not column.values:
            return False
        counts = sorted(Counter(column.values).values())
        few = column.fact.ref and counts[len(counts) // 2] <= FEW
        return bool(column.fact.distinct or few or len(counts) * 6 >= len(column.values))

    def enums(self) -> Iterator[FieldProfile]:
        """Fields with few allowed values, at least two of which occur."""
        for profile in self.fields.values():
            if profile.fact.enum and not profile.fact.many and len(set(profile.values)) > 1:
                yield profile


@define(eq=False, slots=False)
class Catalogue:
    """Everything the planner asks about a world."""

    world: World
    affordances: dict[str, Affordances]
    tables: dict[tuple[str, str], TableProfile]
    joins: dict[Place, tuple[Place, ...]] = field(factory=dict)
    """Field → fields of other services that hold the same things and can be looked up by."""
    plantable: dict[Place, bool] = field(factory=dict)
    """Whether planted rows are seen by looking them up by a field; kept by `reach`."""
    start: Environment | None = None
    """The services in their base states, to try plans on; kept by `trial`."""
    named: dict[tuple[str, str], list[tuple[TableProfile, FieldProfile]]] = field(factory=dict)
    """(service, table or empty) → fields that people describe rows by; kept by `reach`."""
    texts: dict[str, bool] = field(factory=dict)
    """Service → whether any fact can be stated in a text of it; kept by `reach`."""
    sound: dict[Any, bool] = field(factory=dict)
    """Whether a found row leads on (kept by `reach`), a write can be filled (by `filling`)."""
    fitting: dict[Any, list[Any]] = field(factory=dict)
    """What a fact is like, a service → its writes that take it; kept by `sinks`."""
    places: dict[Any, list[Any]] = field(factory=dict)
    """Write and what a fact is like → the sinks that take it; kept by `sinks`."""
    referring: dict[tuple[str, str], list[tuple[TableProfile, str]]] = field(factory=dict)
    """Table → tables of the service that refer to it, and by which field; kept by `join`."""
    titled: dict[str, list[tuple[TableProfile, FieldProfile]]] = field(factory=dict)
    """Service → its tables whose titles name a customer, and by which field; kept by `hero`."""
    anchored: dict[str, dict[str, FieldProfile]] = field(factory=dict)
    """Service → its tables that a customer's key finds, and by which field; kept by `hero`."""
    ties: dict[Any, list[Any]] = field(factory=dict)
    """Service, kind of a customer's key, story → the ways it opens; kept by `finding`."""
    nameable: dict[Any, list[Any]] = field(factory=dict)
    """Service, story → tables whose rows texts name, and by what; kept by `targets`."""
    leading: dict[Any, bool] = field(factory=dict)
    """Services, story → whether one has anything to tell the others; kept by `outlook`."""
    called: dict[str, frozenset[str]] = field(factory=dict)
    """Service → what its work and trade is called; kept by `casts`."""
    takers: dict[Any, Any] = field(factory=dict)
    """What a fact is like, a service → the patterns there that take it; kept by `outlook`."""
    _archetypes: dict[tuple[str, str], Archetype] = field(factory=dict)
    _donors: dict[Any, tuple[Entity, ...]] = field(factory=dict)
    _ways: dict[Any, Lookup | None] = field(factory=dict)
    tokens: frozenset[str] = frozenset()
    """All text values of all bases, folded: what a fresh value must not be."""
    circle: Circle | None = None
    """Whom customers are drawn from, where that is closed."""

    def noun(self, service: str, table: str) -> str:
        """What people call a row of a table."""
        words = self.world.services[service].words
        return words.get(table) or table.rstrip("s").replace("_", " ")

    def archetype(self, service: str, table: str) -> Archetype:
        """What a table is about."""
        found = self._archetypes.get((service, table))
        if found is None:
            profile = self.tables[service, table]
            found = archetype(profile, self.noun(service, table))
            self._archetypes[service, table] = found
        return found

    def lookups(self, service: str, table: str) -> list[Lookup]:
        """The reads of one table."""
        return [x for x in self.affordances[service].lookups if x.table == table]

    def writes(self, service: str) -> tuple[Write, ...]:
        """All writes of a service."""
        return self.affordances[service].writes

    def way(
        self, profile: TableProfile, fields: Sequence[str], many: bool = False
    ) -> Lookup | None:
        """The look-up that narrows most and shows what the rest of the conditions need."""
        key = (profile.service, profile.name, tuple(sorted(fields)), many)
        if key not in self._ways:
            self._ways[key] = self._way(profile, fields, many)
        return self._ways[key]

    def _way(self, profile: TableProfile, fields: Sequence[str], many: bool) -> Lookup | None:
        best: tuple[int, int] | None = None
        chosen: Lookup | None = None
        for lookup in self.lookups(profile.service, profile.name):
            if "id" not in lookup.reveals or (many and lookup.shape == "one"):
                continue
            by = [n for n in fields if n in lookup.by and usable(lookup.by[n])]
            rest = [n for n in fields if n not in by or lookup.by[n].match == "contains"]
            if not set(lookup.required) <= set(by) or any(
                n not in lookup.reveals for n in rest
            ):
                continue
            if not any(profile.selective(n) for n in by) and not _fits_page(profile, lookup):
                continue
            rank = (2 * len(by) - len(rest), len(lookup.reveals))
            if best is None or rank > best:
                best, chosen = rank, lookup
        return chosen

    def like(
        self, profile: TableProfile, fields: Sequence[str], like: Like, *, many: bool = False
    ) -> dict[str, tuple[Any, ...]]:
        """What a row must be like so that its look-up shows it; Barren where none does."""
        lookup = self.way(profile, fields, many)
        if lookup is None:
            raise Barren(
                f"no look-up of {profile.service}.{profile.name} by {', '.join(fields)}"
            )
        merged = dict(like)
        for name, values in lookup.where.items():
            if name in lookup.by and name in fields:
                continue
            allowed = tuple(thaw(value) for value in values)
            if name in merged:
                allowed = tuple(value for value in merged[name] if value in allowed)
            merged[name] = allowed
        return merged

    def donors(self, profile: TableProfile, like: Like) -> tuple[Entity, ...]:
        """The rows of a table whose fields have one of the given values.

        `ref.field` is a field of the row that `ref` names.
        """
        key = (profile.service, profile.name, tuple(sorted((n, v) for n, v in like.items())))
        try:
            return self._donors[key]
        except KeyError:
            pass
        except TypeError:  # a value is not hashable: not worth remembering
            return tuple(row for row in profile.rows if self._like(profile, row, like))
        found = tuple(row for row in profile.rows if self._like(profile, row, like))
        self._donors[key] = found
        return found

    def _like(self, profile: TableProfile, row: Entity, like: Like) -> bool:
        return all(self._value(profile, row, name) in values for name, values in like.items())

    def _value(self, profile: TableProfile, row: Entity, name: str) -> Any:
        ref, dot, inner = name.partition(".")
        held = getattr(row, ref, None)
        if not dot:
            return held
        table = profile.fields[ref].fact.ref if ref in profile.fields else ""
        if not table or isinstance(held, tuple):
            return None
        other = self.world.bases[profile.service].state.table(table).get(held)
        return getattr(other, inner, None)

    def stands(self, profile: TableProfile, name: str, value: Any) -> bool:
        """Does the base world have a row with this value?"""
        return value is not None and bool(self.donors(profile, {name: (value,)}))

    @cached_property
    def _people(self) -> dict[str, Person]:
        people: dict[str, Person] = {}
        for person in self.world.cast.customers:
            people.setdefault(person.company, person)
        for person in self.world.cast.customers:
            people[person.email] = people[person.name] = person
        return people

    def person_of(self, row: Mapping[str, Any]) -> Person | None:
        """The customer whom a row is about: by address or name, else by company."""
        found = [self._people.get(v) for v in row.values() if isinstance(v, str)]
        people = [person for person in found if person is not None]
        named = (p for p in people if p.email in row.values() or p.name in row.values())
        return next(named, people[0] if people else None)

    @property
    def actor(self) -> str:
        """The address of the account that the agent works with."""
        return self.world.cast.staff[0].email

    def own(self, service: str, table: str, name: str) -> Any:
        """What the field of a row holds that belongs to the caller: the address, or its key."""
        actor = self.actor
        fact = self.tables[service, table].fields[name].fact
        if not fact.ref:
            return actor
        for row in self.tables[service, fact.ref].rows:
            if actor in row.__dict__.values():
                return row.id
        return None


def usable(by: By) -> bool:
    """Can a value be put into this slot?"""
    return by.slot.json_type in ("string", "integer", "number", "boolean")


def _fits_page(profile: TableProfile, lookup: Lookup) -> bool:
    """Does the whole table, and what is planted in it, fit on one page?"""
    size = lookup.page_size
    return lookup.shape == "many" and (size is None or len(profile.rows) + 12 <= size)
