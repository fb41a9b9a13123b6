# ruff: noqa: N803  # parameters have the product's names
"""Customer tools: companies and what they ask for."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import WithJsonSchema

from compoworld_core import UNSET, Context, Ref
from compoworld_core.resources import Page, check, given, require
from compoworld_core.types import Code, Company, DateTime, Money, Text, Url
from compoworld_services_project_management.linear import access
from compoworld_services_project_management.linear.app import service
from compoworld_services_project_management.linear.state import (
    Comment,
    Count,
    Customer,
    CustomerNeed,
    CustomerStatus,
    CustomerTier,
    Issue,
    LinearState,
    Project,
    User,
    Whole,
)

Amount = Annotated[Money, WithJsonSchema({"type": "number"})]
Order = Literal["createdAt", "updatedAt"]
_DOMAIN = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+\Z")


@service.tool(read_only=True)
def linear_getCustomers(  # noqa: N802
    state: LinearState,
    domain: Url = UNSET,
    includeArchived: bool = UNSET,
    limit: Count = UNSET,
    name: Company = UNSET,
    orderBy: Order = UNSET,
    ownerId: Ref[User] = UNSET,
    statusId: Ref[CustomerStatus] = UNSET,
    tierId: Ref[CustomerTier] = UNSET,
) -> Page[Customer]:
    """List customers.

    Args:
        domain: only the customer with this web domain.
        includeArchived: whether archived ones are listed; there are none.
        limit: how many; 50 by default, at most 250.
        name: only customers of this name, in any case.
        orderBy: newest first by this time.
        ownerId: only customers of this owner.
        statusId: only customers of this status.
        tierId: only customers of this tier.
    """
    wanted = given(owner_id=ownerId, status_id=statusId, tier_id=tierId)
    rows = state.customers.where(**wanted)
    if name:
        rows = [row for row in rows if row.name.casefold() == name.casefold()]
    if domain:
        rows = [row for row in rows if domain.lower() in row.domains]
    return access.listed(rows, limit, access.chosen(orderBy, "createdAt"))


@service.tool(read_only=True)
def linear_getCustomerById(state: LinearState, id: Ref[Customer]) -> Customer:  # noqa: N802
    """Show one customer.

    Args:
        id: the customer.
    """
    return require(state.customers, id, "customer")


@service.tool
def linear_createCustomer(  # noqa: N802
    state: LinearState,
    ctx: Context,
    name: Company,
    domains: list[Url] = UNSET,
    externalIds: list[Code] = UNSET,
    logoUrl: str = UNSET,
    mainSourceId: str = UNSET,
    ownerId: Ref[User] = UNSET,
    revenue: Amount = UNSET,
    size: Whole = UNSET,
    slackChannelId: str = UNSET,
    statusId: Ref[CustomerStatus] = UNSET,
    tierId: Ref[CustomerTier] = UNSET,
) -> Customer:
    """Make a customer.

    Args:
        name: the company.
        domains: its web domains; each belongs to one customer.
        externalIds: its account numbers in other systems.
        logoUrl: a picture.
        mainSourceId: the system it came from.
        ownerId: who looks after it.
        revenue: per year.
        size: number of employees.
        slackChannelId: the shared channel.
        statusId: where it stands.
        tierId: how important it is.
    """
    changes = _checked(
        state,
        None,
        given(
            name=name,
            domains=domains,
            external_ids=externalIds,
            logo_url=logoUrl,
            main_source_id=mainSourceId,
            owner_id=ownerId,
            revenue=revenue,
            size=size,
            slack_channel_id=slackChannelId,
            status_id=statusId,
            tier_id=tierId,
        ),
    )
    changes.setdefault("owner_id", access.me(state, ctx).id)
    return state.customers.insert(
        Customer(id=access.new_id(ctx), created_at=ctx.now, updated_at=ctx.now, **changes)
    )


@service.tool(idempotent=True)
def linear_updateCustomer(  # noqa: N802
    state: LinearState,
    ctx: Context,
    id: Ref[Customer],
    domains: list[Url] = UNSET,
    externalIds: list[Code] = UNSET,
    logoUrl: str = UNSET,
    mainSourceId: str = UNSET,
    name: Company = UNSET,
    ownerId: Ref[User] = UNSET,
    revenue: Amount = UNSET,
    size: Whole = UNSET,
    slackChannelId: str = UNSET,
    statusId: Ref[CustomerStatus] = UNSET,
    tierId: Ref[CustomerTier] = UNSET,
) -> Customer:
    """Change a customer; what is not given stays.

    Args:
        id: the customer.
        domains: all its web domains; replaces the old ones.
        externalIds: all its account numbers in other systems; replaces the old ones.
        logoUrl: a picture.
        mainSourceId: the system it came from.
        name: the company.
        ownerId: who looks after it.
        revenue: per year.
        size: number of employees.
        slackChannelId: the shared channel.
        statusId: where it stands.
        tierId: how important it is.
    """
    access.me(state, ctx)
    customer = require(state.customers, id, "customer")
    changes = given(
        name=name,
        domains=domains,
        external_ids=externalIds,
        logo_url=logoUrl,
        main_source_id=mainSourceId,
        owner_id=ownerId,
        revenue=revenue,
        size=size,
        slack_channel_id=slackChannelId,
        status_id=statusId,
        tier_id=tierId,
    )
    check(bool(changes), "invalid_argument", "name a field to change")
    found = _checked(state, customer, changes)
    if all(getattr(customer, field) == value for field, value in found.items()):
        return customer
    return state.customers.update(customer.id, updated_at=ctx.now, **found)


def _checked(
    state: LinearState, customer: Customer | None, changes: dict[str, Any]
) -> dict[str, Any]:
    """Changes of a customer as the record holds them; ToolError where they do not fit."""
    found = dict(changes)
    own = customer.id if customer else None
    for name in ("logo_url", "main_source_id", "slack_channel_id"):
        if name in found:
            access.text(found[name], name, most=500)
    if "name" in found:
        access.text(found["name"], "name", 1, 200)
        twin = state.customers.first(name=found["name"])
        taken = twin is not None and twin.id != own
        check(not taken, "conflict", f"a customer {found['name']!r} exists already")
    if "domains" in found:
        found["domains"] = _domains(state, found["domains"], own)
    if "external_ids" in found:
        values = [access.text(value, "externalId", 1, 120) for value in found["external_ids"]]
        check(len(values) <= 50, "invalid_argument", "at most 50 externalIds")
        for value in values:
            holder = next((c for c in state.customers if value in c.external_ids), None)
            free = holder is None or holder.id == own
            check(free, "conflict", f"externalId {value} belongs to another customer")
        found["external_ids"] = tuple(sorted(set(values)))
    if "owner_id" in found:
        found["owner_id"] = access.active_user(state, found["owner_id"]).id
    if "status_id" in found:
        require(state.customer_statuses, found["status_id"], "customer status")
    if "tier_id" in found:
        require(state.customer_tiers, found["tier_id"], "customer tier")
    return found


def _domains(state: LinearState, values: list[str], own: str | None) -> tuple[str, ...]:
    check(len(values) <= 50, "invalid_argument", "at most 50 domains")
    for value in values:
        fits = _DOMAIN.match(value.lower()) and len(value) <= 253
        check(bool(fits), "invalid_argument", f"{value[:60]!r} is not a web domain")
        holder = next((c for c in state.customers if value.lower() in c.domains), None)
        free = holder is None or holder.id == own
        check(free, "conflict", f"domain {value} belongs to another customer")
    return tuple(sorted({value.lower() for value in values}))


@service.tool(read_only=True)
def linear_getCustomerNeeds(  # noqa: N802
    state: LinearState,
    ctx: Context,
    customerId: Ref[Customer] = UNSET,
    includeArchived: bool = UNSET,
    issueId: Ref[Issue] = UNSET,
    limit: Count = UNSET,
    orderBy: Order = UNSET,
    priority: Whole = UNSET,
    projectId: Ref[Project] = UNSET,
) -> Page[CustomerNeed]:
    """List what customers asked for.

    Args:
        customerId: only requests of this customer.
        includeArchived: whether archived ones are listed; there are none.
        issueId: only requests for this issue, by id or identifier.
        limit: how many; 50 by default, at most 250.
        orderBy: newest first by this time.
        priority: 1 for important ones, 0 for the others.
        projectId: only requests for this project.
    """
    wanted = given(customer_id=customerId, priority=priority, project_id=projectId)
    if issueId:
        wanted["issue_id"] = access.find_issue(state, ctx, issueId).id
    rows = state.customer_needs.where(**wanted)
    return access.listed(rows, limit, access.chosen(orderBy, "createdAt"))


@service.tool
def linear_createCustomerNeed(  # noqa: N802
    state: LinearState,
    ctx: Context,
    attachmentId: str = UNSET,
    attachmentUrl: str = UNSET,
    body: Text = UNSET,
    commentId: Ref[Comment] = UNSET,
    createdAt: DateTime = UNSET,
    customerExternalId: Code = UNSET,
    customerId: Ref[Customer] = UNSET,
    issueId: Ref[Issue] = UNSET,
    priority: Whole = UNSET,
    projectId: Ref[Project] = UNSET,
) -> CustomerNeed:
    """Note what a customer asked for, at an issue or a project.

    Args:
        attachmentId: an attachment that says it.
        attachmentUrl: where it was said.
        body: what was asked for, in Markdown.
        commentId: a comment that says it.
        createdAt: when it was said; now by default.
        customerExternalId: the customer, by an account number of another system.
        customerId: the customer.
        issueId: the issue, by id or identifier.
        priority: 1 where it is important, else 0.
        projectId: the project.
    """
    customer = _customer(state, customerId, customerExternalId)
    issue = access.open_issue(state, ctx, issueId) if issueId else None
    project = require(state.projects, projectId, "project") if projectId else None
    one = (issue is None) != (project is None)
    check(one, "invalid_argument", "give issueId or projectId, one of them")
    comment = require(state.comments, commentId, "comment") if commentId else None
    text = body or (comment.body if comment else "")
    check(bool(text.strip()), "invalid_argument", "give body or commentId")
    wanted = access.chosen(priority, 0)
    check(wanted in (0, 1), "invalid_argument", "priority is 0 or 1")
    return state.customer_needs.insert(
        CustomerNeed(
            id=access.new_id(ctx),
            body=access.text(text, "body", 1),
            customer_id=customer.id if customer else None,
            issue_id=issue.id if issue else None,
            project_id=project.id if project else None,
            comment_id=comment.id if comment else None,
            attachment_id=access.text(attachmentId, "attachmentId", most=100)
            if attachmentId
            else None,
            attachment_url=access.text(attachmentUrl or "", "attachmentUrl", most=2000),
            priority=wanted,
            creator_id=access.me(state, ctx).id,
            created_at=access.chosen(createdAt, ctx.now),
            updated_at=ctx.now,
        )
    )


def _customer(state: LinearState, key: str, external: str) -> Customer | None:
    if key:
        return require(state.customers, key, "customer")
    if not external:
        return None
    found = next((row for row in state.customers if external in row.external_ids), None)
    check(found is not None, "not_found", f"no customer with the externalId {external[:60]!r}")
    return found
