"""Who may do what: finding items, roles, and the checks that tools make."""

from __future__ import annotations

from datetime import datetime

from compoworld_core import Context, ToolError
from compoworld_core.resources import check, require
from compoworld_services_productivity_collaboration.google_drive.state import (
    DriveState,
    File,
    Folder,
    Permission,
    Profile,
    Role,
    SharedDrive,
)

Item = File | Folder

RANK: dict[str, int] = {
    "reader": 1,
    "commenter": 2,
    "writer": 3,
    "fileOrganizer": 4,
    "organizer": 5,
    "owner": 6,
}


def profile(state: DriveState, address: str) -> Profile:
    """The signed-in account, or ToolError(permission_denied) for any other address."""
    found = state.profiles.get(address) or state.profiles.get(address.strip().casefold())
    if found is None:
        signed_in = ", ".join(row.id for row in state.profiles) or "nobody"
        raise ToolError(
            "permission_denied", f"no credentials for {address[:80]!r}; signed in: {signed_in}"
        )
    return found


def item(state: DriveState, key: str) -> Item:
    """The file or folder of this id."""
    return state.folders.get(key) or require(state.files, key, "file")


def file(state: DriveState, key: str) -> File:
    """The file of this id; a folder is refused with a hint."""
    if key in state.folders:
        raise ToolError(
            "failed_precondition", f"{key} is a folder; list_drive_items shows what is in it"
        )
    return require(state.files, key, "file")


def folder(state: DriveState, key: str) -> Folder | SharedDrive | None:
    """The folder or shared drive of this id; None for `root`, the top of My Drive."""
    if key == "root":
        return None
    drive = state.drives.get(key)
    if drive is not None:
        return drive
    if key in state.files:
        raise ToolError("invalid_argument", f"{key} is a file, not a folder")
    return require(state.folders, key, "folder")


def place(found: Folder | SharedDrive | None) -> tuple[str | None, str | None]:
    """(parent folder, shared drive) of what is put there."""
    if found is None:
        return None, None
    if isinstance(found, SharedDrive):
        return None, found.id
    return found.id, found.drive_id


def shares(state: DriveState, row: Item) -> list[Permission]:
    """The permissions given on this item itself."""
    if isinstance(row, Folder):
        return state.permissions.where(folder_id=row.id)
    return state.permissions.where(file_id=row.id)


def role(state: DriveState, row: Item, who: Profile, now: datetime) -> Role:
    """What the account may do with an item: the strongest of what it owns, has and inherits."""
    best: Role = "reader"
    seen: Item | None = row
    for _ in range(100):
        if seen is None:
            break
        if seen.owner == who.id:
            if seen is row:
                return "owner"
            best = max(best, "writer", key=RANK.__getitem__)  # whose folder it is may edit
        for share in shares(state, seen):
            if _reaches(share, who, now) and RANK[share.role] > RANK[best]:
                best = share.role
        seen = state.folders.get(seen.parent_id) if seen.parent_id else None
    if row.drive_id is not None:
        drive = state.drives.get(row.drive_id)
        if drive is not None and RANK[drive.role] > RANK[best]:
            best = drive.role
    return best


def needs(
    state: DriveState, row: Item, who: Profile, now: datetime, least: Role, to: str
) -> Role:
    """ToolError(permission_denied) unless the account has at least this role."""
    held = role(state, row, who, now)
    if RANK[held] < RANK[least]:
        owner = f"; its owner is {row.owner}" if row.owner else ""
        raise ToolError(
            "permission_denied", f"you are {held} of {row.name!r} and cannot {to} it{owner}"
        )
    return held


def needs_place(
    state: DriveState, found: Folder | SharedDrive | None, who: Profile, now: datetime
) -> None:
    """ToolError unless the account may put something into this folder or drive."""
    if isinstance(found, SharedDrive):
        check(
            RANK[found.role] >= RANK["writer"],
            "permission_denied",
            f"you are {found.role} of the shared drive {found.name!r} and cannot add to it",
        )
    elif found is not None:
        needs(state, found, who, now, "writer", "add to")
        check(
            found.id not in trashed_folders(state),
            "failed_precondition",
            f"the folder {found.name!r} is in the trash",
        )


def may_share(state: DriveState, row: Item, who: Profile, now: datetime) -> Role:
    """The account's role, or ToolError(permission_denied) where it may not share the item."""
    held = needs(state, row, who, now, "writer", "share")
    check(
        row.writers_can_share or RANK[held] > RANK["writer"],
        "permission_denied",
        f"only the owner may share {row.name!r}: its editors cannot",
    )
    return held


def trashed_folders(state: DriveState) -> set[str]:
    """Folders in the trash, those inside a trashed one too."""
    gone = {row.id for row in state.folders.where(trashed=True)}
    waiting = [row for row in state.folders if gone and row.id not in gone and row.parent_id]
    found = True
    while found:
        inside = {row.id for row in waiting if row.parent_id in gone and row.id not in gone}
        gone |= inside
        found = bool(inside)
    return gone


def change(state: DriveState, ctx: Context, row: Item, **fields: object) -> Item:
    """Change an item and note when and by whom."""
    stamped = {**fields, "modified_time": ctx.now, "modified_by": ctx.actor}
    if isinstance(row, Folder):
        return state.folders.update(row.id, **stamped)
    return state.files.update(row.id, **stamped)


def _reaches(share: Permission, who: Profile, now: datetime) -> bool:
    if share.expiration_time is not None and share.expiration_time <= now:
        return False
    if share.type == "anyone":
        return True
    if share.type == "domain":
        return share.domain == who.domain
    return share.email == who.id
