"""Stated rules: what a description demands of a call beyond its schema, where code can obey.

A parameter that is required in words alone, `at least one field`, `exactly one of A or B`, a
value that must be unique. Other demands are vetoes of what cannot be obeyed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from attrs import frozen

from compoworld_synth.naming import spelling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compoworld_synth.schemas import Param

_NEEDED: Final = re.compile(
    r"^\W*required\b(?! (?:if|when|for|only|unless|by|to|in|with|on|after))|[(\[]required[)\]]"
    r"|\bREQUIRED\b(?! (?:if|when|for|only|unless|by|to|in|with|on|IF|WHEN|FOR))"
    r"|\bis required\.?\s*$",
)
_SOME: Final = re.compile(
    r"\bat least one (?:of (?:the )?|(?:more )?(?:other |optional |update |updatable )*)"
    r"(?:field|propert|parameter|attribute|value|of)\w*|\bprovide at least one\b"
    r"|\bplus at least one other\b",
    re.IGNORECASE,
)
_UNIQUE: Final = re.compile(
    r"\b(?:must|should|has to|needs to|have to) be (?:globally |otherwise )?unique\b"
    r"|\bunique (?:name|title|slug|key|code)\b|\bcannot be duplicated\b",
    re.IGNORECASE,
)
_ONE: Final = re.compile(
    r"\b(?P<how>exactly one of|one of|either|at least one of)\b(?P<names>[^.;]{3,120}?)"
    r"\b(?:must|is|are|should|needs? to|has to)\b[^.;]{0,20}?"
    r"\b(?:required|given|provided|specified|set|supplied|present)\b"
    r"|\b(?P<first>provide|specify|supply|give)s? (?P<mode>exactly one of|either|one of)"
    r"\b(?P<more>[^.;]{3,100})",
    re.IGNORECASE,
)


@frozen
class Choice:
    """Parameters of which a call must give some."""

    how: Literal["some", "one"]
    """At least one of them, or exactly one."""
    names: tuple[str, ...]


def needed(param: Param, action: object = None) -> bool:
    """Whether words alone say that a call must give it.

    >>> from compoworld_synth.schemas import Param
    >>> needed(Param("title", ("title",), "str", description="Title (required)"))
    True
    >>> needed(Param("tz", ("tz",), "str", description="Required if start is given"))
    False
    """
    if param.required or param.has_default or action is not None:
        return False
    text = param.description
    return bool(_NEEDED.search(text)) and not _UNLESS.search(text)


_UNLESS: Final = re.compile(
    r"\b(required (if|when|unless|for|only)|optional|not required|unless|defaults?)\b",
    re.IGNORECASE,
)


_ARE: Final = re.compile(
    r"\b(?:requires?|required(?: fields| parameters| arguments)?:"
    r"|must (?:provide|include|give|pass))\s+(?P<after>[^.;:\n(]{3,100})"
    r"|(?P<before>[^.;:\n(]{3,100}?)\b(?:are|is) required\b(?! for)",
    re.IGNORECASE,
)


def listed(text: str, params: Sequence[Param]) -> tuple[str, ...]:
    """The parameters that the description of a tool says are required: all of a plain list.

    >>> from compoworld_synth.schemas import Param
    >>> two = [Param(n, (n,), "str") for n in ("title", "start_date")]
    >>> listed("Adds a job. title and start_date are required.", two)
    ('title', 'start_date')
    """
    known = {param.name: param for param in params}
    found: list[str] = []
    for match in _ARE.finditer(" ".join(text.split())[:1500]):
        said = match["after"] or match["before"] or ""
        if re.search(r"\b(or|if|when|unless|either|one of|confirm\w*)\b", said, re.IGNORECASE):
            continue
        words = re.findall(r"[A-Za-z_]\w+", said)
        names = [word for word in words if word in known]
        others = [word for word in words if word not in known and word not in _JOINS]
        if names and not others:
            found += [name for name in names if not known[name].has_default]
    return tuple(dict.fromkeys(found))


_JOINS: Final = frozenset(
    {"and", "the", "both", "a", "an", "fields", "parameters", "also", "of"}
)


def some(text: str) -> bool:
    """Whether an update must give something to be changed.

    >>> some("Update a view. Provide id plus at least one other field to change.")
    True
    """
    return _SOME.search(" ".join(text.split())[:1500]) is not None


def unique(param: Param) -> bool:
    """Whether no two records may have the same value."""
    return param.kind in ("str", "int") and _UNIQUE.search(param.description) is not None


def choices(text: str, params: Sequence[Param]) -> tuple[Choice, ...]:
    """The groups of parameters of which a description wants some.

    >>> from compoworld_synth.schemas import Param
    >>> two = [Param(n, (n,), "str") for n in ("text", "html_text")]
    >>> choices("Create a comment. Either text or html_text is required.", two)
    (Choice(how='some', names=('text', 'html_text')),)
    """
    plain = " ".join(text.split())[:2000]
    known = {spelling(param.name): param for param in params}
    found = []
    for match in _ONE.finditer(plain):
        said = match["names"] or match["more"] or ""
        how = (match["how"] or match["mode"] or "").lower()
        spoken = re.findall(r"[A-Za-z_][\w-]*", said)
        names = dict.fromkeys(spelling(word) for word in spoken if spelling(word) in known)
        named = [known[name] for name in names]
        free = [each.name for each in named if not each.required and not each.has_default]
        if len(free) >= 2 and len(free) == len(named):
            exact = how.startswith("exactly") or " but not both" in plain[match.end() :][:40]
            found.append(Choice("one" if exact else "some", tuple(free)))
    return tuple(dict.fromkeys(found))


_WHEN: Final = re.compile(
    r"\brequired (?:if|when) (?:(?P<no>no )|the )?[`'\"]?(?P<other>\w+)[`'\"]?"
    r"(?:(?: is| are|=|:) ?(?:(?P<gone>not (?:set|given|provided|specified|present))"
    r"|(?P<given>set|given|provided|specified|present)\b|[`'\"]?(?P<value>[\w-]+)[`'\"]?))?",
    re.IGNORECASE,
)
_EITHER: Final = re.compile(
    r"\b(?:provide|specify|use|give)s? (?:either )?(?:an? |the )?[`'\"]?(?P<a>\w+)[`'\"]? or"
    r" (?:an? |the )?[`'\"]?(?P<b>\w+)[`'\"]?[^.]{0,12}\bbut not both",
    re.IGNORECASE,
)
_APART: Final = re.compile(
    r"\b(?:mutually exclusive with|cannot be (?:used|combined|set|provided|specified)"
    r"(?: together)? with|must not be (?:used|combined) with)\W{0,3}(?P<other>\w+)",
    re.IGNORECASE,
)
_LONGEST: Final = re.compile(
    r"\b(?:max(?:imum)?(?: length)?(?: of|:)?|up to|at most|no more than|limited to"
    r"|limit(?: of|:)) ?(?P<n>\d[\d,]*)(?P<unit> ?(?:char|items?\b|\w+)?)",
    re.IGNORECASE,
)


@frozen
class Condition:
    """A parameter that a call must give where another one says so."""

    name: str
    other: str
    value: str | bool | None
    """What the other one is then; None: anything at all."""


def conditions(params: Sequence[Param]) -> tuple[Condition, ...]:
    """`Required when send_email is true`, of each parameter that says so.

    >>> from compoworld_synth.schemas import Param
    >>> mail = Param("mail", ("mail",), "bool")
    >>> form = Param("form", ("form",), "str", description="Required when mail is true.")
    >>> conditions([mail, form])
    (Condition(name='form', other='mail', value=True),)
    """
    known = {spelling(param.name): param for param in params}
    found = []
    for param in params:
        said = _WHEN.search(param.description)
        other = known.get(spelling(said["other"])) if said is not None else None
        if said is None or other is None or other is param or param.required:
            continue
        if said["no"] or said["gone"] or not (said["value"] or said["given"]):
            continue
        word = said["value"]
        value: str | bool | None = None
        if word is not None:
            usual = {"true": True, "false": False} if other.kind == "bool" else {}
            known_values = usual | {str(v).lower(): v for v in other.enum}
            if word.lower() not in known_values:
                continue  # prose
            value = known_values[word.lower()]
        found.append(Condition(param.name, other.name, value))
    return tuple(found)


def instead(params: Sequence[Param]) -> tuple[Choice, ...]:
    """`Provide an email or a userId (but not both)`, `required if no team`, of parameters."""
    known = {spelling(param.name): param for param in params}
    found = []
    for param in params:
        text = " ".join(param.description.split())
        both = _EITHER.search(text)
        when = _WHEN.search(text)
        pair = [both["a"], both["b"]] if both is not None else []
        if when is not None and (when["no"] or when["gone"]):
            pair = [when["other"], param.name]
        named = [known[spelling(name)] for name in pair if spelling(name) in known]
        if len(named) == 2 and not any(each.required or each.has_default for each in named):
            names = tuple(sorted(each.name for each in named))
            found.append(Choice("one" if both is not None else "some", names))
    return tuple(dict.fromkeys(found))


def apart(params: Sequence[Param]) -> tuple[tuple[str, str], ...]:
    """Pairs of parameters that a call must not give at once: `cannot be used with before`."""
    known = {spelling(param.name): param for param in params}
    found = []
    for param in params:
        said = _APART.search(param.description)
        other = known.get(spelling(said["other"])) if said is not None else None
        if other is not None and other is not param and not (other.required or param.required):
            names = sorted((param.name, other.name))
            found.append((names[0], names[1]))
    return tuple(dict.fromkeys(found))


def longest(param: Param) -> int | None:
    """How many characters or items a value may have, by words alone.

    >>> from compoworld_synth.schemas import Param
    >>> longest(Param("name", ("name",), "str", description="Up to 100 characters."))
    100
    """
    if param.kind not in ("str", "arr") or param.max_length or param.max_items:
        return None
    said = _LONGEST.search(param.description)
    if said is None:
        return None
    unit = said["unit"].strip().lower()
    whole = int(said["n"].replace(",", ""))
    if param.kind == "str":
        return whole if unit.startswith("char") else None
    sized = re.match(r"(char|kb|mb|gb|byte|hour|day|minute|second|percent|x|times)", unit)
    return whole if whole and not sized else None
