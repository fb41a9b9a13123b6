"""Writes: what is tried on a tool that writes, and what is looked at afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from compoworld_core.service import Tool
from compoworld_validator import arrivals, bystanders, deeds, lists
from compoworld_validator.arguments import required
from compoworld_validator.paging import widest
from compoworld_validator.reading import leaves, mappings, rows, scalars
from compoworld_validator.values import QUERIES, normal
from compoworld_validator.verdict import Step

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_JUDGES = (
    deeds.kept,
    deeds.shown,
    bystanders.right,
    bystanders.alone,
    bystanders.once,
    bystanders.quiet,
    bystanders.born,
    bystanders.partial,
)
_FOLLOWED = 3
"""Writes of a tool after which everything is read."""


def tried(exam: Examination, tool: Tool) -> None:
    """Judge each accepted call by itself."""
    for steps in exam.book.accepted(tool.name):
        for judge in _JUDGES:
            exam.judged(judge, steps)


def followed(exam: Examination, tool: Tool) -> None:
    """Read after writes: each list, and each get of what was written."""
    for steps in exam.book.writes(tool.name)[:_FOLLOWED]:
        for look in _looks(exam, steps):
            call = [*steps, look]
            exam.judged(lists.gone, call, least=2)
            _switched(exam, steps, look)
            exam.judged(deeds.shown, call, least=2)
            if rows(exam.world.play(call).last.data) is not None:
                exam.judged(lists.framed, call, least=2)
                exam.judged(arrivals.entered, call, look[0], least=2)
                exam.judged(lists.distinct, call, least=2)
                _again(exam, tool, steps, look)


def _looks(exam: Examination, steps: list[Step]) -> list[Step]:
    """Calls of reads: the widest lists, and gets of the records that a write changed."""
    found: list[Step] = []
    played = exam.world.play(steps)
    records = [scalars(c.after or c.before or {}) for c in played.changes()[:3]]
    records += [scalars(each) for each in mappings(played.last.data)][:1]
    for reader in exam.reads:
        for sample in exam.book.samples[reader.name][:2]:
            if len(sample) == 1:
                given = sample[0][1]
                asks = any(normal(name) in QUERIES for name in given)
                wide = {n: v for n, v in given.items() if n in required(reader)}
                found.append((reader.name, given if asks else {**wide, **widest(reader)}))
        for row in records:
            source = {**scalars(steps[-1][1]), **row}
            read = exam.harvest.aimed(reader, source, row.get("id"))
            if read is not None:
                found.append((reader.name, {**read, **widest(reader)}))
    told: list[Step] = []
    for name, given in found:
        if (name, given) not in told and exam.world.tried([*steps, (name, given)]):
            told.append((name, given))
    return told


def _switched(exam: Examination, steps: list[Step], look: Step) -> None:
    """Where a write turned a field on, the lists that take a flag of its name."""
    on = {
        normal(name)
        for change in exam.world.play(steps).changes()
        for name, value in (change.after or {}).items()
        if value is True and not (change.before or {}).get(name)
    }
    parts = exam.world.tools[look[0]].input_schema.get("properties", {})
    for name in parts if on else ():
        if normal(name) in on and rows(exam.world.play([*steps, look]).last.data) is not None:
            exam.judged(lists.flagged(name, normal(name)), [*steps, look], least=2)


def _again(exam: Examination, tool: Tool, steps: list[Step], look: Step) -> None:
    """The call twice more, its free texts new, so that no name is taken."""
    if len(steps) > 1:
        return
    made = [c for c in exam.world.play(steps).changes() if c.before is None]
    if len(made) != 1 or made[0].id in leaves(look[1]):
        return
    if any(normal(name) in QUERIES for name in look[1]):
        return
    more: list[Step] = []
    for _ in range(2):
        given: dict[str, Any] = dict(steps[-1][1])
        for name, value in given.items():
            known = not isinstance(value, str) or value in exam.world.aliases
            known = known or value in leaves(look[1])  # it says where the list looks
            if not known and name in required(tool):
                given[name] = exam.harvest.fresh(tool, name)
        more.append((tool.name, given))
    exam.judged(lists.listed, [*steps, *more, look], least=2)
