"""What must hold between an issue and its team, state, cycle, project, labels and parent."""

from __future__ import annotations

from typing import Any

from compoworld_core import Context, ToolError
from compoworld_core.resources import check, require
from compoworld_services_project_management.linear import access
from compoworld_services_project_management.linear.state import Issue, LinearState, Team

_ENDED = ("completed", "canceled")


def initial_state(state: LinearState, team: Team) -> str:
    """The state of a team's new issues: the first in the backlog."""
    rows = sorted(state.workflow_states.where(team_id=team.id), key=lambda row: row.position)
    if not rows:
        raise ToolError("failed_precondition", f"team {team.key} has no workflow states")
    return str(next((row for row in rows if row.type == "backlog"), rows[0]).id)


def checked(
    state: LinearState, ctx: Context, changes: dict[str, Any], team: Team, issue: Issue | None
) -> dict[str, Any]:
    """Changes of an issue as the record holds them; ToolError where they do not fit."""
    found = dict(changes)
    if "title" in found:
        access.text(found["title"], "title", 1, 512)
    if "description" in found:
        access.text(found["description"], "description")
    if "priority" in found:
        check(0 <= found["priority"] <= 4, "invalid_argument", "priority is 0, 1, 2, 3 or 4")
    if found.get("estimate") is not None:
        check(0 <= found["estimate"] <= 64, "invalid_argument", "estimate is from 0 to 64")
    if "sort_order" in found:
        check(abs(found["sort_order"]) < 10**9, "invalid_argument", "sortOrder is out of range")
    if "assignee_id" in found:
        found["assignee_id"] = access.active_user(state, found["assignee_id"]).id
    if "subscriber_ids" in found:
        found["subscriber_ids"] = access.all_of(state.users, found["subscriber_ids"], "user")
    if "state_id" in found:
        found.update(moved(state, ctx, found["state_id"], team))
    if "cycle_id" in found:
        check_cycle(state, found["cycle_id"], team)
    if "project_id" in found:
        check_project(state, found["project_id"], team)
    if "label_ids" in found:
        found["label_ids"] = labels(state, found["label_ids"], team)
    if "parent_id" in found:
        found["parent_id"] = _parent(state, ctx, found["parent_id"], issue)
    return found


def moved(state: LinearState, ctx: Context, key: str, team: Team) -> dict[str, Any]:
    """The changes of moving an issue to a state of its team."""
    rows = state.workflow_states.where(team_id=team.id)
    row = next((row for row in rows if row.name.casefold() == key.casefold()), None)
    row = row or require(state.workflow_states, key, "workflow state")
    if row.team_id != team.id:
        known = ", ".join(f"{other.name} ({other.id})" for other in rows)
        raise ToolError(
            "failed_precondition",
            f"state {row.name} belongs to another team; {team.key} has: {known}",
        )
    return {"state_id": row.id, "completed_at": ctx.now if row.type in _ENDED else None}


def is_ended(state: LinearState, issue: Issue) -> bool:
    """Whether an issue is completed or canceled."""
    return state.workflow_states[issue.state_id].type in _ENDED


def check_cycle(state: LinearState, key: str, team: Team) -> None:
    """ToolError unless the cycle is the team's and not over."""
    cycle = require(state.cycles, key, "cycle")
    check(
        cycle.team_id == team.id,
        "failed_precondition",
        f"cycle {cycle.name} belongs to another team than {team.key}",
    )
    check(not cycle.completed, "failed_precondition", f"cycle {cycle.name} is completed")


def check_project(state: LinearState, key: str, team: Team) -> None:
    """ToolError unless the team takes part in the project."""
    project = require(state.projects, key, "project")
    check(
        team.id in project.team_ids,
        "failed_precondition",
        f"team {team.key} does not take part in project {project.name}",
    )


def labels(state: LinearState, keys: list[str], team: Team) -> tuple[str, ...]:
    """Ids of labels that the team's issues may carry."""
    found = access.all_of(state.labels, keys, "label")
    for key in found:
        label = state.labels[key]
        check(
            label.team_id in (None, team.id),
            "failed_precondition",
            f"label {label.name} belongs to another team than {team.key}",
        )
    return found


def _parent(state: LinearState, ctx: Context, key: str, issue: Issue | None) -> str:
    parent = access.find_issue(state, ctx, key)
    above: Issue | None = parent
    for _ in range(100):
        if above is None:
            break
        check(
            issue is None or above.id != issue.id,
            "failed_precondition",
            "an issue cannot be its own ancestor",
        )
        above = state.issues.get(above.parent_id) if above.parent_id else None
    return str(parent.id)
