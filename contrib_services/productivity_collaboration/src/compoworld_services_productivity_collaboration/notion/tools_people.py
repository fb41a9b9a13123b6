"""Tools for members and comments."""

from __future__ import annotations

from typing import Any

from compoworld_core import UNSET, Context, Ref, ToolError
from compoworld_core.resources import Page as Listed
from compoworld_core.resources import check, paginate, require
from compoworld_services_productivity_collaboration.notion import access, requests
from compoworld_services_productivity_collaboration.notion.state import (
    Comment,
    NotionState,
    Page,
    User,
    new_id,
    service,
)

CommentParent = requests.PageParent | dict[str, Any] | str
CommentText = list[requests.RichText | dict[str, Any] | str]


@service.tool(name="API-get-users", read_only=True)
def get_users(
    state: NotionState, start_cursor: str = UNSET, page_size: int = 100
) -> Listed[User]:
    """List the members of the workspace.

    Args:
        start_cursor: next_cursor of the answer before.
        page_size: how many to return, at most 100.
    """
    return paginate(list(state.users), min(page_size, 100), start_cursor or None)


@service.tool(name="API-get-user", read_only=True)
def get_user(state: NotionState, user_id: Ref[User]) -> User:
    """Show one member.

    Args:
        user_id: id of the member.
    """
    return require(state.users, access.key(user_id), "user")


@service.tool(name="API-get-self", read_only=True)
def get_self(state: NotionState, ctx: Context) -> User:
    """Show the member whose integration calls."""
    return access.me(state, ctx)


@service.tool(name="API-retrieve-a-comment", read_only=True)
def retrieve_comments(
    state: NotionState,
    block_id: Ref[Page],
    start_cursor: str = UNSET,
    page_size: int = 100,
) -> Listed[Comment]:
    """List the comments on a page or block, oldest first.

    Args:
        block_id: id of a page, for the comments on it and its blocks; or of a block.
        start_cursor: next_cursor of the answer before.
        page_size: how many to return, at most 100; an answer may hold fewer.
    """
    page, block = access.place(state, block_id)
    rows = (
        state.comments.where(page_id=page.id)
        if block is None
        else state.comments.where(block_id=block.id)
    )
    rows.sort(key=lambda row: (row.created_time, row.id))
    return paginate(rows, min(page_size, access.PAGE), start_cursor or None)


@service.tool(name="API-create-a-comment")
def create_comment(
    state: NotionState, ctx: Context, parent: CommentParent, rich_text: CommentText
) -> Comment:
    """Comment on a page or block; locked pages can be commented on, too.

    Args:
        parent: {"page_id": …} or {"block_id": …}.
        rich_text: what to say, as [{"text": {"content": "…"}}].
    """
    found = access.mapping(parent, "parent")
    place = found.get("page_id", found.get("block_id"))
    if not isinstance(place, str):
        raise ToolError("invalid_argument", 'parent is {"page_id": …} or {"block_id": …}')
    page, block = access.place(state, place)
    check(not page.in_trash, "failed_precondition", f"page {page.id} is in the trash")
    text = access.rich_text(rich_text, "rich_text")
    check(bool(text.strip()), "invalid_argument", "the comment is empty")
    comment = Comment(
        id=new_id(ctx),
        page_id=page.id,
        block_id=None if block is None else block.id,
        text=text,
        created_by=access.me(state, ctx).id,
        created_time=ctx.now,
    )
    return state.comments.insert(comment)
