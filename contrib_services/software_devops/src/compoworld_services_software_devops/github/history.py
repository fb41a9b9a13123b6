"""Seeded files, commits and branches."""

from __future__ import annotations

from datetime import datetime

from compoworld_core.context import HEX
from compoworld_services_software_devops.github import pools
from compoworld_services_software_devops.github.drawing import Seeder, slug
from compoworld_services_software_devops.github.git import blob_sha
from compoworld_services_software_devops.github.state import (
    Branch,
    Commit,
    File,
    Repository,
)


def code(draw: Seeder, repository: Repository) -> None:
    """A history of the main branch."""
    rng = draw.rng
    extension = pools.EXTENSIONS[repository.language]
    things = rng.sample(pools.THINGS, 4 if draw.scale >= 100 else 1)
    later = [f"src/{slug(t)}.{extension}" for t in things[2:]]
    paths = ["README.md", *(f"src/{slug(t)}.{extension}" for t in things[:2])]
    if draw.scale >= 100:
        paths.append("docs/setup.md")
    tree = {p: file_of(draw, repository, "main", p) for p in paths}
    when = draw.instant(120)
    sha = commit_of(draw, repository, "main", "Initial commit", tree, (), when)
    for path in later:
        if rng.random() < 0.7:
            tree[path] = file_of(draw, repository, "main", path)
            when = draw.instant(after=when)
            message = draw.text(pools.CHANGES)
            sha = commit_of(draw, repository, "main", message, tree, (sha,), when)
    branch_of(draw, repository, "main", sha, protected=draw.scale >= 100 and rng.random() < 0.4)


def _content(draw: Seeder, repository: Repository, path: str) -> str:
    lines = [draw.text((*pools.PROBLEMS, *pools.BODIES)) for _ in range(3)]
    if path == "README.md":
        owner = draw.rng.choice(draw.staff)
        contact = f"Questions to {owner.name} ({owner.email})."
        return f"# {repository.name}\n\n{repository.description}.\n\n{contact}\n"
    mark = "" if path.endswith(".md") else "// "
    version = f"{draw.rng.randint(0, 9)}.{draw.rng.randint(0, 30)}"
    return "".join(f"{mark}{line}\n" for line in (f"Version {version}", *lines))


def file_of(draw: Seeder, repository: Repository, branch: str, path: str) -> File:
    content = _content(draw, repository, path)
    made = File(
        id=draw.ctx.new_id("blob_", length=10),
        owner=repository.owner,
        repo=repository.name,
        path=path,
        branch=branch,
        content=content,
        sha=blob_sha(content),
        size=len(content.encode()),
    )
    draw.made["files"].append(made)
    return made


def commit_of(
    draw: Seeder,
    repository: Repository,
    branch: str,
    message: str,
    tree: dict[str, File],
    parents: tuple[str, ...],
    when: datetime,
) -> str:
    author = draw.rng.choice(draw.staff)
    sha = draw.ctx.new_id(length=40, alphabet=HEX)
    draw.made["commits"].append(
        Commit(
            id=sha,
            owner=repository.owner,
            repo=repository.name,
            branch=branch,
            message=message,
            author=author.login,
            author_name=author.name,
            author_email=author.email or "",
            parents=parents,
            tree=tuple(tree[path].id for path in sorted(tree)),
            date=when,
        )
    )
    return sha


def branch_of(
    draw: Seeder, repository: Repository, name: str, sha: str, *, protected: bool = False
) -> None:
    draw.made["branches"].append(
        Branch(
            id=f"{repository.owner}/{repository.name}:{name}",
            owner=repository.owner,
            repo=repository.name,
            name=name,
            sha=sha,
            protected=protected,
        )
    )
