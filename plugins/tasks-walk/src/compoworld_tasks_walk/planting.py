"""Planting: the rows that make a task work, written into s0 so that they look like the others.

Each described or joined record is planted twice: a hero row, and a shadow row of the same shape
with other values. Shadows are the competitors of each look-up, the decoys of the criteria, and
the other world that a changed fact leads to. Siblings share a hero's key but not its filter.
All that is planted as the hero's is of one customer, by whatever key; shadows are the rival's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from compoworld_core import facts
from compoworld_core.cast import Person, fresh_person
from compoworld_core.draws import draw
from compoworld_core.errors import CompoWorldError
from compoworld_core.patch import Operation, Patch
from compoworld_core.types import Kind
from compoworld_tasks_walk import moves, topics
from compoworld_tasks_walk.catalogue import Barren, Catalogue, FieldProfile, TableProfile
from compoworld_tasks_walk.numbering import new_id, number_between
from compoworld_tasks_walk.parties import Hero, Row, keys_of, swap_party

if TYPE_CHECKING:
    from compoworld_tasks_walk.known import Names

PERSONAL = ("email", "person", "company", "phone")
"""Kinds by which a row says whom it is about."""


@define
class Planted:
    """One planted row and where it stands among the others."""

    service: str
    table: str
    row: Row
    at: float
    role: str
    """hero, shadow, sibling, near-duplicate."""


@frozen
class Said:
    """What a sentence of a text says, and its values in both worlds."""

    name: str
    """What it is about: a matter of the story, or the noun of the record that it names."""
    kind: Kind
    form: str
    hero: Any
    shadow: Any
    names: Names | None = None
    """The record of another service that it names; None where it states a matter."""

    def sentence(self, value: Any) -> str:
        """The sentence for a value."""
        return self.form.format(facts.render(self.kind, value))


@define
class Pair:
    """A record planted twice, and the rows that compete with it."""

    profile: TableProfile
    hero: Planted
    shadow: Planted
    fixed: set[str] = field(factory=set)
    """Fields that the plan relies on; they may not be set again."""
    said: dict[str, tuple[Said, ...]] = field(factory=dict)
    """Text field → what it says of the errand, in the hero's and in the shadow's row."""

    def write(self, name: str, said: tuple[Said, ...]) -> None:
        """Let a text of both rows say something of the errand."""
        self.said[name] = said
        self.hero.row[name] = self.text(name)
        self.shadow.row[name] = " ".join(one.sentence(one.shadow) for one in said)

    def text(self, name: str, changed: Said | None = None, value: Any = None) -> str:
        """The hero's text, or what it would be, did one sentence give another value."""
        return " ".join(
            one.sentence(value if one is changed else one.hero) for one in self.said[name]
        )

    def set(self, name: str, hero: Any, shadow: Any) -> None:
        """Give a field its values in both rows, before anything relies on it."""
        if name in self.fixed and (self.hero.row[name], self.shadow.row[name]) != (
            hero,
            shadow,
        ):
            raise Barren(f"{self.profile.name}.{name} is used already")
        self.hero.row[name], self.shadow.row[name] = hero, shadow
        self.fixed.add(name)


@frozen
class PlanterMark:
    """Where a planter stands, for going back."""

    rows: int
    reserved: int
    taken: frozenset[object]


@define
class Planter:
    """Draws planted rows for one plan."""

    catalogue: Catalogue
    rng: Random
    topic: str = ""
    """What the task is about; its heroes are called by it."""
    hero: Hero | None = None
    """Whose the planted rows are; without one, each has a party of its own."""
    rows: list[Planted] = field(factory=list)
    reserved: list[tuple[str, str, str, Any]] = field(factory=list)
    taken: set[object] = field(factory=set)
    """Values of this task's own planted rows, folded."""

    def mark(self) -> PlanterMark:
        """Where it stands, for `back`."""
        return PlanterMark(len(self.rows), len(self.reserved), frozenset(self.taken))

    def back(self, mark: PlanterMark) -> None:
        """Plant nothing of what came since a mark, and free its names and values."""
        del self.rows[mark.rows :]
        del self.reserved[mark.reserved :]
        self.taken.intersection_update(mark.taken)

    def pair(
        self, service: str, table: str, like: Mapping[str, tuple[Any, ...]] | None = None
    ) -> Pair:
        """Plant a record twice.

        Args:
            service: whose.
            table: which.
            like: field → values that a donor row must have one of.
        """
        profile = self.catalogue.tables[service, table]
        hero = self.plant(profile, "hero", like=like)
        shadow = self.plant(profile, "shadow", like=like)
        return Pair(profile, hero, shadow)

    def plant(
        self,
        profile: TableProfile,
        role: str,
        *,
        like: Mapping[str, tuple[Any, ...]] | None = None,
    ) -> Planted:
        """Plant one row: a donor's values with an id, keys and codes of its own."""
        row = self._clone(profile, like or {}, role)
        if role == "hero" and self.topic:
            self._call(profile, row)
        at = self.rng.uniform(0, max(1, len(profile.rows)))
        planted = Planted(profile.service, profile.name, row, round(at, 3), role)
        self.rows.append(planted)
        return planted

    def _call(self, profile: TableProfile, row: Row) -> None:
        """Call a hero after what the task is about, in the way of the other rows' names."""
        archetype = self.catalogue.archetype(profile.service, profile.name)
        for name, column in profile.fields.items():
            if not isinstance(row.get(name), str):
                continue
            called = archetype in ("document", "work", "meeting", "project")
            if not column.fact.distinct and not (called and column.fact.kind == "title"):
                continue
            if column.fact.kind == "title" and moves.handle_worth(archetype, "title"):
                made = self._fresh_name(lambda: topics.planted(self.topic, self.rng, archetype))
            elif column.fact.kind == "file_name":
                end = row[name].rpartition(".")[2]
                made = self._fresh_name(partial(self._file_name, end))
            elif column.slugs:
                made = self._fresh_name(lambda: topics.slug(self.topic, self.rng))
            else:
                continue
            if made:
                row[name] = made
                self._take(made)

    def _file_name(self, end: str) -> str:
        name = topics.planted(self.topic, self.rng)
        return f"{name.lower().replace(' ', '-')}.{end}"

    def _fresh_name(self, draw_name: Callable[[], str]) -> str:
        """A name that stands nowhere yet; empty where the draws bring none."""
        for _ in range(12):
            name = draw_name()
            if name not in self._all_taken():
                return name
        return ""

    def _clone(
        self, profile: TableProfile, like: Mapping[str, tuple[Any, ...]], role: str
    ) -> Row:
        donors = self.catalogue.donors(profile, like)
        if not donors:
            wanted = ", ".join(like) or "any"
            raise Barren(f"{profile.service}.{profile.name} has no row to copy ({wanted})")
        row = self.rng.choice(donors).model_dump(mode="json")
        for service, table, name, value in self.reserved:
            if (service, table) == (profile.service, profile.name) and row.get(name) == value:
                column = profile.fields[name]
                row[name] = self._draw(column)
        return self._own(profile, row, role)

    def _own(self, profile: TableProfile, row: Row, role: str) -> Row:
        """Give a copied row its own id and codes, and a party of its own."""
        renamed: dict[str, str] = {}
        self._rename(row, "id", new_id(profile, self.rng, self.taken), renamed)
        party = self._party(role)
        swap_party(row, self.catalogue.person_of(row), party)
        for name, column in profile.fields.items():
            if name == "id" or row.get(name) is None:
                continue
            if name in profile.mirrors:
                row[name] = row["id"]
                continue
            value = row[name]
            if value in keys_of(party):
                continue
            if column.fact.distinct and column.fact.kind in (
                "code",
                "quantity",
                "url",
                "file_name",
            ):
                self._rename(row, name, self._unique(column), renamed)
            elif column.outside and isinstance(value, str):
                row[name] = self._of_party(column, value, party)
            elif column.fact.distinct and column.fact.kind == "title":
                row[name] = self._draw(column)
            self._take(row[name])
        for name, value in row.items():
            if isinstance(value, str) and name not in ("id",) and value not in renamed.values():
                for old, new in renamed.items():
                    if len(old) >= 3 and old in value:
                        value = value.replace(old, new)
                row[name] = value
        return row

    def _party(self, role: str) -> Person:
        """Whom a row is about: the hero or the rival; without a hero, somebody new."""
        if self.hero is not None:
            return self.hero.rival if role == "shadow" else self.hero.person
        return fresh_person(self.rng, self._all_taken())

    def align(self, planted: Planted, value: Any) -> None:
        """Make a row that was given somebody's key consistent: it tells all that is theirs."""
        self._inherit(planted, value)
        if self.hero is None:
            return
        both = (self.hero.person, self.hero.rival)
        for party, other in (both, both[::-1]):
            if value in keys_of(party)[:3]:
                swap_party(planted.row, other, party)

    def _inherit(self, planted: Planted, value: Any) -> None:
        """A row that refers to another one speaks of the same person."""
        owner = next(
            (
                each for each in self.rows
                if each.service == planted.service and each.row["id"] == value
                and each.table != planted.table
            ),
            None,
        )  # fmt: skip
        if owner is None:
            return
        theirs = self.catalogue.tables[owner.service, owner.table].fields
        held = {
            column.fact.kind: owner.row[name]
            for name, column in theirs.items()
            if column.outside and column.fact.kind in PERSONAL and owner.row.get(name)
        }
        mine = self.catalogue.tables[planted.service, planted.table].fields
        for name, column in mine.items():
            if column.outside and column.fact.kind in held and planted.row.get(name):
                planted.row[name] = held[column.fact.kind]

    def _rename(self, row: Row, name: str, new: Any, renamed: dict[str, str]) -> None:
        renamed[str(row[name])] = str(new)
        row[name] = new
        self._take(new)

    def _draw(self, column: FieldProfile) -> Any:
        try:
            return draw(column.fact.kind, self.rng, taken=self._all_taken(), like=column.values)
        except CompoWorldError as error:
            raise Barren(f"{column.name}: {error}") from error

    def _take(self, value: Any) -> None:
        self.taken.add(value.strip().casefold() if isinstance(value, str) else str(value))

    def _all_taken(self) -> Taken:
        return Taken(self.catalogue.tokens, self.taken)

    def _unique(self, column: FieldProfile) -> Any:
        if column.numbered is not None:
            prefix, numbers = column.numbered
            if prefix is None:
                return number_between(numbers, self.rng, self.taken)
            known = {
                t.removeprefix(prefix.casefold()) for t in self.taken if isinstance(t, str)
            }
            try:
                return prefix + str(number_between(numbers, self.rng, {*self.taken, *known}))
            except Barren:
                return self._draw(column)  # no gap: the numbers go on
        if column.fact.kind == "quantity":
            raise Barren(f"{column.name} numbers rows in a way that is not understood")
        return self._draw(column)

    def _of_party(self, column: FieldProfile, value: str, party: Person) -> Any:
        kind = column.fact.kind
        if kind == "email":
            return party.email
        if kind == "company":
            return party.company
        if kind == "phone":
            return party.phone
        if kind == "person":
            if " " in value:
                return party.name
            firsts = {p.first for p in self.catalogue.world.cast.people}
            return party.first if value in firsts else party.last
        return self._draw(column)

    def reserve(self, profile: TableProfile, name: str, value: Any) -> None:
        """The instruction names a row by this value: no other row may be planted with it."""
        self.reserved.append((profile.service, profile.name, name, value))

    def holds(self, profile: TableProfile, name: str, value: Any) -> bool:
        """Is there a planted row of this table with this value already?"""
        return any(
            planted.table == profile.name
            and planted.service == profile.service
            and planted.row.get(name) == value
            for planted in self.rows
        )

    def fresh(self, column: FieldProfile) -> Any:
        """A value for a field that stands nowhere yet, in its JSON form."""
        value = self._draw(column)
        self._take(value)
        return value.isoformat() if hasattr(value, "isoformat") else value

    def patches(self) -> dict[str, Patch]:
        """The planted rows as a patch per service."""
        operations: dict[str, list[Operation]] = {}
        for planted in self.rows:
            operations.setdefault(planted.service, []).append(
                Operation(
                    op="insert",
                    table=planted.table,
                    id=planted.row["id"],
                    row=planted.row,
                    at=planted.at,
                )
            )
        return {name: Patch(operations=ops) for name, ops in operations.items()}


@define
class Taken:
    """Values that must not come up: the world's, and the task's own."""

    base: frozenset[str]
    own: set[object]

    def __contains__(self, value: object) -> bool:
        folded = value.strip().casefold() if isinstance(value, str) else value
        return folded in self.base or folded in self.own
