"""Tools for products and their variants, and for the shop itself."""

# ruff: noqa: N803, N815 - names of the product's API

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict

from compoworld_core import UNSET, Context, Ref
from compoworld_core.resources import Page, check, given, require
from compoworld_core.types import Code, Currency, Email, Forms, Money, Tag, Text, Title
from compoworld_services_ecommerce_retail.shopify.search import (
    By,
    First,
    Syntax,
    find,
    page,
    text_of,
)
from compoworld_services_ecommerce_retail.shopify.state import (
    Product,
    ProductStatus,
    ShopifyState,
    Variant,
    service,
)
from compoworld_services_ecommerce_retail.shopify.values import price_of, tag_set, wording

_SYNTAX = Syntax(
    fields={
        "id": By("id"),
        "title": By("title", "words"),
        "vendor": By("vendor"),
        "product_type": By("productType"),
        "status": By("status", form=str.upper),
        "tag": By("tags", "tag"),
        "created_at": By("createdAt", "moment"),
        "updated_at": By("updatedAt", "moment"),
    },
    text=("title", "vendor", "productType", "tags", "description"),
)
ProductQuery = Annotated[
    str,
    Forms(
        title='title:"{}"',
        vendor='vendor:"{}"',
        productType='product_type:"{}"',
        status="status:{}",
        tags='tag:"{}"',
    ),
]


class ProductView(Product):
    """A product with its variants and the stock of all of them."""

    variants: tuple[Variant, ...]
    totalInventory: int


class Count(BaseModel):
    """How many there are."""

    model_config = ConfigDict(extra="forbid")

    count: int


class Shop(BaseModel):
    """The shop."""

    model_config = ConfigDict(extra="forbid")

    name: str
    email: Email
    myshopifyDomain: str
    currencyCode: Currency
    plan: str
    timezone: str


@service.tool(read_only=True)
def get_products(
    state: ShopifyState, first: First = 50, after: str = UNSET, query: ProductQuery = UNSET
) -> Page[Product]:
    """List products. A page holds at most 30.

    Args:
        first: how many at most.
        after: cursor of the earlier page.
        query: search terms, such as status:active or vendor:"Arden".
    """
    return page(find(state, state.products, _SYNTAX, text_of(query)), first, after)


@service.tool(read_only=True)
def get_product(state: ShopifyState, id: Ref[Product]) -> ProductView:
    """Show a product with its variants and stock.

    Args:
        id: id of the product, gid://shopify/Product/…
    """
    row = require(state.products, id, "product")
    variants = state.variants.where(productId=id)
    stock = sum(
        level.available
        for variant in variants
        for level in state.inventory_levels.where(inventoryItemId=variant.inventoryItemId)
    )
    fields = {name: getattr(row, name) for name in Product.model_fields}
    return ProductView(**fields, variants=tuple(variants), totalInventory=stock)


@service.tool(read_only=True)
def get_product_variants(
    state: ShopifyState, productId: Ref[Product], first: First = 50, after: str = UNSET
) -> Page[Variant]:
    """List the variants of a product with their prices and SKUs. A page holds at most 30.

    Args:
        productId: the product.
        first: how many at most.
        after: cursor of the earlier page.
    """
    require(state.products, productId, "product")
    return page(state.variants.where(productId=productId), first, after)


@service.tool(read_only=True)
def get_products_count(state: ShopifyState, query: ProductQuery = UNSET) -> Count:
    """Count products.

    Args:
        query: search terms, as for get_products.
    """
    return Count(count=len(find(state, state.products, _SYNTAX, text_of(query))))


@service.tool
def update_product(
    state: ShopifyState,
    ctx: Context,
    id: Ref[Product],
    title: Title = UNSET,
    description: Text = UNSET,
    status: ProductStatus = UNSET,
    productType: Tag = UNSET,
    vendor: str = UNSET,
    tags: list[Tag] = UNSET,
) -> Product:
    """Change a product; what is not given stays as it is.

    Args:
        id: the product.
        title: what customers see.
        description: text below the title.
        status: ACTIVE is for sale; DRAFT and ARCHIVED are not.
        productType: what kind of thing it is.
        vendor: who makes it.
        tags: all tags, the old ones included.
    """
    require(state.products, id, "product")
    fields = given(title=title, status=status, productType=productType, vendor=vendor)
    for name in ("title", "productType", "vendor"):
        if name in fields:
            wording(fields[name], name)
    if description is not UNSET:
        fields["description"] = wording(description, "description", 5000, empty=True)
    if tags is not UNSET:
        fields["tags"] = tag_set(tags)
    check(bool(fields), "invalid_argument", "name something to change")
    return state.products.update(id, updatedAt=ctx.now, **fields)


@service.tool
def update_product_variant(
    state: ShopifyState, id: Ref[Variant], price: Money = UNSET, sku: Code = UNSET
) -> Variant:
    """Change the price or the SKU of a variant. Orders keep the price they were placed at.

    Args:
        id: the variant.
        price: new price of one.
        sku: new stock number; no other variant may have it.
    """
    row = require(state.variants, id, "variant")
    fields = given(price=price, sku=sku)
    check(bool(fields), "invalid_argument", "name something to change")
    if "price" in fields:
        fields["price"] = price_of(price, "price")
    if "sku" in fields:
        wording(sku, "sku", 100)
        for other in state.variants.where(sku=sku):
            check(other.id == id, "conflict", f"variant {other.id} has the SKU {sku} already")
        if row.inventoryItemId in state.inventory_items:
            state.inventory_items.update(row.inventoryItemId, sku=sku)
    return state.variants.update(id, **fields)


@service.tool(read_only=True)
def get_shop(state: ShopifyState) -> Shop:
    """Show the shop's name, address, currency and plan."""
    return Shop(
        name=state.shop_name,
        email=state.shop_email,
        myshopifyDomain=state.shop_domain,
        currencyCode="USD",
        plan="Advanced",
        timezone="UTC",
    )
