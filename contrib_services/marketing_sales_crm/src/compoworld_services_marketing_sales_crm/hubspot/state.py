"""What a HubSpot portal holds, and the service object that its tools register with."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from compoworld_core import Entity, Ref, Service, State, Table
from compoworld_core.types import (
    Code,
    Country,
    CustomerEmail,
    Date,
    DateTime,
    Frozen,
    Json,
    Meaning,
    Money,
    Number,
    PersonName,
    Phone,
    StaffEmail,
    Text,
    Title,
)
from compoworld_core.types import (
    Company as CompanyName,
)

Count = Annotated[Number, Meaning("quantity")]
"""Property values are decimal text on the wire, whole numbers too."""

LifecycleStage = Literal[
    "subscriber",
    "lead",
    "marketingqualifiedlead",
    "salesqualifiedlead",
    "opportunity",
    "customer",
    "evangelist",
    "other",
]
LeadStatus = Literal[
    "NEW",
    "OPEN",
    "IN_PROGRESS",
    "OPEN_DEAL",
    "UNQUALIFIED",
    "ATTEMPTED_TO_CONTACT",
    "CONNECTED",
    "BAD_TIMING",
]
DealStage = Literal[
    "appointmentscheduled",
    "qualifiedtobuy",
    "presentationscheduled",
    "decisionmakerboughtin",
    "contractsent",
    "closedwon",
    "closedlost",
]
TicketStage = Literal["1", "2", "3", "4"]
"""New, waiting on contact, waiting on us, closed."""
TicketPriority = Literal["LOW", "MEDIUM", "HIGH", "URGENT"]
TaskStatus = Literal["NOT_STARTED", "IN_PROGRESS", "WAITING", "COMPLETED", "DEFERRED"]


class Owner(Entity):
    """A user of the portal, to whom records can belong."""

    id: str
    email: StaffEmail
    name: PersonName
    active: bool = True
    """Users who left keep their records but get no more."""


class ObjectType(Entity):
    """A kind of record, under the name that the tools take as objectType."""

    id: str
    object_type_id: str
    singular: str
    plural: str
    primary_property: str
    """What a record of this kind is called by."""


ObjectTypeName = Annotated[
    Ref[ObjectType], Field(examples=["contacts", "companies", "deals", "tickets"])
]
"""A parameter that takes the name of a kind of record; the schema shows the common ones."""


class Contact(Entity):
    """A person we sell to."""

    id: str
    email: CustomerEmail | None = None
    firstname: str | None = None
    lastname: str | None = None
    phone: Phone | None = None
    company: CompanyName | None = None
    jobtitle: str | None = None
    account_no: Code | None = None
    """Number of the customer in our books; a property made in this portal."""
    lifecyclestage: LifecycleStage | None = None
    hs_lead_status: LeadStatus | None = None
    hubspot_owner_id: Ref[Owner] | None = None
    associatedcompanyid: Ref["Company"] | None = None  # noqa: UP037  # defined below
    """The primary company; set by associating one."""
    country: Country | None = None
    message: Text | None = None
    createdate: DateTime
    lastmodifieddate: DateTime
    archived: bool = False
    custom: Json = Field(default_factory=Frozen)
    """Values of further properties made in this portal."""


class Company(Entity):
    """A firm we sell to."""

    id: str
    name: CompanyName | None = None
    domain: str | None = None
    industry: str | None = None
    phone: Phone | None = None
    city: str | None = None
    country: Country | None = None
    annualrevenue: Money | None = None
    numberofemployees: Count | None = None
    lifecyclestage: LifecycleStage | None = None
    hubspot_owner_id: Ref[Owner] | None = None
    description: Text | None = None
    createdate: DateTime
    lastmodifieddate: DateTime
    archived: bool = False
    custom: Json = Field(default_factory=Frozen)


class Deal(Entity):
    """A sale in the making."""

    id: str
    dealname: Title
    amount: Money | None = None
    dealstage: DealStage = "appointmentscheduled"
    pipeline: Literal["default"] = "default"
    closedate: Date | None = None
    dealtype: Literal["newbusiness", "existingbusiness"] | None = None
    hubspot_owner_id: Ref[Owner] | None = None
    hs_primary_associated_company: Ref[Company] | None = None
    """The primary company; set by associating one."""
    description: Text | None = None
    createdate: DateTime
    lastmodifieddate: DateTime
    archived: bool = False
    custom: Json = Field(default_factory=Frozen)


class Ticket(Entity):
    """A customer's question or complaint."""

    id: str
    subject: Title
    content: Text | None = None
    hs_pipeline_stage: TicketStage = "1"
    hs_ticket_priority: TicketPriority | None = None
    source_email: CustomerEmail | None = None
    """Who wrote in; a property made in this portal."""
    hubspot_owner_id: Ref[Owner] | None = None
    createdate: DateTime
    lastmodifieddate: DateTime
    archived: bool = False
    custom: Json = Field(default_factory=Frozen)


class Association(Entity):
    """A link between two records; the primary company of a record is a field of it instead."""

    id: str
    from_type: str
    from_id: str
    to_type: str
    to_id: str
    type_id: int


class Engagement(Entity):
    """A note or a task on some records."""

    id: int
    type: Literal["NOTE", "TASK"]
    owner_id: Ref[Owner] | None = None
    timestamp: DateTime
    """When it happened, or when the task is due."""
    subject: Title | None = None
    body: Text = ""
    status: TaskStatus | None = None
    contact_ids: tuple[Ref[Contact], ...] = ()
    company_ids: tuple[Ref[Company], ...] = ()
    deal_ids: tuple[Ref[Deal], ...] = ()
    ticket_ids: tuple[Ref[Ticket], ...] = ()
    created_at: DateTime
    updated_at: DateTime


PropertyType = Literal["string", "number", "date", "datetime", "enumeration", "bool"]
FieldType = Literal[
    "text",
    "textarea",
    "date",
    "file",
    "number",
    "select",
    "radio",
    "checkbox",
    "booleancheckbox",
    "calculation",
]


class Property(Entity):
    """The definition of a property; the table holds those made in this portal."""

    id: str
    object_type: Ref[ObjectType]
    name: str
    label: Title
    group_name: str
    type: PropertyType = "string"
    field_type: FieldType = "text"
    description: Text = ""
    options: tuple[Json, ...] = ()
    display_order: int = -1
    hidden: bool = False
    form_field: bool = False
    has_unique_value: bool = False
    hubspot_defined: bool = False
    read_only: bool = False
    calculation_formula: str = ""


class Workflow(Entity):
    """An automation; it is only shown here."""

    id: str
    name: Title
    enabled: bool
    object_type_id: str
    description: Text = ""
    actions: tuple[str, ...] = ()
    created_at: DateTime
    updated_at: DateTime


class HubspotState(State):
    """One HubSpot portal."""

    portal_id: int = 24_000_000
    owners: Table[Owner] = Table()
    object_types: Table[ObjectType] = Table()
    contacts: Table[Contact] = Table()
    companies: Table[Company] = Table()
    deals: Table[Deal] = Table()
    tickets: Table[Ticket] = Table()
    associations: Table[Association] = Table()
    engagements: Table[Engagement] = Table()
    properties: Table[Property] = Table()
    workflows: Table[Workflow] = Table()


service = Service(
    "hubspot",
    state=HubspotState,
    domain="marketing_sales_crm",
    title="HubSpot",
    summary="CRM with contacts, companies, deals, tickets, notes and tasks.",
)
service.words.update(
    {
        "owners": "CRM user",
        "contacts": "contact",
        "contacts.email": "with the email address {}",
        "contacts.lastname": "with the last name {}",
        "contacts.company": "from {}",
        "contacts.phone": "with the phone number {}",
        "contacts.account_no": "with account number {}",
        "contacts.lifecyclestage": "in lifecycle stage {}",
        "contacts.hs_lead_status": "with lead status {}",
        "contacts.hubspot_owner_id": "owned by {}",
        "companies": "company",
        "companies.name": "{}",
        "companies.domain": "with the domain {}",
        "companies.industry": "in {}",
        "companies.city": "in {}",
        "companies.hubspot_owner_id": "owned by {}",
        "deals": "deal",
        "deals.dealname": "called {}",
        "deals.amount": "worth {}",
        "deals.dealstage": "in stage {}",
        "deals.closedate": "closing on {}",
        "deals.hubspot_owner_id": "owned by {}",
        "deals.hs_primary_associated_company": "of {}",
        "tickets": "ticket",
        "tickets.subject": "about {}",
        "tickets.content": "with the description {}",
        "tickets.source_email": "from {}",
        "tickets.hs_pipeline_stage": "in stage {}",
        "tickets.hs_ticket_priority": "with {} priority",
        "tickets.hubspot_owner_id": "owned by {}",
        "associations": "association",
        "engagements": "note or task",
        "engagements.subject": "titled {}",
        "engagements.status": "that is {}",
        "properties": "property",
        "properties.label": "labelled {}",
        "workflows": "workflow",
        "workflows.name": "called {}",
    }
)
