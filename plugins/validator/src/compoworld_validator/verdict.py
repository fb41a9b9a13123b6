"""Verdict: what validation found wrong with a tool, with the smallest calls that show it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from attrs import define, field, frozen

Step = tuple[str, Mapping[str, Any]]
"""(tool, arguments) of one call."""


class Reason(StrEnum):
    """Why a tool is quarantined: a closed list."""

    CRASHED = "crashed"
    """Raised something that is no ToolError."""
    READ_WROTE = "read_wrote"
    """A read-only call changed the state."""
    ERROR_WROTE = "error_wrote"
    """A refused call changed the state."""
    NOT_IDEMPOTENT = "not_idempotent"
    """A second identical call of an idempotent tool changed the state again."""
    OUTPUT_MISFIT = "output_misfit"
    """The result does not fit the declared output schema."""
    NOT_REPEATABLE = "not_repeatable"
    """The same calls in the same state answer otherwise."""
    BAD_ARGUMENT_ACCEPTED = "bad_argument_accepted"
    """Arguments that break the input schema were accepted."""
    DANGLING_ACCEPTED = "dangling_accepted"
    """An id that nothing has was accepted."""
    WRONG_ERROR = "wrong_error"
    """Refused with a code that says something else."""
    ARGUMENT_LOST = "argument_lost"
    """A given value does not show in the record that was written."""
    WRONG_FIELD = "wrong_field"
    """A field changed that the call did not name."""
    NO_EFFECT = "no_effect"
    """A write that is accepted and never changes anything."""
    COLLATERAL = "collateral"
    """A record changed that the call has nothing to do with."""
    RESULT_DIFFERS = "result_differs"
    """The result shows another value than the record that was written."""
    NOT_READ_BACK = "not_read_back"
    """A read after the write does not show what was written."""
    STILL_THERE = "still_there"
    """A removed record can still be read."""
    READS_DISAGREE = "reads_disagree"
    """Two reads show one record with different values."""
    FILTER_WRONG = "filter_wrong"
    """A filtered list shows a row that does not fit, or loses one that does."""
    PAGING_WRONG = "paging_wrong"
    """Pages show too many rows, repeat one or lose one."""
    NOT_LISTED = "not_listed"
    """A list shows some new records and loses others."""
    SEARCH_WRONG = "search_wrong"
    """A search does not find a row by its own words, or finds one by words that none has."""
    REFUSED_PAIR = "refused_pair"
    """An id that other tools give or take is always refused."""
    OUTSIDE_STATE = "outside_state"
    """An answer depends on earlier calls and not on the state alone."""


@frozen
class Finding:
    """One tool's failure."""

    tool: str
    reason: Reason
    why: str
    sequence: tuple[Step, ...]

    def as_json(self) -> dict[str, Any]:
        """The document of `services validate --json`."""
        calls = [{"tool": name, "arguments": dict(given)} for name, given in self.sequence]
        return {
            "tool": self.tool,
            "reason": self.reason.value,
            "why": self.why,
            "sequence": calls,
        }


@define
class Verdicts:
    """What validation says of a service's tools."""

    service: str
    tools: int
    """How many are deterministic: only those are validated."""
    findings: dict[str, Finding] = field(factory=dict)
    unreached: list[str] = field(factory=list)
    """Tools for which no accepted arguments were found: neither passed nor failed."""
    doubts: list[dict[str, Any]] = field(factory=list)
    """Derived cases that went otherwise than was expected: calls, why, and what was seen."""
    orders: bool = True
    """Whether other orders were tried, which needs processes of their own."""

    def as_json(self) -> dict[str, Any]:
        """`tools`, `passed`, `quarantined`, `unreached`, `doubts`, `orders_tried`."""
        failed = [finding.as_json() for finding in self.findings.values()]
        return {
            "service": self.service,
            "tools": self.tools,
            "passed": self.tools - len(failed) - len(self.unreached),
            "unreached": self.unreached,
            "quarantined": failed,
            "doubts": self.doubts,
            "orders_tried": self.orders,
        }
