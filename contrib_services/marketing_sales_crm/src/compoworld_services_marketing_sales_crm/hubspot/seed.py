"""A plausible HubSpot portal of any size."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, TypeVar, get_args

from compoworld_core import Context, Table
from compoworld_core.cast import Person
from compoworld_services_marketing_sales_crm.hubspot.associations import link_row
from compoworld_services_marketing_sales_crm.hubspot.records import new_key
from compoworld_services_marketing_sales_crm.hubspot.state import (
    Association,
    Company,
    Contact,
    Deal,
    DealStage,
    Engagement,
    HubspotState,
    LeadStatus,
    LifecycleStage,
    ObjectType,
    Owner,
    Property,
    Ticket,
    TicketPriority,
    TicketStage,
    Workflow,
    service,
)

_DIGITS: Final = "0123456789"
_TYPES: Final = (
    ("contacts", "0-1", "Contact", "email"),
    ("companies", "0-2", "Company", "name"),
    ("deals", "0-3", "Deal", "dealname"),
    ("tickets", "0-5", "Ticket", "subject"),
    ("notes", "0-46", "Note", "hs_note_body"),
    ("tasks", "0-27", "Task", "hs_task_subject"),
)
_STAGES: Final[tuple[LifecycleStage, ...]] = (
    "lead", "lead", "marketingqualifiedlead", "salesqualifiedlead", "opportunity",
    "opportunity", "customer", "customer", "customer", "subscriber", "evangelist",
)  # fmt: skip
_TICKET_STAGES: Final[tuple[TicketStage, ...]] = ("1", "2", "2", "3", "3", "4", "4", "4")
_DEAL_KINDS: Final = ("order", "renewal", "framework contract", "trial", "replacement")
_SUBJECTS: Final = (
    "Delivery is late",
    "Wrong item in the parcel",
    "Question about the invoice",
    "Change of the delivery address",
    "Damaged packaging",
    "Quote for a larger order",
    "Access to the customer portal",
    "Missing parts",
)
_NOTES: Final = (
    "Called, no answer; will try again.",
    "Interested in a larger order next quarter.",
    "Asked for a written offer.",
    "Prefers to be reached by email.",
    "Decision is with the purchasing department.",
    "Happy with the last delivery.",
    "Compares us with two other suppliers.",
)
_TASKS: Final = (
    "Send the offer",
    "Call back",
    "Prepare the contract",
    "Check the delivery date",
    "Ask for feedback",
    "Update the contact details",
)
_FLOWS: Final = (
    ("Welcome new leads", "0-1", ("Wait for a day", "Send the welcome email")),
    ("Assign large deals", "0-3", ("Branch by amount", "Set the owner", "Notify the owner")),
    ("Escalate urgent tickets", "0-5", ("Wait for four hours", "Create a task")),
    ("Win back lost deals", "0-3", ("Wait for ninety days", "Create a task")),
)
T = TypeVar("T")


class _Portal:
    """The portal while it is filled."""

    def __init__(self, ctx: Context, scale: int) -> None:
        self.ctx, self.rng, self.scale = ctx, ctx.rng, scale
        self.today = ctx.cast.today
        self.owners: list[Owner] = []
        self.companies: list[Company] = []
        self.contacts: list[Contact] = []
        self.deals: list[Deal] = []
        self.tickets: list[Ticket] = []
        self.links: dict[str, Association] = {}

    def share(self, part: float) -> int:
        """At least one, and about this part of the records."""
        return max(1, int(self.scale * part))

    def moments(self, days: int) -> tuple[datetime, datetime]:
        """When a record was made and when it was last changed."""
        made = self.rng.randrange(120, days * 1440)
        changed = self.rng.randrange(60, made)
        return self.today - timedelta(minutes=made), self.today - timedelta(minutes=changed)

    def sometimes(self, value: T, share: float) -> T | None:
        """The value for this share of the records."""
        return value if self.rng.random() < share else None

    def owner(self) -> str | None:
        """Most records belong to somebody; a few to users who left."""
        return self.sometimes(self.rng.choice(self.owners).id, 0.85)

    def remark(self, bank: Sequence[str]) -> str:
        """A text; a fifth of them name somebody or something of the world."""
        rng, cast = self.rng, self.ctx.cast
        if rng.random() >= 0.2:
            return rng.choice(bank)
        person, colleague = rng.choice(cast.customers), rng.choice(cast.staff)
        product, order = rng.choice(cast.products).name, rng.randrange(1001, 1400)
        day = self.today.date() + timedelta(days=rng.randrange(-40, 40))
        return rng.choice(
            (
                f"Spoke with {person.name} of {person.company} about the {product}.",
                f"{colleague.name} will write to {person.email} by {day.isoformat()}.",
                f"Account {person.account_no} ordered {rng.randint(2, 40)} pieces in {day:%B}.",
                f"Budget of ${rng.randrange(10, 90) * 100:,} agreed with {person.company}.",
                f"Refers to order #{order}; ask {colleague.first} for details.",
            )
        )

    def link(self, start: tuple[str, str], end: tuple[str, str]) -> None:
        """Associate two records, in the order in which links are stored."""
        row = link_row(start, end)
        self.links.setdefault(row.id, row)


@service.seed
def seed(ctx: Context, scale: int) -> HubspotState:
    """A portal with contacts and companies of the cast, and what is sold to them."""
    portal = _Portal(ctx, scale)
    people = ctx.cast.customers[: portal.share(0.28)]
    _fill_owners(portal)
    _fill_companies(portal, people)
    _fill_contacts(portal, people)
    _fill_deals(portal)
    _fill_tickets(portal)
    return HubspotState(
        portal_id=24_000_000 + portal.rng.randrange(9_000_000),
        owners=Table(portal.owners),
        object_types=Table(
            ObjectType(
                id=kind, object_type_id=number, singular=singular,
                plural=kind.capitalize(), primary_property=primary,
            )
            for kind, number, singular, primary in _TYPES
        ),
        contacts=Table(portal.contacts),
        companies=Table(portal.companies),
        deals=Table(portal.deals),
        tickets=Table(portal.tickets),
        engagements=Table(_engagements(portal)),
        associations=Table(portal.links.values()),
        properties=Table(_properties()),
        workflows=Table(_workflows(portal)),
    )  # fmt: skip


def _fill_owners(portal: _Portal) -> None:
    for n, person in enumerate(portal.ctx.cast.staff[: max(3, portal.share(0.05))]):
        portal.owners.append(
            Owner(
                id=portal.ctx.new_id("8", length=7, alphabet=_DIGITS),
                email=person.email,
                name=person.name,
                active=n == 0 or (n != 2 and portal.rng.random() < 0.9),
            )
        )


def _fill_companies(portal: _Portal, people: Sequence[Person]) -> None:
    rng, cast = portal.rng, portal.ctx.cast
    names = list(dict.fromkeys(person.company for person in people))[: portal.share(0.13)]
    known = {company.name: company for company in cast.companies}
    for name in names:
        firm = known[name]
        made, changed = portal.moments(600)
        portal.companies.append(
            Company(
                id=new_key(portal.ctx, "companies"),
                name=name,
                domain=firm.domain,
                industry=firm.industry,
                phone=portal.sometimes(rng.choice(people).phone, 0.3),
                city=firm.city,
                country=firm.country,
                annualrevenue=portal.sometimes(Decimal(rng.randrange(2, 900) * 100_000), 0.7),
                numberofemployees=portal.sometimes(Decimal(rng.randrange(4, 2500)), 0.7),
                lifecyclestage=rng.choice(_STAGES),
                hubspot_owner_id=portal.owner(),
                description=portal.sometimes(portal.remark(_NOTES), 0.5),
                createdate=made,
                lastmodifieddate=changed,
                archived=rng.random() < 0.02,
            )
        )


def _fill_contacts(portal: _Portal, people: Sequence[Person]) -> None:
    rng = portal.rng
    employer = {company.name: company.id for company in portal.companies}
    for person in people:
        made, changed = portal.moments(600)
        portal.contacts.append(
            Contact(
                id=new_key(portal.ctx, "contacts"),
                email=person.email,
                firstname=person.first,
                lastname=person.last,
                phone=portal.sometimes(person.phone, 0.85),
                company=person.company,
                jobtitle=person.title,
                account_no=person.account_no,
                lifecyclestage=rng.choice(_STAGES),
                hs_lead_status=portal.sometimes(rng.choice(get_args(LeadStatus)), 0.6),
                hubspot_owner_id=portal.owner(),
                associatedcompanyid=employer.get(person.company),
                country=person.country,
                message=portal.sometimes(portal.remark(_NOTES), 0.4),
                createdate=made,
                lastmodifieddate=changed,
                archived=rng.random() < 0.02,
            )
        )


def _fill_deals(portal: _Portal) -> None:
    rng, cast = portal.rng, portal.ctx.cast
    for _ in range(portal.share(0.15)):
        contact = rng.choice(portal.contacts)
        made, changed = portal.moments(120)
        product = rng.choice(cast.products)
        stage = rng.choice(get_args(DealStage))
        ahead = rng.randrange(-60, 0) if stage.startswith("closed") else rng.randrange(1, 60)
        deal = Deal(
            id=new_key(portal.ctx, "deals"),
            dealname=f"{contact.company} {product.name} {rng.choice(_DEAL_KINDS)}",
            amount=portal.sometimes(product.price * rng.choice((5, 10, 20, 40, 100)), 0.92),
            dealstage=stage,
            closedate=(portal.today + timedelta(days=ahead)).date(),
            dealtype=rng.choice(("newbusiness", "existingbusiness")),
            hubspot_owner_id=portal.owner(),
            hs_primary_associated_company=contact.associatedcompanyid,
            description=portal.sometimes(portal.remark(_NOTES), 0.6),
            createdate=made,
            lastmodifieddate=changed,
        )
        portal.deals.append(deal)
        portal.link(("contacts", contact.id), ("deals", deal.id))
        if rng.random() < 0.15:
            portal.link(("contacts", rng.choice(portal.contacts).id), ("deals", deal.id))


def _fill_tickets(portal: _Portal) -> None:
    rng = portal.rng
    for _ in range(portal.share(0.08)):
        contact = rng.choice(portal.contacts)
        made, changed = portal.moments(90)
        ticket = Ticket(
            id=new_key(portal.ctx, "tickets"),
            subject=rng.choice(_SUBJECTS),
            content=portal.remark(_NOTES),
            hs_pipeline_stage=rng.choice(_TICKET_STAGES),
            hs_ticket_priority=rng.choice(get_args(TicketPriority)),
            source_email=contact.email,
            hubspot_owner_id=portal.owner(),
            createdate=made,
            lastmodifieddate=changed,
        )
        portal.tickets.append(ticket)
        portal.link(("contacts", contact.id), ("tickets", ticket.id))


def _engagements(portal: _Portal) -> list[Engagement]:
    rng = portal.rng
    rows = []
    for n in range(portal.share(0.13)):
        task = n % 2 == 1
        made, changed = portal.moments(90)
        fields: dict[str, Any] = {"type": "NOTE", "timestamp": made}
        if task:
            due = portal.today + timedelta(days=rng.randrange(-20, 40))
            status = rng.choice(("NOT_STARTED", "NOT_STARTED", "IN_PROGRESS", "COMPLETED"))
            fields = {"type": "TASK", "timestamp": due, "status": status}
            fields["subject"] = rng.choice(_TASKS)
        deal = rng.choice(portal.deals).id
        rows.append(
            Engagement(
                id=int(portal.ctx.new_id("7", length=10, alphabet=_DIGITS)),
                owner_id=rng.choice(portal.owners).id,
                body=portal.remark(_NOTES),
                contact_ids=(rng.choice(portal.contacts).id,),
                deal_ids=(deal,) if rng.random() < 0.4 else (),
                created_at=made,
                updated_at=changed,
                **fields,
            )
        )
    return rows


def _properties() -> list[Property]:
    regions = ("North", "South", "East", "West")
    return [
        Property(
            id="contacts.sales_region",
            object_type="contacts",
            name="sales_region",
            label="Sales region",
            group_name="contactinformation",
            type="enumeration",
            field_type="select",
            options=tuple({"label": r, "value": r.lower()} for r in regions),
        ),
        Property(
            id="deals.purchase_order",
            object_type="deals",
            name="purchase_order",
            label="Purchase order",
            group_name="dealinformation",
            description="Number that the customer gave to the order.",
        ),
    ]


def _workflows(portal: _Portal) -> list[Workflow]:
    rows = []
    for name, number, actions in _FLOWS[: max(2, portal.scale // 50)]:
        made, changed = portal.moments(700)
        rows.append(
            Workflow(
                id=portal.ctx.new_id("9", length=7, alphabet=_DIGITS),
                name=name,
                enabled=portal.rng.random() < 0.8,
                object_type_id=number,
                actions=actions,
                created_at=made,
                updated_at=changed,
            )
        )
    return rows
