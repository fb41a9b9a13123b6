"""Paging: judges of limits, cursors, offsets and totals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compoworld_core.service import Tool
from compoworld_validator.laws import Fault, Judge, guarded
from compoworld_validator.reading import Row, identity, rows
from compoworld_validator.values import kind, normal, resolved
from compoworld_validator.verdict import Reason, Step
from compoworld_validator.world import World

LIMITS = ("limit", "pagesize", "perpage", "first", "count", "maxresults", "pagelimit", "max")
_CURSORS = ("cursor", "pagetoken", "after", "startcursor", "startingafter", "nextcursor")
_PAGES = 60


def limit_of(tool: Tool) -> str:
    """The parameter that says how many rows at most; empty where there is none."""
    return _named(tool, LIMITS)


def paged_at(given: Mapping[str, Any]) -> bool:
    """Whether a call asks for a page that may not be the first."""
    return any(normal(n) in (*_CURSORS, "page", "offset", "skip", "start") for n in given)


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


def cursor_of(data: Any) -> Any:
    if isinstance(data, Mapping):
        for name, value in data.items():
            plain = normal(name)
            if value and ("cursor" in plain or "pagetoken" in plain) and "sync" not in plain:
                return value
    return None


def pages(
    world: World, tool: Tool, given: Mapping[str, Any], begun: Sequence[Step] = ()
) -> list[list[Row]] | None:
    """All pages of a list, following its cursor or counting its page numbers up.

    Args:
        begun: the calls before it.
    """
    found: list[list[Row]] = []
    cursor, number = _named(tool, _CURSORS), _named(tool, ("page",))
    extra: dict[str, Any] = {}
    for turn in range(_PAGES):
        seen = world.play([*begun, (tool.name, {**given, **extra})]).last
        page = rows(seen.data)
        if page is None:
            return found or None
        found.append(page)
        following = cursor_of(seen.data)
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
    def judge(world: World, steps: Sequence[Step]) -> Fault | None:
        name, (_, given) = limit_of(tool), steps[-1]
        plain = {key: value for key, value in given.items() if key != name}
        whole = pages(world, tool, {**plain, **widest(tool)}, steps[:-1])
        if whole is None:
            return None
        every = [identity(row) for page in whole for row in page]
        for size in (given[name],) if name in given else ():
            parts = pages(world, tool, {**plain, name: size}, steps[:-1])
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
def counted(world: World, steps: Sequence[Step]) -> Fault | None:
    """[list]: a list without a further page shows as many rows as it says there are."""
    data = world.play(steps).last.data
    shown = rows(data)
    if shown is None or not isinstance(data, Mapping) or cursor_of(data):
        return None
    total = data.get("total")
    if isinstance(total, int) and total != len(shown) and not data.get("notice"):
        return Reason.PAGING_WRONG, f"the list says {total} rows and shows {len(shown)}"
    return None
