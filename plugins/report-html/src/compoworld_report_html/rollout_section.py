"""Rollout section: one trajectory step by step, and its verdict with the deciding calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from compoworld_core.conversation import target
from compoworld_core.records import Finding, Message, Task, ToolCall, Trajectory
from compoworld_report_html.diagram import hue
from compoworld_report_html.markup import Markup, Node, element

_RESULT = 420
"""Characters of an observation that are shown."""
_LISTING = 140
"""The same for listings and descriptions, which every rollout repeats."""
_VALUE = 300


def rollout(trajectory: Trajectory, task: Task | None, key: str) -> Markup:
    """One rollout, folded. `key` starts the ids of its steps, which the verdict links to."""
    calls = trajectory.usage.get("calls", 0)
    aside = [f"sample {trajectory.sample + 1}", f"{calls} call{'s' * (calls != 1)}"]
    if trajectory.verdict is not None:
        aside.append(f"uniform {trajectory.verdict.uniform:.2f}")
    if trajectory.reward is not None:
        aside.append(f"reward {trajectory.reward:.3f}")
    state, said = _outcome(trajectory)
    return element(
        "details",
        element(
            "summary",
            element("span", said, class_=f"chip {state}"),
            " ",
            element("span", ", ".join(aside), class_="aside"),
        ),
        _verdict(trajectory, key),
        element("ol", list(_turns(trajectory, task, key)), class_="turns", start=0),
        element("p", trajectory.error, class_="error") if trajectory.error else None,
        element("p", f"{trajectory.id} · {_usage(trajectory.usage)}", class_="note"),
        class_="rollout",
    )


def _outcome(trajectory: Trajectory) -> tuple[str, str]:
    verdict = trajectory.verdict
    if verdict is None:
        return "none", "error"
    if verdict.success:
        return "all", "passed"
    held = sum(verdict.criteria.values())
    said = f"{held} of {len(verdict.criteria)} criteria"
    if not all(verdict.gates.values()):
        said += ", a gate broken"
    if trajectory.usage.get("truncated"):
        said += ", cut by a limit"
    return ("some" if held else "none"), said


def _usage(usage: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in sorted(usage.items()) if n)


def _verdict(trajectory: Trajectory, key: str) -> Markup | None:
    verdict = trajectory.verdict
    if verdict is None or not verdict.findings:
        return None
    rows = [_finding(finding, key) for finding in verdict.findings]
    head = [element("th", name) for name in ("", "", "Expected", "Found", "Call")]
    table = element("table", element("thead", element("tr", head)), element("tbody", rows))
    return element("div", table, class_="scroll verdict")


def _finding(finding: Finding, key: str) -> Markup:
    mark = element("span", "✓" if finding.ok else "✗", class_="ok" if finding.ok else "bad")
    link: Node = "–"
    if finding.call is not None:
        link = element("a", f"#{finding.call}", href=f"#{key}-{finding.call}")
    return element(
        "tr",
        element("td", mark),
        element("th", finding.id, scope="row", title=finding.text),
        element("td", finding.expected or finding.text),
        element("td", finding.found),
        element("td", link, class_="number"),
    )


def _turns(trajectory: Trajectory, task: Task | None, key: str) -> Iterator[Node]:
    """A list item per call; what the policy says stands between them."""
    shown = {m.tool_call_id: m for m in trajectory.messages if m.role == "tool"}
    decided: dict[int, list[Finding]] = {}
    for finding in trajectory.verdict.findings if trajectory.verdict is not None else ():
        if finding.call is not None:
            decided.setdefault(finding.call, []).append(finding)
    number = 0
    acted = False
    for message in trajectory.messages:
        if message.role == "user" and acted:
            yield element("li", "The user: ", _cut(message.content or "", 1200), class_="said")
        if message.role != "assistant":
            continue
        acted = True
        if message.reasoning_content:
            yield element("li", _cut(message.reasoning_content, 1200), class_="thought")
        if message.content:
            yield element("li", _cut(message.content, 1200), class_="said")
        for call in message.tool_calls:
            yield _call(
                call, shown.get(call.id), task, f"{key}-{number}", decided.get(number, [])
            )
            number += 1


def _call(
    call: ToolCall,
    answer: Message | None,
    task: Task | None,
    anchor: str,
    decided: list[Finding],
) -> Markup:
    about = target(call)
    inner = call.name == "call_tool" and about is not None
    service = about[0] if inner and about is not None else ""
    name = ".".join(about) if inner and about is not None else call.name
    number = anchor.rpartition("-")[2]
    failed = answer is not None and answer.is_error
    badges = [
        element("span", f"{f.id} {'✓' if f.ok else '✗'}", class_=f"chip {_state(f.ok)}")
        for f in decided
    ]
    mark = f"mark h{hue(task, service)}" if task is not None and inner else "meta"
    return element(
        "li",
        element(
            "details",
            element(
                "summary",
                element("span", f"#{number}", class_="ordinal"),
                element("span", name or "(no name)", class_=mark),
                " ",
                element("span", _brief(call, inner), class_="aside"),
                element("span", "error", class_="chip none") if failed else None,
                badges,
            ),
            element("pre", _cut(_arguments(call, inner), 4 * _VALUE)),
            element(
                "pre",
                _cut(answer.content or "", _RESULT if inner or failed else _LISTING),
                class_="result" + (" failed" if failed else ""),
            )
            if answer is not None
            else None,
        ),
        id=anchor,
        class_="call",
    )


def _state(ok: bool) -> str:
    return "all" if ok else "none"


def _values(call: ToolCall, inner: bool) -> object:
    try:
        values = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return call.arguments
    if inner and isinstance(values, dict):
        return values.get("arguments") or {}
    return values


def _brief(call: ToolCall, inner: bool) -> str:
    """The arguments in a few words."""
    values = _values(call, inner)
    if isinstance(values, dict):
        parts = [f"{name}: {_flat(value)}" for name, value in values.items()]
        text = ", ".join(parts) if inner else " ".join(_flat(v) for v in values.values())
    else:
        text = _flat(values)
    return text if len(text) <= 110 else f"{text[:109]}…"


def _flat(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _arguments(call: ToolCall, inner: bool) -> str:
    values = _values(call, inner)
    if isinstance(values, str):
        return values
    return json.dumps(values, indent=1, ensure_ascii=False)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} … ({len(text)} characters)"
