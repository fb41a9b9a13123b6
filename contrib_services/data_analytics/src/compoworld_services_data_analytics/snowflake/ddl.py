"""Reading CREATE TABLE statements: names, types, NOT NULL, DEFAULT and PRIMARY KEY."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from compoworld_core import ToolError
from compoworld_services_data_analytics.snowflake.state import Column
from compoworld_services_data_analytics.snowflake.statement import Statement, Token

MOST_COLUMNS = 50
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}\Z")
_RESERVED = frozenset({"rowid", "oid", "_rowid_"})
_TYPES = {
    "TEXT": "VARCHAR CHAR CHARACTER STRING TEXT NVARCHAR",
    "NUMBER": "NUMBER INT INTEGER BIGINT SMALLINT TINYINT BYTEINT",
    "FLOAT": "DECIMAL NUMERIC FLOAT DOUBLE REAL",
    "BOOLEAN": "BOOLEAN",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP DATETIME TIMESTAMP_TZ TIMESTAMP_NTZ TIMESTAMP_LTZ",
}
_TYPE_OF = {word: kind for kind, words in _TYPES.items() for word in words.split()}
_FLAGS = {"TRUE": "1", "FALSE": "0"}


@dataclass
class Created:
    """What a CREATE TABLE statement asks for."""

    path: tuple[str, ...]
    columns: tuple[Column, ...]
    replace: bool = False
    if_not_exists: bool = False


def read_create(statement: Statement) -> Created:
    """The table that a CREATE TABLE statement makes."""
    reader = _Reader(statement.tokens)
    reader.expect("CREATE")
    replace = reader.take("OR", "REPLACE")
    reader.expect("TABLE")
    gentle = reader.take("IF", "NOT", "EXISTS")
    path = [reader.name("table")]
    while reader.take_text("."):
        path.append(reader.name("table"))
    if reader.peek().upper == "AS":
        raise ToolError(
            "invalid_argument", "CREATE TABLE AS is not supported: create, then INSERT"
        )
    reader.expect_text("(")
    columns: list[Column] = []
    keys: list[str] = []
    while True:
        if reader.take("PRIMARY", "KEY"):
            keys += reader.names()
        else:
            columns.append(reader.column())
        if not reader.take_text(","):
            break
    reader.expect_text(")")
    reader.end()
    return Created(tuple(path), _keyed(columns, keys), replace, gentle)


def _keyed(columns: list[Column], keys: list[str]) -> tuple[Column, ...]:
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        raise ToolError("invalid_argument", "duplicate column name")
    if len(names) > MOST_COLUMNS:
        raise ToolError("invalid_argument", f"a table has at most {MOST_COLUMNS} columns")
    marked = [column.name for column in columns if column.key]
    if len(marked) > 1 or (marked and keys):
        raise ToolError("invalid_argument", "the table has more than one primary key")
    for key in keys:
        if key not in names:
            raise ToolError("invalid_argument", f"primary key column {key!r} does not exist")
    places = {name: n for n, name in enumerate(keys or marked, 1)}
    return tuple(
        column.model_copy(update={"key": places.get(column.name, 0)}) for column in columns
    )


class _Reader:
    """A cursor over tokens."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens, self._at = tokens, 0

    def peek(self, ahead: int = 0) -> Token:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else Token("end", "")

    def _next(self) -> Token:
        token = self.peek()
        self._at += 1
        return token

    def take(self, *words: str) -> bool:
        if all(self.peek(n).upper == word for n, word in enumerate(words)):
            self._at += len(words)
            return True
        return False

    def take_text(self, text: str) -> bool:
        if self.peek().text == text and self.peek().kind == "other":
            self._at += 1
            return True
        return False

    def expect(self, word: str) -> None:
        if not self.take(word):
            raise self._error(f"expected {word}")

    def expect_text(self, text: str) -> None:
        if not self.take_text(text):
            raise self._error(f"expected {text}")

    def end(self) -> None:
        if self.peek().kind != "end":
            raise self._error("the statement goes on")

    def name(self, what: str) -> str:
        token = self._next()
        if not NAME.match(token.name) or token.name in _RESERVED:
            raise ToolError("invalid_argument", f"invalid {what} name {token.text[:40]!r}")
        return token.name

    def names(self) -> list[str]:
        self.expect_text("(")
        found = [self.name("column")]
        while self.take_text(","):
            found.append(self.name("column"))
        self.expect_text(")")
        return found

    def column(self) -> Column:
        name = self.name("column")
        kind = self._kind(name)
        found: dict[str, Any] = {"nullable": True, "default": None, "key": 0}
        while self.peek().text not in (",", ")") and self.peek().kind != "end":
            if self.take("NOT", "NULL"):
                found["nullable"] = False
            elif self.take("NULL"):
                found["nullable"] = True
            elif self.take("PRIMARY", "KEY"):
                found["key"] = 1
            elif self.take("DEFAULT"):
                found["default"] = self._default()
            else:
                raise self._error(
                    "a column takes a type, NOT NULL, DEFAULT and PRIMARY KEY, nothing else"
                )
        return Column.model_validate({"name": name, "type": kind, **found})

    def _kind(self, column: str) -> str:
        word = self._next().upper
        kind = _TYPE_OF.get(word)
        if kind is None:
            known = ", ".join(words.split()[0] for words in _TYPES.values())
            raise ToolError(
                "invalid_argument", f"unsupported type {word[:30]!r} of {column}; use {known}"
            )
        self.take("PRECISION")
        if self.take_text("("):
            numbers = []
            while not self.take_text(")"):
                token = self._next()
                if token.kind == "number" and token.text.isdecimal():
                    numbers.append(int(token.text[:4]))
                elif token.text != ",":
                    raise self._error("expected a number")
            if kind == "NUMBER" and len(numbers) > 1 and numbers[1] > 0:
                return "FLOAT"
            if kind == "FLOAT" and word in ("DECIMAL", "NUMERIC") and len(numbers) == 1:
                return "NUMBER"
        return kind

    def _default(self) -> str:
        token = self._next()
        if token.kind in ("string", "number"):
            return token.text
        if token.text == "-" and self.peek().kind == "number":
            return f"-{self._next().text}"
        if token.upper in _FLAGS:
            return _FLAGS[token.upper]
        if token.upper in ("CURRENT_DATE", "CURRENT_TIMESTAMP"):
            if self.take_text("("):
                self.expect_text(")")
            return token.upper.lower()
        raise ToolError(
            "invalid_argument", "a default is a literal, CURRENT_DATE or CURRENT_TIMESTAMP"
        )

    def _error(self, why: str) -> ToolError:
        near = self.peek().text[:40] or "the end"
        return ToolError("invalid_argument", f"SQL error near {near!r}: {why}")
