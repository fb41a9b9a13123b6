"""The seeded workspace: staff, guests, channels with talk in them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random

from compoworld_core import Context, Table
from compoworld_core.cast import Person
from compoworld_core.context import UPPER
from compoworld_services_communication_support.slack.state import (
    Channel,
    Message,
    Reaction,
    Reminder,
    ScheduledMessage,
    SlackState,
    User,
    new_ts,
    service,
)

TEAM_CHANNELS = (
    ("random", "Off-topic", "Everything that has no other place"),
    ("support", "Hand over open cases before you leave", "Questions from customers"),
    ("finance", "Month end on the last working day", "Invoices, payments and budgets"),
    ("sales", "Pipeline review on Tuesdays", "Deals and quotes"),
    ("engineering", "Deploys need two reviews", "Building and running the product"),
    ("operations", "Warehouse hours 7 to 18", "Stock, shipping and suppliers"),
    ("marketing", "Newsletter goes out on Thursdays", "Campaigns and content"),
    ("people", "Holiday plans due soon", "Hiring and onboarding"),
    ("incidents", "Page the on-call person first", "Outages and their follow-up"),
    ("leadership", "Weekly review", "Plans and decisions"),
)
PRIVATE = frozenset({"leadership", "people"})
AREAS = ("launch", "migration", "audit", "redesign", "rollout", "renewal", "training")
TALK = (
    "Morning all, standup notes are in the doc.",
    "Can somebody look at the {area} checklist today?",
    "The {area} is on track, next update on Friday.",
    "I moved our sync to {day}.",
    "Who has the latest numbers for the {area}?",
    "Reminder: the office is closed next Monday.",
    "Lunch order closes at eleven.",
    "Done, thanks for the quick review.",
    "Pushed the slides for the {area} kickoff.",
    "Let us talk about the {area} after standup.",
    "The printer on the second floor works again.",
    "I am out on {day}, ping the team channel instead.",
    "Nice work on the {area}!",
    "Draft is ready, comments welcome until {day}.",
)
FACTS = (
    "{person} from {company} asked when we can talk about the {area}.",
    "Call with {company} moved to {day}.",
    "{company} wants a quote for {quantity} x {product}.",
    "Please send {person} ({email}) the {area} summary.",
    "{company} is waiting for a reply on {code}.",
    "We owe {company} a credit of ${amount}.",
    "{person} confirmed ${amount} for the {area}.",
    "Heads-up: {code} is about {company}, not about us.",
)
REPLIES = (
    "On it.",
    "Thanks!",
    "I can take this.",
    "Looks good to me.",
    "Waiting for an answer from {company}.",
    "Done as of this morning.",
    "Let me check with {person}.",
)
ERRANDS = (
    "Call {person} back",
    "Send the {area} summary to {company}",
    "Prepare the {area} review",
    "Check the numbers for {company}",
    "Book a room for the {area} workshop",
)
EMOJI = ("thumbsup", "eyes", "tada", "white_check_mark", "heart", "rocket")
STATUSES = (("In a meeting", ":spiral_calendar_pad:"), ("On holiday", ":palm_tree:"),
            ("Working remotely", ":house_with_garden:"), ("Commuting", ":bus:"))  # fmt: skip


@service.seed
def seed(ctx: Context, scale: int) -> SlackState:
    """A workspace of about `scale` records."""
    users = _users(ctx, scale)
    channels = _channels(ctx, users, max(3, scale * 8 // 100))
    n_plans = max(1, scale * 3 // 100)
    rest = scale - len(users) - len(channels) - 2 * n_plans
    return SlackState(
        users=Table(users),
        channels=Table(channels),
        messages=Table(_messages(ctx, users, channels, max(6, rest))),
        scheduled_messages=Table(_scheduled(ctx, channels, n_plans)),
        reminders=Table(_reminders(ctx, users, n_plans)),
    )


def _users(ctx: Context, scale: int) -> list[User]:
    rng = ctx.rng
    staff = ctx.cast.staff[: max(5, min(len(ctx.cast.staff), scale // 6))]
    guests = rng.sample(ctx.cast.customers, min(len(ctx.cast.customers), max(2, scale // 15)))
    handles: set[str] = set()
    rows = []
    for n, person in enumerate((*staff, *guests)):
        text, emoji = rng.choice(STATUSES) if rng.random() < 0.15 else ("", "")
        rows.append(
            User(
                id=ctx.new_id("U0", length=9, alphabet=UPPER),
                name=_handle(person, handles),
                real_name=person.name,
                email=person.email,
                title=person.title,
                phone=person.phone if rng.random() < 0.6 else None,
                is_admin=n in (1, 2),
                is_guest=not person.is_staff,
                deleted=n > 3 and rng.random() < 0.04,
                status_text=text,
                status_emoji=emoji,
            )
        )
    return rows


def _handle(person: Person, taken: set[str]) -> str:
    first, last = person.first.lower(), person.last.lower()
    options = (first, f"{first}.{last}", f"{first[0]}{last}", person.email.split("@")[0])
    name = next((option for option in options if option not in taken), person.email)
    taken.add(name)
    return name


def _channels(ctx: Context, users: list[User], count: int) -> list[Channel]:
    rng, today = ctx.rng, ctx.cast.today
    staff = [user for user in users[1:] if not user.is_guest]
    guests = [user for user in users if user.is_guest]
    me = users[0]
    everyone = tuple(user.id for user in staff)
    rows = [
        Channel(
            id=_channel_id(ctx),
            name="general",
            purpose="Announcements for the whole company",
            is_general=True,
            other_members=everyone,
            creator=me.id,
            created=today - timedelta(days=900),
        )
    ]
    teams = TEAM_CHANNELS[: max(1, count // 3)]
    n_shared = max(1, count // 4)
    partners = rng.sample(ctx.cast.companies, min(n_shared, len(ctx.cast.companies)))
    taken = {"general"}
    specs: list[tuple[str, str, str, str | None]] = [(*team, None) for team in teams]
    for partner in partners:
        slug = partner.name.lower().replace(" ", "-")
        topic = f"Shared with {partner.name}"
        specs.append((f"ext-{slug}", topic, f"Working with {partner.name}", partner.name))
    n_direct = max(0, count // 6)
    while len(specs) + len(rows) + n_direct < count:
        company, area = rng.choice(ctx.cast.companies), rng.choice(AREAS)
        stem = company.name.split()[0].lower()
        kind = rng.choice(("proj", "proj", "deal", "team"))
        name = f"{kind}-{stem}-{area}"
        topic = rng.choice((f"{area.capitalize()} for {company.name}", "", f"{area} status"))
        specs.append((name, topic, f"{area.capitalize()} with {company.name}", None))
    for name, topic, purpose, shared in specs:
        base, number = name, 2
        while name in taken:
            name, number = f"{base}-{number}", number + 1
        taken.add(name)
        members = rng.sample(staff, rng.randint(1, min(len(staff), 9)))
        visitors = rng.sample(guests, 1) if shared and guests else []
        rows.append(
            Channel(
                id=_channel_id(ctx),
                name=name,
                topic=topic,
                purpose=purpose,
                is_private=name in PRIVATE or (shared is None and rng.random() < 0.08),
                is_archived=base not in ("support", "random") and rng.random() < 0.06,
                is_member=rng.random() < 0.85,
                other_members=tuple(user.id for user in (*members, *visitors)),
                creator=members[0].id,
                shared_with=shared,
                created=_past(rng, today - timedelta(days=95), 400),
            )
        )
    rows.extend(
        Channel(
            id=ctx.new_id("D0", length=9, alphabet=UPPER),
            name=f"dm-{user.name}",
            is_private=True,
            is_im=True,
            other_members=(user.id,),
            creator=me.id,
            created=_past(rng, today - timedelta(days=95), 300),
        )
        for user in rng.sample(staff, min(n_direct, len(staff)))
    )
    return rows


def _channel_id(ctx: Context) -> str:
    return ctx.new_id("C0", length=9, alphabet=UPPER)


def _messages(
    ctx: Context, users: list[User], channels: list[Channel], count: int
) -> list[Message]:
    rng, today = ctx.rng, ctx.cast.today
    times = sorted(_past(rng, today, 90) for _ in range(count))
    rows: list[Message] = []
    starters: dict[str, list[str]] = {}
    for at in times:
        channel = rng.choice(channels)
        if rng.random() < 0.25:
            channel = channels[0]
        authors = list(channel.other_members) + ([users[0].id] * 2 if channel.is_member else [])
        open_threads = starters.setdefault(channel.id, [])
        thread = None
        if open_threads and rng.random() < 0.3:
            thread = rng.choice(open_threads[-6:])
        text = _text(ctx, REPLIES if thread else (FACTS if rng.random() < 0.25 else TALK))
        edited = at + timedelta(minutes=rng.randint(1, 40)) if rng.random() < 0.05 else None
        message = Message(
            id=new_ts(ctx, at),
            channel=channel.id,
            user=rng.choice(authors),
            text=text,
            thread_ts=thread,
            reactions=_reactions(rng, authors) if rng.random() < 0.2 else (),
            is_pinned=thread is None and rng.random() < 0.04,
            posted_at=at,
            edited_at=edited,
        )
        rows.append(message)
        if thread is None:
            open_threads.append(message.id)
    return rows


def _reactions(rng: Random, authors: Sequence[str]) -> tuple[Reaction, ...]:
    people = list(dict.fromkeys(authors))
    return tuple(
        Reaction(
            name=name, users=tuple(rng.sample(people, rng.randint(1, min(3, len(people)))))
        )
        for name in rng.sample(EMOJI, rng.choice((1, 1, 2)))
    )


def _scheduled(ctx: Context, channels: list[Channel], count: int) -> list[ScheduledMessage]:
    live = [c for c in channels if c.is_member and not c.is_archived]
    return [
        ScheduledMessage(
            id=ctx.new_id("Q0", length=9, alphabet=UPPER),
            channel=ctx.rng.choice(live).id,
            text=_text(ctx, FACTS if ctx.rng.random() < 0.4 else TALK),
            post_at=_ahead(ctx.rng, ctx.cast.today),
        )
        for _ in range(count)
    ]


def _reminders(ctx: Context, users: list[User], count: int) -> list[Reminder]:
    rng, rows = ctx.rng, []
    staff = [user for user in users if not user.is_guest and not user.deleted]
    for _ in range(count):
        done = rng.random() < 0.3
        mine = rng.random() < 0.7
        rows.append(
            Reminder(
                id=ctx.new_id("Rm0", length=8, alphabet=UPPER),
                user=users[0].id if mine else rng.choice(staff).id,
                creator=users[0].id if not mine or rng.random() < 0.8 else rng.choice(staff).id,
                text=_text(ctx, ERRANDS),
                time=(_past if done else _soon)(rng, ctx.cast.today, 60),
                complete=done,
            )
        )
    return rows


def _text(ctx: Context, templates: Sequence[str]) -> str:
    rng, cast = ctx.rng, ctx.cast
    person = rng.choice(cast.customers)
    day = cast.today + timedelta(days=rng.randint(1, 20))
    return rng.choice(templates).format(
        person=person.name,
        company=person.company,
        email=person.email,
        area=rng.choice(AREAS),
        day=f"{day:%B} {day.day}",
        quantity=rng.randint(2, 40),
        product=rng.choice(cast.products).name,
        amount=f"{rng.randrange(40, 4000)}.{rng.choice(('00', '50', '95'))}",
        code=f"{rng.choice(('INV', 'ENG', 'PO'))}-{rng.randint(100, 2999)}",
    )


def _past(rng: Random, today: datetime, days: int) -> datetime:
    """A minute in the working hours of a day before today."""
    day = today - timedelta(days=rng.randint(1, days))
    return day.replace(
        hour=rng.randint(7, 18), minute=rng.randrange(60), second=rng.randrange(60)
    )


def _soon(rng: Random, today: datetime, days: int) -> datetime:
    day = today + timedelta(days=rng.randint(1, days))
    return day.replace(hour=rng.randint(7, 18), minute=rng.choice((0, 15, 30, 45)))


def _ahead(rng: Random, today: datetime) -> datetime:
    return _soon(rng, today, 60)
