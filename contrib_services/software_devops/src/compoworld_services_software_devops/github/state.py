"""Entities of the code host: people, repositories, git objects, issues and pull requests."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, WithJsonSchema

from compoworld_core import Entity, IntRef, Ref, State, Table
from compoworld_core.types import (
    Company,
    Date,
    DateTime,
    Email,
    FileName,
    Meaning,
    PersonName,
    Quantity,
    Tag,
    Text,
    Title,
)

Login = Annotated[str, Meaning("code", "login")]
Owner = Ref["User"]
"""Login of the user or organization that a repository belongs to."""
RepoName = Ref["Repository"]
"""Name of a repository; a key where no other owner has one of this name before."""
BranchName = Annotated[str, Meaning("code", "branch")]
Sha = Annotated[str, Meaning("code", "sha")]
Number = Annotated[int, Meaning("code", "number")]
"""Public number of an issue or pull request; here one sequence for all repositories, so that it
is a key."""
Tags = Annotated[tuple[Tag, ...], AfterValidator(lambda items: tuple(sorted(set(items))))]
Whole = Annotated[int, WithJsonSchema({"type": "number"})]
"""A whole number where the product's schema says number."""
IssueNumber = Annotated[IntRef["Issue"], WithJsonSchema({"type": "number"})]
PullNumber = Annotated[IntRef["PullRequest"], WithJsonSchema({"type": "number"})]
IssueState = Literal["open", "closed"]
Permission = Literal["read", "write", "admin"]


class User(Entity):
    """A person or organization; `id` is the login."""

    id: str
    login: Login
    name: PersonName
    email: Email | None = None
    company: Company | None = None
    bio: Text = ""
    type: Literal["User", "Organization"] = "User"
    followers: Quantity = 0
    created_at: DateTime


class Repository(Entity):
    """A repository; `id` is its name, or `owner/name` where another owner has the name."""

    id: str
    owner: Owner
    name: Title
    description: Text = ""
    private: bool = False
    fork: bool = False
    parent: Ref[Repository] | None = None
    default_branch: BranchName = "main"
    language: Tag = ""
    topics: Tags = ()
    stars: Quantity = 0
    archived: bool = False
    created_at: DateTime
    updated_at: DateTime


class Collaborator(Entity):
    """What a person may do in a repository beyond reading what is public."""

    id: str
    repository: Ref[Repository]
    login: Ref[User]
    permission: Permission


class File(Entity):
    """One version of a file; commits list the versions that they contain."""

    id: str
    owner: Owner
    repo: RepoName
    path: FileName
    branch: BranchName
    """Where the version was committed."""
    content: Text
    sha: Sha
    """Of the content, as git computes it."""
    size: int


class Commit(Entity):
    """A commit; `id` is its SHA."""

    id: Sha
    owner: Owner
    repo: RepoName
    branch: BranchName
    """Where it was made."""
    message: Text
    author: Ref[User]
    author_name: PersonName
    author_email: Email
    parents: tuple[Ref[Commit], ...] = ()
    tree: tuple[Ref[File], ...] = ()
    date: DateTime


class Branch(Entity):
    """A branch; `id` is `owner/name:branch`."""

    id: str
    owner: Owner
    repo: RepoName
    name: BranchName
    sha: Ref[Commit]
    protected: bool = False


class Milestone(Entity):
    """A milestone of a repository."""

    id: str
    owner: Owner
    repo: RepoName
    number: int
    title: Title
    state: IssueState = "open"
    due_on: Date | None = None


class Issue(Entity):
    """An issue; `id` is its number."""

    id: int
    owner: Owner
    repo: RepoName
    number: Number
    title: Title
    body: Text = ""
    state: IssueState = "open"
    user: Ref[User]
    assignees: tuple[Ref[User], ...] = ()
    labels: Tags = ()
    milestone: int | None = None
    comments: Quantity = 0
    created_at: DateTime
    updated_at: DateTime
    closed_at: DateTime | None = None


class IssueComment(Entity):
    """A comment on an issue or pull request."""

    id: str
    owner: Owner
    repo: RepoName
    issue_number: Number
    user: Ref[User]
    body: Text
    created_at: DateTime


class PullRequest(Entity):
    """A proposal to merge one branch into another; `id` is its number."""

    id: int
    owner: Owner
    repo: RepoName
    number: Number
    title: Title
    body: Text = ""
    state: IssueState = "open"
    draft: bool = False
    merged: bool = False
    mergeable_state: Literal["clean", "blocked"] = "clean"
    """`blocked`: the base is protected, and an approval is missing or changes are asked for."""
    user: Ref[User]
    head: BranchName
    """Branch, or `login:branch` where it lies in a fork."""
    base: BranchName
    maintainer_can_modify: bool = True
    merged_by: Ref[User] | None = None
    merge_commit_sha: Ref[Commit] | None = None
    created_at: DateTime
    updated_at: DateTime
    closed_at: DateTime | None = None


class Review(Entity):
    """A verdict on a pull request."""

    id: str
    owner: Owner
    repo: RepoName
    pull_number: IntRef[PullRequest]
    user: Ref[User]
    state: Literal["APPROVED", "CHANGES_REQUESTED", "COMMENTED"]
    body: Text = ""
    commit_id: Ref[Commit]
    submitted_at: DateTime


class ReviewComment(Entity):
    """A remark on a line of a pull request's changes."""

    id: str
    owner: Owner
    repo: RepoName
    pull_number: IntRef[PullRequest]
    review: Ref[Review]
    user: Ref[User]
    path: FileName
    position: int
    body: Text
    created_at: DateTime


class StatusCheck(Entity):
    """The result of a check on a commit."""

    id: str
    owner: Owner
    repo: RepoName
    sha: Ref[Commit]
    context: Title
    state: Literal["pending", "success", "failure"]
    description: Text = ""
    created_at: DateTime


class GithubState(State):
    """An organization on a code host, and the people around it."""

    users: Table[User] = Table()
    repositories: Table[Repository] = Table()
    collaborators: Table[Collaborator] = Table()
    files: Table[File] = Table()
    commits: Table[Commit] = Table()
    branches: Table[Branch] = Table()
    milestones: Table[Milestone] = Table()
    issues: Table[Issue] = Table()
    issue_comments: Table[IssueComment] = Table()
    pull_requests: Table[PullRequest] = Table()
    reviews: Table[Review] = Table()
    review_comments: Table[ReviewComment] = Table()
    status_checks: Table[StatusCheck] = Table()
