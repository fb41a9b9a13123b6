"""A plausible warehouse of a small company, at any size."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any, get_args

from compoworld_core import Context, Table
from compoworld_core.cast import Person
from compoworld_core.context import HEX
from compoworld_services_data_analytics.snowflake import catalogue
from compoworld_services_data_analytics.snowflake.app import service
from compoworld_services_data_analytics.snowflake.layout import ID_PREFIX
from compoworld_services_data_analytics.snowflake.state import (
    Account,
    Customer,
    Employee,
    FxRate,
    Insight,
    Invoice,
    Job,
    Order,
    OrderStatus,
    Product,
    SnowflakeState,
    Subscription,
    SupportTicket,
)

_FIXED = 32
"""Catalogue records that every warehouse has."""
_QUESTIONS = (
    "Export to CSV stops after 500 rows",
    "Cannot reset my password",
    "Invoice shows the wrong address",
    "Delivery has not arrived",
    "Webhook is called twice",
    "How do I add a colleague?",
    "Dashboard is slow in the morning",
    "Refund for a duplicate payment",
    "Access for our new office",
    "Question about the renewal terms",
)
_NOTES = ("", "", "", "Prefers calls in the morning.", "Asked for yearly billing.",
          "Introduced by {name} of {company}.", "Main contact is {name}.",
          "Had a billing question on {day}.")  # fmt: skip
_FINDINGS = (
    "Orders of {company} doubled since last quarter.",
    "Most overdue invoices are older than 30 days.",
    "{company} opened three tickets in one week.",
    "Customers who write to support renew more often.",
    "Shipping takes two days longer for orders above 1,000 USD.",
)
_CLOSE = "UPDATE support_tickets SET status = 'closed' WHERE status = 'solved'"
_JOBS = (
    ("Nightly refresh of {topic}", "SELECT status, COUNT(*) FROM orders GROUP BY status"),
    ("Weekly {topic} report", "SELECT company, SUM(amount) FROM invoices GROUP BY company"),
    ("Close solved {topic}", _CLOSE),
    ("Hourly {topic} check", "SELECT COUNT(*) FROM invoices WHERE status = 'overdue'"),
)  # fmt: skip
_TOPICS = ("orders", "revenue", "churn", "stock", "tickets", "renewals", "invoices", "accounts",
           "rates", "signups", "returns", "margins")  # fmt: skip
_ORDER_SHARES = dict(zip(get_args(OrderStatus), (2, 2, 3, 6, 1, 1), strict=True))
_DEPARTMENTS = ("Sales", "Finance", "Support", "Engineering", "Operations", "People")


class _Drawer:
    """Draws of one seeding."""

    def __init__(self, ctx: Context) -> None:
        self.ctx, self.rng = ctx, ctx.rng
        self.today: date = ctx.cast.today.date()

    def day(self, back: int = 90, ahead: int = 0) -> date:
        return self.today - timedelta(days=self.rng.randint(-ahead, back))

    def instant(self, back: int = 90) -> datetime:
        minutes = self.rng.randint(60, back * 24 * 60)
        return self.ctx.cast.today - timedelta(minutes=minutes)

    def amount(self, low: int, high: int) -> Decimal:
        ending = self.rng.choice(("0", "0", "0.5", "0.25", "0.9", "0.99", "0.05"))
        return Decimal(self.rng.randint(low, high)) + Decimal(ending)

    def person(self) -> Person:
        return self.rng.choice(self.ctx.cast.customers)

    def note(self) -> str:
        other = self.person()
        day = self.day().isoformat()
        return self.rng.choice(_NOTES).format(name=other.name, company=other.company, day=day)

    def id(self, table: str) -> str:
        return self.ctx.new_id(ID_PREFIX[table], length=10)


def _pick(rng: Random, shares: dict[str, int]) -> Any:
    """One of the words of a closed list, by shares."""
    return rng.choices(list(shares), list(shares.values()))[0]


@service.seed
def seed(ctx: Context, scale: int) -> SnowflakeState:
    """Fill the warehouse with about `scale` records."""
    draw = _Drawer(ctx)
    free = max(scale - _FIXED, 24)
    accounts = _accounts(draw, max(3, free * 12 // 100))
    customers = _customers(draw, accounts, max(4, free * 20 // 100))
    products = _products(draw, max(3, min(len(ctx.cast.products), free * 5 // 100)))
    users = catalogue.users(ctx, max(2, min(len(ctx.cast.staff), free * 3 // 100)))
    return SnowflakeState(
        accounts=Table(accounts),
        customers=Table(customers),
        products=Table(products),
        employees=Table(_employees(draw, max(2, min(len(ctx.cast.staff), free * 3 // 100)))),
        orders=Table(_orders(draw, customers, products, max(4, free * 24 // 100))),
        invoices=Table(_invoices(draw, max(3, free * 13 // 100))),
        subscriptions=Table(_subscriptions(draw, customers, max(2, free * 7 // 100))),
        support_tickets=Table(_tickets(draw, max(3, free * 12 // 100))),
        fx_rates=Table(_rates(draw, max(2, min(120, free * 4 // 100)))),
        insights=Table(_insights(draw, max(1, free // 60))),
        tasks=Table(_tasks(draw, max(1, min(40, free // 50)))),
        users=Table(users),
        memberships=Table(catalogue.memberships(ctx, users)),
        databases=Table(catalogue.databases()),
        schemas=Table(catalogue.schemas()),
        relations=Table(catalogue.relations(ctx)),
        roles=Table(catalogue.roles()),
        warehouses=Table(catalogue.warehouses(ctx)),
        grants=Table(catalogue.grants(ctx)),
    )


def _accounts(draw: _Drawer, many: int) -> list[Account]:
    rng, cast = draw.rng, draw.ctx.cast
    companies = rng.sample(cast.companies, min(many, len(cast.companies)))
    return [
        Account(
            id=draw.id("accounts"),
            name=company.name,
            domain=company.domain,
            industry=company.industry,
            country=company.country,
            city=company.city,
            segment=_pick(rng, {"smb": 6, "mid_market": 3, "enterprise": 1}),
            annual_revenue=draw.amount(2_000, 400_000),
            account_manager=rng.choice(cast.staff[:8]).email,
            notes=draw.note(),
            created_at=draw.instant(600),
        )
        for company in companies
    ]


def _customers(draw: _Drawer, accounts: list[Account], many: int) -> list[Customer]:
    rng, cast = draw.rng, draw.ctx.cast
    at = {account.name: account.id for account in accounts}
    people = rng.sample(cast.customers, min(many, len(cast.customers)))
    return [
        Customer(
            id=draw.id("customers"),
            name=person.name,
            email=person.email,
            phone=person.phone,
            company=person.company,
            account_id=at.get(person.company),
            account_no=person.account_no,
            lifetime_value=draw.amount(0, 40_000),
            is_active=rng.random() < 0.85,
            signed_up_on=draw.day(700),
            notes=draw.note(),
            created_at=draw.instant(600),
        )
        for person in people
    ]


def _products(draw: _Drawer, many: int) -> list[Product]:
    rng = draw.rng
    return [
        Product(
            id=draw.id("products"),
            sku=product.sku,
            name=product.name,
            unit_price=product.price,
            stock=rng.choice((0, rng.randint(1, 40), rng.randint(40, 900))),
            is_discontinued=rng.random() < 0.08,
        )
        for product in rng.sample(draw.ctx.cast.products, many)
    ]


def _employees(draw: _Drawer, many: int) -> list[Employee]:
    return [
        Employee(
            id=draw.id("employees"),
            name=person.name,
            email=person.email,
            job_title=person.title,
            department=draw.rng.choice(_DEPARTMENTS),
            hired_on=draw.day(2000),
        )
        for person in draw.ctx.cast.staff[:many]
    ]


def _orders(
    draw: _Drawer, customers: list[Customer], products: list[Product], many: int
) -> list[Order]:
    rng, ctx = draw.rng, draw.ctx
    rows = []
    for _ in range(many):
        ctx.skip_numbers("order", rng.randint(0, 3))
        product, ordered, quantity = rng.choice(products), draw.day(), rng.randint(1, 12)
        status = _pick(rng, _ORDER_SHARES)
        sent = status in ("shipped", "delivered", "returned")
        shipped = min(draw.today, ordered + timedelta(days=rng.randint(0, 6)))
        rows.append(
            Order(
                id=draw.id("orders"),
                order_name=f"#{ctx.next_number('order', 1001)}",
                customer_id=rng.choice(customers).id,
                product_id=product.id,
                quantity=quantity,
                amount=product.unit_price * quantity,
                currency=_pick(rng, {"USD": 7, "EUR": 2, "GBP": 1}),
                status=status,
                ordered_on=ordered,
                shipped_on=shipped if sent else None,
                note=rng.choice(("", "", "", "Leave at reception.", "Gift wrap, please.")),
            )
        )
    return rows


def _invoices(draw: _Drawer, many: int) -> list[Invoice]:
    rng, ctx = draw.rng, draw.ctx
    rows = []
    for _ in range(many):
        ctx.skip_numbers("invoice", rng.randint(0, 3))
        person, issued = draw.person(), draw.day()
        due = issued + timedelta(days=rng.choice((14, 30, 30, 45)))
        status = _pick(rng, {"draft": 1, "open": 3, "paid": 6, "void": 1})
        if status == "open" and due < draw.today:
            status = "overdue"
        rows.append(
            Invoice(
                id=draw.id("invoices"),
                invoice_number=f"INV-{ctx.next_number('invoice', 2001)}",
                account_no=person.account_no,
                company=person.company,
                amount=draw.amount(80, 9_000),
                currency=_pick(rng, {"USD": 7, "EUR": 2, "GBP": 1}),
                status=status,
                issued_on=issued,
                due_on=due,
                paid_on=min(draw.today, issued + timedelta(days=9))
                if status == "paid"
                else None,
                memo=draw.note(),
            )
        )
    return rows


def _subscriptions(draw: _Drawer, customers: list[Customer], many: int) -> list[Subscription]:
    rng = draw.rng
    rows = []
    for customer in rng.sample(customers, min(many, len(customers))):
        status = _pick(rng, {"active": 7, "trialing": 1, "past_due": 1, "cancelled": 2})
        rows.append(
            Subscription(
                id=draw.id("subscriptions"),
                customer_id=customer.id,
                billing_email=customer.email,
                plan=_pick(rng, {"starter": 4, "team": 4, "business": 2, "enterprise": 1}),
                seats=rng.choice((1, 3, 5, 10, 25, 60)),
                mrr=draw.amount(20, 2_400),
                status=status,
                started_on=draw.day(500),
                renews_on=None if status == "cancelled" else draw.day(0, 60),
            )
        )
    return rows


def _tickets(draw: _Drawer, many: int) -> list[SupportTicket]:
    rng, staff = draw.rng, draw.ctx.cast.staff
    rows = []
    for _ in range(many):
        person, other = draw.person(), draw.person()
        status = _pick(rng, {"new": 2, "open": 4, "pending": 2, "solved": 3, "closed": 4})
        subject = rng.choice(_QUESTIONS)
        body = rng.choice(
            (
                f"{subject}. Please help.",
                f"Hello, this concerns {person.company}. Thank you.",
                f"My colleague {other.name} sees the same.",
                f"It began on {draw.day(30).isoformat()}.",
                f"The amount is {draw.amount(20, 900)} USD.",
            )
        )
        rows.append(
            SupportTicket(
                id=draw.id("support_tickets"),
                requester_email=person.email,
                subject=f"{subject} ({person.company})" if rng.random() < 0.3 else subject,
                body=body,
                priority=_pick(rng, {"low": 2, "normal": 6, "high": 2, "urgent": 1}),
                status=status,
                assignee_email=None if status == "new" else rng.choice(staff[:8]).email,
                resolution="Explained and confirmed." if status in ("solved", "closed") else "",
                opened_at=draw.instant(),
            )
        )
    return rows


def _rates(draw: _Drawer, many: int) -> list[FxRate]:
    quotes = {"EUR": 92, "GBP": 79, "CHF": 88, "JPY": 15_200, "SEK": 1_050, "PLN": 398}
    rows = []
    for n in range(many):
        quote = list(quotes)[n % len(quotes)]
        rate = Decimal(quotes[quote] * 100 + draw.rng.randint(-90, 90)) / 10_000
        day = draw.today - timedelta(days=n // len(quotes))
        key = f"fx_usd_{quote.lower()}_{day:%Y%m%d}"
        rows.append(FxRate(id=key, base="USD", quote=quote, rate=rate, as_of=day))
    return rows


def _insights(draw: _Drawer, many: int) -> list[Insight]:
    return [
        Insight(
            id=draw.ctx.new_id("ins_", length=10),
            insight=draw.rng.choice(_FINDINGS).format(company=draw.person().company),
            author=draw.rng.choice(draw.ctx.cast.staff[:6]).email,
            created_at=draw.instant(),
        )
        for _ in range(many)
    ]


def _tasks(draw: _Drawer, many: int) -> list[Job]:
    rng = draw.rng
    names = [(name.format(topic=topic), sql) for topic in _TOPICS for name, sql in _JOBS]
    return [
        Job(
            id=draw.ctx.new_id(length=20, alphabet=HEX),
            name=name,
            warehouse=rng.choice(("COMPUTE_WH", "REPORTING_WH")),
            interval_minutes=rng.choice((60, 1440, 10_080)),
            definition=sql,
            state=rng.choice(("started", "suspended")),
            contact=rng.choice(draw.ctx.cast.staff[:6]).email,
            created_at=draw.instant(300),
        )
        for name, sql in rng.sample(names, many)
    ]
