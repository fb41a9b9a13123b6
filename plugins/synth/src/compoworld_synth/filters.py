"""Filters: what the description of a list's parameter says about how it selects.

A filter that says so itself is believed; one that selects by more than a field's value is not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from compoworld_synth import defaults
from compoworld_synth.design import Comparison
from compoworld_synth.naming import singular, snake

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

_FILTERS: Final = re.compile(
    r"\bfilter(s|ed|ing)?\b|\bonly (return|includ|show|list|read|get|fetch|retriev)\w*"
    r"|\b(return|include|show|list|read|get|fetch|retrieve)s? only\b"
    r"|\b(limit|restrict|narrow|scope)(s|ed)? (the )?((results?|list|response|search|output) )?"
    r"(down )?(to|by)\b"
    r"|\bwith (this|the (given|specified)|a (given|specific))\b"
    r"|\btrue\b ?[=:] ?[\w ,-]{1,40}\bonly\b"
    r"|\bbelonging to\b|\bto (list|get|retrieve|fetch|show) (\w+ )?(for|from|of)\b",
    re.IGNORECASE,
)
_MORE: Final = re.compile(
    r"\b(patterns?|wildcards?|glob|regex\w*|inequalit\w+|expressions?|syntax|fuzzy|exclud\w+"
    r"|except|not|relative|unless|recursive\w*|nested|sub-?folders?|descendants?|children"
    r"|similar|operators?|aggregat\w+|look.?back|window|cached?|format|also|additional(ly)?"
    r"|semantic\w*|json|date range|in addition|related)\b",
    re.IGNORECASE,
)
_DEFAULTS: Final = re.compile(
    r"\b(defaults? (is|to|value)|by default|default[:=]|\(default"
    r"|(if|when) (not|none|no|omitted|absent|empty|unset|left|null)|omit\w*|unspecified"
    r"|otherwise|else)\b",
    re.IGNORECASE,
)
_ALL: Final = re.compile(
    r"\b(all|every|any|no (filter|restrict)\w*|not to filter|both|unfiltered)\b", re.IGNORECASE
)
_PARTIAL: Final = re.compile(
    r"\bpartial\w*|\bcontain(s|ing)?\b|\bsub-?strings?\b|\bfuzzy\b|\bmatches? any part\b"
    r"|\bcase.insensitive\b",
    re.IGNORECASE,
)
_PREFIX: Final = re.compile(
    r"\bprefix(es)?\b|\b(starts?|begins?|starting|beginning) with\b", re.IGNORECASE
)
_SEVERAL: Final = re.compile(
    r"\bcomma[- ]?(separated|delimited)\b|\bseparated by commas?\b|\bcsv\b", re.IGNORECASE
)
EVERYTHING: Final = frozenset({"all", "any", "*", "everything"})
"""Values of a filter that select nothing out, in lower case."""


_SUFFIXES: Final[tuple[tuple[str, Comparison], ...]] = (
    ("_after", "ge"),
    ("_since", "ge"),
    ("_gte", "ge"),
    ("_from", "ge"),
    ("_gt", "gt"),
    ("_before", "le"),
    ("_until", "le"),
    ("_lte", "le"),
    ("_lt", "lt"),
    ("_to", "le"),
    ("_contains", "contains"),
    ("_not", "ne"),
    ("_any", "in"),
    ("_min", "ge"),
    ("_max", "le"),
)
_PREFIXES: Final[tuple[tuple[str, Comparison], ...]] = (
    ("min_", "ge"),
    ("max_", "le"),
    ("since_", "ge"),
    ("until_", "le"),
)


def comparison_of(name: str) -> tuple[str, Comparison]:
    """Field and comparison of a filter's name: `created_after` → created_at, ge."""
    for suffix, sign in _SUFFIXES:
        if name.endswith(suffix) and len(name) > len(suffix):
            stem = name[: -len(suffix)]
            return (f"{stem}_at" if stem in ("created", "updated", "closed") else stem), sign
    for prefix, sign in _PREFIXES:
        if name.startswith(prefix):
            return name[len(prefix) :], sign
    return name, "eq"


def stated(param: Param) -> bool:
    """Whether the parameter's own words say that it selects by the value of a field.

    >>> from compoworld_synth.schemas import Param
    >>> stated(Param("style", ("style",), "str", description="Filter by style category"))
    True
    >>> stated(Param("all", ("all",), "bool", description="Fetch all pages"))
    False
    """
    text = param.description
    return bool(_FILTERS.search(text)) and not strange(param) and _speaks(param)


def strange(param: Param) -> bool:
    """Whether it selects by more than the value of a field, or by something when absent."""
    text = param.description
    if _MORE.search(text):
        return True
    said = _DEFAULTS.search(text)
    around = text[max(0, said.start() - 60) : said.end() + 60] if said else ""
    return said is not None and not param.has_default and not _ALL.search(around)


def instead(param: Param) -> bool:
    """Whether leaving it out selects something of its own: the last build, the root folder.

    >>> from compoworld_synth.schemas import Param
    >>> said = "Number of the build; the last one when omitted"
    >>> instead(Param("n", ("n",), "int", description=said))
    True
    """
    text = param.description
    if param.required or defaults.of(param) is not None:
        return False
    for said in _DEFAULTS.finditer(text):
        around = text[max(0, said.start() - 70) : said.end() + 70]
        if not _ALL.search(around) and _OTHER.search(around):
            return True
    return False


_OTHER: Final = re.compile(
    r"\b(last|latest|current|first|root|global|default|own|authenticated|me|today|now|active"
    r"|primary|most recent|top.?level|this|environment)\b",
    re.IGNORECASE,
)


def _speaks(param: Param) -> bool:
    """Whether the words are about what the parameter is called."""
    *front, last = snake(param.name).split("_")
    last = singular(last)
    text = param.description.lower()
    if any(len(word) > 3 and word in text for word in front):
        return True
    people = last in ("owner", "author", "creator", "assignee", "member")
    return (
        last[:5] in text
        or (people and "user" in text)
        or last in ("id", "ids")
        or last in ("status", "state", "type")
    )


def comparison(param: Param, sign: Comparison) -> Comparison:
    """How it compares, where its words say otherwise than its name."""
    if sign != "eq" or param.kind != "str" or param.enum:
        return sign
    if _SEVERAL.search(param.description):
        return "in"
    if _PREFIX.search(param.description) or snake(param.name).endswith("_prefix"):
        return "prefix"
    return "contains" if _PARTIAL.search(param.description) else sign
