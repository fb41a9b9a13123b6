"""Columns: how a data source's properties map to pages, and Notion's JSON to plain values."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, get_args

from compoworld_core import ToolError
from compoworld_core.resources import check, require
from compoworld_services_productivity_collaboration.notion import access
from compoworld_services_productivity_collaboration.notion.state import (
    NotionState,
    Page,
    Property,
    PropertyType,
    RowStatus,
)

TYPES: tuple[str, ...] = get_args(PropertyType)
STATUSES: tuple[str, ...] = get_args(RowStatus)

FIELDS = {
    ("Status", "status"): "status",
    ("Email", "email"): "email",
    ("Phone", "phone_number"): "phone",
    ("Company", "rich_text"): "company",
    ("Reference", "rich_text"): "reference",
    ("Owner", "people"): "owner_id",
    ("Due", "date"): "due",
    ("Amount", "number"): "amount",
    ("Tags", "multi_select"): "tags",
    ("Link", "url"): "link",
}
"""Columns that pages keep in a field of their own; the others are in `properties`."""
OWN_FIELDS = frozenset({"title", *FIELDS.values()})

ONLY_TITLE = (Property(id="title", name="Name", type="title"),)
"""The columns of a page that is no row."""

_ADDRESS = re.compile(r"[^@\s]{1,64}@[^@\s]{1,180}\.[^@\s]{1,60}")


def schema(state: NotionState, page: Page) -> tuple[Property, ...]:
    """The columns that a page has."""
    if page.data_source_id is None:
        return ONLY_TITLE
    return state.data_sources[page.data_source_id].properties


def find(columns: tuple[Property, ...], name: str) -> Property:
    """A column by its name or id."""
    for column in columns:
        if name in (column.name, column.id) or (name == "title" and column.type == "title"):
            return column
    known = ", ".join(column.name for column in columns)
    raise ToolError("invalid_argument", f"no property {name[:60]!r}; there are: {known}")


def value_of(page: Page, column: Property) -> Any:
    """What a page holds in a column; None where it is empty."""
    if column.id in OWN_FIELDS:
        return getattr(page, column.id)
    return page.properties.get(column.id)


def changes(
    state: NotionState, columns: tuple[Property, ...], given: dict[str, Any], page: Page | None
) -> dict[str, Any]:
    """The page fields that Notion's `properties` argument sets."""
    fields: dict[str, Any] = {}
    other = dict(page.properties) if page is not None else {}
    for name, raw in given.items():
        column = find(columns, name)
        value = parsed(state, column, raw)
        if column.id in OWN_FIELDS:
            fields[column.id] = () if column.id == "tags" and value is None else value
        elif value is None:
            other.pop(column.id, None)
        else:
            other[column.id] = value
    if page is None or other != page.properties:
        fields["properties"] = other
    return fields


def cleared(columns: tuple[Property, ...], page: Page) -> dict[str, Any]:
    """The fields to empty where a page moves to a place with these columns."""
    kept = {column.id for column in columns}
    gone: dict[str, Any] = {
        name: () if name == "tags" else None
        for name in sorted(OWN_FIELDS - kept - {"title"})
        if getattr(page, name) not in (None, ())
    }
    if any(name not in kept for name in page.properties):
        gone["properties"] = {k: v for k, v in page.properties.items() if k in kept}
    return gone


def parsed(state: NotionState, column: Property, raw: Any) -> Any:
    """A property value in Notion's JSON as a plain value; ToolError says what it looks like."""
    kind = column.type
    if raw is None:
        inner = None
    else:
        value = access.mapping(raw, column.name)
        check(
            kind in value,
            "invalid_argument",
            f'{column.name} is a {kind} property; give {{"{kind}": …}}',
        )
        inner = value[kind]
    if inner is None:
        check(kind != "title", "invalid_argument", f"{column.name} is the title, not empty")
        return None
    return _PARSERS[kind](state, column, inner)


def _title(state: NotionState, column: Property, inner: Any) -> str:
    text = access.rich_text(inner, column.name)
    check(bool(text.strip()), "invalid_argument", f"{column.name} is the title, not empty")
    return text


def _text(state: NotionState, column: Property, inner: Any) -> str | None:
    return access.rich_text(inner, column.name) or None


def _number(state: NotionState, column: Property, inner: Any) -> Any:
    wrong = f"{column.name} is a number, not {str(inner)[:40]!r}"
    check(not isinstance(inner, bool), "invalid_argument", wrong)
    try:
        number = Decimal(str(inner))
    except InvalidOperation as error:
        raise ToolError("invalid_argument", wrong) from error
    check(number.is_finite() and abs(number) < 10**15, "invalid_argument", wrong)
    return number if column.id in OWN_FIELDS else float(number)


def _option(state: NotionState, column: Property, inner: Any) -> str:
    name = inner.get("name") if isinstance(inner, dict) else None
    if not isinstance(name, str) or not name.strip():
        raise ToolError("invalid_argument", f'{column.name} is {{"name": "…"}}')
    # Notion adds unknown options of a select by itself, but never those of a status.
    check(
        column.type != "status" or name in column.options,
        "invalid_argument",
        f"{column.name} has no option {name[:40]!r}; there are: {', '.join(column.options)}",
    )
    return name


def _options(state: NotionState, column: Property, inner: Any) -> list[str]:
    check(isinstance(inner, list), "invalid_argument", f"{column.name} is an array of names")
    names = [_option(state, column, item) for item in inner]
    for name in names:
        check("," not in name, "invalid_argument", f"a name in {column.name} has no comma")
    return names


def _date(state: NotionState, column: Property, inner: Any) -> Any:
    start = inner.get("start") if isinstance(inner, dict) else None
    end = inner.get("end") if isinstance(inner, dict) else None
    first = day(start, column.name)
    if column.id in OWN_FIELDS:
        check(end is None, "invalid_argument", f"{column.name} is one day without an end")
        return first
    if end is None:
        return first.isoformat()
    last = day(end, column.name)
    check(last >= first, "invalid_argument", f"{column.name} ends before it starts")
    return f"{first.isoformat()}/{last.isoformat()}"


def day(value: Any, name: str) -> date:
    """A day from ISO text; the time of an instant is left out."""
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError as error:
        raise ToolError(
            "invalid_argument",
            f"{name} needs a date like 2026-03-01, not {str(value)[:40]!r}",
        ) from error


def _people(state: NotionState, column: Property, inner: Any) -> Any:
    check(isinstance(inner, list), "invalid_argument", f"{column.name} is an array of people")
    ids = []
    for item in inner:
        given = item.get("id") if isinstance(item, dict) else item
        check(isinstance(given, str), "invalid_argument", 'a person is {"id": "…"}')
        ids.append(require(state.users, access.key(str(given)), "user").id)
    if column.id not in OWN_FIELDS:
        return ids or None
    check(len(ids) <= 1, "invalid_argument", f"{column.name} takes one person")
    return ids[0] if ids else None


def _plain(state: NotionState, column: Property, inner: Any) -> str | None:
    check(
        isinstance(inner, str) and len(inner) <= 2000,
        "invalid_argument",
        f"{column.name} is a text of at most 2000 characters",
    )
    text = str(inner).strip()
    check(
        column.type != "email" or not text or _ADDRESS.fullmatch(text) is not None,
        "invalid_argument",
        f"{column.name} is an email address, not {text[:60]!r}",
    )
    return text or None


def _checkbox(state: NotionState, column: Property, inner: Any) -> bool:
    check(isinstance(inner, bool), "invalid_argument", f"{column.name} is true or false")
    return bool(inner)


Parser = Callable[[NotionState, Property, Any], Any]
_PARSERS: dict[str, Parser] = {
    "title": _title,
    "rich_text": _text,
    "number": _number,
    "select": _option,
    "status": _option,
    "multi_select": _options,
    "date": _date,
    "people": _people,
    "email": _plain,
    "phone_number": _plain,
    "url": _plain,
    "checkbox": _checkbox,
}


def new_column(name: str, raw: Any) -> Property:
    """A column from Notion's JSON, such as {"select": {"options": [{"name": "A"}]}}."""
    value = access.mapping(raw, name)
    kinds = [kind for kind in TYPES if kind in value]
    check(
        len(kinds) == 1,
        "invalid_argument",
        f"{name[:60]} needs one type of: {', '.join(TYPES)}",
    )
    kind: Any = kinds[0]
    check(0 < len(name) <= 100, "invalid_argument", "a property name has 1 to 100 characters")
    inner = value[kind] if isinstance(value[kind], dict) else {}
    options = [str(item.get("name", "")) for item in inner.get("options", ())
               if isinstance(item, dict)]  # fmt: skip
    if kind == "status" and not options:
        options = list(STATUSES)
    # A page's own field holds a column only where name and type agree.
    other = f"{name}_" if name in OWN_FIELDS else name
    field = "title" if kind == "title" else FIELDS.get((name, kind), other)
    if field == "status" and tuple(options) != STATUSES:
        field = name
    return Property(id=field, name=name, type=kind, options=tuple(options))


def check_columns(columns: tuple[Property, ...]) -> tuple[Property, ...]:
    """Refuse columns without exactly one title, or with a name twice."""
    titles = sum(column.type == "title" for column in columns)
    check(titles == 1, "invalid_argument", "a data source has exactly one title property")
    names = [column.name for column in columns]
    for name in names:
        check(names.count(name) == 1, "conflict", f"two properties are called {name!r}")
    return columns
