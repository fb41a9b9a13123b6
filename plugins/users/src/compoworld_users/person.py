"""The user played by a person, at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from compoworld_core.errors import UsageError
from compoworld_core.records import Task
from compoworld_core.user import PATIENCE
from compoworld_users.scripted import read_patience


class Person:
    """Shows each message on standard error and reads the reply, a line of standard input."""

    def __init__(self, task: Task, *, seed: int, patience: int = PATIENCE) -> None:
        """Make the user of one rollout; `--workers 1`, or several would talk at once.

        Args:
            task: shown before the first message, with what is to be held back.
            seed: not used.
            patience: replies at most.
        """
        del seed
        self._task = task
        self._patience = read_patience(patience)

    def reply(self, before: Sequence[tuple[str, str]], text: str) -> str | None:
        """The line that the person types; an empty one ends the conversation."""
        if len(before) >= self._patience:
            return None
        if not before:
            self._introduce()
        sys.stderr.write(f"\nassistant: {text}\nyou (empty to end): ")
        sys.stderr.flush()
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError as error:
            raise UsageError(f"the reply is no text: {error}; type it in UTF-8") from error
        return line.strip() or None

    def _introduce(self) -> None:
        facts = self._task.user.facts if self._task.user is not None else ()
        known = "\n".join(f"- {fact.sentence}" for fact in facts)
        sys.stderr.write(
            f"\nYou asked for this:\n{self._task.instruction}\n\n"
            f"Tell only when asked:\n{known or '- nothing'}\n"
        )
