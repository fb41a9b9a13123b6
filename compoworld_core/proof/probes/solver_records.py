"""The records of a joint state by the keys that they hold, and what follows from some keys.

A key is a string by which people and tools find a record: a name, an address, a number, an id.
A key is *specific* in a table where few of its rows hold it (over a chain the choices
multiply); a known specific key makes these rows known, and a known row makes its keys known.
Keys that stand in many rows of the world (a team, a product) say little and are no links, nor
are those of the caller's colleagues, who have to do with everything; nor is one of many members
of a list, or one of several addresses or codes in a text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from attrs import define, field

from compoworld_core import facts
from compoworld_core.environment import Environment
from compoworld_core.holdings import annotation_of
from compoworld_core.proof.probes.shortcuts import scalars
from compoworld_core.schema import meaning_of
from compoworld_core.state import Entity, State
from compoworld_core.table import Base, Key
from compoworld_core.types import KEY_KINDS, Meaning, RefTo

FEW: Final = 3
"""Rows that a chain of keys may mean: more of them and it takes a guess."""
_HUB: Final = 12
"""Rows of the world that a key may stand in; beyond that it links all with all."""
_DEEPEST: Final = 3
"""Records on the longest chain that is searched; what the plan finds on its way is known."""
_SHORTEST: Final = 4
"""Characters of a key; shorter strings stand everywhere."""
_NAMES: Final = KEY_KINDS - {"id"}
_NOTE: Final = "\0records by key"
_QUOTED: Final = re.compile(r"[^\s,;()<>\"']*[\d@][^\s,;()<>\"']*")
"""What may be a key in a free text: a word with a digit or an address sign."""
_SIGN: Final = re.compile(r"[\d@]")

Place = tuple[str, str, Key]
"""Service, table, id of a record."""


def key_of(kind: str, value: Any) -> str:
    """The one form of a key, in whatever notation a service holds it."""
    try:
        return str(facts.normalise(kind or "code", value)).casefold()
    except ValueError:
        return str(value).strip().casefold()


def title_key(value: Any) -> str:
    """A title: the instruction may describe a record by it, but it links no two records."""
    return f"\1{str(value).strip().casefold()}"


def id_key(service: str, entity: str, value: Any) -> str:
    """An id: it names a record of its own service only, whatever it looks like."""
    return f"{service}\0{entity}\0{value}"


class Held(NamedTuple):
    """A value in a record, as it stands there."""

    key: str
    kind: str
    value: Any
    entity: str = ""
    """The entity that it is an id of."""


def held(service: str, row: Entity) -> Iterator[Held]:
    """The keys in a record."""
    names: list[str] = []
    for name, kind, entity in _telling(type(row)):
        value = getattr(row, name)
        if isinstance(value, list | tuple) and len(value) > FEW:
            continue  # one of many: which of them is a guess
        for one in (value,) if value.__class__ is str else scalars(value):
            if one is None or one == "":
                continue
            if entity:
                yield Held(id_key(service, entity, one), "id", one, entity)
            if isinstance(one, str) and (not entity or name == "id"):
                if kind == "person":
                    names.append(one)
                yield from _read(kind, one)
    if len(names) > 1:  # a first and a last name, each in a field of its own
        yield Held(key_of("person", " ".join(names[:2])), "person", " ".join(names[:2]))


def _read(kind: str, value: str) -> Iterator[Held]:
    """The keys in a value: itself, or the one address and the one code that a text quotes."""
    if kind == "title":
        yield Held(title_key(value), kind, value)
    if kind in ("text", "title"):
        words = {word.rstrip(".:") for word in _QUOTED.findall(value)}
        long = [word for word in words if len(word) > _SHORTEST]
        for quoted in ([w for w in long if "@" in w], [w for w in long if "@" not in w]):
            if len(quoted) == 1:
                yield Held(quoted[0].casefold(), "code", quoted[0])
    elif len(value) >= _SHORTEST and (kind in _NAMES or _coded(value)):
        yield Held(key_of(kind, value), kind or "code", value)


def _coded(value: str) -> bool:
    return " " not in value and _SIGN.search(value) is not None


@lru_cache(maxsize=4096)
def kinds_of(entity: type[Entity]) -> tuple[tuple[str, str, str], ...]:
    """(field, kind, entity whose id it holds) of each field."""
    found = []
    for name, info in entity.model_fields.items():
        annotation = annotation_of(info)
        meaning, names = meaning_of(annotation, Meaning), meaning_of(annotation, RefTo)
        target = entity.__name__ if name == "id" else names.entity if names else ""
        found.append((name, meaning.kind if meaning else "", target))
    return tuple(found)


@lru_cache(maxsize=4096)
def _telling(entity: type[Entity]) -> tuple[tuple[str, str, str], ...]:
    """The fields that may hold keys."""
    kinds = KEY_KINDS | {"text", "title", ""}
    return tuple(each for each in kinds_of(entity) if each[1] in kinds or each[2])


@define
class _Index:
    """Rows of a service by key."""

    keys: dict[tuple[str, Key], frozenset[str]] = field(factory=dict)
    """(table, id) → keys of the row."""
    places: dict[str, list[Place]] = field(factory=dict)
    bases: tuple[Base[Any], ...] = ()
    colleagues: set[str] = field(factory=set)
    """The keys of people of the caller's own company."""

    def add(self, place: Place, row: Entity | None, domain: str) -> None:
        """Note a row; one that is gone has no keys."""
        service, table, key = place
        keys = frozenset(each.key for each in held(service, row)) if row else frozenset()
        self.keys[table, key] = keys
        if row is not None and _address(row).endswith(domain):
            self.colleagues |= keys
        for each in keys:
            self.places.setdefault(each, []).append(place)


def _domain(state: State) -> str:
    return "@" + state.ledger.actor.rpartition("@")[2]


def _address(row: Entity) -> str:
    """The email address of a person's record: the first in it."""
    kinds = kinds_of(type(row))
    if not any(kind == "person" for _, kind, _ in kinds):
        return ""
    return next((str(getattr(row, name)) for name, kind, _ in kinds if kind == "email"), "")


def _index(service: str, state: State) -> _Index:
    """A service's base by key; built once for all the worlds that stand on it."""
    names = type(state).tables()
    bases = tuple(state.table(name).base for name in names)
    if not bases:
        return _Index()
    kept: _Index | None = bases[0].notes.get(_NOTE)
    if kept is not None and kept.bases == bases:
        return kept
    index = bases[0].notes[_NOTE] = _Index(bases=bases)
    for name, base in zip(names, bases, strict=True):
        for key, row in base.rows.items():
            index.add((service, name, key), row, _domain(state))
    return index


@define
class Chain:
    """How a record became known: by a key of the record before, or of the instruction."""

    place: Place
    key: str
    before: Chain | None
    choices: int
    """Among how many records, over the whole chain, it takes a guess."""


@define
class Records:
    """All records of an environment, by key."""

    environment: Environment
    _indexes: dict[str, _Index] = field(factory=dict)
    _changed: dict[str, _Index] = field(factory=dict)
    """Service → the rows that are not as in its base."""
    colleagues: set[str] = field(factory=set)
    _found: dict[str, tuple[tuple[Place, int], ...]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for service, state in self.environment.states.items():
            self._indexes[service] = _index(service, state)
            changed = self._changed[service] = _Index()
            for table in type(state).tables():
                for key, row in state.table(table).overlay.items():
                    changed.add((service, table, key), row, _domain(state))
            self.colleagues |= self._indexes[service].colleagues | changed.colleagues

    def row(self, place: Place) -> Entity:
        """The record at a place."""
        service, table, key = place
        found: Entity = self.environment.states[service].table(table)[key]
        return found

    def keys(self, place: Place) -> frozenset[str]:
        """The keys of a record."""
        service, table, key = place
        changed = self._changed[service].keys.get((table, key))
        return self._indexes[service].keys[table, key] if changed is None else changed

    def own(self, place: Place) -> str:
        """The key that is a record's own id."""
        service, table, key = place
        entity = self.environment.services[service].state.tables()[table].__name__
        return id_key(service, entity, key)

    def links(self, key: str) -> bool:
        """Is it a key by which a record leads to others?"""
        return key not in self.colleagues and not key.startswith(title_key(""))

    def leads(self, chain: Chain) -> bool:
        """Does its last key lead to the record, and not to one that only shares something?

        It does not where it comes back to a table, or by an id of neither record, unless the
        key is the record's own id.
        """
        if chain.before is None or chain.key == self.own(chain.place):
            return True
        if "\0" in chain.key and chain.key != self.own(chain.before.place):
            return False
        earlier: Chain | None = chain.before
        while earlier is not None and earlier.place[:2] != chain.place[:2]:
            earlier = earlier.before
        return earlier is None

    def specific(self, key: str) -> tuple[tuple[Place, int], ...]:
        """The records that a key means, few in the world; with each, how many in its table."""
        found = self._found.get(key)
        if found is None:
            places = self._having(key)
            if len(places) > _HUB:
                places = []
            tables = Counter(place[:2] for place in places)
            found = tuple((place, tables[place[:2]]) for place in places)
            self._found[key] = found
        return found

    def _having(self, key: str) -> list[Place]:
        found: list[Place] = []
        for service, index in self._indexes.items():
            changed = self._changed[service]
            if key in index.places:
                rows = changed.keys
                found += (each for each in index.places[key] if each[1:] not in rows)
            if key in changed.places:
                found += changed.places[key]
        return found


Sees = Callable[[str, Chain], Iterable[str]]
"""The keys that an agent sees of a chain's record when it looks it up by a key; none where no
tool shows it."""


def known(records: Records, start: Iterable[str], without: str, sees: Sees) -> Iterator[Chain]:
    """The records that become known from some keys, one service left out, nearest first."""
    came: dict[str, Chain | None] = dict.fromkeys(start)
    seen: set[Place] = set()
    front = list(came)
    for _ in range(_DEEPEST):
        following: list[tuple[int, str]] = []
        for key in front:
            before = came[key]
            for place, count in records.specific(key):
                if place[0] == without or place in seen:
                    continue
                chain = Chain(place, key, before, count * (before.choices if before else 1))
                if chain.choices > FEW or not records.leads(chain):
                    continue
                shown = list(sees(key, chain))
                if not shown:
                    continue
                seen.add(place)
                yield chain
                for each in shown:
                    if each not in came and records.links(each):
                        came[each] = chain
                        following.append((chain.choices, each))
        front = [key for _, key in sorted(following)]
