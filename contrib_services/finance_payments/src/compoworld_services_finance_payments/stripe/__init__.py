"""Stripe: customers, products, invoices, payments, subscriptions, coupons and disputes."""

from compoworld_services_finance_payments.stripe import (
    catalogue,
    customers,
    documentation,
    invoices,
    payments,
    seed,
    subscriptions,
)
from compoworld_services_finance_payments.stripe.state import service

__all__ = [
    "catalogue",
    "customers",
    "documentation",
    "invoices",
    "payments",
    "seed",
    "service",
    "subscriptions",
]
