"""Account: what predictions cost so far, and whether there is budget for another."""

from __future__ import annotations

from attrs import define
from compoworld_policy_openai.policy import token_counts


@define
class Account:
    """Counts of one simulator. Latency is accounting only: no result depends on it."""

    budget_requests: int = 0
    """Requests at most; 0 is no limit."""
    budget_tokens: int = 0
    calls: int = 0
    """Tool calls that were to be predicted."""
    accepted: int = 0
    refused: int = 0
    """Predictions that did not fit."""
    replayed: int = 0
    """Answers that a recording gave."""
    requests: int = 0
    """Answers that the endpoint gave."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    """Spent waiting for the endpoint."""

    @property
    def exhausted(self) -> str:
        """Which budget is used up; empty while there is some left."""
        tokens = self.prompt_tokens + self.completion_tokens
        if self.budget_requests and self.requests >= self.budget_requests:
            return f"{self.requests} of {self.budget_requests} requests"
        if self.budget_tokens and tokens >= self.budget_tokens:
            return f"{tokens} of {self.budget_tokens} tokens"
        return ""

    def pay(self, usage: object, seconds: float) -> None:
        """Count one answer of the endpoint; what it does not state costs nothing."""
        self.requests += 1
        self.seconds += seconds
        counts = dict(token_counts(usage))
        self.prompt_tokens += max(0, counts.get("prompt_tokens", 0))
        self.completion_tokens += max(0, counts.get("completion_tokens", 0))
