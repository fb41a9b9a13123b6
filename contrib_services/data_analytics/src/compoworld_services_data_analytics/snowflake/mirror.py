"""The engine's copy of a state: tables and views in SQLite, brought up to date by identity.

Forks share records, so moving from one fork to another costs their overlays, and an unchanged
state costs nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import is_not
from typing import Any

from compoworld_core import Entity, Table
from compoworld_core.table import Base, Key
from compoworld_services_data_analytics.snowflake.layout import (
    LAYOUTS,
    Layout,
    custom,
    quote,
    row_of,
)
from compoworld_services_data_analytics.snowflake.state import Relation, SnowflakeState

Row = tuple[Any, ...]


@dataclass
class Mirror:
    """What the engine holds of one table: records by id, rows by key."""

    layout: Layout
    base: Base[Any] | None = None
    overlay: dict[Key, Any] = field(default_factory=dict)
    notes: dict[str, Any] | None = None
    """Those of the table that it was last brought to: the same notes, the same rows."""
    held: dict[Key, Entity] = field(default_factory=dict)
    places: dict[Key, Row] = field(default_factory=dict)
    """Record → the key of its row."""
    rows: dict[Row, Row] = field(default_factory=dict)


class Mirrors:
    """All tables and views of one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.tables: dict[str, Mirror] = {}
        self.views: dict[str, Relation] = {}
        self.booleans: dict[str, frozenset[str]] = {}
        """Table → its columns that hold truth values."""
        self.spelt: dict[str, str] = {}
        """Statement → in the engine's spelling, which depends on the catalogue alone."""
        self._customs: tuple[dict[str, Any], ...] = ({}, {})
        """The notes of the catalogue and of the records that the custom tables stand for."""
        for layout in LAYOUTS.values():
            self._create(layout)

    def __contains__(self, name: str) -> bool:
        return name in self.tables or name in self.views

    def _plain(self, sql: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        return self._connection.execute(sql, tuple(values))

    def rows(self, layout: Layout) -> list[Row]:
        """All rows of a table as the engine holds them now."""
        return self._plain(layout.selection).fetchall()

    def sync(self, state: SnowflakeState) -> None:
        """Bring the mirrors to a state; costs what differs by identity."""
        for name in LAYOUTS:
            mirror, table = self.tables[name], state.table(name)
            if mirror.notes is not table.notes:
                self._sync_table(mirror, table)
                mirror.notes = table.notes
        customs = (state.relations.notes, state.records.notes)
        if any(map(is_not, self._customs, customs)):
            self._sync_customs(state)
            self.spelt.clear()
            self._customs = customs

    def is_kin(self, state: SnowflakeState) -> bool:
        """Whether the engine holds records of this state, so that an update is cheap."""
        for name in LAYOUTS:
            first = next(iter(state.table(name).base.rows.items()), None)
            if first and self.tables[name].held.get(first[0]) is first[1]:
                return True
        return False

    def holds(self, state: SnowflakeState) -> bool:
        """Whether the engine is built on the very bases of this state."""
        tables = self.tables
        return all(tables[name].base is state.table(name).base for name in LAYOUTS)

    def _sync_table(self, mirror: Mirror, table: Table[Any]) -> None:
        base, overlay, held = table.base, table.overlay, mirror.held
        if mirror.base is base:
            rows = base.rows
            wanted = {
                key: overlay[key] if key in overlay else rows.get(key)
                for key in {**mirror.overlay, **overlay}
            }
        else:
            wanted = dict.fromkeys(held) | {row.id: row for row in table}
        self._put(mirror, {k: row for k, row in wanted.items() if held.get(k) is not row})
        mirror.base, mirror.overlay = base, dict(overlay)

    def _put(self, mirror: Mirror, wanted: dict[Key, Any]) -> None:
        """Bring rows to what is wanted; None takes a row out."""
        if not wanted:
            return
        layout = mirror.layout
        gone, come = [], []
        for name, entity in wanted.items():
            held = mirror.held.pop(name, None)
            if held is not None and held == entity:  # another object, as a replay makes it
                mirror.held[name] = entity
                continue
            if held is not None:
                gone.append(mirror.places.pop(name))
                mirror.rows.pop(gone[-1], None)
            if entity is not None:
                row = row_of(layout, entity)
                at = layout.key(row)
                mirror.held[name], mirror.places[name], mirror.rows[at] = entity, at, row
                come.append(row)
        if not (gone or come):
            return
        self._plain("SAVEPOINT mirror")
        self._connection.executemany(layout.deletion, gone)
        self._connection.executemany(layout.insertion, come)
        self._plain("RELEASE mirror")

    def _create(self, layout: Layout) -> None:
        self._plain(f"DROP TABLE IF EXISTS {quote(layout.name)}")
        self._plain(layout.declaration)
        self.tables[layout.name] = Mirror(layout)
        truths = frozenset(f.name for f in layout.fields if f.kind == "BOOLEAN")
        self.booleans[layout.name] = truths

    def _sync_customs(self, state: SnowflakeState) -> None:
        """Bring custom tables and views to the catalogue; there are few."""
        wanted = {r.name.lower(): r for r in state.relations if r.origin == "custom"}
        for name in [n for n in self.tables if n not in LAYOUTS]:
            relation = wanted.get(name)
            if relation is None or custom(relation) != self.tables[name].layout:
                self._plain(f"DROP TABLE {quote(name)}")
                del self.tables[name]
        for name, view in list(self.views.items()):
            if wanted.get(name) is not view:
                self._plain(f"DROP VIEW {quote(name)}")
                del self.views[name]
        for name, relation in wanted.items():
            if relation.kind == "VIEW":
                if name not in self.views:
                    self._plain(f"CREATE VIEW {quote(name)} AS {relation.definition}")
                    self.views[name] = relation
                continue
            if name not in self.tables:
                self._create(custom(relation))
            mirror = self.tables[name]
            rows: dict[Key, Any] = {r.id: r for r in state.records.where(relation=relation.id)}
            changes: dict[Key, Any] = {key: None for key in mirror.held if key not in rows}
            changes |= {k: row for k, row in rows.items() if mirror.held.get(k) is not row}
            self._put(mirror, changes)
