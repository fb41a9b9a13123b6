"""Tools for Google documents: create, edit, comment."""

from __future__ import annotations

import re

from compoworld_core import Context, Ref, ToolError
from compoworld_core.context import MIXED
from compoworld_core.resources import check, require
from compoworld_core.types import FileName, Text
from compoworld_services_productivity_collaboration.google_drive.access import (
    change,
    file,
    folder,
    needs,
    profile,
)
from compoworld_services_productivity_collaboration.google_drive.content import (
    LONGEST,
    body_of,
    name_of,
)
from compoworld_services_productivity_collaboration.google_drive.state import (
    DOCUMENT,
    Account,
    Comment,
    DriveState,
    File,
    Folder,
    Reply,
    service,
)
from compoworld_services_productivity_collaboration.google_drive.tools_files import add_file

_LONGEST_COMMENT = 2048
_ACTIONS = ("create", "reply", "resolve", "update", "delete")


class EditedFile(File):
    """A document after a replacement."""

    occurrences_changed: int = 0


@service.tool
def create_doc(
    state: DriveState,
    ctx: Context,
    user_google_email: Account,
    title: FileName,
    content: Text = "",
    folder_id: Ref[Folder] = "root",
) -> File:
    """Make a Google document.

    Args:
        user_google_email: address of the account that is signed in.
        title: its name.
        content: its first text, taken as it is.
        folder_id: where to put it; root is the top of My Drive.
    """
    who = profile(state, user_google_email)
    body = body_of(content, None, None, {})
    assert body is not None
    return add_file(
        state,
        ctx,
        who,
        folder(state, folder_id),
        name=name_of(title, "title"),
        mime_type=DOCUMENT,
        content=body.text,
        size=body.size,
    )


@service.tool(destructive=True)
def find_and_replace_doc(
    state: DriveState,
    ctx: Context,
    user_google_email: Account,
    document_id: Ref[File],
    find_text: str,
    replace_text: Text,
    match_case: bool = False,
    tab_id: str | None = None,
) -> EditedFile:
    """Replace a text everywhere in a Google document.

    Args:
        user_google_email: address of the account that is signed in.
        document_id: the document.
        find_text: what to replace.
        replace_text: what to put in its place; empty takes it out.
        match_case: whether capital letters matter.
        tab_id: only this tab of the document.
    """
    who = profile(state, user_google_email)
    row = file(state, document_id)
    check(
        row.mime_type == DOCUMENT,
        "failed_precondition",
        f"{row.name!r} is not a Google document; use update_drive_file",
    )
    check(not row.trashed, "failed_precondition", f"{row.name!r} is in the trash")
    check(bool(find_text), "invalid_argument", "find_text is empty")
    check(tab_id is None, "not_found", "the document has no such tab; leave tab_id out")
    needs(state, row, who, ctx.now, "writer", "change")
    pattern = re.compile(re.escape(find_text), 0 if match_case else re.IGNORECASE)
    text, count = pattern.subn(lambda _: replace_text, row.content)
    check(len(text) <= LONGEST, "invalid_argument", "the document would be too long")
    if count:
        changed = change(state, ctx, row, content=text, size=len(text.encode(errors="replace")))
        assert isinstance(changed, File)
        row = changed
    values = {name: row.__dict__[name] for name in File.model_fields}
    return EditedFile.model_construct(**values, occurrences_changed=count)


@service.tool(read_only=True, idempotent=True)
def list_document_comments(
    state: DriveState,
    user_google_email: Account,
    document_id: Ref[File],
    max_comments: int | None = None,
) -> list[Comment]:
    """List the comments on a document with their replies, the oldest first.

    Args:
        user_google_email: address of the account that is signed in.
        document_id: the document.
        max_comments: show at most so many.
    """
    profile(state, user_google_email)
    row = file(state, document_id)
    check(
        max_comments is None or max_comments >= 1,
        "invalid_argument",
        "max_comments must be at least 1",
    )
    return state.comments.where(file_id=row.id)[:max_comments]


@service.tool(destructive=True)
def manage_document_comment(
    state: DriveState,
    ctx: Context,
    user_google_email: Account,
    document_id: Ref[File],
    action: str,
    comment_content: Text | None = None,
    comment_id: Ref[Comment] | None = None,
) -> Comment:
    """Write, answer, resolve, change or delete a comment on a document.

    Args:
        user_google_email: address of the account that is signed in.
        document_id: the document.
        action: create, reply, resolve, update or delete.
        comment_content: the text; for create, reply and update.
        comment_id: the comment; for all but create.
    """
    who = profile(state, user_google_email)
    row = file(state, document_id)
    check(
        action in _ACTIONS,
        "invalid_argument",
        f"action {action[:40]!r}; use one of: {', '.join(_ACTIONS)}",
    )
    needs(state, row, who, ctx.now, "commenter", "comment on")
    text = (comment_content or "").strip()
    if action in ("create", "reply", "update"):
        check(
            0 < len(text) <= _LONGEST_COMMENT,
            "invalid_argument",
            f"{action} needs comment_content of 1 to {_LONGEST_COMMENT} characters",
        )
    if action == "create":
        return state.comments.insert(
            Comment(
                id=ctx.new_id("AAAA", length=8, alphabet=MIXED),
                file_id=row.id,
                author=who.id,
                content=text,
                created_time=ctx.now,
                modified_time=ctx.now,
            )
        )
    if comment_id is None:
        raise ToolError("invalid_argument", f"{action} needs a comment_id")
    comment = require(state.comments, comment_id, "comment")
    check(
        comment.file_id == row.id,
        "not_found",
        f"comment {comment.id} is not on {row.name!r}",
    )
    if action == "reply":
        reply = Reply(author=who.id, content=text, created_time=ctx.now)
        return state.comments.update(
            comment.id, replies=(*comment.replies, reply), modified_time=ctx.now
        )
    if action == "resolve":
        check(not comment.resolved, "failed_precondition", "the comment is resolved already")
        return state.comments.update(comment.id, resolved=True, modified_time=ctx.now)
    check(
        comment.author == who.id,
        "permission_denied",
        f"only {comment.author} can {action} this comment",
    )
    if action == "delete":
        return state.comments.delete(comment.id)
    return state.comments.update(comment.id, content=text, modified_time=ctx.now)
