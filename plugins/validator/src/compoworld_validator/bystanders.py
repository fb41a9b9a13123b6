"""Bystanders: judges of what a write must leave alone: other records, other fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compoworld_core.service import Tool
from compoworld_core.state import Change
from compoworld_validator.laws import Fault, guarded
from compoworld_validator.reading import derived, empty, fields, leaves, mappings, named, same
from compoworld_validator.values import normal
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import World, plain

_NAMING = ("id", "ids", "number", "ts", "timestamp", "key", "reminder")
"""How the names of parameters end that name a record."""
_COUNTS = ("quantity", "count", "copies", "seats", "n")
"""Parameters that ask for several alike."""


@guarded
def right(world: World, steps: Sequence[Step]) -> Fault | None:
    """The record that the call names is the one that changes, where one of its table does."""
    played = world.play(steps)
    changes = played.changes()
    if played.last.is_error or not changes:
        return None
    given = [v for n, v in _flat(steps[-1][1]) if n.endswith(_NAMING)]
    loose = {v for n, v in _flat(steps[-1][1]) if not n.endswith(_NAMING)}
    for table in dict.fromkeys(c.table for c in changes):
        moved = [c for c in changes if c.table == table]
        if any(c.before is None or c.id in loose or c.id in given for c in moved):
            continue
        asked = [v for v in given if world.ids.get(v) == table and world.shared.get(v) == 1]
        asked = [v for v in asked if v not in loose]
        for value in given if not asked else ():
            keys = world.names.get((table, str(value)), [])
            asked += keys if len(keys) == 1 and value not in loose else []
        if not asked:
            asked = [
                each["id"]
                for each in mappings(played.last.data)
                if "id" in each and world.ids.get(each["id"]) == table and played.kept(each)
            ]
        if not asked or any(c.id in asked for c in moved):
            continue
        if any(_linked(c, asked) for c in moved):
            continue
        return Reason.COLLATERAL, f"{table} {moved[0].id} changed, not {asked[0]}"
    return None


def _flat(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """(normalised name, scalar) of each argument, each item of a list by itself."""
    for name, value in named(given):
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str | int) and not isinstance(each, bool):
                yield name, each


def _linked(change: Change, keys: Sequence[Any]) -> bool:
    """Whether a record names one of the keys, before or after the call."""
    told = {*leaves(change.before or {}), *leaves(change.after or {})}
    return any(key in told for key in keys)


@guarded
def alone(world: World, steps: Sequence[Step]) -> Fault | None:
    """A write changes the records it names or makes, and others only that belong to these."""
    played = world.play(steps)
    changes = played.changes()
    if played.last.is_error or len(changes) < 2:
        return None
    said = {*leaves(steps[-1][1]), *leaves(played.last.data)}
    texts = {v for v in said if isinstance(v, str) and len(v) > 2}
    sure = [c for c in changes if c.id in said]
    if not sure:
        sure = [c for c in changes if c.before is None]
    if not sure:
        return None
    rest = [c for c in changes if c not in sure]
    grown = True
    while rest and grown:
        keys = [c.id for c in sure]
        own = set()
        for c in sure:
            own |= {v for v in leaves(_moved(c)) if isinstance(v, str | int)}
        near = [c for c in rest if _linked(c, keys) or c.id in own]
        grown = bool(near)
        sure += near
        rest = [c for c in rest if c not in near]
    for change in rest:
        twin = any(c.table == change.table and _alike(c, change) for c in sure)
        if not twin and any(text in leaves(_moved(change)) for text in texts):
            continue
        if twin or change.table in {c.table for c in sure} or change.after is None:
            return Reason.COLLATERAL, f"{change.table} {change.id} changed as well"
    return None


def _moved(change: Change) -> dict[str, Any]:
    """What a record says, before and after."""
    return {"before": change.before or {}, "after": change.after or {}}


def _alike(one: Change, other: Change) -> bool:
    """Whether two records of a table changed in the same way: to the same values."""
    if one.after is None or other.after is None or one.before is None or other.before is None:
        return one.after is None and other.after is None
    mine = {k: v for k, v in one.after.items() if one.before.get(k) != v}
    yours = {k: v for k, v in other.after.items() if other.before.get(k) != v}
    real = {k for k in mine if not derived(normal(k))}
    return bool(real & set(yours)) and all(yours.get(k, mine[k]) == mine[k] for k in real)


@guarded
def once(world: World, steps: Sequence[Step]) -> Fault | None:
    """What is made is made once: no two new records of a table say the same."""
    played = world.play(steps)
    if played.last.is_error:
        return None
    made: dict[str, list[Change]] = {}
    for change in played.changes():
        if change.before is None:
            made.setdefault(change.table, []).append(change)
    several = any(
        name in _COUNTS or (isinstance(v, list) and len(v) > 1 and isinstance(v[0], Mapping))
        for name, v in named(steps[-1][1])
    )
    for table, new in made.items():
        for number, one in enumerate(new):
            for other in new[number + 1 :]:
                mine, yours = _said(one), _said(other)
                if mine and mine == yours and not several:
                    return Reason.COLLATERAL, f"two new records in {table} say the same"
    return None


def _said(change: Change) -> str:
    """What a new record says besides what the service numbers itself."""
    row = change.after or {}
    told = {k: v for k, v in row.items() if k != "id" and not empty(v)}
    text = {k: v for k, v in told.items() if v != change.id and not derived(normal(k))}
    return repr(sorted(text.items(), key=lambda pair: pair[0])) if text else ""


@guarded
def quiet(world: World, steps: Sequence[Step]) -> Fault | None:
    """An update clears no field of which neither the call nor its tool speaks."""
    played = world.play(steps)
    if played.last.is_error:
        return None
    tool = world.tools[steps[-1][0]]
    if _replaces(tool):
        return None
    about = normal(f"{tool.name} {tool.description}").replace(" ", "")
    parts = tool.input_schema.get("properties", {})
    given = {name for name, _ in named(steps[-1][1])}
    given |= {normal(n) for n, part in parts.items() if part.get("default") is not None}
    mentioned = set(leaves(steps[-1][1]))
    for change in played.changes():
        if change.before is None or change.after is None:
            continue
        defaults = world.defaults(change.table)
        if _goes(world, change, mentioned):
            continue  # what belonged to the old place is left behind
        for name, old in change.before.items():
            now, flat = change.after.get(name), normal(name)
            if old == now or flat in given or empty(old) or derived(flat):
                continue
            cleared = empty(now) or (flat in defaults and now == defaults[flat])
            if not cleared or _spoken(flat, about) or isinstance(old, bool):
                continue
            if isinstance(old, list) and any(part in mentioned for part in leaves(old)):
                continue
            if isinstance(old, str) and isinstance(now, str) and not empty(now):
                spoken = normal(now) in about or normal(old) in about
                if spoken:
                    continue
            return Reason.WRONG_FIELD, f"{name} was {old!r} and is {now!r}"[:200]
    return None


def _replaces(tool: Tool) -> bool:
    """Whether its source says PUT: what a call leaves out is emptied, as it should be."""
    return tool.original is not None and tool.original.method == "PUT"


def _goes(world: World, change: Change, mentioned: set[Any]) -> bool:
    """Whether a record changes its place: it names another record now, as it was told."""
    told = {*leaves(change.after or {})} - {*leaves(change.before or {})}
    return any(value in world.aliases and value in mentioned for value in told)


def _spoken(name: str, about: str) -> bool:
    """Whether a tool's name or description speaks of a field."""
    stem = name.removesuffix("s").removesuffix("id").removesuffix("by")
    return len(stem) > 2 and (stem in about or stem[:-1] in about)


@guarded
def born(world: World, steps: Sequence[Step]) -> Fault | None:
    """A record that is there already keeps when, and by whom, it was created."""
    played = world.play(steps)
    if played.last.is_error:
        return None
    given = {name for name, _ in named(steps[-1][1])}
    for change in played.changes():
        if change.before is None or change.after is None:
            continue
        for name, old in change.before.items():
            flat = normal(name)
            if not flat.startswith("creat") or flat in given or empty(old):
                continue
            if old != change.after.get(name):
                now = change.after.get(name)
                return Reason.WRONG_FIELD, f"{name} was {old!r} and is {now!r}"[:200]
    return None


@guarded
def partial(world: World, steps: Sequence[Step]) -> Fault | None:
    """Another argument's field must not change."""
    played = world.play(steps)
    if played.last.is_error:
        return None
    name, given = steps[-1]
    if _replaces(world.tools[name]):
        return None
    parts = world.tools[name].input_schema.get("properties", {})
    silent = {n for n, part in parts.items() if part.get("default") is None}
    unnamed = {normal(n) for n in silent} - {normal(n) for n in given}
    for change in played.changes():
        if change.before is None or change.after is None:
            continue
        if _goes(world, change, set(leaves(given))) or change.id not in leaves(given):
            continue
        defaults = world.defaults(change.table)
        before, after = fields(change.before), fields(change.after)
        for each in sorted(unnamed):
            if any(each in normal(n) for n in given):
                continue  # `removed_label_ids` speaks of `label_ids`
            if each not in before or before[each] == after.get(each) or derived(each):
                continue
            moved = any(plain(v) and same(v, after.get(each)) for _, v in named(given))
            cleared = empty(after[each]) or after[each] == defaults.get(each, before[each])
            if (moved and not isinstance(after[each], bool)) or cleared:
                return Reason.WRONG_FIELD, f"{each} changed, which the call did not name"
    return None
