"""Defaults: what an argument is where a call leaves it out, by schema or by prose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from compoworld_synth.lexicon import word_set

if TYPE_CHECKING:
    from compoworld_synth.schemas import Param

_SAID: Final = re.compile(
    r"\bdefault(?:s|ing)?(?: value)?(?: is| to|:|=)*\s*"
    r"(?:['\"`\u2018\u201c](?P<quoted>[^'\"`\u2019\u201d]{1,40})['\"`\u2019\u201d]"
    r"|(?P<plain>[A-Za-z0-9_+-]+(?:\.\d+)?))",
    re.IGNORECASE,
)
_NO_VALUE: Final = word_set(
    "the a an all none null current your now today empty of for is to value values no not on"
    " this that it its in when and or if setting settings by same each auto any user from"
    " only behavior with as account format sort order page size environment using"
)


def of(param: Param) -> Any:
    """The default of a parameter: the schema's, else what its description says; else None.

    Only a value that the schema takes counts: a member of the enumeration, a number, yes or no,
    a word in quotes.

    >>> from compoworld_synth.schemas import Param
    >>> of(Param("n", ("n",), "int", description="How many (default: 20)"))
    20
    >>> of(Param("t", ("t",), "str", description="Defaults to the owner's"))
    """
    if param.has_default and param.default is not None:
        return param.default
    text_of = param.description
    found = _SAID.search(text_of)
    if found is None:
        return None
    text = found["quoted"] or (found["plain"] or "").rstrip(".")
    if param.enum:
        return next((v for v in param.enum if str(v).casefold() == text.casefold()), None)
    if param.kind == "bool":
        return {"true": True, "false": False}.get(text.lower())
    if param.kind in ("int", "num"):
        whole = re.fullmatch(r"-?\d{1,9}", text)
        return int(text) if whole else None
    if param.kind != "str" or text.lower() in _NO_VALUE:
        return None
    plain = re.search(r"[\d_]", text) is not None or text.isupper()
    ends = text_of[found.end() : found.end() + 1]
    closed = ends in (")", "") or (ends == "." and text_of[found.end() + 1 :][:1] in ("", " "))
    return text if found["quoted"] or (plain and closed and len(text) > 2) else None
