"""Deeds: judges of what a write keeps, shows, and leaves alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compoworld_core.state import Change
from compoworld_validator.laws import Fault, guarded
from compoworld_validator.reading import (
    Row,
    derived,
    empty,
    equal,
    fields,
    leaves,
    mappings,
    named,
    same,
)
from compoworld_validator.values import kind, normal, resolved
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import Played, World, plain

_NAMING = ("id", "ids", "number", "ts", "timestamp", "key", "reminder")
_MODES = ("action", "operation", "mode", "type", "command")
_FORMS = ("format", "field", "propert", "detail", "include", "expand", "select", "view", "raw")
_OTHER = ("id", "originalstarttime")
"""Fields that may differ from an argument of their name: the new record's own id."""


def _named_rows(world: World, played: Played, given: Mapping[str, Any]) -> list[tuple[str, Row]]:
    """(table, record after the call) of the records whose keys are among the arguments."""
    state = played.environment.states[played.service]
    found = []
    for value in dict.fromkeys(v for v in leaves(given) if isinstance(v, str | int)):
        table = world.ids.get(value)
        row = None if table is None else state.table(table).get(value)
        if row is not None and table is not None:
            found.append((table, {normal(k): v for k, v in row.model_dump(mode="json").items()}))
    return found


@guarded
def kept(world: World, steps: Sequence[Step]) -> Fault | None:
    """A write stores what it was given, where a field of the record has that name."""
    played = world.play(steps)
    if played.last.is_error:
        return None
    given = steps[-1][1]
    changes = played.changes()
    after = [
        (c.table, {normal(k): v for k, v in c.after.items()}) for c in changes if c.after
    ]
    if not changes:
        after = _named_rows(world, played, given)
        shown = [played.kept(each) for each in mappings(played.last.data)]
        after = [each for each in after if any(s and s[1] == each[1] for s in shown)]
    before = {(c.table, c.id): fields(c.before) for c in changes if c.before}
    olds = list(before.values())
    needed = world.tools[steps[-1][0]].input_schema.get("required", ())
    modal = any(name in _MODES for name in needed)
    values = [v for _, v in named(given) if plain(v)]
    new = bool(changes) and all(c.before is None for c in changes if c.after)
    fields_of = {name for _, row in after for name in row}
    told = {k: v for k, v in given.items() if normal(k) not in fields_of or plain(v)}
    for name, value in named(told):
        if name in _OTHER or empty(value) or not plain(value):
            continue
        if isinstance(value, list) and not changes:
            continue  # what is taken off a list may not have been on it
        rows = [(table, row) for table, row in after if name in row and plain(row[name])]
        if not rows or any(_stored(world, t, name, r[name], value, olds) for t, r in rows):
            continue
        found = rows[0][1][name]
        if name not in map(normal, needed) and _known(world, value) and not empty(found):
            continue  # another argument may say more of it
        if new and _known(world, value) and any(same(found, v) for v in values):
            continue  # it names what the new record is made of
        if modal and name not in map(normal, needed):
            continue
        others = [world.aliases.get(v, ()) for v in values if isinstance(v, str | int)]
        if not isinstance(found, list) and any(found in other for other in others):
            continue  # it belongs to a record that the call names
        return Reason.ARGUMENT_LOST, f"{name} is {rows[0][1][name]!r} after the call"
    return None


def _known(world: World, value: Any) -> bool:
    return isinstance(value, str | int) and value in world.aliases


def _stored(
    world: World, table: str, name: str, found: Any, value: Any, olds: Sequence[Row]
) -> bool:
    """Whether a field holds a value, perhaps in another form or under another name."""
    if isinstance(found, list):
        items = value if isinstance(value, list) else [value]
        inside = [
            any(same(item, each) or each in world.aliases.get(item, ()) for each in found)
            for item in items
        ]
        before = [old.get(name) for old in olds]
        gone = any(isinstance(b, list) and any(i in b for i in items) for b in before)
        return all(inside) or (gone and not any(inside))
    if equal(found, value):
        return True
    if isinstance(found, str) and isinstance(value, str):
        if value.strip() in found:
            return True
        if found.casefold() == value.casefold():
            return (table, name) not in world.cased
    if same(found, value):
        return True
    if isinstance(value, list):
        return True
    return found in world.aliases.get(value, ()) or (
        isinstance(found, str) and _timely(found, str(value))
    )


def _timely(one: str, other: str) -> bool:
    """Two forms of a time."""
    dated = other[:4].isdigit() and other[4:5] == "-"
    return one[:4].isdigit() and one[4:5] == "-" and (dated or other.isdigit())


@guarded
def shown(world: World, steps: Sequence[Step]) -> Fault | None:
    """What a result shows of a record is what is kept of it after the call."""
    played = world.play(steps)
    if played.last.is_error:
        return None
    tool = steps[-1][0]
    writes = not world.tools[tool].read_only
    if not writes and _formed(world, tool, steps[-1][1]):
        return None
    for each in mappings(played.last.data):
        found = played.kept(each)
        if found is None:
            continue
        table, row = found
        for name, value in fields(each).items():
            if name != "id" and name in row and world.differs(tool, table, name, value, row[name]):
                reason = Reason.RESULT_DIFFERS if writes else Reason.READS_DISAGREE
                return reason, f"another {name} is shown than is kept: {value!r}"[:200]
    return None


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
        if any(c.before is None for c in moved):
            continue
        asked = [v for v in given if world.ids.get(v) == table and world.shared.get(v) == 1]
        asked = [v for v in asked if v not in loose]
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


def _formed(world: World, tool: str, given: Mapping[str, Any]) -> bool:
    """Whether an optional argument may say in which form or extent records are shown."""
    schema = world.tools[tool].input_schema
    for name in given:
        one = resolved(schema["properties"].get(name, {}), schema)
        if name not in schema.get("required", ()) and (
            kind(one) == "boolean" or any(word in normal(name) for word in _FORMS)
        ):
            return True
    return False


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
    several = [v for v in leaves(steps[-1][1]) if isinstance(v, int) and v > 1]
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


def _goes(world: World, change: Change, mentioned: set[Any]) -> bool:
    """Whether a record changes its place: it names another record now, as it was told."""
    told = {*leaves(change.after or {})} - {*leaves(change.before or {})}
    return any(value in world.aliases and value in mentioned for value in told)


def _spoken(name: str, about: str) -> bool:
    """Whether a tool's name or description speaks of a field."""
    stem = name.removesuffix("s").removesuffix("id").removesuffix("by")
    return len(stem) > 2 and (stem in about or stem[:-1] in about)


@guarded
def partial(world: World, steps: Sequence[Step]) -> Fault | None:
    """Another argument's field must not change."""
    played = world.play(steps)
    if played.last.is_error:
        return None
    name, given = steps[-1]
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
            if each not in before or before[each] == after.get(each) or derived(each):
                continue
            moved = any(plain(v) and same(v, after.get(each)) for _, v in named(given))
            cleared = empty(after[each]) or after[each] == defaults.get(each, before[each])
            if (moved and not isinstance(after[each], bool)) or cleared:
                return Reason.WRONG_FIELD, f"{each} changed, which the call did not name"
    return None


@guarded
def removed(world: World, steps: Sequence[Step]) -> Fault | None:
    """A deletion changes or removes a record that it names."""
    tool = world.tools[steps[-1][0]]
    played = world.play(steps)
    if played.last.is_error or "delete" not in normal(tool.name):
        return None
    named_ = [v for v in leaves(steps[-1][1]) if world.shared.get(v) == 1]
    state = played.before.states[played.service]
    there = [v for v in named_ if state.table(world.ids[v]).get(v) is not None]
    changed = {change.id for change in played.changes()}
    if there and not changed & set(there) and not _batch(tool.input_schema):
        return Reason.NO_EFFECT, f"{there[0]} is still as it was"
    return None


def _batch(schema: Mapping[str, Any]) -> bool:
    return any(normal(name) in _MODES for name in schema.get("properties", {}))


@guarded
def effective(world: World, steps: Sequence[Step]) -> Fault | None:
    """Of a writing tool's accepted calls, each alone, one changes something."""
    played = [world.play([step]) for step in steps]
    accepted = [each for each in played if not each.last.is_error]
    if len(accepted) < 3 or any(normal(n) in ("q", "query", "sql") for n in steps[-1][1]):
        return None  # a statement may rightly touch nothing
    if not any(each.changes() for each in accepted):
        return Reason.NO_EFFECT, "the tool writes, and no accepted call changes anything"
    return None
