"""Snowflake: a data warehouse whose queries run real SQL over the typed state."""

from compoworld_services_data_analytics.snowflake import (
    seed,
    tools_access,
    tools_compute,
    tools_query,
    tools_schema,
)
from compoworld_services_data_analytics.snowflake.app import service

__all__ = ["seed", "service", "tools_access", "tools_compute", "tools_query", "tools_schema"]
