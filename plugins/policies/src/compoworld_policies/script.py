"""Script: a policy written as a generator, one meta-tool call a turn."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from typing import Any, Final

from pydantic_core import to_json

SAY: Final = "say"
"""The move that puts a question to the user: its argument is `question`."""

Move = tuple[str, dict[str, Any]]
"""A meta-tool and its arguments."""

Script = Generator[Move, str, str]
"""Yields moves, is sent what each showed, and returns the final message."""


class Scripted:
    """Plays a script: it knows nothing but what its calls show it."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._calls = 0
        self._last: str | None = None
        """The final message; it is said again to a user who will not let go."""

    def act(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        """The next call, or the final message."""
        if self._last is not None:
            return {"role": "assistant", "content": self._last}
        try:
            name, arguments = (
                self._script.send(str(messages[-1]["content"]))
                if self._calls
                else next(self._script)
            )
        except StopIteration as end:
            self._last = str(end.value)
            return {"role": "assistant", "content": self._last}
        self._calls += 1
        if name == SAY:
            return {"role": "assistant", "content": str(arguments["question"])}
        function = {"name": name, "arguments": to_json(arguments).decode()}
        call = {"id": f"call_{self._calls - 1}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}


def data(text: str) -> Any:
    """The JSON value that an observation shows; ValueError for an error, or a cut one."""
    return json.loads(text)
