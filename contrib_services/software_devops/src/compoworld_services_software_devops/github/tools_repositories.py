"""Repository tools: create, fork, branches, commits and files."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict

from compoworld_core import UNSET, Context, ToolError
from compoworld_core.resources import Page, check
from compoworld_core.types import FileName, Text, Title
from compoworld_services_software_devops.github import access, git
from compoworld_services_software_devops.github.app import service
from compoworld_services_software_devops.github.state import (
    Branch,
    BranchName,
    Commit,
    File,
    GithubState,
    Owner,
    RepoName,
    Repository,
    Sha,
    Whole,
)


class FileChange(BaseModel):
    """A file to push."""

    model_config = ConfigDict(extra="forbid")

    path: FileName
    content: Text


class Entry(BaseModel):
    """Something in a directory."""

    model_config = ConfigDict(extra="forbid")

    name: str
    path: str
    type: str
    sha: str | None = None
    size: int = 0


class Directory(BaseModel):
    """What a directory holds."""

    model_config = ConfigDict(extra="forbid")

    path: str
    entries: list[Entry]


class Pushed(BaseModel):
    """What a push made."""

    model_config = ConfigDict(extra="forbid")

    commit: Commit
    files: list[File]


@service.tool
def create_repository(
    state: GithubState,
    ctx: Context,
    name: Title,
    description: Text = UNSET,
    private: bool = UNSET,
    autoInit: bool = UNSET,  # noqa: N803  # the product's name
) -> Repository:
    """Make a repository under your own account.

    Args:
        name: letters, digits, `.`, `_` and `-`; other characters become `-`.
        description: what it is for.
        private: whether only people with access see it.
        autoInit: whether it starts with a README.md on the branch main.
    """
    user = access.me(state, ctx)
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-")[:100]
    check(bool(slug.strip(".")), "invalid_argument", "the name has no letter or digit")
    key = access.new_key(state, user.login, slug)
    text = access.text(description or "", "description", most=350)
    repository = state.repositories.insert(
        Repository(
            id=key,
            owner=user.login,
            name=slug,
            description=text,
            private=bool(private),
            created_at=ctx.now,
            updated_at=ctx.now,
        )
    )
    if autoInit:
        content = f"# {slug}\n\n{text}\n" if text else f"# {slug}\n"
        readme = git.new_file(state, ctx, repository, "main", "README.md", content)
        first = git.commit(
            state, ctx, repository, "main", user, "Initial commit", {readme.path: readme}, ()
        )
        _branch(state, repository, "main", first.id)
    return repository


def _branch(state: GithubState, repository: Repository, name: str, sha: str) -> Branch:
    return state.branches.insert(
        Branch(
            id=access.branch_key(repository, name),
            owner=repository.owner,
            repo=repository.name,
            name=name,
            sha=sha,
        )
    )


@service.tool
def fork_repository(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    organization: Owner = UNSET,
) -> Repository:
    """Fork a repository into your account or an organization.

    Args:
        owner: login of its owner.
        repo: its name.
        organization: login of the organization that gets the fork.
    """
    source = access.find(state, ctx, owner, repo)
    target = access.me(state, ctx).login
    if organization:
        found = state.users.get(organization)
        if found is None or found.type != "Organization":
            raise ToolError("not_found", f"no organization {organization[:60]!r}")
        target = found.login
    key = access.new_key(state, target, repo)
    fork = state.repositories.insert(
        source.model_copy(
            update={
                "id": key,
                "owner": target,
                "fork": True,
                "parent": source.id,
                "stars": 0,
                "archived": False,
                "created_at": ctx.now,
                "updated_at": ctx.now,
            }
        )
    )
    head = state.branches.get(access.branch_key(source, source.default_branch))
    if head is not None:
        _branch(state, fork, source.default_branch, str(head.sha))
    return fork


@service.tool
def create_branch(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    branch: BranchName,
    from_branch: BranchName = UNSET,
) -> Branch:
    """Make a branch.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        branch: the new branch.
        from_branch: where it starts; the default branch where it is not given.
    """
    repository = access.writable(state, ctx, owner, repo)
    git.check_ref(branch)
    source = access.find_branch(state, repository, from_branch or repository.default_branch)
    check(
        access.branch_key(repository, branch) not in state.branches,
        "conflict",
        f"branch {branch} already exists in {access.full_name(repository)}",
    )
    return _branch(state, repository, branch, str(source.sha))


@service.tool(read_only=True)
def list_commits(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    page: Whole = UNSET,
    perPage: Whole = UNSET,  # noqa: N803  # the product's name
    sha: BranchName = UNSET,
) -> Page[Commit]:
    """List the commits of a branch, newest first.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        page: number of the page, from 1.
        perPage: commits per page; 30 by default, at most 100.
        sha: branch or commit to start from; the default branch where it is not given.
    """
    repository = access.find(state, ctx, owner, repo)
    start = sha or repository.default_branch
    branch = state.branches.get(access.branch_key(repository, start))
    if branch is None and not sha:
        return access.page_of([], page, perPage)
    known = branch.sha if branch else start if start in state.commits else None
    if known is None:
        known = access.find_branch(state, repository, start).sha
    return access.page_of(git.history(state, str(known)), page, perPage)


@service.tool(read_only=True)
def get_file_contents(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    path: FileName,
    branch: BranchName = UNSET,
) -> File | Directory:
    """Read a file, or list what a directory holds.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        path: of the file or directory; empty for the root.
        branch: the branch to read; the default branch where it is not given.
    """
    repository = access.find(state, ctx, owner, repo)
    head = access.find_branch(state, repository, branch or repository.default_branch)
    tree = git.tree_of(state, str(head.sha))
    wanted = path.strip("/")
    if wanted in tree:
        return tree[wanted]
    inside = f"{wanted}/" if wanted else ""
    entries: dict[str, Entry] = {}
    for name, version in sorted(tree.items()):
        if name.startswith(inside):
            part, slash, _ = name[len(inside) :].partition("/")
            kind = "dir" if slash else "file"
            entries[part] = Entry(
                name=part,
                path=inside + part,
                type=kind,
                sha=None if slash else version.sha,
                size=0 if slash else version.size,
            )
    if not entries:
        known = ", ".join(sorted(tree)[:12])
        raise ToolError("not_found", f"no {path[:80]!r} on {head.name}. There are: {known}")
    return Directory(path=wanted, entries=list(entries.values()))


@service.tool
def create_or_update_file(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    path: FileName,
    content: Text,
    message: Text,
    branch: BranchName,
    sha: Sha = UNSET,
) -> File:
    """Write one file in one commit.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        path: of the file.
        content: its whole new content.
        message: of the commit.
        branch: the branch to commit to.
        sha: of the version that is replaced; required where the file exists.
    """
    repository = access.writable(state, ctx, owner, repo)
    head = _open_branch(state, ctx, repository, branch)
    tree = git.tree_of(state, str(head.sha))
    old = tree.get(git.check_path(path))
    if old is None:
        check(not sha, "not_found", f"there is no {path[:80]!r} on {branch} to replace")
    else:
        check(
            bool(sha), "invalid_argument", f"{path[:80]!r} exists: give the sha of its version"
        )
        check(sha == old.sha, "conflict", f"{path[:80]!r} is at {old.sha}, not {sha[:40]}")
        check(content != old.content, "failed_precondition", "the content is the same")
    access.text(message, "message", 1, 5000)
    version = git.new_file(state, ctx, repository, branch, path, content)
    tree[path] = version
    _save(state, ctx, repository, head, message, tree)
    return version


@service.tool
def push_files(
    state: GithubState,
    ctx: Context,
    owner: Owner,
    repo: RepoName,
    branch: BranchName,
    files: list[FileChange],
    message: Text,
) -> Pushed:
    """Write several files in one commit.

    Args:
        owner: login of the repository's owner.
        repo: its name.
        branch: the branch to push to.
        files: each file's path and whole new content.
        message: of the commit.
    """
    repository = access.writable(state, ctx, owner, repo)
    head = _open_branch(state, ctx, repository, branch)
    check(1 <= len(files) <= 100, "invalid_argument", "push between 1 and 100 files")
    paths = [change.path for change in files]
    check(len(set(paths)) == len(paths), "invalid_argument", "a path occurs twice")
    access.text(message, "message", 1, 5000)
    tree = git.tree_of(state, str(head.sha))
    versions = [git.new_file(state, ctx, repository, branch, c.path, c.content) for c in files]
    tree |= {version.path: version for version in versions}
    made = _save(state, ctx, repository, head, message, tree)
    return Pushed(commit=made, files=versions)


def _open_branch(state: GithubState, ctx: Context, repository: Repository, name: str) -> Branch:
    """A branch that the caller may push to."""
    found = access.find_branch(state, repository, name)
    if found.protected and access.level(state, access.me(state, ctx).id, repository) != "admin":
        raise ToolError(
            "failed_precondition",
            f"branch {name} is protected: commit to another branch and open a pull request",
        )
    return found


def _save(
    state: GithubState,
    ctx: Context,
    repository: Repository,
    head: Branch,
    message: str,
    tree: git.Tree,
) -> Commit:
    user = access.me(state, ctx)
    made = git.commit(state, ctx, repository, head.name, user, message, tree, (str(head.sha),))
    git.advance(state, head, made)
    return made
