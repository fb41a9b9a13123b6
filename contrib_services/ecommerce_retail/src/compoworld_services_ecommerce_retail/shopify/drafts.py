"""Tools for draft orders, which staff prepares for customers."""

# ruff: noqa: N803 - names of the product's API

from __future__ import annotations

from typing import Annotated

from compoworld_core import UNSET, Context, Ref
from compoworld_core.resources import Page, check, require, transition
from compoworld_core.types import Code, CustomerEmail, Forms, Tag, Text
from compoworld_services_ecommerce_retail.shopify.orders import (
    Lines,
    OrderView,
    buyer,
    edits,
    place,
    priced,
    total_of,
    view,
)
from compoworld_services_ecommerce_retail.shopify.search import (
    By,
    First,
    Syntax,
    find,
    page,
    text_of,
)
from compoworld_services_ecommerce_retail.shopify.state import (
    Customer,
    DraftLine,
    DraftOrder,
    ShopifyState,
    new_gid,
    service,
)

_SYNTAX = Syntax(
    fields={
        "id": By("id"),
        "name": By("name"),
        "email": By("email", form=str.lower),
        "customer_id": By("customerId"),
        "status": By("status", form=str.upper),
        "tag": By("tags", "tag"),
        "created_at": By("createdAt", "moment"),
    },
    text=("name", "email", "note", "tags", "poNumber"),
)
DraftQuery = Annotated[
    str, Forms(name="name:{}", email="email:{}", status="status:{}", tags='tag:"{}"')
]


@service.tool(read_only=True)
def get_draft_orders(
    state: ShopifyState, first: First = 50, after: str = UNSET, query: DraftQuery = UNSET
) -> Page[DraftOrder]:
    """List draft orders. A page holds at most 20.

    Args:
        first: how many at most.
        after: cursor of the earlier page.
        query: search terms, such as status:open or name:#D12.
    """
    rows = find(state, state.draft_orders, _SYNTAX, text_of(query))
    return page(rows, min(first, 20), after)


@service.tool
def create_draft_order(
    state: ShopifyState,
    ctx: Context,
    lineItems: Lines,
    email: CustomerEmail = UNSET,
    customerId: Ref[Customer] = UNSET,
    poNumber: Code = UNSET,
    note: Text = UNSET,
    tags: list[Tag] = UNSET,
) -> DraftOrder:
    """Prepare an order; it counts once complete_draft_order makes an order of it.

    Args:
        lineItems: variants and how many of each, at today's prices.
        email: address of the customer.
        customerId: the customer, instead of or besides the address.
        poNumber: number that the customer gave to it.
        note: remark on it.
        tags: marks to find it by.
    """
    positions = priced(state, lineItems)
    lines = tuple(
        DraftLine(
            variantId=variant.id,
            title=state.products[variant.productId].title,
            quantity=count,
            price=variant.price,
        )
        for variant, count in positions
    )
    return state.draft_orders.insert(
        DraftOrder(
            id=new_gid(ctx, "DraftOrder"),
            name=f"#D{ctx.next_number('draft')}",
            totalPrice=total_of(positions),
            lineItems=lines,
            createdAt=ctx.now,
            **buyer(state, email, customerId),
            **edits(poNumber, note, tags),
        )
    )


@service.tool
def complete_draft_order(
    state: ShopifyState, ctx: Context, id: Ref[DraftOrder], paymentPending: bool = False
) -> OrderView:
    """Make an order of a draft.

    Args:
        id: the draft, which must not be completed.
        paymentPending: true if it is not paid yet.
    """
    draft = require(state.draft_orders, id, "draft order")
    steps = {"OPEN": ["COMPLETED"], "INVOICE_SENT": ["COMPLETED"]}
    transition(draft.status, "COMPLETED", steps, f"draft order {draft.name}")
    check(
        draft.email is not None or draft.customerId is not None,
        "failed_precondition",
        f"draft order {draft.name} has no customer",
    )
    rows = [
        (
            line.variantId,
            line.title,
            state.variants[line.variantId].sku,
            line.quantity,
            line.price,
        )
        for line in draft.lineItems
    ]
    order = place(
        state,
        ctx,
        rows,
        email=draft.email,
        customerId=draft.customerId,
        totalPrice=draft.totalPrice,
        displayFinancialStatus="PENDING" if paymentPending else "PAID",
        poNumber=draft.poNumber,
        note=draft.note,
        tags=draft.tags,
    )
    state.draft_orders.update(id, status="COMPLETED", orderId=order.id)
    return view(state, order)
