"""A rollout as a person reads it: what was said and done, and which call decided what."""

from __future__ import annotations

import json
from collections.abc import Iterator

from compoworld_core.records import Finding, Message, ToolCall, Trajectory

_SHORT = 300
"""Characters of an observation that the page shows."""


def outcome(trajectory: Trajectory) -> str:
    """How it ended, in a phrase."""
    verdict = trajectory.verdict
    if verdict is None:
        return f"error: {' '.join(trajectory.error.split())[:60]}"
    if verdict.success:
        return "passed"
    held = sum(verdict.criteria.values())
    broken = [name for name, ok in verdict.gates.items() if not ok]
    text = f"failed: {held} of {len(verdict.criteria)} criteria"
    text += f", broke {', '.join(broken)}" if broken else ""
    return f"{text}, cut by a limit" if trajectory.usage.get("truncated") else text


def page(trajectory: Trajectory, *, full: bool = False) -> Iterator[str]:
    """The lines of the page; `full` shows observations in full length."""
    played = f"{trajectory.policy} on {trajectory.task}, sample {trajectory.sample}"
    yield f"{trajectory.id}  {played}"
    yield outcome(trajectory) if trajectory.verdict is not None else "ended in an error"
    yield ""
    calls = 0
    for message in trajectory.messages:
        if message.role == "assistant":
            yield from _assistant(message, calls)
            calls += len(message.tool_calls)
        elif message.role == "tool":
            mark = "  !!" if message.is_error else "   →"
            yield from _paragraph(message.content or "", f"{mark} ", None if full else _SHORT)
        else:
            yield from _paragraph(message.content or "", f"{message.role}: ", None)
            yield ""
    if trajectory.error:
        yield ""
        yield from _paragraph(trajectory.error, "error: ", None)
    if trajectory.verdict is not None:
        yield ""
        yield "Verdict"
        for finding in trajectory.verdict.findings:
            yield from _finding(finding)
        reward = "none" if trajectory.reward is None else f"{trajectory.reward:.4f}"
        yield f"  uniform score {trajectory.verdict.uniform:.4f}, reward {reward}"
    counts = ", ".join(f"{name} {count}" for name, count in sorted(trajectory.usage.items()))
    yield f"  {counts}"


def _assistant(message: Message, number: int) -> Iterator[str]:
    if message.reasoning_content:
        yield from _paragraph(message.reasoning_content, "thinks: ", None)
    if message.content:
        yield from _paragraph(message.content, "assistant: ", None)
    for position, call in enumerate(message.tool_calls, number):
        yield f"[{position}] {_said(call)}"


def _said(call: ToolCall) -> str:
    """A call as a person would write it."""
    try:
        values = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return f"{call.name}({call.arguments})"
    if not isinstance(values, dict):
        return f"{call.name}({call.arguments})"
    if call.name != "call_tool":
        return f"{call.name}({', '.join(str(value) for value in values.values())})"
    inner = json.dumps(values.get("arguments", {}), ensure_ascii=False)
    return f"{values.get('service')}.{values.get('tool')} {inner}"


def _paragraph(text: str, lead: str, most: int | None) -> Iterator[str]:
    if most is not None and len(text) > most:
        text = f"{text[:most]} … ({len(text)} characters)"
    first, *rest = text.split("\n")
    yield lead + first
    yield from (" " * len(lead) + line for line in rest)


def _finding(finding: Finding) -> Iterator[str]:
    call = "" if finding.call is None else f"  (call {finding.call})"
    yield f"  {'ok' if finding.ok else 'NO'}  {finding.text}  [{finding.id}]{call}"
    if finding.expected:
        yield f"        expected  {finding.expected}"
    if not finding.ok:
        yield f"        found     {finding.found}"
