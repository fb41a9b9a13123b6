"""Quotes: a refusal that names what was asked for names just that, not a part of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from compoworld_core.service import Tool
from compoworld_validator.laws import Fault, guarded
from compoworld_validator.reading import leaves
from compoworld_validator.values import NONSENSE, kind, resolved
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import World

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_QUOTED = re.compile(r"['\"](.+?)['\"]")
_WORD = re.compile(r"[^\s'\",;()]+")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT")
"""An instant, which may be said in another form."""
_SHORT, _LONG = 3, 32
"""Characters of a text whose last one is missed: a longer one may be cut to be shown."""
_NONE = re.compile(r"['\" ](None|null)\b")
_FAR = 10**9 + 7
_MISSED = ("not_found", "permission_denied", "invalid_argument")


@guarded
def misquoted(world: World, steps: Sequence[Step]) -> Fault | None:
    """A text without its last letter, a key in small letters, the next number: none was given.

    Of a refusal only the first sentence counts, since others offer what there is.
    """
    seen = world.play(steps).last
    if not seen.is_error or seen.code not in _MISSED:
        return None
    said = seen.text.partition(": ")[2].partition(". ")[0]
    given = list(leaves(steps[-1][1]))
    named = {str(value) for value in given}
    quoted = {*_QUOTED.findall(said)} - named
    if re.search(r"['\" ](None|null)\b", said) and not re.search(
        r"\b(none|null)\b", str(given), re.I
    ):
        return Reason.ARGUMENT_LOST, f"the refusal speaks of nothing: {said}"[:300]
    words = {word.rstrip(".:") for word in _WORD.findall(said)} - named
    for value in given:
        if str(value) in said:
            continue
        # only in quotes: who gives `related` may be told that it cannot relate to itself
        cut = [] if _TIME.match(str(value)) else _cut(value)
        for word in (*(w for w in cut if w in quoted), *_mistaken(world, value)):
            if word in quoted | words:
                why = f"{value!r} was given, and the refusal speaks of {word!r}"
                return Reason.ARGUMENT_LOST, why[:300]
    return None


def _mistaken(world: World, value: Any) -> list[str]:
    """What a service that spoils a value would say."""
    if isinstance(value, int):
        return [str(value + 1)] if value >= _FAR or value in world.ids else []
    if isinstance(value, str) and len(value) > _SHORT and value in world.ids:
        return [value.lower()] if value != value.lower() else []
    return []


def _cut(value: Any) -> list[str]:
    """A text without its last letter, where nobody would leave that out to say it."""
    if not isinstance(value, str) or not _SHORT < len(value) <= _LONG:
        return []
    return [value[:-1]] if value[-1].isalnum() and value[-1] != "s" else []  # no plural


def quoted(exam: Examination, tool: Tool) -> None:
    """Judge the refusals that are known, and one for each argument that may name something."""
    for refused in exam.harvest.refusals.get(tool.name, []):
        exam.judged(misquoted, [(tool.name, refused)])
    for steps in exam.book.samples[tool.name][:1]:
        *before, (_, given) = steps
        for name, part in tool.input_schema.get("properties", {}).items():
            one = resolved(part, tool.input_schema)
            wrong: Any = {"string": NONSENSE, "integer": _FAR}.get(kind(one))
            if wrong is not None and "enum" not in one and _whole(one):
                exam.judged(misquoted, [*before, (tool.name, {**given, name: wrong})])


def _whole(part: Any) -> bool:
    """Whether any text or number fits: a refusal by the schema says nothing of the tool."""
    return not {"pattern", "format", "maximum", "maxLength"} & set(part)
