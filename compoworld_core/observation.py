"""Observation: what a tool call shows the agent."""

from __future__ import annotations

import json
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from attrs import define

LIMIT = 20_000
"""Characters of an observation that an agent sees; longer ones are cut with a notice."""

_ERROR_LIMIT = 4_000
"""Characters of an error that are shown: errors echo what the caller wrote."""

_NAME_LIMIT = 80
"""Characters of a caller's name that a message repeats, and that names are compared with."""

_UNREAD = object()


@define(slots=True, eq=False)
class Observation:
    """The answer to a call: `text` is what the agent sees, `data` its JSON value or None."""

    text: str
    is_error: bool = False
    code: str = ""
    """The error's code (not_found, invalid_argument, …); empty for a result."""
    _data: Any = _UNREAD

    @property
    def data(self) -> Any:
        """The JSON value of `text`; None for an error or where the text was cut."""
        if self._data is _UNREAD:
            try:
                self._data = None if self.is_error else json.loads(self.text)
            except ValueError:
                self._data = None
        return self._data

    def __str__(self) -> str:
        return self.text


def shown(text: str, limit: int = LIMIT) -> str:
    """The text, or its beginning with a notice of what was cut."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[cut: {limit} of {len(text)} characters shown; narrow the request]"


def refusal(code: str, message: str) -> Observation:
    """An error observation; a long message is cut."""
    return Observation(encodable(shown(f"{code}: {message}", _ERROR_LIMIT)), True, code, None)


def encodable(text: str) -> str:
    """The text with a question mark for each lone surrogate, which no file can hold."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def brief(name: object) -> str:
    """A name as a message repeats it: a caller may write a megabyte where a name belongs."""
    text = str(name)
    return text if len(text) <= _NAME_LIMIT else f"{text[:_NAME_LIMIT]}…"


def closest(name: str, names: list[str]) -> str:
    """A sentence with the closest names, or with the first of all names."""
    near = _near(name[:_NAME_LIMIT], tuple(names))
    if near:
        return f"Closest: {', '.join(near)}."
    listed = ", ".join(names[:12])
    return f"There are: {listed}{', …' if len(names) > 12 else ''}."


@lru_cache(maxsize=1024)
def _near(name: str, names: tuple[str, ...]) -> list[str]:
    """Models, and proofs, make the same mistake many times; a search costs a millisecond."""
    return get_close_matches(name, names, 3, 0.5)
