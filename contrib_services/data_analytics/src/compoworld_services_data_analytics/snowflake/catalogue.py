"""What every warehouse starts with: its catalogue, its compute, and who may do what."""

from __future__ import annotations

from datetime import timedelta

from compoworld_core import Context
from compoworld_services_data_analytics.snowflake.layout import DATABASE, SCHEMA_OF
from compoworld_services_data_analytics.snowflake.state import (
    Database,
    Grant,
    Membership,
    Relation,
    Role,
    Schema,
    User,
    Warehouse,
)
from compoworld_services_data_analytics.snowflake.tools_access import login_of

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
_LONG_AGO = timedelta(days=700)


def users(ctx: Context, many: int) -> list[User]:
    """Logins of the first of the staff; the caller is the first."""
    rng = ctx.rng
    return [
        User(
            id=login_of(person.email.partition("@")[0]),
            display_name=person.name,
            email=person.email,
            default_role="ANALYST",
            default_warehouse="COMPUTE_WH" if n == 0 or rng.random() < 0.8 else None,
            disabled=n > 1 and rng.random() < 0.1,
            created_at=ctx.cast.today - timedelta(minutes=rng.randint(600, 800_000)),
        )
        for n, person in enumerate(ctx.cast.staff[:many])
    ]


def memberships(ctx: Context, held_by: list[User]) -> list[Membership]:
    """Who holds which role: the caller all but the highest and the loader's."""
    rows = []
    for n, user in enumerate(held_by):
        extra = ctx.rng.choice((None, None, "SALES_OPS", "SUPPORT_OPS", "ACCOUNTADMIN"))
        roles = _MY_ROLES if n == 0 else ("ANALYST", extra) if extra else ("ANALYST",)
        rows += [
            Membership(
                id=ctx.new_id("mbr_", length=8),
                role=role,
                user=user.id,
                granted_by=held_by[0].email,
                granted_at=user.created_at,
            )
            for role in roles
        ]
    return rows


def databases() -> list[Database]:
    """The one database."""
    return [Database(id=DATABASE, comment="All reporting data")]


def schemas() -> list[Schema]:
    """Its schemas."""
    return [Schema(id=name, database=DATABASE, comment=text) for name, text in _SCHEMAS.items()]


def relations(ctx: Context) -> list[Relation]:
    """The tables that other systems export to."""
    return [
        Relation(
            id=f"{DATABASE}.{schema}.{table.upper()}",
            database=DATABASE,
            schema_name=schema,
            name=table.upper(),
            comment=_COMMENTS[table],
            owner=_WRITERS[schema],
            created_at=ctx.cast.today - _LONG_AGO,
        )
        for table, schema in SCHEMA_OF.items()
    ]


def roles() -> list[Role]:
    """The account's roles."""
    return [Role(id=name, comment=text) for name, text in _ROLES.items()]


def warehouses(ctx: Context) -> list[Warehouse]:
    """One that runs and resumes by itself, and one that does not."""
    made = ctx.cast.today - _LONG_AGO
    return [
        Warehouse(id="COMPUTE_WH", size="SMALL", owner="SYSADMIN", created_at=made),
        Warehouse(
            id="REPORTING_WH",
            size="MEDIUM",
            state="SUSPENDED",
            auto_resume=False,
            owner="SYSADMIN",
            created_at=made,
        ),
    ]


def grants(ctx: Context) -> list[Grant]:
    """Analysts read all; each data team writes its schemas."""
    found = {("ANALYST", DATABASE): ("SELECT",), ("ANALYST", f"{DATABASE}.SANDBOX"): _ALL}
    found |= {(role, f"{DATABASE}.{schema}"): _ALL for schema, role in _WRITERS.items()}
    return [
        Grant(
            id=ctx.new_id("grt_", length=8),
            role=role,
            privileges=privileges,
            on=on,
            granted_by=ctx.cast.staff[0].email,
        )
        for (role, on), privileges in found.items()
    ]
