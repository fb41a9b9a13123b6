"""Optional arguments of a read: what each selects, by intervention; and whole reads learnt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from attrs import evolve

from compoworld_core.draws import draw
from compoworld_core.service import Tool
from compoworld_core.table import Key
from compoworld_tasks_walk.affordances import JSON, By, Lookup, arguments
from compoworld_tasks_walk.learning.drawing import (
    fact_of,
    fits,
    formed,
    leaves_in,
    mappings,
    spread,
    taken,
    value_of,
)
from compoworld_tasks_walk.learning.hidden import condition
from compoworld_tasks_walk.learning.matching import same, views
from compoworld_tasks_walk.learning.pages import page
from compoworld_tasks_walk.learning.parameters import Leaf
from compoworld_tasks_walk.learning.reads import (
    Reading,
    lookup,
    readings,
    required_by,
    variants,
)
from compoworld_tasks_walk.learning.world import Row, World

_TRIALS = 3


def learn_reads(world: World, tool: Tool, rng: Random) -> tuple[list[Lookup], str]:
    """All lookups of a read, or none and why."""
    found: list[Lookup] = []
    why = ""
    for required, optional in _ways(world, tool):
        before = len(found)
        studied = readings(world, tool, required, rng)
        partly = [r for r in studied if any(_partly(r, leaf) for leaf in r.mapped)]
        for reading in studied:
            if reading not in partly:
                why = _study(reading, optional, rng, found) or why
        if len(found) == before:
            found += searches(world, tool, required, optional, rng)
        if len(found) == before:
            for reading in partly:
                if any(_keyed(reading, name) for name in reading.mapped.values()):
                    why = _study(reading, optional, rng, found) or why
    return found, "" if found else why or _nothing(world, tool)


def _ways(world: World, tool: Tool) -> list[tuple[list[Leaf], list[Leaf]]]:
    """(required, optional) leaves of each way to call; an argument that cannot be left out
    although the schema says so counts as required."""
    ways = variants(leaves_in(world, tool))
    required, optional = ways[0]
    if required or world.read(tool.name, {}).ok:
        return ways
    return [
        ([leaf], [k for k in optional if not k.slot.clashes(leaf.slot)])
        for leaf in optional
        if not leaf.needs
    ]


def _shown(reading: Reading) -> list[tuple[JSON, Row]]:
    """(item, row) for what several calls show."""
    world, view = reading.world, reading.view
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
    return pairs


def _keyed(reading: Reading, name: str) -> bool:
    return fact_of(reading.world, reading.view.table, name).is_key


def _study(reading: Reading, optional: Sequence[Leaf], rng: Random, found: list[Lookup]) -> str:
    """Add the lookup of a reading, with its pages, conditions and filters; or say why not."""
    page(reading, optional)
    if not condition(reading, optional):
        return "rows are missing from the result for a reason that no field tells"
    if reading.page is None and reading.where:
        page(reading, optional)
    by = required_by(reading)
    for leaf in optional:
        if leaf is not reading.size and not _turns_pages(reading, leaf):
            by.update(selects(reading, leaf, by, rng))
    found.append(lookup(reading, by, _shown(reading)))
    return ""


def _nothing(world: World, tool: Tool) -> str:
    """Why nothing was learnt of a tool that answers or refuses a plain call."""
    outcome = world.read(tool.name, {})
    if not outcome.ok:
        return f"no arguments drawn from a row select rows (without any: {outcome.text[:120]})"
    if outcome.data is None:
        return "its result is not JSON"
    return "its result shows no row of the state"


def _turns_pages(reading: Reading, leaf: Leaf) -> bool:
    return reading.paging is not None and reading.paging.slot.path == leaf.path


def selects(reading: Reading, leaf: Leaf, known: dict[str, By], rng: Random) -> dict[str, By]:
    """Field → how an optional argument selects rows by it; several for a text search."""
    if leaf.needs:
        return {}
    world, table = reading.world, reading.view.table
    names = [name for name in world.facts[table] if fits(leaf, world, table, name)]
    names.sort(
        key=lambda n: (n != leaf.path[-1], fact_of(world, table, n).kind != leaf.shape.kind)
    )
    for name in names:
        if name not in known and equals(reading, leaf, name):
            fact = fact_of(world, table, name)
            searched = _text_like(leaf) and not fact.enum and not fact.many
            if searched and _part_finds(reading, leaf, name):
                break
            slot = leaf.slot if leaf.shape.told else evolve(leaf.slot, kind=fact.kind)
            return {name: By(slot)}
    if leaf.shape.json_type == "string" and not leaf.shape.enum and not leaf.shape.ref:
        return {
            name: by for name, by in contains(reading, leaf, rng).items() if name not in known
        }
    return {}


def _text_like(leaf: Leaf) -> bool:
    shape = leaf.shape
    return shape.json_type == "string" and not shape.enum and not shape.ref


def _partly(reading: Reading, leaf: Leaf) -> bool:
    """Whether a required argument finds rows by a part of the value too: a text search."""
    fact = fact_of(reading.world, reading.view.table, reading.mapped[leaf])
    if fact.enum or fact.many or not _text_like(leaf):
        return False
    return _part_finds(reading, leaf, reading.mapped[leaf])


def _part_finds(reading: Reading, leaf: Leaf, name: str) -> bool:
    world, table = reading.world, reading.view.table
    rows = world.rows[table]
    for key in spread(list(rows), 6):
        base = taken(reading.mapped, world, table, rows[key])
        value = str(rows[key].get(name) or "")
        parts = [word for word in _WORD.findall(value) if word != value]
        parts += [value[: len(value) * 2 // 3]] if len(value) > 3 and not parts else []
        if base is not None and parts:
            found = reading.found({**base, leaf: max(parts, key=len)})
            if found and key in found:
                return True
    return False


def equals(reading: Reading, leaf: Leaf, name: str) -> bool:
    """Whether an argument selects exactly the rows that have its value in a field."""
    world, table = reading.world, reading.view.table
    rows = world.rows[table]
    ordered = fact_of(world, table, name).kind in _ORDERED
    tried: list[JSON] = []
    left_out: set[bool] = set()
    for key in spread(list(rows), 24):
        value = value_of(world, table, rows[key], name)
        value = value[0] if isinstance(value, list) and value else value
        if value is None or value in ("", []) or value in tried:
            continue
        if leaf.shape.enum and value not in leaf.shape.enum:
            continue
        base = taken(reading.mapped, world, table, rows[key])
        if base is None:
            continue
        wanted = frozenset(
            other
            for other in reading.matching(rows[key], reading.mapped)
            if _holds(value_of(world, table, rows[other], name), value)
        )
        sure = frozenset(k for k in wanted if reading.sure(k, (name,)))
        if not sure:
            continue
        found = reading.found({**base, leaf: value})
        if found is None or not set(found) <= wanted:
            return False
        if not reading.full(found) and not sure <= set(found):
            return False
        without = reading.found(base)
        gone = set(without or ()) - set(found)
        left_out |= {str(rows[k].get(name)) < str(value) if ordered else True for k in gone}
        tried.append(value)
        if len(tried) == _TRIALS and len(left_out) > ordered:
            break
    return len(tried) >= 2 and len(left_out) > ordered


_ORDERED = frozenset({"date", "datetime", "quantity", "money", "cents", "percent"})
"""Kinds that a range may be about: a filter must leave out values on both sides."""


def _holds(held: JSON, value: JSON) -> bool:
    return value in held if isinstance(held, list) else same(held, value)


_WORD = re.compile(r"[^\W_]{4,}")


def contains(reading: Reading, leaf: Leaf, rng: Random, form: str = "") -> dict[str, By]:
    """The fields that a text argument is searched in.

    A row is given a new value in one field: it must then be found, alone, by the value and by a
    word of it in either case.
    """
    world, table = reading.world, reading.view.table
    found: dict[str, By] = {}
    for name, fact in world.facts[table].items():
        if fact.json_type != "string" or fact.enum or fact.many or name == "id":
            continue
        if fact.kind in ("date", "datetime") or (fact.ref and not form):
            continue
        if form and not formed(form, table, name):
            continue
        keys = [key for key in spread(list(world.rows[table]), 8) if reading.sure(key)][:2]
        if keys and all(_searched_in(reading, leaf, name, key, rng) for key in keys):
            found[name] = By(evolve(leaf.slot, kind=fact.kind), "contains")
    return found


def _searched_in(reading: Reading, leaf: Leaf, name: str, key: Key, rng: Random) -> bool:
    """Whether a row is found by what stands in one field, once that is new."""
    world, table = reading.world, reading.view.table
    fact = world.facts[table][name]
    value = str(draw(fact.kind, rng, like=world.column(table, name)[:20]))
    changed = world.variant(table, key, {name: value})
    if changed is None:
        return False
    base = taken(reading.mapped, changed, table, changed.rows[table][key])
    held = " ".join(str(cell) for row in world.rows[table].values() for cell in row.values())
    words = [w for w in _WORD.findall(value) if w.casefold() not in held.casefold()]
    if base is None or not words:
        return False
    word = max(words[1:] or words, key=len)
    queries = [word, word.upper()] if fact.kind == "text" else [value, word, word.lower()]
    if len(words) < 2:  # a word that is the whole value would not tell a part from a beginning
        queries.append(value[1:])
    return all(reading.found({**base, leaf: query}, changed) == [key] for query in queries)


def _words(row: Row) -> list[str]:
    return [
        word
        for value in row.values()
        if isinstance(value, str)
        for word in _WORD.findall(value)
    ]


def searches(
    world: World, tool: Tool, required: Sequence[Leaf], optional: Sequence[Leaf], rng: Random
) -> list[Lookup]:
    """Lookups of a search: one required argument is a text to find, others name the rows."""
    texts = [leaf for leaf in required if _text_like(leaf) and (leaf.form or _worded(leaf))]
    found: list[Lookup] = []
    for leaf in texts[-1:]:
        for table, facts in world.facts.items():
            if leaf.form and not any(formed(leaf.form, table, n) for n in facts):
                continue
            reading = _searching(world, tool, leaf, required, table)
            if reading is None:
                continue
            page(reading, optional)
            del reading.constants[leaf]
            for name, by in contains(reading, leaf, rng, leaf.form).items():
                seen = lookup(
                    reading, {**required_by(reading), name: by}, _pairs(reading, leaf)
                )
                found.append(evolve(seen, required=(*seen.required, name)))
    return found


def _worded(leaf: Leaf) -> bool:
    return not leaf.shape.told or leaf.shape.kind in ("text", "title", "person", "company")


def _searching(
    world: World, tool: Tool, leaf: Leaf, required: Sequence[Leaf], table: str
) -> Reading | None:
    """The view of a table's rows that a search for one of their words shows."""
    rows = world.rows[table]
    rest = [other for other in required if other is not leaf]
    for mapped in mappings(rest, world, table):
        if len(mapped) < len(rest):
            continue
        for key in spread(list(rows), 6):
            values = taken(mapped, world, table, rows[key])
            for word in [] if values is None else _words(rows[key])[:12]:
                filled = {**(values or {}), leaf: word}
                given = arguments((place.slot, value) for place, value in filled.items())
                outcome = world.read(tool.name, given)
                if not outcome.ok or not outcome.data:
                    continue
                for view in views(world, outcome.data):
                    if view.table == table and view.shape == "many":
                        return Reading(world, tool, view, mapped, {leaf: word})
    return None


def _pairs(reading: Reading, leaf: Leaf) -> list[tuple[JSON, Row]]:
    """Items that searches for words of several rows show, with their rows."""
    found: list[tuple[JSON, Row]] = []
    world, table = reading.world, reading.view.table
    for key in spread(list(world.rows[table]), 6):
        row = world.rows[table][key]
        values = taken(reading.mapped, world, table, row)
        for word in [] if values is None else _words(row)[:6]:
            outcome = reading.call({**(values or {}), leaf: word})
            if outcome.ok:
                found += reading.view.pairs(world, outcome.data)
    return found
