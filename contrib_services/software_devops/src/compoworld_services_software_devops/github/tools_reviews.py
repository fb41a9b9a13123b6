"""Review tools."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from compoworld_core import UNSET, Context, ToolError
from compoworld_core.resources import Page, check
from compoworld_core.types import FileName, Text
from compoworld_services_software_devops.github import access
from compoworld_services_software_devops.github.app import service
from compoworld_services_software_devops.github.state import (
    GithubState,
    Owner,
    PullNumber,
    PullRequest,
    RepoName,
    Repository,
    Review,
    ReviewComment,
    Sha,
    Whole,
)
from compoworld_services_software_devops.github.tools_pulls import head_of

_STATES: dict[str, Literal["APPROVED", "CHANGES_REQUESTED", "COMMENTED"]] = {
    "APPROVE": "APPROVED",
    "REQUEST_CHANGES": "CHANGES_REQUESTED",
    "COMMENT": "COMMENTED",
}


class PositionComment(BaseModel):
    """A remark at a position of the diff."""

    model_config = ConfigDict(extra="forbid")

    path: FileName
    position: Whole
    body: Text


class LineComment(BaseModel):
    """A remark at a line of the file."""

    model_config = ConfigDict(extra="forbid")

    path: FileName
    line: Whole
    body: Text


@service.tool
def create_pull_request_review(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    pull_number: PullNumber,
    body: Text,
    event: Literal["APPROVE", "REQUEST_CHANGES", "COMMENT"],
    comments: list[PositionComment | LineComment] = UNSET,
    commit_id: Sha = UNSET,
) -> Review:
    """Review an open pull request; nobody approves or refuses an own one.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        pull_number: the number after the #.
        body: the review's text.
        event: the verdict.
        comments: remarks on lines.
        commit_id: the reviewed commit; the newest where it is not given.
    """
    repository = access.alive(access.find(state, ctx, owner, repo))
    pull = access.find_pull(state, repository, pull_number)
    user = access.me(state, ctx)
    check(pull.state == "open", "failed_precondition", f"pull request #{pull.number} is closed")
    check(
        event == "COMMENT" or pull.user != user.id,
        "failed_precondition",
        "the author of a pull request cannot approve it or ask for changes",
    )
    access.text(body, "body", 0 if event == "APPROVE" else 1)
    newest = str(head_of(state, repository, pull.head).sha)
    if commit_id and commit_id not in state.commits:
        raise ToolError("not_found", f"no commit {commit_id[:40]!r}; the newest is {newest}")
    review = state.reviews.insert(
        Review(
            id=ctx.new_id("PRR_kwDO", length=10),
            owner=repository.owner,
            repo=repository.name,
            pull_number=pull.number,
            user=user.id,
            state=_STATES[event],
            body=body,
            commit_id=commit_id or newest,
            submitted_at=ctx.now,
        )
    )
    standing = mergeable_state(state, repository, pull)
    if standing != pull.mergeable_state:
        state.pull_requests.update(pull.id, mergeable_state=standing)
    for remark in comments or []:
        place = remark.position if isinstance(remark, PositionComment) else remark.line
        check(1 <= place <= 1_000_000, "invalid_argument", "lines and positions count from 1")
        state.review_comments.insert(
            ReviewComment(
                id=ctx.new_id("PRRC_kwDO", length=10),
                owner=repository.owner,
                repo=repository.name,
                pull_number=pull.number,
                review=review.id,
                user=user.id,
                path=access.text(remark.path, "path", 1, 400),
                position=place,
                body=access.text(remark.body, "body", 1),
                created_at=ctx.now,
            )
        )
    return review


def mergeable_state(
    state: GithubState, repository: Repository, pull: PullRequest
) -> Literal["clean", "blocked"]:
    """Whether the reviews let a pull request into its base."""
    if not access.find_branch(state, repository, pull.base).protected:
        return "clean"
    verdicts: dict[str, str] = {}
    for review in state.reviews.where(pull_number=pull.number):
        if review.state != "COMMENTED":
            verdicts[str(review.user)] = review.state
    approved = "APPROVED" in verdicts.values()
    return "clean" if approved and "CHANGES_REQUESTED" not in verdicts.values() else "blocked"


@service.tool(read_only=True)
def get_pull_request_comments(
    state: GithubState, ctx: Context, owner: Owner, repo: RepoName, pull_number: PullNumber
) -> Page[ReviewComment]:
    """List the remarks on lines of a pull request.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        pull_number: the number after the #.
    """
    repository = access.find(state, ctx, owner, repo)
    access.find_pull(state, repository, pull_number)
    rows = state.review_comments.where(pull_number=pull_number, repo=repo, owner=owner)
    return access.page_of(rows, 1, 100)


@service.tool(read_only=True)
def get_pull_request_reviews(
    state: GithubState, ctx: Context, owner: Owner, repo: RepoName, pull_number: PullNumber
) -> Page[Review]:
    """List the reviews of a pull request, oldest first.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        pull_number: the number after the #.
    """
    repository = access.find(state, ctx, owner, repo)
    access.find_pull(state, repository, pull_number)
    rows = state.reviews.where(pull_number=pull_number, repo=repo, owner=owner)
    return access.page_of(rows, 1, 100)
