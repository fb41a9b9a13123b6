"""5: every value that the reference uses is in the instruction, a schema or an observation.

And no carried value is given away by the instruction itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from compoworld_core import facts
from compoworld_core.expressions import Const, Fn, Grep, Lit, Path, Rule
from compoworld_core.plan import Step
from compoworld_core.proof.case import Case, Refuted
from compoworld_core.schema import offers

NAME = "discoverable"
_ENUM_LIKE = ("status", "boolean", "tag")
_COMPOSED = (Fn, Grep, Rule)
"""What may be written otherwise than it was shown: "3 May" becomes 2026-05-03."""
_WORD: Final = re.compile(r"[^\W_]+")
_EMPTY: Final = frozenset(["a", "all", "an", "any", "each", "every", "of", "that", "the", "to"])
_MARKS = "\"'“”‘’. "


def probe(case: Case) -> dict[str, Any]:
    """Literals stand in the instruction, constants in schemas, the rest was printed before."""
    text = case.candidate.instruction
    if any(not 0 <= span.start < span.end <= len(text) for span in case.candidate.spans):
        raise Refuted(NAME, "a span lies outside the instruction")
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
                if expr.kind in _ENUM_LIKE:
                    _said_as_such(case, step, expr, said)
            elif isinstance(expr, Const) and not _offered(case, step, expr):
                raise Refuted(NAME, f"{step.id}: {expr.literal!r} is not in the tool's schema")
    return {"literals": literals, "printed": _printed(case), "hidden": _hidden(case)}


def _hidden(case: Case) -> int:
    """No edge's fact may be said by the instruction. Returns how many were looked for."""
    looked = 0
    for carry in case.plan.carries:
        value = carry.expr.value(case.replay.scope)
        values = value if isinstance(value, list) else [value]
        if carry.source == "id" or not values:
            continue  # a record that the solution makes has no id yet
        looked += 1
        if all(facts.mentions(carry.kind, v, case.candidate.instruction) for v in values):
            raise Refuted(NAME, f"the instruction gives {value!r} of edge {carry.edge} away")
    for criterion in case.criteria:
        for check in (c for t in criterion.targets for c in t.checks):
            for fact in check.values if criterion.kind == "answer" else ():
                looked += 1
                if facts.mentions(fact.kind, fact.value, case.candidate.instruction):
                    raise Refuted(NAME, f"the instruction gives the answer {fact.value!r} away")
    return looked


def _said_as_such(case: Case, step: Step, expr: Lit, said: str) -> None:
    """The phrase for an enum word is more than an article, and is no other of the words."""
    words = _words(said)
    if not words - _EMPTY:
        raise Refuted(NAME, f"{step.id}: {said!r} does not say {expr.literal!r}")
    for other in _choices(case, step, expr):
        named, meant = _words(other), _words(str(expr.literal))
        if named and named <= words and not meant & words and not named <= meant:
            raise Refuted(NAME, f"{step.id}: {said!r} says {other!r}, not {expr.literal!r}")


def _choices(case: Case, step: Step, expr: Lit) -> Iterator[str]:
    """The words that the schema offers for the arguments that take this literal."""
    service = case.initial.services.get(step.service)
    if service is None:
        return  # the user is asked in words
    known = service.tools[step.tool].input_schema.get("properties", {})
    for argument in step.arguments:
        if argument.expr == expr and isinstance(known.get(argument.path[0]), dict):
            yield from offers(known[argument.path[0]])


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def states(kind: Any, value: Any, said: str) -> bool:
    """Does the phrase state this literal? Enum words may be said as people do.

    A text or title must stand in it; case, quotes around it and a full stop at its end apart.
    """
    if kind in _ENUM_LIKE:
        return bool(said.strip())
    if kind in ("text", "title"):
        return _bare(str(value)) in said.casefold()
    return str(value) in said or facts.mentions(kind, value, said)


def _bare(text: str) -> str:
    return text.strip(_MARKS).casefold()


def _offered(case: Case, step: Step, expr: Const) -> bool:
    """Is each word of a constant one that the tool's schema offers?

    As an enum word, a constant, a default, or a word of an example, at any depth.
    """
    tool = case.initial.services[step.service].tools[step.tool]
    return tool.offered.issuperset(leaves(expr.literal))


def _printed(case: Case) -> int:
    """The belt: each word of an argument that no expression composed was shown earlier.

    Returns how many were checked.
    """
    composed = {
        step.id: frozenset(a.path for a in step.arguments if isinstance(a.expr, _COMPOSED))
        for step in case.plan.steps
    }
    seen = [case.candidate.instruction]
    literals = {
        word
        for s in case.plan.steps
        for e in s.expressions()
        if isinstance(e, Lit | Const)
        for word in leaves(e.literal)
    }
    checked = 0
    for call in case.replay.calls:
        for word in leaves(json.loads(call.arguments), composed[call.step]):
            if word in literals:
                continue
            checked += 1
            if any(word in text for text in seen):
                continue
            quoted = json.dumps(word, ensure_ascii=False)[1:-1]
            if not any(quoted in text for text in seen):
                raise Refuted(NAME, f"{call.step}: {word!r} was shown nowhere before")
        seen.append(call.text)
    return checked


def leaves(node: Any, without: frozenset[Path] = frozenset(), at: Path = ()) -> Iterator[str]:
    """The strings in a JSON value, but for those at the paths to leave out."""
    if at in without:
        return
    if isinstance(node, dict):
        for key, value in node.items():
            yield from leaves(value, without, (*at, key))
    elif isinstance(node, list | tuple):
        for index, value in enumerate(node):
            yield from leaves(value, without, (*at, index))
    elif isinstance(node, str):
        yield node
