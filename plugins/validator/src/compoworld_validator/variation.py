"""Variation: further calls: texts with capitals, lists of two items, pages of one row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from compoworld_core.service import Tool
from compoworld_validator.arguments import required
from compoworld_validator.paging import LIMITS
from compoworld_validator.reading import fields
from compoworld_validator.values import kind, normal, resolved
from compoworld_validator.verdict import Step

if TYPE_CHECKING:
    from compoworld_validator.casebook import Casebook

Variant = tuple[str, list[Step]]
_SAMPLES = 3
_PAIRS = 4
_RECORDS = 2
_CAPITALS = ("Amber Birch", "Cobalt Fjord", "Harbor Grove", "Ember Delta")
_FREE = re.compile(r"id$|email|token|cursor|date|time|url|uri|key$", re.IGNORECASE)
"""In the names of texts that are not free."""


def further(book: Casebook, tool: Tool) -> Iterator[Variant]:
    """Calls that are no more than likely to be accepted, each with one argument put anew."""
    seen: list[Any] = []
    for name, steps in _all(book, tool):
        if steps[-1][1] not in seen:
            seen.append(steps[-1][1])
            yield name, steps


def _all(book: Casebook, tool: Tool) -> Iterator[Variant]:
    for name, part in tool.input_schema.get("properties", {}).items():
        one = resolved(part, tool.input_schema)
        if name in required(tool) and "enum" in one:
            yield from _modes(book, tool, name, one["enum"])
        if normal(name) in LIMITS and kind(one) == "integer":
            for steps in book.samples[tool.name][:_SAMPLES]:
                *before, (_, given) = steps
                yield name, [*before, (tool.name, {**given, name: one.get("minimum", 1)})]
        if kind(one) == "array":
            yield from _pairs(book, tool, name)
            yield from _held(book, tool, name)
        elif kind(one) == "string" and not {"enum", "pattern", "format"} & set(one):
            yield from _capital(book, tool, name)


def _modes(book: Casebook, tool: Tool, name: str, choices: list[Any]) -> Iterator[Variant]:
    """Each choice that was never accepted, after another: what was added is removed."""
    if tool.read_only:
        return
    samples = book.samples[tool.name]
    known = [steps[-1][1].get(name) for steps in samples]
    for choice in choices:
        for steps in samples[:_SAMPLES] if choice not in known else ():
            yield name, [*steps, (tool.name, {**steps[-1][1], name: choice})]


def _capital(book: Casebook, tool: Tool, name: str) -> Iterator[Variant]:
    """Free texts with capitals."""
    if tool.read_only or _FREE.search(name):
        return
    for number, steps in enumerate(book.samples[tool.name][:_SAMPLES]):
        *before, (_, given) = steps
        old = given.get(name)
        if isinstance(old, str) and (old in book.world.ids or old in book.world.aliases):
            continue
        text = f"{_CAPITALS[number % len(_CAPITALS)]} {10 + number}"
        yield name, [*before, (tool.name, {**given, name: text})]


def _pairs(book: Casebook, tool: Tool, name: str) -> Iterator[Variant]:
    """Two items that were each accepted alone; of an object, a second one like it."""
    items: list[Any] = []
    for steps in book.accepted(tool.name):
        value = steps[-1][1].get(name)
        for item in value if isinstance(value, list) else ():
            if item not in items:
                items.append(item)
    twins = [
        [_another(item, "anew"), _another(item, "again")]
        for item in items[:2]
        if isinstance(item, Mapping)
    ]
    twins = [pair for pair in twins if pair[0] != pair[1]]
    pairs = [[one, two] for n, one in enumerate(items[:_PAIRS]) for two in items[n + 1 : 5]]
    for steps in book.samples[tool.name][:_SAMPLES]:
        *before, (_, given) = steps
        for pair in (twins + pairs)[:_PAIRS]:
            yield name, [*before, (tool.name, {**given, name: pair})]


def _another(item: Any, more: str) -> Any:
    """The object with its free texts put anew."""
    if isinstance(item, Mapping):
        return {key: _another(value, more) for key, value in item.items()}
    if isinstance(item, str) and not re.search(r"[\d:/@]", item):
        return f"{item} {more}"
    return item


def _held(book: Casebook, tool: Tool, name: str) -> Iterator[Variant]:
    """Two items that the record holds which the call names, in a field of that name."""
    plain = normal(name)
    rows = book.world.rows()
    for steps in book.samples[tool.name][:_SAMPLES]:
        *before, (_, given) = steps
        for key, value in given.items():
            table = book.world.ids.get(value) if isinstance(value, str | int) else None
            count = 0
            for row in rows.get(table, []) if table else ():
                for field, held in fields(row).items():
                    fits = isinstance(held, list) and len(field) > 2 and field in plain
                    items = [each for each in held if isinstance(each, str)] if fits else []
                    if len(items) < 2 or count >= _RECORDS:
                        continue
                    count += 1
                    # each at one end, so that an item that may not be named spoils one pair
                    for pair in (items[:2], items[-2:], items[-1:]):
                        less = {**given, key: row["id"], name: pair}
                        yield name, [*before, (tool.name, less)]
