"""Tools that change, move, answer and delete events."""

# ruff: noqa: N803  # the product's names

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from compoworld_core import Context, Ref, ToolError
from compoworld_core.resources import check, given
from compoworld_core.schema import UNSET
from compoworld_core.types import Text, Title
from compoworld_services_productivity_collaboration.google_calendar import recurrence as rules
from compoworld_services_productivity_collaboration.google_calendar.access import (
    calendar,
    check_account,
    event,
    in_range,
    needs_changing,
    needs_writing,
    occurrence,
)
from compoworld_services_productivity_collaboration.google_calendar.arguments import (
    ConferenceInput,
    GuestEmail,
    Nickname,
    PropertiesInput,
    RemindersInput,
    SendUpdates,
    TitledFileInput,
    When,
)
from compoworld_services_productivity_collaboration.google_calendar.drafting import (
    ID_LETTERS,
    CreatedEvent,
    conflicts,
    guests,
    parts,
    texts,
    with_warnings,
)
from compoworld_services_productivity_collaboration.google_calendar.state import (
    Calendar,
    CalendarState,
    Event,
    Response,
    Transparency,
    Visibility,
    service,
)
from compoworld_services_productivity_collaboration.google_calendar.times import (
    Moment,
    moment,
    point,
    span,
    zone_of,
)

Scope = Literal["thisAndFollowing", "all", "thisEventOnly"]


@service.tool(name="update-event", destructive=True, idempotent=True)
def update_event(
    state: CalendarState,
    ctx: Context,
    calendarId: Ref[Calendar],
    eventId: Ref[Event],
    summary: Title = UNSET,
    description: Text = UNSET,
    start: When = UNSET,
    end: When = UNSET,
    timeZone: str = UNSET,
    location: Text = UNSET,
    attendees: list[GuestEmail] = UNSET,
    colorId: str = UNSET,
    reminders: RemindersInput = UNSET,
    recurrence: list[str] = UNSET,
    sendUpdates: SendUpdates = "all",
    modificationScope: Scope = UNSET,
    originalStartTime: When = UNSET,
    futureStartDate: When = UNSET,
    checkConflicts: bool = UNSET,
    calendarsToCheck: list[Ref[Calendar]] = UNSET,
    conferenceData: ConferenceInput = UNSET,
    transparency: Transparency = UNSET,
    visibility: Visibility = UNSET,
    guestsCanInviteOthers: bool = UNSET,
    guestsCanModify: bool = UNSET,
    guestsCanSeeOtherGuests: bool = UNSET,
    anyoneCanAddSelf: bool = UNSET,
    extendedProperties: PropertiesInput = UNSET,
    attachments: list[TitledFileInput] = UNSET,
    account: Nickname = UNSET,
) -> CreatedEvent:
    """Change an event; what is left out stays as it is.

    Args:
        calendarId: the calendar; primary is the account's own.
        eventId: the event, the series, or one instance of a series.
        summary: the new title.
        description: the new notes.
        start: the new start.
        end: the new end.
        timeZone: zone of times without an offset.
        location: the new place.
        attendees: everybody who is invited; others are taken off.
        colorId: a colour from list-colors.
        reminders: when to remind.
        recurrence: the new recurrence lines; an empty list makes it a single event.
        sendUpdates: who gets a mail about it.
        modificationScope: for a series: this instance, this and the following, or all.
        originalStartTime: with thisEventOnly, when the instance started originally.
        futureStartDate: with thisAndFollowing, the first instance to change.
        checkConflicts: warn of overlaps; so by default where the time changes.
        calendarsToCheck: calendars to look for overlaps in.
        conferenceData: a request for a video conference.
        transparency: transparent leaves the time free.
        visibility: who sees the details.
        guestsCanInviteOthers: whether guests may invite others.
        guestsCanModify: whether guests may change the event.
        guestsCanSeeOtherGuests: whether guests see each other.
        anyoneCanAddSelf: whether anyone may join.
        extendedProperties: values to set; other keys stay.
        attachments: all linked files; others are taken off.
        account: nickname of the account.
    """
    check_account(state, account)
    at = calendar(state, calendarId)
    row = event(state, at, eventId)
    needs_changing(at, row, ctx.actor)
    row = _scoped(
        state,
        row,
        "" if modificationScope is UNSET else modificationScope,
        originalStartTime or "",
        futureStartDate or "",
    )
    fields = {
        **texts(summary=summary, description=description, location=location),
        **parts(
            ctx,
            reminders=reminders,
            extended=extendedProperties,
            attachments=attachments,
            conference=conferenceData,
            color=colorId,
            held=row,
        ),
        **given(
            transparency=transparency,
            visibility=visibility,
            guestsCanInviteOthers=guestsCanInviteOthers,
            guestsCanModify=guestsCanModify,
            guestsCanSeeOtherGuests=guestsCanSeeOtherGuests,
            anyoneCanAddSelf=anyoneCanAddSelf,
        ),
        **_when(at, row, start or "", end or "", timeZone or ""),
    }
    if attendees is not UNSET:
        fields["attendees"] = guests(attendees, row.attendees)
    if recurrence is not UNSET:
        check(
            row.recurringEventId is None,
            "failed_precondition",
            "one instance has no recurrence of its own",
        )
        fields["recurrence"] = rules.checked(recurrence)
    check(
        bool(fields) or conferenceData is not UNSET,
        "invalid_argument",
        "name a field to change",
    )
    changed = _apply(state, ctx, row, fields, split=modificationScope == "thisAndFollowing")
    warnings: list[str] = []
    timed = "start" in fields
    if timed if checkConflicts is UNSET else checkConflicts:
        for other in calendarsToCheck or [at.id]:
            rows = in_range(state, calendar(state, other), changed.start, changed.end)
            warnings += conflicts(rows, changed.start, changed.end, besides=changed.id)
    return with_warnings(changed, warnings)


@service.tool(name="delete-event", destructive=True)
def delete_event(
    state: CalendarState,
    ctx: Context,
    calendarId: Ref[Calendar],
    eventId: Ref[Event],
    sendUpdates: SendUpdates = "all",
    account: Nickname = UNSET,
) -> Event:
    """Cancel an event, or one instance of a series; a guest takes it off the own calendar.

    Args:
        calendarId: the calendar; primary is the account's own.
        eventId: the event, the series, or one instance of a series.
        sendUpdates: who gets a mail about it.
        account: nickname of the account.
    """
    check_account(state, account)
    at = calendar(state, calendarId)
    row = event(state, at, eventId)
    needs_writing(at)
    check(
        row.status != "cancelled",
        "failed_precondition",
        f"the event {row.summary!r} is cancelled already",
    )
    return _apply(state, ctx, row, {"status": "cancelled"})


@service.tool(name="move-event", destructive=True)
def move_event(
    state: CalendarState,
    ctx: Context,
    calendarId: Ref[Calendar],
    eventId: Ref[Event],
    destination: Ref[Calendar],
    sendUpdates: SendUpdates = "all",
    account: Nickname = UNSET,
) -> Event:
    """Move an event to another calendar.

    Args:
        calendarId: the calendar that it is in.
        eventId: the event or the series.
        destination: the calendar that it goes to.
        sendUpdates: who gets a mail about it.
        account: nickname of the account.
    """
    check_account(state, account)
    at, to = calendar(state, calendarId), calendar(state, destination)
    row = event(state, at, eventId)
    needs_changing(at, row, ctx.actor)
    needs_writing(to)
    check(at.id != to.id, "conflict", f"the event is in {to.summary!r} already")
    check(
        row.recurringEventId is None,
        "failed_precondition",
        "one instance cannot move; move the series",
    )
    check(
        row.eventType == "default",
        "failed_precondition",
        f"{row.eventType} events cannot move",
    )
    for changed in state.events.where(recurringEventId=row.id):
        state.events.update(changed.id, calendarId=to.id, updated=ctx.now)
    return state.events.update(row.id, calendarId=to.id, updated=ctx.now)


@service.tool(name="respond-to-event", idempotent=True)
def respond_to_event(
    state: CalendarState,
    ctx: Context,
    calendarId: Ref[Calendar],
    eventId: Ref[Event],
    response: Response,
    account: str = UNSET,
    comment: Text = UNSET,
    modificationScope: Literal["thisEventOnly", "all"] = UNSET,
    originalStartTime: When = UNSET,
    sendUpdates: SendUpdates = UNSET,
) -> Event:
    """Answer an invitation: accepted, declined, tentative, or needsAction for no answer.

    Args:
        calendarId: the calendar; primary is the account's own.
        eventId: the event, the series, or one instance of a series.
        response: the answer.
        account: nickname of the account.
        comment: a note to the organizer.
        modificationScope: for a series: this instance only, or all.
        originalStartTime: with thisEventOnly, when the instance started originally.
        sendUpdates: who gets a mail about it.
    """
    check_account(state, account)
    at = calendar(state, calendarId)
    row = event(state, at, eventId)
    needs_writing(at)
    check(
        row.status != "cancelled",
        "failed_precondition",
        f"the event {row.summary!r} is cancelled",
    )
    row = _scoped(
        state,
        row,
        "" if modificationScope is UNSET else modificationScope,
        originalStartTime or "",
        "",
    )
    answered = []
    for person in row.attendees:
        if person.email.casefold() == ctx.actor:
            update = {"responseStatus": response, **given(comment=comment)}
            answered.append(person.model_copy(update=update))
        else:
            answered.append(person)
    check(
        any(person.email.casefold() == ctx.actor for person in row.attendees),
        "failed_precondition",
        f"{ctx.actor} is not invited to {row.summary!r}",
    )
    if tuple(answered) == row.attendees:
        return row
    return _apply(state, ctx, row, {"attendees": tuple(answered)}, edit=False)


def _scoped(state: CalendarState, row: Event, scope: str, original: str, future: str) -> Event:
    """The event that a change is about: the series, or one instance of it."""
    if not row.recurrence:
        check(
            scope in ("", "all", "thisEventOnly")
            and (row.recurringEventId is not None or scope != "thisEventOnly"),
            "failed_precondition",
            f"{row.summary!r} is no series; leave modificationScope out",
        )
        return row
    if scope in ("", "all"):
        return row
    text, name = (original, "originalStartTime") if scope == "thisEventOnly" else (
        future, "futureStartDate"
    )  # fmt: skip
    start = point(text, name, row.timeZone)
    if start is None:
        raise ToolError("invalid_argument", f"{scope} needs {name}")
    found = occurrence(state, row, start)
    if found is None or found.status == "cancelled":
        raise ToolError("not_found", f"{row.summary!r} has no instance at {start.isoformat()}")
    return found


def _when(at: Calendar, row: Event, start: str, end: str, zone: str) -> dict[str, Any]:
    """The new time of an event, from what was given and what was there."""
    if not (start or end or zone):
        return {}
    chosen = zone_of(zone, row.timeZone or at.timeZone)
    first = moment(start, "start", chosen) if start else Moment(row.start, row.allDay, chosen)
    last = moment(end, "end", chosen) if end else Moment(row.end, row.allDay, chosen)
    when = span(first, last)
    fields: dict[str, Any] = {"timeZone": when.zone if zone or start else row.timeZone}
    if start or end:
        fields.update(start=when.start, end=when.end, allDay=when.all_day)
    return fields


def _apply(
    state: CalendarState,
    ctx: Context,
    row: Event,
    fields: dict[str, Any],
    *,
    split: bool = False,
    edit: bool = True,
) -> Event:
    """Store a change: of an event, of one instance, or of a series from an instance on."""
    held = state.events.get(row.id)
    if held is not None and not (split and row.recurringEventId):
        if all(getattr(held, name) == value for name, value in fields.items()):
            return held
        fields = {**fields, "updated": ctx.now}
        return state.events.update(
            row.id, sequence=row.sequence + 1 if edit else row.sequence, **fields
        )
    values = {name: row.__dict__[name] for name in Event.model_fields}
    values.update(fields, created=ctx.now, updated=ctx.now)
    if not split:
        return state.events.insert(Event(**values))
    series = state.events[row.recurringEventId or row.id]
    first: datetime = row.originalStartTime or row.start
    values.update(
        id=ctx.new_id("", length=26, alphabet=ID_LETTERS),
        recurrence=fields.get("recurrence") or rules.rest(series, first),
        recurringEventId=None,
        originalStartTime=None,
    )
    if first <= series.start:
        return state.events.update(
            series.id, sequence=series.sequence + 1, updated=ctx.now, **fields
        )
    state.events.update(series.id, recurrence=rules.ended(series, first), updated=ctx.now)
    return state.events.insert(Event(**values))
