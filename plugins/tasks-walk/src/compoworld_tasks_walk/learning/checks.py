"""Each claim once more, on another seeded world: what fails there is dropped or narrowed."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from attrs import evolve, frozen

from compoworld_core.table import Key
from compoworld_tasks_walk.affordances import JSON, Into, Lookup, Path, Slot, Write, at
from compoworld_tasks_walk.learning.drawing import Draws, among, spread, value_of
from compoworld_tasks_walk.learning.hidden import turned
from compoworld_tasks_walk.learning.matching import same
from compoworld_tasks_walk.learning.parameters import Leaf, Shape
from compoworld_tasks_walk.learning.runs import lands
from compoworld_tasks_walk.learning.world import Changed, Outcome, Row, World

_TRIALS = 3


def checked_lookup(lookup: Lookup, world: World) -> Lookup | None:
    """The lookup with what holds in another world too; None where its core does not."""
    required = [name for name in lookup.required if name in lookup.by]
    if not _selects(lookup, world, required):
        return None
    by = {
        name: by
        for name, by in lookup.by.items()
        if name in required or _selects(lookup, world, [*required, name])
    }
    narrowed = evolve(lookup, by=by)
    return evolve(narrowed, reveals=_revealed(narrowed, world))


def _selects(lookup: Lookup, world: World, names: list[str]) -> bool:
    """Whether selecting by these fields shows the right rows, wherever it can be tried."""
    rows = world.rows[lookup.table]
    tried = 0
    for key in spread(list(rows), 12):
        if not _sure(lookup, world, rows[key], names):
            continue
        result = _right(lookup, world, key, names)
        if result is False:
            return False
        tried += result is not None
        if tried == _TRIALS:
            break
    if tried or not rows or not lookup.where:
        return tried > 0 or not rows
    for key in spread(list(rows), 4):
        changed = _put(lookup.table, world, key, lookup.where)
        if _sure(lookup, changed, changed.rows[lookup.table][key], names):
            result = _right(lookup, changed, key, names)
            if result is not None:
                return result
    return False


def _right(lookup: Lookup, world: World, key: Key, names: list[str]) -> bool | None:
    """Whether a call for one row shows what it should; None where the row has no values."""
    rows = world.rows[lookup.table]
    values = _values(lookup, world, rows[key], names)
    if values is None:
        return None
    shown = _shown(lookup, world, values)
    if shown is None:
        return False
    full = lookup.page_size is not None and len(shown) >= lookup.page_size
    if any(lookup.by[name].match == "contains" for name in names):
        return full or ("id" in lookup.reveals and key in shown)
    wanted = [k for k, row in rows.items() if _matches(lookup, world, row, values)]
    sure = [k for k in wanted if _sure(lookup, world, rows[k], names)]
    if "id" not in lookup.reveals:
        return full or len(sure) <= len(shown) <= len(wanted)
    return set(shown) <= set(wanted) and (full or set(sure) <= set(shown))


def _put(table: str, world: World, key: Key, where: Mapping[str, tuple[JSON, ...]]) -> World:
    """A world in which a row satisfies conditions, as far as single changes can do it."""
    for name, values in where.items():
        if not among(value_of(world, table, world.rows[table][key], name), values):
            turns = turned(world, table, key, name)
            world = next((changed for value, changed in turns if among(value, values)), world)
    return world


def _values(lookup: Lookup, world: World, row: Row, names: list[str]) -> dict[str, JSON] | None:
    found: dict[str, JSON] = {}
    for name in names:
        value = value_of(world, lookup.table, row, name)
        value = value[0] if isinstance(value, list) and value else value
        enum = lookup.by[name].slot.enum
        if value in (None, "", []) or (enum and value not in enum):
            return None
        by = lookup.by[name]
        if by.match == "contains" and by.slot.kind == "text":
            value = max(str(value).split(), key=len).strip(".,;:!?()'\"")
        found[name] = value
    return found


def _matches(lookup: Lookup, world: World, row: Row, values: Mapping[str, JSON]) -> bool:
    for name, value in values.items():
        held = value_of(world, lookup.table, row, name)
        if not (value in held if isinstance(held, list) else same(held, value)):
            return False
    return True


def _sure(lookup: Lookup, world: World, row: Row, names: list[str]) -> bool:
    return all(
        name in names or among(value_of(world, lookup.table, row, name), values)
        for name, values in lookup.where.items()
    )


def _items(lookup: Lookup, outcome: Outcome) -> list[JSON]:
    try:
        place = at(outcome.data, lookup.items)
    except KeyError:
        return []
    return place if lookup.shape == "many" else [place]


def _shown(lookup: Lookup, world: World, values: Mapping[str, JSON]) -> list[Key] | None:
    """The ids of the rows that a call shows; None where it fails."""
    outcome = world.read(lookup.tool, lookup.calls(values, world.state.ledger.actor))
    if not outcome.ok:
        return None
    path = lookup.reveals.get("id", ())
    try:
        return [at(item, path) for item in _items(lookup, outcome)]
    except KeyError:
        return None


def _revealed(lookup: Lookup, world: World) -> dict[str, Path]:
    """The revealed fields that agree with every row shown in this world."""
    rows = world.rows[lookup.table]
    left = dict(lookup.reveals)
    if "id" not in left:
        return left
    for key in spread(list(rows), 4):
        names = [name for name in lookup.required if name in lookup.by]
        values = _values(lookup, world, rows[key], names)
        if values is None:
            continue
        outcome = world.read(lookup.tool, lookup.calls(values, world.state.ledger.actor))
        for item in _items(lookup, outcome) if outcome.ok else []:
            row = rows.get(_at(item, left["id"]))
            left = {
                name: path
                for name, path in left.items()
                if row is None or _at(item, path) == row.get(name)
            }
    return left


def _at(item: JSON, path: Path) -> JSON:
    try:
        return at(item, path)
    except KeyError:
        return None


@frozen
class _Call:
    """One try of a write in the other world."""

    values: Mapping[str, JSON]
    change: Changed


def checked_write(write: Write, world: World, rng: Random) -> Write | None:
    """The write with what holds in another world too; None where it does not work there."""
    sinks = dict(write.sinks)
    calls: list[_Call] = []
    optional = [name for name in sinks if name not in write.required]
    plain = [] if write.required or not optional else optional[:1]
    for attempt in range(_ATTEMPTS):
        call = _tried(write, world, [*write.required, *plain], rng, attempt)
        if call is not None:
            calls.append(call)
        if len(calls) == _TRIALS:
            break
        if not calls and plain and attempt % 3 == 2:
            plain = [optional[(attempt // 3 + 1) % len(optional)]]
    if not calls:
        return None
    for name in optional:
        tries = (
            _tried(write, world, [*write.required, name], rng, attempt) for attempt in range(6)
        )
        call = next((found for found in tries if found is not None), None)
        if call is None:
            sinks.pop(name)
        else:
            calls.append(call)
    kept = {n: into for n, into in sinks.items() if all(_landed(c, n, into) for c in calls)}
    if any(name not in kept for name in write.required):
        return None
    effects = {
        name: value
        for name, value in write.effects.items()
        if all(_equal((call.change.after or {}).get(name), value) for call in calls)
    }
    if write.op == "update" and not kept and not effects:
        return None
    lost = tuple(n for n in write.effects if n not in effects) if write.op == "update" else ()
    return evolve(write, sinks=kept, effects=effects, touches=(*write.touches, *lost))


_ATTEMPTS = 12


def _equal(held: JSON, value: JSON) -> bool:
    return same(held, value) or (isinstance(held, list) and tuple(held) == value)


def _landed(call: _Call, name: str, into: Into) -> bool:
    if name not in call.values:
        return True
    held, value = (call.change.after or {}).get(name), call.values[name]
    return lands(held, value) if into.mode != "set" else _set(held, value)


def _set(held: JSON, value: JSON) -> bool:
    return (
        len(held) == 1 and same(held[0], value) if isinstance(held, list) else same(held, value)
    )


def _tried(
    write: Write, world: World, names: list[str], rng: Random, attempt: int
) -> _Call | None:
    """One call for a suitable row, with new values in some sinks."""
    rows = world.rows[write.table]
    row: Row = {}
    if write.op != "create":
        found = _suitable(write, world, rng)
        if found is None:
            return None
        world, row = found
    values = _fresh(write, world, names, rng, attempt)
    if values is None:
        return None
    named = {name: value_of(world, write.table, row, name) for name in write.by}
    given = write.calls(named, values, world.state.ledger.actor)
    outcome = world.write(write.tool, given)
    for change in outcome.changes:
        right = change.id == row.get("id") if row else change.id not in rows
        if change.table == write.table and change.op == write.op and right:
            return _Call(values, change)
    return None


def _suitable(write: Write, world: World, rng: Random) -> tuple[World, Row] | None:
    """A row in a state that the write works on, put into it where the world has none."""
    rows = list(world.rows[write.table])
    rng.shuffle(rows)
    found: tuple[int, World, Row] | None = None
    for key in rows[:30]:
        row = world.rows[write.table][key]
        if any(value_of(world, write.table, row, name) in (None, "") for name in write.by):
            continue
        wrong = [
            n for n, v in write.pre.items() if value_of(world, write.table, row, n) not in v
        ]
        foreign = [n for n in write.own if not _owned(world, write.table, row, n)]
        if found is None or len(wrong) + len(foreign) < found[0]:
            found = (len(wrong) + len(foreign), world, row)
    if found is None or found[0] == 0:
        return None if found is None else found[1:]
    key = found[2]["id"]
    changed = _put(write.table, world, key, write.pre)
    return changed, changed.rows[write.table][key]


def _owned(world: World, table: str, row: Row, name: str) -> bool:
    fact, actor = world.facts[table][name], world.state.ledger.actor
    value = row.get(name)
    if value == actor:
        return True
    return bool(fact.ref) and actor in world.rows[fact.ref].get(value or "", {}).values()


def _fresh(
    write: Write, world: World, names: list[str], rng: Random, attempt: int
) -> dict[str, JSON] | None:
    """Values for sinks: references from one row of the table or at random, others new."""
    draws = Draws(world, rng)
    rows = list(world.rows[write.table].values())
    refs = [name for name in names if name in write.exists]
    rows = [
        row
        for row in rows
        if all(row.get(name) for name in refs) and _allowed(write, world, row)
    ]
    model = rng.choice(rows) if rows and attempt % 3 < 2 else None
    found: dict[str, JSON] = {}
    for name in names:
        slot = write.sinks[name].slot
        value: JSON = None
        if name in write.exists:
            table, column = write.exists[name]
            value = None if model is None else model.get(name)
            if isinstance(value, list):
                value = value[0] if value else None
            if value is None:
                values = world.column(table, column)
                value = rng.choice(values) if values else None
        else:
            value = _drawn(slot, write, name, draws, attempt)
        if value is None:
            return None
        found[name] = value
    return found


def _allowed(write: Write, world: World, row: Row) -> bool:
    """Whether the rows that a model row names are in states that the write works on."""
    return all(
        among(value_of(world, write.table, row, name), values)
        for name, values in write.pre.items()
        if "." in name
    )


def _drawn(slot: Slot, write: Write, name: str, draws: Draws, attempt: int) -> JSON:
    fact = draws.world.facts[write.table][name]
    if fact.ref:
        values = list(draws.world.rows[fact.ref])
        return draws.rng.choice(values) if values else None
    shape = Shape(slot.kind, enum=slot.enum, json_type=slot.json_type, told=True)
    leaf = Leaf(slot, shape, str(slot.path[0]), True)
    if attempt % 4 == 3 and not slot.enum:
        seen = draws.world.column(write.table, name)
        if seen:
            return draws.rng.choice(seen)
    return draws.fresh(leaf, attempt)
