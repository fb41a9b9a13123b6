"""A seeded state to try tools on: its rows as JSON, calls on forks, and what they changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from attrs import define, field, frozen
from pydantic import ValidationError

from compoworld_core.cast import draw_cast
from compoworld_core.environment import Environment
from compoworld_core.errors import ServiceError
from compoworld_core.service import Service
from compoworld_core.state import State, dump
from compoworld_core.table import Key
from compoworld_tasks_walk.affordances import JSON, Fact, Op
from compoworld_tasks_walk.learning.meanings import facts_of

Row = Mapping[str, JSON]

_SETTINGS = 16

UNCUT = 50_000_000
"""The learner sees whole results; page sizes are chosen for what an agent sees."""


@frozen
class Changed:
    """One record that a call changed."""

    table: str
    id: Key
    before: Row | None
    after: Row | None

    @property
    def op(self) -> Op:
        """`create`, `update` or `delete`."""
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "update"

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that differ."""
        before, after = self.before or {}, self.after or {}
        return tuple(name for name in (after or before) if before.get(name) != after.get(name))


@frozen
class Outcome:
    """What came of a call."""

    ok: bool
    data: JSON = None
    code: str = ""
    text: str = ""
    """The error's message."""
    changes: tuple[Changed, ...] = ()
    after: World | None = None
    """The world that the call left; None for an error or a read."""


@define(eq=False, slots=False)
class World:
    """A service in one state. Calls run on forks; this state never changes."""

    service: Service[Any]
    state: State
    rows: Mapping[str, Mapping[Key, Row]]
    """Table → key → record as JSON."""
    facts: Mapping[str, Mapping[str, Fact]]
    selectors: Mapping[str, tuple[Key, ...]] = field(factory=dict)
    """Entity → its keys, for tables of settings: few rows, of the same keys in every world."""
    samples: dict[tuple[str, str], list[JSON]] = field(factory=dict)
    """Kind and JSON type → values of that kind, shared by all worlds that come of one."""
    env: Environment = field(init=False)
    calls: int = 0

    def __attrs_post_init__(self) -> None:
        self.env = Environment.of([(self.service, self.state)], limit=UNCUT)

    @classmethod
    def seeded(cls, service: Service[Any], seed: int, scale: int) -> World:
        """A world of the service alone, as its seed gives it."""
        state = service.new_state(draw_cast(seed, scale), seed, scale)
        return cls.of(service, state)

    @classmethod
    def of(cls, service: Service[Any], state: State) -> World:
        """The world of a state."""
        rows: dict[str, dict[Key, Row]] = {
            name: {row.id: dump(row) or {} for row in state.table(name)}
            for name in type(state).tables()
        }
        return cls(service, state, rows, facts_of(type(state), rows))

    @cached_property
    def tables_of(self) -> dict[str, tuple[str, ...]]:
        """Entity name → the tables that hold such entities."""
        held: dict[str, tuple[str, ...]] = {}
        for table, entity in type(self.state).tables().items():
            held[entity.__name__] = (*held.get(entity.__name__, ()), table)
        return held

    def homes(self, ref: str) -> tuple[str, ...]:
        """The tables whose keys a reference to these entities may be."""
        return tuple(t for name in ref.split("|") for t in self.tables_of.get(name, ()))

    def column(self, table: str, name: str) -> list[JSON]:
        """The values of a field, in row order, nulls left out; items of fields of several."""
        many = self.facts[table][name].many
        found: list[JSON] = []
        for row in self.rows[table].values():
            value = row.get(name)
            if many:
                found += value or []
            elif value is not None:
                found.append(value)
        return found

    def settle(self, other: World) -> None:
        """Find the tables of settings, by comparison with another seeded world."""
        self.selectors = {
            entity: tuple(self.rows[tables[0]])
            for entity, tables in self.tables_of.items()
            if len(tables) == 1
            and 0 < len(self.rows[tables[0]]) <= _SETTINGS
            and list(self.rows[tables[0]]) == list(other.rows[tables[0]])
        }

    def read(self, tool: str, arguments: Mapping[str, JSON]) -> Outcome:
        """Call a tool that changes nothing."""
        self.calls += 1
        try:
            seen = self.env.call(f"{self.service.name}.{tool}", arguments)
        except ServiceError as error:
            return Outcome(False, None, "broken", str(error))
        self.env.transcript.clear()
        return Outcome(
            not seen.is_error, seen.data, seen.code, seen.text if seen.is_error else ""
        )

    def write(self, tool: str, arguments: Mapping[str, JSON]) -> Outcome:
        """Call a tool on a fork and see what it changed."""
        self.calls += 1
        fork = self.env.fork()
        try:
            seen = fork.call(f"{self.service.name}.{tool}", arguments)
        except ServiceError as error:
            return Outcome(False, None, "broken", str(error))
        if seen.is_error:
            return Outcome(False, None, seen.code, seen.text)
        after = fork.state(self.service.name)
        changes = tuple(
            Changed(table, key, dump(old), dump(new))
            for table, key, old, new in self.env.state(self.service.name).changes(after)
        )
        return Outcome(True, seen.data, changes=changes, after=self._next(after, changes))

    def variant(self, table: str, key: Key, values: Mapping[str, JSON]) -> World | None:
        """This world with fields of one row replaced; None where the entity refuses that."""
        state = self.env.state(self.service.name).fork()
        entity = type(state).tables()[table]
        row = {**self.rows[table][key], **values}
        try:
            state.table(table).replace(entity.model_validate(row))
        except ValidationError:
            return None
        change = Changed(table, key, self.rows[table][key], dump(state.table(table)[key]))
        return self._next(state, (change,))

    def grown(self, state: State, table: str) -> World:
        """The world of a state that differs from this one by rows of a table."""
        held = self.rows[table]
        added = (
            Changed(table, row.id, None, dump(row))
            for row in state.table(table)
            if row.id not in held
        )
        return self._next(state.freeze(), added)

    def _next(self, state: State, changes: Iterable[Changed]) -> World:
        rows = dict(self.rows)
        for change in changes:
            held = dict(rows[change.table])
            if change.after is None:
                held.pop(change.id, None)
            else:
                held[change.id] = change.after
            rows[change.table] = held
        return World(self.service, state, rows, self.facts, self.selectors, self.samples)
