"""Associations between records: what kinds there are, making and listing them."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import UNSET, Context, ToolError
from compoworld_core.resources import Page, check, paginate
from compoworld_services_marketing_sales_crm.hubspot.engagements import noted
from compoworld_services_marketing_sales_crm.hubspot.records import (
    KINDS,
    RecordId,
    live,
    table_of,
)
from compoworld_services_marketing_sales_crm.hubspot.state import (
    Association,
    HubspotState,
    ObjectTypeName,
    service,
)

_LABELS: Final[dict[int, tuple[str, str, str]]] = {
    1: ("contacts", "companies", "Primary"),
    279: ("contacts", "companies", ""),
    2: ("companies", "contacts", "Primary"),
    280: ("companies", "contacts", ""),
    3: ("deals", "contacts", ""),
    4: ("contacts", "deals", ""),
    5: ("deals", "companies", "Primary"),
    341: ("deals", "companies", ""),
    6: ("companies", "deals", "Primary"),
    342: ("companies", "deals", ""),
    15: ("contacts", "tickets", ""),
    16: ("tickets", "contacts", ""),
    339: ("tickets", "companies", ""),
    340: ("companies", "tickets", ""),
    27: ("deals", "tickets", ""),
    28: ("tickets", "deals", ""),
    449: ("contacts", "contacts", ""),
    450: ("companies", "companies", ""),
}
"""Type id → from, to, label."""

_PRIMARY: Final = {
    "contacts": "associatedcompanyid",
    "deals": "hs_primary_associated_company",
}
"""Kind → the field that holds the primary company."""

_ORDER: Final = tuple(KINDS)
_MOST_LINKS = 100
_PAGE = 100


class Link(BaseModel):
    """A kind of association."""

    model_config = ConfigDict(extra="forbid")

    associationCategory: Literal[  # noqa: N815
        "HUBSPOT_DEFINED", "USER_DEFINED", "INTEGRATOR_DEFINED"
    ]
    associationTypeId: Annotated[int, Field(gt=0)]  # noqa: N815

    def target(self, kind: str) -> str:
        """The kind of record that such an association leads to from this one."""
        known = _LABELS.get(self.associationTypeId)
        if known is None or known[0] != kind or self.associationCategory != "HUBSPOT_DEFINED":
            ids = ", ".join(str(n) for n, (start, _, _) in _LABELS.items() if start == kind)
            raise ToolError(
                "invalid_argument",
                f"association type {self.associationTypeId} does not start at {kind};"
                f" HUBSPOT_DEFINED ones that do: {ids}",
            )
        return known[1]


class End(BaseModel):
    """One end of an association."""

    model_config = ConfigDict(extra="forbid")

    id: RecordId


class Pair(BaseModel):
    """Two records to associate."""

    model_config = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True)

    from_: End = Field(alias="from")
    to: End


class Linked(BaseModel):
    """An association as it was made."""

    model_config = ConfigDict(extra="forbid")

    fromObjectId: str  # noqa: N815
    toObjectId: str  # noqa: N815
    associationTypeId: int  # noqa: N815


class LinkBatch(BaseModel):
    """What a batch of associations did."""

    model_config = ConfigDict(extra="forbid")

    status: Literal["COMPLETE"] = "COMPLETE"
    results: list[Linked]


class Definition(BaseModel):
    """A kind of association between two kinds of records."""

    model_config = ConfigDict(extra="forbid")

    category: Literal["HUBSPOT_DEFINED"] = "HUBSPOT_DEFINED"
    typeId: int  # noqa: N815
    label: str | None


class Definitions(BaseModel):
    """The kinds of associations from one kind of records to another."""

    model_config = ConfigDict(extra="forbid")

    results: list[Definition]


class Associated(BaseModel):
    """A record that is associated with the one asked about."""

    model_config = ConfigDict(extra="forbid")

    toObjectId: str  # noqa: N815


def associated(state: HubspotState, kind: str, key: str, to: str) -> list[str]:
    """The ids of the records of kind `to` that a record is associated with, in both ways."""
    if to in ("notes", "tasks"):
        return noted(state, kind, key, to)
    table_of(state, to)
    found: list[str] = []
    if to == "companies" and kind in _PRIMARY:
        primary = getattr(table_of(state, kind)[key], _PRIMARY[kind])
        found += [primary] if primary else []
    if kind == "companies" and to in _PRIMARY:
        found += [str(row.id) for row in state.table(to).where(**{_PRIMARY[to]: key})]
    ahead = state.associations.where(from_id=key, from_type=kind, to_type=to)
    back = state.associations.where(to_id=key, to_type=kind, from_type=to)
    found += [row.to_id for row in ahead]
    found += [row.from_id for row in back]
    return list(dict.fromkeys(found))


def connect(
    state: HubspotState, ctx: Context, start: tuple[str, str], end: tuple[str, str], link: Link
) -> None:
    """Associate two records; the first company of a record becomes its primary one."""
    (kind, key), (to, to_key) = start, end
    live(state, kind, key)
    live(state, to, to_key)
    check(start != end, "invalid_argument", "a record cannot be associated with itself")
    label = _LABELS[link.associationTypeId][2]
    if kind == "companies" and to in _PRIMARY:
        (kind, key), (to, to_key) = end, start
    if to == "companies" and kind in _PRIMARY:
        row = table_of(state, kind)[key]
        held = getattr(row, _PRIMARY[kind])
        if held == to_key:
            return
        if label == "Primary" or held is None:
            table_of(state, kind).update(key, **{_PRIMARY[kind]: to_key})
            if held is not None:
                insert_link(state, (kind, key), (to, held))
            return
    insert_link(state, (kind, key), (to, to_key))


def insert_link(state: HubspotState, start: tuple[str, str], end: tuple[str, str]) -> None:
    """Store a link once, whichever way it was asked for."""
    if (_ORDER.index(start[0]), start[1]) > (_ORDER.index(end[0]), end[1]):
        start, end = end, start
    key = f"{start[1]}-{end[1]}"
    if key not in state.associations:
        state.associations.insert(link_row(start, end))


def link_row(start: tuple[str, str], end: tuple[str, str]) -> Association:
    """The row of an unlabelled link between two records."""
    type_id = next(
        n for n, (a, b, label) in _LABELS.items() if (a, b, label) == (start[0], end[0], "")
    )
    return Association(
        id=f"{start[1]}-{end[1]}",
        from_type=start[0],
        from_id=start[1],
        to_type=end[0],
        to_id=end[1],
        type_id=type_id,
    )


@service.tool(name="hubspot-batch-create-associations", idempotent=True)
def batch_create_associations(
    state: HubspotState,
    ctx: Context,
    fromObjectType: ObjectTypeName,  # noqa: N803
    toObjectType: ObjectTypeName,  # noqa: N803
    types: Annotated[list[Link], Field(min_length=1)],
    inputs: Annotated[list[Pair], Field(min_length=1)],
) -> LinkBatch:
    """Associate pairs of records, up to 100 at once.

    Args:
        fromObjectType: kind of the records that the associations start at.
        toObjectType: kind of the records that they lead to.
        types: kinds of association; hubspot-get-association-definitions lists them.
        inputs: the pairs of ids.
    """
    check(
        len(inputs) <= _MOST_LINKS, "invalid_argument", f"at most {_MOST_LINKS} pairs at once"
    )
    table_of(state, fromObjectType)
    made = []
    for link in types:
        target = link.target(fromObjectType)
        check(
            target == toObjectType,
            "invalid_argument",
            f"association type {link.associationTypeId} leads to {target}",
        )
        for pair in inputs:
            start, end = (fromObjectType, pair.from_.id), (toObjectType, pair.to.id)
            connect(state, ctx, start, end, link)
            made.append(
                Linked(
                    fromObjectId=start[1],
                    toObjectId=end[1],
                    associationTypeId=link.associationTypeId,
                )
            )
    return LinkBatch(results=made)


@service.tool(name="hubspot-get-association-definitions", read_only=True)
def get_association_definitions(
    state: HubspotState,
    fromObjectType: ObjectTypeName,  # noqa: N803
    toObjectType: ObjectTypeName,  # noqa: N803
) -> Definitions:
    """List the kinds of associations that lead from one kind of records to another.

    Args:
        fromObjectType: kind of records that they start at.
        toObjectType: kind of records that they lead to.
    """
    table_of(state, fromObjectType)
    table_of(state, toObjectType)
    found = [
        Definition(typeId=number, label=label or None)
        for number, (start, end, label) in _LABELS.items()
        if (start, end) == (fromObjectType, toObjectType)
    ]
    return Definitions(results=found)


@service.tool(name="hubspot-list-associations", read_only=True)
def list_associations(
    state: HubspotState,
    objectType: ObjectTypeName,  # noqa: N803
    objectId: RecordId,  # noqa: N803
    toObjectType: ObjectTypeName,  # noqa: N803
    after: str = UNSET,
) -> Page[Associated]:
    """List the records of one kind that a record is associated with, 100 a page.

    Args:
        objectType: kind of the record.
        objectId: its id.
        toObjectType: kind of the associated records; notes and tasks too.
        after: cursor of the earlier page.
    """
    live(state, objectType, objectId)
    keys = associated(state, objectType, objectId, toObjectType)
    page: Page[Any] = paginate(keys, _PAGE, None if after is UNSET else after)
    items = [Associated(toObjectId=key) for key in page.items]
    return Page(items=items, total=page.total, next_cursor=page.next_cursor)
