"""Search tools over repositories, code, issues and users."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from compoworld_core import UNSET, Context, Entity, Forms, ToolError
from compoworld_core.resources import Page, folded
from compoworld_services_software_devops.github import access, git, search
from compoworld_services_software_devops.github.app import service
from compoworld_services_software_devops.github.state import (
    File,
    GithubState,
    Issue,
    PullRequest,
    Repository,
    User,
    Whole,
)

Place = Annotated[int, Field(ge=1), WithJsonSchema({"type": "number", "minimum": 1})]
Size = Annotated[
    int, Field(ge=1, le=100), WithJsonSchema({"type": "number", "minimum": 1, "maximum": 100})
]
Direction = Literal["asc", "desc"]
_REPOSITORY = frozenset({"user", "org", "language", "topic", "in", "is", "repo"})
_ISSUE = frozenset({"author", "assignee", "label", "is", "state", "repo", "in", "type", "user",
                    "org", "milestone", "no"})  # fmt: skip
_CODE = frozenset({"repo", "path", "filename", "extension", "user", "org", "in", "language"})
_USER = frozenset({"user", "in", "fullname", "type", "repo"})


def _holds(row: Entity, words: list[str], fields: tuple[str, ...]) -> bool:
    text = folded(row, fields)
    return all(word in text for word in words)


def _fields(
    query: search.Query, default: tuple[str, ...], known: dict[str, str]
) -> tuple[str, ...]:
    """The fields that `in:` names."""
    named = query.values("in")
    for name in named:
        if name not in known:
            raise ToolError(
                "invalid_argument", f"in:{name[:30]} does not exist; use {', '.join(known)}"
            )
    return tuple(known[name] for name in named) or default


@service.tool(read_only=True)
def search_repositories(
    state: GithubState,
    ctx: Context,
    query: Annotated[
        str,
        Forms(
            **{
                "repositories.name": "{} in:name",
                "repositories.owner": "user:{}",
                "repositories.language": "language:{}",
                "repositories.topics": "topic:{}",
            }
        ),
    ],
    page: Whole = UNSET,
    perPage: Whole = UNSET,  # noqa: N803  # the product's name
) -> Page[Repository]:
    """Search repositories by name, description and qualifiers, most stars first.

    Args:
        query: words and user:, org:, language:, topic:, in:name, in:description, is:private.
        page: number of the page, from 1.
        perPage: results per page; 30 by default, at most 100.
    """
    parsed = search.parse(query, _REPOSITORY)
    login = access.me(state, ctx).id
    fields = _fields(
        parsed,
        ("name", "description"),
        {"name": "name", "description": "description", "topics": "topics"},
    )
    rows = [
        row
        for row in state.repositories
        if access.visible(state, login, row)
        and _holds(row, parsed.words, fields)
        and all(_is_repository(row, *term) for term in parsed.terms)
    ]
    rows.sort(key=lambda row: (-row.stars, row.id))
    return access.page_of(rows, page, perPage)


def _is_repository(row: Repository, name: str, value: str, wanted: bool) -> bool:
    tests: dict[str, Callable[[], bool]] = {
        "user": lambda: row.owner.casefold() == value.casefold(),
        "org": lambda: row.owner.casefold() == value.casefold(),
        "repo": lambda: access.full_name(row).casefold() == value.casefold(),
        "language": lambda: row.language.casefold() == value.casefold(),
        "topic": lambda: value in row.topics,
        "is": lambda: {"private": row.private, "public": not row.private, "fork": row.fork,
                       "archived": row.archived}.get(value, False),
    }  # fmt: skip
    return name not in tests or tests[name]() == wanted


@service.tool(read_only=True)
def search_code(
    state: GithubState,
    ctx: Context,
    q: Annotated[
        str,
        Forms(
            **{
                "files.content": '"{}" in:file',
                "files.path": "path:{}",
                "files.repo": "repo:{}",
            }
        ),
    ],
    order: Direction = UNSET,
    page: Place = UNSET,
    per_page: Size = UNSET,
) -> Page[File]:
    """Search the files on default branches.

    Args:
        q: words and repo:owner/name, path:, filename:, extension:, user:, in:file, in:path.
        order: of the paths; asc by default.
        page: number of the page, from 1.
        per_page: results per page; 30 by default, at most 100.
    """
    parsed = search.parse(q, _CODE)
    login = access.me(state, ctx).id
    fields = _fields(parsed, ("content", "path"), {"file": "content", "path": "path"})
    found: dict[str, File] = {}
    for repository in state.repositories:
        if not access.visible(state, login, repository):
            continue
        head = state.branches.get(access.branch_key(repository, repository.default_branch))
        if head is None or not all(_is_home(repository, *term) for term in parsed.terms):
            continue
        for version in git.tree_of(state, str(head.sha)).values():
            if _holds(version, parsed.words, fields) and all(
                _is_file(version, *term) for term in parsed.terms
            ):
                found[version.id] = version
    rows = sorted(found.values(), key=lambda f: (f.path, f.owner, f.repo, f.id))
    if order == "desc":
        rows.reverse()
    return access.page_of(rows, page, per_page)


def _is_home(repository: Repository, name: str, value: str, wanted: bool) -> bool:
    if name == "repo":
        return (
            value.casefold()
            in (access.full_name(repository).casefold(), repository.name.casefold())
        ) == wanted
    if name in ("user", "org"):
        return (repository.owner.casefold() == value.casefold()) == wanted
    if name == "language":
        return (repository.language.casefold() == value.casefold()) == wanted
    return True


def _is_file(version: File, name: str, value: str, wanted: bool) -> bool:
    if name == "path":
        return (value in version.path) == wanted
    if name == "filename":
        return (version.path.rpartition("/")[2] == value) == wanted
    if name == "extension":
        return version.path.endswith("." + value.removeprefix(".")) == wanted
    return True


@service.tool(read_only=True)
def search_issues(
    state: GithubState,
    ctx: Context,
    q: Annotated[
        str,
        Forms(
            **{
                "issues.title": 'is:issue in:title "{}"',
                "issues.body": 'is:issue in:body "{}"',
                "issues.user": "is:issue author:{}",
                "issues.assignees": "is:issue assignee:{}",
                "issues.labels": 'is:issue label:"{}"',
                "issues.state": "is:issue state:{}",
                "issues.repo": "is:issue repo:{}",
                "pull_requests.title": 'is:pr in:title "{}"',
                "pull_requests.user": "is:pr author:{}",
                "pull_requests.state": "is:pr state:{}",
                "pull_requests.repo": "is:pr repo:{}",
            }
        ),
    ],
    order: Direction = UNSET,
    page: Place = UNSET,
    per_page: Size = UNSET,
    sort: Literal[
        "comments",
        "reactions",
        "reactions-+1",
        "reactions--1",
        "reactions-smile",
        "reactions-thinking_face",
        "reactions-heart",
        "reactions-tada",
        "interactions",
        "created",
        "updated",
    ] = UNSET,
) -> Page[Issue | PullRequest]:
    """Search issues and pull requests in all repositories that you see, newest first.

    Args:
        q: words and is:issue, is:pr, state:, author:, assignee:, label:, repo:, in:title,
            in:body, no:assignee, milestone:.
        order: desc by default.
        page: number of the page, from 1.
        per_page: results per page; 30 by default, at most 100.
        sort: created by default; nothing here has reactions.
    """
    parsed = search.parse(q, _ISSUE)
    login = access.me(state, ctx).id
    fields = _fields(parsed, ("title", "body"), {"title": "title", "body": "body"})
    hidden = {
        (row.owner, row.name)
        for row in state.repositories
        if not access.visible(state, login, row)
    }
    known: list[Issue | PullRequest] = [*_issues(state, parsed), *_pulls(state, parsed)]
    rows = [
        row
        for row in known
        if (row.owner, row.repo) not in hidden
        and _holds(row, parsed.words, fields)
        and all(_is_issue(row, *term) for term in parsed.terms)
    ]
    rows.sort(key=_sorting(access.chosen(sort, "created")), reverse=order != "asc")
    return access.page_of(rows, page, per_page)


def _issues(state: GithubState, query: search.Query) -> list[Issue]:
    kinds = {*query.values("is"), *query.values("type")}
    if kinds & {"pr", "pull-request", "merged", "draft"}:
        return []
    authors = query.values("author")
    return state.issues.where(user=authors[0]) if authors else list(state.issues)


def _pulls(state: GithubState, query: search.Query) -> list[PullRequest]:
    if "issue" in (*query.values("is"), *query.values("type")):
        return []
    authors = query.values("author")
    return state.pull_requests.where(user=authors[0]) if authors else list(state.pull_requests)


def _sorting(sort: str) -> Callable[[Any], Any]:
    if sort == "updated":
        return lambda row: (row.updated_at, row.id)
    if sort in ("comments", "interactions"):
        return lambda row: (getattr(row, "comments", 0), row.created_at, row.id)
    return lambda row: (row.created_at, row.id)


def _is_issue(row: Issue | PullRequest, name: str, value: str, wanted: bool) -> bool:
    assignees = row.assignees if isinstance(row, Issue) else ()
    labels = row.labels if isinstance(row, Issue) else ()
    milestone = row.milestone if isinstance(row, Issue) else None
    low = value.casefold()
    empty = {"assignee": assignees, "label": labels, "milestone": milestone}
    tests: dict[str, Callable[[], bool]] = {
        "author": lambda: row.user == value,
        "assignee": lambda: value in assignees,
        "label": lambda: low in [label.casefold() for label in labels],
        "state": lambda: row.state == low,
        "repo": lambda: low in (f"{row.owner}/{row.repo}".casefold(), row.repo.casefold()),
        "user": lambda: row.owner.casefold() == low,
        "org": lambda: row.owner.casefold() == low,
        "milestone": lambda: str(milestone) == value,
        "is": lambda: _is_kind(row, low),
        "type": lambda: _is_kind(row, low),
        "no": lambda: not empty.get(low),
    }
    return name not in tests or tests[name]() == wanted


def _is_kind(row: Issue | PullRequest, kind: str) -> bool:
    if isinstance(row, PullRequest):
        more = {"merged": row.merged, "draft": row.draft, "pr": True, "pull-request": True}
        return more.get(kind, kind == row.state)
    return kind in ("issue", row.state)


@service.tool(read_only=True)
def search_users(
    state: GithubState,
    q: Annotated[
        str,
        Forms(
            **{
                "users.email": "{} in:email",
                "users.name": 'fullname:"{}"',
                "users.login": "user:{}",
            }
        ),
    ],
    order: Direction = UNSET,
    page: Place = UNSET,
    per_page: Size = UNSET,
    sort: Literal["followers", "repositories", "joined"] = UNSET,
) -> Page[User]:
    """Search people and organizations by login, name and email.

    Args:
        q: words and user:, fullname:, type:user, type:org, in:login, in:name, in:email.
        order: desc by default.
        page: number of the page, from 1.
        per_page: results per page; 30 by default, at most 100.
        sort: followers by default.
    """
    parsed = search.parse(q, _USER)
    fields = _fields(
        parsed,
        ("login", "name", "email"),
        {"login": "login", "name": "name", "email": "email"},
    )
    rows = [
        row
        for row in state.users
        if _holds(row, parsed.words, fields)
        and all(_is_user(row, *term) for term in parsed.terms)
    ]
    owned: dict[str, int] = {}
    for repository in state.repositories:
        owned[repository.owner] = owned.get(repository.owner, 0) + 1
    keys: dict[str, Callable[[User], Any]] = {
        "followers": lambda row: (row.followers, row.id),
        "repositories": lambda row: (owned.get(row.login, 0), row.id),
        "joined": lambda row: (row.created_at, row.id),
    }
    rows.sort(key=keys[access.chosen(sort, "followers")], reverse=order != "asc")
    return access.page_of(rows, page, per_page)


def _is_user(row: User, name: str, value: str, wanted: bool) -> bool:
    low = value.casefold()
    tests: dict[str, Callable[[], bool]] = {
        "user": lambda: row.login.casefold() == low,
        "fullname": lambda: row.name.casefold() == low,
        "type": lambda: row.type.casefold() == {"org": "organization"}.get(low, low),
    }
    return name not in tests or tests[name]() == wanted
