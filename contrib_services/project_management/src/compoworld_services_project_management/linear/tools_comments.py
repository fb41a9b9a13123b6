# ruff: noqa: N803  # parameters have the product's names
"""Comment tools."""

from __future__ import annotations

from typing import Literal

from compoworld_core import UNSET, Context, Ref, ToolError
from compoworld_core.resources import Page, check, given, paginate, require
from compoworld_core.types import Text
from compoworld_services_project_management.linear import access
from compoworld_services_project_management.linear.app import service
from compoworld_services_project_management.linear.state import (
    Comment,
    Count,
    Issue,
    LinearState,
    Project,
    User,
)

_ELSEWHERE = "this workspace has no {}; comment on an issue or a project"


@service.tool(read_only=True)
def linear_getComments(  # noqa: N802
    state: LinearState,
    ctx: Context,
    cursor: str = UNSET,
    documentContentId: str = UNSET,
    initiativeId: str = UNSET,
    initiativeUpdateId: str = UNSET,
    issueId: Ref[Issue] = UNSET,
    limit: Count = UNSET,
    orderBy: Literal["createdAt", "updatedAt"] = UNSET,
    postId: str = UNSET,
    projectId: Ref[Project] = UNSET,
    projectUpdateId: str = UNSET,
) -> Page[Comment]:
    """List comments, newest first.

    Args:
        cursor: from an earlier page.
        documentContentId: only comments on this document.
        initiativeId: only comments on this initiative.
        initiativeUpdateId: only comments on this update of an initiative.
        issueId: only comments on this issue, by id or identifier.
        limit: how many; 50 by default, at most 250.
        orderBy: newest first by this time.
        postId: only comments on this post.
        projectId: only comments on this project.
        projectUpdateId: only comments on this update of a project.
    """
    if documentContentId or initiativeId or initiativeUpdateId or postId or projectUpdateId:
        return paginate([], 1)
    wanted = given(project_id=projectId)
    if issueId:
        wanted["issue_id"] = access.find_issue(state, ctx, issueId).id
    user = access.me(state, ctx)
    rows = [
        row
        for row in state.comments.where(**wanted)
        if row.issue_id is None or access.can_see(state, user, state.issues[row.issue_id])
    ]
    field = "updated_at" if orderBy == "updatedAt" else "created_at"
    rows.sort(key=lambda row: (getattr(row, field), row.id), reverse=True)
    size = min(access.chosen(limit, 50), access.MOST_ROWS)
    return paginate(rows, size, cursor or None)


@service.tool
def linear_createComment(  # noqa: N802
    state: LinearState,
    ctx: Context,
    body: Text,
    documentContentId: str = UNSET,
    initiativeId: str = UNSET,
    initiativeUpdateId: str = UNSET,
    issueId: Ref[Issue] = UNSET,
    parentId: Ref[Comment] = UNSET,
    postId: str = UNSET,
    projectId: Ref[Project] = UNSET,
    projectUpdateId: str = UNSET,
    quotedText: Text = UNSET,
    subscriberIds: list[Ref[User]] = UNSET,
) -> Comment:
    """Comment on an issue or a project, or answer a comment.

    Args:
        body: the comment, in Markdown.
        documentContentId: a document; this workspace has none.
        initiativeId: an initiative; this workspace has none.
        initiativeUpdateId: an update of an initiative; this workspace has none.
        issueId: the issue, by id or identifier.
        parentId: the comment that this answers.
        postId: a post; this workspace has none.
        projectId: the project.
        projectUpdateId: an update of a project; this workspace has none.
        quotedText: the passage that it is about.
        subscriberIds: who hears of answers.
    """
    if documentContentId or initiativeId or initiativeUpdateId or postId or projectUpdateId:
        raise ToolError(
            "not_found", _ELSEWHERE.format("documents, initiatives, posts or updates")
        )
    access.text(body, "body", 1)
    issue = access.open_issue(state, ctx, issueId) if issueId else None
    project = require(state.projects, projectId, "project") if projectId else None
    parent = require(state.comments, parentId, "comment") if parentId else None
    if parent is not None and issue is None and project is None:
        if parent.issue_id:
            issue = access.open_issue(state, ctx, str(parent.issue_id))
        else:
            project = state.projects.get(parent.project_id)
    check(
        (issue is None) != (project is None),
        "invalid_argument",
        "give one place to comment on: issueId, projectId or parentId",
    )
    if parent is not None:
        same = parent.issue_id == (issue.id if issue else None)
        check(same, "failed_precondition", "the comment to answer is on another issue")
    if subscriberIds:
        access.all_of(state.users, subscriberIds, "user")
    return state.comments.insert(
        Comment(
            id=access.new_id(ctx),
            body=body,
            issue_id=issue.id if issue else None,
            project_id=project.id if project else None,
            parent_id=parent.id if parent else None,
            user_id=access.me(state, ctx).id,
            quoted_text=access.text(quotedText or "", "quotedText", most=5000),
            created_at=ctx.now,
            updated_at=ctx.now,
        )
    )


@service.tool(idempotent=True)
def linear_updateComment(  # noqa: N802
    state: LinearState,
    ctx: Context,
    id: Ref[Comment],
    body: Text = UNSET,
    doNotSubscribeToIssue: bool = UNSET,
    quotedText: Text = UNSET,
    resolvingCommentId: Ref[Comment] = UNSET,
    resolvingUserId: Ref[User] = UNSET,
    subscriberIds: list[Ref[User]] = UNSET,
) -> Comment:
    """Change a comment; what is not given stays. Only its author changes the text.

    Args:
        id: the comment.
        body: the comment, in Markdown.
        doNotSubscribeToIssue: whether you do not want to hear of answers.
        quotedText: the passage that it is about.
        resolvingCommentId: the answer that resolved it.
        resolvingUserId: who resolved it.
        subscriberIds: who hears of answers.
    """
    comment = _own(state, ctx, id, given(body=body, quoted_text=quotedText))
    changes = given(body=body, quoted_text=quotedText, resolved_by_id=resolvingUserId)
    noted = given(a=doNotSubscribeToIssue, b=subscriberIds, c=resolvingCommentId)
    check(bool(changes or noted), "invalid_argument", "name a field to change")
    if "body" in changes:
        access.text(body, "body", 1)
    if "quoted_text" in changes:
        access.text(quotedText, "quotedText", most=5000)
    if resolvingUserId:
        changes["resolved_by_id"] = access.active_user(state, resolvingUserId).id
    if resolvingCommentId:
        answer = require(state.comments, resolvingCommentId, "comment")
        changes.setdefault("resolved_by_id", answer.user_id)
    if subscriberIds:
        access.all_of(state.users, subscriberIds, "user")
    if all(getattr(comment, name) == value for name, value in changes.items()):
        return comment
    return state.comments.update(comment.id, updated_at=ctx.now, **changes)


def _own(state: LinearState, ctx: Context, key: str, texts: dict[str, object]) -> Comment:
    """A comment; ToolError where somebody else wrote it and its text is to change."""
    comment = require(state.comments, key, "comment")
    author = state.users[comment.user_id]
    check(
        not texts or author.id == access.me(state, ctx).id,
        "permission_denied",
        f"{author.name} wrote this comment; only the author changes its text",
    )
    return comment


@service.tool(destructive=True)
def linear_deleteComment(state: LinearState, ctx: Context, id: Ref[Comment]) -> Comment:  # noqa: N802
    """Delete a comment of your own that nobody answered; admins delete all.

    Args:
        id: the comment.
    """
    comment = require(state.comments, id, "comment")
    user = access.me(state, ctx)
    check(
        user.admin or comment.user_id == user.id,
        "permission_denied",
        "only the author or an admin deletes a comment",
    )
    answers = state.comments.where(parent_id=comment.id)
    asked = state.customer_needs.where(comment_id=comment.id)
    check(
        not answers and not asked,
        "failed_precondition",
        "the comment has answers or is the source of a customer request",
    )
    return state.comments.delete(comment.id)
