"""The shop while a seed fills it, and the remarks that its records carry."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, TypeVar

from compoworld_core import Context
from compoworld_services_ecommerce_retail.shopify.state import (
    AbandonedCheckout,
    Customer,
    DraftOrder,
    Fulfillment,
    InventoryItem,
    InventoryLevel,
    LineItem,
    Location,
    Order,
    Product,
    Refund,
    Variant,
)

_REMARKS: Final = (
    "Please deliver in the morning.",
    "Leave the parcel at the gate.",
    "Gift wrapping for two pieces.",
    "Customer asked for one parcel.",
    "",
    "",
    "",
    "",
)
CARRIERS: Final = ("DHL Express", "UPS", "FedEx", "USPS")
T = TypeVar("T")


class Store:
    """Rows of each kind as they are drawn, and how to draw what they share."""

    def __init__(self, ctx: Context, scale: int) -> None:
        self.ctx, self.rng, self.scale = ctx, ctx.rng, scale
        self.today = ctx.cast.today
        self.products: list[Product] = []
        self.variants: list[Variant] = []
        self.items: list[InventoryItem] = []
        self.levels: list[InventoryLevel] = []
        self.locations: list[Location] = []
        self.customers: list[Customer] = []
        self.orders: list[Order] = []
        self.lines: list[LineItem] = []
        self.fulfillments: list[Fulfillment] = []
        self.refunds: list[Refund] = []
        self.drafts: list[DraftOrder] = []
        self.checkouts: list[AbandonedCheckout] = []

    def share(self, part: float) -> int:
        """At least one, and about this part of the records."""
        return max(1, int(self.scale * part))

    def past(self, count: int, days: int = 90) -> list[datetime]:
        """Moments of the last days, rising."""
        minutes = (self.rng.randrange(60, days * 1440) for _ in range(count))
        return [self.today - timedelta(minutes=m) for m in sorted(minutes, reverse=True)]

    def sometimes(self, value: T, share: float) -> T | None:
        """The value for this share of the records."""
        return value if self.rng.random() < share else None

    def po_number(self) -> str | None:
        """The number that a business customer gives to an order."""
        return self.sometimes(f"PO-{self.rng.randrange(10_000, 99_999)}", 0.4)

    def remark(self) -> str:
        """A remark; a fifth of them name somebody or something of the world."""
        rng, cast = self.rng, self.ctx.cast
        if rng.random() >= 0.2:
            return rng.choice(_REMARKS)
        person, colleague = rng.choice(cast.customers), rng.choice(cast.staff)
        day = self.today.date() + timedelta(days=rng.randrange(-20, 40))
        return rng.choice(
            (
                f"Deliver to {person.name} at {person.company}.",
                f"{colleague.name} promised delivery by {day.isoformat()}.",
                f"Bill to account {person.account_no}.",
                f"Questions to {person.email}.",
                f"Invoice INV-{rng.randrange(2001, 2400)} covers this one too.",
                f"Credit of ${rng.randrange(1, 20) * 5:,}.00 agreed with {person.first}.",
            )
        )
