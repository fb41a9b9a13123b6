"""Records of all kinds behind one door: their tables, properties and what a caller sees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Final, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from compoworld_core import Context, Table, ToolError
from compoworld_core.observation import closest
from compoworld_core.resources import check, require
from compoworld_core.schema import adapter, problems
from compoworld_core.types import DateTime, Forms, Meaning, RefTo
from compoworld_services_marketing_sales_crm.hubspot.state import (
    Company,
    Contact,
    Deal,
    HubspotState,
    LifecycleStage,
    Property,
    Ticket,
)

KINDS: Final[dict[str, type[Any]]] = {
    "contacts": Contact,
    "companies": Company,
    "deals": Deal,
    "tickets": Ticket,
}
"""objectType (and table) → entity, of the records that can be written."""

SINGULAR: Final = {
    "contacts": "contact",
    "companies": "company",
    "deals": "deal",
    "tickets": "ticket",
}
_NOT_PROPERTIES: Final = frozenset(("id", "archived", "custom"))
READ_ONLY: Final = frozenset(
    (
        "createdate", "lastmodifieddate", "hs_object_id", "associatedcompanyid",
        "hs_primary_associated_company",
    )
)  # fmt: skip
MADE_HERE: Final = frozenset(("account_no", "source_email"))
_LONGEST = 65_536
_STAGES: Final = get_args(LifecycleStage)

RecordId = Annotated[
    str, RefTo("Ticket"), RefTo("Deal"), RefTo("Company"), RefTo("Contact"), Meaning("id")
]
"""The id of a record of any kind."""

_SEARCH_FORMS: Final = {
    "contacts": "email firstname lastname phone company jobtitle account_no lifecyclestage"
    " hs_lead_status hubspot_owner_id",
    "companies": "name domain phone city industry lifecyclestage",
    "deals": "dealname amount dealstage closedate hubspot_owner_id",
    "tickets": "subject hs_pipeline_stage hs_ticket_priority source_email",
}
_WRITE_FORMS: Final = {
    "contacts": "email firstname lastname phone company lifecyclestage hs_lead_status message",
    "companies": "name domain city description",
    "deals": "dealname amount dealstage closedate description",
    "tickets": "subject content hs_pipeline_stage hs_ticket_priority",
}


def _pairs(forms: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((kind, name) for kind, names in forms.items() for name in names.split())


SEARCH_FORMS: Final = _pairs(_SEARCH_FORMS)
"""(kind, property) of the filters that the tools' schemas show as examples."""

PropertyValues = Annotated[
    dict[str, str],
    Forms(**{f"{kind}.{name}": {name: "{}"} for kind, name in _pairs(_WRITE_FORMS)}),
]
"""Property names with their new values; an empty text clears a property."""


class CrmObject(BaseModel):
    """A record of any kind, as the tools show it."""

    model_config = ConfigDict(extra="forbid")

    id: str
    properties: dict[str, Any]
    createdAt: DateTime  # noqa: N815  # the product's name
    updatedAt: DateTime  # noqa: N815
    archived: bool
    associations: dict[str, list[str]] | None = None
    """Type → ids of associated records, where they were asked for."""


def table_of(state: HubspotState, kind: str) -> Table[Any]:
    """The table of an objectType whose records can be read and written."""
    if kind not in KINDS:
        near = closest(kind, list(KINDS))
        raise ToolError("invalid_argument", f"no records of objectType {kind[:40]!r}. {near}")
    return state.table(kind)


def live(state: HubspotState, kind: str, key: str) -> Any:
    """The record of this kind and id that is not archived, or ToolError."""
    row = require(table_of(state, kind), key, SINGULAR[kind])
    check(not row.archived, "not_found", f"{SINGULAR[kind]} {key} is archived")
    return row


_NAMES: Final = {
    entity.__name__: tuple(name for name in entity.model_fields if name not in _NOT_PROPERTIES)
    for entity in KINDS.values()
}
"""Entity → the names of its properties."""


def names_of(kind: str) -> tuple[str, ...]:
    """The names of the properties that records of this kind always have."""
    return _NAMES[KINDS[kind].__name__]


def values_of(row: Any) -> dict[str, Any]:
    """Property → value on the wire, empty ones left out; computed once per record."""
    found: dict[str, Any] | None = row.__dict__.get("\0values")
    if found is None:
        dumped = row.__pydantic_serializer__.to_python(row, mode="json")
        found = {"hs_object_id": row.id}
        found |= {n: dumped[n] for n in _NAMES[type(row).__name__] if dumped[n] is not None}
        found |= dict(sorted(row.custom.items()))
        row.__dict__["\0values"] = found
    return found


def shown(
    row: Any, only: Sequence[str] | None = None, linked: dict[str, list[str]] | None = None
) -> CrmObject:
    """A record as the caller sees it: all filled properties, or those asked for."""
    values = values_of(row)
    if only is not None:
        values = {name: values.get(name) for name in only}
    return CrmObject.model_construct(
        id=row.id,
        properties=values,
        createdAt=row.createdate,
        updatedAt=row.lastmodifieddate,
        archived=row.archived,
        associations=linked,
    )


def known_names(state: HubspotState, kind: str) -> list[str]:
    """All property names of a kind: the product's and the portal's."""
    made = [row.name for row in state.properties.where(object_type=kind)]
    return ["hs_object_id", *names_of(kind), *made]


def check_names(state: HubspotState, kind: str, names: Iterable[str]) -> None:
    """ToolError unless each of the names is a property of this kind."""
    known = known_names(state, kind)
    for name in names:
        if name not in known:
            raise ToolError(
                "invalid_argument",
                f"{kind} have no property {name[:60]!r}. {closest(name, known)}",
            )


@lru_cache(maxsize=256)
def type_of(kind: str, name: str) -> Any:
    """The annotation of a property that is a field."""
    return KINDS[kind].model_fields[name].rebuild_annotation()


def parse(kind: str, name: str, text: str) -> Any:
    """A property's value from its text on the wire, or ToolError."""
    if name == "email":
        text = text.strip().lower()
    try:
        return adapter(type_of(kind, name)).validate_python(text)
    except ValidationError as error:
        why = problems(error)[0].partition(": ")[2]
        raise ToolError("invalid_argument", f"property {name}: {why}") from error


def changes(
    state: HubspotState, kind: str, given: Mapping[str, str], row: Any | None
) -> dict[str, Any]:
    """Field changes for property values that a caller gave, checked against the record."""
    entity = KINDS[kind]
    check_names(state, kind, given)
    fields: dict[str, Any] = {}
    custom = dict(row.custom) if row is not None else {}
    for name, text in given.items():
        check(name not in READ_ONLY, "invalid_argument", f"property {name} is read-only")
        check(
            len(text) <= _LONGEST,
            "invalid_argument",
            f"property {name} is longer than {_LONGEST} characters",
        )
        if name not in entity.model_fields:
            _set_custom(state.properties[f"{kind}.{name}"], text, custom, state, kind, row)
        elif text == "":
            info = entity.model_fields[name]
            check(not info.is_required(), "invalid_argument", f"{name} must not be empty")
            fields[name] = info.get_default()
        else:
            fields[name] = parse(kind, name, text)
    if row is None or custom != row.custom:
        fields["custom"] = custom
    _check_fields(state, kind, fields, row)
    return fields


def _set_custom(
    made: Property, text: str, custom: dict[str, Any], state: HubspotState, kind: str, row: Any
) -> None:
    """Check and set the value of a property made in this portal."""
    if text == "":
        custom.pop(made.name, None)
        return
    kinds = {"number": float, "date": DateTime, "datetime": DateTime, "bool": bool}
    try:
        adapter(kinds.get(made.type, str)).validate_python(text)
    except ValidationError as error:
        why = f"property {made.name} takes a {made.type}"
        raise ToolError("invalid_argument", why) from error
    allowed = [option["value"] for option in made.options]
    check(
        made.type != "enumeration" or text in allowed,
        "invalid_argument",
        f"property {made.name} takes one of: {', '.join(allowed)}",
    )
    if made.has_unique_value:
        for other in state.table(kind):
            check(
                other.custom.get(made.name) != text or (row is not None and other.id == row.id),
                "conflict",
                f"{SINGULAR[kind]} {other.id} has this {made.name} already",
            )
    custom[made.name] = text


def _check_fields(state: HubspotState, kind: str, fields: dict[str, Any], row: Any) -> None:
    owner = fields.get("hubspot_owner_id")
    if owner is not None:
        check_owner(state, owner)
    if kind == "contacts" and fields.get("email") is not None:
        for other in state.contacts.where(email=fields["email"]):
            check(
                (row is not None and other.id == row.id) or other.archived,
                "conflict",
                f"contact {other.id} has the email address {fields['email']} already",
            )
    stage, old = fields.get("lifecyclestage"), getattr(row, "lifecyclestage", None)
    if stage is not None and old is not None:
        check(
            _STAGES.index(stage) >= _STAGES.index(old),
            "failed_precondition",
            f"lifecyclestage is {old} and moves forward only ({', '.join(_STAGES)});"
            " clear it with an empty value first",
        )


def check_owner(state: HubspotState, key: str) -> None:
    """ToolError unless there is such a user who can get records."""
    owner = require(state.owners, key, "owner")
    check(owner.active, "failed_precondition", f"owner {owner.name} is deactivated")


def create(state: HubspotState, ctx: Context, kind: str, given: Mapping[str, str]) -> Any:
    """A new record of this kind."""
    fields = changes(state, kind, given, None)
    needs: dict[str, tuple[str, ...]] = {
        "contacts": ("email", "firstname", "lastname"),
        "companies": ("name", "domain"),
        "deals": ("dealname",),
        "tickets": ("subject",),
    }
    check(
        any(fields.get(name) for name in needs[kind]),
        "invalid_argument",
        f"a new {SINGULAR[kind]} needs a value for {' or '.join(needs[kind])}",
    )
    row = KINDS[kind](
        id=new_key(ctx, kind), createdate=ctx.now, lastmodifieddate=ctx.now, **fields
    )
    return table_of(state, kind).insert(row)


def new_key(ctx: Context, kind: str) -> str:
    """A numeric id; each kind has a leading digit of its own, so that none starts with 0."""
    return ctx.new_id(str(2 + list(KINDS).index(kind)), length=10, alphabet="0123456789")
