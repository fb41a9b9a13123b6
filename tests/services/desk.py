"""A small clean help desk: every mark, references, nested values, paging, a state machine."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import UNSET, Context, Entity, Forms, Ref, Service, State, Table, ToolError
from compoworld_core.resources import Page, check, given, paginate, require, transition
from compoworld_core.types import DateTime, Email, Money, PersonName, StrSet, Text, Title

Stage = Literal["open", "pending", "solved"]


class Agent(Entity):
    id: str
    name: PersonName
    email: Email


class Comment(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    author: Ref["Agent"]
    text: Text


class Ticket(Entity):
    id: str
    subject: Title
    requester: Email
    status: Stage = "open"
    assignee: Ref["Agent"] | None = None
    refund: Money | None = None
    tags: StrSet = ()
    comments: tuple[Comment, ...] = ()
    created_at: DateTime
    updated_at: DateTime | None = None


class DeskState(State):
    agents: Table[Agent] = Table()
    tickets: Table[Ticket] = Table()
    motto: str = "We answer."


service = Service("desk", state=DeskState, domain="communication_support", summary="Tickets.")


@service.tool(read_only=True)
def get_ticket(state: DeskState, ticket_id: Ref["Ticket"]) -> Ticket:
    """Show one ticket."""
    return require(state.tickets, ticket_id, "ticket")


@service.tool(read_only=True)
def list_tickets(
    state: DeskState,
    requester: Email | None = None,
    status: Stage | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 20,
    cursor: str | None = None,
) -> Page[Ticket]:
    """List tickets.

    Args:
        requester: only those from this address.
        limit: how many at most.
    """
    wanted = {"requester": requester, "status": status}
    rows = state.tickets.where(**{k: v for k, v in wanted.items() if v is not None})
    return paginate(rows, limit, cursor)


@service.tool(read_only=True)
def find_tickets(
    state: DeskState,
    query: Annotated[str, Forms(requester="from:{}", subject="subject:{}")],
) -> list[Ticket]:
    """Find tickets with a small query language."""
    field, _, value = query.partition(":")
    if field == "from":
        return state.tickets.where(requester=value)
    if field == "subject":
        return [t for t in state.tickets if value.casefold() in t.subject.casefold()][:50]
    raise ToolError("invalid_argument", "write from:ADDRESS or subject:WORDS")


@service.tool(read_only=True)
def list_agents(state: DeskState) -> list[Agent]:
    """List the agents."""
    return list(state.agents)


@service.tool
def create_ticket(
    state: DeskState,
    ctx: Context,
    subject: Title,
    requester: Email,
    refund: Money | None = None,
    tags: StrSet = (),
) -> Ticket:
    """Open a ticket."""
    return state.tickets.insert(
        Ticket(
            id=ctx.new_id("tk_"),
            subject=subject,
            requester=requester,
            refund=refund,
            tags=tags,
            created_at=ctx.now,
        )
    )


@service.tool
def update_ticket(
    state: DeskState,
    ctx: Context,
    ticket_id: Ref["Ticket"],
    subject: Title = UNSET,
    refund: Money | None = UNSET,
    assignee: Ref["Agent"] | None = UNSET,
) -> Ticket:
    """Change some fields of a ticket."""
    require(state.tickets, ticket_id, "ticket")
    changes = given(subject=subject, refund=refund, assignee=assignee)
    check(bool(changes), "invalid_argument", "name a field to change")
    if changes.get("assignee"):
        require(state.agents, changes["assignee"], "agent")
    return state.tickets.update(ticket_id, **changes, updated_at=ctx.now)


@service.tool(idempotent=True)
def set_status(
    state: DeskState, ctx: Context, ticket_id: Ref["Ticket"], status: Stage
) -> Ticket:
    """Move a ticket on; a solved one stays solved."""
    ticket = require(state.tickets, ticket_id, "ticket")
    if ticket.status == status:
        return ticket
    steps = {"open": ("pending", "solved"), "pending": ("open", "solved")}
    transition(ticket.status, status, steps, "the ticket")
    return state.tickets.update(ticket_id, status=status, updated_at=ctx.now)


@service.tool
def comment(
    state: DeskState, ctx: Context, ticket_id: Ref["Ticket"], author: Ref["Agent"], text: Text
) -> Ticket:
    """Add a comment to a ticket."""
    ticket = require(state.tickets, ticket_id, "ticket")
    require(state.agents, author, "agent")
    comments = (*ticket.comments, Comment(author=author, text=text))
    state.tickets.update(ticket_id, comments=comments)
    return state.tickets.update(ticket_id, updated_at=ctx.now)


@service.tool(destructive=True)
def delete_ticket(state: DeskState, ticket_id: Ref["Ticket"]) -> Ticket:
    """Take a ticket out."""
    return state.tickets.delete(require(state.tickets, ticket_id, "ticket").id)


@service.tool
def hand_over(state: DeskState, ctx: Context, giver: Ref["Agent"], taker: Ref["Agent"]) -> int:
    """Give all of one agent's open tickets to another; refused where the taker has too many."""
    require(state.agents, giver, "agent")
    require(state.agents, taker, "agent")
    moved = state.tickets.where(assignee=giver, status="open")
    for ticket in moved:
        state.tickets.update(ticket.id, assignee=taker, updated_at=ctx.now)
    ctx.new_id("handover_")
    load = len(state.tickets.where(assignee=taker, status="open"))
    check(load <= 2, "failed_precondition", f"{taker} would have {load} open tickets")
    return len(moved)


@service.tool(idempotent=True)
def set_motto(state: DeskState, motto: Title) -> str:
    """Change the desk's motto."""
    state.motto = motto
    return state.motto


@service.tool
def sign_motto(state: DeskState, ctx: Context, motto: Title, author: Ref["Agent"]) -> str:
    """Change the desk's motto in the name of an agent; looks late, for the laws to see."""
    state.motto = motto
    state.motto = f"{motto} {ctx.new_id('motto_')}"
    state.motto = f"{state.motto} ({require(state.agents, author, 'agent').name})"
    return state.motto


@service.simulated(why="a person answers")
def ask_expert(state: DeskState, question: Text) -> str:
    """Ask an expert."""
    raise AssertionError("a simulator answers")


@service.seed
def seed(ctx: Context, scale: int) -> DeskState:
    rng = ctx.rng
    agents = Table(
        Agent(id=ctx.new_id("ag_"), name=person.name, email=person.email)
        for person in ctx.cast.staff[:10]
    )
    tickets = [
        Ticket(
            id=ctx.new_id("tk_"),
            subject=f"Question {n} about {rng.choice(ctx.cast.products).name}",
            requester=rng.choice(ctx.cast.customers).email,
            status=rng.choice(["open", "pending", "solved"]),
            assignee=rng.choice([*agents.keys(), None]),
            refund=rng.choice([None, "12.50", 40]),
            tags=rng.sample(["vip", "late", "beta"], rng.randrange(3)),
            created_at=ctx.now,
        )
        for n in range(scale)
    ]
    return DeskState(agents=agents, tickets=Table(tickets))
