"""Lookups: what a read shows and how its arguments select rows, found by intervention.

A parameter selects by a field only if, for several rows, the result is exactly the rows that
share the row's value (or a full page of them).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from attrs import define, evolve, field, frozen

from compoworld_core.service import Tool
from compoworld_core.table import Key
from compoworld_tasks_walk.affordances import JSON, By, Fixed, Lookup, Paging, arguments
from compoworld_tasks_walk.learning.drawing import (
    Draws,
    Mapped,
    Values,
    fact_of,
    mappings,
    spread,
    taken,
    value_of,
)
from compoworld_tasks_walk.learning.matching import View, reveals, same, views
from compoworld_tasks_walk.learning.parameters import Leaf, leaves
from compoworld_tasks_walk.learning.world import Outcome, Row, World

Where = Mapping[str, tuple[JSON, ...]]


@frozen
class Shown:
    """What one call showed beside what it should show."""

    found: frozenset[Key]
    expected: frozenset[Key]
    full: bool
    """The page is full, so rows may be missing."""


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

    def call(self, values: Values, world: World | None = None) -> Outcome:
        """Run the tool with these values and the constants."""
        filled = {**self.constants, **values}
        given = arguments(((leaf.slot, value) for leaf, value in filled.items()), self.fixed)
        return (world or self.world).read(self.tool.name, given)

    def found(self, values: Values, world: World | None = None) -> list[Key] | None:
        """The keys that a call shows; None where it fails or shows something else."""
        outcome = self.call(values, world)
        if not outcome.ok:
            return None
        return self.view.rows(world or self.world, outcome.data)

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
        full = self.page is not None and len(found) >= self.page
        return Shown(frozenset(found), self.matching(row, mapped), full)

    def sure(self, key: Key, free: Sequence[str] = ()) -> bool:
        """Whether a row satisfies the hidden conditions; those on `free` fields aside."""
        world, table = self.world, self.view.table
        row = world.rows[table][key]
        return all(
            name in free or value_of(world, table, row, name) in values
            for name, values in self.where.items()
        )


def _has(held: JSON, value: JSON) -> bool:
    return value in held if isinstance(held, list) else same(held, value)


def variants(found: Sequence[Leaf]) -> list[tuple[list[Leaf], list[Leaf]]]:
    """(required, optional) leaves; one variant per form where a required argument has several."""
    forms = [leaf for leaf in found if leaf.form and leaf.required]
    plain = [leaf for leaf in found if leaf not in forms]
    required = [leaf for leaf in plain if leaf.required]
    optional = [leaf for leaf in plain if not leaf.required]
    if not forms:
        return [(required, optional)]
    return [([*required, form], optional) for form in forms]


def readings(world: World, tool: Tool, required: Sequence[Leaf], rng: Random) -> list[Reading]:
    """The views of a tool's results with the mapping of required arguments that explains them."""
    if not any(_nameable(leaf) for leaf in required):
        constants = _constants(world, required, rng)
        outcome = world.read(tool.name, arguments((k.slot, v) for k, v in constants.items()))
        if not outcome.ok:
            return []
        return [
            Reading(world, tool, view, {}, constants)
            for view in views(world, outcome.data)
            if view.shape == "many"
        ]
    found: list[Reading] = []
    for table in world.rows:
        for reading in _named(world, tool, table, required, rng):
            if not any(r.view.items == reading.view.items for r in found):
                found.append(reading)
    return found


def _nameable(leaf: Leaf) -> bool:
    return leaf.shape.json_type != "boolean" and not (leaf.shape.enum and not leaf.shape.ref)


def _constants(world: World, required: Sequence[Leaf], rng: Random) -> Values:
    draws = Draws(world, rng)
    return {leaf: draws.fresh(leaf) for leaf in required}


def _named(
    world: World, tool: Tool, table: str, required: Sequence[Leaf], rng: Random
) -> list[Reading]:
    """Readings of views of a table, whose required arguments come from its rows."""
    naming = [leaf for leaf in required if _nameable(leaf)]
    rest = [leaf for leaf in required if not _nameable(leaf)]
    keys = spread(list(world.rows[table]), 4)
    found: list[Reading] = []
    for mapped in mappings(naming, world, table):
        if len(mapped) < len(naming):
            continue
        constants = _constants(world, rest, rng)
        for key in keys:
            values = taken(mapped, world, table, world.rows[table][key])
            if values is None:
                continue
            filled = {**values, **constants}
            given = arguments((leaf.slot, value) for leaf, value in filled.items())
            outcome = world.read(tool.name, given)
            if not outcome.ok:
                continue
            seen = [view for view in views(world, outcome.data) if view.table == table]
            for view in seen:
                if any(reading.view.items == view.items for reading in found):
                    continue
                reading = Reading(world, tool, view, mapped, constants)
                if _plausible(reading, keys):
                    found.append(reading)
            if seen:
                break
    return found


def _plausible(reading: Reading, keys: Sequence[Key]) -> bool:
    """Whether no trial shows a row that the mapping does not select, and some show one."""
    rows = reading.world.rows[reading.view.table]
    hits = 0
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


def condition(reading: Reading, draws: Draws, optional: Sequence[Leaf]) -> bool:
    """Find constants that widen the result, then the hidden conditions that are left.

    False where rows are missing for a reason that no field tells.
    """
    missing, found = _missing(reading)
    if not missing:
        return True
    for leaf in optional:
        if leaf is reading.size or leaf.needs or leaf.form:
            continue
        values: Sequence[JSON] = leaf.shape.enum
        if leaf.shape.json_type == "boolean":
            values = (True, False)
        for value in values:
            wider = evolve(reading, fixed=(*reading.fixed, (leaf.path, value)))
            left, now = _missing(wider)
            if now > found and len(left) < len(missing):
                reading.fixed, missing, found = wider.fixed, left, now
                break
        if not missing:
            return True
    where = _explained(reading, missing, found)
    if where is None:
        return False
    reading.where = where
    return True


def _missing(reading: Reading) -> tuple[frozenset[Key], frozenset[Key]]:
    """(rows that should be shown and are not, rows that are) over all groups of the mapping."""
    world, table = reading.world, reading.view.table
    rows = world.rows[table]
    missing: set[Key] = set()
    seen: set[Key] = set()
    done: set[Key] = set()
    calls = 0
    for key in spread(list(rows), _GROUPS):
        if key in done:
            continue
        shown = reading.trial(rows[key], reading.mapped)
        calls += 1
        if shown is None:
            continue
        if not shown.found <= shown.expected:
            return frozenset(rows), frozenset()
        done |= shown.expected
        seen |= shown.found
        if not shown.full:
            missing |= shown.expected - shown.found
    return frozenset(missing), frozenset(seen)


_GROUPS = 16


def _explained(
    reading: Reading, missing: frozenset[Key], found: frozenset[Key]
) -> dict[str, tuple[JSON, ...]] | None:
    """Field → values that no missing row has, chosen to keep the most of the rows shown."""
    world, table = reading.world, reading.view.table
    rows = world.rows[table]
    best: tuple[int, str, tuple[JSON, ...]] | None = None
    for name in telling(world, table):
        bad = {str(value_of(world, table, rows[key], name)) for key in missing}
        values: list[JSON] = []
        kept = 0
        for key in sorted(found, key=str):
            value = value_of(world, table, rows[key], name)
            if str(value) in bad:
                continue
            if not _settable(fact_of(world, table, name).enum, value):
                continue
            kept += 1
            if value not in values:
                values.append(value)
        if kept and (best is None or kept > best[0]):
            best = (kept, name, tuple(sorted(values, key=str)))
    return None if best is None or best[0] < 2 else {best[1]: best[2]}


def telling(world: World, table: str) -> list[str]:
    """Fields that conditions can be about: states, flags, absences, one reference deep."""
    facts = world.facts[table]
    found = [
        n for n, f in facts.items() if not f.many and (_stateful(f.enum, f.kind) or f.optional)
    ]
    for name, fact in facts.items():
        if fact.ref and not fact.many:
            found += [
                f"{name}.{inner}"
                for inner, meant in world.facts[fact.ref].items()
                if _stateful(meant.enum, meant.kind) and not meant.many
            ]
    return found


def _stateful(enum: Sequence[str], kind: str) -> bool:
    return bool(enum) or kind in ("boolean", "status")


def _settable(enum: Sequence[str], value: JSON) -> bool:
    return value is None or isinstance(value, bool) or bool(enum) or isinstance(value, str)


def lookup(reading: Reading, by: Mapping[str, By]) -> Lookup:
    """What was found out about a reading, as data."""
    world, view, tool = reading.world, reading.view, reading.tool
    pairs: list[tuple[JSON, Row]] = []
    for key in spread(list(world.rows[view.table]), 8):
        values = taken(reading.mapped, world, view.table, world.rows[view.table][key])
        if values is None:
            continue
        outcome = reading.call(values)
        if outcome.ok:
            pairs += view.pairs(world, outcome.data)
        if not reading.mapped:
            break
    constants = tuple(place for k, v in reading.constants.items() for place in k.slot.leaves(v))
    return Lookup(
        world.service.name,
        tool.name,
        view.table,
        by,
        view.shape,
        view.items,
        reveals(world, view, pairs),
        tuple(reading.mapped.values()),
        (*reading.fixed, *constants),
        reading.page,
        reading.paging,
        dict(reading.where),
    )


def required_by(reading: Reading) -> dict[str, By]:
    """How the required arguments select."""
    world, table = reading.world, reading.view.table
    found: dict[str, By] = {}
    for leaf, name in reading.mapped.items():
        fact = fact_of(world, table, name)
        slot = leaf.slot if leaf.shape.told else evolve(leaf.slot, kind=fact.kind)
        found[name] = By(slot, "key" if name == "id" and reading.view.shape == "one" else "eq")
    return found


__all__ = ["Reading", "condition", "leaves", "lookup", "readings", "required_by", "variants"]
