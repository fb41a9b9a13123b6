"""Tools for pages: read, create, change, move."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from compoworld_core import UNSET, Context, Ref
from compoworld_core.resources import check
from compoworld_services_productivity_collaboration.notion import (
    access,
    columns,
    requests,
    tools_blocks,
)
from compoworld_services_productivity_collaboration.notion.state import (
    NotionState,
    Page,
    new_id,
    service,
)
from compoworld_services_productivity_collaboration.notion.tools_query import projected

Values = requests.PageValues | dict[str, Any] | str
NewValues = requests.NewPageValues | dict[str, Any] | str
Parent = requests.RowParent | dict[str, Any] | str


class PropertyValue(BaseModel):
    """One value of a page."""

    page_id: Ref[Page]
    id: str
    name: str
    type: str
    value: Any


class PageMarkdown(BaseModel):
    """A page's content as Markdown."""

    id: Ref[Page]
    title: str
    markdown: str


@service.tool(name="API-retrieve-a-page", read_only=True)
def retrieve_page(
    state: NotionState, page_id: Ref[Page], filter_properties: str = UNSET
) -> Page:
    """Show a page with the values of its columns; its content is in its blocks.

    Args:
        page_id: id of the page.
        filter_properties: names of the columns to show, with commas; others come back empty.
    """
    page = access.page(state, page_id)
    names = [name.strip() for name in (filter_properties or "").split(",") if name.strip()]
    return projected(state, page, names) if names else page


@service.tool(name="API-retrieve-a-page-property", read_only=True)
def retrieve_page_property(
    state: NotionState,
    page_id: Ref[Page],
    property_id: str,
    page_size: int = UNSET,
    start_cursor: str = UNSET,
) -> PropertyValue:
    """Show one value of a page.

    Args:
        page_id: id of the page.
        property_id: id or name of the column.
        page_size: kept for compatibility; a value always comes whole.
        start_cursor: kept for compatibility.
    """
    page = access.page(state, page_id)
    column = columns.find(columns.schema(state, page), property_id)
    return PropertyValue(
        page_id=page.id,
        id=column.id,
        name=column.name,
        type=column.type,
        value=columns.value_of(page, column),
    )


@service.tool(name="API-retrieve-page-markdown", read_only=True)
def retrieve_page_markdown(
    state: NotionState, page_id: Ref[Page], include_transcript: bool = False
) -> PageMarkdown:
    """Read the content of a page as Markdown.

    Args:
        page_id: id of the page.
        include_transcript: has no effect here: no page holds a meeting transcript.
    """
    page = access.page(state, page_id)
    text = tools_blocks.markdown(state, page)
    return PageMarkdown(id=page.id, title=page.title, markdown=text)


@service.tool(name="API-post-page")
def post_page(
    state: NotionState,
    ctx: Context,
    parent: Parent,
    properties: NewValues,
    children: tools_blocks.Children = UNSET,
    icon: str = UNSET,
    cover: str = UNSET,
) -> Page:
    """Create a page: a row of a data source, or a page inside another page.

    Args:
        parent: {"data_source_id": …} for a row, {"page_id": …}, or {"type": "workspace"}.
        properties: values by column name; a page that is no row has only its title.
        children: content, as for API-patch-block-children.
        icon: an emoji, or {"emoji": …} as JSON text.
        cover: address of an image, or {"external": {"url": …}} as JSON text.
    """
    author = access.me(state, ctx).id
    place = access.parent(state, parent)
    source_id = place["data_source_id"]
    schema = state.data_sources[source_id].properties if source_id else columns.ONLY_TITLE
    values = columns.changes(state, schema, access.mapping(properties, "properties"), None)
    check("title" in values, "invalid_argument", "properties must hold the title")
    fields = {**place, **values}
    if icon is not UNSET:
        fields["icon"] = _icon(icon)
    if cover is not UNSET:
        fields["cover"] = _cover(cover)
    page = Page(
        id=new_id(ctx),
        created_by=author,
        created_time=ctx.now,
        last_edited_time=ctx.now,
        **fields,
    )
    state.pages.insert(page)
    if children is not UNSET and children:
        tools_blocks.append(state, ctx, page.id, None, children)
    return page


@service.tool(name="API-patch-page")
def patch_page(
    state: NotionState,
    ctx: Context,
    page_id: Ref[Page],
    properties: Values = UNSET,
    in_trash: bool = UNSET,
    archived: bool = UNSET,
    icon: dict[str, Any] | str = UNSET,
    cover: dict[str, Any] | str = UNSET,
) -> Page:
    """Change values, icon or cover of a page, or move it to the trash and back.

    Args:
        page_id: id of the page.
        properties: values by column name; those not named stay, null empties one.
        in_trash: true moves the page to the trash, false restores it.
        archived: the same as in_trash.
        icon: {"emoji": …}.
        cover: {"external": {"url": …}}.
    """
    page = access.page(state, page_id)
    fields: dict[str, Any] = {}
    trashed = archived if in_trash is UNSET else in_trash
    if trashed is not UNSET:
        fields["in_trash"] = trashed
    if trashed is UNSET or trashed:
        access.editable(state, page.id)
    else:
        check(not page.is_locked, "permission_denied", f"page {page.id} is locked")
    if properties is not UNSET:
        given = access.mapping(properties, "properties")
        fields |= columns.changes(state, columns.schema(state, page), given, page)
    if icon is not UNSET:
        fields["icon"] = _icon(icon)
    if cover is not UNSET:
        fields["cover"] = _cover(cover)
    check(bool(fields), "invalid_argument", "give properties, in_trash, icon or cover")
    return state.pages.update(page.id, **fields, last_edited_time=ctx.now)


@service.tool(name="API-move-page")
def move_page(state: NotionState, ctx: Context, page_id: Ref[Page], parent: Parent) -> Page:
    """Move a page; values for which the new place has no column are emptied.

    Args:
        page_id: id of the page.
        parent: {"page_id": …}, {"data_source_id": …} or {"type": "workspace"}.
    """
    page = access.editable(state, page_id)
    place = access.parent(state, parent)
    above = place["parent_page_id"]
    while above is not None:
        check(above != page.id, "failed_precondition", "a page cannot be moved into itself")
        above = state.pages[above].parent_page_id
    source_id = place["data_source_id"]
    schema = state.data_sources[source_id].properties if source_id else columns.ONLY_TITLE
    fields = {**columns.cleared(schema, page), **place}
    return state.pages.update(page.id, **fields, last_edited_time=ctx.now)


def _icon(value: Any) -> str | None:
    if isinstance(value, str) and value[:1] != "{":
        emoji: Any = value
    else:
        emoji = access.mapping(value, "icon").get("emoji")
    check(
        isinstance(emoji, str) and 0 < len(emoji) <= 16 and not emoji.isascii(),
        "invalid_argument",
        "icon is one emoji",
    )
    return str(emoji)


def _cover(value: Any) -> str:
    url: Any = value
    if not isinstance(value, str) or value[:1] == "{":
        external = access.mapping(value, "cover").get("external")
        url = external.get("url") if isinstance(external, dict) else None
    check(
        isinstance(url, str) and url.startswith("http") and len(url) <= 2000,
        "invalid_argument",
        'cover is {"external": {"url": "https://…"}}',
    )
    return str(url)
