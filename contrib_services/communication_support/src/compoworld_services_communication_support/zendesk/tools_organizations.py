"""Tools for organizations: list, find, create, update, their tickets."""

from __future__ import annotations

from compoworld_core import UNSET, Context, IntRef
from compoworld_core.resources import Page, check, folded, given, numbered, require
from compoworld_core.types import Company, Tag, Text
from compoworld_services_communication_support.zendesk import access
from compoworld_services_communication_support.zendesk.state import (
    Organization,
    Ticket,
    ZendeskState,
    new_id,
    service,
)
from compoworld_services_communication_support.zendesk.tools_tickets import in_order


@service.tool(read_only=True)
def get_organization(
    state: ZendeskState, organization_id: IntRef[Organization]
) -> Organization:
    """Show one organization.

    Args:
        organization_id: id of the organization.
    """
    return require(state.organizations, organization_id, "organization")


@service.tool(read_only=True)
def get_organizations(
    state: ZendeskState, page: int = 1, per_page: int = 25
) -> Page[Organization]:
    """List organizations.

    Args:
        page: number of the page, from 1.
        per_page: organizations a page, at most 40.
    """
    return numbered(list(state.organizations), page, min(per_page, access.PAGE))


@service.tool(read_only=True)
def search_organizations(
    state: ZendeskState, name: Company, page: int = 1, per_page: int = 25
) -> Page[Organization]:
    """Find organizations by the start of their name.

    Args:
        name: the name, or how it starts.
        page: number of the page, from 1.
        per_page: organizations a page, at most 40.
    """
    wanted = name.strip().casefold()
    check(bool(wanted), "invalid_argument", "the name is empty")
    rows = [row for row in state.organizations if folded(row, ("name",)).startswith(wanted)]
    return numbered(rows, page, min(per_page, access.PAGE))


@service.tool(read_only=True)
def get_organization_tickets(
    state: ZendeskState,
    organization_id: IntRef[Organization],
    page: int = 1,
    per_page: int = 25,
) -> Page[Ticket]:
    """List the tickets of an organization, newest first.

    Args:
        organization_id: id of the organization.
        page: number of the page, from 1.
        per_page: tickets a page, at most 40.
    """
    held = require(state.organizations, organization_id, "organization")
    rows = in_order(state.tickets.where(organization_id=held.id), "created_at", "desc")
    return numbered(rows, page, min(per_page, access.PAGE))


@service.tool
def create_organization(
    state: ZendeskState,
    ctx: Context,
    name: Company,
    domain_names: list[str] = UNSET,
    details: Text = "",
    notes: Text = "",
    tags: list[Tag] = UNSET,
) -> Organization:
    """Add an organization.

    Args:
        name: its name; no other organization may have it.
        domain_names: domains whose addresses belong to it.
        details: address and the like.
        notes: internal notes.
        tags: labels.
    """
    access.me(state, ctx)
    organization = Organization(
        id=new_id(ctx),
        name=_free_name(state, name),
        domain_names=() if domain_names is UNSET else _domains(domain_names),
        details=details,
        notes=notes,
        tags=tuple([] if tags is UNSET else access.clean_tags(tags)),
        created_at=ctx.now,
    )
    return state.organizations.insert(organization)


@service.tool
def update_organization(
    state: ZendeskState,
    ctx: Context,
    organization_id: IntRef[Organization],
    name: Company = UNSET,
    domain_names: list[str] = UNSET,
    details: Text = UNSET,
    notes: Text = UNSET,
    tags: list[Tag] = UNSET,
) -> Organization:
    """Change an organization; what is not given stays.

    Args:
        organization_id: id of the organization.
        name: its name; no other organization may have it.
        domain_names: all domains whose addresses belong to it.
        details: address and the like.
        notes: internal notes.
        tags: all labels, instead of those it has.
    """
    access.me(state, ctx)
    held = require(state.organizations, organization_id, "organization")
    changes = given(details=details, notes=notes)
    if name is not UNSET:
        same = name.casefold() == held.name.casefold()
        changes["name"] = name if same else _free_name(state, name)
    if domain_names is not UNSET:
        changes["domain_names"] = _domains(domain_names)
    if tags is not UNSET:
        changes["tags"] = tuple(access.clean_tags(tags))
    check(bool(changes), "invalid_argument", "name at least one field to change")
    return state.organizations.update(held.id, **changes)


def _free_name(state: ZendeskState, name: str) -> str:
    wanted = access.text(name, "name", 255).casefold()
    taken = any(folded(row, ("name",)) == wanted for row in state.organizations)
    check(not taken, "conflict", f"an organization is called {name[:80]!r} already")
    return name


def _domains(names: list[str]) -> tuple[str, ...]:
    domains = [name.strip().lower() for name in names]
    for domain in domains:
        check(
            "." in domain and "@" not in domain and " " not in domain,
            "invalid_argument",
            f"{domain[:40]!r} is no domain; write it as acme.example",
        )
    return tuple(domains)
