"""Tools that list, search, read, create and update records of any kind."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import UNSET, Context
from compoworld_core.resources import Page, check, paginate, require
from compoworld_services_marketing_sales_crm.hubspot.associations import (
    Link,
    associated,
    connect,
)
from compoworld_services_marketing_sales_crm.hubspot.engagements import (
    as_object,
    notes_or_tasks,
)
from compoworld_services_marketing_sales_crm.hubspot.filters import (
    FilterGroups,
    Sort,
    find,
    ordered,
)
from compoworld_services_marketing_sales_crm.hubspot.records import (
    SINGULAR,
    CrmObject,
    PropertyValues,
    RecordId,
    changes,
    check_names,
    create,
    live,
    shown,
    table_of,
)
from compoworld_services_marketing_sales_crm.hubspot.state import (
    HubspotState,
    ObjectTypeName,
    service,
)

MOST_ROWS: Final = 25
"""More records would not fit into one observation."""


class ObjectId(BaseModel):
    """Names one record."""

    model_config = ConfigDict(extra="forbid")

    id: RecordId


class NewLink(BaseModel):
    """An association for a new record."""

    model_config = ConfigDict(extra="forbid")

    to: ObjectId
    types: Annotated[list[Link], Field(min_length=1)]


class NewObject(BaseModel):
    """A record to create."""

    model_config = ConfigDict(extra="forbid")

    properties: PropertyValues = Field(description="Property names with their values.")
    associations: list[NewLink] = Field(
        default_factory=lambda: UNSET, description="Records to link the new one to."
    )
    objectWriteTraceId: str = Field(  # noqa: N815
        default_factory=lambda: UNSET, description="Free mark for debugging; not stored."
    )


class ObjectChange(BaseModel):
    """A record to update."""

    model_config = ConfigDict(extra="forbid")

    id: RecordId
    idProperty: str = Field(  # noqa: N815
        default_factory=lambda: UNSET,
        description="Unique property that `id` is a value of, such as email.",
    )
    objectWriteTraceId: str = Field(  # noqa: N815
        default_factory=lambda: UNSET, description="Free mark for debugging; not stored."
    )
    properties: PropertyValues = Field(
        description="Properties to change; an empty text clears."
    )


class Batch(BaseModel):
    """What a batch did; it is carried out as a whole or not at all."""

    model_config = ConfigDict(extra="forbid")

    status: Literal["COMPLETE"] = "COMPLETE"
    results: list[CrmObject]


Names = list[str]


@service.tool(name="hubspot-list-objects", read_only=True)
def list_objects(
    state: HubspotState,
    objectType: ObjectTypeName,  # noqa: N803
    limit: Annotated[int, Field(ge=1, le=500)] = 100,
    after: str = UNSET,
    properties: Names = UNSET,
    associations: Names = UNSET,
    archived: bool = False,
) -> Page[CrmObject]:
    """List records of one kind, oldest first. A page holds at most 25.

    Args:
        objectType: kind of records, such as contacts; hubspot-get-schemas lists them.
        limit: how many at most.
        after: cursor of the earlier page.
        properties: show only these properties; all that are filled if left out.
        associations: kinds whose associated ids are shown too.
        archived: show the archived records instead.
    """
    cursor = None if after is UNSET else after
    size = min(limit, MOST_ROWS)
    if objectType in ("notes", "tasks"):
        noted = paginate(notes_or_tasks(state, objectType), size, cursor)
        shown_notes = [as_object(row) for row in noted.items]
        return Page(items=shown_notes, total=noted.total, next_cursor=noted.next_cursor)
    table = table_of(state, objectType)
    only = None if properties is UNSET else properties
    if only is not None:
        check_names(state, objectType, only)
    page = paginate(table.where(archived=archived), size, cursor)
    wanted = [] if associations is UNSET else associations
    items = []
    for row in page.items:
        linked = {kind: associated(state, objectType, row.id, kind) for kind in wanted} or None
        items.append(shown(row, only, linked))
    return Page(items=items, total=page.total, next_cursor=page.next_cursor)


@service.tool(name="hubspot-search-objects", read_only=True)
def search_objects(
    state: HubspotState,
    objectType: ObjectTypeName,  # noqa: N803
    query: str = UNSET,
    limit: Annotated[int, Field(ge=1, le=100)] = 10,
    after: str = UNSET,
    properties: Names = UNSET,
    sorts: list[Sort] = UNSET,
    filterGroups: FilterGroups = UNSET,  # noqa: N803
) -> Page[CrmObject]:
    """Search records of one kind by property values or by words. A page holds at most 25.

    Args:
        objectType: contacts, companies, deals or tickets.
        query: words that the record's main texts must all contain, in any case.
        limit: how many at most.
        after: cursor of the earlier page.
        properties: show only these properties; all that are filled if left out.
        sorts: order of the results.
        filterGroups: a record must pass all filters of at least one group.
    """
    groups = [] if filterGroups is UNSET else filterGroups
    rows = find(state, objectType, None if query is UNSET else query, groups)
    if sorts is not UNSET:
        rows = ordered(state, objectType, rows, sorts)
    only = None if properties is UNSET else properties
    if only is not None:
        check_names(state, objectType, only)
    page = paginate(rows, min(limit, MOST_ROWS), None if after is UNSET else after)
    items = [shown(row, only) for row in page.items]
    return Page(items=items, total=page.total, next_cursor=page.next_cursor)


@service.tool(name="hubspot-batch-read-objects", read_only=True)
def batch_read_objects(
    state: HubspotState,
    objectType: ObjectTypeName,  # noqa: N803
    inputs: Annotated[list[ObjectId], Field(min_length=1, max_length=100)],
    properties: Names = UNSET,
    propertiesWithHistory: Names = UNSET,  # noqa: N803
) -> Batch:
    """Read up to 100 records of one kind by their ids.

    Args:
        objectType: contacts, companies, deals or tickets.
        inputs: the ids.
        properties: show only these properties; all that are filled if left out.
        propertiesWithHistory: further properties to show; earlier values are not kept.
    """
    table = table_of(state, objectType)
    only = None if properties is UNSET else list(properties)
    if only is not None and propertiesWithHistory is not UNSET:
        only += propertiesWithHistory
    if only is not None:
        check_names(state, objectType, only)
    rows = [require(table, item.id, SINGULAR[objectType]) for item in inputs]
    return Batch(results=[shown(row, only) for row in rows])


@service.tool(name="hubspot-batch-create-objects")
def batch_create_objects(
    state: HubspotState,
    ctx: Context,
    objectType: ObjectTypeName,  # noqa: N803
    inputs: Annotated[list[NewObject], Field(min_length=1, max_length=100)],
) -> Batch:
    """Create up to 100 records of one kind, with associations if you like.

    Notes and tasks are created with hubspot-create-engagement.

    Args:
        objectType: contacts, companies, deals or tickets.
        inputs: properties and associations of each new record.
    """
    table = table_of(state, objectType)
    made = []
    for item in inputs:
        row = create(state, ctx, objectType, item.properties)
        for link in [] if item.associations is UNSET else item.associations:
            for kind in link.types:
                connect(
                    state,
                    ctx,
                    (objectType, row.id),
                    (kind.target(objectType), link.to.id),
                    kind,
                )
        made.append(row.id)
    return Batch(results=[shown(table[key]) for key in made])


@service.tool(name="hubspot-batch-update-objects")
def batch_update_objects(
    state: HubspotState,
    ctx: Context,
    objectType: ObjectTypeName,  # noqa: N803
    inputs: Annotated[list[ObjectChange], Field(min_length=1, max_length=100)],
) -> Batch:
    """Change properties of up to 100 records of one kind; those not named stay as they are.

    Args:
        objectType: contacts, companies, deals or tickets.
        inputs: the id and the new property values of each record.
    """
    table = table_of(state, objectType)
    done = []
    for item in inputs:
        row = live(state, objectType, _key(state, objectType, item))
        check(bool(item.properties), "invalid_argument", "name a property to change")
        fields = changes(state, objectType, item.properties, row)
        table.update(row.id, lastmodifieddate=ctx.now, **fields)
        done.append(row.id)
    return Batch(results=[shown(table[key]) for key in done])


def _key(state: HubspotState, kind: str, item: ObjectChange) -> str:
    """The record's id, also where it is named by a unique property."""
    if item.idProperty is UNSET or item.idProperty == "hs_object_id":
        return item.id
    unique = ["email"] if kind == "contacts" else []
    unique += [
        row.name for row in state.properties.where(object_type=kind, has_unique_value=True)
    ]
    check(
        item.idProperty in unique,
        "invalid_argument",
        f"idProperty must be a unique property of {kind}: {', '.join(unique) or 'none'}",
    )
    for row in table_of(state, kind):
        held = row.email if item.idProperty == "email" else row.custom.get(item.idProperty)
        if held == item.id and not row.archived:
            return str(row.id)
    check(False, "not_found", f"no {SINGULAR[kind]} with {item.idProperty} {item.id[:80]!r}")
    return ""
