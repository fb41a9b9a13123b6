"""Entities, state and the service object of Zendesk."""

from __future__ import annotations

from typing import Annotated, Literal

from compoworld_core import Context, Entity, IntRef, Service, State, Table
from compoworld_core.context import DIGITS
from compoworld_core.types import (
    Code,
    Company,
    DateTime,
    Email,
    Meaning,
    Money,
    PersonName,
    Phone,
    StrSet,
    Text,
    Title,
)

TicketStatus = Literal["new", "open", "pending", "on-hold", "solved", "closed"]
Priority = Literal["low", "normal", "high", "urgent"]
TicketType = Literal["problem", "incident", "question", "task"]
Tags = Annotated[StrSet, Meaning("tag")]


class Organization(Entity):
    """A customer's company."""

    id: int
    name: Company
    domain_names: StrSet = ()
    """Addresses of these domains belong to it."""
    details: Text = ""
    notes: Text = ""
    tags: Tags = ()
    created_at: DateTime


class User(Entity):
    """An end user who asks, or an agent or admin who answers."""

    id: int
    name: PersonName
    email: Email
    phone: Phone | None = None
    role: Literal["end-user", "agent", "admin"] = "end-user"
    organization_id: IntRef[Organization] | None = None
    external_id: Code | None = None
    """The customer's account number in our other systems."""
    notes: Text = ""
    tags: Tags = ()
    suspended: bool = False
    """Suspended people cannot open tickets."""
    created_at: DateTime


class Ticket(Entity):
    """A request for help."""

    id: int
    subject: Title
    description: Text
    """What the requester wrote first; later writing is in the comments."""
    status: TicketStatus = "new"
    priority: Priority | None = None
    type: TicketType | None = None
    requester_id: IntRef[User]
    requester_email: Email
    """The address the request came from."""
    assignee_id: IntRef[User] | None = None
    organization_id: IntRef[Organization] | None = None
    tags: Tags = ()
    due_at: DateTime | None = None
    order_number: Code | None = None
    """Custom field."""
    invoice_number: Code | None = None
    """Custom field."""
    refund_amount: Money | None = None
    """Custom field."""
    created_at: DateTime
    updated_at: DateTime


class Comment(Entity):
    """A public reply or an internal note on a ticket."""

    id: int
    ticket_id: IntRef[Ticket]
    author_id: IntRef[User]
    body: Text
    public: bool = True
    """Whether the requester sees it."""
    created_at: DateTime


class TicketField(Entity):
    """A custom field that tickets have."""

    id: int
    key: Literal["order_number", "invoice_number", "refund_amount"]
    """The name under which tickets show it."""
    title: Title
    type: Literal["text", "decimal"]


class SatisfactionRating(Entity):
    """What a requester thought of the answer."""

    id: int
    ticket_id: IntRef[Ticket]
    requester_id: IntRef[User]
    score: Literal["good", "bad"]
    comment: Text = ""
    created_at: DateTime


class Article(Entity):
    """A page of the help centre."""

    id: int
    title: Title
    body: Text
    section: str
    label_names: Tags = ()
    draft: bool = False
    author_id: IntRef[User]
    created_at: DateTime
    updated_at: DateTime


class ZendeskState(State):
    """One help desk."""

    organizations: Table[Organization] = Table()
    users: Table[User] = Table()
    tickets: Table[Ticket] = Table()
    comments: Table[Comment] = Table()
    ticket_fields: Table[TicketField] = Table()
    satisfaction_ratings: Table[SatisfactionRating] = Table()
    articles: Table[Article] = Table()


service = Service(
    "zendesk",
    state=ZendeskState,
    domain="communication_support",
    title="Zendesk",
    summary="Support tickets with comments, their people and organizations, help articles.",
)

service.words.update(
    {
        "organizations": "Zendesk organization",
        "organizations.name": "{}",
        "organizations.notes": "with the note {}",
        "users": "Zendesk user",
        "users.name": "named {}",
        "users.email": "with the email address {}",
        "users.phone": "with the phone number {}",
        "users.external_id": "with the account number {}",
        "users.notes": "with the note {}",
        "users.role": "with {} rights",
        "tickets": "support ticket",
        "tickets.subject": "about {}",
        "tickets.status": "that is {}",
        "tickets.priority": "with {} priority",
        "tickets.requester_email": "from {}",
        "tickets.order_number": "about order {}",
        "tickets.invoice_number": "about invoice {}",
        "tickets.refund_amount": "with a refund of {}",
        "tickets.tags": "tagged {}",
        "tickets.due_at": "due at {}",
        "tickets.description": "saying {}",
        "comments": "ticket comment",
        "comments.body": "saying {}",
        "ticket_fields": "ticket field",
        "satisfaction_ratings": "satisfaction rating",
        "satisfaction_ratings.score": "with the score {}",
        "articles": "help article",
        "articles.title": "titled {}",
        "articles.body": "saying {}",
        "articles.section": "in the section {}",
    }
)


def new_id(ctx: Context) -> int:
    """An opaque twelve-digit id, as all records but tickets have."""
    return int("36" + ctx.new_id("", length=10, alphabet=DIGITS))


FIRST_TICKET = 1001
"""Where ticket numbers start."""

ORDER_FIELD = 360000000101
INVOICE_FIELD = 360000000102
REFUND_FIELD = 360000000103

FIELDS = (
    TicketField(id=ORDER_FIELD, key="order_number", title="Order number", type="text"),
    TicketField(id=INVOICE_FIELD, key="invoice_number", title="Invoice number", type="text"),
    TicketField(id=REFUND_FIELD, key="refund_amount", title="Refund amount", type="decimal"),
)
"""The custom fields of every help desk here; their ids are part of documented examples."""
