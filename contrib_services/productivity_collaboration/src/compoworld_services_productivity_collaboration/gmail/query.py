"""Gmail's search language: `from:a subject:"b" has:attachment -in:inbox after:2026/03/01`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from attrs import field, frozen

from compoworld_core import ToolError
from compoworld_core.resources import folded
from compoworld_services_productivity_collaboration.gmail.state import (
    HIDDEN,
    GmailState,
    Message,
)

Test = Callable[[Message], bool]

_TOKEN = re.compile(
    r"""(?P<minus>-)?(?:(?P<key>[a-zA-Z_0-9]+):(?P<open>[({])?)?"""
    r"""(?:"(?P<quoted>[^"]*)"|(?P<close>[)}])|(?P<group>[({])|(?P<word>[^\s(){}"]+))?"""
)
_AGE = re.compile(r"^(\d{1,5})([dmyh])$")
_SIZE = re.compile(r"^(\d{1,9})([kKmM]?)$")
_AGES = {"h": timedelta(hours=1), "d": timedelta(days=1), "m": timedelta(days=30)}
_AGES["y"] = timedelta(days=365)
_TEXT = ("subject", "body", "sender", "sender_name", "to", "cc")
_PEOPLE = {"from": ("sender", "sender_name"), "to": ("to",), "cc": ("cc",), "bcc": ("bcc",)}
_PLACES = ("inbox", "sent", "trash", "spam", "drafts", "draft", "anywhere", "archive")
_STATES = {"unread": "UNREAD", "starred": "STARRED", "important": "IMPORTANT"}
_CLOSING = {"(": ")", "{": "}"}
_LONGEST = 2000
_DEEPEST = 20
_OLDEST = timedelta(days=36_500)


@frozen
class Search:
    """A parsed query."""

    test: Test
    keys: dict[str, str] = field(factory=dict)
    """Fields that a match has exactly, if any message does; a look-up starts with them."""
    hidden: bool = False
    """Messages in trash and spam are asked for."""

    def run(self, state: GmailState) -> list[Message]:
        """The messages that match, newest first."""
        rows = state.messages.where(**self.keys) if self.keys else []
        if not rows and "rfc822_message_id" not in self.keys:  # a part of an address, say
            rows = list(state.messages)
        found = [
            row
            for row in rows
            if (self.hidden or HIDDEN.isdisjoint(row.label_ids)) and self.test(row)
        ]
        found.sort(key=lambda row: row.date, reverse=True)
        return found


def parse(query: str, state: GmailState, now: datetime) -> Search:
    """Read a query; ToolError(invalid_argument) says what is wrong with it."""
    if len(query) > _LONGEST:
        raise ToolError("invalid_argument", f"the query is longer than {_LONGEST} characters")
    return _Parser(state, now).read(query)


class _Parser:
    def __init__(self, state: GmailState, now: datetime) -> None:
        self.state, self.now = state, now
        self.hidden = False
        self.keys: dict[str, str] = {}

    def read(self, query: str) -> Search:
        tokens = list(_tokens(query))
        depth = 0
        for token in tokens:
            depth += token.endswith(("(", "{")) - (token in (")", "}"))
            if not 0 <= depth <= _DEEPEST:
                break
        if depth:
            raise ToolError(
                "invalid_argument",
                f"the query's brackets are not balanced, or nested deeper than {_DEEPEST}",
            )
        test = self._all(iter(tokens), "", top=True)
        return Search(test, self.keys, self.hidden)

    def _all(self, tokens: Iterator[str], end: str, *, top: bool = False) -> Test:
        """Terms up to the closing bracket: all must hold, `OR` joins two neighbours."""
        groups: list[list[tuple[Test, dict[str, str]]]] = []
        joined = False
        for token in tokens:
            if end and token == end:
                break
            if token in ("OR", "|"):
                joined = bool(groups)
                continue
            if token == "AND":  # noqa: S105  # a word of the query
                continue
            term = self._term(token, tokens)
            if joined or (end == "}" and groups):
                groups[-1].append(term)
            else:
                groups.append([term])
            joined = False
        if top:
            for group in groups:
                if len(group) == 1:
                    self.keys.update(group[0][1])
        choices = [[test for test, _ in group] for group in groups]
        return lambda row: all(any(test(row) for test in tests) for tests in choices)

    def _term(self, token: str, tokens: Iterator[str]) -> tuple[Test, dict[str, str]]:
        negated = len(token) > 1 and token.startswith("-")
        token = token[1:] if negated else token
        keys: dict[str, str] = {}
        hidden = self.hidden
        if token in ("(", "{"):
            test = self._all(tokens, _CLOSING[token])
        elif token.endswith((":(", ":{")):
            test = self._grouped(token[:-2], token[-1], tokens)
        else:
            key, colon, value = token.partition(":")
            if colon and not token.startswith('"'):
                test, keys = self._operator(key.casefold(), value.strip('"'))
            else:
                test = _words(_TEXT, token)
        if negated:
            inner = test
            self.hidden = hidden
            return (lambda row: not inner(row)), {}
        return test, keys

    def _grouped(self, key: str, opening: str, tokens: Iterator[str]) -> Test:
        """`subject:(a b)`: all of the words; `from:{a b}` and `from:(a OR b)`: any of them."""
        values, any_of = [], opening == "{"
        for token in tokens:
            if token in (")", "}"):
                break
            if token in ("OR", "|"):
                any_of = True
            else:
                values.append(token.strip('"'))
        tests = [self._operator(key.casefold(), value)[0] for value in values]
        if any_of:
            return lambda row: any(test(row) for test in tests)
        return lambda row: all(test(row) for test in tests)

    def _operator(self, key: str, value: str) -> tuple[Test, dict[str, str]]:
        if not value:
            raise ToolError("invalid_argument", f"{key}: needs a value, as in {key}:word")
        if key in _PEOPLE:
            return self._person(key, value)
        if key == "rfc822msgid":
            return (lambda row: row.rfc822_message_id == value), {"rfc822_message_id": value}
        return self._test(key, value), {}

    def _person(self, key: str, value: str) -> tuple[Test, dict[str, str]]:
        fields, wanted = _PEOPLE[key], value.casefold()
        if wanted == "me":
            own = {address for box in state_addresses(self.state) for address in box}
            if key == "from":
                return (lambda row: row.sender in own), {}
            return (lambda row: not own.isdisjoint(getattr(row, fields[0]))), {}
        keys = {"sender": wanted} if key == "from" and "@" in wanted else {}
        return (lambda row: wanted in folded(row, fields)), keys

    def _test(self, key: str, value: str) -> Test:
        lowered = value.casefold()
        if key == "subject":
            return _words(("subject",), f'"{value}"')
        if key == "label":
            return self._label(lowered)
        if key == "in":
            return self._place(lowered)
        if key == "is":
            if lowered == "read":
                return lambda row: "UNREAD" not in row.label_ids
            return _labelled(_one_of(_STATES, lowered, "is"))
        if key == "has":
            if lowered not in ("attachment", "userlabels", "nouserlabels"):
                raise ToolError("invalid_argument", f"has:{value[:40]}; use has:attachment")
            if lowered == "attachment":
                return lambda row: bool(row.attachment_ids)
            own = {label.id for label in self.state.labels if label.type == "user"}
            wanted = lowered == "userlabels"
            return lambda row: (not own.isdisjoint(row.label_ids)) is wanted
        if key == "filename":
            return lambda row: any(lowered in n.casefold() for n in row.attachment_names)
        if key == "category":
            return _labelled(f"CATEGORY_{lowered.upper()}")
        return self._measure(key, value)

    def _measure(self, key: str, value: str) -> Test:
        if key in ("after", "newer"):
            start = _day(key, value)
            return lambda row: row.date >= start
        if key in ("before", "older"):
            end = _day(key, value)
            return lambda row: row.date < end
        if key in ("newer_than", "older_than"):
            edge = self.now - _age(key, value)
            newer = key == "newer_than"
            return lambda row: (row.date >= edge) is newer
        if key in ("larger", "smaller"):
            bound = _bytes(key, value)
            larger = key == "larger"
            return lambda row: (self._size(row) > bound) is larger
        return _words(_TEXT, f"{key}:{value}")

    def _size(self, row: Message) -> int:
        files = (self.state.attachments.get(key) for key in row.attachment_ids)
        return len(row.body) + sum(file.size for file in files if file is not None)

    def _label(self, name: str) -> Test:
        for label in self.state.labels:
            spelled = label.name.casefold()
            if name in (spelled, re.sub(r"[\s/&()]", "-", spelled), label.id.casefold()):
                return _labelled(self._noted(label.id))
        return lambda row: False

    def _place(self, name: str) -> Test:
        place = _one_of({p: p for p in _PLACES}, name, "in")
        if place == "anywhere":
            self.hidden = True
            return lambda row: True
        if place == "archive":
            out = frozenset({"INBOX", "SENT", "DRAFT"}) | HIDDEN
            return lambda row: out.isdisjoint(row.label_ids)
        return _labelled(self._noted({"drafts": "DRAFT"}.get(place, place.upper())))

    def _noted(self, label: str) -> str:
        self.hidden = self.hidden or label in HIDDEN
        return label


def state_addresses(state: GmailState) -> list[tuple[str, ...]]:
    """For each signed-in account its own addresses, aliases too."""
    return [(box.id, *box.aliases) for box in state.mailboxes]


def _tokens(query: str) -> Iterator[str]:
    place = 0
    while place < len(query):
        if query[place].isspace():
            place += 1
            continue
        found = _TOKEN.match(query, place)
        if found is None or found.end() == place:
            yield query[place]
            place += 1
            continue
        place = found.end()
        minus, key = found["minus"] or "", found["key"]
        if found["open"]:
            yield f"{minus}{key}:{found['open']}"
            place = found.end("open")
        elif found["close"]:
            if key:
                yield f"{minus}{key}:"
            yield found["close"]
        elif found["group"]:
            yield f"{minus}{found['group']}"
        else:
            quoted = found["quoted"]
            value = f'"{quoted}"' if quoted is not None else (found["word"] or "")
            yield f"{minus}{key}:{value}" if key else f"{minus}{value}"


def _words(fields: tuple[str, ...], text: str) -> Test:
    """A word, or a quoted phrase, stands in one of these fields."""
    wanted = text.strip('"').casefold().strip()
    if not wanted:
        return lambda row: True
    return lambda row: _stands(folded(row, fields), wanted)


def _stands(text: str, wanted: str) -> bool:
    """Is it there as whole words? `INV-20` is not in `INV-2041`."""
    place = text.find(wanted)
    while place >= 0:
        end = place + len(wanted)
        free_before = place == 0 or not (text[place - 1].isalnum() and wanted[0].isalnum())
        free_after = end == len(text) or not (text[end].isalnum() and wanted[-1].isalnum())
        if free_before and free_after:
            return True
        place = text.find(wanted, place + 1)
    return False


def _labelled(label: str) -> Test:
    return lambda row: label in row.label_ids


def _one_of(known: dict[str, str], name: str, key: str) -> str:
    found = known.get(name)
    if found is None:
        raise ToolError(
            "invalid_argument",
            f"{key}:{name[:40]} is not known; use: {', '.join(known)}",
        )
    return found


def _day(key: str, value: str) -> datetime:
    if value.isdigit() and 9 <= len(value) <= 11:
        return datetime.fromtimestamp(int(value), UTC)
    found = re.match(r"^(\d{4})[/-](\d{1,2})[/-](\d{1,2})(?:T.*)?$", value)
    try:
        year, month, day = map(int, found.groups()) if found else (0, 0, 0)
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        raise ToolError(
            "invalid_argument", f"{key}:{value[:40]} is not a date; write {key}:2026/03/15"
        ) from None


def _age(key: str, value: str) -> timedelta:
    found = _AGE.match(value)
    if not found:
        raise ToolError(
            "invalid_argument", f"{key}:{value[:40]} is not an age; write {key}:7d, 2m or 1y"
        )
    return min(int(found[1]) * _AGES[found[2]], _OLDEST)


def _bytes(key: str, value: str) -> int:
    found = _SIZE.match(value)
    if not found:
        raise ToolError(
            "invalid_argument", f"{key}:{value[:40]} is not a size; write {key}:200K or 5M"
        )
    scale = {"": 1, "k": 1024, "m": 1024 * 1024}[found[2].casefold()]
    return int(found[1]) * scale
