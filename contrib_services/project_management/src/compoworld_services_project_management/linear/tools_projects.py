# ruff: noqa: N803  # parameters have the product's names
"""Project tools."""

from __future__ import annotations

from typing import Any, get_args

from compoworld_core import UNSET, Context, Ref, ToolError
from compoworld_core.resources import Page, check, given, paginate, require
from compoworld_core.types import Date, Status, Text, Title
from compoworld_services_project_management.linear import access, issue_rules
from compoworld_services_project_management.linear.app import service
from compoworld_services_project_management.linear.state import (
    Issue,
    LinearState,
    Project,
    ProjectState,
    Team,
    User,
    Whole,
)


@service.tool(read_only=True)
def linear_getProjects(state: LinearState) -> Page[Project]:  # noqa: N802
    """List the projects of the workspace."""
    return paginate(list(state.projects), access.MOST_ROWS)


@service.tool(read_only=True)
def linear_getProjectById(state: LinearState, id: Ref[Project]) -> Project:  # noqa: N802
    """Show one project.

    Args:
        id: the project.
    """
    return require(state.projects, id, "project")


@service.tool
def linear_createProject(  # noqa: N802
    state: LinearState,
    ctx: Context,
    name: Title,
    teamIds: list[Ref[Team]],
    color: str = UNSET,
    content: Text = UNSET,
    description: Text = UNSET,
    icon: str = UNSET,
    leadId: Ref[User] = UNSET,
    memberIds: list[Ref[User]] = UNSET,
    sortOrder: Whole = UNSET,
    startDate: Date = UNSET,
    state_: Status = UNSET,
    targetDate: Date = UNSET,
) -> Project:
    """Make a project.

    Args:
        name: its name; one project per name.
        teamIds: the teams that take part.
        color: as #rrggbb.
        content: the whole plan, in Markdown.
        description: what it is about, in a sentence.
        icon: name of an icon.
        leadId: who leads it.
        memberIds: who takes part.
        sortOrder: its place in lists.
        startDate: YYYY-MM-DD.
        state: backlog, planned, started, paused, completed or canceled.
        targetDate: YYYY-MM-DD, not before the start.
    """
    changes = _checked(
        state,
        None,
        given(
            name=name,
            color=color,
            content=content,
            description=description,
            icon=icon,
            lead_id=leadId,
            member_ids=memberIds,
            sort_order=sortOrder,
            start_date=startDate,
            state=state_,
            target_date=targetDate,
        ),
    )
    teams = tuple(dict.fromkeys(access.find_team(state, ctx, key).id for key in teamIds))
    check(bool(teams), "invalid_argument", "name at least one team")
    return state.projects.insert(
        Project(
            id=access.new_id(ctx),
            team_ids=teams,
            created_at=ctx.now,
            updated_at=ctx.now,
            **changes,
        )
    )


@service.tool(idempotent=True)
def linear_updateProject(  # noqa: N802
    state: LinearState,
    ctx: Context,
    id: Ref[Project],
    color: str = UNSET,
    content: Text = UNSET,
    description: Text = UNSET,
    icon: str = UNSET,
    leadId: Ref[User] = UNSET,
    memberIds: list[Ref[User]] = UNSET,
    name: Title = UNSET,
    sortOrder: Whole = UNSET,
    startDate: Date = UNSET,
    state_: Status = UNSET,
    targetDate: Date = UNSET,
) -> Project:
    """Change a project; what is not given stays.

    Args:
        id: the project.
        color: as #rrggbb.
        content: the whole plan, in Markdown.
        description: what it is about, in a sentence.
        icon: name of an icon.
        leadId: who leads it.
        memberIds: all who take part; replaces the old ones.
        name: its name; one project per name.
        sortOrder: its place in lists.
        startDate: YYYY-MM-DD.
        state: backlog, planned, started, paused, completed or canceled.
        targetDate: YYYY-MM-DD, not before the start.
    """
    access.me(state, ctx)
    project = require(state.projects, id, "project")
    changes = given(
        name=name,
        color=color,
        content=content,
        description=description,
        icon=icon,
        lead_id=leadId,
        member_ids=memberIds,
        sort_order=sortOrder,
        start_date=startDate,
        state=state_,
        target_date=targetDate,
    )
    check(bool(changes), "invalid_argument", "name a field to change")
    found = _checked(state, project, changes)
    if all(getattr(project, field) == value for field, value in found.items()):
        return project
    return state.projects.update(project.id, updated_at=ctx.now, **found)


def _checked(
    state: LinearState, project: Project | None, changes: dict[str, Any]
) -> dict[str, Any]:
    """Changes of a project as the record holds them; ToolError where they do not fit."""
    found = dict(changes)
    for name, most in (("description", 255), ("content", 50_000), ("color", 30), ("icon", 60)):
        if name in found:
            access.text(found[name], name, most=most)
    if "name" in found:
        access.text(found["name"], "name", 1, 80)
        twin = state.projects.first(name=found["name"])
        taken = twin is not None and (project is None or twin.id != project.id)
        check(not taken, "conflict", f"a project {found['name']!r} exists already")
    if "sort_order" in found:
        check(abs(found["sort_order"]) < 10**9, "invalid_argument", "sortOrder is out of range")
    if "lead_id" in found:
        found["lead_id"] = access.active_user(state, found["lead_id"]).id
    if "member_ids" in found:
        found["member_ids"] = access.all_of(state.users, found["member_ids"], "user")
    if "state" in found and found["state"] not in get_args(ProjectState):
        known = ", ".join(get_args(ProjectState))
        raise ToolError("invalid_argument", f"no state {found['state'][:40]!r}; use {known}")
    start = found.get("start_date", project.start_date if project else None)
    target = found.get("target_date", project.target_date if project else None)
    late = start is not None and target is not None and target < start
    check(not late, "invalid_argument", "targetDate is before startDate")
    return found


@service.tool
def linear_addIssueToProject(  # noqa: N802
    state: LinearState, ctx: Context, issueId: Ref[Issue], projectId: Ref[Project]
) -> Issue:
    """Put an issue into a project of its team.

    Args:
        issueId: the issue's id or identifier.
        projectId: the project.
    """
    issue = access.open_issue(state, ctx, issueId)
    issue_rules.check_project(state, projectId, state.teams[issue.team_id])
    check(
        issue.project_id != projectId,
        "conflict",
        f"{issue.identifier} is in this project already",
    )
    return state.issues.update(issue.id, project_id=projectId, updated_at=ctx.now)
