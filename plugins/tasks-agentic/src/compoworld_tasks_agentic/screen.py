"""Screen: what no planted row and no instruction may say.

An instruction speaks as a person does, not of tools; a planted row is a record of a company,
not a message to whoever reads it by a tool. Patterns find what is plain, not what is clever.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from compoworld_core.proof.probes.discoverable import leaves
from compoworld_core.service import Service

LONGEST_TEXT: Final = 2_000
"""Characters of one planted value."""

_MODEL: Final = r"(?:ai|llm|language\s+models?|agents?|assistants?|chatbots?)"
_ARTICLE: Final = r"(?:(?:an?|the|all)\s+)?"
_ORDERS: Final = r"(?:instructions?|prompts?|rules?|guidelines|previous|prior|above|tasks?)"
_TO_THE_READER: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"<\|[^|>\s]{1,40}\|>",
        r"\[/?INST\]|<</?SYS>>",
        r"</?(?:system|assistant|user|tool_?(?:calls?|response)|instructions?|think)\b[^>]{0,40}>",
        r"(?m)^\s*#{0,3}\s*(?:system|assistant|developer)\s*:",
        r"\b(?:system|developer)\s+(?:prompt|message|instructions?)\b",
        rf"\b(?:ignore|disregard|forget|override|bypass)\s+(?:\w+\s+){{0,3}}?{_ORDERS}\b",
        r"\b(?:new|real|actual|updated)\s+(?:instructions?|task)\s*(?::|is\b|are\b)",
        rf"\byou\s+(?:are|must\s+act\s+as)\s+(?:now\s+)?{_ARTICLE}{_MODEL}\b",
        rf"\b(?:as|dear|attention|note\s+to)\s+{_ARTICLE}{_MODEL}\b",
        rf"\b{_MODEL}\s+(?:must|should|shall|has\s+to)\b",
        r"\b(?:call|list|describe)_tools?\b|\blist_services\b|\btool[ _]calls?\b",
    )
)


def to_the_reader(text: str) -> str:
    """What in a text speaks to a model rather than to people; empty where nothing does."""
    for pattern in _TO_THE_READER:
        found = pattern.search(text)
        if found:
            return found[0].strip()
    return ""


def of_tools(text: str, services: Iterable[Service[Any]]) -> str:
    """A tool's name in a text; empty where there is none.

    One-word names (`search`) are words of people too, unless the service stands before.
    """
    lower = text.casefold()
    for service in services:
        for name in service.tools:
            folded = name.casefold()
            if f"{service.name}.{folded}" in lower or ("_" in folded and folded in lower):
                return name
    return ""


def problems_of_row(where: str, row: Any, services: Iterable[Service[Any]]) -> Iterator[str]:
    """What a planted row may not say."""
    known = tuple(services)
    for text in leaves(row):
        if len(text) > LONGEST_TEXT:
            yield f"{where}: a value of {len(text)} characters; {LONGEST_TEXT} are allowed"
            continue
        said = to_the_reader(text) or of_tools(text, known)
        if said:
            yield f"{where} speaks to the reader of a tool's result: {said[:80]!r}"
