"""Structured arguments of the calendar's tools."""

# ruff: noqa: N815  # the product's names

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import Forms, Ref
from compoworld_core.types import Email, FileName, Meaning, PersonName, Text, Title, Url
from compoworld_services_productivity_collaboration.google_calendar.state import (
    Calendar,
    Response,
    Transparency,
    Visibility,
)

Nickname = Annotated[str, Field(pattern="^[a-z0-9_-]{1,64}$"), Meaning("id")]
Nicknames = Nickname | Annotated[list[Nickname], Field(min_length=1, max_length=10)]
When = Annotated[str, Meaning("datetime")]
Pair = Annotated[str, Field(pattern="^[^=]+=[^=]+$")]
SendUpdates = Literal["all", "externalOnly", "none"]
AutoDecline = Literal[
    "declineNone", "declineAllConflictingInvitations", "declineOnlyNewConflictingInvitations"
]
EventQuery = Annotated[
    str,
    Forms(
        **{
            "events.summary": "{}",
            "events.location": "{}",
            "events.description": "{}",
            "events.attendees.email": "{}",
            "events.attendees.displayName": "{}",
            "events.organizer": "{}",
        }
    ),
]
EventField = Literal[
    "id", "summary", "description", "start", "end", "location", "attendees", "colorId",
    "transparency", "extendedProperties", "reminders", "conferenceData", "attachments",
    "status", "htmlLink", "created", "updated", "creator", "organizer", "recurrence",
    "recurringEventId", "originalStartTime", "visibility", "iCalUID", "sequence",
    "hangoutLink", "anyoneCanAddSelf", "guestsCanInviteOthers", "guestsCanModify",
    "guestsCanSeeOtherGuests", "privateCopy", "locked", "source", "eventType",
]  # fmt: skip


class _Object(BaseModel):
    """An object with these keys only."""

    model_config = ConfigDict(extra="forbid")


class Guest(_Object):
    """Somebody to invite."""

    email: Email
    displayName: PersonName | None = None
    optional: bool = False
    responseStatus: Response = "needsAction"
    comment: Text | None = None
    additionalGuests: Annotated[int, Field(ge=0, le=9007199254740991)] = 0


class GuestEmail(_Object):
    """Somebody to invite; who is invited already keeps their answer."""

    email: Email


class OverrideInput(_Object):
    """A reminder."""

    method: Literal["email", "popup"] = "popup"
    minutes: Annotated[float, Field(ge=0, le=40320)]


class RemindersInput(_Object):
    """When to remind: as the calendar does, or by own reminders."""

    useDefault: bool
    overrides: list[OverrideInput] = Field(default_factory=list)


class PropertiesInput(_Object):
    """Values that applications keep with an event."""

    private: Annotated[
        dict[str, str], Forms(**{"events.extendedProperties.private": {"reference": "{}"}})
    ] = Field(default_factory=dict)
    shared: Annotated[
        dict[str, str], Forms(**{"events.extendedProperties.shared": {"reference": "{}"}})
    ] = Field(default_factory=dict)


class FileInput(_Object):
    """A file to link."""

    fileUrl: Url
    title: FileName | None = None
    mimeType: str | None = None
    iconLink: Url | None = None
    fileId: str | None = None


class TitledFileInput(FileInput):
    """A file to link, with its title."""

    title: FileName = Field(...)


class SourceInput(_Object):
    """Where the event comes from."""

    url: Url
    title: Title


class SolutionKey(_Object):
    """The kind of conference."""

    type: Literal["hangoutsMeet", "eventHangout", "eventNamedHangout", "addOn"]


class ConferenceRequest(_Object):
    """A request for a video conference; the same requestId makes no second one."""

    requestId: str
    conferenceSolutionKey: SolutionKey


class ConferenceInput(_Object):
    """A video conference to add."""

    createRequest: ConferenceRequest


class FocusTime(_Object):
    """What happens to invitations during focus time."""

    autoDeclineMode: AutoDecline | None = None
    chatStatus: Literal["available", "doNotDisturb"] | None = None
    declineMessage: Text | None = None


class OutOfOffice(_Object):
    """What happens to invitations while out of office."""

    autoDeclineMode: AutoDecline = "declineAllConflictingInvitations"
    declineMessage: Text | None = None


class WorkingLocation(_Object):
    """Where somebody works."""

    type: Literal["homeOffice", "officeLocation", "customLocation"]
    homeOffice: dict[str, Any] | None = None
    officeLocation: dict[str, Any] | None = None
    customLocation: dict[str, Any] | None = None


class EventInput(_Object):
    """One of several events to create."""

    summary: Title
    start: When
    end: When
    calendarId: Ref[Calendar] | None = None
    account: Nickname | None = None
    description: Text | None = None
    location: Text | None = None
    timeZone: str | None = None
    attendees: list[Guest] = Field(default_factory=list)
    colorId: str | None = None
    recurrence: list[str] = Field(default_factory=list)
    reminders: RemindersInput | None = None
    sendUpdates: SendUpdates | None = None
    transparency: Transparency | None = None
    visibility: Visibility | None = None
    conferenceData: ConferenceInput | None = None
    guestsCanModify: bool | None = None
    guestsCanInviteOthers: bool | None = None
    guestsCanSeeOtherGuests: bool | None = None
    anyoneCanAddSelf: bool | None = None


class CalendarKey(_Object):
    """A calendar to look into."""

    id: Ref[Calendar]
