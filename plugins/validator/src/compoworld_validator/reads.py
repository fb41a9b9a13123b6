"""Reads: what is tried on a tool that only reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from compoworld_core.service import Tool
from compoworld_validator import deeds, hits, lists, paging, ranges, sorting, statements
from compoworld_validator.arguments import required
from compoworld_validator.reading import Row, fields, identity, leaves, rows, scalars
from compoworld_validator.values import NONSENSE, QUERIES, kind, normal, resolved
from compoworld_validator.verdict import Step

if TYPE_CHECKING:
    from compoworld_validator.examination import Examination

_SEARCHES = (*QUERIES, "name", "title", "subject")
_WORD = re.compile(r"[^\W\d_]{4,}")
_BOUND = re.compile(r"(^|[-_.])(start|end|from|to|since|until|before|after|min|max)([-_.]|$)")
"""Names of parameters that bound a range."""
_TEXT = re.compile(r"[\w.,'&!?-]+( [\w.,'&!?-]+)+")
"""What people wrote: words with spaces between them."""
_VALUES = 5
_ROWS = 3
"""Rows of a list that pages can be told by."""
_FLAGS = re.compile(r"(include|with|show|all)|(exclude|without|hide|only)")


def tried(exam: Examination, tool: Tool) -> None:
    """Judge each accepted call, and the lists that belong to it."""
    for steps in exam.book.accepted(tool.name):
        exam.judged(deeds.shown, steps)
        exam.judged(lists.asked, steps)
        exam.judged(lists.distinct, steps)
    statements.tried(exam, tool)
    hits.tried(exam, tool)
    wide = [_wide(exam, tool, steps) for steps in exam.book.samples[tool.name]]
    wide = [steps for n, steps in enumerate(wide) if steps not in wide[:n]]
    whole = [s for s in wide if not any(normal(n) in _SEARCHES for n in s[-1][1])]
    judge = lists.lacking(whole)
    for steps in wide:
        found = exam.world.tried(steps)
        listed = None if found is None else rows(found.last.data)
        if listed is None:
            continue
        if not paging.paged_at(steps[-1][1]):
            exam.judged(paging.counted, steps)
        if steps in whole:
            exam.judged(judge, steps)
        if listed:
            _pages(exam, tool, steps)
            _gets(exam, steps, listed)
            _filters(exam, tool, steps, listed)
            sorting.tried(exam, tool, steps)
            ranges.tried(exam, tool, steps)
    varied = [s for n, s in exam.book.variants[tool.name] if normal(n) in _SEARCHES]
    for steps in exam.book.samples[tool.name] + varied[:_VALUES]:
        _searches(exam, tool, steps)


def _wide(exam: Examination, tool: Tool, steps: list[Step]) -> list[Step]:
    """The list with what is required only, as long as it can be."""
    *before, (_, given) = steps
    plain = {name: value for name, value in given.items() if name in required(tool)}
    for more in (paging.widest(tool), {}):
        call = [*before, (tool.name, {**plain, **more})]
        if exam.world.tried(call):
            return call
    return steps


def _pages(exam: Examination, tool: Tool, steps: list[Step]) -> None:
    limit = paging.limit_of(tool)
    if not limit or len(steps) > 1:
        return
    plain = {name: value for name, value in steps[-1][1].items() if name != limit}
    begun = _grown(exam, steps)
    for size in (1, 2, 3, 5):
        exam.judged(paging.paged(tool), [*begun, (tool.name, {**plain, limit: size})])


def _grown(exam: Examination, steps: list[Step]) -> list[Step]:
    """Writes after which a short list has some rows more."""
    for writer in exam.writes if _length(exam, steps) < _ROWS else ():
        made: list[Step] = []
        for call in exam.book.writes(writer.name)[:4]:
            more = [*made, *call]
            if _length(exam, [*more, *steps]) > _length(exam, [*made, *steps]):
                made = more
        if _length(exam, [*made, *steps]) >= _ROWS:
            return made
    return []


def _length(exam: Examination, steps: list[Step]) -> int:
    """How many rows a list shows; 0 where it is refused."""
    played = exam.world.tried(steps)
    return len(rows(played.last.data) or ()) if played is not None else 0


def _gets(exam: Examination, steps: list[Step], listed: Sequence[Row]) -> None:
    """Each get that shows records under the ids of the list."""
    for reader in exam.reads:
        tables = _shown(exam, reader)
        if reader.name == steps[-1][0] or len(tables) != 1:
            continue
        played = exam.world.play(steps)
        for row in [*listed[:3], listed[-1]]:
            kept = played.kept(row)
            if kept is None or kept[0] not in tables:
                continue
            source = {**scalars(steps[-1][1]), **scalars(row)}
            read = exam.harvest.aimed(reader, source, row.get("id"))
            if read is not None:
                exam.judged(lists.agreeing, [*steps, (reader.name, read)], reader.name, 2)


def _shown(exam: Examination, reader: Tool) -> set[str]:
    """The tables of which a read shows one record under the id that it is asked for."""
    found = set()
    for steps in exam.book.samples[reader.name]:
        played = exam.world.play(steps)
        data = played.last.data
        asked = {str(value) for value in steps[-1][1].values() if isinstance(value, str | int)}
        if isinstance(data, dict) and str(data.get("id", "")) in asked:
            kept = played.kept(data)
            found |= {kept[0]} if kept else set()
    return found


def _filters(exam: Examination, tool: Tool, steps: list[Step], listed: Sequence[Row]) -> None:
    """Each optional parameter that has the name of a field, with values of that field."""
    *before, (_, wide) = steps
    for name, part in tool.input_schema.get("properties", {}).items():
        if name in required(tool) or _BOUND.search(name.lower()):
            continue
        plain = normal(name)
        for at in (plain, f"{plain}id", plain.removesuffix("id"), plain.removesuffix("s")):
            values: list[Any] = []
            for row in listed:
                for value in leaves(fields(row).get(at)):
                    if value not in values:
                        values.append(value)
            if values:
                break
        one = resolved(part, tool.input_schema)
        for item in values[:_VALUES]:
            value = [item] if kind(one) == "array" else item
            judge = lists.filtered(name, value, "" if at == plain else at)
            call = [*before, (tool.name, {**wide, name: value})]
            if exam.world.tried(call):
                exam.judged(judge, [*before, (tool.name, wide), call[-1]], least=2)
            near = f"{value}q"
            if isinstance(value, str) and near.casefold() not in exam.world.text():
                call = [*before, (tool.name, {**wide, name: near})]
                if exam.world.tried(call):
                    exam.judged(lists.nothing, call)
        if kind(one) == "boolean" and any(plain in fields(row) for row in listed):
            exam.judged(lists.flagged(name, plain), steps)
        flag = _FLAGS.match(plain)
        if flag:
            exam.judged(lists.wider(name, not flag[2]), steps)


def _searches(exam: Examination, tool: Tool, steps: list[Step]) -> None:
    """Words of a row that was found find it; words that nothing has find nothing."""
    *before, (_, given) = steps
    for name, part in tool.input_schema.get("properties", {}).items():
        if normal(name) not in _SEARCHES or "enum" in part:
            continue
        value = given.get(name)
        if not isinstance(value, str) or not value:
            continue
        found = exam.world.tried(steps)
        hits = rows(found.last.data) if found is not None else None
        exam.judged(lists.nothing, [*before, (tool.name, {**given, name: NONSENSE})])
        for row in (hits or [])[:3]:
            texts = [v for v in leaves(row) if isinstance(v, str) and _hit(value, v)]
            if not any(_TEXT.fullmatch(text) for text in texts):
                continue
            words = [word for text in texts for word in [*_WORD.findall(text)[:4], text]]
            if not words or "id" not in row:
                continue
            judge = lists.findable(name, identity(row), words[:12])
            exam.judged(judge, steps)
            for word in [w for w in words if _WORD.fullmatch(w)][:1]:
                near = f"{word}q"
                if near.casefold() not in exam.world.text():
                    call = [*before, (tool.name, {**given, name: near})]
                    exam.judged(lists.nothing, call)


def _hit(value: str, text: str) -> bool:
    return value.casefold() in text.casefold()
