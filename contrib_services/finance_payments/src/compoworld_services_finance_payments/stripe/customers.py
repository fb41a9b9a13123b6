"""Tools for customers."""

from __future__ import annotations

from compoworld_core import UNSET, Context
from compoworld_core.resources import Page, given
from compoworld_core.types import CustomerEmail, PersonName
from compoworld_services_finance_payments.stripe.listing import Limit, newest, wording
from compoworld_services_finance_payments.stripe.state import Customer, StripeState, service


@service.tool
def create_customer(
    state: StripeState, ctx: Context, name: PersonName, email: CustomerEmail = UNSET
) -> Customer:
    """Add a customer. Two customers may have the same email address.

    Args:
        name: full name of the person.
        email: where receipts and invoices go.
    """
    wording(name, "name", 256)
    fields = given(email=email)
    return state.customers.insert(
        Customer(id=ctx.new_id("cus_", length=14), name=name, created=ctx.now, **fields)
    )


@service.tool(read_only=True)
def list_customers(
    state: StripeState, limit: Limit = 10, email: CustomerEmail = UNSET
) -> Page[Customer]:
    """List customers, newest first.

    Args:
        limit: how many at most.
        email: only those with exactly this address.
    """
    return newest(state.customers.where(**given(email=email)), limit)
