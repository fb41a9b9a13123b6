"""Query tools: read_query, write_query and the memo of insights."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import Context, Forms
from compoworld_core.resources import Page, check, paginate
from compoworld_core.types import Email, Text
from compoworld_services_data_analytics.snowflake import access, run
from compoworld_services_data_analytics.snowflake.app import service
from compoworld_services_data_analytics.snowflake.state import Insight, SnowflakeState

_LOOKED_UP = {
    "accounts": ("name", "domain", "account_manager", "segment"),
    "customers": ("id", "email", "name", "phone", "company", "account_no", "account_id"),
    "products": ("id", "sku", "name"),
    "employees": ("email", "name"),
    "orders": ("order_name", "customer_id", "product_id", "status"),
    "invoices": ("invoice_number", "account_no", "company", "status"),
    "subscriptions": ("customer_id", "billing_email", "status", "plan"),
    "support_tickets": (
        "id",
        "requester_email",
        "assignee_email",
        "subject",
        "status",
        "priority",
    ),
    "fx_rates": ("base", "quote"),
}
_READ_FORMS = Forms(
    **{
        f"{table}.{column}": f"SELECT * FROM {table} WHERE {column} = '{{}}'"  # noqa: S608  # an example
        for table, columns in _LOOKED_UP.items()
        for column in columns
    }
)
_WRITE_FORMS = Forms(
    **{
        "invoices.invoice_number": (
            "UPDATE invoices SET status = 'void' WHERE invoice_number = '{}'"
        ),
        "support_tickets.id": "UPDATE support_tickets SET status = 'closed' WHERE id = '{}'",
        "orders.order_name": "UPDATE orders SET status = 'cancelled' WHERE order_name = '{}'",
        "customers.email": "UPDATE customers SET is_active = FALSE WHERE email = '{}'",
    }
)


class QueryResult(BaseModel):
    """The rows that a query gave."""

    model_config = ConfigDict(extra="forbid")

    columns: list[str]
    items: list[dict[str, Any]]
    total: int
    """Rows shown."""
    truncated: bool = Field(False, description="More rows exist: add LIMIT and OFFSET.")


class WriteResult(BaseModel):
    """What a statement changed."""

    model_config = ConfigDict(extra="forbid")

    affected_rows: int
    ids: list[str]
    """Keys of the rows that were inserted, updated or deleted."""


@service.tool(read_only=True)
def read_query(
    state: SnowflakeState, ctx: Context, query: Annotated[str, _READ_FORMS]
) -> QueryResult:
    """Run a SELECT statement in the database ANALYTICS.

    Names may be qualified (ANALYTICS.SALES.ORDERS). Dates are ISO text, decimal numbers come as
    text and are exact. At most 200 rows are shown.

    Args:
        query: one SELECT statement; text literals take single quotes.
    """
    result = run.query(state, ctx, query)
    items = run.shown(result)
    return QueryResult(
        columns=result.columns, items=items, total=len(items), truncated=result.truncated
    )


@service.tool(destructive=True)
def write_query(
    state: SnowflakeState, ctx: Context, query: Annotated[str, _WRITE_FORMS]
) -> WriteResult:
    """Run an INSERT, UPDATE or DELETE statement.

    All of it happens or nothing: types, allowed values, unique columns and references are
    checked. A row that is inserted without an id gets one.

    Args:
        query: one statement; text literals take single quotes.
    """
    user = access.me(state, ctx)
    access.require_warehouse(state, user)
    result, ids = run.change(state, ctx, query, user)
    return WriteResult(affected_rows=result.affected, ids=ids)


@service.tool
def append_insight(state: SnowflakeState, ctx: Context, insight: Text) -> Insight:
    """Add a finding from the data to the shared memo.

    Args:
        insight: the finding, as a sentence.
    """
    check(bool(insight.strip()), "invalid_argument", "the insight is empty")
    check(len(insight) <= 4000, "invalid_argument", "an insight has at most 4000 characters")
    return state.insights.insert(
        Insight(
            id=ctx.new_id("ins_", length=10),
            insight=insight,
            author=access.me(state, ctx).email,
            created_at=ctx.now,
        )
    )


@service.tool(read_only=True)
def list_insights(
    state: SnowflakeState,
    author: Email | None = None,
    limit: Annotated[int, Field(ge=1, le=100)] = 20,
    cursor: str | None = None,
) -> Page[Insight]:
    """List the memo of findings, oldest first.

    Args:
        author: only those that this address wrote.
    """
    rows = state.insights.where(author=author) if author else list(state.insights)
    return paginate(rows, limit, cursor)
