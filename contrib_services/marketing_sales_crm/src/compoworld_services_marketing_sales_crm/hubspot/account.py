"""The portal itself: who calls, its kinds of records, links into it, its workflows."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import UNSET, Context, Ref, ToolError
from compoworld_core.resources import Page, check, paginate, require
from compoworld_core.types import PersonName, StaffEmail, Url
from compoworld_services_marketing_sales_crm.hubspot.records import KINDS, RecordId, live
from compoworld_services_marketing_sales_crm.hubspot.state import (
    HubspotState,
    ObjectType,
    Workflow,
    service,
)

_MOST_ROWS = 25
_DOMAIN = re.compile(r"^[a-z0-9.-]{3,100}$")


class UserDetails(BaseModel):
    """The account that the caller uses."""

    model_config = ConfigDict(extra="forbid")

    user: StaffEmail
    name: PersonName
    ownerId: str  # noqa: N815
    hubId: int  # noqa: N815
    uiDomain: str  # noqa: N815
    scopes: list[str]


class PageRequest(BaseModel):
    """A page of the portal to link to."""

    model_config = ConfigDict(extra="forbid")

    pagetype: Literal["record", "index"]
    objectTypeId: str  # noqa: N815
    objectId: RecordId = Field(  # noqa: N815
        default_factory=lambda: UNSET, description="The record; needed for pagetype record."
    )


class Links(BaseModel):
    """Addresses of pages, in the order they were asked for."""

    model_config = ConfigDict(extra="forbid")

    links: list[Url]


@service.tool(name="hubspot-get-user-details", read_only=True)
def get_user_details(state: HubspotState, ctx: Context) -> UserDetails:
    """Show who you are in the portal: your owner id, the portal's id and what you may do."""
    me = state.owners.first(email=ctx.actor)
    if me is None:
        raise ToolError("permission_denied", f"{ctx.actor} is no user of this portal")
    return UserDetails(
        user=me.email,
        name=me.name,
        ownerId=me.id,
        hubId=state.portal_id,
        uiDomain="app.hubspot.com",
        scopes=[f"crm.objects.{kind}.write" for kind in KINDS],
    )


@service.tool(name="hubspot-get-schemas", read_only=True)
def get_schemas(state: HubspotState) -> Page[ObjectType]:
    """List the kinds of records, with the names that other tools take as objectType."""
    return paginate(list(state.object_types), 100)


@service.tool(name="hubspot-get-link", read_only=True)
def get_link(
    state: HubspotState,
    portalId: str,  # noqa: N803
    uiDomain: str,  # noqa: N803
    pageRequests: list[PageRequest],  # noqa: N803
) -> Links:
    """Make addresses of pages in the portal, to give to a person.

    Args:
        portalId: id of the portal; hubspot-get-user-details tells it.
        uiDomain: domain of the user interface, told there too.
        pageRequests: the records or lists to link to.
    """
    check(
        portalId == str(state.portal_id),
        "permission_denied",
        f"you have no access to portal {portalId[:40]!r}; yours is {state.portal_id}",
    )
    check(
        _DOMAIN.match(uiDomain) is not None,
        "invalid_argument",
        "uiDomain is a domain such as app.hubspot.com",
    )
    check(1 <= len(pageRequests) <= 100, "invalid_argument", "ask for 1 to 100 pages")
    return Links(links=[_address(state, uiDomain, item) for item in pageRequests])


def _address(state: HubspotState, domain: str, item: PageRequest) -> str:
    kind = state.object_types.first(object_type_id=item.objectTypeId)
    if kind is None:
        known = ", ".join(f"{row.object_type_id} ({row.id})" for row in state.object_types)
        raise ToolError(
            "not_found", f"no objectTypeId {item.objectTypeId[:40]!r}; there are: {known}"
        )
    base = f"https://{domain}/contacts/{state.portal_id}"
    if item.pagetype == "index":
        return f"{base}/objects/{kind.object_type_id}"
    check(item.objectId is not UNSET, "invalid_argument", "pagetype record needs objectId")
    live(state, kind.id, item.objectId)
    return f"{base}/record/{kind.object_type_id}/{item.objectId}"


@service.tool(name="hubspot-list-workflows", read_only=True)
def list_workflows(
    state: HubspotState,
    limit: Annotated[float, Field(ge=1, le=100)] = 20,
    after: str = UNSET,
) -> Page[Workflow]:
    """List the portal's automations. A page holds at most 25.

    Args:
        limit: how many at most.
        after: cursor of the earlier page.
    """
    check(limit == int(limit), "invalid_argument", "limit must be a whole number")
    cursor = None if after is UNSET else after
    return paginate(list(state.workflows), min(int(limit), _MOST_ROWS), cursor)


@service.tool(name="hubspot-get-workflow", read_only=True)
def get_workflow(state: HubspotState, flowId: Ref[Workflow]) -> Workflow:  # noqa: N803
    """Show one automation and its steps.

    Args:
        flowId: id of the workflow.
    """
    return require(state.workflows, flowId, "workflow")
