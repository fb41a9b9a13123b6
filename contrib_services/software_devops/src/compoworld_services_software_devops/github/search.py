"""The search language: words, quoted phrases and `qualifier:value` terms."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compoworld_core import ToolError

_TERM = re.compile(r'(-?)(?:([a-z]+):)?("[^"]*"|\S+)')
MOST_CHARACTERS = 256


@dataclass
class Query:
    """A parsed query."""

    words: list[str] = field(default_factory=list)
    """Case-folded words and phrases that must occur."""
    terms: list[tuple[str, str, bool]] = field(default_factory=list)
    """(qualifier, value, wanted); not wanted where it began with a minus."""

    def values(self, qualifier: str) -> list[str]:
        """The values of a qualifier, negated ones left out."""
        return [value for name, value, wanted in self.terms if name == qualifier and wanted]


def parse(text: str, qualifiers: frozenset[str]) -> Query:
    """A query; ToolError where it is empty, too long or holds an unknown qualifier."""
    if len(text) > MOST_CHARACTERS:
        raise ToolError("invalid_argument", f"a query has at most {MOST_CHARACTERS} characters")
    query = Query()
    for minus, qualifier, value in _TERM.findall(text):
        plain = value[1:-1] if value.startswith('"') and value.endswith('"') else value
        if qualifier and qualifier not in qualifiers:
            if qualifier in _COMMON:
                known = ", ".join(sorted(qualifiers))
                raise ToolError(
                    "invalid_argument", f"qualifier {qualifier}: does not fit here; use {known}"
                )
            plain, qualifier = f"{qualifier}:{plain}", ""
        if qualifier:
            query.terms.append((qualifier, plain, not minus))
        elif plain.strip():
            query.words.append((minus + plain).casefold())
    if not query.words and not query.terms:
        raise ToolError("invalid_argument", "the query is empty")
    return query


_COMMON = frozenset(
    {"author", "assignee", "label", "is", "state", "repo", "user", "org", "in", "language",
     "topic", "path", "extension", "filename", "milestone", "type", "fullname", "no"}
)  # fmt: skip
