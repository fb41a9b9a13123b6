"""The shop's search syntax: `field:value`, comparisons, wildcards, `-` and OR; and pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from fnmatch import translate
from typing import Annotated, Any, Final, Literal, TypeVar

from attrs import frozen
from pydantic import Field

from compoworld_core import UNSET, Entity, Table, ToolError
from compoworld_core.observation import closest
from compoworld_core.resources import Page, check, folded, paginate

First = Annotated[float, Field(ge=1, le=250)]
MOST_ROWS: Final = 30
"""More rows would not fit into one observation."""
_TERM = re.compile(r'(-?)(?:(\w+):)?(?:"([^"]*)"|(\S+))')
_COMPARISON = re.compile(r"^(>=|<=|>|<)(.+)$")
_MOST_TERMS = 20
E = TypeVar("E", bound=Entity)
T = TypeVar("T")
Match = Literal["exact", "words", "tag", "number", "moment"]


@frozen
class By:
    """What a field of the search syntax compares, and how."""

    field: str
    match: Match = "exact"
    form: Callable[[str], str] = str
    """Brings what was typed into the form that is stored."""
    value: Callable[[Any, Any], Any] | None = None
    """`(state, row)`: the value, where it is no field of the row."""


@frozen
class Syntax:
    """The search syntax of one kind of records."""

    fields: Mapping[str, By]
    text: tuple[str, ...]
    """Fields that a word without a field name is looked for in."""


@frozen
class _Term:
    negated: bool
    by: By | None
    text: str


def find(state: Any, table: Table[E], syntax: Syntax, query: str) -> list[E]:
    """The rows that a query selects, in row order; all for an empty one."""
    check(len(query) <= 2000, "invalid_argument", "query is longer than 2000 characters")
    groups = _parse(query, syntax)
    if not groups:
        return list(table)
    if len(groups) == 1:
        return _all_of(state, table, syntax, groups[0])
    chosen = {row.id for terms in groups for row in _all_of(state, table, syntax, terms)}
    return [row for row in table if row.id in chosen]


def _parse(query: str, syntax: Syntax) -> list[list[_Term]]:
    """Terms joined by AND, in groups joined by OR."""
    groups: list[list[_Term]] = [[]]
    negated = False
    for minus, name, quoted, bare in _TERM.findall(query):
        if not (name or quoted) and bare in ("AND", "OR", "NOT"):
            if bare == "OR":
                groups.append([])
            negated = bare == "NOT"
            continue
        check(
            name != "" or not bare.startswith("("),
            "invalid_argument",
            "brackets are not supported; write a OR b with full terms",
        )
        by = None
        if name:
            by = syntax.fields.get(name)
            if by is None:
                near = closest(name, list(syntax.fields))
                raise ToolError("invalid_argument", f"cannot search by {name[:40]!r}. {near}")
        groups[-1].append(_Term(bool(minus) != negated, by, quoted or bare))
        negated = False
    kept = [terms for terms in groups if terms]
    check(
        sum(map(len, kept)) <= _MOST_TERMS,
        "invalid_argument",
        f"a query has at most {_MOST_TERMS} terms",
    )
    return kept


def _all_of(state: Any, table: Table[E], syntax: Syntax, terms: Sequence[_Term]) -> list[E]:
    """The rows that pass all terms; an exact one goes through the table's index."""
    keyed = next((term for term in terms if _is_key(term)), None)
    if keyed is None or keyed.by is None:
        rows: list[E] = list(table)
    else:
        rows = table.where(**{keyed.by.field: keyed.by.form(keyed.text)})
    for term in terms:
        if term is not keyed:
            test = _test(term, syntax)
            rows = [row for row in rows if test(state, row) is not term.negated]
    return rows


def _is_key(term: _Term) -> bool:
    by = term.by
    return (
        by is not None
        and by.match == "exact"
        and not term.negated
        and by.value is None
        and "*" not in term.text
        and "," not in term.text
    )


def _test(term: _Term, syntax: Syntax) -> Callable[[Any, Any], bool]:
    """`(state, row)`: does the row pass, before negation?"""
    by, text = term.by, term.text
    if by is None:
        word = text.casefold().strip("*")
        return lambda state, row: word in folded(row, syntax.text)
    if by.match in ("number", "moment"):
        compare = _comparison(text, by.match)
        return lambda state, row: compare(_value(by, state, row))
    if by.match == "words":
        words = text.casefold().replace("*", " ").split()
        return lambda state, row: all(word in folded(row, (by.field,)) for word in words)
    choices = [by.form(part.strip()).casefold() for part in text.split(",")]
    patterns = [re.compile(translate(choice)) for choice in choices]
    if by.match == "tag":
        return lambda state, row: any(
            pattern.match(tag.casefold())
            for tag in getattr(row, by.field)
            for pattern in patterns
        )

    def passes(state: Any, row: Any) -> bool:
        value = _value(by, state, row)
        held = str(value).casefold()
        return value is not None and any(pattern.match(held) for pattern in patterns)

    return passes


def _value(by: By, state: Any, row: Any) -> Any:
    return getattr(row, by.field) if by.value is None else by.value(state, row)


def _comparison(text: str, match: Match) -> Callable[[Any], bool]:
    found = _COMPARISON.match(text)
    sign, operand = (found[1], found[2]) if found else ("=", text)
    bound: Any = _number(operand) if match == "number" else _instant(operand)

    def compare(held: Any) -> bool:
        if held is None:
            return False
        value = _moment(held) if match == "moment" else held
        if sign == "=":
            return bool(value == bound) or (
                match == "moment" and len(operand) == 10 and str(value).startswith(operand)
            )
        if sign == ">":
            return bool(value > bound)
        if sign == "<":
            return bool(value < bound)
        return bool(value >= bound) if sign == ">=" else bool(value <= bound)

    return compare


def _moment(held: Any) -> datetime:
    if isinstance(held, datetime):
        return held
    return datetime(held.year, held.month, held.day, tzinfo=UTC)


def _number(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("nan")
    check(number.is_finite(), "invalid_argument", f"{text[:40]!r} is not a number")
    return number


def _instant(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip("'"))
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ToolError(
            "invalid_argument", f"{text[:40]!r} is not a date such as 2026-03-31"
        ) from error


def page(rows: Sequence[T], first: float, after: str) -> Page[T]:
    """A page under the product's parameters."""
    check(first == int(first), "invalid_argument", "first must be a whole number")
    cursor = None if after is UNSET else after
    return paginate(rows, min(int(first), MOST_ROWS), cursor)


def text_of(query: str) -> str:
    """The query, empty where it was not given."""
    return "" if query is UNSET else query
