"""Entities of the warehouse: its data tables, its catalogue, and who may do what."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from compoworld_core import Entity, Ref, State, Table
from compoworld_core.types import (
    Code,
    Company,
    Country,
    Currency,
    CustomerEmail,
    Date,
    DateTime,
    Email,
    Json,
    Meaning,
    Money,
    Number,
    PersonName,
    Phone,
    Quantity,
    StaffEmail,
    StrSet,
    Text,
    Title,
    Url,
)

RowId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:-]{1,64}$")]
Amount = Annotated[Money, Field(ge=-1_000_000_000, le=1_000_000_000)]
Count = Annotated[Quantity, Field(ge=0, le=1_000_000_000)]

Segment = Literal["smb", "mid_market", "enterprise"]
OrderStatus = Literal["placed", "paid", "shipped", "delivered", "returned", "cancelled"]
InvoiceStatus = Literal["draft", "open", "paid", "overdue", "void"]
SubscriptionStatus = Literal["trialing", "active", "past_due", "cancelled"]
TicketStatus = Literal["new", "open", "pending", "solved", "closed"]
Priority = Literal["low", "normal", "high", "urgent"]
Size = Literal["X-SMALL", "SMALL", "MEDIUM", "LARGE", "X-LARGE"]
PrivilegeName = Literal["SELECT", "INSERT", "UPDATE", "DELETE"]


# -- data --------------------------------------------------


class Account(Entity):
    """A company that we do business with."""

    id: RowId
    name: Company
    domain: Url = ""
    industry: Title = ""
    country: Country = ""
    city: Title = ""
    segment: Segment = "smb"
    annual_revenue: Amount = Decimal(0)
    account_manager: StaffEmail | None = None
    notes: Text = ""
    created_at: DateTime


class Customer(Entity):
    """A contact at an account."""

    id: RowId
    name: PersonName
    email: CustomerEmail
    phone: Phone = ""
    company: Company = ""
    account_id: Ref[Account] | None = None
    account_no: Code | None = None
    lifetime_value: Amount = Decimal(0)
    is_active: bool = True
    signed_up_on: Date | None = None
    notes: Text = ""
    created_at: DateTime


class Product(Entity):
    """Something that we sell."""

    id: RowId
    sku: Code
    name: Title
    unit_price: Amount
    stock: Count = 0
    is_discontinued: bool = False


class Employee(Entity):
    """One of our own people, as the HR system exports them."""

    id: RowId
    name: PersonName
    email: StaffEmail
    job_title: Title = ""
    department: Title = ""
    hired_on: Date | None = None


class Order(Entity):
    """One order line as the shop exports it."""

    id: RowId
    order_name: Code
    customer_id: Ref[Customer]
    product_id: Ref[Product]
    quantity: Annotated[Quantity, Field(ge=1, le=1_000_000)] = 1
    amount: Amount
    currency: Currency = "USD"
    status: OrderStatus = "placed"
    ordered_on: Date
    shipped_on: Date | None = None
    note: Text = ""


class Invoice(Entity):
    """An invoice as billing exports it."""

    id: RowId
    invoice_number: Code
    account_no: Code | None = None
    company: Company
    amount: Amount
    currency: Currency = "USD"
    status: InvoiceStatus = "open"
    issued_on: Date
    due_on: Date
    paid_on: Date | None = None
    memo: Text = ""


class Subscription(Entity):
    """A running contract."""

    id: RowId
    customer_id: Ref[Customer]
    billing_email: CustomerEmail
    plan: Literal["starter", "team", "business", "enterprise"] = "starter"
    seats: Annotated[Quantity, Field(ge=1, le=1_000_000)] = 1
    mrr: Amount
    status: SubscriptionStatus = "active"
    started_on: Date
    renews_on: Date | None = None


class SupportTicket(Entity):
    """A ticket as the help desk exports it."""

    id: RowId
    requester_email: CustomerEmail
    subject: Title
    body: Text = ""
    priority: Priority = "normal"
    status: TicketStatus = "new"
    assignee_email: StaffEmail | None = None
    resolution: Text = ""
    opened_at: DateTime


class FxRate(Entity):
    """One unit of the base currency in the quote currency, on a day."""

    id: RowId
    base: Currency
    quote: Currency
    rate: Annotated[Number, Meaning("quantity"), Field(gt=0, le=1_000_000)]
    as_of: Date


# -- catalogue ---------------------------------------------


class Role(Entity):
    """A role that users hold and that privileges are granted to."""

    id: str
    comment: Text = ""


class Database(Entity):
    """A database."""

    id: str
    comment: Text = ""


class Schema(Entity):
    """A schema of a database."""

    id: str
    database: Ref[Database]
    comment: Text = ""


class Column(BaseModel):
    """A column of a table that was made with create_table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    type: Literal["TEXT", "NUMBER", "FLOAT", "BOOLEAN", "DATE", "TIMESTAMP"]
    nullable: bool = True
    default: str | None = None
    """SQL text of the literal."""
    key: int = 0
    """Place in the primary key, from 1; 0 where it is not part of it."""


class Relation(Entity):
    """A table or view that queries can name; `id` is the fully qualified name."""

    id: str
    database: Ref[Database]
    schema_name: Ref[Schema]
    name: Title
    kind: Literal["TABLE", "VIEW"] = "TABLE"
    origin: Literal["source", "custom"] = "source"
    """`source`: exported from another system, columns fixed; `custom`: made here."""
    comment: Text = ""
    owner: Ref[Role]
    columns: tuple[Column, ...] = ()
    definition: Text = ""
    """A view's query."""
    created_at: DateTime


class Record(Entity):
    """A row of a custom table."""

    id: str
    relation: Ref[Relation]
    values: Json
    number: int = 0
    """Row number, where the table has no primary key."""


class Insight(Entity):
    """A finding in the shared memo."""

    id: str
    insight: Text
    author: Email
    created_at: DateTime


# -- compute -----------------------------------------------


class Warehouse(Entity):
    """Compute that runs queries."""

    id: str
    size: Size = "X-SMALL"
    state: Literal["STARTED", "SUSPENDED"] = "STARTED"
    auto_suspend: int = 600
    """Seconds of idle time; 0 means never."""
    auto_resume: bool = True
    comment: Text = ""
    owner: Ref[Role]
    created_at: DateTime


class Job(Entity):
    """A task: a statement that runs on a schedule."""

    id: str
    name: Title
    warehouse: Ref[Warehouse]
    interval_minutes: int = 1440
    definition: Text
    state: Literal["started", "suspended"] = "suspended"
    contact: StaffEmail | None = None
    comment: Text = ""
    last_run_at: DateTime | None = None
    last_result: Text = ""
    created_at: DateTime


# -- access ------------------------------------------------


class User(Entity):
    """A login."""

    id: str
    display_name: PersonName
    email: StaffEmail
    default_role: Ref[Role]
    default_warehouse: Ref[Warehouse] | None = None
    disabled: bool = False
    comment: Text = ""
    created_at: DateTime


class Membership(Entity):
    """A user holds a role."""

    id: str
    role: Ref[Role]
    user: Ref[User]
    granted_by: Email
    granted_at: DateTime


class Grant(Entity):
    """What a role may do with a table, or with all tables of a schema or database."""

    id: str
    role: Ref[Role]
    privileges: StrSet
    on: str
    """ANALYTICS, ANALYTICS.SALES or ANALYTICS.SALES.ORDERS."""
    granted_by: Email


class SnowflakeState(State):
    """A small company's warehouse."""

    accounts: Table[Account] = Table()
    customers: Table[Customer] = Table()
    products: Table[Product] = Table()
    employees: Table[Employee] = Table()
    orders: Table[Order] = Table()
    invoices: Table[Invoice] = Table()
    subscriptions: Table[Subscription] = Table()
    support_tickets: Table[SupportTicket] = Table()
    fx_rates: Table[FxRate] = Table()
    databases: Table[Database] = Table()
    schemas: Table[Schema] = Table()
    relations: Table[Relation] = Table()
    records: Table[Record] = Table()
    insights: Table[Insight] = Table()
    warehouses: Table[Warehouse] = Table()
    tasks: Table[Job] = Table()
    roles: Table[Role] = Table()
    users: Table[User] = Table()
    memberships: Table[Membership] = Table()
    grants: Table[Grant] = Table()
