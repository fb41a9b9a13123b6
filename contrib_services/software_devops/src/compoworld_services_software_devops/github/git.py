"""Git as far as the tools show it: trees of file versions, commits, ancestry and merges."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from compoworld_core import Context, ToolError
from compoworld_core.context import HEX
from compoworld_services_software_devops.github.state import (
    Branch,
    Commit,
    File,
    GithubState,
    Repository,
    User,
)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,200}\Z")
MOST_FILES = 300
Tree = dict[str, File]


def blob_sha(content: str) -> str:
    """The SHA that git gives a file's content."""
    body = content.encode()
    head = b"blob %d\0" % len(body)
    return hashlib.sha1(head + body, usedforsecurity=False).hexdigest()


def tree_of(state: GithubState, sha: str) -> Tree:
    """Path → file version, at a commit."""
    return {f.path: f for f in (state.files[key] for key in state.commits[sha].tree)}


def history(state: GithubState, sha: str) -> list[Commit]:
    """A commit and its ancestors, newest first."""
    found: dict[str, Commit] = {}
    ahead = [sha]
    while ahead:
        key = ahead.pop()
        if key not in found:
            commit = state.commits[key]
            found[key] = commit
            ahead += [str(parent) for parent in commit.parents]
    return sorted(found.values(), key=lambda c: (c.date, c.id), reverse=True)


def check_path(path: str) -> str:
    """A file's path, or ToolError."""
    parts = path.split("/")
    if not path or len(path) > 400 or "" in parts or {".", ".."} & set(parts) or "\0" in path:
        raise ToolError(
            "invalid_argument", f"path {path[:80]!r} is not a relative path of a file"
        )
    return path


def check_ref(name: str) -> str:
    """A name for a branch, or ToolError."""
    bad = not _NAME.match(name) or ".." in name or name.endswith(("/", ".", ".lock"))
    if bad or "//" in name:
        raise ToolError("invalid_argument", f"{name[:80]!r} is not a valid branch name")
    return name


def new_file(
    state: GithubState,
    ctx: Context,
    repository: Repository,
    branch: str,
    path: str,
    content: str,
) -> File:
    """A new version of a file."""
    if len(content) > 1_000_000:
        raise ToolError("invalid_argument", "a file has at most 1,000,000 characters")
    return state.files.insert(
        File(
            id=ctx.new_id("blob_", length=10),
            owner=repository.owner,
            repo=repository.name,
            path=check_path(path),
            branch=branch,
            content=content,
            sha=blob_sha(content),
            size=len(content.encode()),
        )
    )


def commit(
    state: GithubState,
    ctx: Context,
    repository: Repository,
    branch: str,
    author: User,
    message: str,
    tree: Mapping[str, File],
    parents: tuple[str, ...],
) -> Commit:
    """A new commit."""
    if len(tree) > MOST_FILES:
        raise ToolError("invalid_argument", f"a repository holds at most {MOST_FILES} files")
    return state.commits.insert(
        Commit(
            id=ctx.new_id(length=40, alphabet=HEX),
            owner=repository.owner,
            repo=repository.name,
            branch=branch,
            message=message,
            author=author.id,
            author_name=author.name,
            author_email=author.email or f"{author.login}@users.noreply.example",
            parents=parents,
            tree=tuple(tree[path].id for path in sorted(tree)),
            date=ctx.now,
        )
    )


def advance(state: GithubState, branch: Branch, to: Commit) -> Branch:
    """Move a branch to a commit."""
    return state.branches.update(branch.id, sha=to.id)


def merge_base(state: GithubState, one: str, two: str) -> str | None:
    """The newest commit that both histories hold."""
    known = {c.id for c in history(state, one)}
    return next((c.id for c in history(state, two) if c.id in known), None)


def changed(state: GithubState, start: str | None, end: str) -> dict[str, File | None]:
    """Path → version at the end, for each path that differs; None where it is gone."""
    old = tree_of(state, start) if start else {}
    new = tree_of(state, end)
    return {
        path: new.get(path)
        for path in sorted({*old, *new})
        if (old[path].sha if path in old else "") != (new[path].sha if path in new else "")
    }


def merged(state: GithubState, base: str, head: str) -> Tree:
    """The tree of merging `head` into `base`; ToolError where both changed a file."""
    root = merge_base(state, base, head)
    ours, theirs = changed(state, root, base), changed(state, root, head)
    clashes = [
        path for path in theirs if path in ours and _sha(ours[path]) != _sha(theirs[path])
    ]
    if clashes:
        raise ToolError("conflict", f"merge conflict in {', '.join(clashes[:5])}")
    tree = tree_of(state, base)
    for path, version in theirs.items():
        if version is None:
            tree.pop(path, None)
        else:
            tree[path] = version
    return tree


def _sha(version: File | None) -> str:
    return version.sha if version else ""
