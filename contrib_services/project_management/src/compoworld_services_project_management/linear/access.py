"""Who may see and change what, checks that tools share, and ids."""

from __future__ import annotations

from typing import TypeVar

from compoworld_core import UNSET, Context, Entity, Table, ToolError
from compoworld_core.context import HEX
from compoworld_core.resources import Page, check, paginate, require
from compoworld_services_project_management.linear.state import (
    Issue,
    LinearState,
    Team,
    User,
)

T = TypeVar("T")
E = TypeVar("E", bound=Entity)
MOST_TEXT = 50_000
MOST_ROWS = 250


def new_id(ctx: Context) -> str:
    """A fresh id in the product's form."""
    text = ctx.new_id(length=32, alphabet=HEX)
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def me(state: LinearState, ctx: Context) -> User:
    """The caller's user."""
    found = state.users.first(email=ctx.actor)
    if found is None or not found.active:
        raise ToolError("permission_denied", f"{ctx.actor} is not an active user here")
    return found


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


def listed(rows: list[E], limit: int, order_by: str = "", default: int = 50) -> Page[E]:
    """The first rows, at most 250; newest first where an order is named."""
    if order_by:
        field = {"createdAt": "created_at", "updatedAt": "updated_at"}[order_by]
        rows = sorted(rows, key=lambda row: (getattr(row, field), row.id), reverse=True)
    wanted = default if limit is UNSET else limit
    check(wanted >= 1, "invalid_argument", "limit counts from 1")
    return paginate(rows, min(wanted, MOST_ROWS))


def find_team(state: LinearState, ctx: Context, key: str) -> Team:
    """A team by its id or key, that the caller may work in."""
    found = state.teams.first(key=key.upper()) or require(state.teams, key, "team")
    if found.private and me(state, ctx).id not in found.members:
        raise ToolError(
            "permission_denied", f"team {found.key} is private and you are no member"
        )
    return found


def can_see(state: LinearState, user: User, issue: Issue) -> bool:
    """Whether a user sees an issue: those of private teams only as a member."""
    team = state.teams[issue.team_id]
    return not team.private or user.id in team.members


def find_issue(state: LinearState, ctx: Context, key: str) -> Issue:
    """An issue by its id or identifier, that the caller sees."""
    found = state.issues.first(identifier=key.upper()) or state.issues.get(key)
    if found is None or not can_see(state, me(state, ctx), found):
        near = [row.identifier for row in list(state.issues)[-3:]]
        raise ToolError("not_found", f"no issue {key[:60]!r}. There are: {', '.join(near)}, …")
    return found


def open_issue(state: LinearState, ctx: Context, key: str) -> Issue:
    """An issue that can be changed: one that is not archived."""
    found = find_issue(state, ctx, key)
    check(not found.archived, "failed_precondition", f"{found.identifier} is archived")
    return found


def active_user(state: LinearState, key: str) -> User:
    """A user who can be given work, by id or address."""
    found = state.users.first(email=key) or require(state.users, key, "user")
    check(found.active, "failed_precondition", f"user {found.name} is deactivated")
    return found


def all_of(table: Table[E], keys: list[str], noun: str) -> tuple[str, ...]:
    """Ids of existing rows, each once, in the given order."""
    check(len(keys) <= 100, "invalid_argument", f"at most 100 {noun}s")
    return tuple(dict.fromkeys(str(require(table, key, noun).id) for key in keys))
