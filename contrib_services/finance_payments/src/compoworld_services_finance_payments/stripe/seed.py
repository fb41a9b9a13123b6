"""A plausible Stripe account of any size."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Final

from compoworld_core import Context, Table
from compoworld_core.context import MIXED
from compoworld_services_finance_payments.stripe.account import Account
from compoworld_services_finance_payments.stripe.documentation import PAGES
from compoworld_services_finance_payments.stripe.invoices import FIRST_NUMBER
from compoworld_services_finance_payments.stripe.state import (
    Article,
    Charge,
    Coupon,
    Customer,
    Dispute,
    DisputeStatus,
    Duration,
    Invoice,
    InvoiceItem,
    InvoiceStatus,
    PaymentIntent,
    PaymentLink,
    PaymentStatus,
    Price,
    Product,
    Refund,
    StripeState,
    Subscription,
    SubscriptionItem,
    SubscriptionStatus,
    service,
)

_PLANS: Final = (
    ("Care Plan Basic", 1900, "month"),
    ("Care Plan Plus", 4900, "month"),
    ("Spare Parts Club", 1200, "month"),
    ("Maintenance Contract", 48000, "year"),
    ("Fleet Service", 9900, "month"),
    ("Extended Warranty", 15900, "year"),
)
_INVOICE_STATUS: Final[tuple[InvoiceStatus, ...]] = (
    *("paid",) * 11, *("open",) * 6, *("draft",) * 2, "void", "uncollectible",
)  # fmt: skip
_FAILED: Final[tuple[PaymentStatus, ...]] = (
    "requires_payment_method", "canceled", "processing", "requires_action",
)  # fmt: skip
_SUBSCRIPTION_STATUS: Final[tuple[SubscriptionStatus, ...]] = (
    *("active",) * 8, "past_due", "canceled", "trialing", "unpaid",
)  # fmt: skip
_DISPUTE_STATUS: Final[tuple[DisputeStatus, ...]] = (
    "needs_response", "needs_response", "under_review", "won", "lost"
)  # fmt: skip
_DURATIONS: Final[tuple[Duration, ...]] = ("once", "once", "repeating", "forever")


@service.seed
def seed(ctx: Context, scale: int) -> StripeState:
    """An account with customers of the cast, their bills, payments and subscriptions."""
    account = Account(ctx, scale)
    _fill_customers(account)
    _fill_catalogue(account)
    _fill_invoices(account)
    _fill_payments(account)
    subscriptions, items = _subscriptions(account)
    return StripeState(
        customers=Table(account.customers),
        products=Table(account.products),
        prices=Table([*account.prices, *account.recurring]),
        payment_links=Table(_payment_links(account)),
        invoices=Table(account.invoices),
        invoice_items=Table(account.items),
        payment_intents=Table(account.payments),
        charges=Table(account.charges),
        refunds=Table(account.refunds),
        subscriptions=Table(subscriptions),
        subscription_items=Table(items),
        coupons=Table(_coupons(account)),
        disputes=Table(account.disputes),
        articles=Table(
            Article(id=ctx.new_id("doc_"), title=title, language=language, body=body)
            for title, language, body in PAGES[: max(4, scale // 10)]
        ),
    )


def _fill_customers(account: Account) -> None:
    people = account.ctx.cast.customers[: account.share(0.17)]
    for person, created in zip(people, account.past(len(people), 400), strict=True):
        account.customers.append(
            Customer(
                id=account.ctx.new_id("cus_", length=14),
                name=person.name,
                email=person.email,
                phone=person.phone,
                business_name=person.company,
                account_no=person.account_no,
                description=account.memo(),
                delinquent=account.rng.random() < 0.08,
                created=created,
            )
        )


def _fill_catalogue(account: Account) -> None:
    goods = account.ctx.cast.products[: account.share(0.05)]
    plans = _PLANS[: max(1, min(len(_PLANS), account.scale // 25))]
    moments = account.past(len(goods) + len(plans), 500)
    for good, created in zip(goods, moments, strict=False):
        product = _product(account, good.name, f"Stock number {good.sku}", created)
        account.prices.append(
            Price(
                id=account.long_id("price_"),
                product=product.id,
                unit_amount=int(good.price * 100),
                active=account.rng.random() < 0.93,
                created=created,
            )
        )
    for (name, cents, interval), created in zip(plans, moments[len(goods) :], strict=True):
        product = _product(account, name, f"Billed by the {interval}", created)
        for amount in (cents, cents + cents // 4 // 100 * 100):
            account.recurring.append(
                Price(
                    id=account.long_id("price_"),
                    product=product.id,
                    unit_amount=amount,
                    type="recurring",
                    interval="month" if interval == "month" else "year",
                    created=created,
                )
            )
    if not any(price.active for price in account.prices):
        account.prices[0] = account.prices[0].model_copy(update={"active": True})


def _product(account: Account, name: str, description: str, created: datetime) -> Product:
    product = Product(
        id=account.ctx.new_id("prod_", length=14),
        name=name,
        description=description,
        created=created,
    )
    account.products.append(product)
    return product


def _fill_invoices(account: Account) -> None:
    rng, ctx = account.rng, account.ctx
    names = {product.id: product.name for product in account.products}
    usable = [price for price in account.prices if price.active]
    for created in account.past(account.share(0.18)):
        customer = rng.choice(account.customers)
        paid = len(account.invoices) < 2  # so that the smallest world has payments
        status = "paid" if paid else rng.choice(_INVOICE_STATUS)
        invoice_id = account.long_id("in_")
        due = 0
        for price in rng.sample(usable, min(len(usable), rng.choice((1, 1, 1, 2)))):
            count = rng.choice((1, 1, 1, 2, 3, 5))
            due += price.unit_amount * count
            account.items.append(
                InvoiceItem(
                    id=account.long_id("ii_"),
                    invoice=invoice_id,
                    customer=customer.id,
                    price=price.id,
                    description=names[price.product],
                    quantity=count,
                    amount=price.unit_amount * count,
                    created=created,
                )
            )
        number = None
        if status != "draft":
            ctx.skip_numbers("invoice", rng.randint(0, 3))
            number = f"INV-{ctx.next_number('invoice', FIRST_NUMBER)}"
        account.invoices.append(
            Invoice(
                id=invoice_id,
                number=number,
                customer=customer.id,
                customer_email=customer.email,
                customer_name=customer.name,
                status=status,
                amount_due=due,
                amount_paid=due if status == "paid" else 0,
                due_date=_due(rng, created),
                description=account.memo(),
                created=created,
            )
        )


def _due(rng: Random, created: datetime) -> date:
    return (created + timedelta(days=rng.choice((14, 30, 30, 45, 60)))).date()


def _fill_payments(account: Account) -> None:
    """A payment for each invoice that was paid or tried, with charge, refund or dispute."""
    rng = account.rng
    for invoice in account.invoices:
        tried = invoice.status == "paid" or (invoice.status == "open" and rng.random() < 0.4)
        if not tried:
            continue
        done = invoice.status == "paid"
        payment_id = account.long_id("pi_")
        charge_id = account.long_id("ch_") if done else None
        created = min(
            invoice.created + timedelta(minutes=rng.randrange(5, 20_000)),
            account.today - timedelta(minutes=rng.randrange(1, 600)),
        )
        account.payments.append(
            PaymentIntent(
                id=payment_id,
                amount=invoice.amount_due,
                customer=invoice.customer,
                status="succeeded" if done else rng.choice(_FAILED),
                description=f"Payment for {invoice.number}",
                receipt_email=invoice.customer_email,
                invoice=invoice.id,
                latest_charge=charge_id,
                created=created,
            )
        )
        if charge_id is not None:
            _after_payment(account, account.payments[-1], charge_id)


def _after_payment(account: Account, payment: PaymentIntent, charge_id: str) -> None:
    rng = account.rng
    fate = rng.random()
    back = 0
    if fate < 0.1 or len(account.charges) == 1:
        back = (
            payment.amount if rng.random() < 0.4 else payment.amount // rng.choice((2, 4, 10))
        )
        account.refunds.append(
            Refund(
                id=account.long_id("re_"),
                payment_intent=payment.id,
                charge=charge_id,
                amount=back,
                created=min(payment.created + timedelta(days=2), account.today),
            )
        )
    elif fate < 0.25 or not account.disputes:
        status = rng.choice(_DISPUTE_STATUS) if account.disputes else "needs_response"
        offset = rng.randrange(3, 21) if status == "needs_response" else rng.randrange(-20, 15)
        account.disputes.append(
            Dispute(
                id=account.long_id("dp_"),
                charge=charge_id,
                payment_intent=payment.id,
                amount=payment.amount,
                reason=rng.choice(
                    ("duplicate", "fraudulent", "product_not_received",
                     "product_unacceptable", "general")
                ),
                status=status,
                evidence_due_by=account.today.date() + timedelta(days=offset),
                submission_count=0 if status == "needs_response" else 1,
                uncategorized_text="" if status == "needs_response" else account.memo(),
                created=min(payment.created + timedelta(days=5), account.today),
            )
        )  # fmt: skip
    account.charges.append(
        Charge(
            id=charge_id,
            customer=payment.customer,
            amount=payment.amount,
            amount_refunded=back,
            created=payment.created,
        )
    )


def _subscriptions(account: Account) -> tuple[list[Subscription], list[SubscriptionItem]]:
    rng = account.rng
    rows, items = [], []
    for created in account.past(account.share(0.07), 360):
        status = rng.choice(_SUBSCRIPTION_STATUS)
        started = account.today.date() - timedelta(days=rng.randrange(1, 29))
        row = Subscription(
            id=account.long_id("sub_"),
            customer=rng.choice(account.customers).id,
            status=status,
            current_period_start=started,
            current_period_end=started + timedelta(days=30),
            description=account.memo(),
            canceled_at=account.today - timedelta(days=3) if status == "canceled" else None,
            created=min(created, account.today - timedelta(days=29)),
        )
        rows.append(row)
        many = min(len(account.recurring), rng.choice((1, 1, 1, 2)))
        items += [
            SubscriptionItem(
                id=account.ctx.new_id("si_", length=14, alphabet=MIXED),
                subscription=row.id,
                price=price.id,
                quantity=rng.choice((1, 1, 2, 3, 10)),
            )
            for price in rng.sample(account.recurring, many)
        ]
    return rows, items


def _payment_links(account: Account) -> list[PaymentLink]:
    return [
        PaymentLink(
            id=account.long_id("plink_"),
            price=account.rng.choice(account.prices).id,
            quantity=account.rng.randint(1, 3),
            url=f"https://buy.stripe.com/{account.ctx.new_id('', length=14, alphabet=MIXED)}",
            created=created,
        )
        for created in account.past(account.share(0.02))
    ]


def _coupons(account: Account) -> list[Coupon]:
    rng = account.rng
    rows = []
    for n, created in enumerate(account.past(account.share(0.02))):
        cents = rng.choice((500, 1000, 2000)) if rng.random() < 0.4 else None
        percent = None if cents else rng.choice((5, 10, 15, 20, 25))
        duration = rng.choice(_DURATIONS)
        season = ("Welcome", "Spring", "Loyalty", "Trade fair", "Reorder", "Winter")[n % 6]
        offer = f"{percent} percent" if percent else f"{(cents or 0) // 100} dollars"
        rows.append(
            Coupon(
                id=account.ctx.new_id("", length=8, alphabet=MIXED),
                name=f"{season} {offer} off",
                amount_off=cents,
                percent_off=None if percent is None else Decimal(percent),
                currency="usd" if cents else None,
                duration=duration,
                duration_in_months=rng.randint(2, 12) if duration == "repeating" else None,
                times_redeemed=rng.randrange(40),
                valid=rng.random() < 0.9,
                created=created,
            )
        )
    return rows
