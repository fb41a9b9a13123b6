"""Tools for subscriptions: which prices a customer pays per interval."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import UNSET, Context, Ref, ToolError
from compoworld_core.context import MIXED
from compoworld_core.resources import Page, check, given, require
from compoworld_core.types import Quantity
from compoworld_services_finance_payments.stripe.invoices import next_number
from compoworld_services_finance_payments.stripe.listing import Limit, newest
from compoworld_services_finance_payments.stripe.state import (
    Customer,
    Invoice,
    InvoiceItem,
    Price,
    StripeState,
    Subscription,
    SubscriptionItem,
    service,
)

StatusFilter = Literal[
    "active",
    "past_due",
    "unpaid",
    "canceled",
    "incomplete",
    "incomplete_expired",
    "trialing",
    "all",
]
Proration = Literal["create_prorations", "none", "always_invoice", "none_implicit"]
_ENDED = ("canceled", "incomplete_expired")
_MOST_ITEMS = 20
_MOST_ROWS = 40  # with their items, more would not fit into one observation


class SubscriptionView(Subscription):
    """A subscription with its items."""

    items: tuple[SubscriptionItem, ...]


class ItemChange(BaseModel):
    """What to do with one item: add it, change it or take it off."""

    model_config = ConfigDict(extra="forbid")

    id: Ref[SubscriptionItem] = Field(
        default_factory=lambda: UNSET, description="The item to change; left out, one is added."
    )
    price: Ref[Price] = Field(
        default_factory=lambda: UNSET, description="The price to add or to switch to."
    )
    quantity: Annotated[Quantity, Field(ge=1, le=999_999)] = Field(
        default_factory=lambda: UNSET, description="How many of the price."
    )
    deleted: bool = Field(
        default_factory=lambda: UNSET, description="True takes the item off the subscription."
    )


def _view(state: StripeState, row: Subscription) -> SubscriptionView:
    items = tuple(state.subscription_items.where(subscription=row.id))
    return SubscriptionView.model_construct(**row.__dict__, items=items)


@service.tool(read_only=True)
def list_subscriptions(
    state: StripeState,
    customer: Ref[Customer] = UNSET,
    price: Ref[Price] = UNSET,
    status: StatusFilter = UNSET,
    limit: Limit = 10,
) -> Page[SubscriptionView]:
    """List subscriptions with their items, newest first; canceled ones only when asked for.

    Args:
        customer: only those of this customer.
        price: only those with an item of this price.
        status: only those in this status; all includes the canceled ones.
        limit: how many at most.
    """
    rows = state.subscriptions.where(**given(customer=customer))
    if status is UNSET:
        rows = [row for row in rows if row.status != "canceled"]
    elif status != "all":
        rows = [row for row in rows if row.status == status]
    if price is not UNSET:
        having = {item.subscription for item in state.subscription_items.where(price=price)}
        rows = [row for row in rows if row.id in having]
    page = newest(rows, min(limit, _MOST_ROWS))
    return Page(
        items=[_view(state, row) for row in page.items], total=page.total, next_cursor=None
    )


@service.tool(destructive=True, idempotent=True)
def cancel_subscription(
    state: StripeState, ctx: Context, subscription: Ref[Subscription]
) -> SubscriptionView:
    """End a subscription now; this cannot be taken back.

    Args:
        subscription: the subscription to end.
    """
    row = require(state.subscriptions, subscription, "subscription")
    check(
        row.status not in _ENDED,
        "failed_precondition",
        f"the subscription is {row.status} already",
    )
    ended = state.subscriptions.update(subscription, status="canceled", canceled_at=ctx.now)
    return _view(state, ended)


@service.tool
def update_subscription(
    state: StripeState,
    ctx: Context,
    subscription: Ref[Subscription],
    proration_behavior: Proration = UNSET,
    items: list[ItemChange] = UNSET,
) -> SubscriptionView:
    """Change the items of a running subscription: add, change or take off prices.

    Args:
        subscription: the subscription to change.
        proration_behavior: what happens to the difference for the rest of the period: an item
            that waits for the next invoice (create_prorations, as when left out), an invoice
            at once (always_invoice), or nothing.
        items: the changes, one per item.
    """
    row = require(state.subscriptions, subscription, "subscription")
    check(
        row.status in ("active", "trialing", "past_due"),
        "failed_precondition",
        f"the subscription is {row.status}; only a running one can be changed",
    )
    check(bool(items), "invalid_argument", "name at least one item to change")
    check(
        len(items) <= _MOST_ITEMS,
        "invalid_argument",
        f"at most {_MOST_ITEMS} items can be changed at once",
    )
    before = _per_period(state, subscription)
    for change in items:
        _apply(state, ctx, row, change)
    check(
        bool(state.subscription_items.where(subscription=subscription)),
        "failed_precondition",
        "a subscription needs an item; use cancel_subscription to end it",
    )
    behavior = given(it=proration_behavior).get("it", "create_prorations")
    if behavior in ("create_prorations", "always_invoice") and row.status != "trialing":
        _prorate(state, ctx, row, before, at_once=behavior == "always_invoice")
    return _view(state, row)


def _apply(state: StripeState, ctx: Context, row: Subscription, change: ItemChange) -> None:
    """Carry out the change of one item."""
    fields = given(price=change.price, quantity=change.quantity)
    if "price" in fields:
        price = require(state.prices, change.price, "price")
        _check_price(price, row)
    if change.id is UNSET:
        if "price" not in fields:
            raise ToolError(
                "invalid_argument", "a new item needs a price; a change needs an id"
            )
        check(
            not state.subscription_items.where(subscription=row.id, price=change.price),
            "conflict",
            f"the subscription has an item of {change.price}; change that one by its id",
        )
        state.subscription_items.insert(
            SubscriptionItem(
                id=ctx.new_id("si_", length=14, alphabet=MIXED), subscription=row.id, **fields
            )
        )
        return
    item = require(state.subscription_items, change.id, "subscription item")
    check(
        item.subscription == row.id,
        "invalid_argument",
        f"item {item.id} belongs to subscription {item.subscription}",
    )
    if change.deleted is not UNSET and change.deleted:
        check(not fields, "invalid_argument", "an item is either deleted or changed, not both")
        state.subscription_items.delete(item.id)
        return
    check(bool(fields), "invalid_argument", "give the item's new price, quantity, or deleted")
    state.subscription_items.update(item.id, **fields)


def _check_price(price: Price, row: Subscription) -> None:
    check(price.active, "failed_precondition", "the price is archived; choose an active one")
    check(
        price.type == "recurring",
        "failed_precondition",
        "the price is one_time; a subscription takes recurring prices",
    )
    check(
        price.currency == row.currency,
        "invalid_argument",
        f"the price is in {price.currency}, the subscription in {row.currency}",
    )


def _per_period(state: StripeState, subscription: str) -> int:
    """What the subscription costs per period."""
    return sum(
        state.prices[item.price].unit_amount * item.quantity
        for item in state.subscription_items.where(subscription=subscription)
    )


def _prorate(
    state: StripeState, ctx: Context, row: Subscription, before: int, *, at_once: bool
) -> None:
    """Bill or credit the difference for the days that are left of the period."""
    period = (row.current_period_end - row.current_period_start).days
    left = (row.current_period_end - ctx.now.date()).days
    if period <= 0 or left <= 0:
        return
    cents = (_per_period(state, row.id) - before) * min(left, period) // period
    if cents == 0:
        return
    invoice = None
    if at_once and cents > 0:
        payer = state.customers[row.customer]
        invoice = state.invoices.insert(
            Invoice(
                id=ctx.new_id("in_", length=24, alphabet=MIXED),
                number=next_number(ctx),
                customer=payer.id,
                customer_email=payer.email,
                customer_name=payer.name,
                status="open",
                currency=row.currency,
                amount_due=cents,
                due_date=ctx.now.date(),
                created=ctx.now,
            )
        ).id
    first = state.subscription_items.where(subscription=row.id)[0]
    state.invoice_items.insert(
        InvoiceItem(
            id=ctx.new_id("ii_", length=24, alphabet=MIXED),
            invoice=invoice,
            customer=row.customer,
            price=first.price,
            description="Change of subscription for the rest of the period",
            amount=cents,
            currency=row.currency,
            proration=True,
            created=ctx.now,
        )
    )
