"""Tools for invoices and their items. An invoice is drafted, filled, and finalized."""

from __future__ import annotations

from datetime import timedelta

from compoworld_core import UNSET, Context, Ref
from compoworld_core.context import MIXED
from compoworld_core.resources import Page, check, given, require, transition
from compoworld_core.types import Quantity
from compoworld_services_finance_payments.stripe.listing import MOST_CENTS, Limit, newest
from compoworld_services_finance_payments.stripe.state import (
    Customer,
    Invoice,
    InvoiceItem,
    Price,
    StripeState,
    service,
)

FIRST_NUMBER = 2001
_DEFAULT_DAYS = 30
_MOST_DAYS = 730
_MOST_ITEMS = 250


def next_number(ctx: Context) -> str:
    """The next number in the account's sequence; drafts have none."""
    return f"INV-{ctx.next_number('invoice', FIRST_NUMBER)}"


@service.tool
def create_invoice(
    state: StripeState,
    ctx: Context,
    customer: Ref[Customer],
    days_until_due: Quantity = UNSET,
) -> Invoice:
    """Draft an empty invoice; add items with create_invoice_item, then finalize it.

    Args:
        customer: who is billed.
        days_until_due: days the customer has to pay; 30 if left out.
    """
    payer = require(state.customers, customer, "customer")
    days = given(days=days_until_due).get("days", _DEFAULT_DAYS)
    check(
        0 <= days <= _MOST_DAYS,
        "invalid_argument",
        f"days_until_due must be from 0 to {_MOST_DAYS}",
    )
    return state.invoices.insert(
        Invoice(
            id=ctx.new_id("in_", length=24, alphabet=MIXED),
            customer=customer,
            customer_email=payer.email,
            customer_name=payer.name,
            currency=payer.currency,
            due_date=(ctx.now + timedelta(days=days)).date(),
            created=ctx.now,
        )
    )


@service.tool(read_only=True)
def list_invoices(
    state: StripeState, customer: Ref[Customer] = UNSET, limit: Limit = 10
) -> Page[Invoice]:
    """List invoices in any status, newest first.

    Args:
        customer: only the invoices of this customer.
        limit: how many at most.
    """
    return newest(state.invoices.where(**given(customer=customer)), limit)


@service.tool
def create_invoice_item(
    state: StripeState,
    ctx: Context,
    customer: Ref[Customer],
    price: Ref[Price],
    invoice: Ref[Invoice],
) -> InvoiceItem:
    """Add one of a price to a draft invoice; the invoice's amount grows by it.

    Args:
        customer: whose invoice it is.
        price: what is billed.
        invoice: the draft to add to.
    """
    require(state.customers, customer, "customer")
    cost = require(state.prices, price, "price")
    draft = require(state.invoices, invoice, "invoice")
    check(
        draft.customer == customer,
        "invalid_argument",
        f"invoice {invoice} is for customer {draft.customer}, not {customer}",
    )
    check(
        draft.status == "draft",
        "failed_precondition",
        f"invoice is {draft.status}; items can be added to drafts only",
    )
    check(cost.active, "failed_precondition", "the price is archived; choose an active one")
    check(
        cost.type == "one_time",
        "failed_precondition",
        "the price is recurring and belongs on a subscription; choose a one_time price",
    )
    check(
        cost.currency == draft.currency,
        "invalid_argument",
        f"the price is in {cost.currency}, the invoice in {draft.currency}",
    )
    check(
        len(state.invoice_items.where(invoice=invoice)) < _MOST_ITEMS,
        "failed_precondition",
        f"an invoice holds at most {_MOST_ITEMS} items",
    )
    due = draft.amount_due + cost.unit_amount
    check(due <= MOST_CENTS, "failed_precondition", f"an invoice is at most {MOST_CENTS}")
    state.invoices.update(invoice, amount_due=due)
    return state.invoice_items.insert(
        InvoiceItem(
            id=ctx.new_id("ii_", length=24, alphabet=MIXED),
            invoice=invoice,
            customer=customer,
            price=price,
            description=state.products[cost.product].name,
            amount=cost.unit_amount,
            currency=cost.currency,
            created=ctx.now,
        )
    )


@service.tool(idempotent=True)
def finalize_invoice(state: StripeState, ctx: Context, invoice: Ref[Invoice]) -> Invoice:
    """Give a draft invoice its number and open it for payment.

    An invoice over nothing is paid at once.

    Args:
        invoice: the draft.
    """
    row = require(state.invoices, invoice, "invoice")
    transition(row.status, "open", {"draft": ["open"]}, "invoice")
    status = "open" if row.amount_due > 0 else "paid"
    return state.invoices.update(invoice, status=status, number=next_number(ctx))
