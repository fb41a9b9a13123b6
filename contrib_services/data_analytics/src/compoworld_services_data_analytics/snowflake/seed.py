"""A plausible warehouse of a small company, at any size."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random

from compoworld_core import Context, Table
from compoworld_core.cast import Person
from compoworld_core.context import HEX
from compoworld_services_data_analytics.snowflake.app import service
from compoworld_services_data_analytics.snowflake.layout import DATABASE, ID_PREFIX, SCHEMA_OF
from compoworld_services_data_analytics.snowflake.state import (
    Account,
    Customer,
    Database,
    Employee,
    FxRate,
    Grant,
    Insight,
    Invoice,
    Job,
    Membership,
    Order,
    Product,
    Relation,
    Role,
    Schema,
    SnowflakeState,
    Subscription,
    SupportTicket,
    User,
    Warehouse,
)
from compoworld_services_data_analytics.snowflake.tools_access import login_of

_FIXED = 32
"""Catalogue records that every warehouse has."""
_SCHEMAS = {
    "CORE": "Companies and contacts",
    "REFERENCE": "Products, people and rates; loaded nightly",
    "SALES": "Orders from the shop",
    "FINANCE": "Invoices and contracts from billing",
    "SUPPORT": "Tickets from the help desk",
    "SANDBOX": "Free for experiments",
}
_COMMENTS = {
    "accounts": "One row per company",
    "customers": "One row per contact; email is unique",
    "employees": "Export of the HR system",
    "products": "What the shop sells",
    "fx_rates": "Reference rates per day",
    "orders": "One row per order",
    "invoices": "Amounts include tax",
    "subscriptions": "mrr is per month in USD",
    "support_tickets": "Refreshed every hour",
}
_ROLES = {
    "ACCOUNTADMIN": "May do everything; held by the platform team",
    "SYSADMIN": "Manages warehouses and databases",
    "USERADMIN": "Manages users, roles and privileges",
    "ANALYST": "Reads all data, writes to the sandbox",
    "SALES_OPS": "Maintains companies, contacts and orders",
    "FINANCE_OPS": "Maintains invoices and contracts",
    "SUPPORT_OPS": "Maintains tickets",
    "LOADER": "Loads reference data",
}
_MY_ROLES = ("SYSADMIN", "USERADMIN", "ANALYST", "SALES_OPS", "FINANCE_OPS", "SUPPORT_OPS")
_WRITERS = {"CORE": "SALES_OPS", "SALES": "SALES_OPS", "FINANCE": "FINANCE_OPS",
            "SUPPORT": "SUPPORT_OPS", "REFERENCE": "LOADER"}  # fmt: skip
_ALL = ("DELETE", "INSERT", "SELECT", "UPDATE")
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
_JOBS = (
    ("Nightly refresh of {topic}", "SELECT status, COUNT(*) FROM orders GROUP BY status"),
    ("Weekly {topic} report", "SELECT company, SUM(amount) FROM invoices GROUP BY company"),
    ("Close solved tickets of {topic}", "UPDATE support_tickets SET status = 'closed' "
     "WHERE status = 'solved'"),
    ("Hourly {topic} check", "SELECT COUNT(*) FROM invoices WHERE status = 'overdue'"),
)  # fmt: skip
_TOPICS = ("orders", "revenue", "churn", "stock", "tickets", "renewals", "invoices", "accounts",
           "rates", "signups", "returns", "margins")  # fmt: skip
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


def _pick(rng: Random, shares: dict[str, int]) -> str:
    return rng.choices(list(shares), list(shares.values()))[0]


@service.seed
def seed(ctx: Context, scale: int) -> SnowflakeState:
    """Fill the warehouse with about `scale` records."""
    draw = _Drawer(ctx)
    free = max(scale - _FIXED, 24)
    accounts = _accounts(draw, max(3, free * 12 // 100))
    customers = _customers(draw, accounts, max(4, free * 20 // 100))
    products = _products(draw, max(3, min(len(ctx.cast.products), free * 5 // 100)))
    users = _users(draw, max(2, min(len(ctx.cast.staff), free * 3 // 100)))
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
        memberships=Table(_memberships(draw, users)),
        **_catalogue(draw),
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
        status = _pick(rng, {"placed": 2, "paid": 2, "shipped": 3, "delivered": 6, "returned": 1,
                             "cancelled": 1})  # fmt: skip
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
        rows.append(
            FxRate(id=f"fx_usd_{quote.lower()}_{day:%Y%m%d}", base="USD", quote=quote, rate=rate,
                   as_of=day)
        )  # fmt: skip
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


def _users(draw: _Drawer, many: int) -> list[User]:
    rng = draw.rng
    return [
        User(
            id=login_of(person.email.partition("@")[0]),
            display_name=person.name,
            email=person.email,
            default_role="ANALYST",
            default_warehouse="COMPUTE_WH" if n == 0 or rng.random() < 0.8 else None,
            disabled=n > 1 and rng.random() < 0.1,
            created_at=draw.instant(600),
        )
        for n, person in enumerate(draw.ctx.cast.staff[:many])
    ]


def _memberships(draw: _Drawer, users: list[User]) -> list[Membership]:
    rows = []
    for n, user in enumerate(users):
        extra = draw.rng.choice((None, None, "SALES_OPS", "SUPPORT_OPS", "ACCOUNTADMIN"))
        roles = _MY_ROLES if n == 0 else ("ANALYST", extra) if extra else ("ANALYST",)
        rows += [
            Membership(
                id=draw.ctx.new_id("mbr_", length=8),
                role=role,
                user=user.id,
                granted_by=users[0].email,
                granted_at=user.created_at,
            )
            for role in roles
        ]
    return rows


def _catalogue(draw: _Drawer) -> dict[str, Table[Database] | Table[Schema] | Table[Relation]
                                    | Table[Role] | Table[Warehouse] | Table[Grant]]:  # fmt: skip
    ctx = draw.ctx
    long_ago = ctx.cast.today - timedelta(days=700)
    me = ctx.cast.staff[0].email
    grants = {("ANALYST", DATABASE): ("SELECT",), ("ANALYST", f"{DATABASE}.SANDBOX"): _ALL}
    grants |= {(role, f"{DATABASE}.{schema}"): _ALL for schema, role in _WRITERS.items()}
    return {
        "databases": Table([Database(id=DATABASE, comment="All reporting data")]),
        "schemas": Table(
            Schema(id=name, database=DATABASE, comment=text) for name, text in _SCHEMAS.items()
        ),
        "relations": Table(
            Relation(
                id=f"{DATABASE}.{schema}.{table.upper()}",
                database=DATABASE,
                schema_name=schema,
                name=table.upper(),
                comment=_COMMENTS[table],
                owner=_WRITERS[schema],
                created_at=long_ago,
            )
            for table, schema in SCHEMA_OF.items()
        ),
        "roles": Table(Role(id=name, comment=text) for name, text in _ROLES.items()),
        "warehouses": Table(
            Warehouse(id=name, size=size, state=status, auto_resume=resumes, owner="SYSADMIN",
                      created_at=long_ago)
            for name, size, status, resumes in (
                ("COMPUTE_WH", "SMALL", "STARTED", True),
                ("REPORTING_WH", "MEDIUM", "SUSPENDED", False),
            )
        ),
        "grants": Table(
            Grant(id=ctx.new_id("grt_", length=8), role=role, privileges=privileges, on=on,
                  granted_by=me)
            for (role, on), privileges in grants.items()
        ),
    }  # fmt: skip
