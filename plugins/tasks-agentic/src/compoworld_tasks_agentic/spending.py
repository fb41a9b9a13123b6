"""Spending: what the replies for one try cost, and how that is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, frozen
from compoworld_policy_openai.policy import token_counts

from compoworld_core.proof.case import Refuted


@define
class Spending:
    """Replies, requests and tokens of one try."""

    replies: int = 0
    """Replies of the model: the first one and the repairs."""
    requests: int = 0
    """Requests that they took; more than replies where the endpoint failed at first."""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, usage: Any) -> None:
        """Count one reply; an endpoint that tells no tokens adds none."""
        counts = dict(token_counts(usage))
        self.replies += 1
        self.prompt_tokens += counts.get("prompt_tokens", 0)
        self.completion_tokens += counts.get("completion_tokens", 0)

    @property
    def repairs(self) -> int:
        """Replies after the first one."""
        return max(0, self.replies - 1)

    def figures(self) -> dict[str, int]:
        """The counts, under the names that they have in a task's provenance."""
        return {
            "replies": self.replies,
            "repairs": self.repairs,
            "requests": self.requests,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
        }


class Rejected(Refuted):
    """A try that the model did not bring to a task, with what it cost.

    The text of the reason ends in the counts, so that they are in the run's metrics.
    """

    def __init__(
        self, probe: str, why: str, services: tuple[str, ...], spending: Spending
    ) -> None:
        self.usage: Mapping[str, int] = spending.figures()
        said = ", ".join(f"{name} {count}" for name, count in self.usage.items())
        super().__init__(probe, f"{why} [{said}]", services)


@frozen
class TryWritten:
    """Event: the model is done with one try; seen by observers of the process that made it."""

    index: int
    mode: str
    outcome: str
    """`accepted`, `kept` (the original text) or `rejected`."""
    probe: str
    """What refused it last; empty where it was accepted."""
    usage: Mapping[str, int]
