# ruff: noqa: N803  # parameters have the product's names
"""Issue tools."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from compoworld_core import UNSET, Context, Forms, Ref
from compoworld_core.resources import Page, check, given, require, search
from compoworld_core.types import Date, Text, Title
from compoworld_services_project_management.linear import access, issue_rules
from compoworld_services_project_management.linear.app import service
from compoworld_services_project_management.linear.state import (
    Count,
    Cycle,
    Issue,
    Label,
    LinearState,
    Project,
    Team,
    User,
    Whole,
    WorkflowState,
)

Order = Literal["createdAt", "updatedAt"]


@service.tool(read_only=True)
def linear_getIssueById(state: LinearState, ctx: Context, id: Ref[Issue]) -> Issue:  # noqa: N802
    """Show one issue.

    Args:
        id: its id or its identifier, as ENG-123.
    """
    return access.find_issue(state, ctx, id)


@service.tool(read_only=True)
def linear_searchIssues(  # noqa: N802
    state: LinearState,
    ctx: Context,
    assigneeId: Ref[User] = UNSET,
    limit: Whole = UNSET,
    projectId: Ref[Project] = UNSET,
    query: Annotated[
        str,
        Forms(**{"issues.title": "{}", "issues.identifier": "{}", "issues.description": "{}"}),
    ] = UNSET,
    states: list[Title] = UNSET,
    teamId: Ref[Team] = UNSET,
) -> Page[Issue]:
    """Search issues that are not archived, newest first; all given conditions must hold.

    Args:
        assigneeId: only issues of this user.
        limit: how many; 50 by default, at most 250.
        projectId: only issues of this project.
        query: an identifier, or words in title and description.
        states: only issues in workflow states of these names.
        teamId: only issues of this team.
    """
    wanted = given(assignee_id=assigneeId, project_id=projectId, team_id=teamId)
    if teamId:
        wanted["team_id"] = access.find_team(state, ctx, teamId).id
    if query:
        access.text(query, "query", 1, 500)
        exact = state.issues.where(identifier=query.strip().upper(), **wanted)
        rows = exact or search(state.issues.where(**wanted), query, ("title", "description"))
    else:
        rows = state.issues.where(**wanted)
    return access.listed(_visible(state, ctx, rows, chosen_states(states)), limit, "createdAt")


def chosen_states(states: list[str]) -> list[str] | None:
    """Names of states, case-folded; None where the caller gave none."""
    return None if states is UNSET else [name.casefold() for name in states]


def _visible(
    state: LinearState, ctx: Context, rows: list[Issue], states: list[str] | None
) -> list[Issue]:
    user = access.me(state, ctx)
    named = {
        row.id
        for row in state.workflow_states
        if states is None or row.name.casefold() in states
    }
    return [
        row
        for row in rows
        if not row.archived and row.state_id in named and access.can_see(state, user, row)
    ]


@service.tool(read_only=True)
def linear_getProjectIssues(  # noqa: N802
    state: LinearState,
    ctx: Context,
    projectId: Ref[Project],
    assigneeId: Ref[User] = UNSET,
    cycleId: Ref[Cycle] = UNSET,
    includeCompleted: bool = UNSET,
    labelIds: list[Ref[Label]] = UNSET,
    limit: Count = UNSET,
    orderBy: Order = UNSET,
    projectMilestoneId: str = UNSET,
    states: list[Title] = UNSET,
) -> Page[Issue]:
    """List the issues of a project that are not archived.

    Args:
        projectId: the project.
        assigneeId: only issues of this user.
        cycleId: only issues in this cycle.
        includeCompleted: whether completed and canceled issues are listed; true by default.
        labelIds: only issues that carry all of these labels.
        limit: how many; 50 by default, at most 250.
        orderBy: newest first by this time.
        projectMilestoneId: only issues of this milestone; this workspace uses none.
        states: only issues in workflow states of these names.
    """
    project = require(state.projects, projectId, "project")
    if projectMilestoneId:
        return access.listed([], limit)
    wanted = given(assignee_id=assigneeId, cycle_id=cycleId)
    rows = state.issues.where(project_id=project.id, **wanted)
    if labelIds:
        rows = [row for row in rows if set(labelIds) <= set(row.label_ids)]
    if includeCompleted is False:
        rows = [row for row in rows if not issue_rules.is_ended(state, row)]
    rows = _visible(state, ctx, rows, chosen_states(states))
    return access.listed(rows, limit, access.chosen(orderBy, "createdAt"))


@service.tool
def linear_createIssue(  # noqa: N802
    state: LinearState,
    ctx: Context,
    title: Title,
    teamId: Ref[Team],
    assigneeId: Ref[User] = UNSET,
    cycleId: Ref[Cycle] = UNSET,
    description: Text = UNSET,
    dueDate: Date = UNSET,
    estimate: Whole = UNSET,
    labelIds: list[Ref[Label]] = UNSET,
    parentId: Ref[Issue] = UNSET,
    priority: Whole = UNSET,
    projectId: Ref[Project] = UNSET,
    projectMilestoneId: str = UNSET,
    sortOrder: Whole = UNSET,
    stateId: Ref[WorkflowState] = UNSET,
    subscriberIds: list[Ref[User]] = UNSET,
    templateId: str = UNSET,
) -> Issue:
    """Make an issue.

    Args:
        title: what it is about.
        teamId: the team that it belongs to, by id or key.
        assigneeId: who works on it.
        cycleId: a running or coming cycle of the team.
        description: the whole story, in Markdown.
        dueDate: YYYY-MM-DD.
        estimate: points, 0 to 64.
        labelIds: labels of the team or the workspace.
        parentId: the issue that it is part of.
        priority: 0 none, 1 urgent, 2 high, 3 normal, 4 low.
        projectId: a project of the team.
        projectMilestoneId: a milestone of the project; this workspace uses none.
        sortOrder: its place in lists.
        stateId: a workflow state of the team; the backlog by default.
        subscriberIds: who hears of changes.
        templateId: a template; this workspace has none.
    """
    team = access.find_team(state, ctx, teamId)
    _no_such(projectMilestoneId, "milestone")
    _no_such(templateId, "template")
    changes = given(
        title=title,
        description=description,
        assignee_id=assigneeId,
        cycle_id=cycleId,
        due_date=dueDate,
        estimate=estimate,
        label_ids=labelIds,
        parent_id=parentId,
        priority=priority,
        project_id=projectId,
        sort_order=sortOrder,
        state_id=stateId,
        subscriber_ids=subscriberIds,
    )
    fields = {"state_id": issue_rules.initial_state(state, team)}
    return state.issues.insert(
        Issue(
            id=access.new_id(ctx),
            identifier=f"{team.key}-{ctx.next_number(team.key)}",
            team_id=team.id,
            creator_id=access.me(state, ctx).id,
            created_at=ctx.now,
            updated_at=ctx.now,
            **{**fields, **issue_rules.checked(state, ctx, changes, team, None)},
        )
    )


def _no_such(key: str, noun: str) -> None:
    check(not key, "not_found", f"no {noun} {str(key)[:60]!r}; this workspace has none")


@service.tool(idempotent=True)
def linear_updateIssue(  # noqa: N802
    state: LinearState,
    ctx: Context,
    id: Ref[Issue],
    addedLabelIds: list[Ref[Label]] = UNSET,
    assigneeId: Ref[User] = UNSET,
    cycleId: Ref[Cycle] = UNSET,
    description: Text = UNSET,
    dueDate: Date = UNSET,
    estimate: Whole = UNSET,
    labelIds: list[Ref[Label]] = UNSET,
    parentId: Ref[Issue] = UNSET,
    priority: Whole = UNSET,
    projectId: Ref[Project] = UNSET,
    projectMilestoneId: str = UNSET,
    removedLabelIds: list[Ref[Label]] = UNSET,
    sortOrder: Whole = UNSET,
    stateId: Ref[WorkflowState] = UNSET,
    subscriberIds: list[Ref[User]] = UNSET,
    teamId: Ref[Team] = UNSET,
    title: Title = UNSET,
) -> Issue:
    """Change an issue; what is not given stays.

    Args:
        id: its id or identifier.
        addedLabelIds: labels to add.
        assigneeId: who works on it.
        cycleId: a running or coming cycle of the team.
        description: the whole story, in Markdown.
        dueDate: YYYY-MM-DD.
        estimate: points, 0 to 64.
        labelIds: all labels; replaces the old ones.
        parentId: the issue that it is part of.
        priority: 0 none, 1 urgent, 2 high, 3 normal, 4 low.
        projectId: a project of the team.
        projectMilestoneId: a milestone of the project; this workspace uses none.
        removedLabelIds: labels to take away.
        sortOrder: its place in lists.
        stateId: a workflow state of the team.
        subscriberIds: all who hear of changes; replaces the old ones.
        teamId: another team; the issue gets a new identifier and that team's first state.
        title: what it is about.
    """
    issue = access.open_issue(state, ctx, id)
    _no_such(projectMilestoneId, "milestone")
    changes = given(
        title=title,
        description=description,
        assignee_id=assigneeId,
        cycle_id=cycleId,
        due_date=dueDate,
        estimate=estimate,
        label_ids=labelIds,
        parent_id=parentId,
        priority=priority,
        project_id=projectId,
        sort_order=sortOrder,
        state_id=stateId,
        subscriber_ids=subscriberIds,
    )
    if addedLabelIds or removedLabelIds:
        held = changes.get("label_ids", list(issue.label_ids))
        gone = set(removedLabelIds or ())
        access.all_of(state.labels, sorted(gone), "label")
        changes["label_ids"] = [
            key for key in (*held, *(addedLabelIds or ())) if key not in gone
        ]
    team = state.teams[issue.team_id]
    extra: dict[str, Any] = {}
    if teamId:
        target = access.find_team(state, ctx, teamId)
        if target.id != team.id:
            team, extra = target, _transferred(state, ctx, target)
    check(bool(changes or extra or teamId), "invalid_argument", "name a field to change")
    found = {**extra, **issue_rules.checked(state, ctx, changes, team, issue)}
    if found.get("state_id") == issue.state_id:
        found["completed_at"] = issue.completed_at
    if all(getattr(issue, name) == value for name, value in found.items()):
        return issue
    return state.issues.update(issue.id, updated_at=ctx.now, **found)


def _transferred(state: LinearState, ctx: Context, team: Team) -> dict[str, Any]:
    """What an issue gets and loses when it moves to another team."""
    return {
        "team_id": team.id,
        "identifier": f"{team.key}-{ctx.next_number(team.key)}",
        "state_id": issue_rules.initial_state(state, team),
        "completed_at": None,
        "cycle_id": None,
        "project_id": None,
        "label_ids": (),
    }
