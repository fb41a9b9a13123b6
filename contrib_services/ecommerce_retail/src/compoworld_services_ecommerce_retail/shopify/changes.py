"""Tools that move an order on: payment, fulfillment, refund, cancellation."""

# ruff: noqa: N803 - names of the product's API

from __future__ import annotations

from decimal import Decimal

from compoworld_core import UNSET, Context, Ref
from compoworld_core.resources import check, given, require, transition
from compoworld_core.types import Code, Money, Text
from compoworld_services_ecommerce_retail.shopify.inventory import restock as put_back
from compoworld_services_ecommerce_retail.shopify.orders import OrderView, view
from compoworld_services_ecommerce_retail.shopify.state import (
    CancelReason,
    Fulfillment,
    Order,
    Refund,
    ShopifyState,
    new_gid,
    service,
)
from compoworld_services_ecommerce_retail.shopify.values import price_of, wording

_REFUNDABLE = ("PAID", "PARTIALLY_REFUNDED")


def _standing(state: ShopifyState, id: str) -> Order:
    """The order, which must not be cancelled."""
    order = require(state.orders, id, "order")
    check(order.cancelledAt is None, "failed_precondition", f"order {order.name} is cancelled")
    return order


def _left(state: ShopifyState, order: Order) -> Decimal:
    """What of an order's total has not been refunded."""
    back = sum((row.amount for row in state.refunds.where(orderId=order.id)), Decimal(0))
    return order.totalPrice - back


@service.tool
def mark_order_as_paid(state: ShopifyState, ctx: Context, id: Ref[Order]) -> Order:
    """Record that an order was paid outside the shop.

    Args:
        id: the order, which must be pending.
    """
    order = _standing(state, id)
    status = order.displayFinancialStatus
    transition(status, "PAID", {"PENDING": ["PAID"]}, f"the payment of {order.name}")
    return state.orders.update(id, displayFinancialStatus="PAID")


@service.tool
def create_fulfillment(
    state: ShopifyState,
    ctx: Context,
    orderId: Ref[Order],
    trackingNumber: Code = UNSET,
    trackingCompany: str = UNSET,
    notifyCustomer: bool = False,
) -> Fulfillment:
    """Record that all of an order was sent.

    Args:
        orderId: the order, which must be unfulfilled.
        trackingNumber: number of the parcel.
        trackingCompany: who carries it.
        notifyCustomer: whether the customer gets a message.
    """
    order = _standing(state, orderId)
    status = order.displayFulfillmentStatus
    transition(status, "FULFILLED", {"UNFULFILLED": ["FULFILLED"]}, f"order {order.name}")
    check(
        not notifyCustomer or order.email is not None,
        "failed_precondition",
        f"order {order.name} has no email address to notify",
    )
    fields = given(trackingNumber=trackingNumber, trackingCompany=trackingCompany)
    for name, text in fields.items():
        wording(text, name, 100)
    state.orders.update(orderId, displayFulfillmentStatus="FULFILLED")
    return state.fulfillments.insert(
        Fulfillment(
            id=new_gid(ctx, "Fulfillment"), orderId=orderId, createdAt=ctx.now, **fields
        )
    )


@service.tool
def create_refund(
    state: ShopifyState,
    ctx: Context,
    orderId: Ref[Order],
    amount: Money = UNSET,
    note: Text = UNSET,
) -> Refund:
    """Give back all or a part of what was paid for an order.

    Args:
        orderId: the order, which must be paid.
        amount: how much; all that is left if left out.
        note: why.
    """
    order = _standing(state, orderId)
    check(
        order.displayFinancialStatus in _REFUNDABLE,
        "failed_precondition",
        f"order {order.name} is {order.displayFinancialStatus}; only paid ones can be refunded",
    )
    left = _left(state, order)
    back: Decimal = left if amount is UNSET else price_of(amount, "amount", free=False)
    check(
        Decimal(0) < back <= left,
        "invalid_argument",
        f"amount {back} is more than the {left} that is left to refund",
    )
    fields = given(note=note)
    if fields:
        wording(note, "note", 5000, empty=True)
    status = "REFUNDED" if back == left else "PARTIALLY_REFUNDED"
    state.orders.update(orderId, displayFinancialStatus=status)
    return state.refunds.insert(
        Refund(
            id=new_gid(ctx, "Refund"), orderId=orderId, amount=back, createdAt=ctx.now, **fields
        )
    )


@service.tool(destructive=True, idempotent=True)
def cancel_order(
    state: ShopifyState,
    ctx: Context,
    orderId: Ref[Order],
    reason: CancelReason,
    refund: bool = True,
    restock: bool = False,
    notifyCustomer: bool = False,
    staffNote: Text = UNSET,
) -> OrderView:
    """Cancel an order that has not been sent; this cannot be taken back.

    Args:
        orderId: the order.
        reason: why it is cancelled.
        refund: whether the money goes back, if it was paid.
        restock: whether its goods go back into the stock.
        notifyCustomer: whether the customer gets a message.
        staffNote: remark that replaces the order's note.
    """
    order = _standing(state, orderId)
    check(
        order.displayFulfillmentStatus == "UNFULFILLED",
        "failed_precondition",
        f"order {order.name} is {order.displayFulfillmentStatus} and cannot be cancelled",
    )
    fields = given(note=staffNote)
    if fields:
        wording(staffNote, "staffNote", 255, empty=True)
    status = order.displayFinancialStatus
    left = _left(state, order)
    if status == "PENDING":
        fields["displayFinancialStatus"] = "VOIDED"
    elif refund and status in _REFUNDABLE and left > 0:
        fields["displayFinancialStatus"] = "REFUNDED"
        state.refunds.insert(
            Refund(id=new_gid(ctx, "Refund"), orderId=orderId, amount=left, createdAt=ctx.now)
        )
    if restock:
        for line in state.line_items.where(orderId=orderId):
            put_back(state, line.variantId, line.quantity)
    state.orders.update(orderId, cancelledAt=ctx.now, cancelReason=reason, **fields)
    return view(state, state.orders[orderId])
