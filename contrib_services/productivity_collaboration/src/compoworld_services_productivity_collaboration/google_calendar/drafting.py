"""From arguments to an event: fields checked and put into their stored form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from compoworld_core import Context, ToolError
from compoworld_core.context import DIGITS, LOWER
from compoworld_core.resources import check
from compoworld_core.schema import UNSET
from compoworld_services_productivity_collaboration.google_calendar import recurrence
from compoworld_services_productivity_collaboration.google_calendar.arguments import (
    ConferenceInput,
    FileInput,
    Guest,
    GuestEmail,
    PropertiesInput,
    RemindersInput,
)
from compoworld_services_productivity_collaboration.google_calendar.state import (
    Attachment,
    Attendee,
    Calendar,
    CalendarState,
    Event,
    Override,
    Properties,
    Reminders,
    Source,
)
from compoworld_services_productivity_collaboration.google_calendar.times import (
    Span,
    moment,
    span,
    zone_of,
)

COLORS = {
    "1": ("Lavender", "#a4bdfc"),
    "2": ("Sage", "#7ae7bf"),
    "3": ("Grape", "#dbadff"),
    "4": ("Flamingo", "#ff887c"),
    "5": ("Banana", "#fbd75b"),
    "6": ("Tangerine", "#ffb878"),
    "7": ("Peacock", "#46d6db"),
    "8": ("Graphite", "#e1e1e1"),
    "9": ("Blueberry", "#5484ed"),
    "10": ("Basil", "#51b749"),
    "11": ("Tomato", "#dc2127"),
}
ID_LETTERS = DIGITS + LOWER[10:32]
"""Letters of an event's id: base32hex."""
_OWN_ID = re.compile(r"^[a-v0-9]{5,1024}$")
_MOST_GUESTS = 200


class CreatedEvent(Event):
    """An event with what its author should know about it."""

    warnings: tuple[str, ...] = ()


def with_warnings(row: Event, warnings: Iterable[str]) -> CreatedEvent:
    """The event and the warnings."""
    values = {name: row.__dict__[name] for name in Event.model_fields}
    return CreatedEvent.model_construct(**values, warnings=tuple(warnings))


def read_span(start: str, end: str, zone: str | None, at: Calendar) -> Span:
    """When an event is, from its two texts."""
    chosen = zone_of(zone or None, at.timeZone)
    return span(moment(start, "start", chosen), moment(end, "end", chosen))


def texts(**fields: Any) -> dict[str, Any]:
    """Title, description and location, checked; those that were given."""
    limits = {"summary": 1024, "description": 8192, "location": 1024}
    found = {}
    for name, value in fields.items():
        if value is UNSET or value is None:
            continue
        check(
            len(value) <= limits[name],
            "invalid_argument",
            f"{name} has {len(value)} characters; at most {limits[name]}",
        )
        found[name] = value
    if "summary" in found:
        check(bool(found["summary"].strip()), "invalid_argument", "summary is empty")
    return found


def guests(invited: list[Guest] | list[GuestEmail], held: tuple[Attendee, ...]) -> Any:
    """Attendees from a list of guests; who is there already keeps their answer."""
    check(len(invited) <= _MOST_GUESTS, "invalid_argument", f"at most {_MOST_GUESTS} attendees")
    known = {person.email.casefold(): person for person in held}
    found: dict[str, Attendee] = {}
    for one in invited:
        address = one.email.casefold()
        check(address not in found, "invalid_argument", f"{address} is invited twice")
        if isinstance(one, Guest):
            found[address] = Attendee(**{**one.model_dump(), "email": address})
        else:
            found[address] = known.get(address) or Attendee(email=address)
    return tuple(found.values())


def parts(
    ctx: Context,
    *,
    reminders: RemindersInput | None = UNSET,
    extended: PropertiesInput | None = UNSET,
    attachments: Sequence[FileInput] | None = UNSET,
    conference: ConferenceInput | None = UNSET,
    source: Any = UNSET,
    color: str | None = UNSET,
    held: Event | None = None,
) -> dict[str, Any]:
    """The structured parts of an event, those that were given."""
    fields: dict[str, Any] = {}
    if reminders is not UNSET and reminders is not None:
        fields["reminders"] = _reminders(reminders)
    if extended is not UNSET and extended is not None:
        before = held.extendedProperties if held else Properties()
        fields["extendedProperties"] = Properties(
            private={**before.private, **_pairs(extended.private)},
            shared={**before.shared, **_pairs(extended.shared)},
        )
    if attachments is not UNSET and attachments is not None:
        check(len(attachments) <= 25, "invalid_argument", "at most 25 attachments")
        fields["attachments"] = tuple(Attachment(**file.model_dump()) for file in attachments)
    wanted = conference is not UNSET and conference is not None
    if wanted and (held is None or held.hangoutLink is None):
        code = ctx.new_id("", length=10, alphabet=LOWER[10:])
        fields["hangoutLink"] = f"https://meet.example/{code[:3]}-{code[3:7]}-{code[7:]}"
    if source is not UNSET and source is not None:
        fields["source"] = Source(**source.model_dump())
    if color is not UNSET and color is not None:
        check(
            color in COLORS,
            "invalid_argument",
            f"colorId {color[:20]!r}; list-colors shows 1 to {len(COLORS)}",
        )
        fields["colorId"] = color
    return fields


def own_id(state: CalendarState, key: str) -> str:
    """An id that the caller chose, checked."""
    check(
        bool(_OWN_ID.match(key)),
        "invalid_argument",
        f"eventId {key[:40]!r} must have 5 to 1024 of the letters a-v and digits",
    )
    check(key not in state.events, "conflict", f"there is an event {key} already")
    return key


def build(
    state: CalendarState,
    ctx: Context,
    at: Calendar,
    when: Span,
    *,
    key: str = "",
    **fields: Any,
) -> Event:
    """A new event of the actor."""
    lines = fields.pop("recurrence", None)
    organizer = ctx.actor
    return Event(
        id=key or ctx.new_id("", length=26, alphabet=ID_LETTERS),
        calendarId=at.id,
        start=when.start,
        end=when.end,
        allDay=when.all_day,
        timeZone=when.zone,
        organizer=organizer,
        creator=ctx.actor,
        recurrence=recurrence.checked(list(lines or ())),
        created=ctx.now,
        updated=ctx.now,
        **fields,
    )


def conflicts(
    rows: Iterable[Event], start: datetime, end: datetime, *, besides: str = ""
) -> list[str]:
    """A line for each busy event that overlaps."""
    return [
        f"overlaps {row.summary!r} ({row.id}), {row.start:%Y-%m-%d %H:%M} UTC"
        for row in rows
        if row.id != besides
        and row.recurringEventId != (besides or "-")
        and row.transparency == "opaque"
        and row.start < end
        and row.end > start
    ][:10]


def _reminders(given: RemindersInput) -> Reminders:
    check(
        not (given.useDefault and given.overrides),
        "invalid_argument",
        "reminders: overrides do not go with useDefault",
    )
    check(len(given.overrides) <= 5, "invalid_argument", "reminders: at most 5 overrides")
    overrides = tuple(
        Override(method=one.method, minutes=int(one.minutes)) for one in given.overrides
    )
    return Reminders(useDefault=given.useDefault, overrides=overrides)


def _pairs(values: dict[str, str]) -> dict[str, str]:
    for key, value in values.items():
        if not key or len(key) > 44 or len(value) > 1024:
            raise ToolError(
                "invalid_argument",
                f"extendedProperties.{key[:44]}: keys have up to 44 characters, values 1024",
            )
    return values
