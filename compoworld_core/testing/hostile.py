"""Hostile and boundary arguments: what careless or broken callers send, as JSON texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from compoworld_core.arguments import draw_arguments
from compoworld_core.service import Tool
from compoworld_core.state import State

_LONG = "long " * 2000
_DEEP = "[" * 400 + "]" * 400

_VALUES: tuple[str, ...] = (
    "null",
    "true",
    '""',
    '" "',
    json.dumps(_LONG),
    r'"\u0000\u0007\u001b[31m\r\n\t"',
    r'"\ud800"',
    '"\u202e\u05d0\u05d1 \u0639\u0631\u0628\u064a \U0001f9d1\u200d\U0001f680"',
    json.dumps("""'; DROP TABLE x; -- " {{7*7}} ${x} %s %(a)s {0} {} \\"""),
    '"nan"',
    '"-"',
    '"1e999"',
    '"[("',
    "0",
    "-1",
    "2147483648",
    "-9223372036854775809",
    "1" + "0" * 60,
    "1" + "0" * 400,
    "1e308",
    "-1e308",
    "0.1",
    "-0.0",
    "NaN",
    "Infinity",
    "[]",
    "[null]",
    "{}",
    '{"": null}',
    _DEEP,
    '"0001-01-01"',
    '"9999-12-31"',
    '"0001-01-01T00:00:00+14:00"',
    '"9999-12-31T23:59:59-12:00"',
    '"2026-02-30"',
    '"2026-13-01T25:61:00Z"',
    '"2026-03-02T09:00:00"',
)
"""JSON texts that take the place of any value."""

_WHOLE: tuple[str, ...] = (
    "",
    " ",
    "null",
    "true",
    "0",
    '"text"',
    "[]",
    "[{}]",
    "{",
    "{}",
    "{}{}",
    '{"a": 1,}',
    "{'a': 1}",
    '{"a" 1}',
    "call it please",
    "NaN",
    _DEEP,
    '{"a":' * 300 + "1" + "}" * 300,
    '{"state": {}, "ctx": {}, "self": 1}',
    '{"__class__": 1, "": 2}',
    "\ufeff{}",
)
"""Texts that take the place of all arguments."""


def hostile_arguments(tool: Tool, state: State, rng: Random) -> Iterator[str]:
    """Argument texts that a tool must answer or refuse, never break on.

    Whole texts first, then valid arguments with one value replaced at a time, at any depth.
    """
    yield from _WHOLE
    valid = draw_arguments(tool, state, rng, optional=1.0)
    yield json.dumps({**valid, "unknown_argument": 1})
    for name in list(valid):
        yield json.dumps({key: value for key, value in valid.items() if key != name})
        yield _twice(valid, name)
    foreign = [json.dumps(key) for key in _keys(state, rng)]
    for path in _paths(valid, ()):
        for text in (*_VALUES, *foreign):
            yield _replaced(valid, path, text)


def _keys(state: State, rng: Random) -> Iterator[Any]:
    """A key of each table: the wrong one for most parameters."""
    for name in state.tables():
        keys = state.table(name).keys()
        if keys:
            yield rng.choice(keys)


def _paths(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _paths(item, (*path, key))
    elif isinstance(value, list) and value:
        yield from _paths(value[0], (*path, 0))


_MARK = "\x00here\x00"


def _replaced(valid: dict[str, Any], path: tuple[str | int, ...], text: str) -> str:
    """The arguments as JSON with the value at a path replaced by a raw text."""

    def walk(value: Any, rest: tuple[str | int, ...]) -> Any:
        if not rest:
            return _MARK
        if isinstance(value, dict):
            return {k: walk(v, rest[1:]) if k == rest[0] else v for k, v in value.items()}
        return [walk(v, rest[1:]) if n == rest[0] else v for n, v in enumerate(value)]

    return json.dumps(walk(valid, path)).replace(json.dumps(_MARK), text, 1)


def _twice(valid: dict[str, Any], name: str) -> str:
    """The arguments with one key given twice."""
    return f"{json.dumps(valid)[:-1]}, {json.dumps(name)}: {json.dumps(valid[name])}}}"
