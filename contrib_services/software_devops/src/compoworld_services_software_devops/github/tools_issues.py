"""Issue tools."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import WithJsonSchema

from compoworld_core import UNSET, Context, Ref, ToolError
from compoworld_core.resources import Page, check, given
from compoworld_core.types import DateTime, Tag, Text, Title
from compoworld_services_software_devops.github import access
from compoworld_services_software_devops.github.app import service
from compoworld_services_software_devops.github.state import (
    GithubState,
    Issue,
    IssueComment,
    IssueNumber,
    IssueState,
    Owner,
    RepoName,
    Repository,
    User,
    Whole,
)

Since = Annotated[DateTime, WithJsonSchema({"type": "string"})]


@service.tool
def create_issue(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    title: Title,
    body: Text = UNSET,
    assignees: list[Ref[User]] = UNSET,
    labels: list[Tag] = UNSET,
    milestone: Whole = UNSET,
) -> Issue:
    """Open an issue. Labels, assignees and milestone need write access.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        title: what it is about.
        body: the whole story.
        assignees: logins of those who work on it.
        labels: names of labels.
        milestone: number of a milestone.
    """
    repository = access.alive(access.find(state, ctx, owner, repo))
    changes = given(assignees=assignees, labels=labels, milestone=milestone)
    if any(changes.values()):
        access.writable(state, ctx, owner, repo)
    number = ctx.next_number("number")
    return state.issues.insert(
        Issue(
            id=number,
            owner=repository.owner,
            repo=repository.name,
            number=number,
            title=access.text(title, "title", 1, 256),
            body=access.text(body or "", "body"),
            user=access.me(state, ctx).id,
            created_at=ctx.now,
            updated_at=ctx.now,
            **_checked(state, repository, changes),
        )
    )


@service.tool(read_only=True)
def get_issue(
    state: GithubState, ctx: Context, owner: Owner, repo: RepoName, issue_number: IssueNumber
) -> Issue:
    """Show one issue.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        issue_number: the number after the #.
    """
    return access.find_issue(state, access.find(state, ctx, owner, repo), issue_number)


@service.tool(read_only=True)
def list_issues(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    direction: Literal["asc", "desc"] = UNSET,
    labels: list[Tag] = UNSET,
    page: Whole = UNSET,
    per_page: Whole = UNSET,
    since: Since = UNSET,
    sort: Literal["created", "updated", "comments"] = UNSET,
    state_: Literal["open", "closed", "all"] = UNSET,
) -> Page[Issue]:
    """List the issues of a repository, newest first.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        direction: of the sorting; desc by default.
        labels: only issues that carry all of these.
        page: number of the page, from 1.
        per_page: issues per page; 30 by default, at most 100.
        since: only issues that changed at this time (ISO 8601) or later.
        sort: what to sort by; created by default.
        state: open by default.
    """
    repository = access.find(state, ctx, owner, repo)
    wanted: dict[str, Any] = {"repo": repository.name, "owner": repository.owner}
    if state_ != "all":
        wanted["state"] = access.chosen(state_, "open")
    rows = state.issues.where(**wanted)
    if labels:
        rows = [row for row in rows if set(labels) <= set(row.labels)]
    if isinstance(since, datetime):
        rows = [row for row in rows if row.updated_at >= since]
    rows.sort(key=_key(access.chosen(sort, "created")), reverse=direction != "asc")
    return access.page_of(rows, page, per_page)


def _key(sort: str) -> Any:
    name = {"created": "created_at", "updated": "updated_at", "comments": "comments"}[sort]
    return lambda row: (getattr(row, name), row.number)


@service.tool(idempotent=True)
def update_issue(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    issue_number: IssueNumber,
    title: Title = UNSET,
    body: Text = UNSET,
    assignees: list[Ref[User]] = UNSET,
    labels: list[Tag] = UNSET,
    milestone: Whole = UNSET,
    state_: IssueState = UNSET,
) -> Issue:
    """Change an issue; what is not given stays. Needs write access, or that you opened it.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        issue_number: the number after the #.
        title: what it is about.
        body: the whole story.
        assignees: logins of all who work on it; replaces the old ones.
        labels: names of all labels; replaces the old ones.
        milestone: number of a milestone.
        state: open or closed.
    """
    repository = access.alive(access.find(state, ctx, owner, repo))
    issue = access.find_issue(state, repository, issue_number)
    shared = given(assignees=assignees, labels=labels, milestone=milestone)
    own = given(title=title, body=body, state=state_)
    check(bool(shared or own), "invalid_argument", "name a field to change")
    if shared or issue.user != access.me(state, ctx).id:
        access.writable(state, ctx, owner, repo)
    changes = {**own, **_checked(state, repository, shared)}
    if "title" in changes:
        access.text(changes["title"], "title", 1, 256)
    if "body" in changes:
        access.text(changes["body"], "body")
    if changes.get("state", issue.state) != issue.state:
        changes["closed_at"] = ctx.now if changes["state"] == "closed" else None
    if all(getattr(issue, name) == value for name, value in changes.items()):
        return issue
    return state.issues.update(issue.id, updated_at=ctx.now, **changes)


def _checked(
    state: GithubState, repository: Repository, changes: dict[str, Any]
) -> dict[str, Any]:
    """Assignees, labels and milestone as the record holds them."""
    found = dict(changes)
    if "assignees" in found:
        check(len(found["assignees"]) <= 10, "invalid_argument", "at most 10 assignees")
        found["assignees"] = access.find_users(state, found["assignees"])
    if "labels" in found:
        names = [access.text(name, "label", 1, 50) for name in found["labels"]]
        check(len(names) <= 100, "invalid_argument", "at most 100 labels")
        found["labels"] = tuple(sorted(set(names)))
    if "milestone" in found:
        rows = state.milestones.where(owner=repository.owner, repo=repository.name)
        if found["milestone"] not in [row.number for row in rows]:
            known = ", ".join(f"{row.number} ({row.title})" for row in rows) or "none"
            raise ToolError(
                "not_found",
                f"no milestone {found['milestone']} in {repository.name}. There are: {known}",
            )
    return found


@service.tool
def add_issue_comment(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    issue_number: IssueNumber,
    body: Text,
) -> IssueComment:
    """Comment on an issue or pull request.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        issue_number: number of the issue or pull request.
        body: the comment.
    """
    repository = access.alive(access.find(state, ctx, owner, repo))
    access.text(body, "body", 1)
    pull = state.pull_requests.first(number=issue_number, repo=repo, owner=owner)
    if pull is None:
        issue = access.find_issue(state, repository, issue_number)
        state.issues.update(issue.id, comments=issue.comments + 1, updated_at=ctx.now)
    return state.issue_comments.insert(
        IssueComment(
            id=ctx.new_id("IC_kwDO", length=10),
            owner=repository.owner,
            repo=repository.name,
            issue_number=issue_number,
            user=access.me(state, ctx).id,
            body=body,
            created_at=ctx.now,
        )
    )
