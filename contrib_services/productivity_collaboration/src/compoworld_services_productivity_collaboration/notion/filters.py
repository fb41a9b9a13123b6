"""Query filters: Notion's filter objects as tests of a page."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from compoworld_core import ToolError
from compoworld_core.resources import check
from compoworld_services_productivity_collaboration.notion import access, columns
from compoworld_services_productivity_collaboration.notion.state import Page, Property

Test = Callable[[Page], bool]
DEPTH = 2
"""Levels of and/or that Notion allows."""

_TEXT = ("equals", "does_not_equal", "contains", "does_not_contain", "starts_with", "ends_with")
_NUMBER = ("equals", "does_not_equal", "greater_than", "less_than",
           "greater_than_or_equal_to", "less_than_or_equal_to")  # fmt: skip
_DATE = ("equals", "before", "after", "on_or_before", "on_or_after")
_MEMBER = ("contains", "does_not_contain")
_ONE = ("equals", "does_not_equal")
_EMPTY = ("is_empty", "is_not_empty")

OPERATORS: dict[str, tuple[str, ...]] = {
    "title": _TEXT + _EMPTY,
    "rich_text": _TEXT + _EMPTY,
    "email": _TEXT + _EMPTY,
    "phone_number": _TEXT + _EMPTY,
    "url": _TEXT + _EMPTY,
    "number": _NUMBER + _EMPTY,
    "select": _ONE + _EMPTY,
    "status": _ONE + _EMPTY,
    "multi_select": _MEMBER + _EMPTY,
    "people": _MEMBER + _EMPTY,
    "date": _DATE + _EMPTY,
    "checkbox": _ONE,
}


def compiled(raw: Any, schema: tuple[Property, ...], depth: int = 0) -> Test:
    """The test of a filter object; ToolError says what is wrong with it."""
    found = access.mapping(raw, "filter")
    for word in ("and", "or"):
        if word in found:
            return _compound(word, found[word], schema, depth)
    if "timestamp" in found:
        return _timestamp(found)
    name = found.get("property")
    if not isinstance(name, str):
        raise ToolError(
            "invalid_argument",
            'a filter is {"property": name, type: {operator: value}} or {"and": […]}',
        )
    column = columns.find(schema, name)
    condition = found.get(column.type)
    if not isinstance(condition, dict) or len(condition) != 1:
        raise ToolError(
            "invalid_argument",
            f'{column.name} is a {column.type} property; filter it with {{"{column.type}": '
            "{operator: value}}",
        )
    ((operator, value),) = condition.items()
    return _condition(column, operator, value)


def equality(raw: Any, schema: tuple[Property, ...]) -> dict[str, Any]:
    """The indexed comparison that a plain equals filter amounts to; empty for all others."""
    found = access.mapping(raw, "filter")
    if not isinstance(found.get("property"), str):
        return {}
    column = columns.find(schema, found["property"])
    condition = found.get(column.type)
    if column.id in ("email", "status", "reference") and isinstance(condition, dict):
        value = condition.get("equals")
        return {column.id: value} if isinstance(value, str) else {}
    return {}


def _compound(word: str, parts: Any, schema: tuple[Property, ...], depth: int) -> Test:
    if not isinstance(parts, list) or not parts:
        raise ToolError("invalid_argument", f"{word} takes an array of filters")
    check(depth < DEPTH, "invalid_argument", "and/or may be nested at most two levels deep")
    tests = [compiled(part, schema, depth + 1) for part in parts]
    every = all if word == "and" else any
    return lambda page: every(test(page) for test in tests)


def _timestamp(found: dict[str, Any]) -> Test:
    name = found["timestamp"]
    check(
        name in ("created_time", "last_edited_time"),
        "invalid_argument",
        "timestamp is created_time or last_edited_time",
    )
    condition = found.get(name)
    if not isinstance(condition, dict) or len(condition) != 1:
        raise ToolError("invalid_argument", f'give {{"{name}": {{operator: date}}}}')
    ((operator, value),) = condition.items()
    _known(operator, _DATE, str(name))
    wanted = columns.day(value, str(name))
    return lambda page: _ordered(getattr(page, name).date(), operator, wanted)


def _known(operator: str, allowed: tuple[str, ...], name: str) -> None:
    check(
        operator in allowed,
        "invalid_argument",
        f"{name} has no operator {operator[:40]!r}; there are: {', '.join(allowed)}",
    )


def _condition(column: Property, operator: str, value: Any) -> Test:
    kind = column.type
    _known(operator, OPERATORS[kind], column.name)
    if operator in _EMPTY:
        empty = operator == "is_empty"
        return lambda page: (columns.value_of(page, column) in (None, "", ())) is empty
    if kind == "number":
        number = _number(value, column.name)
        return lambda page: _compares(columns.value_of(page, column), operator, number)
    if kind == "date":
        wanted = columns.day(value, column.name)

        def dated(page: Page) -> bool:
            held = columns.value_of(page, column)
            return held is not None and _ordered(
                columns.day(held, column.name), operator, wanted
            )

        return dated
    if kind == "checkbox":
        return lambda page: (
            (bool(columns.value_of(page, column)) is value) is (operator == "equals")
        )
    check(isinstance(value, str), "invalid_argument", f"{column.name} is compared with a text")
    if kind in ("multi_select", "people"):
        wanted_key = access.key(value) if kind == "people" else value
        return lambda page: (wanted_key in _members(page, column)) is (operator == "contains")
    return lambda page: _matches(columns.value_of(page, column), operator, value)


def _members(page: Page, column: Property) -> tuple[Any, ...]:
    held = columns.value_of(page, column)
    return held if isinstance(held, tuple) else (held,)


def _matches(held: Any, operator: str, value: str) -> bool:
    text, wanted = str(held or "").casefold(), value.casefold()
    if operator == "equals":
        return text == wanted
    if operator == "does_not_equal":
        return text != wanted
    if operator == "starts_with":
        return text.startswith(wanted)
    if operator == "ends_with":
        return text.endswith(wanted)
    return (wanted in text) is (operator == "contains")


def _number(value: Any, name: str) -> Decimal:
    try:
        number = Decimal(str(value))
    except InvalidOperation as error:
        raise ToolError("invalid_argument", f"{name} is compared with a number") from error
    check(number.is_finite(), "invalid_argument", f"{name} is compared with a number")
    return number


def _compares(held: Any, operator: str, value: Decimal) -> bool:
    if held is None:
        return operator == "does_not_equal"
    number = Decimal(str(held))
    return {
        "equals": number == value,
        "does_not_equal": number != value,
        "greater_than": number > value,
        "less_than": number < value,
        "greater_than_or_equal_to": number >= value,
        "less_than_or_equal_to": number <= value,
    }[operator]


def _ordered(held: Any, operator: str, value: Any) -> bool:
    return bool(
        {
            "equals": held == value,
            "before": held < value,
            "after": held > value,
            "on_or_before": held <= value,
            "on_or_after": held >= value,
        }[operator]
    )
