"""Lookups: what a read shows and how its arguments select rows, found by intervention.

A parameter selects by a field only if, for several rows, the result is exactly the rows that
share the row's value (or a full page of them).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice, product
from random import Random

from attrs import define, evolve, field, frozen

from compoworld_core.service import Tool
from compoworld_core.table import Key
from compoworld_core.types import freeze
from compoworld_tasks_walk.affordances import JSON, By, Fixed, Lookup, Paging, arguments, at
from compoworld_tasks_walk.learning.drawing import (
    ACTOR,
    Draws,
    Mapped,
    Values,
    among,
    fact_of,
    mappings,
    spread,
    taken,
    value_of,
)
from compoworld_tasks_walk.learning.matching import View, reveals, same, views
from compoworld_tasks_walk.learning.parameters import Leaf
from compoworld_tasks_walk.learning.world import Outcome, Row, World

Where = Mapping[str, tuple[JSON, ...]]


@frozen
class Shown:
    """What one call showed beside what it should show."""

    found: frozenset[Key]
    expected: frozenset[Key]
    full: bool
    """The page is full, so rows may be missing."""


_PAGES = 8
"""Pages that are turned to see all rows of a small world."""


@define
class Reading:
    """A read under study: its view, and how its required arguments name rows."""

    world: World
    tool: Tool
    view: View
    mapped: Mapped
    constants: Values = field(factory=dict)
    """Required arguments that select nothing."""
    fixed: Fixed = ()
    where: Where = field(factory=dict)
    page: int | None = None
    paging: Paging | None = None
    size: Leaf | None = None

    room: int | None = None
    """Rows that an agent sees whole; the study itself sees more."""

    def call(self, values: Values, world: World | None = None, cursor: JSON = None) -> Outcome:
        """Run the tool with these values and the constants."""
        filled = [(leaf.slot, value) for leaf, value in {**self.constants, **values}.items()]
        if self.paging is not None and cursor is not None:
            filled.append((self.paging.slot, cursor))
        return (world or self.world).read(self.tool.name, arguments(filled, self.fixed))

    def found(self, values: Values, world: World | None = None) -> list[Key] | None:
        """The keys that a call shows, on all pages; None where it fails or shows others."""
        outcome = self.call(values, world)
        if not outcome.ok:
            return None
        rows = self.view.rows(world or self.world, outcome.data)
        all_rows = rows
        number = 1
        while rows and all_rows is not None and self.paging and len(rows) == self.page:
            number += 1
            outcome = self.call(values, world, self._next(outcome.data, number))
            rows = self.view.rows(world or self.world, outcome.data) if outcome.ok else []
            if number > _PAGES or (rows and rows[0] in all_rows):
                break
            all_rows = [*all_rows, *(rows or [])]
        return all_rows

    def _next(self, data: JSON, number: int) -> JSON:
        """What to pass on for the next page."""
        assert self.paging is not None
        if self.paging.mode == "page" or self.paging.next is None:
            return number
        try:
            if self.paging.mode == "after":
                data = at(data, self.view.items)[-1]
            return at(data, self.paging.next)
        except (KeyError, IndexError):
            return None

    def full(self, found: Collection[Key]) -> bool:
        """Whether rows may be missing only because a page is full."""
        if self.page is None:
            return False
        return len(found) >= self.page * (_PAGES if self.paging else 1)

    def matching(self, row: Row, mapped: Mapped) -> frozenset[Key]:
        """The rows that share a row's values in the mapped fields."""
        world, table = self.world, self.view.table
        wanted = {name: value_of(world, table, row, name) for name in mapped.values()}
        wanted = {n: v[0] if isinstance(v, list) and v else v for n, v in wanted.items()}
        return frozenset(
            key
            for key, other in world.rows[table].items()
            if all(_has(value_of(world, table, other, n), v) for n, v in wanted.items())
        )

    def trial(self, row: Row, mapped: Mapped) -> Shown | None:
        """Call with a row's values and compare what is shown with what shares them."""
        values = taken(mapped, self.world, self.view.table, row)
        if values is None:
            return None
        found = self.found(values)
        if found is None:
            return Shown(frozenset(), self.matching(row, mapped), False)
        return Shown(frozenset(found), self.matching(row, mapped), self.full(found))

    def sure(self, key: Key, free: Sequence[str] = ()) -> bool:
        """Whether a row satisfies the hidden conditions; those on `free` fields aside."""
        world, table = self.world, self.view.table
        row = world.rows[table][key]
        return all(
            name in free or among(value_of(world, table, row, name), values)
            for name, values in self.where.items()
        )


def _has(held: JSON, value: JSON) -> bool:
    return value in held if isinstance(held, list) else same(held, value)


def variants(found: Sequence[Leaf]) -> list[tuple[list[Leaf], list[Leaf]]]:
    """(required, optional) leaves; one variant per choice of forms of required arguments."""
    forms: dict[str, list[Leaf]] = {}
    for leaf in found:
        if leaf.form and leaf.required:
            forms.setdefault(leaf.parameter, []).append(leaf)
    plain = [leaf for leaf in found if not (leaf.form and leaf.required)]
    required = [leaf for leaf in plain if leaf.required]
    optional = [leaf for leaf in plain if not leaf.required]
    ways: list[tuple[list[Leaf], list[Leaf]]] = []
    for chosen in islice(product(*forms.values()), _WAYS):
        rest = [
            other
            for group in forms.values()
            for other in group
            if not any(other is one or other.slot.clashes(one.slot) for one in chosen)
        ]
        ways.append(([*required, *chosen], [*optional, *rest]))
    return ways


_WAYS = 60


def readings(world: World, tool: Tool, required: Sequence[Leaf], rng: Random) -> list[Reading]:
    """The views of a tool's results, each with a mapping of arguments that explains it."""
    found: list[Reading] = []
    naming = [leaf for leaf in required if _nameable(leaf)]
    for constants in _constants(world, [leaf for leaf in required if leaf not in naming], rng):
        if naming:
            for table in world.rows:
                new = _named(world, tool, table, naming, constants)
                found += [reading for reading in new if _is_new(reading, found)]
            continue
        outcome = world.read(tool.name, arguments((k.slot, v) for k, v in constants.items()))
        for view in views(world, outcome.data) if outcome.ok else []:
            reading = Reading(world, tool, view, {}, dict(constants))
            if view.shape == "many" and _is_new(reading, found):
                found.append(reading)
    return found


def _is_new(reading: Reading, found: Sequence[Reading]) -> bool:
    """Whether no earlier reading shows the same at the same place."""
    view = reading.view
    same_place = [other for other in found if other.view.items == view.items]
    if reading.constants:
        same_place = [other for other in same_place if other.view.table == view.table]
    return not same_place


def _nameable(leaf: Leaf) -> bool:
    return leaf.shape.json_type != "boolean" and not (leaf.shape.enum and not leaf.shape.ref)


def _constants(world: World, required: Sequence[Leaf], rng: Random) -> list[Values]:
    """Choices for required arguments that name no row."""
    draws = Draws(world, rng)
    options: list[Sequence[JSON]] = [leaf.shape.enum or (False, True) for leaf in required]
    if all(leaf.shape.enum or leaf.shape.json_type == "boolean" for leaf in required):
        return [
            dict(zip(required, chosen, strict=True))
            for chosen in islice(product(*options), _CHOICES)
        ]
    return [{leaf: draws.fresh(leaf) for leaf in required}]


_CHOICES = 16


def _named(
    world: World, tool: Tool, table: str, naming: Sequence[Leaf], constants: Values
) -> list[Reading]:
    """Readings of views of a table, whose required arguments come from its rows."""
    found: list[Reading] = []
    rows = world.rows[table]
    for mapped in mappings(naming, world, table):
        if len(mapped) < len(naming):
            continue
        keys = spread([k for k in rows if taken(mapped, world, table, rows[k]) is not None], 4)
        for key in keys:
            values = taken(mapped, world, table, rows[key]) or {}
            filled = {**values, **constants}
            given = arguments((leaf.slot, value) for leaf, value in filled.items())
            outcome = world.read(tool.name, given)
            if not outcome.ok:
                continue
            seen = [view for view in views(world, outcome.data) if view.table == table]
            for view in seen:
                if any(reading.view.items == view.items for reading in found):
                    continue
                reading = Reading(world, tool, view, mapped, dict(constants))
                if _plausible(reading, keys):
                    found.append(reading)
            if seen:
                break
    return found


def _takes_others(reading: Reading, leaf: Leaf) -> bool:
    """Whether an argument that is given the own address works with another one too."""
    world, table = reading.world, reading.view.table
    rows = world.rows[table]
    strangers = Draws(world, Random(leaf.parameter))
    for key in spread(list(rows), 2):
        values = taken(reading.mapped, world, table, rows[key])
        other = strangers.existing(leaf)
        if values is None or other in (None, world.state.ledger.actor):
            continue
        if reading.call({**values, leaf: other}).ok:
            return True
    return False


def _plausible(reading: Reading, keys: Sequence[Key]) -> bool:
    """Whether no trial shows a row that the mapping does not select, and some show one."""
    rows = reading.world.rows[reading.view.table]
    hits = 0
    if any(_takes_others(reading, leaf) for leaf, n in reading.mapped.items() if n == ACTOR):
        return False
    for key in keys:
        shown = reading.trial(rows[key], reading.mapped)
        if shown is None:
            continue
        if not shown.found <= shown.expected:
            return False
        if reading.view.shape == "one" and len(shown.expected) > 1:
            return False
        hits += bool(shown.found)
    return hits > 0


def lookup(reading: Reading, by: Mapping[str, By], pairs: Sequence[tuple[JSON, Row]]) -> Lookup:
    """What was found out about a reading, as data."""
    world, view, tool = reading.world, reading.view, reading.tool
    constants = tuple(place for k, v in reading.constants.items() for place in k.slot.leaves(v))
    size = reading.page
    fixed = reading.fixed
    if reading.size is not None and size is not None:
        size = min(size, reading.room or size)
        held = reading.size.path
        fixed = tuple((path, size if path == held else value) for path, value in fixed)
    return Lookup(
        world.service.name,
        tool.name,
        view.table,
        by,
        view.shape,
        view.items,
        reveals(world, view, pairs),
        tuple(name for name in reading.mapped.values() if name != ACTOR),
        (*fixed, *constants),
        size,
        reading.paging,
        {name: freeze(values) for name, values in reading.where.items()},
        tuple(leaf.slot for leaf, name in reading.mapped.items() if name == ACTOR),
    )


def required_by(reading: Reading) -> dict[str, By]:
    """How the required arguments select."""
    world, table = reading.world, reading.view.table
    found: dict[str, By] = {}
    for leaf, name in reading.mapped.items():
        if name == ACTOR:
            continue
        fact = fact_of(world, table, name)
        slot = leaf.slot if leaf.shape.told else evolve(leaf.slot, kind=fact.kind)
        found[name] = By(slot, "key" if name == "id" and reading.view.shape == "one" else "eq")
    return found
