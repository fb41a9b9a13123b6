"""The solver finds dates, amounts and states too, where a record of the errand states them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from sample_services import Mail
from sample_tasks import Draft, draft, sample_world

from compoworld_core import Context, Entity, Service, State, Table
from compoworld_core.environment import Environment
from compoworld_core.expressions import All, Expr, Fn, Out
from compoworld_core.plan import Carry
from compoworld_core.proof.case import Case, Refuted, start_environment
from compoworld_core.proof.probes import solver
from compoworld_core.resources import Page, paginate
from compoworld_core.types import CustomerEmail, Date, Kind, Status
from compoworld_core.world import World

SENDER = "ana@hero-mills.example"
DAY = date(2026, 4, 2)
STRANGER = "somebody@elsewhere.example"
DUE = Fn(
    name="largest", args=(All(step="s3", items=("items",), path=("due",)),), kinds=("date",)
)
"""The last day on which one of the hero's open invoices is due: 2 April 2026."""
STAGE = Out(step="s2b", path=("stage",))
"""The stage of the hero's contact: lead."""


class Ticket(Entity):
    id: str
    email: CustomerEmail
    stage: Status = ""
    label: Status = ""
    day: Date = date(2026, 1, 1)


class DeskState(State):
    tickets: Table[Ticket] = Table()


desk = Service("desk", state=DeskState, domain="samples", summary="Tickets.")


@desk.tool(read_only=True)
def find_tickets(
    state: DeskState, email: CustomerEmail, limit: int = 20, cursor: str | None = None
) -> Page[Ticket]:
    """Find the tickets of a customer."""
    return paginate(state.tickets.where(email=email), limit, cursor)


@desk.seed
def seed_desk(ctx: Context, scale: int) -> DeskState:
    return DeskState()


@pytest.fixture(scope="module")
def world() -> World:
    return sample_world()


@pytest.fixture
def dated(world: World) -> Draft:
    """The edge from the invoices on carries a day."""
    made = draft(world)
    due = made.row("billing", "in_h2").model_copy(update={"due": DAY})
    made.without("billing", "in_h2")
    made.rows["billing"].append(("invoices", due))
    return carrying(made, 2, "date", DUE)


@pytest.fixture
def staged(world: World) -> Draft:
    """The edge from the contact on carries its stage."""
    return carrying(draft(world), 1, "status", STAGE)


def carrying(made: Draft, edge: int, kind: Kind, expr: Expr) -> Draft:
    more = Carry(edge=edge, kind=kind, expr=expr, source="field")
    made.plan = made.plan.model_copy(update={"carries": (*made.plan.carries, more)})
    return made


def probed(made: Draft, *tickets: Ticket) -> int:
    """How many edges were searched, with a desk of these tickets beside."""
    case = Case(made.candidate(), with_desk(made, *tickets))
    case.prepare()
    return int(solver.probe(case)["edges"])


def with_desk(made: Draft, *tickets: Ticket) -> Environment:
    state = desk.new_state(made.world.cast, made.world.seed, 20)
    for ticket in tickets:
        state.tickets.insert(ticket)
    candidate = made.candidate()
    services = {**made.world.services, "desk": desk}
    states = {**made.world.states, "desk": state}
    return start_environment(services, states, candidate.patches, (*candidate.services, "desk"))


def refuted(made: Draft, *tickets: Ticket) -> str:
    with pytest.raises(Refuted) as caught:
        probed(made, *tickets)
    return caught.value.why


def letter(made: Draft, sender: str, body: str) -> Mail:
    hero: Mail = made.row("mailbox", "ml_hero")
    more = hero.model_copy(
        update={"id": "ml_more", "sender": sender, "subject": "More", "body": body}
    )
    made.rows["mailbox"].append(("mails", more))
    return more


def test_dates_and_states_are_searched_for(dated: Draft, staged: Draft) -> None:
    assert (probed(dated), probed(staged)) == (5, 5)


def test_a_day_that_a_text_of_the_errand_states_is_a_detour(dated: Draft) -> None:
    letter(dated, SENDER, "We pay what is open by 2 April 2026.")
    assert "edge 2: '2026-04-02' is found without billing: mailbox.search" in refuted(dated)


def test_a_day_in_a_field_of_the_errand_is_a_detour(dated: Draft) -> None:
    assert "desk.find_tickets(" in refuted(dated, Ticket(id="t1", email=SENDER, day=DAY))


def test_the_same_day_in_a_record_of_somebody_else_says_nothing(dated: Draft) -> None:
    letter(dated, STRANGER, "We pay what is open by 2 April 2026.")
    assert probed(dated, Ticket(id="t1", email=STRANGER, day=DAY)) == 5


def test_one_of_two_days_in_a_text_is_a_guess(dated: Draft) -> None:
    letter(dated, SENDER, "We pay on 1 April 2026 or on 2 April 2026.")
    assert probed(dated) == 5


def test_the_time_of_a_record_tells_no_day(dated: Draft) -> None:
    mail = letter(dated, SENDER, "Hello again.")
    dated.without("mailbox", "ml_more")
    at = datetime(2026, 4, 2, 9, tzinfo=UTC)
    dated.rows["mailbox"].append(("mails", mail.model_copy(update={"received_at": at})))
    assert probed(dated) == 5


def test_what_a_day_is_counted_from_is_enough(dated: Draft) -> None:
    """Who knows the day can count two on."""
    two = Out(step="s2b", path=("notes",))
    counted = Fn(name="days", args=(DUE, two))
    row = dated.row("crm", "co_hero").model_copy(update={"notes": "2"})
    dated.without("crm", "co_hero")
    dated.rows["crm"].insert(0, ("contacts", row))
    carries = dated.plan.carries[:-1]
    dated.plan = dated.plan.model_copy(update={"carries": carries})
    carrying(dated, 2, "date", counted)
    letter(dated, SENDER, "We pay what is open by 2 April 2026.")
    assert "edge 2: '2026-04-02' is found without billing" in refuted(dated)


def test_an_amount_in_another_notation_is_a_detour(world: World) -> None:
    made = draft(world)
    row = made.row("billing", "in_h1").model_copy(update={"amount": Decimal(1120)})
    made.without("billing", "in_h1")
    made.rows["billing"].append(("invoices", row))
    letter(made, SENDER, "We know that we owe 1,200.50 USD.")
    assert "edge 2: '1200.5' is found without billing" in refuted(made)


def test_a_state_in_a_field_of_the_same_name_is_a_detour(staged: Draft) -> None:
    why = refuted(staged, Ticket(id="t1", email=SENDER, stage="lead"))
    assert "edge 1: 'lead' is found without crm: desk.find_tickets(" in why


def test_the_same_word_in_another_field_or_a_text_says_nothing(staged: Draft) -> None:
    letter(staged, SENDER, "I was a lead.")
    assert probed(staged, Ticket(id="t1", email=SENDER, label="lead")) == 5
