"""A plausible Shopify shop of any size."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Final

from compoworld_core import Context, Table
from compoworld_services_ecommerce_retail.shopify.orders import FIRST_NUMBER
from compoworld_services_ecommerce_retail.shopify.state import (
    AbandonedCheckout,
    Customer,
    Discount,
    DiscountStatus,
    DraftLine,
    DraftOrder,
    DraftStatus,
    FinancialStatus,
    Fulfillment,
    InventoryItem,
    InventoryLevel,
    LineItem,
    Location,
    Order,
    Product,
    ProductStatus,
    Refund,
    ShopifyState,
    Variant,
    new_gid,
    service,
)
from compoworld_services_ecommerce_retail.shopify.store import CARRIERS, Store

_COLOURS: Final = ("Black", "White", "Grey", "Green")
_PRODUCT_STATUS: Final[tuple[ProductStatus, ...]] = (*("ACTIVE",) * 8, "DRAFT", "ARCHIVED")
_DRAFT_STATUS: Final[tuple[DraftStatus, ...]] = ("OPEN", "OPEN", "INVOICE_SENT", "COMPLETED")
_PRODUCT_TAGS: Final = ("bestseller", "new", "clearance", "office", "workshop", "gift")
_CUSTOMER_TAGS: Final = ("vip", "wholesale", "newsletter", "returns-often", "net-30")
_ORDER_TAGS: Final = ("express", "gift", "review", "split-delivery", "phone-order")
_PLACES: Final = (
    ("Main Warehouse", "Rotterdam", "Netherlands"),
    ("East Depot", "Leipzig", "Germany"),
    ("City Store", "Bristol", "United Kingdom"),
    ("Returns Centre", "Lille", "France"),
)


@service.seed
def seed(ctx: Context, scale: int) -> ShopifyState:
    """A shop with products and customers of the cast, their orders and baskets."""
    store = Store(ctx, scale)
    _fill_locations(store)
    _fill_products(store)
    _fill_customers(store)
    _fill_orders(store)
    _fill_drafts(store)
    company = ctx.cast.company
    return ShopifyState(
        shop_name=company.name,
        shop_email=f"shop@{company.domain}",
        shop_domain=f"{company.domain.partition('.')[0]}.myshopify.com",
        products=Table(store.products),
        variants=Table(store.variants),
        inventory_items=Table(store.items),
        inventory_levels=Table(store.levels),
        locations=Table(store.locations),
        customers=Table(store.customers),
        orders=Table(store.orders),
        line_items=Table(store.lines),
        fulfillments=Table(store.fulfillments),
        refunds=Table(store.refunds),
        draft_orders=Table(store.drafts),
        discounts=Table(_discounts(store)),
        abandoned_checkouts=Table(_checkouts(store)),
    )


def _fill_locations(store: Store) -> None:
    for n, (name, city, country) in enumerate(_PLACES[: 2 if store.scale < 100 else 4]):
        store.locations.append(
            Location(
                id=new_gid(store.ctx, "Location"),
                name=name,
                city=city,
                country=country,
                isActive=n < 3,
                fulfillsOnlineOrders=n < 2,
            )
        )


def _fill_products(store: Store) -> None:
    rng, ctx = store.rng, store.ctx
    goods = ctx.cast.products[: store.share(0.07)]
    for good, created in zip(goods, store.past(len(goods), 500), strict=True):
        vendor, _, kind = good.name.partition(" ")
        product = Product(
            id=new_gid(ctx, "Product"),
            title=good.name,
            vendor=vendor,
            productType=kind,
            status=rng.choice(_PRODUCT_STATUS) if store.products else "ACTIVE",
            tags=tuple(rng.sample(_PRODUCT_TAGS, rng.choice((0, 1, 1, 2)))),
            description=f"The {good.name} from our {vendor} line. {store.remark()}".strip(),
            createdAt=created,
            updatedAt=min(created + timedelta(days=rng.randrange(1, 40)), store.today),
        )
        store.products.append(product)
        for colour in rng.sample(_COLOURS, 2 if rng.random() < 0.2 else 1):
            _add_variant(store, product, good.price, good.sku, colour)


def _add_variant(store: Store, product: Product, price: Decimal, sku: str, colour: str) -> None:
    rng, ctx = store.rng, store.ctx
    taken = any(variant.sku == sku for variant in store.variants[-3:])
    item = InventoryItem(
        id=new_gid(ctx, "InventoryItem"),
        sku=f"{sku}-{colour[:2].upper()}" if taken else sku,
        tracked=rng.random() < 0.95,
        unitCost=(price * Decimal("0.6")).quantize(Decimal("0.01")),
        createdAt=product.createdAt,
    )
    store.items.append(item)
    store.variants.append(
        Variant(
            id=new_gid(ctx, "ProductVariant"),
            productId=product.id,
            title=colour,
            sku=item.sku,
            price=price,
            inventoryItemId=item.id,
        )
    )
    for place in store.locations[: rng.choice((1, 1, 2))]:
        store.levels.append(
            InventoryLevel(
                id=new_gid(ctx, "InventoryLevel"),
                inventoryItemId=item.id,
                locationId=place.id,
                available=rng.choice((0, 3, 12, 25, 40, 80, 150)) + rng.randrange(9),
            )
        )


def _fill_customers(store: Store) -> None:
    rng = store.rng
    people = store.ctx.cast.customers[: store.share(0.17)]
    for person, created in zip(people, store.past(len(people), 600), strict=True):
        store.customers.append(
            Customer(
                id=new_gid(store.ctx, "Customer"),
                displayName=person.name,
                email=person.email,
                phone=store.sometimes(person.phone, 0.8),
                company=store.sometimes(person.company, 0.9),
                state=rng.choice(("ENABLED", "ENABLED", "DISABLED", "INVITED")),
                tags=tuple(rng.sample(_CUSTOMER_TAGS, rng.choice((0, 0, 1, 1, 2)))),
                note=store.remark(),
                createdAt=created,
                updatedAt=min(created + timedelta(days=rng.randrange(1, 60)), store.today),
            )
        )


def _basket(store: Store) -> list[tuple[Variant, int]]:
    """Some variants and how many of each."""
    rng = store.rng
    many = min(len(store.variants), rng.choice((1, 1, 1, 2, 2)))
    chosen = rng.sample(store.variants, many)
    return [(variant, rng.choice((1, 1, 2, 3, 5, 10))) for variant in chosen]


def _total(basket: list[tuple[Variant, int]]) -> Decimal:
    return sum((variant.price * count for variant, count in basket), Decimal(0))


def _fill_orders(store: Store) -> None:
    rng, ctx = store.rng, store.ctx
    titles = {product.id: product.title for product in store.products}
    for n, created in enumerate(store.past(store.share(0.2))):
        customer, basket = rng.choice(store.customers), _basket(store)
        ctx.skip_numbers("order", rng.randint(0, 3))
        age = (store.today - created).days
        paid = n == 0 or rng.random() < 0.8
        cancelled = n > 2 and rng.random() < 0.06
        sent = not cancelled and (n == 1 or (age > 4 and rng.random() < 0.75))
        money: FinancialStatus = "PAID" if paid else "PENDING"
        if cancelled:
            money = "REFUNDED" if paid else "VOIDED"
        elif paid and sent and rng.random() < 0.1:
            money = rng.choice(("PARTIALLY_REFUNDED", "REFUNDED"))
        later = min(created + timedelta(hours=rng.randrange(2, 90)), store.today)
        order = Order(
            id=new_gid(ctx, "Order"),
            name=f"#{ctx.next_number('order', FIRST_NUMBER)}",
            email=customer.email,
            customerId=customer.id,
            displayFinancialStatus=money,
            displayFulfillmentStatus="FULFILLED" if sent else "UNFULFILLED",
            totalPrice=_total(basket),
            poNumber=store.po_number(),
            note=store.remark(),
            tags=tuple(rng.sample(_ORDER_TAGS, rng.choice((0, 0, 0, 1, 2)))),
            createdAt=created,
            cancelledAt=later if cancelled else None,
            cancelReason=rng.choice(("CUSTOMER", "INVENTORY", "FRAUD")) if cancelled else None,
        )
        store.orders.append(order)
        store.lines += [
            LineItem(
                id=new_gid(ctx, "LineItem"),
                orderId=order.id,
                variantId=variant.id,
                title=titles[variant.productId],
                sku=variant.sku,
                quantity=count,
                price=variant.price,
            )
            for variant, count in basket
        ]
        _follow_up(store, order, sent=sent)


def _follow_up(store: Store, order: Order, *, sent: bool) -> None:
    """The parcel and the refund of an order, where its status says that there is one."""
    rng, ctx = store.rng, store.ctx
    later = min(order.createdAt + timedelta(hours=rng.randrange(2, 90)), store.today)
    if sent:
        store.fulfillments.append(
            Fulfillment(
                id=new_gid(ctx, "Fulfillment"),
                orderId=order.id,
                trackingNumber=f"TRK{rng.randrange(10**8, 10**9)}",
                trackingCompany=rng.choice(CARRIERS),
                createdAt=later,
            )
        )
    if order.displayFinancialStatus in ("REFUNDED", "PARTIALLY_REFUNDED"):
        whole = order.displayFinancialStatus == "REFUNDED"
        part = (order.totalPrice / rng.choice((2, 4, 5))).quantize(Decimal("0.01"))
        store.refunds.append(
            Refund(
                id=new_gid(ctx, "Refund"),
                orderId=order.id,
                amount=order.totalPrice if whole else part,
                note=store.remark(),
                createdAt=later,
            )
        )


def _fill_drafts(store: Store) -> None:
    rng, ctx = store.rng, store.ctx
    titles = {product.id: product.title for product in store.products}
    for n, created in enumerate(store.past(store.share(0.03), 40)):
        customer, basket = rng.choice(store.customers), _basket(store)
        status = rng.choice(_DRAFT_STATUS) if n else "OPEN"
        ctx.skip_numbers("draft", rng.randint(0, 2))
        theirs = [order for order in store.orders if order.customerId == customer.id]
        if status == "COMPLETED" and not theirs:
            status = "INVOICE_SENT"
        store.drafts.append(
            DraftOrder(
                id=new_gid(ctx, "DraftOrder"),
                name=f"#D{ctx.next_number('draft')}",
                email=customer.email,
                customerId=customer.id,
                status=status,
                totalPrice=_total(basket),
                poNumber=store.po_number(),
                note=store.remark(),
                tags=tuple(rng.sample(_ORDER_TAGS, rng.choice((0, 0, 1)))),
                lineItems=tuple(
                    DraftLine(
                        variantId=variant.id,
                        title=titles[variant.productId],
                        quantity=count,
                        price=variant.price,
                    )
                    for variant, count in basket
                ),
                orderId=theirs[-1].id if status == "COMPLETED" else None,
                createdAt=created,
            )
        )


def _discounts(store: Store) -> list[Discount]:
    rng = store.rng
    rows = []
    for n, created in enumerate(store.past(max(2, store.share(0.02)))):
        season = ("Spring", "Welcome", "Summer", "Trade", "Autumn", "Winter", "Loyalty")[n % 7]
        percent = rng.choice((5, 10, 15, 20, 25)) if rng.random() < 0.6 else None
        off = None if percent else rng.choice((5, 10, 20, 50))
        starts = created.date() if n % 4 else store.today.date() + timedelta(days=20 + n % 9)
        over = bool(n % 4) and rng.random() < 0.3
        status: DiscountStatus = "EXPIRED" if over else ("ACTIVE" if n % 4 else "SCHEDULED")
        ends = store.today.date() + timedelta(days=-3 if over else 15 + rng.randrange(45))
        rows.append(
            Discount(
                id=new_gid(store.ctx, "DiscountNode"),
                title=f"{season} {percent or off} {'percent' if percent else 'dollars'} off",
                code=f"{season.upper()}{percent or off}{n}" if rng.random() < 0.85 else None,
                status=status,
                percentage=None if percent is None else Decimal(percent),
                amount=None if off is None else Decimal(off),
                startsAt=min(starts, ends),
                endsAt=ends if over or rng.random() < 0.7 else None,
                usageLimit=store.sometimes(rng.choice((50, 100, 500)), 0.4),
                timesUsed=0 if status == "SCHEDULED" else rng.randrange(40),
                createdAt=created,
            )
        )
    return rows


def _checkouts(store: Store) -> list[AbandonedCheckout]:
    rng = store.rng
    titles = {product.id: product.title for product in store.products}
    rows = []
    for created in store.past(store.share(0.03), 30):
        customer, basket = rng.choice(store.customers), _basket(store)
        key = store.ctx.new_id("", length=20)
        store.ctx.skip_numbers("checkout", rng.randint(0, 3))
        rows.append(
            AbandonedCheckout(
                id=new_gid(store.ctx, "AbandonedCheckout"),
                name=f"#C{store.ctx.next_number('checkout', 4001)}",
                email=customer.email,
                customerId=customer.id,
                totalPrice=_total(basket),
                itemTitles=tuple(titles[variant.productId] for variant, _ in basket),
                abandonedCheckoutUrl=f"https://shop.example/checkouts/{key}/recover",
                createdAt=created,
            )
        )
    return rows
