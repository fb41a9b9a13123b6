"""Tools that find and read: search, folder listings, contents, links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict

from compoworld_core import Context, Forms, Ref
from compoworld_core.resources import Page, check, paginate, require
from compoworld_core.types import FileName, Url
from compoworld_services_productivity_collaboration.google_drive.access import (
    RANK,
    Item,
    file,
    folder,
    item,
    place,
    profile,
    role,
    shares,
    trashed_folders,
)
from compoworld_services_productivity_collaboration.google_drive.query import (
    Search,
    mime_type,
    parse,
)
from compoworld_services_productivity_collaboration.google_drive.state import (
    DOCUMENT,
    FOLDER,
    NATIVE,
    SHEET,
    SLIDES,
    Account,
    DriveState,
    File,
    Folder,
    Role,
    SharedDrive,
    service,
)
from compoworld_services_productivity_collaboration.google_drive.summaries import (
    ItemSummary,
    link,
    sorted_items,
    summary,
)

Query = Annotated[
    str,
    Forms(
        **{
            "files.name": "name = '{}'",
            "files.content": "fullText contains '\"{}\"'",
            "files.owner": "'{}' in owners",
            "files.parent_id": "'{}' in parents",
            "files.mime_type": "mimeType = '{}'",
            "permissions.email": "'{}' in writers",
        }
    ),
]
_TYPES = {
    "folder": FOLDER,
    "document": DOCUMENT,
    "doc": DOCUMENT,
    "spreadsheet": SHEET,
    "sheet": SHEET,
    "presentation": SLIDES,
    "slides": SLIDES,
    "form": "application/vnd.google-apps.form",
    "drawing": "application/vnd.google-apps.drawing",
    "shortcut": "application/vnd.google-apps.shortcut",
    "script": "application/vnd.google-apps.script",
    "site": "application/vnd.google-apps.site",
    "jam": "application/vnd.google-apps.jam",
    "jamboard": "application/vnd.google-apps.jam",
    "pdf": "application/pdf",
}
_EXPORTS = {
    DOCUMENT: ("pdf", "docx"),
    SHEET: ("xlsx", "csv", "pdf"),
    SLIDES: ("pdf", "pptx"),
}
_CORPORA = ("user", "domain", "drive", "allDrives")
_MOST = 40
"""Items on a page at most: more would not fit into one answer."""


class DownloadLink(BaseModel):
    """Where a file can be downloaded."""

    model_config = ConfigDict(extra="forbid")

    id: str
    name: FileName
    format: str
    download_url: Url


class ShareLink(BaseModel):
    """A link to pass on, and who can open it."""

    model_config = ConfigDict(extra="forbid")

    id: str
    name: FileName
    web_view_link: Url
    link_sharing: Role | None
    """What anyone with the link may do; null where the link alone opens nothing."""
    shared: bool


@service.tool(read_only=True, idempotent=True)
def search_drive_files(
    state: DriveState,
    ctx: Context,
    user_google_email: Account,
    query: Query,
    page_size: int = 10,
    page_token: str | None = None,
    drive_id: Ref[SharedDrive] | None = None,
    include_items_from_all_drives: bool = True,
    corpora: str | None = None,
    file_type: str | None = None,
    detailed: bool = True,
    order_by: str | None = None,
    include_trashed: bool = False,
) -> Page[ItemSummary]:
    """Find files and folders with Drive's query language, or by plain words.

    Terms: name contains 'x', name = 'x', fullText contains 'x', mimeType = 'x',
    modifiedTime > '2026-03-01', 'id' in parents, 'address' in owners, trashed = true,
    starred = true, sharedWithMe, properties has {key='k' and value='v'}; and, or, not.

    Args:
        user_google_email: address of the account that is signed in.
        query: what to look for; words without operators are looked for in names and contents.
        page_size: how many items a page has, at most 40.
        page_token: `next_cursor` of the page before.
        drive_id: only this shared drive.
        include_items_from_all_drives: look into shared drives too.
        corpora: user, domain, drive or allDrives.
        file_type: folder, document, spreadsheet, presentation, pdf … or a MIME type.
        detailed: show size, times and links.
        order_by: such as `modifiedTime desc` or `folder,name`.
        include_trashed: show what is in the trash too.
    """
    who = profile(state, user_google_email)
    check(bool(query.strip()), "invalid_argument", "the query is empty")
    search = parse(query, state, who.id)
    rows = _candidates(state, search)
    rows = _scoped(state, rows, drive_id, corpora, shared=include_items_from_all_drives)
    rows = _typed(rows, file_type)
    if not (include_trashed or search.trash):
        rows = _kept(state, rows)
    found = sorted_items([row for row in rows if search.test(row)], order_by)
    return _page(found, page_size, page_token, detailed=detailed)


@service.tool(read_only=True, idempotent=True)
def list_drive_items(
    state: DriveState,
    user_google_email: Account,
    folder_id: Ref[Folder] = "root",
    page_size: int = 100,
    page_token: str | None = None,
    drive_id: Ref[SharedDrive] | None = None,
    include_items_from_all_drives: bool = True,
    corpora: str | None = None,
    file_type: str | None = None,
    detailed: bool = True,
    order_by: str | None = None,
    resource_type: str = "items",
    query: str | None = None,
    include_organizers: bool = False,
) -> Page[ItemSummary | SharedDrive]:
    """List what is in a folder, or the shared drives.

    Args:
        user_google_email: address of the account that is signed in.
        folder_id: the folder; root is the top of My Drive, a shared drive's id its top.
        page_size: how many items a page has, at most 40.
        page_token: `next_cursor` of the page before.
        drive_id: the shared drive that folder_id belongs to.
        include_items_from_all_drives: look into shared drives too.
        corpora: user, drive or allDrives.
        file_type: folder, document, spreadsheet, presentation, pdf … or a MIME type.
        detailed: show size, times and links.
        order_by: such as `modifiedTime desc` or `folder,name`.
        resource_type: items, or shared_drives for the drives themselves.
        query: with shared_drives, a part of the drive's name.
        include_organizers: with shared_drives, only for its form; roles are always shown.
    """
    who = profile(state, user_google_email)
    check(
        resource_type in ("items", "shared_drives"),
        "invalid_argument",
        f"resource_type {resource_type[:40]!r}; use items or shared_drives",
    )
    if resource_type == "shared_drives":
        wanted = (query or "").removeprefix("name contains").strip().strip("'").casefold()
        drives = [row for row in state.drives if wanted in row.name.casefold()]
        found = paginate(drives, _size(page_size), page_token)
        return Page[ItemSummary | SharedDrive].model_construct(**found.__dict__)
    check(query is None, "invalid_argument", "query goes with resource_type=shared_drives only")
    at = folder(state, drive_id if drive_id and folder_id == "root" else folder_id)
    parent, drive = place(at)
    rows: list[Item] = [
        *state.folders.where(parent_id=parent, drive_id=drive),
        *state.files.where(parent_id=parent, drive_id=drive),
    ]
    if at is None:  # what others share is not in My Drive
        rows = [row for row in rows if row.owner == who.id]
    rows = _scoped(state, rows, drive_id, corpora, shared=include_items_from_all_drives)
    rows = [row for row in _kept(state, _typed(rows, file_type)) if not row.trashed]
    page = _page(sorted_items(rows, order_by), page_size, page_token, detailed=detailed)
    return Page[ItemSummary | SharedDrive].model_construct(**page.__dict__)


@service.tool(read_only=True, idempotent=True)
def get_drive_file_content(
    state: DriveState, user_google_email: Account, file_id: Ref[File]
) -> File:
    """Show a file with the text in it; sheets as comma-separated values.

    Args:
        user_google_email: address of the account that is signed in.
        file_id: the file.
    """
    profile(state, user_google_email)
    return file(state, file_id)


@service.tool(read_only=True, idempotent=True)
def get_drive_file_download_url(
    state: DriveState,
    ctx: Context,
    user_google_email: Account,
    file_id: Ref[File],
    export_format: str | None = None,
) -> DownloadLink:
    """Give the address from which a file can be downloaded.

    Args:
        user_google_email: address of the account that is signed in.
        file_id: the file.
        export_format: for Google files: pdf, docx, xlsx, csv or pptx.
    """
    who = profile(state, user_google_email)
    row = file(state, file_id)
    check(
        not row.copy_requires_writer_permission
        or RANK[role(state, row, who, ctx.now)] >= RANK["writer"],
        "permission_denied",
        f"viewers may not download {row.name!r}",
    )
    formats = _EXPORTS.get(row.mime_type, ())
    chosen = (export_format or (formats[0] if formats else "original")).casefold()
    check(
        chosen in formats if row.mime_type in NATIVE else export_format is None,
        "invalid_argument",
        f"export_format {chosen[:20]!r} is not possible for this file; "
        f"use one of: {', '.join(formats) or 'none (leave it out)'}",
    )
    url = f"https://drive.example/download/{row.id}/{chosen}"
    return DownloadLink(id=row.id, name=row.name, format=chosen, download_url=url)


@service.tool(read_only=True, idempotent=True)
def get_drive_shareable_link(
    state: DriveState, user_google_email: Account, file_id: Ref[File]
) -> ShareLink:
    """Give the link to a file or folder, and what the link alone opens.

    Args:
        user_google_email: address of the account that is signed in.
        file_id: the file or folder.
    """
    profile(state, user_google_email)
    row = item(state, file_id)
    held = shares(state, row)
    public = next((share.role for share in held if share.type == "anyone"), None)
    return ShareLink(
        id=row.id,
        name=row.name,
        web_view_link=link(row),
        link_sharing=public,
        shared=bool(held) or row.drive_id is not None,
    )


def _candidates(state: DriveState, search: Search) -> list[Item]:
    if search.keys:
        return [*state.folders.where(**search.keys), *state.files.where(**search.keys)]
    return [*state.folders, *state.files]


def _scoped(
    state: DriveState,
    rows: list[Item],
    drive_id: str | None,
    corpora: str | None,
    *,
    shared: bool,
) -> list[Item]:
    check(
        corpora is None or corpora in _CORPORA,
        "invalid_argument",
        f"corpora {(corpora or '')[:40]!r}; use one of: {', '.join(_CORPORA)}",
    )
    if drive_id is not None:
        require(state.drives, drive_id, "shared drive")
        return [row for row in rows if row.drive_id == drive_id]
    check(corpora != "drive", "invalid_argument", "corpora=drive needs a drive_id")
    if corpora in ("user", "domain") or not shared:
        return [row for row in rows if row.drive_id is None]
    return rows


def _typed(rows: list[Item], file_type: str | None) -> list[Item]:
    if file_type is None:
        return rows
    wanted = _TYPES.get(file_type.casefold(), file_type)
    check(
        "/" in wanted,
        "invalid_argument",
        f"file_type {file_type[:40]!r}; use one of {', '.join(_TYPES)}, or a MIME type",
    )
    return [row for row in rows if mime_type(row) == wanted]


def _kept(state: DriveState, rows: list[Item]) -> list[Item]:
    """The items that are not in the trash, nor inside a trashed folder."""
    gone = trashed_folders(state)
    return [row for row in rows if not row.trashed and row.parent_id not in gone]


def _size(page_size: int) -> int:
    check(page_size >= 1, "invalid_argument", "page_size must be at least 1")
    return min(page_size, _MOST)


def _page(
    rows: Sequence[Item], page_size: int, page_token: str | None, *, detailed: bool
) -> Page[ItemSummary]:
    page = paginate(rows, _size(page_size), page_token)
    return Page[ItemSummary].model_construct(
        items=[summary(row, detailed=detailed) for row in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
    )
