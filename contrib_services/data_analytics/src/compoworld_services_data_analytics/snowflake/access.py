"""Who may do what: rights of the caller's roles, and the names of relations."""

from __future__ import annotations

from operator import is_not

from compoworld_core import Context, ToolError
from compoworld_core.observation import closest
from compoworld_services_data_analytics.snowflake.engine import Rights
from compoworld_services_data_analytics.snowflake.state import (
    Relation,
    SnowflakeState,
    User,
)


def me(state: SnowflakeState, ctx: Context) -> User:
    """The caller's user."""
    found = state.users.first(email=ctx.actor)
    if found is None:
        raise ToolError("permission_denied", f"{ctx.actor} has no user in this account")
    if found.disabled:
        raise ToolError("permission_denied", f"user {found.id} is disabled")
    return found


def roles_of(state: SnowflakeState, user: User) -> list[str]:
    """The roles that a user holds."""
    return [str(row.role) for row in state.memberships.where(user=user.id)]


def require_role(state: SnowflakeState, ctx: Context, *roles: str) -> User:
    """The caller's user; ToolError unless it holds one of these roles."""
    user = me(state, ctx)
    held = roles_of(state, user)
    if not set(roles) & set(held):
        raise ToolError(
            "permission_denied",
            f"this needs role {' or '.join(roles)}; you hold {', '.join(held) or 'none'}",
        )
    return user


def rights(state: SnowflakeState, user: User) -> Rights:
    """What the user's roles allow; each question is answered once for the same tables."""
    depends = (state.memberships.notes, state.relations.notes)
    name = f"rights of {user.id}"
    kept = state.grants.notes.get(name)
    if kept is None or any(map(is_not, kept[0], depends)):
        kept = state.grants.notes[name] = (depends, frozenset(roles_of(state, user)), {})
    held: frozenset[str] = kept[1]
    answers: dict[tuple[str, str], bool] = kept[2]

    def allows(verb: str, name: str) -> bool:
        if (verb, name) not in answers:
            relation = state.relations.first(name=name.upper())
            answers[verb, name] = relation is not None and _allows(state, held, verb, relation)
        return answers[verb, name]

    return allows


def _allows(state: SnowflakeState, held: frozenset[str], verb: str, relation: Relation) -> bool:
    if relation.kind == "VIEW" and verb != "SELECT":
        return False
    return relation.owner in held or any(
        grant.role in held and verb in grant.privileges and covers(grant.on, relation)
        for grant in state.grants
    )


def covers(on: str, relation: Relation) -> bool:
    """Whether a grant on this object reaches the relation."""
    return relation.id == on or relation.id.startswith(on + ".")


def require_warehouse(state: SnowflakeState, user: User) -> None:
    """ToolError unless the user's default warehouse runs or resumes by itself."""
    name = user.default_warehouse
    if name is None:
        raise ToolError(
            "failed_precondition",
            f"no active warehouse selected: set default_warehouse of {user.id} with alter_user",
        )
    warehouse = state.warehouses[name]
    if warehouse.state == "SUSPENDED" and not warehouse.auto_resume:
        raise ToolError(
            "failed_precondition",
            f"warehouse {name} is suspended; resume it with resume_warehouse",
        )


def find_relation(state: SnowflakeState, name: str) -> Relation:
    """A relation by its full name, or by a part of it, in any case."""
    wanted = name.strip().strip('"').upper()
    found = state.relations.get(wanted)
    if found:
        return found
    ending = "." + wanted
    matches = [row for row in state.relations if row.id.endswith(ending)]
    if not wanted or not matches:
        near = closest(wanted, [row.id for row in state.relations])
        raise ToolError("not_found", f"object {name[:80]!r} does not exist. {near}")
    return matches[0]
