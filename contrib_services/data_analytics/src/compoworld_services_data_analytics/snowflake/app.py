"""The service object that the tool modules register with."""

from __future__ import annotations

from compoworld_core import Service
from compoworld_services_data_analytics.snowflake.state import SnowflakeState

service = Service(
    "snowflake",
    state=SnowflakeState,
    domain="data_analytics",
    title="Snowflake",
    summary="A data warehouse: SQL over customers, orders and invoices; tasks, users, roles",
)
service.words.update(
    {
        "accounts": "account record",
        "accounts.name": "of {}",
        "accounts.domain": "with the domain {}",
        "accounts.account_manager": "managed by {}",
        "accounts.segment": "in the {} segment",
        "customers": "customer record",
        "customers.email": "with the email address {}",
        "customers.name": "for {}",
        "customers.company": "at {}",
        "customers.account_no": "with the account number {}",
        "customers.phone": "with the phone number {}",
        "products": "product record",
        "products.sku": "with the SKU {}",
        "products.name": "called {}",
        "employees": "employee record",
        "employees.email": "with the email address {}",
        "employees.name": "for {}",
        "orders": "order record",
        "orders.order_name": "{}",
        "orders.status": "that is {}",
        "invoices": "invoice record",
        "invoices.invoice_number": "{}",
        "invoices.account_no": "for the account {}",
        "invoices.company": "of {}",
        "invoices.status": "that is {}",
        "subscriptions": "subscription record",
        "subscriptions.billing_email": "billed to {}",
        "subscriptions.status": "that is {}",
        "support_tickets": "support ticket record",
        "support_tickets.requester_email": "from {}",
        "support_tickets.subject": "about “{}”",
        "support_tickets.assignee_email": "assigned to {}",
        "support_tickets.status": "that is {}",
        "support_tickets.priority": "with {} priority",
        "fx_rates": "exchange rate",
        "relations": "table",
        "relations.name": "called {}",
        "records": "row",
        "insights": "insight",
        "insights.author": "by {}",
        "insights.insight": "that reads “{}”",
        "warehouses": "warehouse",
        "tasks": "pipeline task",
        "tasks.name": "called {}",
        "tasks.contact": "with the contact {}",
        "roles": "role",
        "users": "user",
        "users.email": "with the email address {}",
        "users.display_name": "called {}",
        "memberships": "role grant",
        "grants": "privilege grant",
    }
)
