"""The policy that does nothing: what a task gives away for free."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compoworld_core.records import Task


class Null:
    """Ends the rollout at once, with an empty answer."""

    def __init__(self, task: Task, *, seed: int) -> None:
        """Take what every policy is given, and use none of it."""

    def act(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        """The final message."""
        return {"role": "assistant", "content": ""}
