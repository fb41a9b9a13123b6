"""HubSpot: contacts, companies, deals, tickets, their associations, notes and tasks."""

from compoworld_services_marketing_sales_crm.hubspot import (
    account,
    associations,
    batches,
    engagements,
    lookups,
    properties,
    seed,
)
from compoworld_services_marketing_sales_crm.hubspot.state import service

__all__ = [
    "account",
    "associations",
    "batches",
    "engagements",
    "lookups",
    "properties",
    "seed",
    "service",
]
