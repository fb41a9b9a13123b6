"""Tools that show, place and edit orders."""

# ruff: noqa: N803, N815 - names of the product's API

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import UNSET, Context, Ref
from compoworld_core.resources import Page, check, given, require
from compoworld_core.types import Code, CustomerEmail, Forms, Quantity, Tag, Text
from compoworld_services_ecommerce_retail.shopify.products import Count
from compoworld_services_ecommerce_retail.shopify.search import (
    By,
    First,
    Syntax,
    find,
    page,
    text_of,
)
from compoworld_services_ecommerce_retail.shopify.state import (
    AbandonedCheckout,
    Customer,
    Discount,
    Fulfillment,
    LineItem,
    Order,
    Refund,
    ShopifyState,
    Variant,
    new_gid,
    service,
)
from compoworld_services_ecommerce_retail.shopify.values import pieces, tag_set, wording

FIRST_NUMBER = 1001
_MOST_LINES = 100


def _condition(_state: Any, row: Order) -> str:
    return "cancelled" if row.cancelledAt else "open"


_SYNTAX = Syntax(
    fields={
        "id": By("id"),
        "name": By("name"),
        "email": By("email", form=str.lower),
        "customer_id": By("customerId"),
        "financial_status": By("displayFinancialStatus", form=str.upper),
        "fulfillment_status": By("displayFulfillmentStatus", form=str.upper),
        "status": By("cancelledAt", value=_condition),
        "tag": By("tags", "tag"),
        "po_number": By("poNumber"),
        "current_total_price": By("totalPrice", "number"),
        "created_at": By("createdAt", "moment"),
    },
    text=("name", "email", "note", "tags", "poNumber"),
)
OrderQuery = Annotated[
    str,
    Forms(
        name="name:{}",
        email="email:{}",
        customerId="customer_id:{}",
        displayFinancialStatus="financial_status:{}",
        displayFulfillmentStatus="fulfillment_status:{}",
        poNumber='po_number:"{}"',
        tags='tag:"{}"',
    ),
]
_CHECKOUTS = Syntax(
    fields={
        "id": By("id"),
        "email": By("email", form=str.lower),
        "customer_id": By("customerId"),
        "created_at": By("createdAt", "moment"),
    },
    text=("name", "email", "itemTitles"),
)


class OrderView(Order):
    """An order with its positions, parcels and refunds."""

    lineItems: tuple[LineItem, ...]
    fulfillments: tuple[Fulfillment, ...]
    refunds: tuple[Refund, ...]


class LineInput(BaseModel):
    """A position to order."""

    model_config = ConfigDict(extra="forbid")

    variantId: Ref[Variant]
    quantity: Annotated[Quantity, Field(ge=1)]


Lines = Annotated[list[LineInput], Field(min_length=1)]


def view(state: ShopifyState, row: Order) -> OrderView:
    """An order with everything that belongs to it."""
    return OrderView.model_construct(
        **{name: getattr(row, name) for name in Order.model_fields},
        lineItems=tuple(state.line_items.where(orderId=row.id)),
        fulfillments=tuple(state.fulfillments.where(orderId=row.id)),
        refunds=tuple(state.refunds.where(orderId=row.id)),
    )


def priced(state: ShopifyState, lines: list[LineInput]) -> list[tuple[Variant, int]]:
    """The variants of the positions, each of which must be for sale."""
    check(len(lines) <= _MOST_LINES, "invalid_argument", f"at most {_MOST_LINES} positions")
    found = []
    for line in lines:
        variant = require(state.variants, line.variantId, "variant")
        product = state.products[variant.productId]
        check(
            product.status == "ACTIVE",
            "failed_precondition",
            f"{product.title} is {product.status} and cannot be sold",
        )
        found.append((variant, pieces(line.quantity)))
    return found


def total_of(positions: list[tuple[Variant, int]]) -> Decimal:
    """What the positions cost together."""
    return sum((variant.price * count for variant, count in positions), Decimal(0))


def buyer(state: ShopifyState, email: Any, customer: Any) -> dict[str, Any]:
    """Email address and customer of an order from either of them."""
    fields: dict[str, Any] = given(email=email, customerId=customer)
    if "email" in fields:
        fields["email"] = fields["email"].lower()
    if "customerId" in fields:
        row = require(state.customers, customer, "customer")
        fields.setdefault("email", row.email)
    elif "email" in fields:
        known = state.customers.first(email=fields["email"])
        fields["customerId"] = None if known is None else known.id
    return fields


def place(
    state: ShopifyState,
    ctx: Context,
    positions: list[tuple[str, str, str, int, Decimal]],
    **fields: Any,
) -> Order:
    """Insert an order with its positions: (variant, title, SKU, quantity, price of one)."""
    order = state.orders.insert(
        Order(
            id=new_gid(ctx, "Order"),
            name=f"#{ctx.next_number('order', FIRST_NUMBER)}",
            createdAt=ctx.now,
            **fields,
        )
    )
    for variant, title, sku, count, price in positions:
        state.line_items.insert(
            LineItem(
                id=new_gid(ctx, "LineItem"),
                orderId=order.id,
                variantId=variant,
                title=title,
                sku=sku,
                quantity=count,
                price=price,
            )
        )
    return order  # fmt: skip


def _discounted(state: ShopifyState, ctx: Context, code: str, total: Decimal) -> Decimal:
    """The total after a discount code, whose use is counted."""
    row = state.discounts.first(code=code)
    check(row is not None, "not_found", f"no discount has the code {code[:60]!r}")
    assert row is not None
    today = ctx.now.date()
    check(
        row.status == "ACTIVE"
        and row.startsAt <= today
        and (row.endsAt is None or row.endsAt >= today)
        and (row.usageLimit is None or row.timesUsed < row.usageLimit),
        "failed_precondition",
        f"discount {code} is {row.status.lower()}, out of its dates or used up",
    )
    state.discounts.update(row.id, timesUsed=row.timesUsed + 1)
    return max(Decimal(0), total - reduction(row, total))


def reduction(row: Discount, total: Decimal) -> Decimal:
    """What a discount takes off a total."""
    if row.percentage is None:
        return row.amount or Decimal(0)
    cents = Decimal("0.01")
    return (total * row.percentage / 100).quantize(cents, rounding=ROUND_HALF_UP)


@service.tool(read_only=True)
def get_orders(
    state: ShopifyState, first: First = 50, after: str = UNSET, query: OrderQuery = UNSET
) -> Page[Order]:
    """List orders. A page holds at most 30; get_order shows the positions.

    Args:
        first: how many at most.
        after: cursor of the earlier page.
        query: search terms, such as financial_status:paid or name:#1042.
    """
    return page(find(state, state.orders, _SYNTAX, text_of(query)), first, after)


@service.tool(read_only=True)
def get_order(state: ShopifyState, id: Ref[Order]) -> OrderView:
    """Show an order with its positions, parcels and refunds.

    Args:
        id: id of the order, gid://shopify/Order/…
    """
    return view(state, require(state.orders, id, "order"))


@service.tool(read_only=True)
def get_orders_count(state: ShopifyState, query: OrderQuery = UNSET) -> Count:
    """Count orders.

    Args:
        query: search terms, as for get_orders.
    """
    return Count(count=len(find(state, state.orders, _SYNTAX, text_of(query))))


@service.tool(read_only=True)
def get_abandoned_checkouts(
    state: ShopifyState,
    first: First = 50,
    after: str = UNSET,
    query: Annotated[str, Forms(email="email:{}", customerId="customer_id:{}")] = UNSET,
) -> Page[AbandonedCheckout]:
    """List baskets that were not paid. A page holds at most 30.

    Args:
        first: how many at most.
        after: cursor of the earlier page.
        query: search terms, such as email:dana@acme.example.
    """
    rows = find(state, state.abandoned_checkouts, _CHECKOUTS, text_of(query))
    return page(rows, first, after)


@service.tool
def create_order(
    state: ShopifyState,
    ctx: Context,
    lineItems: Lines,
    email: CustomerEmail = UNSET,
    customerId: Ref[Customer] = UNSET,
    financialStatus: Literal["PENDING", "PAID"] = "PENDING",
    discountCode: Code = UNSET,
    poNumber: Code = UNSET,
    note: Text = UNSET,
    tags: list[Tag] = UNSET,
) -> OrderView:
    """Place an order for a customer. The stock is not touched.

    Args:
        lineItems: variants and how many of each.
        email: where the confirmation goes; belongs to the customer with this address.
        customerId: the customer, instead of or besides the address.
        financialStatus: PAID if the money is there already.
        discountCode: code that lowers the total.
        poNumber: number that the customer gave to the order.
        note: remark on the order.
        tags: marks to find the order by.
    """
    who = buyer(state, email, customerId)
    check(bool(who), "invalid_argument", "give the customer's email or customerId")
    positions = priced(state, lineItems)
    total = total_of(positions)
    if discountCode is not UNSET:
        total = _discounted(state, ctx, discountCode, total)
    fields = edits(poNumber, note, tags)
    rows = [(v.id, state.products[v.productId].title, v.sku, n, v.price) for v, n in positions]
    order = place(
        state,
        ctx,
        rows,
        totalPrice=total,
        displayFinancialStatus=financialStatus,
        **who,
        **fields,
    )
    return view(state, order)


def edits(po_number: Any, note: Any, tags: Any) -> dict[str, Any]:
    """Checked values of what can be written on any order."""
    fields: dict[str, Any] = given(poNumber=po_number, note=note)
    if "poNumber" in fields:
        wording(po_number, "poNumber", 255)
    if "note" in fields:
        wording(note, "note", 5000, empty=True)
    if tags is not UNSET:
        fields["tags"] = tag_set(tags)
    return fields


@service.tool
def update_order(
    state: ShopifyState,
    id: Ref[Order],
    email: CustomerEmail = UNSET,
    poNumber: Code = UNSET,
    note: Text = UNSET,
    tags: list[Tag] = UNSET,
) -> Order:
    """Change what is written on an order; what is not given stays as it is.

    Args:
        id: the order.
        email: where messages about it go.
        poNumber: number that the customer gave to it.
        note: remark on it.
        tags: all tags, the old ones included.
    """
    require(state.orders, id, "order")
    fields = edits(poNumber, note, tags)
    if email is not UNSET:
        fields["email"] = email.lower()
    check(bool(fields), "invalid_argument", "name something to change")
    return state.orders.update(id, **fields)
