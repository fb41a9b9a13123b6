"""Checks that the tools share: who calls, who may be assigned, what values are allowed."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, WithJsonSchema

from compoworld_core import Context, ToolError
from compoworld_core.resources import check, require
from compoworld_services_communication_support.zendesk.state import (
    Priority,
    Ticket,
    TicketStatus,
    TicketType,
    User,
    ZendeskState,
)

PAGE = 40
"""Most records of one page."""
SUBJECT_LIMIT = 150
TEXT_LIMIT = 65_535

STATUSES: tuple[str, ...] = get_args(TicketStatus)
PRIORITIES: tuple[str, ...] = get_args(Priority)
TYPES: tuple[str, ...] = get_args(TicketType)


def _spelled(value: Any) -> Any:
    """A word as Zendesk stores it: people also write High, on_hold or hold."""
    if not isinstance(value, str):
        return value
    plain = value.strip().lower().replace("_", "-")
    return "on-hold" if plain == "hold" else plain


# The product's schema types these as plain strings and names the words in the description.
_WORD = (BeforeValidator(_spelled), WithJsonSchema({"type": "string"}))
StatusWord = Annotated[TicketStatus, *_WORD]
PriorityWord = Annotated[Priority, *_WORD]
TypeWord = Annotated[TicketType, *_WORD]
SortWord = Annotated[
    Literal["created_at", "updated_at", "priority", "status"],
    WithJsonSchema({"type": "string"}),
]
OrderWord = Annotated[Literal["asc", "desc"], *_WORD]

NEXT: dict[str, tuple[str, ...]] = {
    "new": ("open", "pending", "on-hold", "solved", "closed"),
    "open": ("pending", "on-hold", "solved", "closed"),
    "pending": ("open", "on-hold", "solved", "closed"),
    "on-hold": ("open", "pending", "solved", "closed"),
    "solved": ("open", "pending", "on-hold", "closed"),
}
"""What a ticket's status may become; closed is final, and no ticket is new again."""


def me(state: ZendeskState, ctx: Context) -> User:
    """The calling account's user, an agent or admin."""
    user = state.users.first(email=ctx.actor)
    if user is None or user.role == "end-user":
        raise ToolError("permission_denied", f"{ctx.actor} is no agent of this help desk")
    return user


def one_of(value: str, allowed: tuple[str, ...], name: str) -> str:
    """A value of a closed list, in its canonical spelling."""
    plain = str(_spelled(value))
    check(
        plain in allowed,
        "invalid_argument",
        f"{name} {value[:40]!r} is none of: {', '.join(allowed)}",
    )
    return plain


def agent(state: ZendeskState, user_id: int) -> User:
    """A user to whom tickets can be assigned."""
    user = require(state.users, user_id, "user")
    check(
        user.role != "end-user",
        "failed_precondition",
        f"{user.name} is an end user; tickets are assigned to agents or admins",
    )
    check(not user.suspended, "failed_precondition", f"{user.name} is suspended")
    return user


def requester(state: ZendeskState, user_id: int) -> User:
    """A user who may open tickets."""
    user = require(state.users, user_id, "user")
    check(
        not user.suspended,
        "permission_denied",
        f"{user.name} is suspended and cannot be a requester",
    )
    return user


def open_ticket(state: ZendeskState, ticket_id: int) -> Ticket:
    """A ticket that still takes changes."""
    ticket = require(state.tickets, ticket_id, "ticket")
    check(
        ticket.status != "closed",
        "failed_precondition",
        f"ticket {ticket.id} is closed for good; open a new one that refers to it",
    )
    return ticket


def text(value: str, name: str, limit: int = TEXT_LIMIT) -> str:
    """A text that is not empty and not too long."""
    check(bool(value.strip()), "invalid_argument", f"{name} is empty")
    check(
        len(value) <= limit,
        "invalid_argument",
        f"{name} has {len(value)} characters; at most {limit} are allowed",
    )
    return value


def clean_tags(values: list[str]) -> list[str]:
    """Tags as Zendesk keeps them: lower case, words joined by underscores."""
    tags = ["_".join(value.lower().split()) for value in values]
    for tag in tags:
        check(0 < len(tag) <= 80, "invalid_argument", "a tag has 1 to 80 characters")
    return tags


def custom_values(state: ZendeskState, fields: list[dict[str, Any]]) -> dict[str, Any]:
    """Ticket fields that a list of {id, value} sets."""
    values: dict[str, Any] = {}
    for item in fields:
        key = item.get("id")
        if isinstance(key, str) and key.isdigit():
            key = int(key)
        check(
            isinstance(key, int) and "value" in item and len(item) == 2,
            "invalid_argument",
            'each custom field is {"id": …, "value": …}; see get_ticket_fields for the ids',
        )
        field = require(state.ticket_fields, key, "ticket field")  # type: ignore[arg-type]  # checked
        value = item["value"]
        if value is None or value == "":
            values[field.key] = None
        elif field.type == "decimal":
            values[field.key] = _amount(value, field.title)
        else:
            check(
                isinstance(value, str) and len(value) <= 255,
                "invalid_argument",
                f"{field.title} is a text of at most 255 characters",
            )
            values[field.key] = value
    return values


def _amount(value: Any, title: str) -> Decimal:
    try:
        amount = Decimal(str(value))
    except InvalidOperation as error:
        raise ToolError(
            "invalid_argument", f"{title} is a number, not {str(value)[:40]!r}"
        ) from error
    check(
        amount.is_finite() and 0 <= amount <= 10_000_000,
        "invalid_argument",
        f"{title} is a number from 0 to 10,000,000",
    )
    return amount
