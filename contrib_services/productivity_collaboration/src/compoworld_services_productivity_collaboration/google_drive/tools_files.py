"""Tools that make and change files and folders."""

from __future__ import annotations

from typing import Annotated, Any

from compoworld_core import Context, Forms, Ref, ToolError
from compoworld_core.context import MIXED
from compoworld_core.resources import check
from compoworld_core.types import FileName, Text
from compoworld_services_productivity_collaboration.google_drive.access import (
    RANK,
    change,
    file,
    folder,
    item,
    needs,
    needs_place,
    place,
    profile,
    role,
)
from compoworld_services_productivity_collaboration.google_drive.changes import (
    merged_properties,
    moved,
    write_content,
)
from compoworld_services_productivity_collaboration.google_drive.content import (
    body_of,
    document_title,
    mime_type_of,
    name_of,
)
from compoworld_services_productivity_collaboration.google_drive.state import (
    DOCUMENT,
    Account,
    DriveState,
    File,
    Folder,
    Profile,
    SharedDrive,
    service,
)

Properties = Annotated[
    dict[str, Any] | None, Forms(**{"files.properties": {"reference": "{}"}})
]


def add_file(
    state: DriveState,
    ctx: Context,
    who: Profile,
    at: Folder | SharedDrive | None,
    **fields: Any,
) -> File:
    """Put a new file of the account into a folder."""
    needs_place(state, at, who, ctx.now)
    parent, drive = place(at)
    return state.files.insert(
        File(
            id=ctx.new_id("1", length=32, alphabet=MIXED),
            parent_id=parent,
            drive_id=drive,
            owner=who.id if drive is None else None,
            created_time=ctx.now,
            modified_time=ctx.now,
            modified_by=who.id,
            **fields,
        )
    )


@service.tool
def create_drive_folder(
    state: DriveState,
    ctx: Context,
    user_google_email: Account,
    folder_name: FileName,
    parent_folder_id: Ref[Folder] = "root",
) -> Folder:
    """Make a folder.

    Args:
        user_google_email: address of the account that is signed in.
        folder_name: the new folder's name.
        parent_folder_id: where to put it; root is the top of My Drive.
    """
    who = profile(state, user_google_email)
    at = folder(state, parent_folder_id)
    needs_place(state, at, who, ctx.now)
    parent, drive = place(at)
    return state.folders.insert(
        Folder(
            id=ctx.new_id("1", length=32, alphabet=MIXED),
            name=name_of(folder_name, "folder_name"),
            parent_id=parent,
            drive_id=drive,
            owner=who.id if drive is None else None,
            created_time=ctx.now,
            modified_time=ctx.now,
            modified_by=who.id,
        )
    )


@service.tool
def create_drive_file(
    state: DriveState,
    ctx: Context,
    user_google_email: Account,
    file_name: FileName,
    content: Text | None = None,
    folder_id: Ref[Folder] = "root",
    mime_type: str | None = None,
    fileUrl: str | None = None,  # noqa: N803  # the product's name
    base64_content: str | None = None,
    base64_sha256: str | None = None,
    content_mime_type: str | None = None,
) -> File:
    """Store a file as it is, without turning it into a Google document.

    Args:
        user_google_email: address of the account that is signed in.
        file_name: the file's name.
        content: the text in it.
        folder_id: where to put it; root is the top of My Drive.
        mime_type: the kind of file; by the name's ending where left out.
        fileUrl: an address to fetch the file from.
        base64_content: its bytes in base64 instead of content.
        base64_sha256: the SHA-256 that these bytes must have.
        content_mime_type: the kind of file of base64_content.
    """
    who = profile(state, user_google_email)
    name = name_of(file_name, "file_name")
    body = body_of(content, base64_content, base64_sha256, {"fileUrl": fileUrl})
    if body is None:
        raise ToolError("invalid_argument", "give content or base64_content")
    kind = mime_type_of(name, content_mime_type if base64_content is not None else mime_type)
    return add_file(
        state,
        ctx,
        who,
        folder(state, folder_id),
        name=name,
        mime_type=kind,
        content=body.text,
        size=body.size,
    )


@service.tool
def import_to_google_doc(
    state: DriveState,
    ctx: Context,
    user_google_email: Account,
    file_name: FileName,
    content: Text | None = None,
    file_path: str | None = None,
    file_url: str | None = None,
    source_format: str | None = None,
    folder_id: Ref[Folder] = "root",
    base64_content: str | None = None,
    base64_sha256: str | None = None,
) -> File:
    """Make a Google document from text such as Markdown or HTML.

    Args:
        user_google_email: address of the account that is signed in.
        file_name: the document's name; the ending of a known format is dropped.
        content: the text.
        file_path: a local file to read.
        file_url: an address to fetch the text from.
        source_format: md, docx, txt, html, rtf or odt.
        folder_id: where to put it; root is the top of My Drive.
        base64_content: the source's bytes in base64 instead of content.
        base64_sha256: the SHA-256 that these bytes must have.
    """
    who = profile(state, user_google_email)
    name = name_of(document_title(file_name, source_format), "file_name")
    elsewhere = {"file_path": file_path, "file_url": file_url}
    body = body_of(content, base64_content, base64_sha256, elsewhere)
    if body is None:
        raise ToolError("invalid_argument", "give content or base64_content")
    at = folder(state, folder_id)
    return add_file(
        state, ctx, who, at, name=name, mime_type=DOCUMENT, content=body.text, size=body.size
    )


@service.tool
def copy_drive_file(
    state: DriveState,
    ctx: Context,
    user_google_email: Account,
    file_id: Ref[File],
    new_name: FileName | None = None,
    parent_folder_id: Ref[Folder] = "root",
    copy_comments: bool = False,
) -> File:
    """Copy a file; the copy belongs to the account and is shared with nobody.

    Args:
        user_google_email: address of the account that is signed in.
        file_id: the file to copy.
        new_name: the copy's name; "Copy of …" where left out.
        parent_folder_id: where to put the copy; root is the top of My Drive.
        copy_comments: copy the comments too.
    """
    who = profile(state, user_google_email)
    row = file(state, file_id)
    check(
        not row.copy_requires_writer_permission
        or RANK[role(state, row, who, ctx.now)] >= RANK["writer"],
        "permission_denied",
        f"viewers may not copy {row.name!r}",
    )
    name = f"Copy of {row.name}"[:255] if new_name is None else name_of(new_name, "new_name")
    copy = add_file(
        state,
        ctx,
        who,
        folder(state, parent_folder_id),
        name=name,
        mime_type=row.mime_type,
        description=row.description,
        content=row.content,
        size=row.size,
        properties=row.properties,
    )
    if copy_comments:
        for comment in state.comments.where(file_id=row.id):
            key = ctx.new_id("AAAA", length=8, alphabet=MIXED)
            values = {n: comment.__dict__[n] for n in type(comment).model_fields}
            state.comments.insert(type(comment)(**{**values, "id": key, "file_id": copy.id}))
    return copy


@service.tool(destructive=True)
def update_drive_file(
    state: DriveState,
    ctx: Context,
    user_google_email: Account,
    file_id: Ref[File],
    name: FileName | None = None,
    description: Text | None = None,
    mime_type: str | None = None,
    add_parents: Ref[Folder] | None = None,
    remove_parents: Ref[Folder] | None = None,
    starred: bool | None = None,
    trashed: bool | None = None,
    writers_can_share: bool | None = None,
    copy_requires_writer_permission: bool | None = None,
    properties: Properties = None,
    content: Text | None = None,
    file_path: str | None = None,
    file_url: str | None = None,
    source_format: str | None = None,
    mode: str = "replace",
) -> File | Folder:
    """Change a file or folder: rename, describe, move, star, trash, restore, rewrite.

    Args:
        user_google_email: address of the account that is signed in.
        file_id: the file or folder.
        name: its new name.
        description: its new description.
        mime_type: its new kind.
        add_parents: the folder to move it to; root is the top of My Drive.
        remove_parents: the folder that it is in now.
        starred: star it or not.
        trashed: put it into the trash, or take it out.
        writers_can_share: whether editors may share it.
        copy_requires_writer_permission: whether viewers may not copy or download it.
        properties: own keys and values to set; null takes a key away.
        content: its new text.
        file_path: a local file to read the text from.
        file_url: an address to fetch the text from.
        source_format: the format of the new text.
        mode: replace the text, or append or prepend to it.
    """
    who = profile(state, user_google_email)
    row = item(state, file_id)
    fields: dict[str, Any] = {}
    if name is not None:
        fields["name"] = name_of(name, "name")
    if description is not None:
        check(len(description) <= 10_000, "invalid_argument", "the description is too long")
        fields["description"] = description
    if starred is not None:
        fields["starred"] = starred
    if properties is not None:
        fields["properties"] = merged_properties(row, properties)
    if writers_can_share is not None:
        fields["writers_can_share"] = writers_can_share
    if copy_requires_writer_permission is not None:
        fields["copy_requires_writer_permission"] = copy_requires_writer_permission
    write_content(row, fields, content, mode, mime_type, source_format, file_path, file_url)
    if trashed is not None:
        needs(state, row, who, ctx.now, "fileOrganizer", "trash or restore")
        fields["trashed"] = trashed
    elif row.trashed:
        raise ToolError("failed_precondition", f"restore {row.name!r} from the trash first")
    if add_parents is not None or remove_parents is not None:
        fields.update(moved(state, ctx, who, row, add_parents, remove_parents))
    check(bool(fields), "invalid_argument", "name something to change")
    if set(fields) - {"starred", "trashed"}:
        needs(state, row, who, ctx.now, "writer", "change")
    if set(fields) == {"starred"}:  # a star is the account's own mark, no change of the file
        if isinstance(row, Folder):
            return state.folders.update(row.id, **fields)
        return state.files.update(row.id, **fields)
    return change(state, ctx, row, **fields)
