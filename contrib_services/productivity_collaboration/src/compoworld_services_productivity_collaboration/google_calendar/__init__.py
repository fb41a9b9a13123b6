"""Google Calendar: calendars, events, invitations, free and busy times."""

from compoworld_services_productivity_collaboration.google_calendar import (
    seed,
    tools_calendars,
    tools_changes,
    tools_create,
    tools_events,
)
from compoworld_services_productivity_collaboration.google_calendar.state import (
    CalendarState,
    service,
)

__all__ = [
    "CalendarState",
    "seed",
    "service",
    "tools_calendars",
    "tools_changes",
    "tools_create",
    "tools_events",
]
