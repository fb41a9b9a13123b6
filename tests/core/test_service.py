"""Service: registration, names, marks, seeding."""

from typing import Any

import pytest
from desk import DeskState, get_ticket
from desk import service as desk

from compoworld_core import Context, Service, State
from compoworld_core.cast import draw_cast
from compoworld_core.errors import DuplicateName, ServiceError, UsageError


class Empty(State):
    pass


def service(name: str = "thing") -> Service[Empty]:
    return Service(name, state=Empty, domain="data_analytics")


@pytest.mark.parametrize("name", ["", "Desk", "1desk", "a.b", "a b", "é", "a-b"])
def test_a_service_name_that_no_caller_could_write_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="must match"):
        service(name)


@pytest.mark.parametrize("name", ["a.b", "a/b", "a b", "é", "x" * 65])
def test_a_tool_name_that_no_protocol_carries_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="must match"):

        @service().tool(name=name)
        def tool(state: Empty) -> int:
            return 1


def test_two_tools_of_one_name_are_refused() -> None:
    thing = service()

    def tool(state: Empty) -> int:
        return 1

    thing.tool(tool)
    with pytest.raises(DuplicateName, match=r"thing\.tool"):
        thing.tool(tool)


def test_the_decorator_returns_the_plain_function() -> None:
    state = DeskState.model_validate(
        {
            "tickets": [
                {
                    "id": "t",
                    "subject": "s",
                    "requester": "a@b.co",
                    "created_at": "2026-01-01T00:00:00Z",
                }
            ]
        }
    )
    assert get_ticket(state, "t").subject == "s"


def test_marks_reach_the_annotations() -> None:
    assert desk.tools["delete_ticket"].annotations == {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
    }
    assert desk.tools["set_status"].annotations["idempotentHint"]
    assert desk.tools["get_ticket"].annotations["readOnlyHint"]


def test_a_quarantined_tool_says_why() -> None:
    thing = service()
    thing.tool(name="bad")(lambda state: 1)
    thing.quarantine("bad", "wrong total")
    assert (thing.tools["bad"].kind, thing.tools["bad"].why) == ("quarantined", "wrong total")


def test_a_seed_depends_on_seed_and_scale_only() -> None:
    def bytes_of(seed: int, scale: int) -> str:
        return desk.new_state(draw_cast(seed, scale), seed, scale).model_dump_json()

    assert bytes_of(1, 20) == bytes_of(1, 20)
    assert bytes_of(1, 20) != bytes_of(2, 20)
    assert bytes_of(1, 20) != bytes_of(1, 21)


def test_ids_differ_between_seeds_and_between_services_of_one_world() -> None:
    cast = draw_cast(1, 20)
    keys = {
        desk.new_state(cast, 1, 20).ledger.key,
        desk.new_state(cast, 2, 20).ledger.key,
        service("other").new_state(cast, 1, 20).ledger.key,
    }
    assert len(keys) == 3


def test_a_seeded_state_goes_on_counting_where_the_seed_stopped() -> None:
    state = desk.new_state(draw_cast(1, 20), 1, 20)
    assert state.ledger.counters["tk_"] == 20
    assert state.ledger.writes == 0
    assert not state.tickets.overlay


def test_scales_below_the_smallest_are_refused() -> None:
    with pytest.raises(UsageError, match="smallest is 20"):
        desk.new_state(draw_cast(1, 20), 1, 19)


def test_a_seed_that_returns_no_state_is_a_service_error() -> None:
    thing = service()

    @thing.seed
    def seed(ctx: Context, scale: int) -> Any:
        return {}

    with pytest.raises(ServiceError, match="returned dict"):
        thing.new_state(draw_cast(1, 20), 1, 20)


def test_a_service_without_a_seed_starts_empty_with_clock_and_actor() -> None:
    cast = draw_cast(4, 20)
    ledger = service().new_state(cast, 4, 20).ledger
    assert (ledger.now, ledger.actor) == (cast.today, cast.staff[0].email)
