"""The learner of affordances on small services, each with a trap."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from attrs import evolve
from compoworld_tasks_walk.affordances import Affordances, Lookup, Slot, Write, arguments
from compoworld_tasks_walk.learning import affordances, learn
from pydantic import BaseModel

from compoworld_core import (
    UNSET,
    Context,
    Entity,
    Forms,
    Ref,
    Service,
    Simulated,
    State,
    Table,
    ToolError,
)
from compoworld_core.resources import Page, check, given, paginate, require, search, transition
from compoworld_core.types import Code, DateTime, Email, PersonName, Text, Title

Status = Literal["open", "pending", "solved"]


class Agent(Entity):
    """A person who answers."""

    id: str
    name: PersonName
    email: Email


class Ticket(Entity):
    """A question."""

    id: str
    subject: Title
    body: Text = ""
    note: Text = ""
    requester: Email
    status: Status = "open"
    archived: bool = False
    decision: Literal["none", "approved", "rejected"] = "none"
    tags: tuple[str, ...] = ()
    owner: Ref[Agent]
    number: Code
    updated_at: DateTime


class Comment(Entity):
    """A remark on a ticket."""

    id: str
    ticket_id: Ref[Ticket]
    text: Text


class Booking(Entity):
    """A time that somebody reserved."""

    id: str
    email: Email
    start: DateTime
    end: DateTime


class DeskState(State):
    """A help desk."""

    agents: Table[Agent] = Table()
    tickets: Table[Ticket] = Table()
    comments: Table[Comment] = Table()
    bookings: Table[Booking] = Table()


class Filter(BaseModel):
    """A nested argument."""

    requester: Email | None = None


desk = Service("desk", state=DeskState, domain="communication_support", summary="Tickets.")


@desk.tool(read_only=True)
def get_ticket(state: DeskState, ticket_id: Ref[Ticket]) -> Ticket:
    """Show a ticket."""
    return require(state.tickets, ticket_id, "ticket")


@desk.tool(read_only=True)
def list_tickets(
    state: DeskState,
    filter: Filter | None = None,
    status: Status | None = None,
    include_archived: bool = False,
    limit: int = 20,
    cursor: str | None = None,
) -> Page[Ticket]:
    """List tickets; archived ones only on request."""
    rows = [t for t in state.tickets if include_archived or not t.archived]
    if filter is not None and filter.requester is not None:
        rows = [t for t in rows if t.requester == filter.requester]
    if status is not None:
        rows = [t for t in rows if t.status == status]
    return paginate(rows, min(limit, 50), cursor)


@desk.tool(read_only=True)
def find_tickets(
    state: DeskState, query: Annotated[str, Forms(requester="from:{}", number="no:{}")]
) -> Page[Ticket]:
    """Find tickets by a query."""
    name, colon, value = query.partition(":")
    fields = {"from": "requester", "no": "number"}
    check(bool(colon) and name in fields, "invalid_argument", "say from: or no:")
    return paginate(state.tickets.where(**{fields[name]: value}), 50)


@desk.tool(read_only=True)
def search_tickets(state: DeskState, text: str) -> Page[Ticket]:
    """Search subjects and bodies."""
    return paginate(search(state.tickets, text, ("subject", "body")), 50)


@desk.tool(read_only=True)
def recent_tickets(state: DeskState, since: DateTime | None = None) -> Page[Ticket]:
    """List tickets that changed since a time."""
    rows = [t for t in state.tickets if since is None or t.updated_at >= since]
    return paginate(rows, 100)


@desk.tool(read_only=True)
def list_comments(state: DeskState, ticket_id: Ref[Ticket]) -> list[Comment]:
    """List the comments of a ticket."""
    return state.comments.where(ticket_id=ticket_id)


@desk.tool(read_only=True)
def list_live_tickets(state: DeskState, owner: Ref[Agent]) -> list[Ticket]:
    """List the tickets of an agent that are not archived."""
    return [t for t in state.tickets.where(owner=owner) if not t.archived]


@desk.tool
def update_ticket(
    state: DeskState,
    ctx: Context,
    ticket_id: Ref[Ticket],
    subject: Title = UNSET,
    status: Status = UNSET,
) -> Ticket:
    """Change a ticket."""
    row = require(state.tickets, ticket_id, "ticket")
    changes = given(subject=subject, status=status)
    if not changes:
        return row
    if "status" in changes and status != row.status:
        transition(row.status, status, {"open": ["pending"], "pending": ["solved"]}, "ticket")
    return state.tickets.update(ticket_id, **changes, updated_at=ctx.now)


@desk.tool
def append_note(state: DeskState, ticket_id: Ref[Ticket], text: Text) -> Ticket:
    """Add to the note."""
    row = require(state.tickets, ticket_id, "ticket")
    note = f"{row.note}\n{text}" if row.note else text
    return state.tickets.update(ticket_id, note=note)


@desk.tool
def add_tag(state: DeskState, ticket_id: Ref[Ticket], tag: str) -> Ticket:
    """Add a tag."""
    row = require(state.tickets, ticket_id, "ticket")
    return state.tickets.update(ticket_id, tags=(*row.tags, tag))


@desk.tool
def reject(state: DeskState, ticket_id: Ref[Ticket], reason: Text) -> Ticket:
    """Turn a ticket down; once only."""
    row = require(state.tickets, ticket_id, "ticket")
    check(row.decision == "none", "failed_precondition", "decided already")
    return state.tickets.update(ticket_id, note=reason, decision="rejected")


@desk.tool
def comment(state: DeskState, ctx: Context, ticket_id: Ref[Ticket], text: Text) -> Comment:
    """Comment on a ticket that is not solved."""
    row = require(state.tickets, ticket_id, "ticket")
    check(row.status != "solved", "failed_precondition", "solved")
    state.tickets.update(ticket_id, updated_at=ctx.now)
    return state.comments.insert(Comment(id=ctx.new_id("cm_"), ticket_id=ticket_id, text=text))


@desk.tool
def create_agent(state: DeskState, ctx: Context, name: PersonName, email: Email) -> Agent:
    """Add an agent; addresses are unique."""
    check(state.agents.first(email=email) is None, "conflict", "the address is taken")
    return state.agents.insert(Agent(id=ctx.new_id("ag_"), name=name, email=email))


@desk.tool
def book(
    state: DeskState, ctx: Context, requester: Email, start: DateTime, end: DateTime
) -> Booking:
    """Reserve a time for somebody who has a ticket."""
    check(end > start, "invalid_argument", "the end is not after the start")
    check(bool(state.tickets.first(requester=requester)), "not_found", "no such requester")
    row = Booking(id=ctx.new_id("bk_"), email=requester, start=start, end=end)
    return state.bookings.insert(row)


@desk.tool
def claim(state: DeskState, ctx: Context, ticket_id: Ref[Ticket]) -> Ticket:
    """Archive a ticket of one's own."""
    row = require(state.tickets, ticket_id, "ticket")
    owner = state.agents[row.owner]
    if owner.email != ctx.actor:
        raise ToolError("permission_denied", "it belongs to somebody else")
    return state.tickets.update(ticket_id, archived=True)


@desk.tool
def shuffle(state: DeskState, ctx: Context) -> str:
    """Change some ticket that no argument names."""
    row = ctx.rng.choice(list(state.tickets))
    state.tickets.update(row.id, note=f"{row.note}!")
    return row.id


@desk.simulated
def guess(state: DeskState, text: str) -> str:
    """Answer by a model."""
    raise Simulated


@desk.seed
def seed(ctx: Context, scale: int) -> DeskState:
    """Tickets of customers, owned by staff."""
    rng = ctx.rng
    agents = [
        Agent(id=ctx.new_id("ag_"), name=p.name, email=p.email) for p in ctx.cast.staff[:4]
    ]
    tickets = []
    for _ in range(scale):
        customer = rng.choice(ctx.cast.customers)
        tickets.append(
            Ticket(
                id=ctx.new_id("tk_"),
                subject=f"{rng.choice(['Order', 'Login', 'Refund'])} of {customer.company}",
                body=f"Please help {customer.first} with the {rng.choice(['crate', 'pump'])}.",
                note=rng.choice(["", "Called back"]),
                requester=customer.email,
                status=rng.choice(["open", "open", "pending", "solved"]),
                archived=rng.random() < 0.2,
                decision=rng.choice(["none", "none", "approved"]),
                tags=tuple(rng.sample(["red", "blue", "green"], rng.randint(0, 2))),
                owner=rng.choice(agents).id,
                number=f"T-{1000 + ctx.next_number('ticket')}",
                updated_at=ctx.now,
            )
        )
    comments = [
        Comment(id=ctx.new_id("cm_"), ticket_id=rng.choice(tickets).id, text=f"Remark {n}")
        for n in range(scale // 2)
    ]
    return DeskState(agents=Table(agents), tickets=Table(tickets), comments=Table(comments))


@pytest.fixture(scope="module")
def known() -> Affordances:
    """What is learnt of the desk."""
    return learn(desk)


def lookups(known: Affordances, tool: str) -> list[Lookup]:
    """The lookups of a tool."""
    return [each for each in known.lookups if each.tool == tool]


def write(known: Affordances, tool: str) -> Write:
    """The one write of a tool."""
    (found,) = [each for each in known.writes if each.tool == tool]
    return found


def test_a_get_is_a_lookup_by_key_that_shows_one(known: Affordances) -> None:
    (found,) = lookups(known, "get_ticket")
    assert (found.table, found.shape, found.items) == ("tickets", "one", ())
    assert found.by["id"].match == "key"
    assert found.required == ("id",)
    assert set(found.reveals) >= {"id", "subject", "body", "requester", "status", "number"}


def test_a_filter_in_a_nested_argument_is_found(known: Affordances) -> None:
    (found,) = lookups(known, "list_tickets")
    assert found.by["requester"].slot.path == ("filter", "requester")
    assert found.by["status"].slot.enum == ("open", "pending", "solved")


def test_archived_rows_are_brought_in_by_a_constant(known: Affordances) -> None:
    (found,) = lookups(known, "list_tickets")
    assert (("include_archived",), True) in found.fixed
    assert not found.where


def test_rows_that_stay_hidden_are_told_by_a_field(known: Affordances) -> None:
    (found,) = lookups(known, "list_live_tickets")
    assert found.where == {"archived": (False,)}
    assert found.required == ("owner",)


def test_pages_are_as_large_as_an_agent_sees_whole(known: Affordances) -> None:
    (found,) = lookups(known, "list_tickets")
    assert found.page_size is not None
    assert 20 < found.page_size <= 50
    assert found.paging is not None
    assert (found.paging.mode, found.paging.next) == ("token", ("next_cursor",))


def test_each_form_of_a_query_is_a_lookup_of_its_own(known: Affordances) -> None:
    found = lookups(known, "find_tickets")
    assert {name: by.slot.template for each in found for name, by in each.by.items()} == {
        "requester": "from:{}",
        "number": "no:{}",
    }
    assert all(each.required == tuple(each.by) for each in found)


def test_a_text_search_is_no_equality(known: Affordances) -> None:
    found = lookups(known, "search_tickets")
    assert {name: by.match for each in found for name, by in each.by.items()} == {
        "subject": "contains",
        "body": "contains",
    }


def test_a_lower_bound_is_no_filter_by_value(known: Affordances) -> None:
    (found,) = lookups(known, "recent_tickets")
    assert not found.by


def test_children_are_listed_by_their_parent(known: Affordances) -> None:
    (found,) = lookups(known, "list_comments")
    assert (found.table, found.items, found.required) == ("comments", (), ("ticket_id",))


def test_an_update_without_optional_arguments_is_no_read(known: Affordances) -> None:
    found = write(known, "update_ticket")
    assert (found.op, found.table, found.required) == ("update", "tickets", ())
    assert set(found.sinks) == {"subject", "status"}
    assert found.touches == ("updated_at",)
    assert found.key == Slot(("ticket_id",), kind="id")


def test_state_machines_are_learnt_per_target(known: Affordances) -> None:
    moves = write(known, "update_ticket").moves["status"]
    assert moves == {"pending": ("open",), "solved": ("pending",)}


def test_appending_needs_two_calls_to_tell_from_setting(known: Affordances) -> None:
    assert write(known, "append_note").sinks["note"].mode == "append"
    assert write(known, "add_tag").sinks["tags"].mode == "add"
    assert write(known, "update_ticket").sinks["subject"].mode == "set"


def test_a_second_refused_call_does_not_look_like_appending(known: Affordances) -> None:
    found = write(known, "reject")
    assert found.sinks["note"].mode == "set"
    assert found.effects == {"decision": "rejected"}
    assert found.pre["decision"] == ("none",)


def test_a_child_record_takes_its_parent_and_its_state(known: Affordances) -> None:
    found = write(known, "comment")
    assert (found.op, found.table, found.parent) == (
        "create",
        "comments",
        ("tickets", "ticket_id"),
    )
    assert found.parent_pre == {"status": ("open", "pending")}
    assert found.exists["ticket_id"] == ("tickets", "id")
    assert [(side.table, side.op, side.fields) for side in found.side] == [
        ("tickets", "update", ("updated_at",))
    ]
    assert found.id_path == ("id",)


def test_a_conflict_makes_a_sink_unique(known: Affordances) -> None:
    assert write(known, "create_agent").unique == ("email",)


def test_ordered_arguments_are_drawn_again_and_existence_is_found(known: Affordances) -> None:
    found = write(known, "book")
    assert set(found.sinks) == {"email", "start", "end"}
    assert found.exists["email"] == ("tickets", "requester")


def test_rows_of_ones_own_are_told_by_the_field_that_names_the_account(
    known: Affordances,
) -> None:
    found = write(known, "claim")
    assert found.own == ("owner",)
    assert found.effects == {"archived": True}


def test_what_cannot_be_established_is_skipped_with_the_reason(known: Affordances) -> None:
    assert known.skipped["guess"] == "it is simulated"
    assert "no argument names" in known.skipped["shuffle"]


def test_facts_come_from_the_annotations(known: Affordances) -> None:
    facts = known.facts["tickets"]
    assert facts["requester"].kind == "email"
    assert (facts["owner"].ref, facts["status"].enum[0]) == ("agents", "open")
    assert facts["tags"].many
    assert facts["number"].distinct
    assert not facts["status"].distinct


def test_learning_twice_gives_the_same(known: Affordances) -> None:
    assert evolve(learn(desk), version=known.version) == known


def test_affordances_survive_json(known: Affordances) -> None:
    text = json.dumps(known.as_json(), sort_keys=True)
    assert Affordances.from_json(json.loads(text)) == known


def test_affordances_are_remembered(
    known: Affordances, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert affordances(desk).lookups == known.lookups
    (entry,) = (tmp_path / "compoworld" / "affordances").iterdir()
    entry.write_text(entry.read_text(encoding="utf-8").replace('"desk"', '"remembered"'))
    assert affordances(desk).service == "remembered"


def test_slots_of_one_query_clash_and_slots_of_one_object_do_not() -> None:
    sender, subject = Slot(("query",), "from:{}"), Slot(("query",), "subject:{}")
    email, phone = Slot(("properties", "email")), Slot(("properties", "phone"))
    assert sender.clashes(subject)
    assert not email.clashes(phone)
    assert arguments([(email, "a@b.example"), (phone, "1")], ((("kind",), "x"),)) == {
        "properties": {"email": "a@b.example", "phone": "1"},
        "kind": "x",
    }
