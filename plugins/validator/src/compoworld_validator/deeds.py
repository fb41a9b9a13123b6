"""Deeds: judges of what a write keeps and shows."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any

from compoworld_validator.laws import Fault, guarded
from compoworld_validator.reading import (
    Row,
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
from compoworld_validator.world import Played, World, match, plain

_LEAST = 3
"""Accepted calls of which one must have an effect."""
_STATEMENTS = ("q", "query", "sql")
_VERB = re.compile(
    r"(^|[-_ ])(delete|create|send|post|set|update|add|modify|edit|"
    r"rename|insert|append|assign)([-_ A-Z]|$)"
)
"""A tool that says that it changes something; one that removes may find nothing to."""
_DELETE = re.compile(r"((^|[-_ .])delete|Delete)(?![a-z])")
"""`delete_user`, `userDelete`; not `update_deleted_user`."""
_PARTS = re.compile(r"(remove|detach|unassign|unlink|clear|unset|delete)", re.IGNORECASE)
"""Tools that empty a field of what the call names."""
_MODES = ("action", "operation", "mode", "type", "command")
"""Required parameters that make one tool several: what others mean depends on them."""
_FORMS = ("format", "field", "propert", "detail", "include", "expand", "select", "view", "raw")
"""In the names of optional parameters: they say how much of a record is shown."""
_OTHER = ("id", "originalstarttime")
"""Fields that may differ from an argument of their name: the new record's own id."""


def _named_rows(
    world: World, played: Played, given: Mapping[str, Any]
) -> list[tuple[str, Row]]:
    """(table, record after the call) of the records whose keys are among the arguments."""
    state = played.environment.states[played.service]
    found: list[tuple[str, Row]] = []
    for value in dict.fromkeys(v for v in leaves(given) if isinstance(v, str | int)):
        table = world.ids.get(value)
        row = None if table is None else state.table(table).get(value)
        if row is not None and table is not None:
            found.append(
                (table, {normal(k): v for k, v in row.model_dump(mode="json").items()})
            )
    return found


@guarded
def kept(world: World, steps: Sequence[Step]) -> Fault | None:
    """A write stores what it was given, where a field of the record has that name."""
    played = world.play(steps)
    if played.last.is_error:
        return None
    given = steps[-1][1]
    changes = played.changes()
    after: list[tuple[str, Row]] = [
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
    told = {k: v for k, v in told.items() if plain(v) or not _some(v, len(after))}
    for name, value in [(normal(n), v) for n, v in told.items()] if modal else named(told):
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
        if modal and (name not in map(normal, needed) or _known(world, value)):
            continue
        if any(value == change.id for change in changes):
            continue  # it names the record itself
        if empty(found) and _PARTS.search(world.tools[steps[-1][0]].name):
            continue  # it is taken off, as the tool's name says
        keys = {row["id"] for _, row in rows}
        named_ = [v for v in values if isinstance(v, str | int) and v not in keys]
        others = [world.aliases.get(v, ()) for v in named_]
        scalar = not isinstance(found, list | bool)
        if scalar and any(found in other for other in others):
            continue  # it belongs to a record that the call names
        return Reason.ARGUMENT_LOST, f"{name} is {rows[0][1][name]!r} after the call"
    return None


def _some(value: Any, count: int) -> bool:
    """Whether of several objects in a list not all became records."""
    return isinstance(value, list) and len(value) > count


def _known(world: World, value: Any) -> bool:
    known = isinstance(value, str | int) and not isinstance(value, bool)
    return known and value in world.aliases


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
    if equal(found, value) or (not value and not found):
        return True
    if isinstance(found, str) and isinstance(value, str):
        if value.strip() in found or _decoded(value) == found:
            return True
        if found.casefold() == value.casefold():
            return not world.keeps_case(table, name)
    if same(found, value):
        return True
    if isinstance(value, bool) and isinstance(found, bool):
        return False
    if isinstance(value, list):
        return True
    return found in world.aliases.get(value, ()) or (
        isinstance(found, str) and _timely(found, str(value))
    )


def _decoded(value: str) -> str | None:
    """What a text in base64 says."""
    try:
        return base64.b64decode(value, validate=True).decode()
    except ValueError:  # it is none
        return None


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
    said = [part for _, given in steps for part in mappings(given)]
    for each in mappings(played.last.data):
        found = played.kept(each)
        if found is None and writes:
            lost = _emptied(world, played, each)
            if lost:
                return Reason.RESULT_DIFFERS, f"the removed record had {lost}, shown is none"
        if found is None or any(_echoes(each, part) for part in said):
            continue  # what the call said, or a record holds, shows no other record
        table, row = found
        said += [part for value in row.values() for part in mappings(value)]
        for name, value in fields(each).items():
            if (
                name != "id"
                and name in row
                and world.differs(tool, table, name, value, row[name])
            ):
                reason = Reason.RESULT_DIFFERS if writes else Reason.READS_DISAGREE
                return reason, f"another {name} is shown than is kept: {value!r}"[:200]
    return None


def _emptied(world: World, played: Played, shown: Row) -> str:
    """The field that a removed record is shown without though other results show it."""
    found = match(played.before, played.service, shown)
    gone = {change.id for change in played.changes() if change.after is None}
    if found is None or found[1]["id"] not in gone:
        return ""
    table, row = found
    for name, value in fields(shown).items():
        held = row.get(name)
        if value is None and not empty(held) and world.views.get((table, name), [0])[0]:
            return name
    return ""


def _echoes(shown: Mapping[str, Any], said: Mapping[str, Any]) -> bool:
    """Whether an object of a result says only what an object of the arguments said."""
    return bool(shown) and all(name in said and said[name] == v for name, v in shown.items())


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


@guarded
def removed(world: World, steps: Sequence[Step]) -> Fault | None:
    """Of a deletion's accepted calls, each alone, one changes or removes what it names."""
    tool = world.tools[steps[-1][0]]
    there: list[Any] = []
    for step in steps:
        modes = [str(v) for n, v in step[1].items() if normal(n) in _MODES]
        if not ("delete" in modes if modes else _DELETE.search(tool.name)):
            continue
        played = world.play([step])
        keys = [v for v in leaves(step[1]) if world.shared.get(v) == 1]
        if played.last.is_error or not keys:
            continue
        if {change.id for change in played.changes()} & set(keys):
            return None  # others may have asked for a preview
        there += keys
    if there:
        return Reason.NO_EFFECT, f"{there[0]} is still as it was"
    return None


@guarded
def effective(world: World, steps: Sequence[Step]) -> Fault | None:
    """Of a tool's accepted calls that each should change something, each alone, one does."""
    tool = world.tools[steps[-1][0]]
    played = [world.play([step]) for step in steps]
    accepted = [each for each in played if not each.last.is_error]
    verb = _VERB.search(tool.name.lower())
    stated = any(normal(n) in _STATEMENTS for n in steps[-1][1])
    if len(accepted) < _LEAST or (stated and not (verb and verb[2] == "create")):
        return None  # a statement may rightly touch nothing
    if not verb and not all(_announces(world, each) for each in accepted):
        return None
    if not any(each.changes() or each.settings() for each in accepted):
        return Reason.NO_EFFECT, "the tool writes, and no accepted call changes anything"
    return None


def _announces(world: World, played: Played) -> bool:
    """Whether a result shows a record under an id that nothing had, and nothing has."""
    keys = [each["id"] for each in mappings(played.last.data) if "id" in each]
    return any(isinstance(key, str | int) and key not in world.aliases for key in keys)
