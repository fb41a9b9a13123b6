# ruff: noqa: N803  # parameters have the product's names
"""Single changes of an issue: priority, assignee, labels, relations, archive."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import WithJsonSchema

from compoworld_core import Context, Ref
from compoworld_core.resources import check, require
from compoworld_services_project_management.linear import access, issue_rules
from compoworld_services_project_management.linear.app import service
from compoworld_services_project_management.linear.state import (
    Issue,
    IssueRelation,
    Label,
    LinearState,
    RelationType,
    User,
)

Priority = Annotated[
    Literal[0, 1, 2, 3, 4], WithJsonSchema({"type": "number", "enum": [0, 1, 2, 3, 4]})
]


@service.tool(idempotent=True)
def linear_setIssuePriority(  # noqa: N802
    state: LinearState, ctx: Context, issueId: Ref[Issue], priority: Priority
) -> Issue:
    """Set an issue's priority.

    Args:
        issueId: the issue's id or identifier.
        priority: 0 none, 1 urgent, 2 high, 3 normal, 4 low.
    """
    issue = access.open_issue(state, ctx, issueId)
    if issue.priority == priority:
        return issue
    return state.issues.update(issue.id, priority=priority, updated_at=ctx.now)


@service.tool(idempotent=True)
def linear_assignIssue(  # noqa: N802
    state: LinearState, ctx: Context, issueId: Ref[Issue], assigneeId: Ref[User]
) -> Issue:
    """Give an issue to a user.

    Args:
        issueId: the issue's id or identifier.
        assigneeId: who works on it.
    """
    issue = access.open_issue(state, ctx, issueId)
    user = access.active_user(state, assigneeId)
    if issue.assignee_id == user.id:
        return issue
    return state.issues.update(issue.id, assignee_id=user.id, updated_at=ctx.now)


@service.tool
def linear_addIssueLabel(  # noqa: N802
    state: LinearState, ctx: Context, issueId: Ref[Issue], labelId: Ref[Label]
) -> Issue:
    """Add a label to an issue.

    Args:
        issueId: the issue's id or identifier.
        labelId: a label of its team or of the workspace.
    """
    issue = access.open_issue(state, ctx, issueId)
    label = require(state.labels, labelId, "label")
    check(label.id not in issue.label_ids, "conflict", f"{issue.identifier} has it already")
    keys = issue_rules.labels(
        state, [*map(str, issue.label_ids), str(label.id)], state.teams[issue.team_id]
    )
    return state.issues.update(issue.id, label_ids=keys, updated_at=ctx.now)


@service.tool
def linear_removeIssueLabel(  # noqa: N802
    state: LinearState, ctx: Context, issueId: Ref[Issue], labelId: Ref[Label]
) -> Issue:
    """Take a label from an issue.

    Args:
        issueId: the issue's id or identifier.
        labelId: a label that it carries.
    """
    issue = access.open_issue(state, ctx, issueId)
    label = require(state.labels, labelId, "label")
    check(
        label.id in issue.label_ids,
        "failed_precondition",
        f"{issue.identifier} does not carry {label.name}",
    )
    keys = tuple(key for key in issue.label_ids if key != label.id)
    return state.issues.update(issue.id, label_ids=keys, updated_at=ctx.now)


@service.tool(destructive=True)
def linear_archiveIssue(state: LinearState, ctx: Context, issueId: Ref[Issue]) -> Issue:  # noqa: N802
    """Archive an issue: it leaves all lists and cannot be changed any more.

    Args:
        issueId: the issue's id or identifier.
    """
    issue = access.open_issue(state, ctx, issueId)
    return state.issues.update(issue.id, archived=True, archived_at=ctx.now, updated_at=ctx.now)


@service.tool
def linear_createIssueRelation(  # noqa: N802
    state: LinearState,
    ctx: Context,
    issueId: Ref[Issue],
    relatedIssueId: Ref[Issue],
    type: RelationType,
) -> IssueRelation:
    """Relate two issues.

    Args:
        issueId: the first, by id or identifier.
        relatedIssueId: the second.
        type: what the first is to the second.
    """
    one = access.open_issue(state, ctx, issueId)
    two = access.open_issue(state, ctx, relatedIssueId)
    check(one.id != two.id, "invalid_argument", "an issue cannot relate to itself")
    held = state.issue_relations.where(issue_id=one.id, related_issue_id=two.id, type=type)
    check(not held, "conflict", f"{one.identifier} and {two.identifier} are related so already")
    return state.issue_relations.insert(
        IssueRelation(
            id=access.new_id(ctx), type=type, issue_id=one.id, related_issue_id=two.id
        )
    )
