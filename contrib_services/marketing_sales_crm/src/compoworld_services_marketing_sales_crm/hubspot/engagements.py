"""Notes and tasks on records."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import UNSET, Context, IntRef, ToolError
from compoworld_core.observation import closest
from compoworld_core.resources import check, require
from compoworld_core.types import DateTime, Forms, Meaning
from compoworld_services_marketing_sales_crm.hubspot.records import (
    CrmObject,
    check_owner,
    live,
)
from compoworld_services_marketing_sales_crm.hubspot.state import (
    Company,
    Contact,
    Deal,
    Engagement,
    HubspotState,
    Owner,
    TaskStatus,
    Ticket,
    service,
)

_ID_FIELDS: Final = {
    "contacts": "contact_ids",
    "companies": "company_ids",
    "deals": "deal_ids",
    "tickets": "ticket_ids",
}
_STATUSES: Final = get_args(TaskStatus)
_LONGEST = 65_536
_LAST_MILLISECOND = 4_102_444_800_000  # 2100-01-01

Milliseconds = Annotated[int, Meaning("datetime")]
Metadata = Annotated[
    dict[str, Any],
    Forms(
        **{
            "engagements.body": {"body": "{}"},
            "engagements.subject": {"subject": "{}"},
            "engagements.status": {"status": "{}"},
        }
    ),
]


class Associations(BaseModel):
    """Records that a note or task belongs to."""

    model_config = ConfigDict(extra="forbid")

    contactIds: list[IntRef[Contact]] = []  # noqa: N815
    companyIds: list[IntRef[Company]] = []  # noqa: N815
    dealIds: list[IntRef[Deal]] = []  # noqa: N815
    ownerIds: list[IntRef[Owner]] = []  # noqa: N815
    ticketIds: list[IntRef[Ticket]] = []  # noqa: N815


class Head(BaseModel):
    """The engagement itself."""

    model_config = ConfigDict(extra="forbid")

    id: int
    type: Literal["NOTE", "TASK"]
    ownerId: str | None  # noqa: N815
    timestamp: DateTime
    createdAt: DateTime  # noqa: N815
    lastUpdated: DateTime  # noqa: N815


class EngagementView(BaseModel):
    """A note or task with its content and the records that it belongs to."""

    model_config = ConfigDict(extra="forbid")

    engagement: Head
    associations: dict[str, list[int]]
    metadata: dict[str, str]


def _view(row: Engagement) -> EngagementView:
    metadata = {"subject": row.subject, "body": row.body, "status": row.status}
    return EngagementView(
        engagement=Head(
            id=row.id,
            type=row.type,
            ownerId=row.owner_id,
            timestamp=row.timestamp,
            createdAt=row.created_at,
            lastUpdated=row.updated_at,
        ),
        associations={
            "contactIds": [int(key) for key in row.contact_ids],
            "companyIds": [int(key) for key in row.company_ids],
            "dealIds": [int(key) for key in row.deal_ids],
            "ticketIds": [int(key) for key in row.ticket_ids],
        },
        metadata={name: text for name, text in metadata.items() if text},
    )


def noted(state: HubspotState, kind: str, key: str, to: str) -> list[str]:
    """The ids of the notes or tasks on a record."""
    field = _ID_FIELDS[kind]
    return [str(row.id) for row in notes_or_tasks(state, to) if key in getattr(row, field)]


def notes_or_tasks(state: HubspotState, kind: str) -> list[Engagement]:
    """All rows of one of the two kinds, under the name that the tools take as objectType."""
    return state.engagements.where(type="NOTE" if kind == "notes" else "TASK")


def as_object(row: Engagement) -> CrmObject:
    """A note or task in the form of a record."""
    prefix = "hs_note" if row.type == "NOTE" else "hs_task"
    values = {
        f"{prefix}_body": row.body,
        f"{prefix}_subject": row.subject,
        f"{prefix}_status": row.status,
        "hs_timestamp": row.timestamp,
        "hubspot_owner_id": row.owner_id,
    }
    return CrmObject(
        id=str(row.id),
        properties={name: value for name, value in values.items() if value},
        createdAt=row.created_at,
        updatedAt=row.updated_at,
        archived=False,
    )


@service.tool(name="hubspot-create-engagement")
def create_engagement(
    state: HubspotState,
    ctx: Context,
    type: Literal["NOTE", "TASK"],
    ownerId: Annotated[IntRef[Owner], Field(gt=0)],  # noqa: N803
    associations: Associations,
    metadata: Metadata,
    timestamp: Milliseconds = UNSET,
) -> EngagementView:
    """Put a note or a task on records.

    Args:
        type: NOTE or TASK.
        ownerId: the user it belongs to; hubspot-get-user-details tells your own.
        associations: ids of the contacts, companies, deals and tickets it belongs to.
        metadata: body for a note; subject, body and status for a task.
        timestamp: when it happened or is due, in milliseconds since 1970; now if left out.
    """
    check_owner(state, str(ownerId))
    content = _content(type, metadata)
    need = "body" if type == "NOTE" else "subject"
    check(bool(content.get(need)), "invalid_argument", f"a {type} needs metadata.{need}")
    if type == "TASK":
        content.setdefault("status", "NOT_STARTED")
    number = int(ctx.new_id("7", length=10, alphabet="0123456789"))
    moment = ctx.now if timestamp is UNSET else _moment(timestamp)
    row = Engagement(
        id=number,
        type=type,
        owner_id=str(ownerId),
        timestamp=moment,
        created_at=ctx.now,
        updated_at=ctx.now,
        **content,
        **_targets(state, associations),
    )
    return _view(state.engagements.insert(row))


@service.tool(name="hubspot-get-engagement", read_only=True)
def get_engagement(
    state: HubspotState,
    engagementId: Annotated[IntRef[Engagement], Field(gt=0)],  # noqa: N803
) -> EngagementView:
    """Show a note or task with its content and the records that it belongs to.

    Args:
        engagementId: its id.
    """
    return _view(require(state.engagements, engagementId, "engagement"))


@service.tool(name="hubspot-update-engagement")
def update_engagement(
    state: HubspotState,
    ctx: Context,
    engagementId: Annotated[IntRef[Engagement], Field(gt=0)],  # noqa: N803
    metadata: Metadata,
    associations: Associations,
    ownerId: Annotated[IntRef[Owner], Field(gt=0)] = UNSET,  # noqa: N803
    timestamp: Milliseconds = UNSET,
) -> EngagementView:
    """Change a note or task; what is not given stays as it is.

    Args:
        engagementId: its id.
        metadata: new body, subject or status.
        associations: records to add it to.
        ownerId: the user it goes to.
        timestamp: when it happened or is due, in milliseconds since 1970.
    """
    row = require(state.engagements, engagementId, "engagement")
    changes: dict[str, Any] = _content(row.type, metadata)
    for field, keys in _targets(state, associations).items():
        held = getattr(row, field)
        added = tuple(key for key in keys if key not in held)
        if added:
            changes[field] = (*held, *added)
    if ownerId is not UNSET:
        check_owner(state, str(ownerId))
        changes["owner_id"] = str(ownerId)
    if timestamp is not UNSET:
        changes["timestamp"] = _moment(timestamp)
    check(bool(changes), "invalid_argument", "give metadata, associations, an owner or a time")
    return _view(state.engagements.update(row.id, updated_at=ctx.now, **changes))


def _content(type: str, metadata: dict[str, Any]) -> dict[str, Any]:
    """Checked subject, body and status."""
    names = ["body"] if type == "NOTE" else ["subject", "body", "status"]
    for name, value in metadata.items():
        if name not in names:
            raise ToolError(
                "invalid_argument",
                f"a {type} has no metadata {name[:40]!r}. {closest(name, names)}",
            )
        check(isinstance(value, str), "invalid_argument", f"metadata.{name} must be a text")
        check(len(value) <= _LONGEST, "invalid_argument", f"metadata.{name} is too long")
    status = metadata.get("status", _STATUSES[0])
    check(status in _STATUSES, "invalid_argument", f"status is one of: {', '.join(_STATUSES)}")
    check(metadata.get("subject", "x") != "", "invalid_argument", "subject must not be empty")
    return dict(metadata)


def _targets(state: HubspotState, associations: Associations) -> dict[str, Any]:
    """Field → keys of the records named, each of which must exist."""
    lists = {
        "contacts": associations.contactIds,
        "companies": associations.companyIds,
        "deals": associations.dealIds,
        "tickets": associations.ticketIds,
    }
    for owner in associations.ownerIds:
        check_owner(state, str(owner))
    found = {}
    for kind, numbers in lists.items():
        keys = tuple(dict.fromkeys(str(number) for number in numbers))
        for key in keys:
            live(state, kind, key)
        found[_ID_FIELDS[kind]] = keys
    return found


def _moment(milliseconds: int) -> datetime:
    check(
        0 < milliseconds < _LAST_MILLISECOND,
        "invalid_argument",
        "timestamp must be in milliseconds since 1970, before the year 2100",
    )
    return datetime.fromtimestamp(milliseconds // 1000, tz=UTC)
