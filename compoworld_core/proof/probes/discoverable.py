"""5: every value that the reference uses is in the instruction, a schema or an observation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from compoworld_core import facts
from compoworld_core.expressions import Const, Fn, Lit, walk
from compoworld_core.proof.case import Case, Refuted

NAME = "discoverable"


def probe(case: Case) -> dict[str, Any]:
    """Literals stand in the instruction, constants in schemas, the rest was printed before."""
    text = case.candidate.instruction
    spans = {
        (span.fact.kind, str(span.fact.value)): text[span.start : span.end]
        for span in case.candidate.spans
        if span.fact is not None
    }
    literals = 0
    for step in case.plan.steps:
        for expr in step.expressions():
            if isinstance(expr, Lit):
                literals += 1
                said = spans.get((expr.kind, str(expr.literal)))
                if said is None or not states(expr.kind, expr.literal, said):
                    raise Refuted(
                        NAME, f"{step.id}: {expr.literal!r} is not in the instruction"
                    )
            elif isinstance(expr, Const) and not _offered(case, step.service, step.tool, expr):
                raise Refuted(NAME, f"{step.id}: {expr.literal!r} is not in the tool's schema")
    return {"literals": literals, "printed": _printed(case)}


def states(kind: Any, value: Any, said: str) -> bool:
    """Does the phrase state this literal? Enum words may be said as people do."""
    if kind in ("status", "boolean", "tag", "text", "title"):
        return bool(said.strip())
    return str(value) in said or facts.mentions(kind, value, said)


def _offered(case: Case, service: str, tool: str, expr: Const) -> bool:
    if not isinstance(expr.literal, str):
        return True  # a flag or a page size: its type is in the schema
    schema = case.initial.services[service].tools[tool].input_schema
    return any(expr.literal in text for text in _strings(schema))


def _strings(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for value in node.values():
            yield from _strings(value)
    elif isinstance(node, list):
        for value in node:
            yield from _strings(value)
    elif isinstance(node, str):
        yield node


def _printed(case: Case) -> int:
    """The belt: each word of an argument that no expression composed was shown earlier.

    Returns how many were checked.
    """
    composed = {
        step.id
        for step in case.plan.steps
        if any(isinstance(e, Fn) for a in step.arguments for e in walk(a.expr))
    }
    seen = [case.candidate.instruction]
    literals = {
        str(e.literal)
        for s in case.plan.steps
        for e in s.expressions()
        if isinstance(e, Lit | Const)
    }
    checked = 0
    for call in case.replay.calls:
        if call.step not in composed:
            for word in _leaves(json.loads(call.arguments)):
                if word in literals:
                    continue
                checked += 1
                quoted = json.dumps(word, ensure_ascii=False)[1:-1]
                if not any(word in text or quoted in text for text in seen):
                    raise Refuted(NAME, f"{call.step}: {word!r} was shown nowhere before")
        seen.append(call.text)
    return checked


def _leaves(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for value in node.values():
            yield from _leaves(value)
    elif isinstance(node, list):
        for value in node:
            yield from _leaves(value)
    elif isinstance(node, str):
        yield node
