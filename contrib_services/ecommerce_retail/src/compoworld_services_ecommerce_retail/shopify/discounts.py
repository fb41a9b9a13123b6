"""Tools for discounts."""

# ruff: noqa: N803 - names of the product's API

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from compoworld_core import UNSET, Context, Ref
from compoworld_core.resources import Page, check, given, require
from compoworld_core.types import Code, Date, Forms, Money, Percent, Quantity, Title
from compoworld_services_ecommerce_retail.shopify.search import (
    By,
    First,
    Syntax,
    find,
    page,
    text_of,
)
from compoworld_services_ecommerce_retail.shopify.state import (
    Discount,
    ShopifyState,
    new_gid,
    service,
)
from compoworld_services_ecommerce_retail.shopify.values import price_of, wording

_CODE = re.compile(r"^[^\s,]{1,255}$")
_SYNTAX = Syntax(
    fields={
        "id": By("id"),
        "title": By("title", "words"),
        "code": By("code"),
        "status": By("status", form=str.upper),
        "times_used": By("timesUsed", "number"),
        "starts_at": By("startsAt", "moment"),
        "ends_at": By("endsAt", "moment"),
        "created_at": By("createdAt", "moment"),
    },
    text=("title", "code"),
)
DiscountQuery = Annotated[str, Forms(code="code:{}", title='title:"{}"', status="status:{}")]


@service.tool(read_only=True)
def get_discounts(
    state: ShopifyState, first: First = 50, after: str = UNSET, query: DiscountQuery = UNSET
) -> Page[Discount]:
    """List discounts, with code and automatic ones. A page holds at most 30.

    Args:
        first: how many at most.
        after: cursor of the earlier page.
        query: search terms, such as status:active or code:SPRING10.
    """
    return page(find(state, state.discounts, _SYNTAX, text_of(query)), first, after)


@service.tool(read_only=True)
def get_discount(state: ShopifyState, id: Ref[Discount]) -> Discount:
    """Show a discount.

    Args:
        id: id of the discount, gid://shopify/DiscountNode/…
    """
    return require(state.discounts, id, "discount")


@service.tool
def create_discount_code(
    state: ShopifyState,
    ctx: Context,
    title: Title,
    code: Code,
    startsAt: Date,
    percentage: Annotated[Percent, Field(gt=0, le=100)] = UNSET,
    amount: Money = UNSET,
    endsAt: Date = UNSET,
    usageLimit: Quantity = UNSET,
) -> Discount:
    """Make a code that lowers the total of orders.

    Args:
        title: what staff calls it.
        code: what customers enter; no other discount may have it.
        startsAt: first day on which it counts.
        percentage: percent of the total; give this or amount.
        amount: what it takes off; give this or percentage.
        endsAt: last day on which it counts; none if left out.
        usageLimit: how often it can be used in all.
    """
    wording(title, "title")
    check(
        _CODE.match(code) is not None,
        "invalid_argument",
        "code has 1 to 255 characters without blanks and commas",
    )
    for other in state.discounts:
        check(
            other.code is None or other.code.casefold() != code.casefold(),
            "conflict",
            f"discount {other.title!r} has the code {code} already",
        )
    check(
        (percentage is UNSET) != (amount is UNSET),
        "invalid_argument",
        "give either percentage or amount",
    )
    fields = given(percentage=percentage, endsAt=endsAt, usageLimit=usageLimit)
    if amount is not UNSET:
        fields["amount"] = price_of(amount, "amount", free=False)
    elif percentage is not UNSET:
        check(
            percentage == percentage.quantize(Decimal("0.01")),
            "invalid_argument",
            "percentage has more than two decimals",
        )
    check(
        endsAt is UNSET or endsAt >= startsAt,
        "invalid_argument",
        "endsAt must not be before startsAt",
    )
    today = ctx.now.date()
    check(endsAt is UNSET or endsAt >= today, "invalid_argument", "endsAt is in the past")
    check(
        usageLimit is UNSET or 1 <= usageLimit <= 1_000_000,
        "invalid_argument",
        "usageLimit must be from 1 to 1000000",
    )
    return state.discounts.insert(
        Discount(
            id=new_gid(ctx, "DiscountNode"),
            title=title,
            code=code,
            startsAt=startsAt,
            status="SCHEDULED" if startsAt > today else "ACTIVE",
            createdAt=ctx.now,
            **fields,
        )
    )


@service.tool(idempotent=True)
def deactivate_discount(state: ShopifyState, ctx: Context, id: Ref[Discount]) -> Discount:
    """End a discount today.

    Args:
        id: the discount, which must be active or scheduled.
    """
    row = require(state.discounts, id, "discount")
    check(row.status != "EXPIRED", "failed_precondition", f"{row.title} has expired already")
    return state.discounts.update(id, status="EXPIRED", endsAt=ctx.now.date())
