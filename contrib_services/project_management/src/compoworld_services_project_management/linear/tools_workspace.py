# ruff: noqa: N803  # parameters have the product's names
"""Workspace tools: users, teams, workflow states, labels and cycles."""

from __future__ import annotations

from compoworld_core import UNSET, Context, Ref
from compoworld_core.resources import Page, check, paginate, require
from compoworld_core.types import Tag, Text
from compoworld_services_project_management.linear import access, issue_rules
from compoworld_services_project_management.linear.app import service
from compoworld_services_project_management.linear.state import (
    Count,
    Cycle,
    Issue,
    Label,
    LinearState,
    Team,
    User,
    WorkflowState,
)


@service.tool(read_only=True)
def linear_getViewer(state: LinearState, ctx: Context) -> User:  # noqa: N802
    """Show whose account this is."""
    return access.me(state, ctx)


@service.tool(read_only=True)
def linear_getUsers(state: LinearState) -> Page[User]:  # noqa: N802
    """List the members of the workspace."""
    return paginate(list(state.users), access.MOST_ROWS)


@service.tool(read_only=True)
def linear_getTeams(state: LinearState, ctx: Context) -> Page[Team]:  # noqa: N802
    """List the teams that you see."""
    user = access.me(state, ctx)
    rows = [row for row in state.teams if not row.private or user.id in row.members]
    return paginate(rows, access.MOST_ROWS)


@service.tool(read_only=True)
def linear_getWorkflowStates(  # noqa: N802
    state: LinearState, ctx: Context, teamId: Ref[Team], includeArchived: bool = UNSET
) -> Page[WorkflowState]:
    """List the states that a team's issues can have, in order.

    Args:
        teamId: the team's id or key.
        includeArchived: whether archived states are listed; there are none.
    """
    team = access.find_team(state, ctx, teamId)
    rows = sorted(state.workflow_states.where(team_id=team.id), key=lambda row: row.position)
    return paginate(rows, access.MOST_ROWS)


@service.tool(read_only=True)
def linear_getLabels(state: LinearState) -> Page[Label]:  # noqa: N802
    """List all labels: those of the workspace and those of teams."""
    return paginate(list(state.labels), access.MOST_ROWS)


@service.tool
def linear_createTeamLabel(  # noqa: N802
    state: LinearState,
    ctx: Context,
    teamId: Ref[Team],
    name: Tag,
    color: str = UNSET,
    description: Text = UNSET,
    parentId: Ref[Label] = UNSET,
) -> Label:
    """Make a label of a team.

    Args:
        teamId: the team's id or key.
        name: its name; one label per name in a team.
        color: as #rrggbb.
        description: what it is for.
        parentId: the label that groups it.
    """
    team = access.find_team(state, ctx, teamId)
    access.text(name, "name", 1, 80)
    twins = [
        row
        for row in state.labels
        if row.team_id in (None, team.id) and row.name.casefold() == name.casefold()
    ]
    check(not twins, "conflict", f"label {name[:80]!r} exists already")
    if parentId:
        require(state.labels, parentId, "label")
    return state.labels.insert(
        Label(
            id=access.new_id(ctx),
            name=name,
            color=access.text(color or "#bec2c8", "color", 1, 30),
            description=access.text(description or "", "description", most=1000),
            team_id=team.id,
        )
    )


@service.tool(read_only=True)
def linear_getCycles(  # noqa: N802
    state: LinearState, ctx: Context, limit: Count = UNSET, teamId: Ref[Team] = UNSET
) -> Page[Cycle]:
    """List cycles.

    Args:
        limit: how many; 50 by default, at most 250.
        teamId: only cycles of this team, by id or key.
    """
    if teamId:
        rows = state.cycles.where(team_id=access.find_team(state, ctx, teamId).id)
    else:
        rows = list(state.cycles)
    return access.listed(rows, limit)


@service.tool
def linear_addIssueToCycle(  # noqa: N802
    state: LinearState, ctx: Context, issueId: Ref[Issue], cycleId: Ref[Cycle]
) -> Issue:
    """Put an issue into a running or coming cycle of its team.

    Args:
        issueId: the issue's id or identifier.
        cycleId: the cycle.
    """
    issue = access.open_issue(state, ctx, issueId)
    issue_rules.check_cycle(state, cycleId, state.teams[issue.team_id])
    check(issue.cycle_id != cycleId, "conflict", f"{issue.identifier} is in this cycle already")
    return state.issues.update(issue.id, cycle_id=cycleId, updated_at=ctx.now)


@service.tool
def linear_completeCycle(state: LinearState, ctx: Context, id: Ref[Cycle]) -> Cycle:  # noqa: N802
    """Complete a cycle; its open issues move to the team's next cycle, if there is one.

    Args:
        id: the cycle.
    """
    cycle = require(state.cycles, id, "cycle")
    access.find_team(state, ctx, str(cycle.team_id))
    check(not cycle.completed, "failed_precondition", f"cycle {cycle.name} is completed")
    later = [
        row
        for row in state.cycles.where(team_id=cycle.team_id, completed=False)
        if row.starts_at > cycle.starts_at
    ]
    target = min(later, key=lambda row: row.starts_at).id if later else None
    for issue in state.issues.where(cycle_id=cycle.id):
        if not issue.archived and not issue_rules.is_ended(state, issue):
            state.issues.update(issue.id, cycle_id=target, updated_at=ctx.now)
    return state.cycles.update(cycle.id, completed=True, completed_at=ctx.now)
