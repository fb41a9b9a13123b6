"""Rows: selecting, finding, sorting and paging them; emitted code calls it as `runtime`."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final, TypeVar

from compoworld_core import Entity, ToolError
from compoworld_core.resources import search

E = TypeVar("E", bound=Entity)

_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "eq": lambda held, asked: bool(held == asked),
    "ne": lambda held, asked: bool(held != asked),
    "in": lambda held, asked: held in asked,
    "ge": lambda held, asked: bool(held >= asked),
    "gt": lambda held, asked: bool(held > asked),
    "le": lambda held, asked: bool(held <= asked),
    "lt": lambda held, asked: bool(held < asked),
    "contains": lambda held, asked: str(asked).casefold() in str(held).casefold(),
    "below": lambda held, asked: str(held).startswith(f"{asked}/"),
    "prefix": lambda held, asked: str(held).startswith(str(asked)),
}


def filtered(rows: Iterable[E], *conditions: tuple[str, str, Any]) -> list[E]:
    """The rows that satisfy every (field, comparison, value) whose value is given."""
    asked = [c for c in conditions if c[2] is not None and c[2] != []]
    return [row for row in rows if all(_holds(row, *condition) for condition in asked)]


def _holds(row: Entity, field: str, comparison: str, value: Any) -> bool:
    held = getattr(row, field)
    if held is None:
        return comparison == "ne"
    if comparison in ("eq", "contains") and isinstance(held, tuple):
        wanted = value if isinstance(value, list | tuple) else [value]
        return all(item in held for item in wanted)
    if comparison == "in" and isinstance(held, tuple):
        return any(item in value for item in held)
    if comparison == "eq" and isinstance(value, list | tuple):
        return held in value
    if comparison == "le" and isinstance(held, str) and held.startswith(_inside(value)):
        return True  # the last day, or month, of a period counts
    try:
        return _COMPARE[comparison](held, value)
    except TypeError:
        return False


def _inside(last: Any) -> tuple[str, ...]:
    """What a time begins with that lies in the day, month or year that a period ends with."""
    return (f"{last}T", f"{last} ", f"{last}-") if isinstance(last, str) else ()


def found(rows: Iterable[E], query: str | None, fields: tuple[str, ...]) -> list[E]:
    """The rows that contain every word of the query."""
    return search(rows, query or "", fields)


_WAY: Final = re.compile(r"[\s:_.\[-]*(asc|desc|ascending|descending)\]?$", re.IGNORECASE)


def ordered(
    rows: Sequence[E], by: Any, way: Any, fields: dict[str, str], *, rising: bool = False
) -> list[E]:
    """The rows sorted by a field, rows without a value last.

    Args:
        by: `name`, `-name`, `name:desc`, `name asc`; none: the order of creation.
        way: `asc` or `desc`, or a bool: whether it falls (rises, where `rising`).
        fields: spelling without signs → attribute.
    """
    if by is None and way is None:
        return list(rows)
    asked, way = _asked(by, way)
    found_ = _WAY.search(asked)
    plain = re.sub(r"[^a-z0-9]", "", (asked[: found_.start()] if found_ else asked).lower())
    falls = asked.startswith("-") or (found_ is not None and found_[1].lower()[0] == "d")
    if isinstance(way, bool):
        falls = way != rising
    elif way is not None:
        falls = str(way).lower().startswith(("desc", "-", "newest", "reverse"))
    if not plain:
        return list(reversed(rows)) if falls else list(rows)
    names = (plain, f"{plain}at", plain.removesuffix("date") + "at", f"{plain}date")
    name = next((fields[each] for each in names if each in fields), None)
    if name is None:
        some = ", ".join(sorted(fields.values())[:12])
        raise ToolError("invalid_argument", f"cannot sort by {asked[:40]!r}; it has {some}")
    held = [row for row in rows if getattr(row, name) is not None]
    held.sort(key=lambda row: getattr(row, name), reverse=falls)
    return held + [row for row in rows if getattr(row, name) is None]


def _asked(by: Any, way: Any) -> tuple[str, Any]:
    """Field and direction of a sort argument: text, an object of the two, a list of such."""
    if isinstance(by, list | tuple):
        by = by[0] if by else None
    if isinstance(by, dict):
        named = [v for k, v in by.items() if str(k).lower() in _FIELD_WORDS]
        ways = [v for k, v in by.items() if str(k).lower() in _WAY_WORDS]
        if named:
            return str(named[0]), ways[0] if ways else way
        return next(((str(k), v) for k, v in by.items()), ("", way))
    if isinstance(way, list | tuple):
        way = way[0] if way else None
    return str(by or "").strip(), way


_FIELD_WORDS: Final = (
    "field",
    "by",
    "name",
    "key",
    "property",
    "sortby",
    "column",
    "attribute",
)
_WAY_WORDS: Final = ("direction", "order", "dir", "sortorder", "way")


def shown(
    row: E,
    *,
    stated: bool = True,
    only: Sequence[str] | None = None,
    hide: Collection[str] = (),
    each: Callable[[E], dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """A record as its server shows it: the fields in `only` or all, none of `hide`, `each` too.

    Args:
        row: the record.
        stated: the server states its results: what is empty is left out.
        only: names of the fields that the call asks for, in any spelling, `owner.name` for
            `owner`; the key is always there. None or `*`: all of them.
        hide: attributes that the call does not ask for.
        each: what is shown beside the fields, by the record.
    """
    told = row.model_dump(mode="json", exclude_none=stated)
    told |= each(row) if each is not None else {}
    if only and not any(name.startswith("*") for name in only):
        asked = {re.sub(r"[^a-z0-9]", "", name.split(".")[0].lower()) for name in only}
        told = {k: v for k, v in told.items() if k == "id" or _plain(k) in asked}
    return {_spelled(name): value for name, value in told.items() if name not in hide}


def _spelled(name: str) -> str:
    """The server's spelling of a field that Python could not be given: `from_` is `from`."""
    plain = name.removesuffix("_")
    return plain if keyword.iskeyword(plain) else name


def laid(told: dict[str, Any], around: str, beside: Sequence[str]) -> dict[str, Any]:
    """A record under its name, and beside it what the server shows there."""
    inner = {name: value for name, value in told.items() if name not in beside}
    return {around: inner, **{name: told[name] for name in beside if name in told}}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def unless(rows: Sequence[E], field: str, asked: Any, value: Any = None) -> list[E]:
    """The rows without those whose flag is set (that have the value), unless asked for."""
    if asked:
        return list(rows)
    held = ((row, getattr(row, field)) for row in rows)
    return [row for row, is_ in held if (not is_ if value is None else is_ != value)]


def kids(rows: Iterable[E], **parent: Any) -> list[dict[str, Any]]:
    """The records that are part of another one, as they are shown with it."""
    ((field, key),) = parent.items()
    mine = [row for row in rows if getattr(row, field) == key]
    return [row.model_dump(mode="json", exclude={field}, exclude_none=True) for row in mine]


def off(**switches: Any) -> tuple[str, ...]:
    """The names of the parts that are not shown: those whose switches are not on."""
    return tuple(name for name, on in switches.items() if not on)


def page(
    rows: Sequence[E],
    name: str,
    *,
    limit: Any = None,
    cursor: Any = None,
    before: Any = None,
    offset: Any = None,
    number: Any = None,
    onward: str = "next_cursor",
    stated: bool = False,
    only: Sequence[str] | None = None,
    hide: Collection[str] = (),
    each: Callable[[E], dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Some of the rows as `shown`, under their kind's name, with the total and the next cursor.

    A cursor is what an earlier page gave, or the key of the row after (before) which to go on.
    Where the server states its results, what is empty is left out. `only`, `hide` and `each`
    are those of `shown`.
    """
    size = 50 if limit is None else _number(limit, "page size")
    start = 0 if offset is None else _number(offset, "offset")
    if cursor is not None:
        start = _place(rows, cursor, 1)
    elif before is not None:
        start = max(0, _place(rows, before, 0) - size)
    elif number is not None:
        start = max(0, _number(number, "page") - 1) * size
    if size < 1 or start < 0:
        raise ToolError("invalid_argument", "page sizes count from 1, offsets from 0")
    end = start + size
    more = f"c{end}" if end < len(rows) else None
    shown_rows = [
        shown(row, stated=stated, only=only, hide=hide, each=each) for row in rows[start:end]
    ]
    found_page = {name: shown_rows, "total": len(rows), onward: more}
    if stated:
        found_page = {key: value for key, value in found_page.items() if value is not None}
    return found_page


def _place(rows: Sequence[E], cursor: Any, after: int) -> int:
    """The index that a cursor stands for; ToolError where it is neither place nor key."""
    for index, row in enumerate(rows):
        if row.id == cursor:
            return index + after
    if not str(cursor).removeprefix("c").isdecimal():
        raise ToolError("invalid_argument", f"cursor {str(cursor)[:40]!r} is not from a page")
    return int(str(cursor).removeprefix("c"))


def _number(value: Any, what: str) -> int:
    """A whole number, also as text; ToolError(invalid_argument) otherwise."""
    try:
        return int(value)
    except (TypeError, ValueError):
        why = f"{what} {str(value)[:40]!r} is not a number"
        raise ToolError("invalid_argument", why) from None
