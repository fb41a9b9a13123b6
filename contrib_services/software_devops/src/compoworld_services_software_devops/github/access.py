"""Who may see and change what, and finding records by the names that people use."""

from __future__ import annotations

from typing import Any, TypeVar

from compoworld_core import UNSET, Context, ToolError
from compoworld_core.observation import closest
from compoworld_core.resources import Page, numbered
from compoworld_services_software_devops.github.state import (
    Branch,
    GithubState,
    Issue,
    PullRequest,
    Repository,
    User,
)

T = TypeVar("T")
_LEVELS = {"read": 0, "write": 1, "admin": 2}
MOST_TEXT = 65_536


def me(state: GithubState, ctx: Context) -> User:
    """The caller's account."""
    found = state.users.first(email=ctx.actor)
    if found is None:
        raise ToolError("permission_denied", f"{ctx.actor} has no account here")
    return found


def visible(state: GithubState, login: str, repository: Repository) -> bool:
    """Whether a person may see a repository."""
    return not repository.private or level(state, login, repository) is not None


def level(state: GithubState, login: str, repository: Repository) -> str | None:
    """What a person may do in a repository; None where only what is public."""
    if repository.owner == login:
        return "admin"
    found = state.collaborators.get(f"{full_name(repository)}:{login}")
    return found.permission if found else None


def full_name(repository: Repository) -> str:
    """`owner/name`."""
    return f"{repository.owner}/{repository.name}"


def named(state: GithubState, owner: str, repo: str) -> Repository | None:
    """The repository of this owner and name."""
    return state.repositories.first(name=repo, owner=owner)


def new_key(state: GithubState, owner: str, repo: str) -> str:
    """The id of a new repository; ToolError where the owner has one of this name."""
    if named(state, owner, repo) is not None:
        raise ToolError("conflict", f"repository {owner}/{repo} already exists")
    return repo if repo not in state.repositories else f"{owner}/{repo}"


def find(state: GithubState, ctx: Context, owner: str, repo: str) -> Repository:
    """A repository that the caller can see."""
    login = me(state, ctx).id
    found = named(state, owner, repo)
    if found is None or not visible(state, login, found):
        names = [full_name(r) for r in state.repositories if visible(state, login, r)]
        wanted = f"{owner[:40]}/{repo[:60]}"
        raise ToolError("not_found", f"no repository {wanted!r}. {closest(wanted, names)}")
    return found


def writable(
    state: GithubState, ctx: Context, owner: str, repo: str, needed: str = "write"
) -> Repository:
    """A repository that the caller may change."""
    found = alive(find(state, ctx, owner, repo))
    held = level(state, me(state, ctx).id, found)
    if held is None or _LEVELS[held] < _LEVELS[needed]:
        raise ToolError(
            "permission_denied",
            f"{full_name(found)}: this needs {needed} access, you have {held or 'read'}",
        )
    return found


def alive(repository: Repository) -> Repository:
    """The repository, unless it is archived."""
    if repository.archived:
        raise ToolError(
            "failed_precondition", f"{full_name(repository)} is archived and read-only"
        )
    return repository


def branch_key(repository: Repository, name: str) -> str:
    """The id of a branch."""
    return f"{full_name(repository)}:{name}"


def find_branch(state: GithubState, repository: Repository, name: str) -> Branch:
    """A branch of a repository."""
    found = state.branches.get(branch_key(repository, name))
    if found is None:
        rows = state.branches.where(owner=repository.owner, repo=repository.name)
        near = closest(name, [row.name for row in rows])
        raise ToolError(
            "not_found", f"no branch {name[:80]!r} in {full_name(repository)}. {near}"
        )
    return found


def find_issue(state: GithubState, repository: Repository, number: int) -> Issue:
    """An issue by its number."""
    found = state.issues.first(number=number, repo=repository.name, owner=repository.owner)
    if found is None:
        raise ToolError("not_found", _no("issue", state.issues, repository, number))
    return found


def find_pull(state: GithubState, repository: Repository, number: int) -> PullRequest:
    """A pull request by its number."""
    found = state.pull_requests.first(
        number=number, repo=repository.name, owner=repository.owner
    )
    if found is None:
        message = _no("pull request", state.pull_requests, repository, number)
        raise ToolError("not_found", message)
    return found


def _no(noun: str, table: Any, repository: Repository, number: int) -> str:
    rows = table.where(repo=repository.name, owner=repository.owner)
    known = ", ".join(str(row.number) for row in rows[-8:])
    return f"no {noun} {number} in {full_name(repository)}. Recent ones: {known or 'none'}"


def find_users(state: GithubState, logins: list[str]) -> tuple[str, ...]:
    """Logins of people, each once; ToolError for one that is not there."""
    for login in logins:
        found = state.users.get(login)
        if found is None or found.type != "User":
            near = closest(
                login, [str(key) for key in state.users.keys()[:500]]
            )  # a Table is no dict
            raise ToolError("not_found", f"no user {login[:60]!r}. {near}")
    return tuple(dict.fromkeys(logins))


def chosen(value: T, default: T) -> T:
    """The value where the caller gave one."""
    return default if value is UNSET else value


def text(value: str, noun: str, least: int = 0, most: int = MOST_TEXT) -> str:
    """A text of a bearable length."""
    if len(value.strip()) < least:
        raise ToolError("invalid_argument", f"{noun} is empty")
    if len(value) > most:
        raise ToolError("invalid_argument", f"{noun} has at most {most} characters")
    return value


def page_of(rows: list[Any], page: int, size: int) -> Page[Any]:
    """The n-th page, at most a hundred rows long."""
    given = page if page else 1
    wanted = size if size else 30
    if given < 1 or wanted < 1:
        raise ToolError("invalid_argument", "page and page size count from 1")
    return numbered(rows, given, min(wanted, 100))
