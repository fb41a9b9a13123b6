"""Tools for people: list, search, create, update; and how content they were."""

from __future__ import annotations

from typing import Annotated, Literal

from compoworld_core import UNSET, Context, Forms, IntRef
from compoworld_core.resources import Page, check, folded, given, numbered, require
from compoworld_core.types import Code, Email, PersonName, Phone, Tag, Text
from compoworld_services_communication_support.zendesk import access
from compoworld_services_communication_support.zendesk.state import (
    Organization,
    SatisfactionRating,
    User,
    ZendeskState,
    new_id,
    service,
)

Role = Literal["end-user", "agent", "admin"]
UserQuery = Annotated[str, Forms(email="email:{}", name='name:"{}"', phone='phone:"{}"')]


@service.tool(read_only=True)
def get_user(state: ZendeskState, user_id: IntRef[User]) -> User:
    """Show one user.

    Args:
        user_id: id of the user.
    """
    return require(state.users, user_id, "user")


@service.tool(read_only=True)
def get_users(
    state: ZendeskState,
    role: Role | None = None,
    organization_id: IntRef[Organization] | None = None,
    page: int = 1,
    per_page: int = 25,
) -> Page[User]:
    """List users.

    Args:
        role: only end users, agents or admins.
        organization_id: only members of this organization.
        page: number of the page, from 1.
        per_page: users a page, at most 40.
    """
    if organization_id is not None:
        require(state.organizations, organization_id, "organization")
    wanted = {"role": role, "organization_id": organization_id}
    rows = state.users.where(**{k: v for k, v in wanted.items() if v is not None})
    return numbered(rows, page, min(per_page, access.PAGE))


@service.tool(read_only=True)
def search_users(
    state: ZendeskState,
    query: UserQuery = UNSET,
    external_id: Code | None = None,
    page: int = 1,
    per_page: int = 25,
) -> Page[User]:
    """Find users by words in their name, address, phone or notes, or by account number.

    Args:
        query: plain words, or email:, name: or phone: with a value.
        external_id: the account number of exactly one user.
        page: number of the page, from 1.
        per_page: users a page, at most 40.
    """
    check(
        bool(external_id) or bool(query and query.strip()),
        "invalid_argument",
        "give a query or an external_id",
    )
    rows = state.users.where(external_id=external_id) if external_id else list(state.users)
    if query and query.strip():
        name, colon, value = query.partition(":")
        value = value.strip().strip('"').casefold()
        if colon and name == "email":
            found = state.users.where(email=value)
            rows = [row for row in rows if row in found] if external_id else found
        elif colon and name in ("name", "phone"):
            rows = [row for row in rows if value and value in folded(row, (name,))]
        else:
            words = query.casefold().split()
            fields = ("name", "email", "phone", "notes")
            rows = [row for row in rows if all(word in folded(row, fields) for word in words)]
    return numbered(rows, page, min(per_page, access.PAGE))


@service.tool
def create_user(
    state: ZendeskState,
    ctx: Context,
    name: PersonName,
    email: Email,
    role: Role = "end-user",
    phone: Phone | None = None,
    organization_id: IntRef[Organization] | None = None,
    external_id: Code | None = None,
    notes: Text = "",
    tags: list[Tag] = UNSET,
) -> User:
    """Add a user; only admins may add agents and admins.

    Args:
        name: full name.
        email: address; nobody else may have it.
        role: end-user, agent or admin.
        phone: phone number.
        organization_id: where the user works; by default found by the address's domain.
        external_id: account number in other systems; nobody else may have it.
        notes: internal notes.
        tags: labels.
    """
    own = access.me(state, ctx)
    _check_role(own, role)
    address = _free_email(state, email)
    user = User(
        id=new_id(ctx),
        name=access.text(name, "name", 255),
        email=address,
        role=role,
        phone=phone,
        organization_id=_organization(state, organization_id, address),
        external_id=_free_external_id(state, external_id),
        notes=notes,
        tags=tuple([] if tags is UNSET else access.clean_tags(tags)),
        created_at=ctx.now,
    )
    return state.users.insert(user)


@service.tool
def update_user(
    state: ZendeskState,
    ctx: Context,
    user_id: IntRef[User],
    name: PersonName = UNSET,
    email: Email = UNSET,
    role: Role = UNSET,
    phone: Phone | None = UNSET,
    organization_id: IntRef[Organization] | None = UNSET,
    external_id: Code | None = UNSET,
    notes: Text = UNSET,
    tags: list[Tag] = UNSET,
    suspended: bool = UNSET,
) -> User:
    """Change a user; what is not given stays. Agents change end users; admins everybody.

    Args:
        user_id: id of the user.
        name: full name.
        email: address; nobody else may have it.
        role: end-user, agent or admin.
        phone: phone number; null clears it.
        organization_id: where the user works; null for nowhere.
        external_id: account number in other systems; null clears it.
        notes: internal notes.
        tags: all labels, instead of those the user has.
        suspended: whether the user is kept from opening tickets.
    """
    own = access.me(state, ctx)
    user = require(state.users, user_id, "user")
    check(
        own.role == "admin" or user.role == "end-user" or user.id == own.id,
        "permission_denied",
        f"{user.name} is {user.role}; only admins change agents and admins",
    )
    changes = given(
        name=name, role=role, phone=phone, organization_id=organization_id, notes=notes,
        suspended=suspended,
    )  # fmt: skip
    if role is not UNSET and role != user.role:
        check(own.role == "admin", "permission_denied", "only admins change roles")
    if name is not UNSET:
        access.text(name, "name", 255)
    if organization_id is not UNSET and organization_id is not None:
        require(state.organizations, organization_id, "organization")
    if email is not UNSET and email.casefold() != user.email:
        changes["email"] = _free_email(state, email)
    if external_id is not UNSET and external_id != user.external_id:
        changes["external_id"] = _free_external_id(state, external_id)
    if tags is not UNSET:
        changes["tags"] = tuple(access.clean_tags(tags))
    if email is UNSET and external_id is UNSET:
        check(bool(changes), "invalid_argument", "name at least one field to change")
    return state.users.update(user.id, **changes)


@service.tool(read_only=True)
def get_satisfaction_ratings(
    state: ZendeskState,
    score: Literal["good", "bad"] | None = None,
    page: int = 1,
    per_page: int = 25,
) -> Page[SatisfactionRating]:
    """List what requesters thought of the answers, newest first.

    Args:
        score: only good or only bad ones.
        page: number of the page, from 1.
        per_page: ratings a page, at most 40.
    """
    rows = state.satisfaction_ratings.where(**({"score": score} if score else {}))
    rows.sort(key=lambda row: (row.created_at, row.id), reverse=True)
    return numbered(rows, page, min(per_page, access.PAGE))


def _check_role(own: User, role: str) -> None:
    check(
        role == "end-user" or own.role == "admin",
        "permission_denied",
        f"only admins add a user with the role {role}",
    )


def _free_email(state: ZendeskState, email: str) -> str:
    address = email.casefold()
    held = state.users.first(email=address)
    check(
        held is None, "conflict", f"{address} belongs to user {held.id if held else 0} already"
    )
    return address


def _free_external_id(state: ZendeskState, external_id: str | None) -> str | None:
    if not external_id:
        return None
    held = state.users.first(external_id=external_id)
    check(
        held is None,
        "conflict",
        f"external_id {external_id[:40]} belongs to user {held.id if held else 0} already",
    )
    return external_id


def _organization(state: ZendeskState, organization_id: int | None, email: str) -> int | None:
    """The named organization, or the one whose domain the address has."""
    if organization_id is not None:
        return int(require(state.organizations, organization_id, "organization").id)
    domain = email.rpartition("@")[2]
    found = next((o for o in state.organizations if domain in o.domain_names), None)
    return None if found is None else found.id
