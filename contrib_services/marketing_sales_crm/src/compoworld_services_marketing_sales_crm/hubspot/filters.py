"""Searching records: filter groups, free text and sorting."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import UNSET, ToolError
from compoworld_core.resources import check, search
from compoworld_core.types import Forms
from compoworld_services_marketing_sales_crm.hubspot.records import (
    KINDS,
    SEARCH_FORMS,
    check_names,
    parse,
    table_of,
    values_of,
)
from compoworld_services_marketing_sales_crm.hubspot.state import HubspotState

Operator = Literal[
    "EQ",
    "NEQ",
    "LT",
    "LTE",
    "GT",
    "GTE",
    "BETWEEN",
    "IN",
    "NOT_IN",
    "HAS_PROPERTY",
    "NOT_HAS_PROPERTY",
    "CONTAINS_TOKEN",
    "NOT_CONTAINS_TOKEN",
]
_MOST_GROUPS: Final = 5
_MOST_FILTERS: Final = 18
SEARCHED: Final[dict[str, tuple[str, ...]]] = {
    "contacts": ("firstname", "lastname", "email", "phone", "company", "account_no"),
    "companies": ("name", "domain", "phone"),
    "deals": ("dealname", "description"),
    "tickets": ("subject", "content", "source_email"),
}
"""Fields that the free-text query looks at."""


class Filter(BaseModel):
    """One comparison."""

    model_config = ConfigDict(extra="forbid")

    propertyName: str = Field(description="Property to compare.")  # noqa: N815
    operator: Operator = Field(description="How to compare.")
    value: Any = Field(default_factory=lambda: UNSET, description="What to compare with.")
    highValue: Any = Field(  # noqa: N815
        default_factory=lambda: UNSET, description="Upper bound of BETWEEN."
    )
    values: list[Any] = Field(
        default_factory=lambda: UNSET, description="Choices for IN and NOT_IN."
    )


class FilterGroup(BaseModel):
    """Comparisons that must all hold."""

    model_config = ConfigDict(extra="forbid")

    filters: list[Filter]


def _example(name: str) -> list[dict[str, Any]]:
    return [{"filters": [{"propertyName": name, "operator": "EQ", "value": "{}"}]}]


FilterGroups = Annotated[
    list[FilterGroup],
    Forms(**{f"{kind}.{name}": _example(name) for kind, name in SEARCH_FORMS}),
]


class Sort(BaseModel):
    """One criterion of the order."""

    model_config = ConfigDict(extra="forbid")

    propertyName: str  # noqa: N815
    direction: Literal["ASCENDING", "DESCENDING"]


def find(
    state: HubspotState, kind: str, query: str | None, groups: Sequence[FilterGroup]
) -> list[Any]:
    """The records that are not archived, pass any group, and hold all words of the query."""
    table = table_of(state, kind)
    check(
        len(groups) <= _MOST_GROUPS and sum(len(g.filters) for g in groups) <= _MOST_FILTERS,
        "invalid_argument",
        f"a search takes at most {_MOST_GROUPS} groups and {_MOST_FILTERS} filters in all",
    )
    for group in groups:
        check_names(state, kind, [item.propertyName for item in group.filters])
    if not groups:
        rows = list(table)
    elif len(groups) == 1:
        rows = _members(state, kind, groups[0].filters)
    else:
        chosen = {row.id for g in groups for row in _members(state, kind, g.filters)}
        rows = [row for row in table if row.id in chosen]
    if query:
        check(len(query) <= 3000, "invalid_argument", "query is longer than 3000 characters")
        rows = search(rows, query, SEARCHED[kind])
    return [row for row in rows if not row.archived]


def _members(state: HubspotState, kind: str, filters: Sequence[Filter]) -> list[Any]:
    """The rows that pass all filters; equality with a field goes through the table's index."""
    entity, table = KINDS[kind], table_of(state, kind)
    equal: dict[str, Any] = {}
    rest = []
    for item in filters:
        name = "id" if item.propertyName == "hs_object_id" else item.propertyName
        if item.operator == "EQ" and name in entity.model_fields and name not in equal:
            text = _text(item.value, item, "value")
            equal[name] = text if name == "id" else parse(kind, name, text)
        else:
            rest.append(item)
    rows = table.where(**equal) if equal else list(table)
    for item in rest:
        test = _Test(item)
        rows = [row for row in rows if test.passes(values_of(row).get(item.propertyName))]
    return rows


class _Test:
    """A filter with its operands read once."""

    def __init__(self, item: Filter) -> None:
        self.operator = item.operator
        self.operands: list[Any] = []
        if item.operator in ("IN", "NOT_IN"):
            check(bool(item.values), "invalid_argument", f"{item.operator} needs values")
            self.operands = [_comparable(_text(v, item, "values")) for v in item.values]
        elif item.operator not in ("HAS_PROPERTY", "NOT_HAS_PROPERTY"):
            self.operands = [_comparable(_text(item.value, item, "value"))]
            if item.operator == "BETWEEN":
                self.operands.append(_comparable(_text(item.highValue, item, "highValue")))
        if item.operator in ("CONTAINS_TOKEN", "NOT_CONTAINS_TOKEN"):
            self.pattern = _token(_text(item.value, item, "value"))

    def passes(self, value: Any) -> bool:
        """Does a property's value (None where it is empty) pass?"""
        operator = self.operator
        if operator == "HAS_PROPERTY":
            return value is not None
        if operator == "NOT_HAS_PROPERTY":
            return value is None
        if value is None:
            return operator in ("NEQ", "NOT_IN", "NOT_CONTAINS_TOKEN")
        if operator == "CONTAINS_TOKEN":
            return self.pattern.search(str(value)) is not None
        if operator == "NOT_CONTAINS_TOKEN":
            return self.pattern.search(str(value)) is None
        held = _comparable(str(value))
        if operator in ("EQ", "IN"):
            return held in self.operands
        if operator in ("NEQ", "NOT_IN"):
            return held not in self.operands
        return self._in_range(held)

    def _in_range(self, held: Any) -> bool:
        low = self.operands[0]
        if type(held) is not type(low):
            return False
        if self.operator == "BETWEEN":
            high = self.operands[1]
            return type(high) is type(low) and bool(low <= held <= high)
        if self.operator == "LT":
            return bool(held < low)
        if self.operator == "LTE":
            return bool(held <= low)
        return bool(held > low) if self.operator == "GT" else bool(held >= low)


def _text(value: Any, item: Filter, part: str) -> str:
    if value is UNSET or value is None:
        raise ToolError(
            "invalid_argument", f"{item.operator} on {item.propertyName[:60]} needs {part}"
        )
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        raise ToolError("invalid_argument", f"{part} must be a text or a number")
    return str(value)


@lru_cache(maxsize=4096)
def _comparable(text: str) -> Any:
    """A number where the text is one, else the case-folded text (ISO dates sort as texts)."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text.casefold()
    return number if number.is_finite() else text.casefold()


def _token(text: str) -> re.Pattern[str]:
    """Whole words, in any case; `*` stands for the rest of a word."""
    check(0 < len(text.strip()) <= 500, "invalid_argument", "a token has 1 to 500 characters")
    parts = [re.escape(part) for part in text.strip().split("*")]
    return re.compile(rf"(?<!\w){r'[^ ]*'.join(parts)}(?!\w)", re.IGNORECASE)


def ordered(
    state: HubspotState, kind: str, rows: list[Any], sorts: Sequence[Sort]
) -> list[Any]:
    """The rows in the order of these criteria; records without a value come last."""
    check_names(state, kind, [item.propertyName for item in sorts])
    for item in reversed(sorts):
        name, falling = item.propertyName, item.direction == "DESCENDING"
        having = [row for row in rows if values_of(row).get(name) is not None]
        empty = [row for row in rows if values_of(row).get(name) is None]
        rows = [
            *sorted(having, key=lambda r: _rank(values_of(r)[name]), reverse=falling),
            *empty,
        ]
    return rows


def _rank(value: Any) -> tuple[int, Any]:
    """Numbers before texts, so that mixed values have an order too."""
    held = _comparable(str(value))
    return (0, held) if isinstance(held, Decimal) else (1, held)
