"""The kit that most business tools are made of: pages, filters, search, partial updates.

Plain functions for written tools, and :class:`Resource`, which makes whole tools from a typed
entity under the names and parameters that the real service uses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, Signature
from typing import Annotated, Any, Generic, TypeVar

from attrs import frozen
from pydantic import BaseModel, ConfigDict, Field

from compoworld_core.context import Context
from compoworld_core.errors import ErrorCode, ToolError
from compoworld_core.observation import closest
from compoworld_core.schema import UNSET
from compoworld_core.service import Service
from compoworld_core.state import Entity
from compoworld_core.table import Key, Table

E = TypeVar("E", bound=Entity)
T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    """A part of a list."""

    model_config = ConfigDict(extra="forbid")

    items: list[T]
    total: int
    """How many there are in all."""
    next_cursor: str | None = Field(
        None, description="Pass it on to get the next page; null on the last one."
    )


_PAGE = Page[Any]  # made once: each subscription costs some ten microseconds


def require(table: Table[E], key: Key, noun: str) -> E:
    """The row of this key, or ToolError(not_found) naming close keys."""
    row = table.get(key)
    if row is None:
        near = closest(str(key), [str(known) for known in table.keys()[:500]])
        raise ToolError("not_found", f"no {noun} {str(key)[:80]!r}. {near}")
    return row


def check(condition: bool, code: ErrorCode, message: str) -> None:
    """ToolError unless the condition holds."""
    if not condition:
        raise ToolError(code, message)


def given(**fields: Any) -> dict[str, Any]:
    """The fields that the caller gave: those that are not UNSET."""
    return {name: value for name, value in fields.items() if value is not UNSET}


def paginate(rows: Sequence[T], limit: int, cursor: str | None = None) -> Page[T]:
    """The page of at most `limit` rows that starts at the cursor of an earlier page."""
    start = 0
    if cursor:
        found = re.fullmatch(r"c([0-9]{1,9})", cursor)
        if not found:
            what = f"cursor {cursor[:40]!r} is not one from a page"
            raise ToolError("invalid_argument", what)
        start = int(found[1])
    return _page(rows, start, limit)


def numbered(rows: Sequence[T], page: int, per_page: int) -> Page[T]:
    """The n-th page (from 1) of `per_page` rows; `next_cursor` is the next page's number."""
    if page < 1 or per_page < 1:
        raise ToolError("invalid_argument", "page and page size count from 1")
    start = min((page - 1) * per_page, len(rows))
    part = _page(rows, start, per_page)
    more = str(page + 1) if part.next_cursor else None
    return part.model_copy(update={"next_cursor": more})


def _page(rows: Sequence[T], start: int, limit: int) -> Page[T]:
    if limit < 1:
        raise ToolError("invalid_argument", "the page size must be at least 1")
    end = start + limit
    more = f"c{end}" if end < len(rows) else None
    return _PAGE.model_construct(items=list(rows[start:end]), total=len(rows), next_cursor=more)


def search(rows: Iterable[E], query: str, fields: tuple[str, ...]) -> list[E]:
    """The rows that contain every word of the query in these text fields, in row order."""
    name = _cache_name(fields)
    found = [(row.__dict__.get(name) or folded(row, fields), row) for row in rows]
    for word in query.casefold().split():  # a word at a time: each pass leaves fewer rows
        found = [pair for pair in found if word in pair[0]]
    return [row for _, row in found]


def folded(row: Entity, fields: tuple[str, ...]) -> str:
    """The case-folded text of some fields, computed once per record."""
    name = _cache_name(fields)
    text = row.__dict__.get(name)
    if text is None:
        values = (row.__dict__[field] for field in fields)
        text = "\n".join(_words(value) for value in values if value is not None).casefold()
        row.__dict__[name] = text
    return text


def _cache_name(fields: tuple[str, ...]) -> str:
    return "\0" + ",".join(fields)


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return " ".join(_words(item) for item in value)
    return str(value)


def transition(current: str, to: str, allowed: Mapping[str, Iterable[str]], noun: str) -> None:
    """ToolError(failed_precondition) unless `current` may become `to`."""
    targets = list(allowed.get(current, ()))
    if to not in targets:
        options = f"it can become: {', '.join(targets)}" if targets else "it cannot change"
        raise ToolError("failed_precondition", f"{noun} is {current}; {options}")


@frozen
class Filter:
    """A parameter of a list tool: which field it compares, and how."""

    field: str
    type: Any
    match: str = "eq"
    """`eq`, `contains` (case-insensitive part), `has` (member of a tuple), `from`, `to`."""
    about: str = ""

    def keeps(self, row: Entity, value: Any) -> bool:
        """Does the row pass this filter?"""
        held = getattr(row, self.field)
        if held is None:
            return False
        if self.match == "contains":
            return str(value).casefold() in str(held).casefold()
        if self.match == "has":
            return value in held
        if self.match == "from":
            return bool(held >= value)
        if self.match == "to":
            return bool(held <= value)
        return bool(held == value)


@frozen
class Resource:
    """Tools over one table of a service, in the names that the real service uses."""

    service: Service[Any]
    entity: type[Entity]
    table: str
    noun: str

    def getter(self, name: str, key: str, key_type: Any, doc: str) -> None:
        """`name(key)`: the row of this key."""

        def tool(state: Any, **arguments: Any) -> Any:
            return require(getattr(state, self.table), arguments[key], self.noun)

        self._add(tool, name, {key: (key_type, ...)}, self.entity, doc, read_only=True)

    def lister(
        self,
        name: str,
        filters: Mapping[str, Filter],
        doc: str,
        *,
        limit: tuple[str, int, int] = ("limit", 20, 100),
        cursor: str = "cursor",
        newest_first: str = "",
    ) -> None:
        """`name(*filters, limit, cursor)`: a page of the rows that pass all given filters.

        Args:
            name: the tool's name.
            filters: parameter → what it compares.
            doc: the tool's docstring.
            limit: the page-size parameter's name, default and maximum.
            cursor: the cursor parameter's name.
            newest_first: a field to sort by, falling; empty keeps the rows' own order.
        """
        size, default, most = limit

        def tool(state: Any, **arguments: Any) -> Any:
            table: Table[Entity] = getattr(state, self.table)
            chosen = [(f, arguments[p]) for p, f in filters.items() if arguments[p] is not None]
            equal = {f.field: value for f, value in chosen if f.match == "eq"}
            rest = [(f, value) for f, value in chosen if f.match != "eq"]
            rows = [r for r in table.where(**equal) if all(f.keeps(r, v) for f, v in rest)]
            if newest_first:
                rows.sort(key=lambda row: getattr(row, newest_first), reverse=True)
            return paginate(rows, min(arguments[size], most), arguments[cursor])

        parameters: dict[str, tuple[Any, Any]] = {
            parameter: (filter_.type | None, None) for parameter, filter_ in filters.items()
        }
        parameters[size] = (int, default)
        parameters[cursor] = (str | None, None)
        page: Any = Page[self.entity]  # type: ignore[name-defined]  # a runtime generic
        self._add(tool, name, parameters, page, doc, read_only=True)

    def searcher(self, name: str, query: str, fields: tuple[str, ...], doc: str) -> None:
        """`name(query, limit, cursor)`: rows whose text contains every word of the query."""

        def tool(state: Any, **arguments: Any) -> Any:
            rows = search(getattr(state, self.table), arguments[query], fields)
            return paginate(rows, min(arguments["limit"], 100), arguments["cursor"])

        parameters = {query: (str, ...), "limit": (int, 20), "cursor": (str | None, None)}
        page: Any = Page[self.entity]  # type: ignore[name-defined]  # a runtime generic
        self._add(tool, name, parameters, page, doc, read_only=True)

    def updater(
        self,
        name: str,
        key: str,
        key_type: Any,
        fields: Sequence[str],
        doc: str,
        *,
        stamp: str = "",
        guard: Callable[[Any, Any, dict[str, Any]], None] | None = None,
    ) -> None:
        """`name(key, *fields)`: a partial update; omitted fields stay.

        Args:
            name: the tool's name.
            key: the parameter that names the row.
            key_type: its type.
            fields: fields that may change, under their own names and types.
            doc: the tool's docstring.
            stamp: a field that takes the time of the change.
            guard: `(state, row, changes)`: raises ToolError where the change is not allowed.
        """

        def tool(state: Any, ctx: Context, **arguments: Any) -> Any:
            table: Table[Entity] = getattr(state, self.table)
            row = require(table, arguments.pop(key), self.noun)
            changes = given(**arguments)
            what = f"name a field to change: {', '.join(fields)}"
            check(bool(changes), "invalid_argument", what)
            if guard:
                guard(state, row, changes)
            if stamp:
                changes[stamp] = ctx.now
            return table.update(row.id, **changes)

        types = {n: _annotation(self.entity, n) for n in fields}
        parameters = {key: (key_type, ...), **{n: (t, UNSET) for n, t in types.items()}}
        self._add(tool, name, parameters, self.entity, doc, context=True)

    def deleter(self, name: str, key: str, key_type: Any, doc: str) -> None:
        """`name(key)`: take the row out; returns it."""

        def tool(state: Any, **arguments: Any) -> Any:
            table: Table[Entity] = getattr(state, self.table)
            return table.delete(require(table, arguments[key], self.noun).id)

        self._add(tool, name, {key: (key_type, ...)}, self.entity, doc, destructive=True)

    def _add(
        self,
        function: Callable[..., Any],
        name: str,
        parameters: Mapping[str, tuple[Any, Any]],
        result: Any,
        doc: str,
        *,
        context: bool = False,
        read_only: bool = False,
        destructive: bool = False,
    ) -> None:
        """Give a generic function the signature, hints and docstring of one tool."""
        hints: dict[str, Any] = {"state": self.service.state}
        listed = [Parameter("state", Parameter.POSITIONAL_ONLY)]
        if context:
            hints["ctx"] = Context
            listed.append(Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=Context))
        for parameter, (annotation, default) in parameters.items():
            hints[parameter] = annotation
            value = Parameter.empty if default is ... else default
            keyword = Parameter.KEYWORD_ONLY
            listed.append(Parameter(parameter, keyword, default=value, annotation=annotation))
        hints["return"] = result
        function.__name__ = function.__qualname__ = name.replace("-", "_")
        function.__doc__ = doc
        function.__annotations__ = hints
        function.__signature__ = Signature(listed)  # type: ignore[attr-defined]  # read by inspect
        self.service.tool(name=name, read_only=read_only, destructive=destructive)(function)


def _annotation(entity: type[Entity], name: str) -> Any:
    """A field's type as a parameter's type, its markers kept."""
    info = entity.model_fields[name]
    hint: Any = info.annotation
    for marker in info.metadata:
        hint = Annotated[hint, marker]
    return hint
