"""Drive's query language: `name contains 'refund' and 'F1' in parents and trashed = false`."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from attrs import field, frozen

from compoworld_core import ToolError
from compoworld_core.resources import folded
from compoworld_services_productivity_collaboration.google_drive.access import Item
from compoworld_services_productivity_collaboration.google_drive.state import (
    FOLDER,
    DriveState,
    File,
    Folder,
)

Test = Callable[[Item], bool]

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:\\.|[^'\\])*')|(?P<mark>!=|<=|>=|[=<>(){}])|(?P<word>[A-Za-z0-9_.:+-]+))"
)
_STRUCTURED = re.compile(
    r"\b(?:name|fullText|mimeType|trashed|starred|modifiedTime|createdTime|properties)\s*"
    r"(?:contains\b|has\b|!=|<=|>=|[=<>])|'\s*in\s+(?:parents|owners|writers|readers)\b"
    r"|^\s*(?:not\s+)?sharedWithMe\b",
)
_TEXT = ("name", "description")
_FILE_TEXT = ("name", "description", "content")
_NOT, _OPEN, _SHARED = "not", "(", "sharedWithMe"
_LONGEST = 2000
_DEEPEST = 20
_FIELDS = (
    "name, fullText, mimeType, modifiedTime, createdTime, trashed, starred, parents, owners, "
    "writers, readers, sharedWithMe, properties"
)


@frozen
class Search:
    """A parsed query."""

    test: Test
    keys: dict[str, str] = field(factory=dict)
    """Fields that a match must have exactly; a look-up starts with them."""
    trash: bool = False
    """The query says itself what to do with the trash."""


def parse(query: str, state: DriveState, actor: str) -> Search:
    """Read a query; plain words are looked for in names, descriptions and contents."""
    if len(query) > _LONGEST:
        raise ToolError("invalid_argument", f"the query is longer than {_LONGEST} characters")
    if not _STRUCTURED.search(query):
        return Search(contains(query.strip().strip("'\"")))
    parser = _Parser(query, state, actor)
    return Search(parser.read(), parser.keys, parser.trash)


def contains(text: str) -> Test:
    """Every word stands in the name, the description or the content."""
    words = text.casefold().split()
    return lambda row: all(word in _whole(row) for word in words)


def _whole(row: Item) -> str:
    return folded(row, _FILE_TEXT if isinstance(row, File) else _TEXT)


class _Parser:
    def __init__(self, query: str, state: DriveState, actor: str) -> None:
        self.query, self.state, self.actor = query, state, actor
        self.tokens = self._split(query)
        self.at = 0
        self.keys: dict[str, str] = {}
        self.trash = False
        self.depth = 0
        self.alternatives = False

    def read(self) -> Test:
        test = self._any()
        if self.at < len(self.tokens):
            raise self._wrong(f"did not expect {self.tokens[self.at]!r}")
        if self.alternatives:
            self.keys = {}
        return test

    def _split(self, query: str) -> list[str]:
        tokens, place = [], 0
        text = query.rstrip()
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None:
                raise self._wrong(f"cannot read {text[place : place + 20]!r}")
            tokens.append(found[0].strip())
            place = found.end()
        return tokens

    def _wrong(self, why: str) -> ToolError:
        return ToolError(
            "invalid_argument",
            f"the query {self.query[:80]!r}: {why}. Terms look like: name contains 'plan', "
            f"'folder id' in parents, trashed = false; fields: {_FIELDS}",
        )

    def _next(self) -> str:
        if self.at >= len(self.tokens):
            raise self._wrong("it ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _any(self) -> Test:
        """Terms joined by `and` and `or`, from left to right as Drive reads them."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._wrong(f"brackets are nested deeper than {_DEEPEST}")
        test = self._term()
        while self._peek() in ("and", "or"):
            test = self._joined(self._next(), test, self._term())
        self.depth -= 1
        return test

    def _joined(self, word: str, left: Test, right: Test) -> Test:
        if word == "and":
            return lambda row: left(row) and right(row)
        self.alternatives = True
        return lambda row: left(row) or right(row)

    def _term(self) -> Test:
        token = self._next()
        if token == _NOT:
            keys = dict(self.keys)
            inner = self._term()
            self.keys = keys
            return lambda row: not inner(row)
        if token == _OPEN:
            test = self._any()
            if self._next() != ")":
                raise self._wrong("a bracket is not closed")
            return test
        if token.startswith("'"):
            return self._member(_plain(token))
        if token == _SHARED:
            if self._peek() == "=":
                self.at += 1
                wanted = self._next() == "true"
                return lambda row: self._shared(row) is wanted
            return self._shared
        return self._compare(token, self._next())

    def _shared(self, row: Item) -> bool:
        return row.drive_id is None and row.owner != self.actor

    def _at_the_top(self, row: Item) -> bool:
        own = row.drive_id is None and row.owner == self.actor
        return own and row.parent_id is None

    def _member(self, value: str) -> Test:
        if self._next() != "in":
            raise self._wrong("after a quoted value comes: in")
        collection = self._next()
        if collection == "parents":
            if value == "root":
                return self._at_the_top
            if value in self.state.drives:
                return lambda row: row.parent_id is None and row.drive_id == value
            self.keys["parent_id"] = value
            return lambda row: row.parent_id == value
        address = self.actor if value == "me" else value.casefold()
        if collection == "owners":
            self.keys["owner"] = address
            return lambda row: row.owner == address
        if collection in ("writers", "readers"):
            roles = ("writer",) if collection == "writers" else ("reader", "commenter")
            held = {
                share.file_id or share.folder_id
                for share in self.state.permissions.where(email=address)
                if share.role in roles
            }
            writers = collection == "writers"
            return lambda row: row.id in held or (writers and row.owner == address)
        raise self._wrong(f"{collection!r} is not one of parents, owners, writers, readers")

    def _compare(self, name: str, operator: str) -> Test:
        if name in ("name", "fullText", "mimeType"):
            return self._text(name, operator, self._value())
        if name in ("trashed", "starred"):
            value = self._next()
            if operator not in ("=", "!=") or value not in ("true", "false"):
                raise self._wrong(f"{name} is compared as in: {name} = true")
            wanted = (value == "true") is (operator == "=")
            if name == "starred":
                return lambda row: row.starred is wanted
            self.trash = True
            return lambda row: row.trashed is wanted
        if name in ("modifiedTime", "createdTime"):
            return self._time(
                "modified_time" if name == "modifiedTime" else "created_time", operator
            )
        if name == "properties" and operator == "has":
            return self._properties()
        raise self._wrong(f"there is no field {name!r}")

    def _value(self) -> str:
        token = self._next()
        if not token.startswith("'"):
            raise self._wrong(f"put {token!r} in single quotes")
        return _plain(token)

    def _text(self, name: str, operator: str, value: str) -> Test:
        wanted = value.casefold()
        if name == "fullText" and operator == "contains":
            phrase = value.strip('"')
            return (
                contains(value)
                if phrase == value
                else lambda row: phrase.casefold() in _whole(row)
            )
        if operator not in ("contains", "=", "!=") or name == "fullText":
            raise self._wrong(f"{name} cannot be compared with {operator!r}")
        if name == "name":
            if operator == "contains":
                return lambda row: wanted in row.name.casefold()
            if operator == "=" and self.state.files.where(name=value):
                self.keys["name"] = value
            return lambda row: (row.name.casefold() == wanted) is (operator == "=")
        if operator == "contains":
            return lambda row: wanted in mime_type(row)
        return lambda row: (mime_type(row) == wanted) is (operator == "=")

    def _time(self, name: str, operator: str) -> Test:
        text = self._value()
        try:
            when = datetime.fromisoformat(text)
        except ValueError:
            raise self._wrong(f"{text!r} is not a time like '2026-03-01T12:00:00'") from None
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when
        tests: dict[str, Test] = {
            "<": lambda row: bool(getattr(row, name) < when),
            "<=": lambda row: bool(getattr(row, name) <= when),
            ">": lambda row: bool(getattr(row, name) > when),
            ">=": lambda row: bool(getattr(row, name) >= when),
            "=": lambda row: bool(getattr(row, name) == when),
            "!=": lambda row: bool(getattr(row, name) != when),
        }
        if operator not in tests:
            raise self._wrong(f"times are compared with {', '.join(tests)}")
        return tests[operator]

    def _properties(self) -> Test:
        """`properties has { key='case' and value='open' }`."""
        shape = [self._next() for _ in range(9)]
        if [shape[i] for i in (0, 1, 2, 4, 5, 6, 8)] != [
            "{",
            "key",
            "=",
            "and",
            "value",
            "=",
            "}",
        ]:
            raise self._wrong("write properties has { key='case' and value='open' }")
        key, value = _plain(shape[3]), _plain(shape[7])
        return lambda row: key in row.properties and str(row.properties[key]) == value


def mime_type(row: Item) -> str:
    """An item's MIME type; folders have one too."""
    return FOLDER if isinstance(row, Folder) else row.mime_type


def _plain(token: str) -> str:
    """A quoted token's text."""
    return re.sub(r"\\(.)", r"\1", token[1:-1]) if token.startswith("'") else token
