"""Tools for sharing: who may see or change a file or folder."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict

from compoworld_core import Context, Forms, Ref, ToolError
from compoworld_core.context import DIGITS
from compoworld_core.resources import check, given, require
from compoworld_core.schema import UNSET
from compoworld_core.types import Email, FileName, Meaning, Text
from compoworld_services_productivity_collaboration.google_drive.access import (
    RANK,
    Item,
    change,
    item,
    may_share,
    needs,
    profile,
    shares,
)
from compoworld_services_productivity_collaboration.google_drive.state import (
    Account,
    DriveState,
    File,
    Folder,
    Permission,
    Profile,
    Role,
    SharedDrive,
    ShareType,
    service,
)

Recipients = Annotated[
    list[dict[str, Any]] | None, Forms(**{"permissions.email": [{"email": "{}"}]})
]
_ADDRESS = re.compile(r"^[^@\s]+@[^@\s]+\.[^@\s]+$")
_DOMAIN = re.compile(r"^[a-z0-9-]+(\.[a-z0-9-]+)+$")
_ROLES = ("reader", "commenter", "writer")
_TYPES = ("user", "group", "domain", "anyone")
_ACTIONS = ("grant", "grant_batch", "update", "revoke", "transfer_owner")
_MOST_SHARES = 100


class Access(BaseModel):
    """Who may see or change an item."""

    model_config = ConfigDict(extra="forbid")

    id: str
    name: FileName
    owner: Email | None
    drive_id: Ref[SharedDrive] | None
    writers_can_share: bool
    copy_requires_writer_permission: bool
    permissions: list[Permission]


class PublicAccess(BaseModel):
    """Whether an item found by name is open to anyone with the link."""

    model_config = ConfigDict(extra="forbid")

    id: str
    name: FileName
    public: bool
    role: Role | None = None


@service.tool(read_only=True, idempotent=True)
def get_drive_file_permissions(
    state: DriveState, user_google_email: Account, file_id: Ref[File]
) -> Access:
    """Show who may see or change a file or folder, and its sharing settings.

    Args:
        user_google_email: address of the account that is signed in.
        file_id: the file or folder.
    """
    profile(state, user_google_email)
    return _access(state, item(state, file_id))


@service.tool(read_only=True, idempotent=True)
def check_drive_file_public_access(
    state: DriveState,
    user_google_email: Account,
    file_name: FileName,
    drive_id: Ref[SharedDrive] | None = None,
) -> list[PublicAccess]:
    """Find files by their name and say whether anyone with the link can open them.

    Args:
        user_google_email: address of the account that is signed in.
        file_name: the exact name.
        drive_id: only this shared drive.
    """
    profile(state, user_google_email)
    rows: list[Item] = [
        *state.files.where(name=file_name),
        *state.folders.where(name=file_name),
    ]
    if drive_id is not None:
        require(state.drives, drive_id, "shared drive")
        rows = [row for row in rows if row.drive_id == drive_id]
    check(bool(rows), "not_found", f"no file is called {file_name[:80]!r}")
    found = []
    for row in rows:
        public = next((s.role for s in shares(state, row) if s.type == "anyone"), None)
        found.append(
            PublicAccess(id=row.id, name=row.name, public=public is not None, role=public)
        )
    return found


@service.tool(destructive=True)
def set_drive_file_permissions(
    state: DriveState,
    ctx: Context,
    user_google_email: Account,
    file_id: Ref[File],
    link_sharing: str | None = None,
    writers_can_share: bool | None = None,
    copy_requires_writer_permission: bool | None = None,
) -> Access:
    """Open or close a file to anyone with the link, and set who may share or copy it.

    Args:
        user_google_email: address of the account that is signed in.
        file_id: the file or folder.
        link_sharing: off, reader, commenter or writer.
        writers_can_share: whether editors may share it.
        copy_requires_writer_permission: whether viewers may not copy or download it.
    """
    who = profile(state, user_google_email)
    row = item(state, file_id)
    may_share(state, row, who, ctx.now)
    settings = given(
        writers_can_share=UNSET if writers_can_share is None else writers_can_share,
        copy_requires_writer_permission=UNSET
        if copy_requires_writer_permission is None
        else copy_requires_writer_permission,
    )
    check(
        bool(settings) or link_sharing is not None,
        "invalid_argument",
        "name something to change",
    )
    if link_sharing is not None:
        check(
            link_sharing in ("off", *_ROLES),
            "invalid_argument",
            f"link_sharing {link_sharing[:20]!r}; use off, reader, commenter or writer",
        )
        if link_sharing != "off":
            _give(state, ctx, row, "anyone", cast("Role", link_sharing), None, None)
        else:
            for share in shares(state, row):
                if share.type == "anyone":
                    state.permissions.delete(share.id)
    if settings:
        row = change(state, ctx, row, **settings)
    return _access(state, row)


@service.tool(destructive=True)
def manage_drive_access(
    state: DriveState,
    ctx: Context,
    user_google_email: Account,
    file_id: Ref[File],
    action: str,
    share_with: Annotated[str, Meaning("email")] | None = None,
    role: str | None = None,
    share_type: str = "user",
    permission_id: Ref[Permission] | None = None,
    recipients: Recipients = None,
    send_notification: bool = True,
    email_message: Text | None = None,
    expiration_time: str | None = None,
    allow_file_discovery: bool | None = None,
    new_owner_email: Email | None = None,
    move_to_new_owners_root: bool = False,
) -> Permission | list[Permission] | File | Folder:
    """Share a file or folder, change or take back a share, or hand it to a new owner.

    Args:
        user_google_email: address of the account that is signed in.
        file_id: the file or folder.
        action: grant, grant_batch, update, revoke or transfer_owner.
        share_with: with grant, an email address, or a domain.
        role: reader, commenter or writer; reader where left out.
        share_type: user, group, domain or anyone.
        permission_id: the share to update or revoke.
        recipients: with grant_batch, a list of {"email", "role", "share_type"}.
        send_notification: whether recipients get an email.
        email_message: the text of that email.
        expiration_time: when the share ends, as 2026-05-01T00:00:00Z.
        allow_file_discovery: whether people of a domain find it by search.
        new_owner_email: with transfer_owner, a colleague of the same domain.
        move_to_new_owners_root: with transfer_owner, put it at the top of their drive.
    """
    who = profile(state, user_google_email)
    row = item(state, file_id)
    check(
        action in _ACTIONS,
        "invalid_argument",
        f"action {action[:40]!r}; use one of: {', '.join(_ACTIONS)}",
    )
    if action == "transfer_owner":
        return _transfer(state, ctx, row, who, new_owner_email, to_root=move_to_new_owners_root)
    may_share(state, row, who, ctx.now)
    until = _until(expiration_time, ctx.now)
    if action == "grant":
        return _grant(
            state, ctx, row, share_with, share_type, role, until, discover=allow_file_discovery
        )
    if action == "grant_batch":
        check(bool(recipients), "invalid_argument", "grant_batch needs recipients")
        return [
            _grant(
                state,
                ctx,
                row,
                _text(one, "email") or _text(one, "domain"),
                _text(one, "share_type") or share_type,
                _text(one, "role") or role,
                _until(_text(one, "expiration_time"), ctx.now) or until,
            )
            for one in recipients or ()
        ]
    if permission_id is None:
        raise ToolError("invalid_argument", f"{action} needs a permission_id")
    share = require(state.permissions, permission_id, "permission")
    check(
        row.id in (share.file_id, share.folder_id),
        "not_found",
        f"permission {share.id} does not belong to {row.name!r}",
    )
    if action == "revoke":
        return state.permissions.delete(share.id)
    check(role is not None or until is not None, "invalid_argument", "name a role or an expiry")
    fields = given(
        role=_role(role) if role is not None else UNSET,
        expiration_time=until if until is not None else UNSET,
    )
    return state.permissions.update(share.id, **fields)


def _access(state: DriveState, row: Item) -> Access:
    return Access.model_construct(
        id=row.id,
        name=row.name,
        owner=row.owner,
        drive_id=row.drive_id,
        writers_can_share=row.writers_can_share,
        copy_requires_writer_permission=row.copy_requires_writer_permission,
        permissions=shares(state, row),
    )


def _grant(
    state: DriveState,
    ctx: Context,
    row: Item,
    share_with: str | None,
    share_type: str,
    role: str | None,
    until: datetime | None,
    *,
    discover: bool | None = None,
) -> Permission:
    check(
        share_type in _TYPES,
        "invalid_argument",
        f"share_type {share_type[:20]!r}; use one of: {', '.join(_TYPES)}",
    )
    kind = cast("ShareType", share_type)
    target = None if share_with is None else share_with.strip().casefold()
    if kind in ("user", "group"):
        check(
            target is not None and bool(_ADDRESS.match(target)),
            "invalid_argument",
            f"share_with: {(share_with or '')[:80]!r} is not an email address",
        )
        check(target != row.owner, "conflict", f"{target} owns {row.name!r} already")
    elif kind == "domain":
        check(
            target is not None and bool(_DOMAIN.match(target)),
            "invalid_argument",
            f"share_with: {(share_with or '')[:80]!r} is not a domain",
        )
    return _give(
        state, ctx, row, kind, _role(role or "reader"), target, until, discover=discover
    )


def _give(
    state: DriveState,
    ctx: Context,
    row: Item,
    kind: ShareType,
    role: Role,
    target: str | None,
    until: datetime | None,
    *,
    discover: bool | None = None,
) -> Permission:
    """Give a share; who has one already gets the new role."""
    held = shares(state, row)
    for share in held:
        if share.type == kind and target in (share.email, share.domain):
            return state.permissions.update(share.id, role=role, expiration_time=until)
    check(len(held) < _MOST_SHARES, "failed_precondition", "100 shares of an item are the most")
    folder = isinstance(row, Folder)
    return state.permissions.insert(
        Permission(
            id=ctx.new_id("", length=20, alphabet=DIGITS),
            file_id=None if folder else row.id,
            folder_id=row.id if folder else None,
            type=kind,
            role=role,
            email=target if kind in ("user", "group") else None,
            domain=target if kind == "domain" else None,
            allow_file_discovery=bool(discover) and kind in ("domain", "anyone"),
            expiration_time=until,
        )
    )


def _transfer(
    state: DriveState,
    ctx: Context,
    row: Item,
    who: Profile,
    new_owner: str | None,
    *,
    to_root: bool,
) -> Item:
    if new_owner is None:
        raise ToolError("invalid_argument", "transfer_owner needs a new_owner_email")
    check(row.drive_id is None, "failed_precondition", "the shared drive owns what is in it")
    needs(state, row, who, ctx.now, "owner", "give away")
    address = new_owner.strip().casefold()
    check(address != row.owner, "conflict", f"{address} owns {row.name!r} already")
    check(
        address.endswith(f"@{who.domain}"),
        "failed_precondition",
        f"only people of {who.domain} can become the owner",
    )
    for share in shares(state, row):
        if share.email == address:
            state.permissions.delete(share.id)
    _give(state, ctx, row, "user", "writer", row.owner, None)
    fields: dict[str, Any] = {"owner": address}
    if to_root:
        fields["parent_id"] = None
    return change(state, ctx, row, **fields)


def _role(role: str) -> Role:
    check(
        role in _ROLES,
        "invalid_argument",
        f"role {role[:20]!r}; use one of: {', '.join(r for r in RANK if r in _ROLES)}",
    )
    return cast("Role", role)


def _until(text: str | None, now: datetime) -> datetime | None:
    if text is None:
        return None
    try:
        when = datetime.fromisoformat(text)
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ToolError(
            "invalid_argument",
            f"expiration_time {text[:40]!r} is not a time like 2026-05-01T00:00:00Z",
        ) from None
    check(when > now, "invalid_argument", "expiration_time is in the past")
    return when


def _text(one: dict[str, Any], key: str) -> str | None:
    value = one.get(key)
    check(
        value is None or isinstance(value, str),
        "invalid_argument",
        f"recipients: {key} is a text",
    )
    return value
