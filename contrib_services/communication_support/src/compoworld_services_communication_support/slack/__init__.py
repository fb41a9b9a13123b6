"""Slack: channels, messages, threads, people and reminders of one workspace."""

from compoworld_services_communication_support.slack import (
    seed,
    tools_channels,
    tools_messages,
    tools_people,
    tools_search,
)
from compoworld_services_communication_support.slack.state import service

__all__ = [
    "seed",
    "service",
    "tools_channels",
    "tools_messages",
    "tools_people",
    "tools_search",
]
