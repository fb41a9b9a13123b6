"""Hits: a search shows every record that holds the word where the others hold it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from compoworld_core.service import Tool
from compoworld_validator.laws import Fault, Judge, guarded
from compoworld_validator.paging import cursor_of, widest
from compoworld_validator.reading import fields, rows
from compoworld_validator.values import QUERIES, normal
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import World

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_WORD = re.compile(r"[^\W\d_]{4,}")
_WORDS = 14
_LEAST = 4
"""Words, for each of which just one record is lost."""


def tried(exam: Examination, tool: Tool) -> None:
    """Judge the words of the records that a search has shown."""
    for steps in exam.book.samples[tool.name]:
        for name, value in steps[-1][1].items():
            if normal(name) in QUERIES and isinstance(value, str):
                found = exam.world.tried(steps)
                if found is not None and rows(found.last.data) is not None:
                    exam.judged(complete(name), steps)


def complete(name: str) -> Judge:
    """[search]: it is not so that for each word just one of the records with it is lost.

    Args:
        name: the parameter that takes the word.
    """

    @guarded
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        tool, given = steps[-1]
        wide = {**given, **widest(world.tools[tool])}
        played = world.tried([*steps[:-1], (tool, wide)])
        if played is None or not isinstance(given.get(name), str):
            return None
        tables: Counter[str] = Counter()
        for row in rows(played.last.data) or ():
            kept = played.kept(row)
            if kept is None:
                return None
            tables[kept[0]] += 1
        if len(tables) != 1:
            return None
        (table,) = tables
        every = world.rows()[table]
        fits = 0
        for word in _words(every):
            seen = world.tried([*steps[:-1], (tool, {**wide, name: word})])
            found = None if seen is None else rows(seen.last.data)
            if seen is None or found is None or cursor_of(seen.last.data):
                return None
            shown = {row.get("id") for row in found}
            field = _field(every, word)
            match = [row["id"] for row in every if word in _text(row.get(field))]
            if not match:
                continue
            lost = [key for key in match if key not in shown]
            if len(lost) != 1:
                return None
            fits += len(match) > 1 or 0
        if fits >= _LEAST:
            return Reason.SEARCH_WRONG, "for each word, one of the records with it is lost"
        return None

    return judge


def _words(every: Sequence[Mapping[str, Any]]) -> list[str]:
    """Words that two or more records hold, in one field only."""
    told: dict[str, Counter[str]] = {}
    for row in every:
        for field, value in fields(row).items():
            for word in set(_WORD.findall(_text(value))):
                told.setdefault(word, Counter())[field] += 1
    good = [w for w, counts in told.items() if len(counts) == 1 and sum(counts.values()) >= 2]
    return sorted(good, key=lambda word: -sum(told[word].values()))[:_WORDS]


def _field(every: Sequence[Mapping[str, Any]], word: str) -> str:
    for row in every:
        for field, value in row.items():
            if word in _text(value):
                return field
    return ""


def _text(value: Any) -> str:
    return value.casefold() if isinstance(value, str) else ""
