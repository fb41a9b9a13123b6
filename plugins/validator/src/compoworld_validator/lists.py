"""Lists: judges of paging, of what lists show after writes, and of searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compoworld_core.environment import Environment
from compoworld_core.service import Tool
from compoworld_validator.judges import Fault, Judge, guarded
from compoworld_validator.reading import Played, Row, identity, rows, same, scalars
from compoworld_validator.values import NONSENSE, kind, normal, resolved
from compoworld_validator.verdict import Reason, Step

_LIMITS = ("limit", "pagesize", "perpage", "first", "count", "maxresults", "pagelimit", "max")
_CURSORS = ("cursor", "pagetoken", "after", "startcursor", "startingafter", "nextcursor")
_PAGES = 60


def limit_of(tool: Tool) -> str:
    """The parameter that says how many rows at most; empty where there is none."""
    return _named(tool, _LIMITS)


def _named(tool: Tool, names: Sequence[str]) -> str:
    parts = tool.input_schema.get("properties", {})
    return next((name for name in parts if normal(name) in names), "")


def widest(tool: Tool) -> dict[str, Any]:
    """The argument that makes a list show as much as it can."""
    name = limit_of(tool)
    if not name:
        return {}
    part = resolved(tool.input_schema["properties"][name], tool.input_schema)
    if kind(part) not in ("integer", "number", ""):
        return {}
    return {name: int(part.get("maximum", 1000))}


def _cursor(data: Any) -> Any:
    if isinstance(data, Mapping):
        for name, value in data.items():
            plain = normal(name)
            if value and ("cursor" in plain or "pagetoken" in plain) and "sync" not in plain:
                return value
    return None


def pages(base: Environment, tool: Tool, given: Mapping[str, Any]) -> list[list[Row]] | None:
    """All pages of a list, following its cursor or counting its page numbers up."""
    found: list[list[Row]] = []
    cursor, number = _named(tool, _CURSORS), _named(tool, ("page",))
    extra: dict[str, Any] = {}
    for turn in range(_PAGES):
        seen = Played(base, [(tool.name, {**given, **extra})]).last
        page = rows(seen.data)
        if page is None:
            return found or None
        found.append(page)
        following = _cursor(seen.data)
        if cursor and following:
            extra = {cursor: following}
        elif number and page and following:
            extra = {number: turn + 2}
        else:
            return found
    return None


def paged(tool: Tool) -> Judge:
    """[list]: pages of 1, 2 and 3 hold no more, repeat no row, and together are the whole."""

    @guarded
    def judge(base: Environment, steps: Sequence[Step]) -> Fault | None:
        name, (_, given) = limit_of(tool), steps[-1]
        plain = {key: value for key, value in given.items() if key != name}
        whole = pages(base, tool, {**plain, **widest(tool)})
        if whole is None:
            return None
        every = [identity(row) for page in whole for row in page]
        for size in (given[name],) if name in given else ():
            parts = pages(base, tool, {**plain, name: size})
            if parts is None:
                continue
            shown = [identity(row) for page in parts for row in page]
            if any(len(page) > size for page in parts):
                return Reason.PAGING_WRONG, f"a page of at most {size} shows more"
            if any(len(page) < size for page in parts[:-1]):
                return Reason.PAGING_WRONG, f"a page of {size} shows fewer before the end"
            if len(set(shown)) < len(shown) and len(set(every)) == len(every):
                return Reason.PAGING_WRONG, f"pages of {size} repeat a row"
            walked = len(parts) > 1
            if walked and shown != every[: len(shown)]:
                return Reason.PAGING_WRONG, f"pages of {size} are not the whole list in order"
            if walked and len(shown) < len(every):
                return Reason.PAGING_WRONG, f"pages of {size} end before the last row"
            if not walked and len(parts[0]) < min(size, len(every)):
                return Reason.PAGING_WRONG, f"at most {size} rows asked for, fewer shown"
        return None

    return judge


@guarded
def listed(base: Environment, steps: Sequence[Step]) -> Fault | None:
    """[create, …, list]: a list that shows one new record shows all, each once."""
    played = Played(base, steps)
    shown = rows(played.last.data)
    if shown is None or _cursor(played.last.data):
        return None
    ids = [identity(row) for row in shown]
    made: list[str] = []
    for number in range(1, len(steps)):
        changes = Played(base, steps[:number]).changes()
        new = [change for change in changes if change.before is None]
        if len(new) == 1:
            made.append(str(new[0].id))
    seen = [name for name in made if name in ids]
    if seen and len(seen) < len(made):
        return Reason.NOT_LISTED, f"{len(seen)} of {len(made)} new records are listed"
    if any(ids.count(name) > 1 for name in seen):
        return Reason.NOT_LISTED, "a new record is listed twice"
    return None


@guarded
def shown_after(base: Environment, steps: Sequence[Step]) -> Fault | None:
    """[write, list]: no removed record, and changed ones as they were written."""
    wrote, read = Played(base, steps[:-1]), Played(base, steps)
    shown = rows(read.last.data)
    if shown is None:
        return None
    by_id = {str(row["id"]): row for row in shown if "id" in row}
    first = rows(Played(base, [*steps[:-2], steps[-1]]).last.data) or []
    earlier = {str(row["id"]): row for row in first if "id" in row}
    for change in wrote.changes():
        row, old = by_id.get(str(change.id)), earlier.get(str(change.id))
        if row is None or (old is not None) != (change.before is not None):
            continue  # not shown, or a record of another kind under the same id
        if old is not None and not _agree(scalars(old), scalars(change.before or {})):
            continue
        if change.after is None:
            return Reason.STILL_THERE, "the record was removed and is still listed"
        kept, flat = scalars(change.after), scalars(row)
        for name in sorted(flat):
            if name in kept and not same(kept[name], flat[name]):
                return Reason.NOT_READ_BACK, f"the list shows another {name} than was written"
    return None


@guarded
def counted(base: Environment, steps: Sequence[Step]) -> Fault | None:
    """[list]: a list without a further page shows as many rows as it says there are."""
    data = Played(base, steps).last.data
    shown = rows(data)
    if shown is None or not isinstance(data, Mapping) or _cursor(data):
        return None
    total = data.get("total")
    if isinstance(total, int) and total != len(shown) and not data.get("notice"):
        return Reason.PAGING_WRONG, f"the list says {total} rows and shows {len(shown)}"
    return None


@guarded
def connected(base: Environment, steps: Sequence[Step]) -> Fault | None:
    """A write changes one record, and others only that name it or that it names."""
    played = Played(base, steps)
    changes = played.changes()
    if played.last.is_error or len(changes) < 2:
        return None
    said = str(steps[-1][1]) + played.last.text
    texts = [f"{c.id} {c.before} {c.after}" for c in changes]
    values = [v for v in scalars(steps[-1][1]).values() if isinstance(v, str) and len(v) > 3]
    tables = {change.table for change in changes if str(change.id) in said}
    for change, text in zip(changes, texts, strict=True):
        if change.table not in tables or any(value in text for value in values):
            continue
        others = [c for c in changes if c is not change]
        named = str(change.id) in said or any(
            str(change.id) in other for other in texts if other is not text
        )
        if not named and not any(str(other.id) in text for other in others):
            return Reason.COLLATERAL, f"{change.table} {change.id} changed as well"
    return None


def _agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(same(value, other[name]) for name, value in one.items() if name in other)


@guarded
def searched(base: Environment, steps: Sequence[Step]) -> Fault | None:
    """[search]: what nothing contains finds nothing."""
    played = Played(base, steps)
    if rows(played.last.data) and NONSENSE in str(steps[-1][1]):
        return Reason.SEARCH_WRONG, "a search for nonsense finds rows"
    return None
