"""Short tools for one contact or deal and what belongs to it."""

from __future__ import annotations

from typing import Annotated, get_args

from pydantic import Field

from compoworld_core import UNSET, Ref, ToolError
from compoworld_core.resources import Page, check
from compoworld_core.types import CustomerEmail
from compoworld_services_marketing_sales_crm.hubspot.associations import associated
from compoworld_services_marketing_sales_crm.hubspot.filters import (
    Filter,
    FilterGroup,
    Operator,
    find,
)
from compoworld_services_marketing_sales_crm.hubspot.records import CrmObject, live, shown
from compoworld_services_marketing_sales_crm.hubspot.state import (
    Contact,
    Deal,
    HubspotState,
    service,
)

_MOST_ROWS = 25
_OPERATORS = {
    **{name: name for name in get_args(Operator)},
    "CONTAINS": "CONTAINS_TOKEN",
}
_VALUELESS = ("HAS_PROPERTY", "NOT_HAS_PROPERTY")


def _given(value: str, parameter: str) -> str:
    """The id, which the listing does not mark as required although nothing works without."""
    check(value is not UNSET and bool(value), "invalid_argument", f"{parameter}: missing")
    return value


@service.tool(read_only=True)
def get_contact_by_id(state: HubspotState, contact_id: Ref[Contact] = UNSET) -> CrmObject:
    """Show a contact.

    Args:
        contact_id: id of the contact.
    """
    return shown(live(state, "contacts", _given(contact_id, "contact_id")))


@service.tool(read_only=True)
def get_contact_by_email(state: HubspotState, email: CustomerEmail) -> CrmObject:
    """Show the contact with an email address.

    Args:
        email: the address.
    """
    for row in state.contacts.where(email=email.lower()):
        if not row.archived:
            return shown(row)
    raise ToolError("not_found", f"no contact has the email address {email[:80]!r}")


@service.tool(read_only=True)
def search_contacts(
    state: HubspotState,
    property_name: str,
    operator: str,
    value: str,
    limit: Annotated[int, Field(ge=1)] = 10,
) -> Page[CrmObject]:
    """Find contacts by one property.

    Args:
        property_name: property to compare, such as lastname.
        operator: EQ, NEQ, LT, LTE, GT, GTE or CONTAINS.
        value: what to compare with.
        limit: how many at most; up to 25 are shown.
    """
    name = _OPERATORS.get(operator.upper())
    if name is None or name in (*_VALUELESS, "BETWEEN", "IN", "NOT_IN"):
        usable = ["EQ", "NEQ", "LT", "LTE", "GT", "GTE", "CONTAINS"]
        raise ToolError(
            "invalid_argument",
            f"no operator {operator[:40]!r}; there are: {', '.join(usable)}",
        )
    item = Filter.model_validate(
        {"propertyName": property_name, "operator": name, "value": value}
    )
    rows = find(state, "contacts", None, [FilterGroup(filters=[item])])
    return _page([shown(row) for row in rows[: min(limit, _MOST_ROWS)]], len(rows))


@service.tool(read_only=True)
def get_deal_by_id(state: HubspotState, deal_id: Ref[Deal] = UNSET) -> CrmObject:
    """Show a deal.

    Args:
        deal_id: id of the deal.
    """
    return shown(live(state, "deals", _given(deal_id, "deal_id")))


@service.tool(read_only=True)
def get_contact_deals(state: HubspotState, contact_id: Ref[Contact] = UNSET) -> Page[CrmObject]:
    """Show the deals that a contact is associated with.

    Args:
        contact_id: id of the contact.
    """
    key = live(state, "contacts", _given(contact_id, "contact_id")).id
    return _related(state, "contacts", key, "deals")


@service.tool(read_only=True)
def get_deal_contacts(state: HubspotState, deal_id: Ref[Deal] = UNSET) -> Page[CrmObject]:
    """Show the contacts that a deal is associated with.

    Args:
        deal_id: id of the deal.
    """
    key = live(state, "deals", _given(deal_id, "deal_id")).id
    return _related(state, "deals", key, "contacts")


def _related(state: HubspotState, kind: str, key: str, to: str) -> Page[CrmObject]:
    table = state.table(to)
    rows = [row for k in associated(state, kind, key, to) if (row := table.get(k)) is not None]
    kept = [row for row in rows if not row.archived]
    return _page([shown(row) for row in kept[:_MOST_ROWS]], len(kept))


def _page(items: list[CrmObject], total: int) -> Page[CrmObject]:
    return Page(items=items, total=total, next_cursor=None)
