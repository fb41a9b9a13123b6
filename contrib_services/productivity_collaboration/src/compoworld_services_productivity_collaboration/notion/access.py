"""Checks that the tools share: ids, who calls, what may be edited, JSON arguments."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel

from compoworld_core import Context, ToolError
from compoworld_core.resources import check, require
from compoworld_services_productivity_collaboration.notion.state import (
    Block,
    DataSource,
    NotionState,
    Page,
    User,
)

PAGE = 25
"""Most pages or blocks of one answer: Notion may give fewer than asked for."""
TEXT_LIMIT = 2000
"""Characters of one rich-text item."""

_COMPACT = re.compile(r"[0-9a-f]{32}")


def key(value: str) -> str:
    """An id in its dashed form; people also write it without dashes."""
    if _COMPACT.fullmatch(value):
        return "-".join((value[:8], value[8:12], value[12:16], value[16:20], value[20:]))
    return value


def me(state: NotionState, ctx: Context) -> User:
    """The member whose integration calls."""
    user = state.users.first(email=ctx.actor)
    if user is None:
        raise ToolError("permission_denied", f"{ctx.actor} is no member of this workspace")
    return user


def page(state: NotionState, page_id: str) -> Page:
    """A page, in the trash or not."""
    return require(state.pages, key(page_id), "page")


def editable(state: NotionState, page_id: str) -> Page:
    """A page that is neither locked nor in the trash."""
    found = page(state, page_id)
    check(
        not found.in_trash,
        "failed_precondition",
        f"page {found.id} is in the trash; restore it with in_trash false first",
    )
    check(
        not found.is_locked,
        "permission_denied",
        f"page {found.title[:80]!r} is locked; only comments are possible",
    )
    return found


def data_source(state: NotionState, data_source_id: str) -> DataSource:
    """A data source by its own id, or by that of a database that has just one."""
    wanted = key(data_source_id)
    if wanted not in state.data_sources and wanted in state.databases:
        held = state.data_sources.where(database_id=wanted)
        if len(held) == 1:
            return held[0]
        options = ", ".join(f"{row.id} ({row.title})" for row in held)
        raise ToolError("invalid_argument", f"this is a database; its data sources: {options}")
    return require(state.data_sources, wanted, "data source")


def place(state: NotionState, block_id: str) -> tuple[Page, Block | None]:
    """The page, and the block if the id is of one, that content hangs on."""
    wanted = key(block_id)
    block = state.blocks.get(wanted)
    if block is None:
        return require(state.pages, wanted, "page or block"), None
    return page(state, block.page_id), block


def decoded(value: Any, name: str) -> Any:
    """An argument that came as JSON or as JSON text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise ToolError(
            "invalid_argument", f"{name} is text that is not JSON: {value[:60]!r}"
        ) from error


def mapping(value: Any, name: str) -> dict[str, Any]:
    """An argument that must be a JSON object."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_unset=True)
    found = decoded(value, name)
    check(isinstance(found, dict), "invalid_argument", f"{name} must be a JSON object")
    return dict(found)


def rich_text(value: Any, name: str) -> str:
    """The plain text of a rich-text array."""
    if isinstance(value, list):
        value = [mapping(item, name) if isinstance(item, BaseModel) else item for item in value]
    items = decoded(value, name) if isinstance(value, str) and value[:1] in "[{" else value
    if isinstance(items, str | dict):
        items = [items]
    check(isinstance(items, list), "invalid_argument", f"{name} must be an array of rich text")
    return "".join(_run(item, name) for item in items)


def _run(item: Any, name: str) -> str:
    if isinstance(item, str) and item[:1] == "{":
        item = decoded(item, name)
    text: Any = item
    if isinstance(item, dict):
        inner = item.get("text")
        text = inner.get("content") if isinstance(inner, dict) else item.get("plain_text")
    if not isinstance(text, str):
        raise ToolError(
            "invalid_argument",
            f'{name} holds items like {{"text": {{"content": "…"}}}}, not {str(item)[:60]}',
        )
    check(
        len(text) <= TEXT_LIMIT,
        "invalid_argument",
        f"one item of {name} has {len(text)} characters; at most {TEXT_LIMIT} are allowed",
    )
    return text


def parent(state: NotionState, value: Any) -> dict[str, str | None]:
    """Where a page shall be: the page fields that a parent object stands for."""
    found = mapping(value, "parent")
    if found.get("workspace") is True or found.get("type") == "workspace":
        return {"data_source_id": None, "parent_page_id": None}
    for name in ("page_id", "data_source_id", "database_id"):
        given = found.get(name)
        if not isinstance(given, str):
            continue
        if name == "page_id":
            return {"data_source_id": None, "parent_page_id": editable(state, given).id}
        return {"data_source_id": data_source(state, given).id, "parent_page_id": None}
    raise ToolError(
        "invalid_argument",
        'parent is {"page_id": …}, {"data_source_id": …} or {"type": "workspace"}',
    )
