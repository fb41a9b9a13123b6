"""What a Shopify shop holds, and the service object that its tools register with."""

# ruff: noqa: N815 - fields have the names of the product's API

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from compoworld_core import Context, Entity, Ref, Service, State, Table
from compoworld_core.types import (
    Code,
    Company,
    Country,
    Currency,
    CustomerEmail,
    Date,
    DateTime,
    Email,
    Money,
    Percent,
    PersonName,
    Phone,
    Quantity,
    Tag,
    Text,
    Title,
    Url,
)

Tags = Annotated[tuple[Tag, ...], AfterValidator(lambda tags: tuple(sorted(set(tags))))]
ProductStatus = Literal["ACTIVE", "ARCHIVED", "DRAFT"]
FinancialStatus = Literal["PENDING", "PAID", "PARTIALLY_REFUNDED", "REFUNDED", "VOIDED"]
FulfillmentStatus = Literal["UNFULFILLED", "FULFILLED"]
CancelReason = Literal["CUSTOMER", "DECLINED", "FRAUD", "INVENTORY", "OTHER", "STAFF"]
DraftStatus = Literal["OPEN", "INVOICE_SENT", "COMPLETED"]
DiscountStatus = Literal["ACTIVE", "EXPIRED", "SCHEDULED"]


class Product(Entity):
    """Something in the shop; what is bought is one of its variants."""

    id: str
    title: Title
    vendor: str
    productType: Tag
    status: ProductStatus = "ACTIVE"
    tags: Tags = ()
    description: Text = ""
    createdAt: DateTime
    updatedAt: DateTime


class InventoryItem(Entity):
    """The goods behind a variant."""

    id: str
    sku: Code
    tracked: bool = True
    unitCost: Money
    createdAt: DateTime


class Variant(Entity):
    """A form in which a product is sold."""

    id: str
    productId: Ref[Product]
    title: Title
    sku: Code
    price: Money
    inventoryItemId: Ref[InventoryItem]


class Location(Entity):
    """A place with stock."""

    id: str
    name: Title
    city: str
    country: Country
    isActive: bool = True
    fulfillsOnlineOrders: bool = True


class InventoryLevel(Entity):
    """How many of an item a location has."""

    id: str
    inventoryItemId: Ref[InventoryItem]
    locationId: Ref[Location]
    available: Quantity


class Customer(Entity):
    """Somebody who buys, or might."""

    id: str
    displayName: PersonName
    email: CustomerEmail | None = None
    phone: Phone | None = None
    company: Company | None = None
    state: Literal["ENABLED", "DISABLED", "INVITED"] = "DISABLED"
    tags: Tags = ()
    note: Text = ""
    createdAt: DateTime
    updatedAt: DateTime


class Order(Entity):
    """A sale."""

    id: str
    name: Code
    email: CustomerEmail | None = None
    customerId: Ref[Customer] | None = None
    displayFinancialStatus: FinancialStatus = "PENDING"
    displayFulfillmentStatus: FulfillmentStatus = "UNFULFILLED"
    totalPrice: Money
    currencyCode: Currency = "USD"
    poNumber: Code | None = None
    note: Text = ""
    tags: Tags = ()
    createdAt: DateTime
    cancelledAt: DateTime | None = None
    cancelReason: CancelReason | None = None


class LineItem(Entity):
    """A position of an order."""

    id: str
    orderId: Ref[Order]
    variantId: Ref[Variant]
    title: Title
    sku: Code
    quantity: Quantity
    price: Money
    """For one."""


class Fulfillment(Entity):
    """A parcel on its way."""

    id: str
    orderId: Ref[Order]
    status: Literal["SUCCESS", "CANCELLED"] = "SUCCESS"
    trackingNumber: Code | None = None
    trackingCompany: str | None = None
    createdAt: DateTime


class Refund(Entity):
    """Money that went back to a customer."""

    id: str
    orderId: Ref[Order]
    amount: Money
    note: Text = ""
    createdAt: DateTime


class DraftLine(BaseModel):
    """A position of a draft order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    variantId: Ref[Variant]
    title: Title
    quantity: Quantity
    price: Money


class DraftOrder(Entity):
    """An order that staff prepares for a customer."""

    id: str
    name: Code
    email: CustomerEmail | None = None
    customerId: Ref[Customer] | None = None
    status: DraftStatus = "OPEN"
    totalPrice: Money
    poNumber: Code | None = None
    note: Text = ""
    tags: Tags = ()
    lineItems: tuple[DraftLine, ...] = ()
    orderId: Ref[Order] | None = None
    createdAt: DateTime


class Discount(Entity):
    """A discount, by code or given to everybody."""

    id: str
    title: Title
    code: Code | None = None
    """Empty where the discount is automatic."""
    status: DiscountStatus = "ACTIVE"
    percentage: Percent | None = None
    amount: Money | None = None
    startsAt: Date
    endsAt: Date | None = None
    usageLimit: Quantity | None = None
    timesUsed: Quantity = 0
    createdAt: DateTime


class AbandonedCheckout(Entity):
    """A basket that was not paid."""

    id: str
    name: Code
    email: CustomerEmail | None = None
    customerId: Ref[Customer] | None = None
    totalPrice: Money
    itemTitles: tuple[Title, ...] = ()
    abandonedCheckoutUrl: Url
    createdAt: DateTime
    completedAt: DateTime | None = None


class ShopifyState(State):
    """One shop."""

    shop_name: str = "Our Shop"
    shop_email: Email = "shop@example.com"
    shop_domain: str = "our-shop.myshopify.com"
    products: Table[Product] = Table()
    variants: Table[Variant] = Table()
    inventory_items: Table[InventoryItem] = Table()
    inventory_levels: Table[InventoryLevel] = Table()
    locations: Table[Location] = Table()
    customers: Table[Customer] = Table()
    orders: Table[Order] = Table()
    line_items: Table[LineItem] = Table()
    fulfillments: Table[Fulfillment] = Table()
    refunds: Table[Refund] = Table()
    draft_orders: Table[DraftOrder] = Table()
    discounts: Table[Discount] = Table()
    abandoned_checkouts: Table[AbandonedCheckout] = Table()


def new_gid(ctx: Context, kind: str) -> str:
    """A global id in the product's form: gid://shopify/Order/6…"""
    return ctx.new_id(f"gid://shopify/{kind}/6", length=11, alphabet="0123456789")


service = Service(
    "shopify",
    state=ShopifyState,
    domain="ecommerce_retail",
    title="Shopify",
    summary="Products, stock, customers, orders, draft orders and discounts of a shop.",
)
service.words.update(
    {
        "products": "product",
        "products.title": "called {}",
        "products.vendor": "by {}",
        "products.productType": "of type {}",
        "products.status": "that is {}",
        "variants": "variant",
        "variants.sku": "with the SKU {}",
        "variants.price": "priced at {}",
        "inventory_items": "inventory item",
        "inventory_items.sku": "with the SKU {}",
        "inventory_levels": "stock level",
        "locations": "location",
        "locations.name": "called {}",
        "customers": "shop customer",
        "customers.displayName": "{}",
        "customers.email": "with the email address {}",
        "customers.company": "from {}",
        "customers.phone": "with the phone number {}",
        "customers.state": "with the account status {}",
        "orders": "order",
        "orders.name": "{}",
        "orders.email": "placed by {}",
        "orders.customerId": "of {}",
        "orders.displayFinancialStatus": "that is {}",
        "orders.displayFulfillmentStatus": "that is {}",
        "orders.totalPrice": "over {}",
        "orders.poNumber": "with the purchase order number {}",
        "orders.createdAt": "placed on {}",
        "line_items": "order position",
        "line_items.orderId": "of {}",
        "fulfillments": "fulfillment",
        "fulfillments.trackingNumber": "with the tracking number {}",
        "refunds": "order refund",
        "refunds.amount": "of {}",
        "draft_orders": "draft order",
        "draft_orders.name": "{}",
        "draft_orders.email": "for {}",
        "draft_orders.customerId": "for {}",
        "draft_orders.poNumber": "with the purchase order number {}",
        "discounts": "discount",
        "discounts.code": "with the code {}",
        "discounts.title": "called {}",
        "discounts.endsAt": "that ends on {}",
        "abandoned_checkouts": "abandoned checkout",
        "abandoned_checkouts.email": "of {}",
        "abandoned_checkouts.name": "{}",
        "abandoned_checkouts.abandonedCheckoutUrl": "with the checkout link {}",
    }
)
