"""The account while a seed fills it, and the remarks that its records carry."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from compoworld_core import Context
from compoworld_core.context import MIXED
from compoworld_services_finance_payments.stripe.state import (
    Charge,
    Customer,
    Dispute,
    Invoice,
    InvoiceItem,
    PaymentIntent,
    Price,
    Product,
    Refund,
)

_MEMOS: Final = (
    "Thank you for your order.",
    "Agreed by phone.",
    "Second delivery of the quarter.",
    "Please quote the number when you pay.",
    "",
    "",
    "",
)


class Account:
    """The account while it is filled: how many of each kind, and what there is already."""

    def __init__(self, ctx: Context, scale: int) -> None:
        self.ctx, self.rng, self.scale = ctx, ctx.rng, scale
        self.today = ctx.cast.today
        self.customers: list[Customer] = []
        self.products: list[Product] = []
        self.prices: list[Price] = []
        self.recurring: list[Price] = []
        self.invoices: list[Invoice] = []
        self.items: list[InvoiceItem] = []
        self.payments: list[PaymentIntent] = []
        self.charges: list[Charge] = []
        self.refunds: list[Refund] = []
        self.disputes: list[Dispute] = []

    def share(self, part: float) -> int:
        """At least one, and about this part of the records."""
        return max(1, int(self.scale * part))

    def long_id(self, prefix: str) -> str:
        """A fresh id of the long kind."""
        return self.ctx.new_id(prefix, length=24, alphabet=MIXED)

    def past(self, count: int, days: int = 90) -> list[datetime]:
        """Moments of the last days, rising."""
        minutes = sorted(
            (self.rng.randrange(60, days * 1440) for _ in range(count)), reverse=True
        )
        return [self.today - timedelta(minutes=m) for m in minutes]

    def memo(self) -> str:
        """A remark; a fifth of them name somebody or something of the world."""
        rng, cast = self.rng, self.ctx.cast
        if rng.random() >= 0.2:
            return rng.choice(_MEMOS)
        person = rng.choice(cast.customers)
        day = self.today.date() + timedelta(days=rng.randrange(-30, 30))
        return rng.choice(
            (
                f"Agreed with {person.name} of {person.company}.",
                f"Account {person.account_no}, delivery on {day.isoformat()}.",
                f"Contact for questions: {person.email}.",
                f"Replaces the order of {rng.choice(cast.products).sku}.",
                f"{person.company} pays in one sum.",
            )
        )
