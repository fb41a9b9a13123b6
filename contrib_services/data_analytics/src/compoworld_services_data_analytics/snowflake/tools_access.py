"""Access tools: users, roles and privileges."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field

from compoworld_core import UNSET, Context, Ref, ToolError
from compoworld_core.resources import Page, check, given, paginate, require
from compoworld_core.types import PersonName, StaffEmail, Text
from compoworld_services_data_analytics.snowflake import access
from compoworld_services_data_analytics.snowflake.app import service
from compoworld_services_data_analytics.snowflake.state import (
    Grant,
    Membership,
    PrivilegeName,
    Role,
    SnowflakeState,
    User,
    Warehouse,
)

Limit = Annotated[int, Field(ge=1, le=100)]
_ADMINS = ("USERADMIN", "ACCOUNTADMIN")


@service.tool(read_only=True)
def list_users(
    state: SnowflakeState,
    email: StaffEmail | None = None,
    display_name: PersonName | None = None,
    default_role: Ref[Role] | None = None,
    disabled: bool | None = None,
    limit: Limit = 50,
    cursor: str | None = None,
) -> Page[User]:
    """List users.

    Args:
        email: only the user with this address.
        display_name: only users who are called so.
        default_role: only users whose default role it is.
        disabled: only users who may not, or may, log in.
    """
    wanted = {
        "email": email,
        "display_name": display_name,
        "default_role": default_role,
        "disabled": disabled,
    }
    rows = state.users.where(**{k: v for k, v in wanted.items() if v is not None})
    return paginate(rows, limit, cursor)


@service.tool
def create_user(
    state: SnowflakeState,
    ctx: Context,
    display_name: PersonName,
    email: StaffEmail,
    user_name: str | None = None,
    default_role: Ref[Role] = "ANALYST",
    default_warehouse: Ref[Warehouse] | None = None,
    comment: Text = "",
) -> User:
    """Make a user and grant the default role; needs role USERADMIN.

    Args:
        display_name: the person's name.
        email: the person's address; one user per address.
        user_name: the login; by default made from the address.
        default_role: what the user works as.
        default_warehouse: where the user's queries run.
    """
    admin = access.require_role(state, ctx, *_ADMINS)
    check(bool(display_name.strip()), "invalid_argument", "the display name is empty")
    check(
        state.users.first(email=email) is None,
        "conflict",
        f"a user with {email} already exists",
    )
    require(state.roles, default_role, "role")
    if default_warehouse is not None:
        require(state.warehouses, default_warehouse, "warehouse")
    _check_grantable(state, admin, default_role)
    login = login_of(user_name or email.partition("@")[0])
    check(bool(login), "invalid_argument", "the user name has no letter or digit")
    check(
        login not in state.users, "conflict", f"user {login} already exists; give a user_name"
    )
    user = state.users.insert(
        User(
            id=login,
            display_name=display_name,
            email=email,
            default_role=default_role,
            default_warehouse=default_warehouse,
            comment=comment,
            created_at=ctx.now,
        )
    )
    _join(state, ctx, default_role, login)
    return user


def login_of(text: str) -> str:
    """A login name from any text."""
    return re.sub(r"[^A-Z0-9_.]+", "_", text.upper()).strip("_.")[:60]


@service.tool(idempotent=True)
def alter_user(
    state: SnowflakeState,
    ctx: Context,
    user_name: Ref[User],
    display_name: PersonName = UNSET,
    email: StaffEmail = UNSET,
    default_role: Ref[Role] = UNSET,
    default_warehouse: Ref[Warehouse] | None = UNSET,
    disabled: bool = UNSET,
    comment: Text = UNSET,
) -> User:
    """Change a user; what is not given stays. Needs role USERADMIN; own defaults need none."""
    changes = given(
        display_name=display_name,
        email=email,
        default_role=default_role,
        default_warehouse=default_warehouse,
        disabled=disabled,
        comment=comment,
    )
    check(bool(changes), "invalid_argument", "name a property to change")
    me = access.me(state, ctx)
    if me.id != user_name or set(changes) - {"default_role", "default_warehouse"}:
        access.require_role(state, ctx, *_ADMINS)
    user = require(state.users, user_name, "user")
    if "email" in changes:
        other = state.users.first(email=email)
        taken = other is not None and other.id != user.id
        check(not taken, "conflict", f"a user with {email} already exists")
    if default_warehouse is not UNSET and default_warehouse is not None:
        require(state.warehouses, default_warehouse, "warehouse")
    if "default_role" in changes:
        held = access.roles_of(state, user)
        check(
            default_role in held,
            "failed_precondition",
            f"{user.id} does not hold role {default_role}; grant it with grant_role",
        )
    check(
        not (me.id == user.id and changes.get("disabled")),
        "failed_precondition",
        "you cannot disable your own user",
    )
    return state.users.update(user.id, **changes)


@service.tool(read_only=True)
def list_roles(state: SnowflakeState) -> Page[Role]:
    """List the roles of the account."""
    return paginate(list(state.roles), 200)


@service.tool(read_only=True)
def show_grants(
    state: SnowflakeState,
    role: Ref[Role] | None = None,
    user: Ref[User] | None = None,
    limit: Limit = 50,
    cursor: str | None = None,
) -> Page[Membership]:
    """Show who holds which role.

    Args:
        role: only holders of this role.
        user: only roles of this user.
    """
    wanted = {"role": role, "user": user}
    rows = state.memberships.where(**{k: v for k, v in wanted.items() if v is not None})
    return paginate(rows, limit, cursor)


@service.tool(read_only=True)
def show_privileges(
    state: SnowflakeState,
    role: Ref[Role] | None = None,
    limit: Limit = 50,
    cursor: str | None = None,
) -> Page[Grant]:
    """Show what roles may do with databases, schemas and tables.

    Args:
        role: only privileges of this role.
    """
    rows = state.grants.where(role=role) if role else list(state.grants)
    return paginate(rows, limit, cursor)


@service.tool
def grant_role(
    state: SnowflakeState, ctx: Context, role: Ref[Role], user: Ref[User]
) -> Membership:
    """Give a role to a user; needs role USERADMIN."""
    admin = access.require_role(state, ctx, *_ADMINS)
    require(state.roles, role, "role")
    require(state.users, user, "user")
    _check_grantable(state, admin, role)
    held = state.memberships.where(role=role, user=user)
    check(not held, "conflict", f"{user} holds role {role} already")
    return _join(state, ctx, role, user)


@service.tool(destructive=True)
def revoke_role(
    state: SnowflakeState, ctx: Context, role: Ref[Role], user: Ref[User]
) -> Membership:
    """Take a role from a user; needs role USERADMIN."""
    access.require_role(state, ctx, *_ADMINS)
    require(state.roles, role, "role")
    found = require(state.users, user, "user")
    check(
        found.default_role != role,
        "failed_precondition",
        f"{role} is the default role of {user}; change that with alter_user first",
    )
    held = state.memberships.where(role=role, user=user)
    check(bool(held), "failed_precondition", f"{user} does not hold role {role}")
    return state.memberships.delete(held[0].id)


@service.tool
def grant_privileges(
    state: SnowflakeState,
    ctx: Context,
    privileges: list[PrivilegeName],
    on: str,
    role: Ref[Role],
) -> Grant:
    """Let a role use a database, a schema or a table; needs role USERADMIN.

    Args:
        privileges: what it may do.
        on: ANALYTICS, ANALYTICS.SALES or ANALYTICS.SALES.ORDERS.
        role: who may.
    """
    admin = access.require_role(state, ctx, *_ADMINS)
    check(bool(privileges), "invalid_argument", "name a privilege")
    require(state.roles, role, "role")
    _check_grantable(state, admin, role)
    target = _object(state, on)
    held = state.grants.first(role=role, on=target)
    if held is None:
        return state.grants.insert(
            Grant(
                id=ctx.new_id("grt_", length=8),
                role=role,
                privileges=tuple(privileges),
                on=target,
                granted_by=admin.email,
            )
        )
    new = sorted({*held.privileges, *privileges})
    check(
        new != list(held.privileges),
        "conflict",
        f"role {role} has these privileges on {target}",
    )
    return state.grants.update(held.id, privileges=tuple(new))


def _object(state: SnowflakeState, on: str) -> str:
    """The full name of a database, schema or relation."""
    wanted = on.strip().upper()
    if wanted in state.databases:
        return wanted
    for schema in state.schemas:
        if wanted in (schema.id, f"{schema.database}.{schema.id}"):
            return f"{schema.database}.{schema.id}"
    return access.find_relation(state, wanted).id


def _check_grantable(state: SnowflakeState, admin: User, role: str) -> None:
    if role == "ACCOUNTADMIN" and "ACCOUNTADMIN" not in access.roles_of(state, admin):
        raise ToolError("permission_denied", "only ACCOUNTADMIN may grant ACCOUNTADMIN")


def _join(state: SnowflakeState, ctx: Context, role: str, user: str) -> Membership:
    return state.memberships.insert(
        Membership(
            id=ctx.new_id("mbr_", length=8),
            role=role,
            user=user,
            granted_by=access.me(state, ctx).email,
            granted_at=ctx.now,
        )
    )
