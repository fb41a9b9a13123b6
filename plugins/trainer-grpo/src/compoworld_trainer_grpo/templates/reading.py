"""Reading: what a model wrote, as content, reasoning and calls.

A reader never fails and never repairs. Where a call is malformed, its text stays as it is, in
the call's name and arguments, and the environment tells the model what is wrong with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from attrs import field, frozen

from compoworld_core.meta import MetaTools


@frozen
class Said:
    """What a model wrote in one turn."""

    content: str = ""
    reasoning: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    """Name and arguments of each call; the arguments as the text that stands there."""


Reader: TypeAlias = Callable[[str, str], Said]
"""Reads the text of a turn, without the token that ends it, given the header before it."""

_THOUGHT: Final = re.compile(r"\A\s*(?:<think>)?(.*?)</think>\s*", re.DOTALL)
_CALL: Final = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_LITERAL: Final = re.compile(r"[^\\\[\](){}.*+?|^$]+")
"""The part of a pattern that stands for itself."""
_NAMED: Final = re.compile(
    r"""\A\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"arguments"\s*:\s*(.*)\Z""", re.DOTALL
)


def tagged(text: str, opening: str = "") -> Said:
    """A turn of Qwen3, Qwen2.5, ChatML: `<tool_call>{"name": …, "arguments": …}</tool_call>`.

    An end tag that was forgotten is no error: what decides is whether the call can be read.
    """
    reasoning, rest = _thought(text)
    calls = tuple(_json_call(match[1].strip()) for match in _CALL.finditer(rest))
    return Said(rest.partition("<tool_call>")[0].strip(), reasoning, calls)


def lined(text: str, opening: str = "") -> Said:
    """A turn of the compact template: `<tool_call>NAME {arguments}` for each call."""
    reasoning, rest = _thought(text)
    content, *written = rest.split("<tool_call>")
    return Said(content, reasoning, tuple(_line_call(each) for each in written))


@frozen
class Declared:
    """Reads by a response template of transformers, as TRL has them for many model families."""

    response_template: Mapping[str, Any] = field(eq=False, repr=False)
    end: str
    """The end token, by which the parser knows that the turn is whole."""

    def __call__(self, text: str, opening: str = "") -> Said:
        """What a turn says; one that the parser refuses is a call without a name."""
        from transformers.utils.chat_parsing import parse_response

        try:
            found = parse_response(
                text + self.end,
                dict(self.response_template),
                prefix=opening,
                tools=[*MetaTools.schemas()],
            )
            calls = tuple(_declared_call(call) for call in found.get("tool_calls") or ())
        except (ValueError, TypeError, KeyError):  # of json, and of a call without a function
            return Said(calls=(("", text),))
        opener = _opener(self.response_template)
        if not calls and opener and opener in text:  # begun, but not as the parser knows it
            calls = (("", text[text.index(opener) :]),)
        content, reasoning = found.get("content"), found.get("reasoning_content")
        return Said(
            content.removesuffix(self.end) if isinstance(content, str) else "",
            reasoning.strip("\n") or None if isinstance(reasoning, str) else None,
            calls,
        )


def _opener(response_template: Mapping[str, Any]) -> str:
    """How a call begins: the literal start of what the parser looks for."""
    given = response_template.get("fields", {}).get("tool_calls", {})
    found = _LITERAL.match(given.get("open_pattern", ""))
    return str(given.get("open", "")) or (found[0] if found else "")


def _declared_call(call: Mapping[str, Any]) -> tuple[str, str]:
    function = call["function"]
    name, arguments = function["name"], function.get("arguments", {})
    text = (
        arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    )
    return str(name), text


def _thought(text: str) -> tuple[str | None, str]:
    found = _THOUGHT.match(text)
    if found is None:
        return None, text
    return found[1].strip("\n") or None, text[found.end() :]


def _json_call(written: str) -> tuple[str, str]:
    named = _NAMED.match(written)
    if named is not None:  # the arguments as they were written: a doubled key is seen, too
        try:
            return json.loads(named[1], strict=False), named[2].removesuffix("}").rstrip()
        except ValueError:
            return "", written
    try:
        value = json.loads(written)
    except (ValueError, RecursionError):
        return "", written
    name = value.get("name") if isinstance(value, dict) else None
    if not isinstance(name, str):
        return "", written
    return name, json.dumps(value.get("arguments", {}), ensure_ascii=False)


def _line_call(written: str) -> tuple[str, str]:
    name, _, arguments = written.partition(" ")
    return name, arguments
