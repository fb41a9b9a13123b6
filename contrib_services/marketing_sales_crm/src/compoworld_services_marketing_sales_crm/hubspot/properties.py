"""Property definitions: the product's own and those made in this portal."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict

from compoworld_core import UNSET, Context, ToolError
from compoworld_core.observation import closest
from compoworld_core.resources import Page, check, given, paginate
from compoworld_core.schema import meaning_of
from compoworld_core.types import Meaning, Text, Title
from compoworld_services_marketing_sales_crm.hubspot.records import (
    MADE_HERE,
    READ_ONLY,
    SINGULAR,
    known_names,
    names_of,
    table_of,
    type_of,
)
from compoworld_services_marketing_sales_crm.hubspot.state import (
    FieldType,
    HubspotState,
    ObjectTypeName,
    Property,
    PropertyType,
    service,
)

_NAME = re.compile(r"^[a-z][a-z0-9_]{0,99}$")
_MOST_MADE = 1000
_WITH_OPTIONS: Final = ("select", "radio", "checkbox", "booleancheckbox")


class Option(BaseModel):
    """A value that an enumeration property can have."""

    model_config = ConfigDict(extra="forbid")

    label: str
    value: str
    description: str = ""
    displayOrder: int = -1  # noqa: N815
    hidden: bool = False


@lru_cache(maxsize=8)
def built_in(kind: str) -> tuple[Property, ...]:
    """Definitions of the properties that records of this kind always have."""
    found = [_definition(kind, "hs_object_id", "Record ID", "string", ())]
    for name in names_of(kind):
        annotation = type_of(kind, name)
        label = name.removeprefix("hs_").replace("_", " ").capitalize()
        found.append(
            _definition(kind, name, label, _property_type(annotation), _choices(annotation))
        )
    return tuple(found)


def _definition(
    kind: str, name: str, label: str, type: PropertyType, choices: tuple[str, ...]
) -> Property:
    fields: dict[PropertyType, FieldType] = {
        "number": "number", "date": "date", "datetime": "date", "enumeration": "select",
    }  # fmt: skip
    return Property(
        id=f"{kind}.{name}",
        object_type=kind,
        name=name,
        label=label,
        group_name=f"{SINGULAR[kind]}information",
        type=type,
        field_type=fields.get(type, "text"),
        options=tuple({"label": c, "value": c} for c in choices),
        has_unique_value=name in ("hs_object_id", "email"),
        hubspot_defined=name not in MADE_HERE,
        read_only=name in READ_ONLY,
    )


def _property_type(annotation: Any) -> PropertyType:
    meaning = meaning_of(annotation, Meaning)
    if _choices(annotation):
        return "enumeration"
    if meaning is not None and meaning.kind in ("money", "quantity"):
        return "number"
    bare = [*_bare(annotation)]
    if datetime in bare:
        return "datetime"
    if Decimal in bare:
        return "number"
    return "date" if date in bare else "string"


def _bare(annotation: Any) -> list[Any]:
    """The plain types in an annotation."""
    parts = get_args(annotation)
    if not parts or get_origin(annotation) is Literal:
        return [annotation]
    return [bare for part in parts for bare in _bare(part)]


def _choices(annotation: Any) -> tuple[str, ...]:
    for bare in _bare(annotation):
        if get_origin(bare) is Literal:
            return get_args(bare)
    return ()


def _find(state: HubspotState, kind: str, name: str) -> Property:
    table_of(state, kind)
    made = state.properties.get(f"{kind}.{name}")
    if made is not None:
        return made
    for definition in built_in(kind):
        if definition.name == name:
            return definition
    near = closest(name, known_names(state, kind))
    raise ToolError("not_found", f"{kind} have no property {name[:60]!r}. {near}")


@service.tool(name="hubspot-list-properties", read_only=True)
def list_properties(
    state: HubspotState,
    objectType: ObjectTypeName,  # noqa: N803
    archived: bool = False,
    includeHidden: bool = False,  # noqa: N803
) -> Page[Property]:
    """List the property definitions of one kind of records.

    Args:
        objectType: contacts, companies, deals or tickets.
        archived: show the archived ones instead; there are none in this portal.
        includeHidden: show hidden ones too.
    """
    table_of(state, objectType)
    rows = [*built_in(objectType), *state.properties.where(object_type=objectType)]
    chosen = [row for row in rows if not archived and (includeHidden or not row.hidden)]
    return paginate(chosen, max(len(chosen), 1))


@service.tool(name="hubspot-get-property", read_only=True)
def get_property(
    state: HubspotState,
    objectType: ObjectTypeName,  # noqa: N803
    propertyName: str,  # noqa: N803
) -> Property:
    """Show the definition of one property.

    Args:
        objectType: kind of records that have it.
        propertyName: its internal name.
    """
    return _find(state, objectType, propertyName)


@service.tool(name="hubspot-create-property")
def create_property(
    state: HubspotState,
    ctx: Context,
    objectType: ObjectTypeName,  # noqa: N803
    name: str,
    label: Title,
    groupName: str,  # noqa: N803
    description: Text = UNSET,
    type: PropertyType = "string",
    fieldType: FieldType = "text",  # noqa: N803
    options: list[Option] = UNSET,
    formField: bool = UNSET,  # noqa: N803
    hidden: bool = UNSET,
    displayOrder: int = UNSET,  # noqa: N803
    hasUniqueValue: bool = UNSET,  # noqa: N803
    calculationFormula: str = UNSET,  # noqa: N803
    externalOptions: bool = UNSET,  # noqa: N803
) -> Property:
    """Define a further property for one kind of records.

    Args:
        objectType: contacts, companies, deals or tickets.
        name: internal name: small letters, digits and underscores.
        label: what people see.
        groupName: group it stands in, such as contactinformation.
        description: help text.
        type: type of its values.
        fieldType: how people enter it.
        options: values of an enumeration.
        formField: whether forms can use it.
        hidden: whether people do not see it.
        displayOrder: place in its group, lower ones first.
        hasUniqueValue: whether no two records may have the same value.
        calculationFormula: formula of a calculated property.
        externalOptions: not available in this portal.
    """
    table_of(state, objectType)
    check(
        _NAME.match(name) is not None,
        "invalid_argument",
        "name takes small letters, digits and underscores, and starts with a letter",
    )
    check(
        name not in known_names(state, objectType),
        "conflict",
        f"{objectType} have a property {name!r} already",
    )
    check(
        len(state.properties) < _MOST_MADE,
        "failed_precondition",
        f"a portal holds at most {_MOST_MADE} properties of its own",
    )
    check(
        externalOptions is UNSET or not externalOptions,
        "unavailable",
        "this portal has no external options",
    )
    chosen: dict[str, Any] = {} if options is UNSET else {"options": _options(options)}
    check(
        (type == "enumeration") == bool(chosen.get("options")),
        "invalid_argument",
        "options go with type enumeration, which needs at least one",
    )
    _check_pair(type, fieldType)
    fields = given(
        description=description,
        form_field=formField,
        hidden=hidden,
        display_order=displayOrder,
        has_unique_value=hasUniqueValue,
        calculation_formula=calculationFormula,
    )
    _check_texts(label, groupName, fields)
    return state.properties.insert(
        Property(
            id=f"{objectType}.{name}",
            object_type=objectType,
            name=name,
            label=label,
            group_name=groupName,
            type=type,
            field_type=fieldType,
            **chosen,
            **fields,
        )
    )


@service.tool(name="hubspot-update-property")
def update_property(
    state: HubspotState,
    objectType: ObjectTypeName,  # noqa: N803
    propertyName: str,  # noqa: N803
    label: Title = UNSET,
    groupName: str = UNSET,  # noqa: N803
    description: Text = UNSET,
    type: PropertyType = UNSET,
    fieldType: FieldType = UNSET,  # noqa: N803
    options: list[Option] = UNSET,
    formField: bool = UNSET,  # noqa: N803
    hidden: bool = UNSET,
    displayOrder: int = UNSET,  # noqa: N803
    calculationFormula: str = UNSET,  # noqa: N803
) -> Property:
    """Change the definition of a property that was made in this portal.

    Args:
        objectType: kind of records that have it.
        propertyName: its internal name, which stays.
        label: what people see.
        groupName: group it stands in.
        description: help text.
        type: type of its values.
        fieldType: how people enter it.
        options: all values of an enumeration, the old ones included.
        formField: whether forms can use it.
        hidden: whether people do not see it.
        displayOrder: place in its group, lower ones first.
        calculationFormula: formula of a calculated property.
    """
    row = _find(state, objectType, propertyName)
    check(
        not row.hubspot_defined and row.id in state.properties,
        "permission_denied",
        f"{propertyName} is a standard property; only ones made with hubspot-create-property"
        " can be changed",
    )
    fields = given(
        label=label,
        group_name=groupName,
        description=description,
        type=type,
        field_type=fieldType,
        form_field=formField,
        hidden=hidden,
        display_order=displayOrder,
        calculation_formula=calculationFormula,
    )
    if options is not UNSET:
        fields["options"] = _options(options)
    check(bool(fields), "invalid_argument", "name something to change")
    new_type = fields.get("type", row.type)
    check(
        (new_type == "enumeration") == bool(fields.get("options", row.options)),
        "invalid_argument",
        "options go with type enumeration, which needs at least one",
    )
    _check_pair(new_type, fields.get("field_type", row.field_type))
    _check_texts(
        fields.get("label", row.label), fields.get("group_name", row.group_name), fields
    )
    return state.properties.update(row.id, **fields)


def _options(options: list[Option]) -> tuple[dict[str, Any], ...]:
    values = [option.value for option in options]
    check(len(values) == len(set(values)), "invalid_argument", "option values must differ")
    check(all(values), "invalid_argument", "an option's value must not be empty")
    return tuple(option.model_dump() for option in options)


def _check_pair(type: str, field_type: str) -> None:
    check(
        (type == "enumeration") == (field_type in _WITH_OPTIONS) or type == "bool",
        "invalid_argument",
        f"type {type} does not go with fieldType {field_type}; enumerations take one of:"
        f" {', '.join(_WITH_OPTIONS)}",
    )


def _check_texts(label: str, group: str, fields: dict[str, Any]) -> None:
    check(bool(label.strip()), "invalid_argument", "label must not be empty")
    check(bool(group.strip()), "invalid_argument", "groupName must not be empty")
    texts = (label, group, fields.get("description", ""), fields.get("calculation_formula", ""))
    check(
        all(len(text) <= 3000 for text in texts),
        "invalid_argument",
        "texts have at most 3000 characters",
    )
    check(
        -1 <= fields.get("display_order", -1) <= 100_000,
        "invalid_argument",
        "displayOrder must be from -1 to 100000",
    )
