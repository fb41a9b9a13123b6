"""The SQL engine: an in-memory SQLite that mirrors a state, locked away from the host.

An engine is brought up to date by the identity of records: forks share records, so moving from
one fork to another costs their overlays, and reading an unchanged state costs nothing. A write
runs in a savepoint that is always undone; what it changed is returned as rows, and lands in the
typed state. So the mirror never holds anything that the state does not.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from attrs import define, field, frozen

from compoworld_core import Entity, Table, ToolError
from compoworld_core.errors import ErrorCode
from compoworld_core.table import Base, Key
from compoworld_services_data_analytics.snowflake.functions import Functions
from compoworld_services_data_analytics.snowflake.layout import (
    LAYOUTS,
    Layout,
    custom,
    quote,
    record_id,
    row_of,
)
from compoworld_services_data_analytics.snowflake.state import Relation, SnowflakeState

MOST_ROWS = 200
"""Rows of a result that are shown."""
MOST_CHANGES = 1_000
"""Rows that one statement may change."""
MOST_STEPS = 4_000_000
"""Instructions of the engine's machine per statement: the same on every computer."""
MOST_SECONDS = 5.0
"""A second guard for statements whose single steps are long."""
MOST_MEMORY = 256 * 1024 * 1024
"""Bytes that SQLite may hold in this process."""
_CHECK_EVERY = 500
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 40_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 40_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 30,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 20,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 500,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 110,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_WRITES = {
    sqlite3.SQLITE_INSERT: "INSERT",
    sqlite3.SQLITE_UPDATE: "UPDATE",
    sqlite3.SQLITE_DELETE: "DELETE",
}
_STRUCTURE = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})
_KEPT_ENGINES = 3


Rights = Callable[[str, str], bool]
"""(SELECT, INSERT, UPDATE or DELETE; relation name in lower case) → allowed."""


@frozen
class Changed:
    """A row that a statement changed: `old` is None where it is new, `row` where it is gone."""

    layout: Layout
    key: tuple[Any, ...]
    old: tuple[Any, ...] | None
    row: tuple[Any, ...] | None


@define
class Result:
    """What a statement gave."""

    columns: list[str]
    rows: list[tuple[Any, ...]]
    truncated: bool = False
    booleans: frozenset[str] = frozenset()
    """Result columns that hold truth values."""
    affected: int = 0
    changes: list[Changed] = field(factory=list)
    tables: dict[str, list[tuple[Any, ...]]] = field(factory=dict)
    """All rows of the written tables, as they would be."""


@define
class _Mirror:
    """What the engine holds of one table."""

    layout: Layout
    base: Base[Any] | None = None
    overlay: dict[Key, Any] = field(factory=dict)
    held: dict[Key, Entity] = field(factory=dict)
    rows: dict[tuple[Any, ...], tuple[Any, ...]] = field(factory=dict)


class Engine:
    """One locked connection and its mirrors."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, cached_statements=0, check_same_thread=False
        )
        run = self._connection.execute
        run("PRAGMA temp_store = MEMORY")  # a sorter must not spill to the host's files
        run(f"PRAGMA hard_heap_limit = {MOST_MEMORY}")
        run("PRAGMA trusted_schema = ON")  # row_key() stands in the tables' defaults
        for category, most in _LIMITS.items():
            self._connection.setlimit(category, most)
        self.functions = Functions(self._connection)
        self._allowed = self.functions.allowed
        self._mirrors: dict[str, _Mirror] = {}
        self._booleans: dict[str, frozenset[str]] = {}
        self._views: dict[str, Relation] = {}
        self._catalogue: tuple[Base[Any] | None, dict[Key, Any]] = (None, {})
        self._records: tuple[Base[Any] | None, dict[Key, Any]] = (None, {})
        self._rights: Rights | None = None
        self._why: tuple[ErrorCode, str] | None = None
        self._read: set[tuple[str, str]] = set()
        self._written: set[str] = set()
        self._steps = 0
        self._deadline = 0.0
        for layout in LAYOUTS.values():
            self._create(layout)
        self._connection.set_authorizer(self._authorize)

    # -- the lock --------------------------------------------------------------------------

    def _authorize(
        self,
        action: int,
        one: str | None,
        two: str | None,
        _where: str | None,
        inner: str | None,
    ) -> int:
        """Allow what a statement may do and nothing else; None as rights means: our own SQL."""
        rights = self._rights
        if rights is None or action in _STRUCTURE:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and one is not None:
            name = one.lower()
            return self._authorize_read(rights, name, two or "", (inner or "").lower())
        if action == sqlite3.SQLITE_FUNCTION and two is not None:
            name = two.lower()
            if name in self._allowed or (name == "row_key" and self._written):
                return sqlite3.SQLITE_OK
            return self._deny(
                "invalid_argument",
                f"function {name} is not available: results must be repeatable",
            )
        verb = _WRITES.get(action)
        if verb and one is not None and inner is None:
            name = one.lower()
            self._written.add(name)
            if name in self._mirrors and rights(verb, name):
                return sqlite3.SQLITE_OK
            return self._deny_table(name, verb.lower())
        return self._deny(
            "permission_denied", "this kind of statement is locked in this account"
        )

    def _authorize_read(self, rights: Rights, name: str, column: str, inner: str) -> int:
        if name in self._mirrors or name in self._views:
            through = inner if inner in self._views else name
            if (name, column) in self._read or rights("SELECT", through):
                self._read.add((name, column))
                return sqlite3.SQLITE_OK
        elif not column and "_" not in name:
            return sqlite3.SQLITE_OK  # counts the rows of a common table
        return self._deny_table(name, "read")

    def _deny(self, code: ErrorCode, why: str) -> int:
        if self._why is None:
            self._why = (code, why)
        return sqlite3.SQLITE_DENY

    def _deny_table(self, name: str, verb: str) -> int:
        if name in self._mirrors or name in self._views:
            why = f"insufficient privileges: your roles may not {verb} table {name.upper()}"
            return self._deny("permission_denied", why)
        return self._deny("not_found", f"object {name.upper()!r} does not exist")

    def _tick(self) -> int:
        self._steps += _CHECK_EVERY
        if self._steps > MOST_STEPS:
            self._why = (
                "failed_precondition",
                f"cancelled after {MOST_STEPS} steps; narrow it",
            )
            return 1
        if time.monotonic() > self._deadline:
            self._why = (
                "failed_precondition",
                f"cancelled after {MOST_SECONDS:g} s; narrow it",
            )
            return 1
        return 0

    # -- statements ------------------------------------------------------------------------

    def read(self, sql: str, rights: Rights, now: str) -> Result:
        """Run a SELECT."""
        return self._run(sql, rights, now)

    def write(self, sql: str, rights: Rights, now: str) -> Result:
        """Run a statement that may write; the engine is afterwards as it was."""
        self._plain("SAVEPOINT statement")
        try:
            result = self._run(sql, rights, now)
            self._collect(result)
            return result
        finally:
            self._plain("ROLLBACK TO statement")
            self._plain("RELEASE statement")

    def _run(self, sql: str, rights: Rights, now: str) -> Result:
        self.functions.begin(now)
        self._why, self._read, self._written, self._steps = None, set(), set(), 0
        self._deadline = time.monotonic() + MOST_SECONDS
        self._connection.set_progress_handler(self._tick, _CHECK_EVERY)
        self._rights = rights
        try:
            cursor = self._connection.execute(sql)
            rows = cursor.fetchmany(MOST_ROWS + 1)
            if self._written:
                rows += cursor.fetchall()  # a RETURNING clause counts only when it is read out
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
            raise self._explain(error) from error
        except MemoryError as error:
            raise ToolError(
                "failed_precondition", "cancelled: out of memory; narrow it"
            ) from error
        finally:
            self._rights = None
            self._connection.set_progress_handler(None, 0)
        names = [_text(item[0]) for item in cursor.description or ()]
        return Result(
            columns=_distinct(names),
            rows=rows[:MOST_ROWS],
            truncated=len(rows) > MOST_ROWS,
            booleans=frozenset(name for name in names if self._is_boolean(name)),
            affected=max(cursor.rowcount, 0),
        )

    def _explain(self, error: Exception) -> ToolError:
        if self._why:
            return ToolError(*self._why)
        text = self.functions.why or str(error)
        return ToolError("invalid_argument", f"SQL error: {text[:300]}")

    def _is_boolean(self, column: str) -> bool:
        return any(
            (name, column) in self._read
            for name, columns in self._booleans.items()
            if column in columns
        )

    def _collect(self, result: Result) -> None:
        """Find what a statement changed: the written tables against their mirrors."""
        for name in sorted(self._written):
            mirror = self._mirrors[name]
            layout, held = mirror.layout, mirror.rows
            rows = self._plain(_select(layout)).fetchall()
            result.tables[name] = rows
            found = dict(zip(map(_key_of(layout), rows), rows, strict=True))
            if len(found) < len(held) or found.keys() != held.keys():
                gone = [key for key in held if key not in found]
                result.changes += [Changed(layout, key, held[key], None) for key in gone]
            result.changes += [
                Changed(layout, key, held.get(key), row)
                for key, row in found.items()
                if held.get(key) != row
            ]
        if len(result.changes) > MOST_CHANGES:
            raise ToolError(
                "failed_precondition",
                f"the statement would change {len(result.changes)} rows; at most {MOST_CHANGES}",
            )

    def _plain(self, sql: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        return self._connection.execute(sql, tuple(values))

    # -- the mirror --------------------------------------------------------------------------

    def sync(self, state: SnowflakeState) -> None:
        """Bring the mirrors to a state; costs what differs by identity."""
        for name in LAYOUTS:
            self._sync_table(self._mirrors[name], state.table(name))
        relations, records = state.relations, state.records
        known = (relations.base, relations.overlay), (records.base, records.overlay)
        if not (_same(self._catalogue, known[0]) and _same(self._records, known[1])):
            self._sync_customs(state)
            self._catalogue = (relations.base, dict(relations.overlay))
            self._records = (records.base, dict(records.overlay))

    def is_kin(self, state: SnowflakeState) -> bool:
        """Whether the engine holds records of this state, so that an update is cheap."""
        for name in LAYOUTS:
            first = next(iter(state.table(name).base.rows.items()), None)
            if first and self._mirrors[name].held.get(first[0]) is first[1]:
                return True
        return False

    def holds(self, state: SnowflakeState) -> bool:
        """Whether the engine is built on the very bases of this state."""
        return all(self._mirrors[n].base is state.table(n).base for n in LAYOUTS)

    def _sync_table(self, mirror: _Mirror, table: Table[Any]) -> None:
        base, overlay = table.base, table.overlay
        if mirror.base is base:
            if not overlay and not mirror.overlay:
                return
            keys = [
                key
                for key in {**mirror.overlay, **overlay}
                if mirror.held.get(key) is not overlay.get(key, base.rows.get(key))
            ]
            wanted = {key: overlay.get(key, base.rows.get(key)) for key in keys}
        else:
            rows = {row.id: row for row in table}
            wanted = {key: None for key in mirror.held if key not in rows}
            wanted |= {k: row for k, row in rows.items() if mirror.held.get(k) is not row}
        self._put(mirror, wanted)
        mirror.base, mirror.overlay = base, dict(overlay)

    def _put(self, mirror: _Mirror, wanted: dict[Key, Any]) -> None:
        """Bring rows to what is wanted; None takes a row out."""
        layout = mirror.layout
        key_of = _key_of(layout)
        gone, come = [], []
        for key, entity in wanted.items():
            old = mirror.held.pop(key, None)
            if old is not None:
                at = key_of(row_of(layout, old))
                mirror.rows.pop(at, None)
                gone.append(at)
            if entity is not None:
                row = row_of(layout, entity)
                mirror.held[key] = entity
                mirror.rows[key_of(row)] = row
                come.append(row)
        if not wanted:
            return
        test = " AND ".join(f"{quote(k) if k != 'rowid' else k} = ?" for k in layout.keys)
        name = quote(layout.name)
        self._plain("SAVEPOINT mirror")
        self._connection.executemany(f"DELETE FROM {name} WHERE {test}", gone)  # noqa: S608  # quoted names
        if come:
            marks = ", ".join("?" * len(come[0]))
            columns = ", ".join(_columns(layout))
            self._connection.executemany(
                f"INSERT INTO {name} ({columns}) VALUES ({marks})",  # noqa: S608  # quoted names
                come,
            )
        self._plain("RELEASE mirror")

    def _create(self, layout: Layout) -> None:
        self._plain(f"DROP TABLE IF EXISTS {quote(layout.name)}")
        self._plain(layout.declaration)
        self._mirrors[layout.name] = _Mirror(layout)
        truths = frozenset(f.name for f in layout.fields if f.kind == "BOOLEAN")
        self._booleans[layout.name] = truths

    def _sync_customs(self, state: SnowflakeState) -> None:
        """Bring custom tables and views to the catalogue; there are few."""
        wanted = {r.name.lower(): r for r in state.relations if r.origin == "custom"}
        for name in [n for n in self._mirrors if n not in LAYOUTS]:
            relation = wanted.get(name)
            if relation is None or custom(relation) != self._mirrors[name].layout:
                self._plain(f"DROP TABLE {quote(name)}")
                del self._mirrors[name]
        for name, view in list(self._views.items()):
            if wanted.get(name) is not view:
                self._plain(f"DROP VIEW {quote(name)}")
                del self._views[name]
        for name, relation in wanted.items():
            if relation.kind == "VIEW":
                if name not in self._views:
                    self._plain(f"CREATE VIEW {quote(name)} AS {relation.definition}")
                    self._views[name] = relation
                continue
            if name not in self._mirrors:
                self._create(custom(relation))
            mirror = self._mirrors[name]
            rows: dict[Key, Any] = {r.id: r for r in state.records.where(relation=relation.id)}
            changes: dict[Key, Any] = {key: None for key in mirror.held if key not in rows}
            changes |= {k: row for k, row in rows.items() if mirror.held.get(k) is not row}
            self._put(mirror, changes)

    def layout(self, name: str) -> Layout | None:
        """The layout of a table by the name that statements use."""
        mirror = self._mirrors.get(name)
        return mirror.layout if mirror else None

    def held(self, layout: Layout, key: tuple[Any, ...]) -> Key:
        """The id of the record that a row of the engine stands for."""
        return key[0] if layout.table else record_id(layout, key)  # type: ignore[no-any-return]  # ids are text


def _text(value: Any) -> str:
    return str(value)


def _columns(layout: Layout) -> list[str]:
    names = [quote(f.name) for f in layout.fields]
    return names if layout.keys != ("rowid",) else ["rowid", *names]


def _select(layout: Layout) -> str:
    return f"SELECT {', '.join(_columns(layout))} FROM {quote(layout.name)}"  # noqa: S608  # quoted names


def _key_of(layout: Layout) -> Any:
    """Row → key."""
    if layout.keys == ("rowid",):
        return lambda row: row[:1]
    names = [f.name for f in layout.fields]
    places = [names.index(key) for key in layout.keys]
    if places == [0]:
        return lambda row: row[:1]
    return lambda row: tuple(row[place] for place in places)


def _same(
    one: tuple[Base[Any] | None, dict[Key, Any]], two: tuple[Base[Any], dict[Key, Any]]
) -> bool:
    if one[0] is not two[0] or len(one[1]) != len(two[1]):
        return False
    return all(key in one[1] and one[1][key] is row for key, row in two[1].items())


def _distinct(names: list[str]) -> list[str]:
    """Column names of a result, made distinct."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return out


_local = threading.local()


def engine_for(state: SnowflakeState) -> Engine:
    """An engine that mirrors this state: one that holds its records, or a new one."""
    engines: list[Engine] = _local.__dict__.setdefault("engines", [])
    for test in (Engine.holds, Engine.is_kin):
        found = next((engine for engine in engines if test(engine, state)), None)
        if found:
            engines.remove(found)
            break
    else:
        found = Engine()
    del engines[_KEPT_ENGINES - 1 :]
    found.sync(state)  # on an error the engine is not kept
    engines.insert(0, found)
    return found
