"""Hidden conditions of a read: which rows it does not show, found by changing one field.

A row that is missing is changed in one field after the other, in it and in the rows that it
names; where it then appears, the field's values that let it appear are the condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from compoworld_core.table import Key
from compoworld_core.types import freeze
from compoworld_tasks_walk.affordances import JSON, Fact
from compoworld_tasks_walk.learning.drawing import among, fact_of, spread, taken, value_of
from compoworld_tasks_walk.learning.parameters import Leaf
from compoworld_tasks_walk.learning.reads import Reading
from compoworld_tasks_walk.learning.world import World


def condition(reading: Reading, optional: Sequence[Leaf]) -> bool:
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
    """Field → values with which rows are shown, such that no missing row has them all."""
    world, table = reading.world, reading.view.table
    rows = world.rows[table]
    where: dict[str, tuple[JSON, ...]] = {}
    left = set(missing)
    while left:
        sample = spread(sorted(left, key=str), 4)
        name, values = _cause(reading, sample) or _correlated(reading, left, found) or ("", ())
        if not name or name in where:
            return None
        where[name] = values
        hidden = {k for k in left if among(value_of(world, table, rows[k], name), values)}
        if hidden == left:
            return None
        left = hidden
    return where


def _cause(reading: Reading, sample: Sequence[Key]) -> tuple[str, tuple[JSON, ...]] | None:
    """The first field whose change alone makes a missing row appear, with the values for it."""
    for key in sample:
        for name in telling(reading.world, reading.view.table):
            values = tuple(
                value
                for value, world in turned(reading.world, reading.view.table, key, name)
                if _appears(reading, key, world)
            )
            if values:
                return name, values
    return None


def _appears(reading: Reading, key: Key, world: World) -> bool:
    row = world.rows[reading.view.table].get(key)
    values = row and taken(reading.mapped, world, reading.view.table, row)
    return values is not None and key in (reading.found(values or {}, world) or ())


def turned(world: World, table: str, key: Key, name: str) -> Iterator[tuple[JSON, World]]:
    """Each other value of a telling field with the world in which the row has it."""
    row = world.rows[table][key]
    held = value_of(world, table, row, name)
    first, dot, rest = name.partition(".")
    home, at = (world.facts[table][first].ref, row.get(first)) if dot else (table, key)
    if at is None or at not in world.rows[home]:
        return
    for value in values_for(world, home, rest or name):
        if value != held:
            changed = world.variant(home, at, {rest or name: value})
            if changed is not None:
                yield value, changed


def values_for(world: World, table: str, name: str) -> list[JSON]:
    """The values that a telling field can have."""
    fact: Fact = world.facts[table][name]
    if fact.many:
        return [[]]
    values: list[JSON] = [None] if fact.optional else []
    if fact.kind == "boolean":
        return [*values, False, True]
    if fact.enum:
        if fact.json_type == "integer":
            return [*values, *(int(value) for value in fact.enum)]
        return [*values, *fact.enum]
    seen = list(dict.fromkeys(map(str, world.column(table, name))))
    if fact.kind == "status" and len(seen) <= _STATES:
        return [*values, *sorted(seen)]
    return values


_STATES = 12


def _correlated(
    reading: Reading, missing: set[Key], found: frozenset[Key]
) -> tuple[str, tuple[JSON, ...]] | None:
    """The field that best tells shown from missing rows, with the values of shown ones only."""
    world, table = reading.world, reading.view.table
    rows = world.rows[table]
    best: tuple[int, str, tuple[JSON, ...]] | None = None
    for name in telling(world, table):
        fact = fact_of(world, table, name)
        bad = [value_of(world, table, rows[key], name) for key in missing]
        shown = [value_of(world, table, rows[key], name) for key in sorted(found, key=str)]
        open_ended = (not fact.enum and fact.kind not in ("boolean", "status")) or fact.many
        good = [value for value in shown if value not in bad and not (open_ended and value)]
        if len(good) > (best[0] if best else max(1, len(shown) // 2)):
            best = (len(good), name, tuple(sorted(dict.fromkeys(map(freeze, good)), key=str)))
    return None if best is None else best[1:]


def telling(world: World, table: str) -> list[str]:
    """Fields that conditions can be about: states, flags, absences, one reference deep."""
    facts = world.facts[table]
    found = [n for n, f in facts.items() if _stateful(f.enum, f.kind) or f.optional or f.many]
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
