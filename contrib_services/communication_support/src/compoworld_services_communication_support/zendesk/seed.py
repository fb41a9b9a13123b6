"""The seeded help desk: customers with their companies, tickets in all states."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from compoworld_core import Context, Table
from compoworld_core.cast import Person
from compoworld_services_communication_support.zendesk import pools
from compoworld_services_communication_support.zendesk.state import (
    FIELDS,
    FIRST_TICKET,
    Article,
    Comment,
    Organization,
    Priority,
    SatisfactionRating,
    Ticket,
    TicketStatus,
    User,
    ZendeskState,
    new_id,
    service,
)

_STATUSES: tuple[TicketStatus, ...] = ("new", "open", "pending", "on-hold", "solved", "closed")
_STATUS_SHARES = (10, 25, 18, 8, 25, 14)
_PRIORITIES: tuple[Priority | None, ...] = (None, "low", "normal", "high", "urgent")
_PRIORITY_SHARES = (12, 18, 42, 20, 8)


@service.seed
def seed(ctx: Context, scale: int) -> ZendeskState:
    """A help desk of about `scale` records."""
    rng, cast = ctx.rng, ctx.cast
    customers = rng.sample(cast.customers, min(len(cast.customers), max(4, scale // 7)))
    organizations = _organizations(ctx, customers)
    agents = _agents(ctx, max(3, min(len(cast.staff), scale // 12)))
    people = _customers(ctx, customers, organizations)
    n_articles = max(2, min(40, scale // 25))
    n_tickets = max(5, scale * 7 // 20)
    tickets = _tickets(ctx, n_tickets, people, agents)
    n_ratings = sum(t.status in ("solved", "closed") for t in tickets) // 3
    used = len(organizations) + len(agents) + len(people) + n_tickets + n_articles + n_ratings
    return ZendeskState(
        organizations=Table(organizations),
        users=Table([*agents, *people]),
        tickets=Table(tickets),
        comments=Table(_comments(ctx, max(3, scale - used - len(FIELDS)), tickets, agents)),
        ticket_fields=Table(FIELDS),
        satisfaction_ratings=Table(_ratings(ctx, tickets, n_ratings)),
        articles=Table(_articles(ctx, agents, n_articles)),
    )


def _organizations(ctx: Context, customers: Sequence[Person]) -> list[Organization]:
    rng = ctx.rng
    domains = {company.name: company.domain for company in ctx.cast.companies}
    cities = {company.name: company.city for company in ctx.cast.companies}
    return [
        Organization(
            id=new_id(ctx),
            name=name,
            domain_names=(domains[name],),
            details=cities[name],
            notes=_text(ctx, rng.choice(pools.ORGANIZATION_NOTES), customers),
            tags=rng.choice(((), (), ("key_account",), ("trial",))),
            created_at=_before(rng, ctx.cast.today - timedelta(days=91), 700),
        )
        for name in dict.fromkeys(person.company for person in customers)
    ]


def _agents(ctx: Context, count: int) -> list[User]:
    return [
        User(
            id=new_id(ctx),
            name=person.name,
            email=person.email,
            phone=person.phone,
            role="admin" if n == 1 else "agent",
            created_at=_before(ctx.rng, ctx.cast.today - timedelta(days=91), 900),
        )
        for n, person in enumerate(ctx.cast.staff[:count])
    ]


def _customers(
    ctx: Context, customers: Sequence[Person], organizations: Sequence[Organization]
) -> list[User]:
    rng = ctx.rng
    ids = {organization.name: organization.id for organization in organizations}
    return [
        User(
            id=new_id(ctx),
            name=person.name,
            email=person.email,
            phone=person.phone if rng.random() < 0.7 else None,
            organization_id=ids[person.company],
            external_id=person.account_no if rng.random() < 0.8 else None,
            notes=_text(ctx, rng.choice(pools.USER_NOTES), [person]),
            tags=rng.choice(((), (), (), ("vip",), ("newsletter",))),
            suspended=rng.random() < 0.03,
            created_at=_before(rng, ctx.cast.today - timedelta(days=91), 600),
        )
        for person in customers
    ]


def _tickets(
    ctx: Context, count: int, people: Sequence[User], agents: Sequence[User]
) -> list[Ticket]:
    rng, today = ctx.rng, ctx.cast.today
    persons = {person.email: person for person in ctx.cast.customers}
    rows = []
    for created in sorted(_before(rng, today, 90) for _ in range(count)):
        ctx.skip_numbers("ticket", rng.randint(0, 3))
        user, case = rng.choice(people), rng.choice(pools.CASES)
        status = rng.choices(_STATUSES, _STATUS_SHARES)[0]
        facts = _facts(ctx, [persons[user.email]])
        taken = status != "new" and (status in ("solved", "closed") or rng.random() < 0.9)
        due = created + timedelta(days=rng.randint(2, 60))
        values: dict[str, Any] = {
            "order_number": facts["order"] if "order" in case.fields else None,
            "invoice_number": facts["invoice"] if "invoice" in case.fields else None,
            "refund_amount": Decimal(facts["amount"]) if "amount" in case.fields else None,
        }
        rows.append(
            Ticket(
                id=ctx.next_number("ticket", FIRST_TICKET),
                subject=case.subject.format(**facts),
                description=case.text.format(**facts),
                status=status,
                priority=rng.choices(_PRIORITIES, _PRIORITY_SHARES)[0],
                type=case.type if rng.random() < 0.85 else None,
                requester_id=user.id,
                requester_email=user.email,
                assignee_id=rng.choice(agents).id if taken else None,
                organization_id=user.organization_id,
                tags=case.tags,
                due_at=due if case.type == "task" and rng.random() < 0.4 else None,
                created_at=created,
                updated_at=min(created + timedelta(hours=rng.randint(1, 90)), today),
                **values,
            )
        )
    return [t if t.type == "task" else t.model_copy(update={"due_at": None}) for t in rows]


def _comments(
    ctx: Context, count: int, tickets: Sequence[Ticket], agents: Sequence[User]
) -> list[Comment]:
    rng, today = ctx.rng, ctx.cast.today
    rows = []
    answered = [ticket for ticket in tickets if ticket.status != "new"] or list(tickets)
    for _ in range(count):
        ticket = rng.choice(answered)
        by_agent = rng.random() < 0.65
        public = not by_agent or rng.random() < 0.65
        author = rng.choice(agents).id if by_agent else ticket.requester_id
        at = ticket.created_at + timedelta(minutes=rng.randint(10, 6000))
        rows.append(
            Comment(
                id=new_id(ctx),
                ticket_id=ticket.id,
                author_id=author,
                body=_text(ctx, rng.choice(pools.REPLIES if public else pools.NOTES)),
                public=public,
                created_at=min(at, today - timedelta(minutes=rng.randint(1, 600))),
            )
        )
    rows.sort(key=lambda row: (row.created_at, row.id))
    return rows


def _ratings(ctx: Context, tickets: Sequence[Ticket], count: int) -> list[SatisfactionRating]:
    rng = ctx.rng
    done = [ticket for ticket in tickets if ticket.status in ("solved", "closed")]
    rows = []
    for ticket in rng.sample(done, count):
        good = rng.random() < 0.75
        rows.append(
            SatisfactionRating(
                id=new_id(ctx),
                ticket_id=ticket.id,
                requester_id=ticket.requester_id,
                score="good" if good else "bad",
                comment=rng.choice(pools.PRAISE if good else pools.BLAME),
                created_at=ticket.updated_at,
            )
        )
    return rows


def _articles(ctx: Context, agents: Sequence[User], count: int) -> list[Article]:
    rng = ctx.rng
    known = list(pools.ARTICLES)
    chosen = rng.sample(known, min(count, len(known)))
    # A large help centre has a page for each product besides the general ones.
    for product in ctx.cast.products[: max(0, count - len(known))]:
        text = f"Setting up the {product.name} ({product.sku}) takes ten minutes."
        chosen.append((f"Setting up the {product.name}", "Products", text))
    return [
        Article(
            id=new_id(ctx),
            title=title,
            body=body,
            section=section,
            label_names=(section.lower(),),
            draft=rng.random() < 0.1,
            author_id=rng.choice(agents).id,
            created_at=(created := _before(rng, ctx.cast.today, 500)),
            updated_at=created + timedelta(days=rng.randint(0, 1)),
        )
        for title, section, body in chosen
    ]


def _text(ctx: Context, template: str, people: Sequence[Person] = ()) -> str:
    return template.format(**_facts(ctx, people or ctx.cast.customers)) if template else ""


def _facts(ctx: Context, people: Sequence[Person]) -> dict[str, Any]:
    rng, cast = ctx.rng, ctx.cast
    person = rng.choice(people)
    day = cast.today + timedelta(days=rng.randint(-30, 20))
    return {
        "person": person.name,
        "company": person.company,
        "email": person.email,
        "product": rng.choice(cast.products).name,
        "quantity": rng.randint(20, 400),
        "order": f"#{rng.randint(1001, 1001 + max(20, len(cast.customers) * 3))}",
        "invoice": f"INV-{rng.randint(2001, 2001 + max(20, len(cast.customers) * 3))}",
        "amount": f"{rng.randrange(10, 900)}.{rng.choice(('00', '50', '95'))}",
        "day": f"{day:%B} {day.day}",
    }


def _before(rng: Random, today: datetime, days: int) -> datetime:
    """A minute in the working hours of a day before today."""
    day = today - timedelta(days=rng.randint(1, days))
    hour, minute, second = rng.randint(6, 20), rng.randrange(60), rng.randrange(60)
    return day.replace(hour=hour, minute=minute, second=second)
