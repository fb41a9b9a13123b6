"""What an account sees in Google Drive: files, folders, drives, permissions, comments."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from compoworld_core import Entity, Ref, Service, State, Table
from compoworld_core.types import (
    DateTime,
    Email,
    FileName,
    Json,
    PersonName,
    Quantity,
    Text,
    Title,
)

Account = Ref["Profile"]
"""The signed-in address; a call for any other is refused."""

Role = Literal["reader", "commenter", "writer", "fileOrganizer", "organizer", "owner"]
ShareType = Literal["user", "group", "domain", "anyone"]

FOLDER = "application/vnd.google-apps.folder"
DOCUMENT = "application/vnd.google-apps.document"
SHEET = "application/vnd.google-apps.spreadsheet"
SLIDES = "application/vnd.google-apps.presentation"
NATIVE = frozenset({DOCUMENT, SHEET, SLIDES})


class Profile(Entity):
    """An account whose credentials the caller has; its id is the address."""

    id: str
    name: PersonName
    domain: str
    """Files of this domain may be owned by its people only."""


class SharedDrive(Entity):
    """A drive that a team owns together."""

    id: str
    name: Title
    role: Literal["reader", "commenter", "writer", "fileOrganizer", "organizer"] = "writer"
    """What the account may do in it."""
    created_time: DateTime


class Folder(Entity):
    """A folder in My Drive or in a shared drive."""

    id: str
    name: FileName
    parent_id: Ref[Folder] | None = None
    """None at the top of My Drive or of the shared drive."""
    drive_id: Ref[SharedDrive] | None = None
    owner: Email | None = None
    """None in a shared drive: the drive owns it."""
    description: Text = ""
    starred: bool = False
    trashed: bool = False
    created_time: DateTime
    modified_time: DateTime
    modified_by: Email | None = None
    properties: Json = {}
    writers_can_share: bool = True
    copy_requires_writer_permission: bool = False


class File(Entity):
    """A file, or a Google document, sheet or presentation."""

    id: str
    name: FileName
    mime_type: str = DOCUMENT
    parent_id: Ref[Folder] | None = None
    """None at the top of My Drive or of the shared drive."""
    drive_id: Ref[SharedDrive] | None = None
    owner: Email | None = None
    """None in a shared drive: the drive owns it."""
    description: Text = ""
    starred: bool = False
    trashed: bool = False
    created_time: DateTime
    modified_time: DateTime
    modified_by: Email | None = None
    size: Quantity = 0
    content: Text = ""
    """The text in it; a sheet as comma-separated values."""
    properties: Json = {}
    writers_can_share: bool = True
    copy_requires_writer_permission: bool = False


class Permission(Entity):
    """Who else may see or change a file or folder."""

    id: str
    file_id: Ref[File] | None = None
    folder_id: Ref[Folder] | None = None
    type: ShareType = "user"
    role: Role = "reader"
    email: Email | None = None
    domain: str | None = None
    allow_file_discovery: bool = False
    expiration_time: DateTime | None = None


class Reply(BaseModel):
    """An answer to a comment."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    author: Email
    content: Text
    created_time: DateTime


class Comment(Entity):
    """A remark on a document."""

    id: str
    file_id: Ref[File]
    author: Email
    content: Text
    resolved: bool = False
    replies: tuple[Reply, ...] = ()
    created_time: DateTime
    modified_time: DateTime


class DriveState(State):
    """What one account sees."""

    profiles: Table[Profile] = Table()
    drives: Table[SharedDrive] = Table()
    folders: Table[Folder] = Table()
    files: Table[File] = Table()
    permissions: Table[Permission] = Table()
    comments: Table[Comment] = Table()


service = Service(
    "google_drive",
    state=DriveState,
    domain="productivity_collaboration",
    title="Google Drive",
    summary="Files and folders: search, read, write, move, share, comment; policies, manuals.",
)
service.words.update(
    {
        "profiles": "account",
        "drives": "shared drive",
        "drives.name": "called {}",
        "folders": "folder",
        "folders.name": "called {}",
        "files": "document",
        "files.name": "called {}",
        "files.owner": "owned by {}",
        "files.description": "described as “{}”",
        "files.content": "that says “{}”",
        "files.modified_by": "last changed by {}",
        "permissions": "share",
        "permissions.email": "with {}",
        "comments": "comment",
        "comments.author": "by {}",
        "comments.content": "saying “{}”",
    }
)
