"""Tools for tickets: read, list, create, update, comment, tag, merge, delete."""

from __future__ import annotations

from typing import Annotated, Any

from compoworld_core import UNSET, Context, Forms, IntRef
from compoworld_core.resources import Page, check, given, numbered, require, transition
from compoworld_core.types import DateTime, Tag, Text, Title
from compoworld_services_communication_support.zendesk import access
from compoworld_services_communication_support.zendesk.state import (
    FIRST_TICKET,
    INVOICE_FIELD,
    ORDER_FIELD,
    REFUND_FIELD,
    Comment,
    Ticket,
    TicketField,
    User,
    ZendeskState,
    new_id,
    service,
)

CustomFields = Annotated[
    list[dict[str, Any]],
    Forms(
        order_number=[{"id": ORDER_FIELD, "value": "{}"}],
        invoice_number=[{"id": INVOICE_FIELD, "value": "{}"}],
        refund_amount=[{"id": REFUND_FIELD, "value": "{}"}],
    ),
]


@service.tool(read_only=True)
def get_ticket(state: ZendeskState, ticket_id: IntRef[Ticket]) -> Ticket:
    """Show one ticket; custom fields stand under their own names.

    Args:
        ticket_id: number of the ticket.
    """
    return require(state.tickets, ticket_id, "ticket")


@service.tool(read_only=True)
def get_tickets(
    state: ZendeskState,
    page: int = 1,
    per_page: int = 25,
    sort_by: access.SortWord = "created_at",
    sort_order: access.OrderWord = "desc",
) -> Page[Ticket]:
    """List all tickets, by default the newest first.

    Args:
        page: number of the page, from 1.
        per_page: tickets a page, at most 40.
        sort_by: created_at, updated_at, priority or status.
        sort_order: asc or desc.
    """
    return numbered(
        in_order(list(state.tickets), sort_by, sort_order), page, min(per_page, access.PAGE)
    )


@service.tool(read_only=True)
def get_ticket_comments(state: ZendeskState, ticket_id: IntRef[Ticket]) -> Page[Comment]:
    """List a ticket's replies and internal notes, oldest first.

    Args:
        ticket_id: number of the ticket.
    """
    ticket = require(state.tickets, ticket_id, "ticket")
    rows = sorted(state.comments.where(ticket_id=ticket.id), key=lambda c: c.created_at)
    return Page(items=rows, total=len(rows), next_cursor=None)


@service.tool(read_only=True)
def get_ticket_fields(state: ZendeskState) -> Page[TicketField]:
    """List the custom fields of tickets, with the ids that custom_fields takes."""
    rows = list(state.ticket_fields)
    return Page(items=rows, total=len(rows), next_cursor=None)


@service.tool(read_only=True)
def get_user_tickets(
    state: ZendeskState, user_id: IntRef[User], page: int = 1, per_page: int = 25
) -> Page[Ticket]:
    """List the tickets that a user requested, newest first.

    Args:
        user_id: id of the requester.
        page: number of the page, from 1.
        per_page: tickets a page, at most 40.
    """
    user = require(state.users, user_id, "user")
    rows = in_order(state.tickets.where(requester_id=user.id), "created_at", "desc")
    return numbered(rows, page, min(per_page, access.PAGE))


@service.tool
def create_ticket(
    state: ZendeskState,
    ctx: Context,
    subject: Title,
    description: Text,
    requester_id: IntRef[User] = UNSET,
    assignee_id: IntRef[User] = UNSET,
    priority: access.PriorityWord = UNSET,
    type: access.TypeWord = UNSET,
    tags: list[Tag] = UNSET,
    custom_fields: CustomFields = UNSET,
) -> Ticket:
    """Open a ticket.

    Args:
        subject: a short line, at most 150 characters.
        description: what it is about.
        requester_id: who asks; the calling agent by default.
        assignee_id: the agent who takes it; the ticket is then open, not new.
        priority: low, normal, high or urgent.
        type: problem, incident, question or task.
        tags: labels of the ticket.
        custom_fields: values as {"id", "value"}; get_ticket_fields lists the ids.
    """
    own = access.me(state, ctx)
    who = own if requester_id is UNSET else access.requester(state, requester_id)
    ticket = Ticket(
        id=ctx.next_number("ticket", FIRST_TICKET),
        subject=access.text(subject, "subject", access.SUBJECT_LIMIT),
        description=access.text(description, "description"),
        requester_id=who.id,
        requester_email=who.email,
        organization_id=who.organization_id,
        created_at=ctx.now,
        updated_at=ctx.now,
        **_values(state, assignee_id, priority, type, tags, custom_fields),
    )
    if ticket.assignee_id is not None:
        ticket = ticket.model_copy(update={"status": "open"})
    return state.tickets.insert(ticket)


@service.tool
def update_ticket(
    state: ZendeskState,
    ctx: Context,
    ticket_id: IntRef[Ticket],
    subject: Title = UNSET,
    status: access.StatusWord = UNSET,
    priority: access.PriorityWord = UNSET,
    type: access.TypeWord = UNSET,
    assignee_id: IntRef[User] = UNSET,
    requester_id: IntRef[User] = UNSET,
    tags: list[Tag] = UNSET,
    custom_fields: CustomFields = UNSET,
    due_at: DateTime = UNSET,
) -> Ticket:
    """Change a ticket; what is not given stays. A closed ticket cannot change any more.

    Args:
        ticket_id: number of the ticket.
        subject: a short line, at most 150 characters.
        status: open, pending, on-hold, solved or closed; solving needs an assignee.
        priority: low, normal, high or urgent.
        type: problem, incident, question or task.
        assignee_id: the agent who takes it; a new ticket becomes open.
        requester_id: who asks.
        tags: all labels of the ticket, instead of those it has.
        custom_fields: values as {"id", "value"}; get_ticket_fields lists the ids.
        due_at: when a task is due; only tickets of type task have it.
    """
    access.me(state, ctx)
    ticket = access.open_ticket(state, ticket_id)
    changes = given(due_at=due_at)
    if subject is not UNSET:
        changes["subject"] = access.text(subject, "subject", access.SUBJECT_LIMIT)
    if requester_id is not UNSET:
        who = access.requester(state, requester_id)
        changes["requester_id"], changes["requester_email"] = who.id, who.email
        changes["organization_id"] = who.organization_id
    changes |= _values(state, assignee_id, priority, type, tags, custom_fields)
    if status is not UNSET:
        changes["status"] = _checked_status(ticket, status, changes)
    elif ticket.status == "new" and "assignee_id" in changes:
        changes["status"] = "open"
    check(bool(changes), "invalid_argument", "name at least one field to change")
    if due_at is not UNSET:
        check(
            changes.get("type", ticket.type) == "task",
            "failed_precondition",
            f"ticket {ticket.id} is no task; set type to task to give it a due date",
        )
    return state.tickets.update(ticket.id, **changes, updated_at=ctx.now)


@service.tool
def create_ticket_comment(
    state: ZendeskState,
    ctx: Context,
    ticket_id: IntRef[Ticket],
    comment: Text,
    public: bool = True,
) -> Comment:
    """Reply on a ticket, or leave an internal note.

    Args:
        ticket_id: number of the ticket.
        comment: what to say.
        public: whether the requester sees it; false for an internal note.
    """
    own = access.me(state, ctx)
    ticket = access.open_ticket(state, ticket_id)
    row = Comment(
        id=new_id(ctx),
        ticket_id=ticket.id,
        author_id=own.id,
        body=access.text(comment, "comment"),
        public=public,
        created_at=ctx.now,
    )
    return state.comments.insert(row)


@service.tool(idempotent=True)
def add_ticket_tags(
    state: ZendeskState, ctx: Context, ticket_id: IntRef[Ticket], tags: list[Tag]
) -> Ticket:
    """Add labels to a ticket; those it has stay.

    Args:
        ticket_id: number of the ticket.
        tags: labels to add.
    """
    ticket = access.open_ticket(state, ticket_id)
    check(bool(tags), "invalid_argument", "name at least one tag")
    new = {*ticket.tags, *access.clean_tags(tags)}
    if len(new) == len(ticket.tags):
        return ticket
    return state.tickets.update(ticket.id, tags=tuple(sorted(new)), updated_at=ctx.now)


@service.tool(idempotent=True)
def remove_ticket_tags(
    state: ZendeskState, ctx: Context, ticket_id: IntRef[Ticket], tags: list[Tag]
) -> Ticket:
    """Take labels off a ticket; those it does not have are ignored.

    Args:
        ticket_id: number of the ticket.
        tags: labels to remove.
    """
    ticket = access.open_ticket(state, ticket_id)
    check(bool(tags), "invalid_argument", "name at least one tag")
    gone = access.clean_tags(tags)
    left = tuple(tag for tag in ticket.tags if tag not in gone)
    if left == ticket.tags:
        return ticket
    return state.tickets.update(ticket.id, tags=left, updated_at=ctx.now)


@service.tool(destructive=True)
def merge_tickets(
    state: ZendeskState,
    ctx: Context,
    ticket_id: IntRef[Ticket],
    source_ticket_ids: list[IntRef[Ticket]],
    target_comment: Text | None = None,
    source_comment: Text | None = None,
) -> Ticket:
    """Merge tickets into one: the sources are closed for good, the target goes on.

    Args:
        ticket_id: number of the ticket that goes on.
        source_ticket_ids: numbers of the tickets to close.
        target_comment: internal note for the ticket that goes on.
        source_comment: internal note for each closed ticket.
    """
    own = access.me(state, ctx)
    target = access.open_ticket(state, ticket_id)
    sources = [access.open_ticket(state, key) for key in dict.fromkeys(source_ticket_ids)]
    check(bool(sources), "invalid_argument", "name at least one source ticket")
    check(target not in sources, "invalid_argument", "a ticket cannot be merged into itself")
    for source in sources:
        tags = tuple(sorted({*source.tags, "closed_by_merge"}))
        state.tickets.update(source.id, status="closed", tags=tags, updated_at=ctx.now)
        _note(state, ctx, own, source.id, source_comment)
    numbers = ", ".join(f"#{source.id}" for source in sources)
    _note(state, ctx, own, target.id, target_comment or f"Merged with {numbers}")
    return state.tickets.update(target.id, updated_at=ctx.now)


@service.tool(destructive=True)
def delete_ticket(state: ZendeskState, ctx: Context, ticket_id: IntRef[Ticket]) -> Ticket:
    """Delete a ticket with its comments; a closed one cannot be deleted.

    Args:
        ticket_id: number of the ticket.
    """
    access.me(state, ctx)
    ticket = access.open_ticket(state, ticket_id)
    for comment in state.comments.where(ticket_id=ticket.id):
        state.comments.delete(comment.id)
    for rating in state.satisfaction_ratings.where(ticket_id=ticket.id):
        state.satisfaction_ratings.delete(rating.id)
    return state.tickets.delete(ticket.id)


def in_order(rows: list[Ticket], sort_by: str, sort_order: str) -> list[Ticket]:
    """Tickets sorted by a field that Zendesk sorts by."""
    falling = sort_order == "desc"
    if sort_by == "priority":
        order: tuple[str | None, ...] = (None, *access.PRIORITIES)
        return sorted(rows, key=lambda t: (order.index(t.priority), t.id), reverse=falling)
    if sort_by == "status":
        states = access.STATUSES
        return sorted(rows, key=lambda t: (states.index(t.status), t.id), reverse=falling)
    return sorted(rows, key=lambda t: (getattr(t, sort_by), t.id), reverse=falling)


def _values(
    state: ZendeskState,
    assignee_id: int,
    priority: str,
    type: str,
    tags: list[str],
    custom_fields: list[dict[str, Any]],
) -> dict[str, Any]:
    """The checked values that creating and updating have in common."""
    values: dict[str, Any] = {}
    if assignee_id is not UNSET:
        values["assignee_id"] = access.agent(state, assignee_id).id
    if priority is not UNSET:
        values["priority"] = priority
    if type is not UNSET:
        values["type"] = type
    if tags is not UNSET:
        values["tags"] = tuple(sorted(access.clean_tags(tags)))
    if custom_fields is not UNSET:
        values |= access.custom_values(state, custom_fields)
    return values


def _checked_status(ticket: Ticket, to: str, changes: dict[str, Any]) -> str:
    if to != ticket.status:
        transition(ticket.status, to, access.NEXT, f"ticket {ticket.id}")
    if to in ("solved", "closed"):
        check(
            changes.get("assignee_id", ticket.assignee_id) is not None,
            "failed_precondition",
            f"ticket {ticket.id} has no assignee; give assignee_id to make it {to}",
        )
    return to


def _note(state: ZendeskState, ctx: Context, own: User, ticket: int, body: str | None) -> None:
    if body:
        state.comments.insert(
            Comment(
                id=new_id(ctx),
                ticket_id=ticket,
                author_id=own.id,
                body=access.text(body, "comment"),
                public=False,
                created_at=ctx.now,
            )
        )
