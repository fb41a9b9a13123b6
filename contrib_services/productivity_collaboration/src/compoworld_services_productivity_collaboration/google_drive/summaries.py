"""Items in a list: their summary, their link, their order."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from compoworld_core import Ref, ToolError
from compoworld_core.types import DateTime, Email, FileName, Quantity, Url
from compoworld_services_productivity_collaboration.google_drive.access import Item
from compoworld_services_productivity_collaboration.google_drive.query import mime_type
from compoworld_services_productivity_collaboration.google_drive.state import (
    DOCUMENT,
    SHEET,
    SLIDES,
    File,
    Folder,
    SharedDrive,
)

_ORDERS: dict[str, Any] = {
    "createdTime": lambda row: row.created_time,
    "folder": lambda row: not isinstance(row, Folder),
    "modifiedByMeTime": lambda row: row.modified_time,
    "modifiedTime": lambda row: row.modified_time,
    "name": lambda row: row.name.casefold(),
    "name_natural": lambda row: row.name.casefold(),
    "quotaBytesUsed": lambda row: row.size if isinstance(row, File) else 0,
    "recency": lambda row: row.modified_time,
    "sharedWithMeTime": lambda row: row.created_time,
    "starred": lambda row: row.starred,
    "viewedByMeTime": lambda row: row.modified_time,
}


class ItemSummary(BaseModel):
    """A file or folder in a list: everything but its content."""

    model_config = ConfigDict(extra="forbid")

    id: str
    name: FileName
    mime_type: str
    parent_id: Ref[Folder] | None = None
    drive_id: Ref[SharedDrive] | None = None
    owner: Email | None = None
    starred: bool = False
    trashed: bool = False
    modified_time: DateTime | None = None
    modified_by: Email | None = None
    size: Quantity | None = None
    web_view_link: Url | None = None


def summary(row: Item, *, detailed: bool = True) -> ItemSummary:
    """The summary of an item."""
    return ItemSummary.model_construct(
        id=row.id,
        name=row.name,
        mime_type=mime_type(row),
        parent_id=row.parent_id,
        drive_id=row.drive_id,
        owner=row.owner,
        starred=row.starred,
        trashed=row.trashed,
        modified_time=row.modified_time if detailed else None,
        modified_by=row.modified_by if detailed else None,
        size=row.size if detailed and isinstance(row, File) else None,
        web_view_link=link(row) if detailed else None,
    )


def link(row: Item) -> str:
    """The address of an item."""
    if isinstance(row, Folder):
        return f"https://drive.example/drive/folders/{row.id}"
    kinds = {DOCUMENT: "document", SHEET: "spreadsheets", SLIDES: "presentation"}
    return f"https://drive.example/{kinds.get(row.mime_type, 'file')}/d/{row.id}/view"


def sorted_items(rows: list[Item], order_by: str | None) -> list[Item]:
    """Items in the asked order; ToolError names the keys that there are."""
    for part in reversed([p for p in (order_by or "").split(",") if p.strip()]):
        key, _, direction = part.strip().partition(" ")
        if key not in _ORDERS or direction.strip() not in ("", "desc", "asc"):
            raise ToolError(
                "invalid_argument",
                f"order_by {part.strip()[:40]!r}; use one of {', '.join(_ORDERS)}, "
                "with desc after it to reverse",
            )
        rows = sorted(rows, key=_ORDERS[key], reverse=direction.strip() == "desc")
    return rows
