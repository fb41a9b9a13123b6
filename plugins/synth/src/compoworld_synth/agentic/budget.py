"""Budget: what a model may be asked in all, and what it was."""

from __future__ import annotations

import threading
from typing import Any, TypeGuard

from attrs import define, field, frozen


@frozen
class Budget:
    """The most that one piece of work may take of an endpoint."""

    tokens: int = 400_000
    """Prompt and completion together."""
    requests: int = 120


@define
class Spending:
    """What was taken so far; safe to use from several threads."""

    budget: Budget
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: int = 0
    """Answers without token counts: four bytes were taken for a token."""
    refused: int = 0
    """Requests that were not forwarded because the budget was spent."""
    trouble: str = ""
    """What went wrong with the last request that was forwarded; empty where it was answered."""
    _lock: threading.Lock = field(factory=threading.Lock, repr=False)

    @property
    def tokens(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def over(self) -> str:
        """Why another round would get no answers; empty where it may."""
        if self.refused:
            return "the budget is spent"
        trouble = self.trouble
        return f"the last request to the endpoint failed: {trouble}" if trouble else ""

    def admit(self, prompt_bytes: int) -> int:
        """Count a request, and tell how many tokens its answer may have; 0 refuses it.

        The prompt is estimated at four bytes a token, since only the endpoint can count it.
        """
        with self._lock:
            left = self.budget.tokens - self.tokens - prompt_bytes // 4
            if left <= 0 or self.requests >= self.budget.requests:
                self.refused += 1
                return 0
            self.requests += 1
            return left

    def add(self, usage: Any, prompt_bytes: int, answer_bytes: int) -> None:
        """Count an answer by what the endpoint says, or by its length where it says nothing."""
        counts = usage if isinstance(usage, dict) else {}
        prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
        if not (_is_count(prompt) and _is_count(completion)):
            prompt, completion = prompt_bytes // 4, answer_bytes // 4
            told = False
        else:
            told = True
        with self._lock:
            self.estimated += not told
            self.prompt_tokens += prompt
            self.completion_tokens += completion

    def figures(self) -> dict[str, int]:
        """The counts, for people and JSON."""
        return {
            "requests": self.requests,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "estimated": self.estimated,
            "refused": self.refused,
        }


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
