"""A plausible calendar: customer meetings, the team's series, colleagues' calendars."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from compoworld_core import Context, Table
from compoworld_core.cast import Person
from compoworld_core.context import HEX, LOWER
from compoworld_services_productivity_collaboration.google_calendar.drafting import ID_LETTERS
from compoworld_services_productivity_collaboration.google_calendar.state import (
    Account,
    Attendee,
    Calendar,
    CalendarState,
    Event,
    Response,
    service,
)

_TITLES = (
    "Call with {company}",
    "{company}: {topic}",
    "Demo of the {product} for {company}",
    "{topic} with {first} {last}",
    "Contract talk {company}",
    "Onboarding {company}",
    "Visit at {company}",
)
_TOPICS = (
    "order review", "pricing", "renewal", "delivery dates", "quarterly review", "open invoices",
    "support cases", "roadmap", "kick-off",
)  # fmt: skip
_INTERNAL = (
    "Interview: {title}", "Budget round", "Release check", "Stock count", "Lunch with {mate}",
    "Handover {mate}", "Planning with {mate}", "Training: {product}", "Fire drill", "Dentist",
)  # fmt: skip
_NOTES = (
    "",
    "",
    "",
    "Agenda: {topic}, next steps.",
    "Please bring the figures for order #{order}.",
    "About invoice INV-{invoice} over {amount}.",
    "{mate} joins for the first half hour.",
    "Dial in with the usual link. Contact: {phone}.",
)
_SERIES = (
    ("Team stand-up", "RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR", 15),
    ("Sales meeting", "RRULE:FREQ=WEEKLY", 60),
    ("One-on-one {mate}", "RRULE:FREQ=WEEKLY;INTERVAL=2", 30),
    ("Month's close", "RRULE:FREQ=MONTHLY;BYDAY=1MO", 90),
    ("Support review", "RRULE:FREQ=WEEKLY;COUNT=20", 45),
    ("All hands", "RRULE:FREQ=MONTHLY;BYDAY=-1FR", 60),
)
_ROOMS = ("Room 1", "Room 2", "Room Atlas", "Room Juniper", "Online", "Phone", "Cafeteria")
_ANSWERS: tuple[Response, ...] = (
    "accepted",
    "accepted",
    "accepted",
    "needsAction",
    "tentative",
)
_SLOTS = (8, 9, 9, 10, 10, 11, 13, 14, 14, 15, 15, 16, 17)


class _Diary:
    """Fills calendars with events."""

    def __init__(self, ctx: Context) -> None:
        self.ctx, self.rng, self.cast = ctx, ctx.rng, ctx.cast
        self.me = self.cast.staff[0]
        self.events: list[Event] = []

    def customer_meeting(self, at: Calendar) -> None:
        """A meeting with a customer, in the own or a team calendar."""
        rng, person = self.rng, self.rng.choice(self.cast.customers)
        words = self._words(person)
        start = self._slot(-90, 60)
        people = [self._guest(person, start)]
        if rng.random() < 0.35:
            people.append(self._guest(rng.choice(self.cast.staff[1:]), start))
        invited = at.primary and rng.random() < 0.25
        organizer = rng.choice((person, *self.cast.staff[1:3])) if invited else self.me
        if invited:
            people = [p for p in people if p.email != organizer.email]
            people.append(self._guest(self.me, start, open_share=0.45))
        place = person.company if rng.random() < 0.2 else rng.choice(_ROOMS)
        self._add(
            at,
            rng.choice(_TITLES).format(**words),
            start,
            rng.choice((30, 30, 45, 60, 60, 90)),
            organizer=organizer.email,
            description=rng.choice(_NOTES).format(**words),
            location=place,
            attendees=tuple(people),
            status="cancelled" if rng.random() < 0.05 else "confirmed",
            hangoutLink=self._link() if place == "Online" else None,
        )

    def internal(self, at: Calendar, owner: Person) -> None:
        """An appointment of the office."""
        rng = self.rng
        words = self._words(rng.choice(self.cast.customers))
        start = self._slot(-90, 60)
        mate = rng.choice(self.cast.staff)
        people = () if mate is owner or rng.random() < 0.3 else (self._guest(mate, start),)
        self._add(
            at,
            rng.choice(_INTERNAL).format(**words),
            start,
            rng.choice((30, 45, 60, 120)),
            organizer=owner.email,
            location=rng.choice(_ROOMS),
            attendees=people,
            visibility="private" if rng.random() < 0.12 else "default",
            transparency="transparent" if rng.random() < 0.06 else "opaque",
            colorId=str(rng.randint(1, 11)) if rng.random() < 0.15 else None,
        )

    def whole_day(self, at: Calendar, title: str, first: int, last: int) -> None:
        """An entry for whole days."""
        day = self.cast.today.replace(hour=0, minute=0, second=0, microsecond=0)
        start = day + timedelta(days=self.rng.randint(first, last))
        days = self.rng.choice((1, 1, 2, 5))
        self._add(
            at, title, start, days * 1440,
            organizer=self.me.email, allDay=True, transparency="transparent",
        )  # fmt: skip

    def series(self, at: Calendar, number: int) -> None:
        """A recurring meeting of the team."""
        title, rule, minutes = _SERIES[number % len(_SERIES)]
        mates = self.rng.sample(self.cast.staff[1:], 3)
        name = title.format(mate=mates[0].first)
        start = self._slot(-88, -60)
        self._add(
            at,
            name if number < len(_SERIES) else f"{name} {number // len(_SERIES) + 1}",
            start,
            minutes,
            organizer=self.me.email,
            recurrence=(rule,),
            attendees=tuple(self._guest(mate, start) for mate in mates),
            location=self.rng.choice(_ROOMS),
        )

    def _add(
        self, at: Calendar, title: str, start: datetime, minutes: int, **fields: Any
    ) -> None:
        made = min(start, self.cast.today) - timedelta(minutes=self.rng.randint(60, 30_000))
        self.events.append(
            Event(
                id=self.ctx.new_id("", length=26, alphabet=ID_LETTERS),
                calendarId=at.id,
                summary=title,
                start=start,
                end=start + timedelta(minutes=minutes),
                creator=fields["organizer"],
                created=made,
                updated=made,
                **fields,
            )
        )

    def _guest(self, person: Person, start: datetime, open_share: float = 0.1) -> Attendee:
        rng = self.rng
        answer: Response = rng.choice(_ANSWERS)
        if start > self.cast.today and rng.random() < open_share:
            answer = "needsAction"
        elif rng.random() < 0.07:
            answer = "declined"
        return Attendee(
            email=person.email,
            displayName=person.name,
            responseStatus=answer,
            optional=rng.random() < 0.06,
        )

    def _slot(self, first: int, last: int) -> datetime:
        """A start on a working day."""
        rng = self.rng
        day = self.cast.today + timedelta(days=rng.randint(first, last))
        if day.weekday() > 4:
            day -= timedelta(days=day.weekday() - 4)
        minute = rng.choice((0, 0, 0, 15, 30, 30, 45))
        return day.replace(hour=rng.choice(_SLOTS), minute=minute, second=0, microsecond=0)

    def _link(self) -> str:
        code = self.ctx.new_id("", length=10, alphabet=LOWER[10:])
        return f"https://meet.example/{code[:3]}-{code[3:7]}-{code[7:]}"

    def _words(self, person: Person) -> dict[str, str]:
        rng = self.rng
        return {
            "company": person.company,
            "first": person.first,
            "last": person.last,
            "phone": person.phone,
            "topic": rng.choice(_TOPICS),
            "product": rng.choice(self.cast.products).name,
            "order": str(rng.randint(1001, 1999)),
            "invoice": str(rng.randint(2001, 2999)),
            "amount": f"${rng.randint(50, 9000):,}.00",
            "mate": rng.choice(self.cast.staff[1:]).first,
            "title": rng.choice(self.cast.staff).title,
        }


def _calendars(ctx: Context, scale: int) -> list[Calendar]:
    rng, cast = ctx.rng, ctx.cast
    me = cast.staff[0]
    rows = [Calendar(id=me.email, summary=me.name, primary=True)]
    groups = [("Team", "owner"), ("Customer visits", "writer"), ("Public holidays", "reader")]
    for name, role in groups if scale >= 60 else groups[:2]:
        key = ctx.new_id("c_", length=32, alphabet=HEX)
        rows.append(
            Calendar.model_validate(
                {
                    "id": f"{key}@group.calendar.example",
                    "summary": name,
                    "accessRole": role,
                    "colorId": str(rng.randint(2, 11)),
                }
            )
        )
    roles = ("reader", "freeBusyReader", "writer", "reader", "reader", "freeBusyReader")
    mates = cast.staff[1 : 2 + min(len(roles) - 1, scale // 40)]
    for mate, mate_role in zip(mates, roles, strict=False):
        rows.append(
            Calendar.model_validate(
                {"id": mate.email, "summary": mate.name, "accessRole": mate_role}
            )
        )
    return rows


@service.seed
def seed(ctx: Context, scale: int) -> CalendarState:
    """Calendars with about `scale` records."""
    rng, cast = ctx.rng, ctx.cast
    me = cast.staff[0]
    calendars = _calendars(ctx, scale)
    own, team, visits = calendars[:3]
    by_email = {person.email: person for person in cast.staff}
    mates = [row for row in calendars if row.id in by_email and not row.primary]
    diary = _Diary(ctx)
    for number in range(max(1, min(12, scale // 30))):
        diary.series(team if number % 2 else own, number)
    if scale >= 60:
        for name in ("New Year", "Company day", "Inventory day"):
            diary.whole_day(calendars[3], name, -80, 60)
    for person in rng.sample(cast.staff, min(len(cast.staff), max(1, scale // 40))):
        diary.whole_day(team, f"{person.name} on holiday", -60, 60)
    while len(diary.events) < scale - len(calendars) - 1:
        draw = rng.random()
        if draw < 0.55:
            diary.customer_meeting(own)
        elif draw < 0.7:
            diary.customer_meeting(visits)
        elif draw < 0.85 or not mates:
            diary.internal(own, me)
        else:
            at = rng.choice(mates)
            diary.internal(at, by_email[at.id])
    events = sorted(diary.events, key=lambda row: row.created)
    return CalendarState(
        accounts=Table([Account(id="work", email=me.email)]),
        calendars=Table(calendars),
        events=Table(events),
    )
