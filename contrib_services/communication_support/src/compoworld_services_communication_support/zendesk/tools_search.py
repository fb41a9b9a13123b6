"""The ticket search and its query language."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated

from compoworld_core import Forms, ToolError
from compoworld_core.resources import Page, check, folded, numbered
from compoworld_services_communication_support.zendesk import access
from compoworld_services_communication_support.zendesk.state import (
    Ticket,
    ZendeskState,
    service,
)
from compoworld_services_communication_support.zendesk.tools_tickets import in_order

Test = Callable[[Ticket], bool]
Query = Annotated[
    str,
    Forms(
        requester_email="requester:{}",
        status="status:{}",
        priority="priority:{}",
        type="ticket_type:{}",
        tags="tags:{}",
        subject='subject:"{}"',
        description='description:"{}"',
        order_number="fieldvalue:{}",
        invoice_number="fieldvalue:{}",
        assignee_id="assignee:{}",
        organization_id="organization:{}",
    ),
]
TEXTS = ("subject", "description")

_TOKEN = re.compile(r'(-?)(?:(\w+)(:|<=?|>=?))?("[^"]*"|\S+)')
_ENUMS = {
    "status": access.STATUSES,
    "priority": access.PRIORITIES,
    "ticket_type": access.TYPES,
}
_DATES = {"created": "created_at", "updated": "updated_at", "due_date": "due_at"}


@service.tool(read_only=True)
def search_tickets(
    state: ZendeskState,
    query: Query,
    sort_by: access.SortWord = "created_at",
    sort_order: access.OrderWord = "desc",
    page: int = 1,
    per_page: int = 25,
) -> Page[Ticket]:
    """Search tickets; all terms must hold.

    Plain words are looked for in subject and description. Terms: status:, priority:,
    ticket_type:, tags:, subject:, description:, requester: and assignee: (address, name, id,
    or none), organization: (name or id), fieldvalue: (a custom field's value), and created,
    updated or due_date with :, <, <=, > or >= and a date. status<solved works too. A minus
    before a term excludes it; quotes keep words together.

    Args:
        query: the terms.
        sort_by: created_at, updated_at, priority or status; created_at by default.
        sort_order: asc or desc.
        page: number of the page, from 1.
        per_page: tickets a page, at most 40.
    """
    check(bool(query.strip()), "invalid_argument", "the query is empty; try status:open")
    equal: dict[str, object] = {}
    tests: list[Test] = []
    for minus, name, operator, value in _TOKEN.findall(query):
        plain = value.strip('"')
        test, exact = _term(state, name.casefold(), operator, plain)
        if exact and not minus:
            equal |= exact
        else:
            tests.append(_negated(test) if minus else test)
    rows = [t for t in state.tickets.where(**equal) if all(test(t) for test in tests)]
    ordered = in_order(rows, sort_by, sort_order)
    return numbered(ordered, page, min(per_page, access.PAGE))


def _term(
    state: ZendeskState, name: str, operator: str, value: str
) -> tuple[Test, dict[str, object]]:
    """The test of one term, and the equality that it amounts to, if it does."""
    if not name or name == "type":
        # type:ticket is what people write out of habit; here all results are tickets.
        wanted = "" if name and value == "ticket" else value.casefold()
        return (lambda t: wanted in folded(t, TEXTS)), {}
    if name in _ENUMS:
        return _enum(name, operator, access.one_of(value, _ENUMS[name], name))
    if name in _DATES:
        return _date(_DATES[name], operator, value), {}
    if operator != ":":
        raise ToolError("invalid_argument", f"{name} takes a colon, as in {name}:{value[:40]}")
    return _colon(state, name, value)


def _colon(state: ZendeskState, name: str, value: str) -> tuple[Test, dict[str, object]]:
    folded_value = value.casefold()
    if name in TEXTS:
        return (lambda t: folded_value in folded(t, (name,))), {}
    if name == "tags":
        return (lambda t: folded_value in t.tags), {}
    if name == "fieldvalue":
        return (lambda t: folded_value in _custom(t)), {}
    if name == "requester" and "@" in value:
        return _equals("requester_email", folded_value)
    if name == "organization":
        if value.isdigit():
            return _equals("organization_id", int(value))
        found = [o.id for o in state.organizations if o.name.casefold() == folded_value]
        return (lambda t: t.organization_id in found), {}
    if name in ("requester", "assignee"):
        return _person(state, f"{name}_id", folded_value)
    known = "status, priority, ticket_type, tags, subject, description, requester, assignee, "
    raise ToolError(
        "invalid_argument",
        f"no search term {name[:40]!r}; there are: {known}organization, fieldvalue, created, "
        "updated, due_date. Put plain words with a colon in quotes",
    )


def _equals(field: str, value: object) -> tuple[Test, dict[str, object]]:
    return (lambda t: bool(getattr(t, field) == value)), {field: value}


def _person(state: ZendeskState, field: str, value: str) -> tuple[Test, dict[str, object]]:
    if value == "none":
        return _equals(field, None)
    if value.isdigit():
        return _equals(field, int(value))
    if "@" in value:
        user = state.users.first(email=value)
        return _equals(field, user.id if user else -1)
    named = [user.id for user in state.users if value in user.name.casefold()]
    return (lambda t: getattr(t, field) in named), {}


def _enum(name: str, operator: str, value: str) -> tuple[Test, dict[str, object]]:
    field = "type" if name == "ticket_type" else name
    if operator == ":":
        return _equals(field, value)
    order = _ENUMS[name]
    place = order.index(value)

    def test(ticket: Ticket) -> bool:
        held = getattr(ticket, field)
        return held is not None and _compare(order.index(held), operator, place)

    return test, {}


def _date(field: str, operator: str, value: str) -> Test:
    try:
        day = date.fromisoformat(value[:10])
    except ValueError as error:
        raise ToolError(
            "invalid_argument", f"{value[:40]!r} is no date; write it as 2026-03-01"
        ) from error

    def test(ticket: Ticket) -> bool:
        held = getattr(ticket, field)
        return held is not None and _compare(held.date().toordinal(), operator, day.toordinal())

    return test


def _compare(held: int, operator: str, value: int) -> bool:
    return {
        ":": held == value,
        "<": held < value,
        "<=": held <= value,
        ">": held > value,
        ">=": held >= value,
    }[operator]


def _custom(ticket: Ticket) -> list[str]:
    values = (ticket.order_number, ticket.invoice_number, ticket.refund_amount)
    return [str(value).casefold() for value in values if value is not None]


def _negated(test: Test) -> Test:
    return lambda t: not test(t)
