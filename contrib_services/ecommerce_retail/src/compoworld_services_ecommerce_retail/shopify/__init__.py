"""Shopify: products, stock, customers, orders, draft orders and discounts of one shop."""

from compoworld_services_ecommerce_retail.shopify import (
    changes,
    customers,
    discounts,
    drafts,
    inventory,
    orders,
    products,
    seed,
    tags,
)
from compoworld_services_ecommerce_retail.shopify.state import service

__all__ = [
    "changes",
    "customers",
    "discounts",
    "drafts",
    "inventory",
    "orders",
    "products",
    "seed",
    "service",
    "tags",
]
