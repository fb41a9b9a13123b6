"""Tools that find pages: the search by title, and queries of a data source."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from compoworld_core import UNSET, Forms, Ref, ToolError
from compoworld_core.resources import Page as Listed
from compoworld_core.resources import check, paginate, search
from compoworld_core.types import Title
from compoworld_services_productivity_collaboration.notion import access, columns, filters
from compoworld_services_productivity_collaboration.notion.state import (
    DataSource,
    NotionState,
    Page,
    Property,
    service,
)

Filter = Annotated[
    dict[str, Any] | str,
    Forms(
        title={"property": "Name", "title": {"equals": "{}"}},
        status={"property": "Status", "status": {"equals": "{}"}},
        email={"property": "Email", "email": {"equals": "{}"}},
        phone={"property": "Phone", "phone_number": {"equals": "{}"}},
        company={"property": "Company", "rich_text": {"equals": "{}"}},
        reference={"property": "Reference", "rich_text": {"equals": "{}"}},
        owner_id={"property": "Owner", "people": {"contains": "{}"}},
        due={"property": "Due", "date": {"equals": "{}"}},
        tags={"property": "Tags", "multi_select": {"contains": "{}"}},
    ),
]


class Found(Listed[Page]):
    """Pages that a search found; tables that it found come with the first of them."""

    data_sources: list[DataSource]


@service.tool(name="API-post-search", read_only=True)
def post_search(
    state: NotionState,
    query: Title = UNSET,
    filter: dict[str, Any] | str = UNSET,
    sort: dict[str, Any] | str = UNSET,
    start_cursor: str = UNSET,
    page_size: int = 100,
) -> Found:
    """Find pages and data sources by words in their title; what is in the trash is left out.

    Pages are listed as items, page by page; data sources that match come with the first page.

    Args:
        query: words that the title has; all titles without it.
        filter: {"property": "object", "value": "page"} or "data_source".
        sort: {"timestamp": "last_edited_time", "direction": "ascending" or "descending"}.
        start_cursor: next_cursor of the answer before.
        page_size: how many to return, at most 100; an answer may hold fewer.
    """
    only = _object(filter)
    words = query or ""
    pages = [p for p in search(state.pages, words, ("title",)) if not p.in_trash]
    if sort is not UNSET:
        wanted = access.mapping(sort, "sort")
        check(
            wanted.get("timestamp", "last_edited_time") == "last_edited_time",
            "invalid_argument",
            "a search is sorted by last_edited_time only",
        )
        pages.sort(key=lambda p: (p.last_edited_time, p.id), reverse=_falling(wanted))
    if only == "data_source":
        pages = []
    part = paginate(pages, min(page_size, access.PAGE), start_cursor or None)
    tables = [] if only == "page" or start_cursor else list(state.data_sources)
    return Found(
        items=part.items,
        total=part.total,
        next_cursor=part.next_cursor,
        data_sources=search(tables, words, ("title",)),
    )


@service.tool(name="API-query-data-source", read_only=True)
def query_data_source(
    state: NotionState,
    data_source_id: Ref[DataSource],
    filter: Filter = UNSET,
    filter_properties: list[str] = UNSET,
    sorts: list[dict[str, Any] | str] = UNSET,
    start_cursor: str = UNSET,
    page_size: int = 100,
    archived: bool = UNSET,
    in_trash: bool = UNSET,
) -> Listed[Page]:
    """List the rows of a data source that pass a filter.

    Args:
        data_source_id: id of the data source.
        filter: {"property": name, type: {operator: value}}, joined by {"and": […]} or
            {"or": […]}; or {"timestamp": "created_time", "created_time": {"after": date}}.
        filter_properties: names or ids of the columns to show; the others come back empty.
        sorts: {"property": name, "direction": "ascending"}, or with "timestamp".
        start_cursor: next_cursor of the answer before.
        page_size: how many to return, at most 100; an answer may hold fewer.
        archived: the same as in_trash.
        in_trash: rows in the trash instead of the others.
    """
    source = access.data_source(state, data_source_id)
    equal: dict[str, Any] = {}
    test: filters.Test | None = None
    if filter is not UNSET:
        test = filters.compiled(filter, source.properties)
        equal = filters.equality(filter, source.properties)
    rows = state.pages.where(data_source_id=source.id, **equal)
    if equal and not rows:
        rows = state.pages.where(data_source_id=source.id)
    trashed = bool(in_trash or archived)
    rows = [p for p in rows if p.in_trash is trashed and (test is None or test(p))]
    for order in reversed([] if sorts is UNSET else sorts):
        _sort(rows, access.mapping(order, "sorts"), source.properties)
    if filter_properties is not UNSET:
        rows = [_projected(p, source.properties, filter_properties) for p in rows]
    return paginate(rows, min(page_size, access.PAGE), start_cursor or None)


def projected(state: NotionState, page: Page, names: list[str]) -> Page:
    """A page that shows only some of its columns."""
    return _projected(page, columns.schema(state, page), names)


def _projected(page: Page, schema: tuple[Property, ...], names: list[str]) -> Page:
    kept = tuple(columns.find(schema, name) for name in names)
    empty = columns.cleared(kept, page)
    return page.model_copy(update=empty) if empty else page


def _object(filter: Any) -> str:
    """Which kind of object a search asks for; empty for all."""
    if filter is UNSET:
        return ""
    found = access.mapping(filter, "filter")
    check(
        found.get("property", "object") == "object"
        and found.get("value") in ("page", "data_source"),
        "invalid_argument",
        'the filter of a search is {"property": "object", "value": "page"} or "data_source"',
    )
    return str(found["value"])


def _falling(order: dict[str, Any]) -> bool:
    direction = order.get("direction", "ascending")
    check(
        direction in ("ascending", "descending"),
        "invalid_argument",
        "direction is ascending or descending",
    )
    return bool(direction == "descending")


def _sort(rows: list[Page], order: dict[str, Any], schema: tuple[Property, ...]) -> None:
    """Sort in place, stably; empty values stand last in both directions."""
    falling = _falling(order)
    stamp = order.get("timestamp")
    if stamp is not None:
        check(
            stamp in ("created_time", "last_edited_time"),
            "invalid_argument",
            "timestamp is created_time or last_edited_time",
        )
        rows.sort(key=lambda p: getattr(p, stamp).timestamp(), reverse=falling)
        return
    name = order.get("property")
    if not isinstance(name, str):
        raise ToolError("invalid_argument", 'a sort is {"property": name, "direction": …}')
    column = columns.find(schema, name)

    def key(page: Page) -> Any:
        held = columns.value_of(page, column)
        if column.type == "status" and held in column.options:
            return column.options.index(held)
        if isinstance(held, str):
            return held.casefold()
        return held.toordinal() if isinstance(held, date) else held

    filled = [p for p in rows if columns.value_of(p, column) not in (None, (), "")]
    empty = [p for p in rows if columns.value_of(p, column) in (None, (), "")]
    filled.sort(key=key, reverse=falling)
    rows[:] = filled + empty
