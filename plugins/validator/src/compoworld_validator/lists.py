"""Lists: judges of what lists and searches show, alone and after writes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from compoworld_core.state import Change
from compoworld_validator.laws import Fault, Judge, guarded
from compoworld_validator.paging import cursor_of
from compoworld_validator.reading import (
    Row,
    derived,
    empty,
    equal,
    fields,
    identity,
    leaves,
    mappings,
    rows,
    same,
)
from compoworld_validator.values import normal
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import Played, World

_WORDS = re.compile(r"\w+( \w+){1,4}")
"""A short text without signs that a query language may give a meaning."""


@guarded
def distinct(world: World, steps: Sequence[Step]) -> Fault | None:
    """[list]: no record is shown twice."""
    played = world.play(steps)
    found = rows(played.last.data) or []
    known = [identity(row) for row in found if "id" in row or played.kept(row)]
    if len(set(known)) < len(known):
        return Reason.PAGING_WRONG, "the list shows a record twice"
    if len(found) > 1 and found[-1] == found[-2] and _keyed(world, found[-1]):
        return Reason.PAGING_WRONG, "the list ends with the same row twice"
    for part in played.last.data.values() if isinstance(played.last.data, dict) else ():
        texts = isinstance(part, list) and all(isinstance(each, str) for each in part)
        if texts and len(part) > 2 and part[-1] == part[-2] and len({*part}) == len(part) - 1:
            return Reason.PAGING_WRONG, "a list of texts ends with the same text twice"
    return None


def _keyed(world: World, row: Row) -> bool:
    """Whether the first thing that a row says is the key of a record."""
    first = next(iter(row.items()), ("", None))
    return normal(first[0]).endswith("id") and first[1] in world.aliases


@guarded
def listed(world: World, steps: Sequence[Step]) -> Fault | None:
    """[create, …, list]: a list that shows one new record shows all, each once."""
    played = world.play(steps)
    shown = rows(played.last.data)
    if shown is None or cursor_of(played.last.data):
        return None
    ids = [identity(row) for row in shown]
    made: list[str] = []
    for number in range(1, len(steps)):
        changes = world.play(steps[:number]).changes()
        new = [change for change in changes if change.before is None]
        if len(new) == 1:
            made.append(str(new[0].id))
    seen = [name for name in made if name in ids]
    if seen and len(seen) < len(made):
        return Reason.NOT_LISTED, f"{len(seen)} of {len(made)} new records are listed"
    if any(ids.count(name) > 1 for name in seen):
        return Reason.NOT_LISTED, "a new record is listed twice"
    return None


@guarded
def gone(world: World, steps: Sequence[Step]) -> Fault | None:
    """[write, read]: a removed record is not shown any more, under its id or in a list."""
    wrote, read = world.play(steps[:-1]), world.play(steps)
    if wrote.last.is_error or read.last.is_error:
        return None
    removed = {c.id: c for c in wrote.changes() if c.after is None}
    for shown in mappings(read.last.data):
        change = removed.get(shown.get("id", ""))
        if change is None or read.kept(shown) is not None:
            continue
        before = fields(change.before or {})
        agreed = sum(equal(v, before.get(k)) for k, v in fields(shown).items() if k in before)
        if agreed >= 2:
            return Reason.STILL_THERE, "the record was removed and is still shown"
    return None


@guarded
def framed(world: World, steps: Sequence[Step]) -> Fault | None:
    """[write, list]: only what the write has to do with enters or leaves the list or moves."""
    wrote, read = world.play(steps[:-1]), world.play(steps)
    first = world.play([*steps[:-2], steps[-1]])
    one, two = rows(first.last.data), rows(read.last.data)
    if one is None or two is None or wrote.last.is_error:
        return None
    if cursor_of(first.last.data) or cursor_of(read.last.data):
        return None
    changes = wrote.changes()
    if any(_turned(c) for c in changes):
        return None  # what the list depends on may be another thing now
    touched = {str(v) for c in changes for v in (c.id, *leaves(c.before), *leaves(c.after))}
    keys = {str(c.id) for c in changes}

    def near(row: Row) -> bool:
        told = {str(v) for v in leaves(row)}
        return identity(row) in touched or world.actor() in told or bool(told & keys)

    before, after = [identity(row) for row in one], [identity(row) for row in two]
    if len(set(before)) < len(before) or not all("id" in row for row in [*one, *two]):
        return None
    entered = [row for row in two if identity(row) not in before and not near(row)]
    left = [row for row in one if identity(row) not in after and not near(row)]
    if entered:
        return Reason.NOT_LISTED, "the list shows a record after a write that is none of its"
    if left:
        return Reason.NOT_LISTED, "the list loses a record by a write that is none of its"
    still = [key for key in before if key in after and key not in keys]
    moved = [key for key in after if key in before and key not in keys]
    if changes and still != moved and not any(near(r) for r in one if identity(r) in still):
        return Reason.PAGING_WRONG, "records change places by a write that is none of theirs"
    return None


def _turned(change: Change) -> bool:
    """Whether a record changed in more than counts and times."""
    if change.before is None or change.after is None:
        return False
    moved = {k: v for k, v in change.after.items() if change.before.get(k) != v}
    return any(
        not isinstance(v, int | float) and not derived(normal(k)) for k, v in moved.items()
    )


def missing(world: World, played: Played, given: Mapping[str, Any]) -> tuple[int, int] | None:
    """(shown, missing): of a whole list, how many records like the shown ones are not there.

    None where the rows are not all records of one table, or a missing one can be told from
    the shown ones by a flag, a kind, or something that it lacks.
    """
    found = rows(played.last.data)
    if not found or cursor_of(played.last.data):
        return None
    matched = [played.kept(row) for row in found]
    tables = {each[0] for each in matched if each is not None}
    if None in matched or len(tables) != 1:
        return None
    (table,) = tables
    shown = [each[1] for each in matched if each is not None]
    keys = {row["id"] for row in shown}
    if len(keys) != len(shown):
        return None
    asked = {str(v) for v in leaves(given)}
    every = [{normal(k): v for k, v in row.items()} for row in world.rows()[table]]
    names = [name for name in shown[0] if name != "id"]
    scope, told = [], []
    for name in names:
        values = {str(row.get(name)) for row in shown}
        if len(values) == 1 and values <= asked:
            scope.append(name)
        if len({str(row.get(name)) for row in every}) <= max(4, len(every) // 3):
            told.append(name)
    lost = 0
    for row in every:
        if row["id"] in keys or any(not equal(row[n], shown[0][n]) for n in scope):
            continue
        odd = any(str(row[n]) not in {str(r[n]) for r in shown} for n in told)
        lack = any(empty(row[n]) and not any(empty(r[n]) for r in shown) for n in names)
        have = any(not empty(row[n]) and all(empty(r[n]) for r in shown) for n in names)
        if odd or lack or have or world.actor() in row.values():
            continue
        lost += 1
    return len(shown), lost


def lossy(world: World, samples: Sequence[Sequence[Step]]) -> bool:
    """Whether a list, in each of several calls, lacks exactly one record of its kind."""
    found = []
    for steps in samples:
        played = world.tried(steps)
        counts = None if played is None else missing(world, played, steps[-1][1])
        if counts is not None and counts not in found:
            found.append(counts)
    if not found or any(lost != 1 for _, lost in found):
        return False
    return len(found) > 1 or found[0][0] >= 4


def lacking(samples: Sequence[Sequence[Step]]) -> Judge:
    """[list]: the whole list lacks one record, as all other calls do."""

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        counts = missing(world, world.play(steps), steps[-1][1])
        if counts is not None and counts[1] == 1 and lossy(world, samples):
            return Reason.NOT_LISTED, f"{counts[0]} records are shown, and one is always lost"
        return None

    return judge


def filtered(name: str, value: Any, at: str = "") -> Judge:
    """[list, filtered list]: exactly the rows whose field has the value are left.

    Args:
        name: the parameter.
        value: what it is given.
        at: the field, where it has another name.
    """
    plain = at or normal(name)

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        before, after = world.play(steps[:-1]), world.play(steps)
        every, left = rows(before.last.data), rows(after.last.data)
        if every is None or left is None or name not in steps[-1][1]:
            return None
        if at and not left:
            return None  # it may take another form of the value
        item = value[0] if isinstance(value, list) and value else value
        for row in left:
            shown = fields(row)
            if plain in shown and not _has(shown[plain], item):
                return Reason.FILTER_WRONG, f"a row has {name} {shown[plain]!r}, not {item!r}"
        fits = {identity(r) for r in every if _has(fields(r).get(plain, ""), item)}
        lost = fits - {identity(row) for row in left}
        if lost and not cursor_of(after.last.data):
            return Reason.FILTER_WRONG, f"{len(lost)} rows with {name} {item!r} are lost"
        return None

    return judge


def _has(found: Any, value: Any) -> bool:
    if isinstance(found, list):
        return any(same(part, value) for part in leaves(found))
    return same(found, value) if found is not None else empty(value)


_KEYS = ("id", "ids", "key", "keys", "number", "numbers", "name", "names", "slugs")
"""How the names of parameters end that take keys of records."""


@guarded
def asked(world: World, steps: Sequence[Step]) -> Fault | None:
    """[get]: the one record that is shown has the id, number or name that was asked for."""
    played = world.play(steps)
    data, tool = played.last.data, world.tools[steps[-1][0]]
    for name, items in steps[-1][1].items():
        if isinstance(items, list) and len(items) > 1 and not played.last.is_error:
            keys = [item for item in items if isinstance(item, str | int) and item in world.ids]
            if not normal(name).endswith(_KEYS):
                continue  # parts, fields, options: texts that happen to be keys as well
            told = [str(key) in played.last.text for key in keys]
            if len(told) == len(items) and any(told) and not all(told):
                return (
                    Reason.FILTER_WRONG,
                    f"of {len(items)} {name} asked for, some are not shown",
                )
    if not isinstance(data, dict) or rows(data) is not None:
        return None
    shown = fields(data)
    for name in tool.input_schema.get("required", ()):
        value = steps[-1][1].get(name)
        plain = normal(name)
        if not isinstance(value, str | int) or isinstance(value, bool) or plain not in shown:
            continue
        found = shown[plain]
        other = isinstance(found, str | int) and not same(found, value)
        if other and found not in world.aliases.get(value, ()):
            return Reason.FILTER_WRONG, f"asked for {name} {value!r}, shown {found!r}"
    return None


@guarded
def nothing(world: World, steps: Sequence[Step]) -> Fault | None:
    """[search]: what nothing contains finds nothing."""
    if rows(world.play(steps).last.data):
        return Reason.SEARCH_WRONG, "a search for what nothing contains finds rows"
    return None


def flagged(name: str, at: str) -> Judge:
    """[list]: a flag that is a field of the rows does not choose its opposite.

    Args:
        name: the flag.
        at: the normalised field.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        tool, given = steps[-1]
        found: list[set[bool]] = []
        for flag in (True, False):
            seen = world.tried([*steps[:-1], (tool, {**given, name: flag})])
            if seen is None or cursor_of(seen.last.data) or rows(seen.last.data) is None:
                return None
            told = [fields(row).get(at) for row in rows(seen.last.data) or ()]
            found.append({value for value in told if isinstance(value, bool)})
        if True not in found[0] and True in found[1]:
            return Reason.FILTER_WRONG, f"{name} does the opposite of what it says"
        return None

    return judge


def wider(name: str, more: bool) -> Judge:
    """[list]: a flag that includes (or leaves out) things shows no fewer (or no more) rows.

    Args:
        name: the flag.
        more: whether it includes.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        tool, given = steps[-1]
        found = []
        for flag in (True, False):
            seen = world.tried([*steps[:-1], (tool, {**given, name: flag})])
            if seen is None or cursor_of(seen.last.data) or rows(seen.last.data) is None:
                return None
            found.append({identity(row) for row in rows(seen.last.data) or ()})
        less, all_ = (found[1], found[0]) if more else (found[0], found[1])
        if less > all_:
            return Reason.FILTER_WRONG, f"{name} does the opposite of what it says"
        return None

    return judge


def findable(name: str, key: str, words: Sequence[str]) -> Judge:
    """[search]: one of a row's own words, each alone, finds the row that is shown."""

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        tool, given = steps[-1]
        if key not in [identity(row) for row in rows(world.play(steps).last.data) or ()]:
            return None

        def finds(word: str) -> bool:
            seen = world.tried([*steps[:-1], (tool, {**given, name: word})])
            shown = None if seen is None else rows(seen.last.data)
            return shown is not None and key in [identity(row) for row in shown]

        found = [word for word in words if finds(word)]
        whole = [text for text in words if _WORDS.fullmatch(text)]
        heard = [text for text in whole if any(word in text.split() for word in found)]
        if found and (not heard or any(text in found for text in heard)):
            return None
        return Reason.SEARCH_WRONG, f"the row's own words do not find it: {words[0]!r}"

    return judge


@guarded
def agreeing(world: World, steps: Sequence[Step]) -> Fault | None:
    """[list, get]: the get shows the listed row of its id with the same values."""
    played = world.play(steps)
    found, got = rows(played.seen[0].data), played.last
    if found is None:
        return None
    wanted = {str(v) for v in leaves(steps[-1][1])}
    row = next((r for r in found if str(r.get("id", "")) in wanted), None)
    if row is None:
        return None
    if got.is_error and got.code == "not_found":
        return Reason.REFUSED_PAIR, "the list shows a record that the get does not find"
    if not isinstance(got.data, dict) or got.data.get("id") != row.get("id"):
        return None
    one, two = fields(row), fields(got.data)
    for name in sorted(one):
        scalar = isinstance(one[name], str | int | float) and two.get(name) is not None
        if name in two and scalar and not same(one[name], two[name]):
            return Reason.READS_DISAGREE, f"the list shows another {name} than the get"
    return None
