"""What a Stripe account holds, and the service object that its tools register with."""

from __future__ import annotations

from typing import Literal

from compoworld_core import Entity, Ref, Service, State, Table
from compoworld_core.types import (
    Cents,
    Code,
    Company,
    Currency,
    CustomerEmail,
    Date,
    DateTime,
    Percent,
    PersonName,
    Phone,
    Quantity,
    Text,
    Title,
    Url,
)

InvoiceStatus = Literal["draft", "open", "paid", "uncollectible", "void"]
PaymentStatus = Literal[
    "succeeded", "processing", "requires_payment_method", "requires_action", "canceled"
]
SubscriptionStatus = Literal[
    "active",
    "past_due",
    "unpaid",
    "canceled",
    "incomplete",
    "incomplete_expired",
    "trialing",
]
DisputeStatus = Literal["needs_response", "under_review", "won", "lost"]
Duration = Literal["once", "repeating", "forever"]


class Customer(Entity):
    """Somebody who pays."""

    id: str
    name: PersonName
    email: CustomerEmail | None = None
    phone: Phone | None = None
    business_name: Company | None = None
    account_no: Code | None = None
    """The customer's number in our books; a metadata key of this account."""
    description: Text = ""
    currency: Currency = "usd"
    delinquent: bool = False
    """The latest charge failed."""
    created: DateTime


class Product(Entity):
    """Something for sale."""

    id: str
    name: Title
    description: Text = ""
    active: bool = True
    created: DateTime


class Price(Entity):
    """What a product costs, once or per interval."""

    id: str
    product: Ref[Product]
    unit_amount: Cents
    currency: Currency = "usd"
    type: Literal["one_time", "recurring"] = "one_time"
    interval: Literal["month", "year"] | None = None
    active: bool = True
    created: DateTime


class PaymentLink(Entity):
    """A page where anybody can pay for one price."""

    id: str
    price: Ref[Price]
    quantity: Quantity
    url: Url
    redirect_url: Url | None = None
    active: bool = True
    created: DateTime


class Invoice(Entity):
    """A bill; a draft has no number yet."""

    id: str
    number: Code | None = None
    customer: Ref[Customer]
    customer_email: CustomerEmail | None = None
    customer_name: PersonName
    status: InvoiceStatus = "draft"
    currency: Currency = "usd"
    amount_due: Cents = 0
    amount_paid: Cents = 0
    due_date: Date | None = None
    description: Text = ""
    created: DateTime


class InvoiceItem(Entity):
    """A line of an invoice, or one that waits for the next invoice."""

    id: str
    invoice: Ref[Invoice] | None
    customer: Ref[Customer]
    price: Ref[Price]
    description: Title
    quantity: Quantity = 1
    amount: Cents
    currency: Currency = "usd"
    proration: bool = False
    created: DateTime


class Charge(Entity):
    """Money that moved."""

    id: str
    customer: Ref[Customer] | None = None
    amount: Cents
    amount_refunded: Cents = 0
    currency: Currency = "usd"
    created: DateTime


class PaymentIntent(Entity):
    """One attempt to collect an amount, from start to success."""

    id: str
    amount: Cents
    currency: Currency = "usd"
    customer: Ref[Customer] | None = None
    status: PaymentStatus
    description: Text = ""
    receipt_email: CustomerEmail | None = None
    invoice: Ref[Invoice] | None = None
    latest_charge: Ref[Charge] | None = None
    created: DateTime


class Refund(Entity):
    """Money that went back."""

    id: str
    payment_intent: Ref[PaymentIntent]
    charge: Ref[Charge] | None = None
    amount: Cents
    currency: Currency = "usd"
    status: Literal["succeeded", "pending", "failed"] = "succeeded"
    created: DateTime


class Subscription(Entity):
    """A customer who pays per interval."""

    id: str
    customer: Ref[Customer]
    status: SubscriptionStatus
    currency: Currency = "usd"
    current_period_start: Date
    current_period_end: Date
    description: Text = ""
    canceled_at: DateTime | None = None
    created: DateTime


class SubscriptionItem(Entity):
    """One price of a subscription and how many of it."""

    id: str
    subscription: Ref[Subscription]
    price: Ref[Price]
    quantity: Quantity = 1


class Coupon(Entity):
    """A discount that can be given: an amount or a percentage."""

    id: str
    name: Title
    amount_off: Cents | None = None
    percent_off: Percent | None = None
    currency: Currency | None = None
    duration: Duration = "once"
    duration_in_months: Quantity | None = None
    times_redeemed: Quantity = 0
    valid: bool = True
    created: DateTime


class Dispute(Entity):
    """A charge that the customer's bank questions, with our evidence."""

    id: str
    charge: Ref[Charge]
    payment_intent: Ref[PaymentIntent]
    amount: Cents
    currency: Currency = "usd"
    reason: Literal[
        "duplicate", "fraudulent", "product_not_received", "product_unacceptable", "general"
    ]
    status: DisputeStatus
    evidence_due_by: Date
    submission_count: Quantity = 0
    cancellation_policy_disclosure: Text = ""
    duplicate_charge_explanation: Text = ""
    uncategorized_text: Text = ""
    created: DateTime


class Article(Entity):
    """A page of the documentation."""

    id: str
    title: Title
    body: Text
    language: str = ""
    """The programming language of its examples; empty where there are none."""


class StripeState(State):
    """One Stripe account."""

    customers: Table[Customer] = Table()
    products: Table[Product] = Table()
    prices: Table[Price] = Table()
    payment_links: Table[PaymentLink] = Table()
    invoices: Table[Invoice] = Table()
    invoice_items: Table[InvoiceItem] = Table()
    payment_intents: Table[PaymentIntent] = Table()
    charges: Table[Charge] = Table()
    refunds: Table[Refund] = Table()
    subscriptions: Table[Subscription] = Table()
    subscription_items: Table[SubscriptionItem] = Table()
    coupons: Table[Coupon] = Table()
    disputes: Table[Dispute] = Table()
    articles: Table[Article] = Table()


service = Service(
    "stripe",
    state=StripeState,
    domain="finance_payments",
    title="Stripe",
    summary="Customers, invoices, payments, refunds, subscriptions, coupons and disputes.",
)
service.words.update(
    {
        "customers": "customer",
        "customers.email": "with the email address {}",
        "customers.name": "named {}",
        "customers.business_name": "from {}",
        "customers.account_no": "with account number {}",
        "products": "product",
        "products.name": "called {}",
        "prices": "price",
        "prices.unit_amount": "of {}",
        "payment_links": "payment link",
        "invoices": "invoice",
        "invoices.number": "{}",
        "invoices.customer_email": "billed to {}",
        "invoices.customer_name": "billed to {}",
        "invoices.status": "that is {}",
        "invoices.due_date": "due {}",
        "invoices.amount_due": "for {}",
        "invoices.created": "created on {}",
        "invoice_items": "invoice item",
        "payment_intents": "payment",
        "payment_intents.amount": "of {}",
        "payment_intents.status": "with status {}",
        "payment_intents.receipt_email": "with the receipt sent to {}",
        "charges": "charge",
        "refunds": "refund",
        "refunds.amount": "of {}",
        "subscriptions": "subscription",
        "subscriptions.status": "that is {}",
        "subscriptions.current_period_end": "that renews on {}",
        "subscription_items": "subscription item",
        "coupons": "coupon",
        "coupons.name": "called {}",
        "disputes": "dispute",
        "disputes.amount": "over {}",
        "disputes.status": "with status {}",
        "disputes.evidence_due_by": "with evidence due by {}",
        "articles": "documentation page",
        "articles.title": "titled {}",
    }
)
