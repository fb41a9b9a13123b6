"""Notion: pages, blocks, data sources and comments of one workspace."""

from compoworld_services_productivity_collaboration.notion import (
    seed,
    tools_blocks,
    tools_data_sources,
    tools_pages,
    tools_people,
    tools_query,
)
from compoworld_services_productivity_collaboration.notion.state import service

__all__ = [
    "seed",
    "service",
    "tools_blocks",
    "tools_data_sources",
    "tools_pages",
    "tools_people",
    "tools_query",
]
