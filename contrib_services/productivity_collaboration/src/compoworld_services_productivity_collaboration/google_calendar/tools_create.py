"""Tools that create events."""

# ruff: noqa: N803  # the product's names

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import Context, Ref, ToolError
from compoworld_core.resources import check, given
from compoworld_core.schema import UNSET
from compoworld_core.types import Text, Title
from compoworld_services_productivity_collaboration.google_calendar.access import (
    calendar,
    check_account,
    in_range,
    needs_writing,
)
from compoworld_services_productivity_collaboration.google_calendar.arguments import (
    ConferenceInput,
    EventInput,
    FileInput,
    FocusTime,
    Guest,
    Nickname,
    OutOfOffice,
    PropertiesInput,
    RemindersInput,
    SendUpdates,
    SourceInput,
    When,
    WorkingLocation,
)
from compoworld_services_productivity_collaboration.google_calendar.drafting import (
    CreatedEvent,
    build,
    conflicts,
    guests,
    own_id,
    parts,
    read_span,
    texts,
    with_warnings,
)
from compoworld_services_productivity_collaboration.google_calendar.state import (
    Calendar,
    CalendarState,
    Event,
    EventType,
    Transparency,
    Visibility,
    service,
)
from compoworld_services_productivity_collaboration.google_calendar.times import Span


class Failure(BaseModel):
    """One of several events that was not created, and why."""

    model_config = ConfigDict(extra="forbid")

    index: int
    summary: Title
    error: str


class Created(BaseModel):
    """What came of creating several events."""

    model_config = ConfigDict(extra="forbid")

    created: list[Event]
    failed: list[Failure]


@service.tool(name="create-event")
def create_event(
    state: CalendarState,
    ctx: Context,
    calendarId: Ref[Calendar],
    summary: Title,
    start: When,
    end: When,
    eventId: str = UNSET,
    description: Text = UNSET,
    timeZone: str = UNSET,
    location: Text = UNSET,
    attendees: list[Guest] = UNSET,
    colorId: str = UNSET,
    reminders: RemindersInput = UNSET,
    recurrence: list[str] = UNSET,
    transparency: Transparency = UNSET,
    visibility: Visibility = UNSET,
    guestsCanInviteOthers: bool = UNSET,
    guestsCanModify: bool = UNSET,
    guestsCanSeeOtherGuests: bool = UNSET,
    anyoneCanAddSelf: bool = UNSET,
    sendUpdates: SendUpdates = UNSET,
    conferenceData: ConferenceInput = UNSET,
    extendedProperties: PropertiesInput = UNSET,
    attachments: list[FileInput] = UNSET,
    source: SourceInput = UNSET,
    calendarsToCheck: list[Ref[Calendar]] = UNSET,
    duplicateSimilarityThreshold: Annotated[float, Field(ge=0, le=1)] = UNSET,
    allowDuplicates: bool = UNSET,
    eventType: EventType = UNSET,
    focusTimeProperties: FocusTime = UNSET,
    outOfOfficeProperties: OutOfOffice = UNSET,
    workingLocationProperties: WorkingLocation = UNSET,
    account: Nickname = UNSET,
) -> CreatedEvent:
    """Create an event and invite people to it.

    The answer warns of busy times that overlap. The same event twice is refused.

    Args:
        calendarId: the calendar; primary is the account's own.
        summary: the title.
        start: 2026-03-15T10:00:00, or 2026-03-15 for a whole day.
        end: the same form as start; for whole days the day after the last.
        eventId: an own id of the letters a-v and digits.
        description: notes.
        timeZone: zone of times without an offset; the calendar's where left out.
        location: the place.
        attendees: whom to invite.
        colorId: a colour from list-colors.
        reminders: when to remind.
        recurrence: RRULE lines for a recurring event, such as RRULE:FREQ=WEEKLY;COUNT=5.
        transparency: transparent leaves the time free.
        visibility: who sees the details.
        guestsCanInviteOthers: whether guests may invite others.
        guestsCanModify: whether guests may change the event.
        guestsCanSeeOtherGuests: whether guests see each other.
        anyoneCanAddSelf: whether anyone may join.
        sendUpdates: who gets a mail about it.
        conferenceData: a request for a video conference.
        extendedProperties: values that applications keep with it.
        attachments: files to link.
        source: where it comes from.
        calendarsToCheck: calendars to look for overlaps in; only its own where left out.
        duplicateSimilarityThreshold: from 0 to 1, how alike an event must be for a warning.
        allowDuplicates: create it even where the same is there already.
        eventType: default, focusTime, outOfOffice or workingLocation.
        focusTimeProperties: settings of focus time.
        outOfOfficeProperties: settings of out of office.
        workingLocationProperties: settings of a working location.
        account: nickname of the account.
    """
    check_account(state, account)
    at = calendar(state, calendarId)
    needs_writing(at)
    when = read_span(start, end, timeZone or None, at)
    kind: EventType = "default" if eventType is UNSET else eventType
    settings = _settings(
        kind, at, when, focusTimeProperties, outOfOfficeProperties, workingLocationProperties
    )
    fields = {
        **texts(summary=summary, description=description, location=location),
        **parts(
            ctx,
            reminders=reminders,
            extended=extendedProperties,
            attachments=attachments,
            conference=conferenceData,
            source=source,
            color=colorId,
        ),
        **given(
            transparency=transparency,
            visibility=visibility,
            guestsCanInviteOthers=guestsCanInviteOthers,
            guestsCanModify=guestsCanModify,
            guestsCanSeeOtherGuests=guestsCanSeeOtherGuests,
            anyoneCanAddSelf=anyoneCanAddSelf,
        ),
        "attendees": guests(attendees or [], ()),
        "recurrence": recurrence or [],
        "eventType": kind,
        "typeProperties": settings,
    }
    threshold = 0.7 if duplicateSimilarityThreshold is UNSET else duplicateSimilarityThreshold
    warnings = _twins(state, at, summary, when, threshold, refuse=not allowDuplicates)
    for other in calendarsToCheck or [at.id]:
        checked = calendar(state, other)
        warnings += conflicts(
            in_range(state, checked, when.start, when.end), when.start, when.end
        )
    key = own_id(state, eventId) if eventId is not UNSET else ""
    row = state.events.insert(build(state, ctx, at, when, key=key, **fields))
    return with_warnings(row, warnings)


@service.tool(name="create-events")
def create_events(
    state: CalendarState,
    ctx: Context,
    events: Annotated[list[EventInput], Field(min_length=1, max_length=50)],
    calendarId: Ref[Calendar] = UNSET,
    timeZone: str = UNSET,
    sendUpdates: SendUpdates = UNSET,
    account: Nickname = UNSET,
) -> Created:
    """Create up to 50 events; those that cannot be created are reported, the others are made.

    Args:
        events: the events; each may name its own calendar and zone.
        calendarId: calendar of events that name none; the account's own where left out.
        timeZone: zone of events that name none.
        sendUpdates: who gets mails about them.
        account: nickname of the account.
    """
    check_account(state, account)
    created: list[Event] = []
    failed: list[Failure] = []
    for index, one in enumerate(events):
        try:
            check_account(state, one.account)
            at = calendar(state, one.calendarId or calendarId or "primary")
            needs_writing(at)
            when = read_span(one.start, one.end, one.timeZone or timeZone or None, at)
            fields = _given_fields(ctx, one)
            created.append(state.events.insert(build(state, ctx, at, when, **fields)))
        except ToolError as error:
            failed.append(Failure(index=index, summary=one.summary, error=str(error)))
    return Created(created=created, failed=failed)


def _given_fields(ctx: Context, one: EventInput) -> dict[str, Any]:
    plain = {
        "transparency": one.transparency,
        "visibility": one.visibility,
        "guestsCanModify": one.guestsCanModify,
        "guestsCanInviteOthers": one.guestsCanInviteOthers,
        "guestsCanSeeOtherGuests": one.guestsCanSeeOtherGuests,
        "anyoneCanAddSelf": one.anyoneCanAddSelf,
    }
    return {
        **texts(summary=one.summary, description=one.description, location=one.location),
        **{name: value for name, value in plain.items() if value is not None},
        "attendees": guests(one.attendees, ()),
        "recurrence": one.recurrence,
        **parts(ctx, reminders=one.reminders, conference=one.conferenceData, color=one.colorId),
    }


def _settings(
    kind: EventType,
    at: Calendar,
    when: Span,
    focus: FocusTime,
    away: OutOfOffice,
    working: WorkingLocation,
) -> dict[str, Any]:
    """The settings of a special kind of event, checked."""
    if kind == "default":
        return {}
    check(
        at.primary,
        "failed_precondition",
        f"{kind} events stand in the account's own calendar only; use calendarId primary",
    )
    check(
        kind == "workingLocation" or not when.all_day,
        "invalid_argument",
        f"{kind} events need times, not whole days",
    )
    chosen = {"focusTime": focus, "outOfOffice": away, "workingLocation": working}[kind]
    check(
        kind != "workingLocation" or chosen is not UNSET,
        "invalid_argument",
        "workingLocation needs workingLocationProperties",
    )
    return {} if chosen is UNSET else chosen.model_dump(exclude_none=True)


def _twins(
    state: CalendarState,
    at: Calendar,
    title: str,
    when: Span,
    threshold: float,
    *,
    refuse: bool,
) -> list[str]:
    """Warnings of events like this one; ToolError(conflict) for the very same."""
    wanted, warnings = title.strip().casefold(), []
    for row in in_range(state, at, when.start, when.end):
        if row.summary.strip().casefold() != wanted:
            continue
        same = row.start == when.start and row.end == when.end
        if same and refuse:
            raise ToolError(
                "conflict",
                f"{row.summary!r} is there at this time already ({row.id}); "
                "pass allowDuplicates to create it again",
            )
        if (1.0 if same else 0.8) >= threshold:
            warnings.append(f"much like {row.summary!r} ({row.id})")
    return warnings
