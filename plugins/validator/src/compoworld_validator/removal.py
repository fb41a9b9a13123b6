"""Removal: what a record says is there can be taken away by a tool that takes such away."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from compoworld_core.service import Tool
from compoworld_validator.arguments import reference, required
from compoworld_validator.reading import scalars
from compoworld_validator.values import kind, normal, resolved, singular
from compoworld_validator.verdict import Reason, Step

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_TAKES = re.compile(
    r"(^|[-_ .])(delete|remove|revoke|detach|unassign|unlink|drop|cancel)([-_ A-Z]|$)"
)
_LEAST, _MOST = 2, 12


def tried(exam: Examination, tool: Tool) -> None:
    """Aim at records each of which answers all that the tool asks; one must change."""
    if tool.read_only or not _TAKES.search(tool.name):
        return
    if any(exam.book.writes(tool.name)):
        return
    accepted: list[list[Step]] = []
    for given in _aims(exam, tool):
        steps: list[Step] = [(tool.name, given)]
        played = exam.world.tried(steps)
        if played is None:
            continue
        if played.changes() or played.settings():
            return
        accepted.append(steps)
    if len(accepted) >= _LEAST:
        why = "it takes away, and is accepted for records that then are as they were"
        exam.found(tool.name, Reason.NO_EFFECT, why, accepted[0])


def _aims(exam: Examination, tool: Tool) -> list[dict[str, Any]]:
    """Arguments of which each is said by one and the same record, another field each."""
    found: list[dict[str, Any]] = []
    for table, records in exam.world.rows().items():
        for row in records[:_MOST]:
            given = _aimed(tool, {**scalars(row), f"{singular(table)}id": row["id"]})
            if given and given not in found:
                found.append(given)
    return found


def _aimed(tool: Tool, row: Mapping[str, Any]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name in required(tool):
        one = resolved(tool.input_schema["properties"].get(name, {}), tool.input_schema)
        value = reference(normal(name), row, kind(one))
        if value is None or value in given.values():
            return {}
        given[name] = value
    return given
