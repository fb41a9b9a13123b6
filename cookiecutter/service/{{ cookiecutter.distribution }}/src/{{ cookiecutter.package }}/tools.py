"""What an agent can do. The docstrings are what it reads."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from compoworld_core import UNSET, Context, Ref
from compoworld_core.resources import Page, check, given, paginate, require, transition
from compoworld_core.types import CustomerEmail, Text, Title
from {{ cookiecutter.package }}.state import (
    STEPS,
    Comment,
    DeskState,
    Priority,
    Request,
    Status,
    service,
)


@service.tool(read_only=True)
def list_requests(
    state: DeskState,
    customer: CustomerEmail | None = None,
    status: Status | None = None,
    priority: Priority | None = None,
    limit: Annotated[int, Field(ge=1, le=100)] = 20,
    cursor: str | None = None,
) -> Page[Request]:
    """List requests, oldest first.

    Args:
        customer: only those of this address.
        status: only those in this status.
        priority: only those of this priority.
        limit: how many at most.
        cursor: next_cursor of the page before.
    """
    wanted = {"customer": customer, "status": status, "priority": priority}
    rows = state.requests.where(**{k: v for k, v in wanted.items() if v is not None})
    return paginate(rows, limit, cursor)


@service.tool(read_only=True)
def get_request(state: DeskState, request_id: Ref[Request]) -> Request:
    """Get one request."""
    return require(state.requests, request_id, "request")


@service.tool
def create_request(
    state: DeskState,
    ctx: Context,
    customer: CustomerEmail,
    subject: Title,
    details: Text = "",
    priority: Priority = "normal",
) -> Request:
    """Open a request for a customer.

    Args:
        customer: the customer's address.
        subject: what it is about, in a few words.
        details: all that is known.
        priority: how much it presses.
    """
    return state.requests.insert(
        Request(
            id=ctx.new_id("rq_"),
            subject=subject,
            details=details,
            customer=customer,
            priority=priority,
            created_at=ctx.now,
            updated_at=ctx.now,
        )
    )


@service.tool
def update_request(
    state: DeskState,
    ctx: Context,
    request_id: Ref[Request],
    subject: Title = UNSET,
    details: Text = UNSET,
    priority: Priority = UNSET,
) -> Request:
    """Change fields of a request; what is left out stays.

    Args:
        request_id: the request.
        subject: the new subject.
        details: the new details, in place of the old.
        priority: the new priority.
    """
    require(state.requests, request_id, "request")
    changes = given(subject=subject, details=details, priority=priority)
    check(bool(changes), "invalid_argument", "name a field to change")
    return state.requests.update(request_id, **changes, updated_at=ctx.now)


@service.tool
def set_status(
    state: DeskState, ctx: Context, request_id: Ref[Request], status: Status
) -> Request:
    """Move a request on: open, waiting or closed; a closed one can only be opened again."""
    request = require(state.requests, request_id, "request")
    transition(request.status, status, STEPS, "the request")
    return state.requests.update(request_id, status=status, updated_at=ctx.now)


@service.tool(read_only=True)
def list_comments(state: DeskState, request_id: Ref[Request]) -> list[Comment]:
    """List the comments on a request, oldest first."""
    require(state.requests, request_id, "request")
    return state.comments.where(request_id=request_id)


@service.tool
def add_comment(
    state: DeskState, ctx: Context, request_id: Ref[Request], text: Text
) -> Comment:
    """Write a comment on a request that is not closed.

    Args:
        request_id: the request.
        text: what to write.
    """
    request = require(state.requests, request_id, "request")
    check(bool(text.strip()), "invalid_argument", "write something in text")
    check(
        request.status != "closed",
        "failed_precondition",
        "the request is closed; open it again first: set_status",
    )
    return state.comments.insert(
        Comment(
            id=ctx.new_id("cm_"),
            request_id=request_id,
            author=ctx.actor,
            text=text,
            created_at=ctx.now,
        )
    )
