"""What the service promises."""

import pytest
from compoworld_core import Context, ToolError, compose
from compoworld_core.cards import card_of, shipped_cards
from compoworld_core.cast import draw_cast
from compoworld_core.testing import check_service
from {{ cookiecutter.package }} import service, tools
from {{ cookiecutter.package }}.state import DeskState


@pytest.fixture
def state() -> DeskState:
    return service.new_state(draw_cast(0, 40), 0, 40)


@pytest.fixture
def ctx(state: DeskState) -> Context:
    return Context(state.ledger, service.name)


def test_it_passes_the_conformance_suite() -> None:
    assert [str(failure) for failure in check_service(service)] == []


def test_its_card_is_fresh() -> None:
    shipped = shipped_cards("{{ cookiecutter.package }}")
    assert shipped == {service.name: card_of(service)}, (
        "write it anew: compoworld services cards {{ cookiecutter.distribution }}"
    )


def test_a_list_can_be_narrowed(state: DeskState) -> None:
    customer = next(iter(state.requests)).customer
    found = tools.list_requests(state, customer=customer, limit=100)
    assert found.total == len(found.items) > 0
    assert {request.customer for request in found.items} == {customer}


def test_an_update_leaves_what_is_not_named(state: DeskState, ctx: Context) -> None:
    before = next(iter(state.requests))
    after = tools.update_request(state, ctx, before.id, subject="New subject")
    assert after.subject == "New subject"
    assert (after.details, after.priority) == (before.details, before.priority)


def test_a_closed_request_takes_no_comment(state: DeskState, ctx: Context) -> None:
    closed = state.requests.where(status="closed")[0]
    with pytest.raises(ToolError, match="closed"):
        tools.add_comment(state, ctx, closed.id, "Too late")


def test_an_agent_opens_a_request_by_name() -> None:
    env = compose("{{ cookiecutter.service }}", seed=1, scale=40)
    obs = env.call(
        "{{ cookiecutter.service }}.create_request", {"customer": "a@b.example", "subject": "Help"}
    )
    assert not obs.is_error, obs.text
    assert obs.data["status"] == "open"
