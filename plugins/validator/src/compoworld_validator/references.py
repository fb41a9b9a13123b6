"""References: ids that nothing has must be refused, and ids that others take must not be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from compoworld_core.observation import Observation
from compoworld_core.service import Tool
from compoworld_validator import laws
from compoworld_validator.arguments import required
from compoworld_validator.values import NONSENSE, kind, normal, resolved, singular
from compoworld_validator.verdict import Reason, Step

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_FAR = 10**9 + 7
_MODES = ("action", "operation", "mode")
_TRIED = 6
_GENERAL = ("id", "ids", "key", "name", "number", "type", "uuid")
_SEVERAL = 3
"""Tools that take a value: it is good."""


def look_up(exam: Examination) -> None:
    """Judge each parameter that names a record, in every tool."""
    for tool in exam.world.tools.values():
        parts = tool.input_schema.get("properties", {})
        for name in parts:
            _refused(exam, tool, name)
        if any(mode in normal(name) for name in parts for mode in _MODES):
            continue  # whether the id must exist depends on the action
        for steps in exam.book.samples[tool.name][:2]:
            for name, value in steps[-1][1].items():
                _dangling(exam, tool, steps, name, value)


def _dangling(exam: Examination, tool: Tool, steps: list[Step], name: str, value: Any) -> None:
    """The id of no record, and one that differs from a record's by a letter."""
    one = resolved(tool.input_schema["properties"].get(name, {}), tool.input_schema)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return
    if value not in exam.world.ids or "enum" in one or name not in required(tool):
        return
    if not normal(name).endswith(("id", "number", "ts")) and kind(one) != "integer":
        return
    *before, (_, given) = steps
    if not _names_records(exam, tool, name, value):
        return
    wrong: list[Any] = [NONSENSE, f"{value}0"] if isinstance(value, str) else [value + _FAR]
    for other in wrong:
        if other not in exam.world.ids:
            exam.judged(laws.dangling, [*before, (tool.name, {**given, name: other})])


def _names_records(exam: Examination, tool: Tool, name: str, value: Any) -> bool:
    """Whether a parameter takes ids of one kind of record, not any text that happens to be one.

    It is called after the table; else nothing but such ids was ever taken under that name.
    """
    plain, table = normal(name), exam.world.ids[value]
    stem = plain.removesuffix("number").removesuffix("id")
    if not stem or stem in singular(table) or singular(table) in stem:
        return True
    others = [
        each
        for samples in exam.book.samples.values()
        for steps in samples
        for key, each in steps[-1][1].items()
        if normal(key) == plain and isinstance(each, str | int)
    ]
    return all(exam.world.ids.get(each) == table for each in others)


def _refused(exam: Examination, tool: Tool, name: str) -> None:
    """Each id that other tools take under this name is called missing by this one."""
    one = resolved(tool.input_schema["properties"][name], tool.input_schema)
    if "enum" in one or kind(one) not in ("string", "integer", "number"):
        return
    book, plain = exam.book, normal(name)
    if plain in _GENERAL:
        return  # it means another record in each tool
    takers: dict[Any, set[str]] = {}
    for other, samples in book.samples.items():
        for steps in samples if other != tool.name else ():
            for key, value in steps[-1][1].items():
                needed = key in required(exam.world.tools[other])
                if needed and normal(key) == plain and isinstance(value, str | int):
                    takers.setdefault(value, set()).add(other)
    taken = [
        v for v, others in takers.items() if v in exam.world.ids or len(others) >= _SEVERAL
    ]
    taken += _own(exam, plain)
    usual = any(len(others) >= _SEVERAL for others in takers.values())
    if len(taken) < 2 and not usual:
        return
    if any(name in steps[-1][1] for steps in book.samples[tool.name]):
        return
    if any(p == name and exam.world.tried(steps) for p, steps in book.variants[tool.name]):
        return
    tried: list[list[Step]] = []
    for value in taken[:_TRIED]:
        known = exam.harvest.refusals.get(tool.name, [])[:_TRIED]
        begun = [[(tool.name, given)] for given in known] + book.samples[tool.name][:2]
        tried += [[*s[:-1], (tool.name, {**s[-1][1], name: value})] for s in begun]
    codes = [(exam.world.play(steps).last, steps[-1][1][name]) for steps in tried]
    if not usual:  # each of the values may be one that the caller may not use here
        codes = [each for each in codes if each[0].code != "permission_denied"]
    if len(codes) >= 4 and all(_missed(seen, value) for seen, value in codes):
        why = f"{name} that other tools take is always called missing"
        exam.found(tool.name, Reason.REFUSED_PAIR, why, tried[0])


def _own(exam: Examination, plain: str) -> list[Any]:
    """Keys of the table that a parameter is named after: `customerid` takes a customer's."""
    return [key for key, table in exam.world.ids.items() if f"{singular(table)}id" == plain][:4]


def _missed(seen: Observation, value: Any) -> bool:
    """Whether a refusal says that this value, perhaps without its last letter, is missing."""
    if seen.code not in ("not_found", "permission_denied"):
        return False
    text = str(value)
    stem = (text[:-1] if len(text) > 3 else text).casefold()
    said = seen.text.partition(". ")[0].casefold()
    quoted = re.search(r"['\"](.*?)['\"]", said)
    return quoted[1].startswith(stem) if quoted else stem in said
