"""Zendesk: tickets, comments, people, organizations and help-centre articles."""

from compoworld_services_communication_support.zendesk import (
    seed,
    tools_articles,
    tools_organizations,
    tools_search,
    tools_tickets,
    tools_users,
)
from compoworld_services_communication_support.zendesk.state import service

__all__ = [
    "seed",
    "service",
    "tools_articles",
    "tools_organizations",
    "tools_search",
    "tools_tickets",
    "tools_users",
]
