"""The SQL engine: an in-memory SQLite that mirrors a state, locked away from the host.

A write
runs in a savepoint that is always undone; what it changed is returned as rows, and lands in the
typed state. So the mirror never holds anything that the state does not.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from compoworld_core import ToolError
from compoworld_core.errors import ErrorCode
from compoworld_core.table import Key
from compoworld_services_data_analytics.snowflake.budget import (
    MOST_STEPS,
    MOST_TEXT,
    Budget,
)
from compoworld_services_data_analytics.snowflake.functions import Functions
from compoworld_services_data_analytics.snowflake.layout import Layout, record_id
from compoworld_services_data_analytics.snowflake.mirror import Mirrors
from compoworld_services_data_analytics.snowflake.state import SnowflakeState

MOST_ROWS = 200
"""Rows of a result that are shown."""
MOST_CHANGES = 1_000
"""Rows that one statement may change."""
MOST_SECONDS = 120.0
"""The last resort. The budget of steps ends a statement long before, at the same place on every
computer."""
MOST_MEMORY = 256 * 1024 * 1024
"""Bytes that SQLite may hold in this process."""
_CHECK_EVERY = 500
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: MOST_TEXT,
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


@dataclass(frozen=True)
class Changed:
    """A row that a statement changed: `old` is None where it is new, `row` where it is gone."""

    layout: Layout
    key: tuple[Any, ...]
    old: tuple[Any, ...] | None
    row: tuple[Any, ...] | None


@dataclass
class Result:
    """What a statement gave."""

    columns: list[str]
    rows: list[tuple[Any, ...]]
    truncated: bool = False
    booleans: frozenset[str] = frozenset()
    """Result columns that hold truth values."""
    read: tuple[str, ...] = ()
    """The tables and views that were read, in order of their names."""
    now: str = ""
    """The time that a function of the statement asked for; empty where none did."""
    affected: int = 0
    changes: list[Changed] = field(default_factory=list)
    tables: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    """All rows of the written tables, as they would be."""


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
        self._budget = Budget()
        self.functions = Functions(self._connection, self._budget)
        self._allowed = self.functions.allowed
        self.mirrors = Mirrors(self._connection)
        self._rights: Rights | None = None
        self._why: tuple[ErrorCode, str] | None = None
        self._read: set[tuple[str, str]] = set()
        self._written: set[str] = set()
        self._deadline = 0.0
        self._connection.set_authorizer(self._authorize)

    # -- the lock ------------------------------------------

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
            if (one, two) in self._read:
                return sqlite3.SQLITE_OK
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
            if name in self.mirrors.tables and rights(verb, name):
                return sqlite3.SQLITE_OK
            return self._deny_table(name, verb.lower())
        return self._deny(
            "permission_denied", "this kind of statement is locked in this account"
        )

    def _authorize_read(self, rights: Rights, name: str, column: str, inner: str) -> int:
        if name in self.mirrors:
            through = inner if inner in self.mirrors.views else name
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
        if name in self.mirrors:
            why = f"insufficient privileges: your roles may not {verb} table {name.upper()}"
            return self._deny("permission_denied", why)
        return self._deny("not_found", f"object {name.upper()!r} does not exist")

    def _tick(self) -> int:
        self._budget.steps += _CHECK_EVERY
        if self._budget.is_spent:
            return 1
        if time.monotonic() > self._deadline:
            self._why = (
                "failed_precondition",
                f"cancelled after {MOST_SECONDS:g} s; narrow it",
            )
            return 1
        return 0

    # -- statements ----------------------------------------

    def read(self, sql: str, rights: Rights, now: str) -> Result:
        """Run a SELECT."""
        return self._run(sql, rights, now)

    def write(self, sql: str, rights: Rights, now: str) -> Result:
        """Run a statement that may write; the engine is afterwards as it was."""
        self._connection.execute("SAVEPOINT statement")
        try:
            result = self._run(sql, rights, now)
            self._collect(result)
            return result
        finally:
            self._connection.execute("ROLLBACK TO statement")
            self._connection.execute("RELEASE statement")

    def _run(self, sql: str, rights: Rights, now: str) -> Result:
        self.functions.begin(now)
        self._why, self._read, self._written = None, set(), set()
        self._budget.steps = 0
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
            booleans=self._truths().intersection(names),
            read=tuple(sorted({name for name, _ in self._read})),
            now=self.functions.asked,
            affected=max(cursor.rowcount, 0),
        )

    def _explain(self, error: Exception) -> ToolError:
        if self._why:
            return ToolError(*self._why)
        if self._budget.is_spent:
            return ToolError(
                "failed_precondition", f"cancelled after {MOST_STEPS} steps; narrow it"
            )
        text = self.functions.why or str(error)
        return ToolError("invalid_argument", f"SQL error: {text[:300]}")

    def _truths(self) -> frozenset[str]:
        """The columns that the statement read and that hold truth values."""
        held = self.mirrors.booleans
        return frozenset(column for name, column in self._read if column in held.get(name, ()))

    def _collect(self, result: Result) -> None:
        """Find what a statement changed: the written tables against their mirrors."""
        for name in sorted(self._written):
            mirror = self.mirrors.tables[name]
            layout, held = mirror.layout, mirror.rows
            try:
                rows = self.mirrors.rows(layout)
            except sqlite3.Error as error:  # a text that is not UTF-8 was written
                raise self._explain(error) from error
            result.tables[name] = rows
            found = dict(zip(map(layout.key, rows), rows, strict=True))
            if len(found) < len(held) or found.keys() != held.keys():
                # Sorted: the mirror's own order tells which states it held before.
                gone = sorted((key for key in held if key not in found), key=_in_order)
                result.changes += [Changed(layout, key, held[key], None) for key in gone]
            result.changes += [
                Changed(layout, key, held.get(key), row)
                for key, row in found.items()
                if held.get(key) != row
            ]
        if len(result.changes) > MOST_CHANGES:
            raise ToolError(
                "failed_precondition",
                f"the statement would change {len(result.changes)} rows, over {MOST_CHANGES}",
            )

    def layout(self, name: str) -> Layout | None:
        """The layout of a table by the name that statements use."""
        mirror = self.mirrors.tables.get(name)
        return mirror.layout if mirror else None

    def held(self, layout: Layout, key: tuple[Any, ...]) -> Key:
        """The id of the record that a row of the engine stands for."""
        return str(key[0]) if layout.table else record_id(layout, key)


def _in_order(key: tuple[Any, ...]) -> list[tuple[str, Any]]:
    return [(type(part).__name__, part) for part in key]


def _text(value: Any) -> str:
    return str(value)


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
    for test in (Mirrors.holds, Mirrors.is_kin):
        found = next((engine for engine in engines if test(engine.mirrors, state)), None)
        if found:
            engines.remove(found)
            break
    else:
        found = Engine()
    del engines[_KEPT_ENGINES - 1 :]
    found.mirrors.sync(state)  # on an error the engine is not kept
    engines.insert(0, found)
    return found
