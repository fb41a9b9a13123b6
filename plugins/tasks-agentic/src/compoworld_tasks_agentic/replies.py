"""Replies: the JSON object in what a model said, read with suspicion."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, Final

LONGEST: Final = 200_000
"""Characters of a reply that are read at most."""
_DEEPEST: Final = 48
"""Brackets within brackets; a plan needs a dozen."""
_FENCE: Final = "```"
_THOUGHT: Final = "</think>"


class BadReply(ValueError):  # noqa: N818  # says what it is
    """A reply that holds no object to go on with; the message is for the model."""


def read_object(text: str) -> dict[str, Any]:
    """The JSON object of a reply: bare, in a fence, or with prose around it."""
    if len(text) > LONGEST:
        raise BadReply(f"the reply has {len(text)} characters; {LONGEST} are allowed")
    why = "the reply holds no JSON object"
    for candidate in _candidates(text.rpartition(_THOUGHT)[2]):
        try:
            return _parse(candidate)
        except BadReply as error:
            why = str(error)
    raise BadReply(why)


def _candidates(text: str) -> Iterator[str]:
    """Where the object may stand; the likeliest last, so that its error is told.

    By plain searches: a pattern that looks for fences takes minutes on a reply made for that.
    """
    whole = _braced(text)
    fenced = [found for block in text.split(_FENCE)[1::2] if (found := _braced(block))]
    if whole:
        yield whole
    if fenced:
        yield max(fenced, key=len)


def _braced(text: str) -> str:
    """From the first brace to the last one, or to the end; empty where there is none."""
    first, last = text.find("{"), text.rfind("}")
    if first < 0:
        return ""
    return text[first : last + 1] if last > first else text[first:]


def _parse(text: str) -> dict[str, Any]:
    if _depth(text) > _DEEPEST:
        raise BadReply(f"the JSON nests deeper than {_DEEPEST} brackets")
    try:
        value = json.loads(
            text, parse_constant=_no_number, parse_float=_number, object_pairs_hook=_object
        )
        # half of a surrogate pair is JSON, but no text that can be stored
        json.dumps(value, ensure_ascii=False).encode()
    except BadReply:
        raise
    except json.JSONDecodeError as error:
        raise BadReply(
            f"the reply is not valid JSON: {error.msg} at line {error.lineno}, column"
            f" {error.colno}"
        ) from error
    except (ValueError, RecursionError) as error:
        raise BadReply(f"the reply cannot be read as JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadReply("the reply must be one JSON object")
    return value


def _depth(text: str) -> int:
    """The deepest nesting of brackets outside strings; linear, and before any parser runs."""
    deepest = depth = 0
    quoted = escaped = False
    for character in text:
        if quoted:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                quoted = False
        elif character == '"':
            quoted = True
        elif character in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "}]":
            depth -= 1
    return deepest


def _no_number(text: str) -> Any:
    raise BadReply(f"{text} is not JSON")


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadReply(f"{text[:40]} is not a number that can be stored")
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise BadReply(f"the key {key[:60]!r} stands twice in one object")
        found[key] = value
    return found
