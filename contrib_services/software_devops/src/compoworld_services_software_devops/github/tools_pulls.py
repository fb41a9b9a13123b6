"""Pull request tools: open, list, read, update and merge."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from compoworld_core import UNSET, Context, ToolError
from compoworld_core.resources import Page, check
from compoworld_core.types import Text, Title
from compoworld_services_software_devops.github import access, git
from compoworld_services_software_devops.github.app import service
from compoworld_services_software_devops.github.state import (
    Branch,
    BranchName,
    File,
    GithubState,
    Owner,
    PullNumber,
    PullRequest,
    RepoName,
    Repository,
    Sha,
    StatusCheck,
    Whole,
)


class ChangedFile(BaseModel):
    """A file that a pull request changes."""

    model_config = ConfigDict(extra="forbid")

    filename: str
    status: Literal["added", "modified", "removed"]
    sha: str | None
    additions: int
    deletions: int
    changes: int


class CombinedStatus(BaseModel):
    """The checks of a pull request's newest commit."""

    model_config = ConfigDict(extra="forbid")

    state: Literal["pending", "success", "failure"]
    sha: str
    total_count: int
    statuses: list[StatusCheck]


class MergeResult(BaseModel):
    """What a merge did."""

    model_config = ConfigDict(extra="forbid")

    sha: str
    merged: bool
    message: str


@service.tool
def create_pull_request(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    title: Title,
    head: BranchName,
    base: BranchName,
    body: Text = UNSET,
    draft: bool = UNSET,
    maintainer_can_modify: bool = UNSET,
) -> PullRequest:
    """Propose to merge a branch into another.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        title: what it does.
        head: the branch with the changes; `login:branch` for a branch of a fork.
        base: the branch that gets them.
        body: the whole story.
        draft: whether it is not ready for review.
        maintainer_can_modify: whether maintainers may push to the branch.
    """
    repository = access.alive(access.find(state, ctx, owner, repo))
    access.text(title, "title", 1, 256)
    target = access.find_branch(state, repository, base)
    source = head_of(state, repository, head)
    check(source.id != target.id, "invalid_argument", "head and base are the same branch")
    root = git.merge_base(state, str(target.sha), str(source.sha))
    check(
        bool(git.changed(state, root, str(source.sha))),
        "failed_precondition",
        f"no commits between {base} and {head}",
    )
    twin = state.pull_requests.where(
        head=head, base=base, state="open", repo=repository.name, owner=repository.owner
    )
    check(not twin, "conflict", f"pull request #{twin[0].number if twin else 0} is open for it")
    number = ctx.next_number("number")
    return state.pull_requests.insert(
        PullRequest(
            id=number,
            owner=repository.owner,
            repo=repository.name,
            number=number,
            title=title,
            body=access.text(body or "", "body"),
            draft=bool(draft),
            mergeable_state="blocked" if target.protected else "clean",
            user=access.me(state, ctx).id,
            head=head,
            base=base,
            maintainer_can_modify=maintainer_can_modify is not False,
            created_at=ctx.now,
            updated_at=ctx.now,
        )
    )


def head_of(state: GithubState, repository: Repository, head: str) -> Branch:
    """The branch that a pull request comes from, in the repository or a fork."""
    login, colon, name = head.partition(":")
    if not colon:
        return access.find_branch(state, repository, head)
    found = access.named(state, login, repository.name)
    if found is None or (found.id != repository.id and found.parent != repository.id):
        raise ToolError(
            "not_found", f"{login[:60]!r} has no fork of {access.full_name(repository)}"
        )
    return access.find_branch(state, found, name)


@service.tool(read_only=True)
def get_pull_request(
    state: GithubState, ctx: Context, owner: Owner, repo: RepoName, pull_number: PullNumber
) -> PullRequest:
    """Show one pull request.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        pull_number: the number after the #.
    """
    return access.find_pull(state, access.find(state, ctx, owner, repo), pull_number)


@service.tool(read_only=True)
def list_pull_requests(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    base: BranchName = UNSET,
    direction: Literal["asc", "desc"] = UNSET,
    head: BranchName = UNSET,
    page: Whole = UNSET,
    per_page: Whole = UNSET,
    sort: Literal["created", "updated", "popularity", "long-running"] = UNSET,
    state_: Literal["open", "closed", "all"] = UNSET,
) -> Page[PullRequest]:
    """List the pull requests of a repository, newest first.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        base: only those into this branch.
        direction: of the sorting; desc by default.
        head: only those from this branch.
        page: number of the page, from 1.
        per_page: pull requests per page; 30 by default, at most 100.
        sort: what to sort by; created by default.
        state: open by default.
    """
    repository = access.find(state, ctx, owner, repo)
    wanted: dict[str, Any] = {"repo": repository.name, "owner": repository.owner}
    if state_ != "all":
        wanted["state"] = access.chosen(state_, "open")
    if base:
        wanted["base"] = base
    if head:
        wanted["head"] = head.removeprefix(f"{repository.owner}:")
    rows = state.pull_requests.where(**wanted)
    order = access.chosen(sort, "created")
    rows.sort(key=lambda row: _place(state, row, order), reverse=direction != "asc")
    return access.page_of(rows, page, per_page)


def _place(state: GithubState, pull: PullRequest, sort: str) -> tuple[Any, int]:
    if sort == "popularity":
        rows = state.issue_comments.where(
            issue_number=pull.number, repo=pull.repo, owner=pull.owner
        )
        return len(rows), pull.number
    if sort == "long-running":
        return pull.updated_at - pull.created_at, pull.number
    return pull.updated_at if sort == "updated" else pull.created_at, pull.number


@service.tool(read_only=True)
def get_pull_request_files(
    state: GithubState, ctx: Context, owner: Owner, repo: RepoName, pull_number: PullNumber
) -> Page[ChangedFile]:
    """List the files that a pull request changes.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        pull_number: the number after the #.
    """
    repository = access.find(state, ctx, owner, repo)
    pull = access.find_pull(state, repository, pull_number)
    head, root = _ends(state, repository, pull)
    old = git.tree_of(state, root) if root else {}
    rows = [
        _changed_file(path, old.get(path), new)
        for path, new in git.changed(state, root, head).items()
    ]
    return access.page_of(rows, 1, 100)


def _ends(
    state: GithubState, repository: Repository, pull: PullRequest
) -> tuple[str, str | None]:
    """(newest commit of the head, where it left the base)."""
    if pull.merge_commit_sha is not None:
        merged = state.commits[pull.merge_commit_sha]
        base = str(merged.parents[0])
        head = str(merged.parents[-1]) if len(merged.parents) > 1 else str(merged.id)
        return head, git.merge_base(state, base, head)
    head = str(head_of(state, repository, pull.head).sha)
    base = str(access.find_branch(state, repository, pull.base).sha)
    return head, git.merge_base(state, base, head)


def _changed_file(path: str, old: File | None, new: File | None) -> ChangedFile:
    before = old.content.splitlines() if old else []
    after = new.content.splitlines() if new else []
    added = sum(line not in set(before) for line in after)
    removed = sum(line not in set(after) for line in before)
    return ChangedFile(
        filename=path,
        status="added" if old is None else "removed" if new is None else "modified",
        sha=new.sha if new else None,
        additions=added,
        deletions=removed,
        changes=added + removed,
    )


@service.tool(read_only=True)
def get_pull_request_status(
    state: GithubState, ctx: Context, owner: Owner, repo: RepoName, pull_number: PullNumber
) -> CombinedStatus:
    """Show the checks of a pull request's newest commit.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        pull_number: the number after the #.
    """
    repository = access.find(state, ctx, owner, repo)
    pull = access.find_pull(state, repository, pull_number)
    return _status(state, _ends(state, repository, pull)[0])


def _status(state: GithubState, sha: str) -> CombinedStatus:
    checks = state.status_checks.where(sha=sha)
    states = {row.state for row in checks}
    total: Literal["pending", "success", "failure"] = "success"
    if "failure" in states:
        total = "failure"
    elif "pending" in states or not checks:
        total = "pending"
    return CombinedStatus(state=total, sha=sha, total_count=len(checks), statuses=checks)


@service.tool(destructive=True)
def merge_pull_request(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    pull_number: PullNumber,
    commit_message: Text = UNSET,
    commit_title: Title = UNSET,
    merge_method: Literal["merge", "squash", "rebase"] = UNSET,
) -> MergeResult:
    """Merge a pull request. A protected base needs an approval and no failed check.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        pull_number: the number after the #.
        commit_message: more about the merge.
        commit_title: the merge commit's first line.
        merge_method: a merge commit by default.
    """
    repository = access.writable(state, ctx, owner, repo)
    pull = access.find_pull(state, repository, pull_number)
    base = access.find_branch(state, repository, pull.base)
    _check_mergeable(state, repository, pull, base)
    head = str(head_of(state, repository, pull.head).sha)
    tree = git.merged(state, str(base.sha), head)
    user = access.me(state, ctx)
    title = commit_title or f"Merge pull request #{pull.number} from {pull.head}"
    message = access.text(f"{title}\n\n{commit_message or pull.title}", "message", 1, 5000)
    parents: tuple[str, ...] = (str(base.sha), head)
    if access.chosen(merge_method, "merge") != "merge":
        parents = parents[:1]
    made = git.commit(state, ctx, repository, base.name, user, message, tree, parents)
    git.advance(state, base, made)
    state.pull_requests.update(
        pull.id,
        state="closed",
        merged=True,
        merged_by=user.id,
        merge_commit_sha=made.id,
        closed_at=ctx.now,
        updated_at=ctx.now,
    )
    return MergeResult(sha=made.id, merged=True, message="Pull request merged")


def _check_mergeable(
    state: GithubState, repository: Repository, pull: PullRequest, base: Branch
) -> None:
    name = f"pull request #{pull.number}"
    check(not pull.merged, "failed_precondition", f"{name} is merged already")
    check(pull.state == "open", "failed_precondition", f"{name} is closed")
    check(not pull.draft, "failed_precondition", f"{name} is a draft")
    check(
        pull.mergeable_state == "clean",
        "failed_precondition",
        f"{name} is blocked: {base.name} is protected and needs an approving review, and nobody"
        " who asks for changes",
    )
    if not base.protected:
        return
    sha = str(head_of(state, repository, pull.head).sha)
    failed = [row.context for row in state.status_checks.where(sha=sha, state="failure")]
    check(not failed, "failed_precondition", f"{name}: check {', '.join(failed)} failed")


@service.tool
def update_pull_request_branch(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    pull_number: PullNumber,
    expected_head_sha: Sha = UNSET,
) -> PullRequest:
    """Merge the newest changes of the base into a pull request's branch.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        pull_number: the number after the #.
        expected_head_sha: fail unless the branch is at this commit.
    """
    repository = access.writable(state, ctx, owner, repo)
    pull = access.find_pull(state, repository, pull_number)
    check(pull.state == "open", "failed_precondition", f"pull request #{pull.number} is closed")
    head = head_of(state, repository, pull.head)
    base = access.find_branch(state, repository, pull.base)
    check(
        not expected_head_sha or expected_head_sha == head.sha,
        "failed_precondition",
        f"{pull.head} is at {head.sha}",
    )
    root = git.merge_base(state, str(base.sha), str(head.sha))
    check(
        root != base.sha, "failed_precondition", f"{pull.head} is up to date with {pull.base}"
    )
    tree = git.merged(state, str(head.sha), str(base.sha))
    message = f"Merge branch '{pull.base}' into {pull.head}"
    parents = (str(head.sha), str(base.sha))
    user = access.me(state, ctx)
    made = git.commit(state, ctx, repository, head.name, user, message, tree, parents)
    git.advance(state, head, made)
    return state.pull_requests.update(pull.id, updated_at=ctx.now)
