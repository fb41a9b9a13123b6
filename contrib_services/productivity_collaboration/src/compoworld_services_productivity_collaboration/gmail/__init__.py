"""Gmail: the mail of one account."""

from compoworld_services_productivity_collaboration.gmail import (
    seed,
    tools_contacts,
    tools_filters,
    tools_labels,
    tools_messages,
    tools_outgoing,
)
from compoworld_services_productivity_collaboration.gmail.state import GmailState, service

__all__ = [
    "GmailState",
    "seed",
    "service",
    "tools_contacts",
    "tools_filters",
    "tools_labels",
    "tools_messages",
    "tools_outgoing",
]
