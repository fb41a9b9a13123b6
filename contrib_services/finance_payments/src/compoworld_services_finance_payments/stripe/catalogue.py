"""Tools for products, prices, payment links and coupons."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from compoworld_core import UNSET, Context, Ref
from compoworld_core.context import MIXED
from compoworld_core.resources import Page, check, given, require
from compoworld_core.types import Cents, Currency, Meaning, Quantity, Text, Title, Url
from compoworld_services_finance_payments.stripe.listing import (
    Limit,
    amount,
    currency_code,
    newest,
    wording,
)
from compoworld_services_finance_payments.stripe.state import (
    Coupon,
    Duration,
    PaymentLink,
    Price,
    Product,
    StripeState,
    service,
)

_MOST_MONTHS = 36


@service.tool
def create_product(
    state: StripeState, ctx: Context, name: Title, description: Text = UNSET
) -> Product:
    """Add a product; give it a price with create_price.

    Args:
        name: what customers see.
        description: more about it.
    """
    wording(name, "name", 250)
    fields = given(description=description)
    if fields:
        wording(description, "description")
    return state.products.insert(
        Product(id=ctx.new_id("prod_", length=14), name=name, created=ctx.now, **fields)
    )


@service.tool(read_only=True)
def list_products(state: StripeState, limit: Limit = 10) -> Page[Product]:
    """List products, newest first.

    Args:
        limit: how many at most.
    """
    return newest(state.products, limit)


@service.tool
def create_price(
    state: StripeState,
    ctx: Context,
    product: Ref[Product],
    unit_amount: Cents,
    currency: Currency,
) -> Price:
    """Add a price to a product. Prices are never changed; make another one instead.

    Args:
        product: what is sold.
        unit_amount: cost of one, in the smallest unit of the currency.
        currency: three-letter code, such as usd.
    """
    row = require(state.products, product, "product")
    check(row.active, "failed_precondition", f"product {row.name!r} is archived")
    return state.prices.insert(
        Price(
            id=ctx.new_id("price_", length=24, alphabet=MIXED),
            product=product,
            unit_amount=amount(unit_amount, "unit_amount"),
            currency=currency_code(currency),
            created=ctx.now,
        )
    )


@service.tool(read_only=True)
def list_prices(
    state: StripeState, product: Ref[Product] = UNSET, limit: Limit = 10
) -> Page[Price]:
    """List prices, newest first.

    Args:
        product: only the prices of this product.
        limit: how many at most.
    """
    return newest(state.prices.where(**given(product=product)), limit)


@service.tool
def create_payment_link(
    state: StripeState,
    ctx: Context,
    price: Ref[Price],
    quantity: Quantity,
    redirect_url: Url = UNSET,
) -> PaymentLink:
    """Make a page where anybody can pay for a price.

    Args:
        price: what is paid for.
        quantity: how many of it.
        redirect_url: where the customer goes after paying; starts with https://.
    """
    row = require(state.prices, price, "price")
    check(row.active, "failed_precondition", "the price is archived; choose an active one")
    check(1 <= quantity <= 999_999, "invalid_argument", "quantity must be from 1 to 999999")
    fields = given(redirect_url=redirect_url)
    check(
        not fields or (redirect_url.startswith("https://") and len(redirect_url) <= 2048),
        "invalid_argument",
        "redirect_url must start with https:// and have at most 2048 characters",
    )
    slug = ctx.new_id("", length=14, alphabet=MIXED)
    return state.payment_links.insert(
        PaymentLink(
            id=ctx.new_id("plink_", length=24, alphabet=MIXED),
            price=price,
            quantity=quantity,
            url=f"https://buy.stripe.com/{slug}",
            created=ctx.now,
            **fields,
        )
    )


@service.tool(read_only=True)
def list_coupons(state: StripeState, limit: Limit = 10) -> Page[Coupon]:
    """List coupons, newest first.

    Args:
        limit: how many at most.
    """
    return newest(state.coupons, limit)


@service.tool
def create_coupon(
    state: StripeState,
    ctx: Context,
    name: Title,
    amount_off: Annotated[float, Meaning("cents")],
    percent_off: Annotated[float, Field(ge=0, le=100), Meaning("percent")] = UNSET,
    currency: Currency = "USD",
    duration: Duration = "once",
    duration_in_months: Annotated[float, Meaning("quantity")] = UNSET,
) -> Coupon:
    """Make a coupon that takes an amount or a percentage off an invoice.

    Args:
        name: what customers see, up to 40 characters.
        amount_off: what it takes off, in the smallest currency unit; 0 with percent_off.
        percent_off: percentage that it takes off; give it with amount_off 0.
        currency: three-letter code of amount_off.
        duration: whether it counts once, for some months, or always.
        duration_in_months: how long a repeating coupon counts.
    """
    wording(name, "name", 40)
    percent = given(percent_off=percent_off).get("percent_off", 0)
    check(
        (amount_off == 0) != (percent == 0),
        "invalid_argument",
        "give either a positive amount_off, or percent_off together with amount_off 0",
    )
    months = given(duration_in_months=duration_in_months).get("duration_in_months")
    check(
        (months is not None) == (duration == "repeating"),
        "invalid_argument",
        "duration_in_months goes with duration repeating, and only with it",
    )
    if months is not None:
        check(
            months == int(months) and 1 <= months <= _MOST_MONTHS,
            "invalid_argument",
            f"duration_in_months must be a whole number from 1 to {_MOST_MONTHS}",
        )
    discount: dict[str, Any] = {"percent_off": str(percent)}
    if not percent:
        check(amount_off == int(amount_off), "invalid_argument", "amount_off must be whole")
        cents = amount(int(amount_off), "amount_off")
        discount = {"amount_off": cents, "currency": currency_code(currency)}
    return state.coupons.insert(
        Coupon(
            id=ctx.new_id("", length=8, alphabet=MIXED),
            name=name,
            duration=duration,
            duration_in_months=None if months is None else int(months),
            created=ctx.now,
            **discount,
        )
    )
