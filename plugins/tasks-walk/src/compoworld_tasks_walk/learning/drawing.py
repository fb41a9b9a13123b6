"""Values to try in a tool's arguments: taken from a row and the rows that it names, or new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice, product
from random import Random
from typing import Any

from attrs import evolve, frozen
from pydantic_core import to_jsonable_python

from compoworld_core.draws import draw
from compoworld_core.service import Tool
from compoworld_core.table import Key
from compoworld_core.types import KEY_KINDS, Kind, freeze
from compoworld_tasks_walk.affordances import JSON, Fact
from compoworld_tasks_walk.learning.parameters import Leaf, leaves
from compoworld_tasks_walk.learning.world import Row, World

Values = dict[Leaf, JSON]
Mapped = dict[Leaf, str]
"""Leaf → field of the row whose value goes there; `ref.field`: of the row that it names."""


ACTOR = "@actor"
"""In place of a field: the address of the account that the caller uses."""


def value_of(world: World, table: str, row: Row, name: str) -> JSON:
    """A field's value, or that of the row that a reference names; None where there is none."""
    first, dot, rest = name.partition(".")
    if name == ACTOR:
        return world.state.ledger.actor
    if not dot:
        return row.get(name)
    fact = world.facts[table].get(first)
    if fact is None or not fact.ref:
        return None
    key = row.get(first)
    key = key[0] if isinstance(key, list) and key else key
    parent = world.rows[fact.ref].get(key) if isinstance(key, str | int) else None
    return None if parent is None else parent.get(rest)


def among(value: JSON, values: Sequence[JSON]) -> bool:
    """Whether a value is one of some, lists by their items."""
    return value in values or (isinstance(value, list) and freeze(value) in values)


def fact_of(world: World, table: str, name: str) -> Fact:
    """The meaning of a field, `ref.field` included."""
    if name == ACTOR:
        return Fact("email", "staff")
    first, dot, rest = name.partition(".")
    fact = world.facts[table][first]
    return world.facts[fact.ref][rest] if dot else fact


def formed(form: str, table: str, name: str) -> bool:
    """Whether a documented form is about a field; a form may name its table too."""
    return form in (name, f"{table}.{name}")


def fits(leaf: Leaf, world: World, table: str, name: str) -> bool:
    """Whether values of a field may be what a leaf takes, by their types."""
    shape, fact = leaf.shape, fact_of(world, table, name)
    if leaf.form:
        return formed(leaf.form, table, name)
    if shape.ref:
        homes = world.homes(shape.ref)
        return fact.ref in homes or (name == "id" and table in homes)
    if shape.enum:
        if shape.json_type != fact.json_type or "." in name:
            return False
        known = [*fact.enum, *(str(v) for v in world.column(table, name)[:50])]
        return any(str(value) in known for value in shape.enum)
    if shape.json_type != fact.json_type:
        return False
    if shape.told and shape.kind not in _LOOSE:
        return shape.kind == fact.kind
    return True


_LOOSE: frozenset[Kind] = frozenset({"text", "title", "status", "tag", "code", "id"})
"""Kinds that a parameter may carry while the field says more."""


def namers(leaf: Leaf, world: World, table: str) -> list[str]:
    """Fields of a row by which a leaf may name it, the likeliest first."""
    facts = world.facts[table]
    own = [name for name in facts if fits(leaf, world, table, name)]
    if leaf.form:
        return own
    outer = [
        f"{name}.{inner}"
        for name, fact in facts.items()
        if fact.ref and not fact.many and not leaf.shape.ref
        for inner, meant in world.facts[fact.ref].items()
        if meant.kind in KEY_KINDS and fits(leaf, world, table, f"{name}.{inner}")
    ]
    last = leaf.path[-1]

    def rank(name: str) -> tuple[int, ...]:
        fact = fact_of(world, table, name)
        apart = leaf.shape.kind != fact.kind
        return (name != last, "." in name, apart, not fact.distinct, name != "id")

    found = sorted([*own, *outer], key=rank)[:_NAMERS]
    if not leaf.required:
        return found
    homes = world.homes(leaf.shape.ref)
    account = any(world.state.ledger.actor in world.rows[home] for home in homes)
    return [ACTOR, *found] if account or leaf.shape.kind == "email" else found


_NAMERS = 6


def mappings(required: Sequence[Leaf], world: World, table: str) -> Iterator[Mapped]:
    """Ways to take the required arguments from one row, each leaf from another field."""
    choices = [namers(leaf, world, table) or [""] for leaf in required]
    for combined in islice(product(*choices), _MAPPINGS):
        named = [name for name in combined if name]
        if len(set(named)) == len(named):
            pairs = zip(required, combined, strict=True)
            yield {leaf: name for leaf, name in pairs if name}


_MAPPINGS = 16


def leaves_in(world: World, tool: Tool) -> list[Leaf]:
    """A tool's leaves; one that names a row of settings is a choice among its keys."""
    found = []
    for leaf in leaves(tool):
        keys = world.selectors.get(leaf.shape.ref, ())
        if keys and not leaf.form:
            shape = evolve(leaf.shape, ref="", enum=keys)
            leaf = evolve(leaf, shape=shape, slot=evolve(leaf.slot, enum=keys))
        found.append(leaf)
    return found


def spread(keys: Sequence[Key], count: int) -> list[Key]:
    """A few keys from all over a table."""
    if len(keys) <= count:
        return list(keys)
    step = len(keys) / count
    return [keys[int(step * n + step / 2)] for n in range(count)]


@frozen
class Draws:
    """Draws new and seen values for leaves in one world."""

    world: World
    rng: Random

    def fresh(self, leaf: Leaf, attempt: int = 0, fact: Fact | None = None) -> JSON:
        """A new value of the leaf's kind; for plain strings each attempt guesses another."""
        shape = leaf.shape
        if shape.enum:
            return self.rng.choice(shape.enum)
        if shape.json_type == "boolean":
            return self.rng.random() < 0.5
        if shape.ref:
            return self.existing(leaf)
        kind: Kind = shape.kind
        if not shape.told:
            if shape.json_type == "string":
                kind = fact.kind if fact else GUESSES[attempt % len(GUESSES)]
            elif fact:
                kind = fact.kind
        return self._drawn(leaf, kind)

    def existing(self, leaf: Leaf, attempt: int = 0) -> JSON:
        """A value that some row has, of the leaf's kind; None where there is none."""
        shape, world = leaf.shape, self.world
        if shape.ref:
            keys = [k for table in world.homes(shape.ref) for k in world.rows[table]]
            return self.rng.choice(keys) if keys else None
        columns = [
            (table, name)
            for table, facts in world.facts.items()
            for name, fact in facts.items()
            if fact.json_type == shape.json_type
            and (fact.kind == shape.kind or (not shape.told and fact.kind in KEY_KINDS))
        ]
        if not columns:
            return None
        place = columns[(self.rng.randrange(len(columns)) + attempt) % len(columns)]
        values = [value for value in world.column(*place) if value != ""]
        return self.rng.choice(values) if values else None

    def _drawn(self, leaf: Leaf, kind: Kind) -> JSON:
        shape = leaf.shape
        if shape.json_type in ("integer", "number") and kind in ("quantity", "percent"):
            low = int(shape.low) if shape.low is not None else 1
            high = int(shape.high) if shape.high is not None else low + 39
            return self.rng.randint(low, max(low, min(high, low + 39)))
        if (
            kind in ("date", "datetime")
            and shape.json_type == "string"
            and self.rng.random() < 0.8
        ):
            return self._coming(kind)
        like = self._like(kind, shape.json_type)
        value: Any = to_jsonable_python(draw(kind, self.rng, like=like))
        if shape.json_type == "string":
            value = str(value)
            return value[: shape.longest] if shape.longest else value
        if shape.json_type == "integer":
            value = int(float(value)) if _number(value) else self.rng.randint(1, 40)
            low = int(shape.low) if shape.low is not None else value
            high = int(shape.high) if shape.high is not None else value
            return min(max(value, low), max(high, low))
        return float(value) if _number(value) else value

    def _coming(self, kind: Kind) -> str:
        """A day or instant in the next weeks: what most tools want of a new date."""
        now = self.world.state.ledger.now.replace(minute=0, second=0, microsecond=0)
        then = now + timedelta(days=self.rng.randint(1, 60), hours=self.rng.randint(0, 8))
        return (then.date() if kind == "date" else then).isoformat().replace("+00:00", "Z")

    def _like(self, kind: Kind, json_type: str) -> list[JSON]:
        if (kind, json_type) not in self.world.samples:
            self.world.samples[kind, json_type] = [
                value
                for table, facts in self.world.facts.items()
                for name, fact in facts.items()
                if fact.kind == kind and fact.json_type == json_type
                for value in self.world.column(table, name)[:20]
            ][:60]
        return self.world.samples[kind, json_type]


GUESSES: tuple[Kind, ...] = ("title", "tag", "datetime", "date", "email", "text")
"""What a plain string parameter may want, in the order of the attempts."""


def _number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def taken(mapped: Mapping[Leaf, str], world: World, table: str, row: Row) -> Values | None:
    """The mapped arguments for one row; None where a value is missing."""
    found: Values = {}
    for leaf, name in mapped.items():
        value = value_of(world, table, row, name)
        if isinstance(value, list):
            value = value[0] if value else None
        if value is None or value == "":
            return None
        found[leaf] = value
    return found
