"""What an account sees in Google Calendar: its calendars, their events, the accounts."""

# ruff: noqa: N815  # the product's field names

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from compoworld_core import Entity, Ref, Service, State, Table
from compoworld_core.types import (
    DateTime,
    Email,
    FileName,
    Json,
    PersonName,
    Text,
    Title,
    Url,
)

Response = Literal["needsAction", "declined", "tentative", "accepted"]
EventType = Literal["default", "focusTime", "outOfOffice", "workingLocation"]
Visibility = Literal["default", "public", "private", "confidential"]
Transparency = Literal["opaque", "transparent"]


class Part(BaseModel):
    """A part of an event."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Account(Entity):
    """A connected Google account; its id is the nickname that calls name it by."""

    id: str
    email: Email
    status: Literal["active", "pending"] = "active"
    """Pending until its owner has signed in with a browser."""


class Calendar(Entity):
    """A calendar that the account owns or may see; a person's own has their address as id."""

    id: str
    summary: Title
    description: Text = ""
    timeZone: str = "UTC"
    accessRole: Literal["owner", "writer", "reader", "freeBusyReader"] = "owner"
    primary: bool = False
    colorId: str = "1"


class Attendee(Part):
    """An invited person and their answer."""

    email: Email
    displayName: PersonName | None = None
    optional: bool = False
    responseStatus: Response = "needsAction"
    comment: Text | None = None
    additionalGuests: int = 0


class Override(Part):
    """A reminder of an event's own."""

    method: Literal["email", "popup"] = "popup"
    minutes: int


class Reminders(Part):
    """When to remind."""

    useDefault: bool = True
    overrides: tuple[Override, ...] = ()


class Properties(Part):
    """Values that applications keep with an event."""

    private: Json = {}
    shared: Json = {}


class Attachment(Part):
    """A file linked to an event."""

    fileUrl: Url
    title: FileName | None = None
    mimeType: str | None = None
    iconLink: Url | None = None
    fileId: str | None = None


class Source(Part):
    """Where an event was made from."""

    url: Url
    title: Title


class Event(Entity):
    """A meeting or another entry in a calendar."""

    id: str
    calendarId: Ref[Calendar]
    summary: Title
    description: Text = ""
    location: Text = ""
    start: DateTime
    end: DateTime
    """After the last moment; for whole days midnight after the last day."""
    allDay: bool = False
    timeZone: str = "UTC"
    status: Literal["confirmed", "tentative", "cancelled"] = "confirmed"
    organizer: Email
    creator: Email
    attendees: tuple[Attendee, ...] = ()
    recurrence: tuple[str, ...] = ()
    """RRULE and EXDATE lines; empty for a single event."""
    recurringEventId: Ref[Event] | None = None
    """For a changed instance: the series that it belongs to."""
    originalStartTime: DateTime | None = None
    eventType: EventType = "default"
    transparency: Transparency = "opaque"
    visibility: Visibility = "default"
    colorId: str | None = None
    hangoutLink: Url | None = None
    reminders: Reminders = Reminders()
    extendedProperties: Properties = Properties()
    attachments: tuple[Attachment, ...] = ()
    source: Source | None = None
    typeProperties: Json = {}
    """Settings of focus time, out of office and working location."""
    guestsCanModify: bool = False
    guestsCanInviteOthers: bool = True
    guestsCanSeeOtherGuests: bool = True
    anyoneCanAddSelf: bool = False
    sequence: int = 0
    created: DateTime
    updated: DateTime


class CalendarState(State):
    """What one person sees."""

    accounts: Table[Account] = Table()
    calendars: Table[Calendar] = Table()
    events: Table[Event] = Table()


service = Service(
    "google_calendar",
    state=CalendarState,
    domain="productivity_collaboration",
    title="Google Calendar",
    summary="Calendars, events, invitations, recurring meetings, free and busy times.",
)
service.words.update(
    {
        "accounts": "account",
        "calendars": "calendar",
        "calendars.summary": "called {}",
        "events": "event",
        "events.summary": "titled “{}”",
        "events.calendarId": "in {}",
        "events.start": "starting {}",
        "events.end": "ending {}",
        "events.location": "in {}",
        "events.organizer": "organized by {}",
        "events.attendees.email": "with {}",
        "events.attendees.displayName": "with {}",
        "events.description": "described as “{}”",
    }
)
