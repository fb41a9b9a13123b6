"""Arguments drawn from types and from what a state holds."""

import json
from datetime import date
from enum import Enum
from random import Random
from typing import Annotated, Any, Literal, NotRequired

import pytest
from desk import DeskState, Ticket
from desk import service as desk
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from compoworld_core import UNSET, Forms, Ref, Service, State, compose
from compoworld_core.arguments import draw_arguments, fill
from compoworld_core.cast import draw_cast
from compoworld_core.holdings import World, sources
from compoworld_core.service import Tool
from compoworld_core.types import DateTime, Email, Json, Money, StaffEmail, StrSet

STATE: DeskState = compose(desk, seed=2, scale=60).state("desk")  # type: ignore[assignment]
TICKETS = set(STATE.tickets.keys())
REQUESTERS = {ticket.requester for ticket in STATE.tickets}


def tool_of(function: Any) -> Tool:
    service = Service("probe", state=DeskState, domain="data_analytics")
    service.tool(name="probe")(function)
    return service.tools["probe"]


def drawn(function: Any, times: int = 40, **options: Any) -> list[dict[str, Any]]:
    tool = tool_of(function)
    options.setdefault("optional", 1.0)
    found = [draw_arguments(tool, STATE, Random(n), **options) for n in range(times)]
    for arguments in found:
        tool.validate_json(json.dumps(arguments))
    return found


def test_references_take_existing_keys_at_any_depth() -> None:
    class Line(BaseModel):
        ticket: Ref["Ticket"]
        note: str = ""

    def probe(
        state: DeskState,
        one: Ref["Ticket"],
        many: list[Ref["Ticket"]],
        some: tuple[Ref["Ticket"], ...] | None,
        line: Line,
        lines: list[Line],
    ) -> int:
        return 1

    for arguments in drawn(probe):
        assert arguments["one"] in TICKETS
        assert set(arguments["many"]) <= TICKETS
        assert set(arguments["some"] or ()) <= TICKETS
        assert arguments["line"]["ticket"] in TICKETS
        assert {line["ticket"] for line in arguments["lines"]} <= TICKETS


def test_a_semantic_kind_takes_values_of_the_state_and_fresh_ones() -> None:
    def probe(state: DeskState, email: Email) -> int:
        return 1

    known = REQUESTERS | {agent.email for agent in STATE.agents}
    held = [arguments["email"] in known for arguments in drawn(probe, 100)]
    assert 0.4 < sum(held) / len(held) < 0.95


def test_a_cast_gives_values_too() -> None:
    def probe(state: State, email: StaffEmail) -> int:
        return 1

    cast = draw_cast(99, 60)
    emails = {arguments["email"] for arguments in drawn(probe, 200, cast=cast)}
    assert emails & {person.email for person in cast.staff}


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Options(TypedDict):
    size: int
    note: NotRequired[str]


class Node(BaseModel):
    name: str
    children: list["Node"] = []


def test_closed_sets_bounds_and_structures_are_kept() -> None:
    def probe(
        state: DeskState,
        color: Color,
        stage: Literal["a", 2, None],
        small: Annotated[int, Field(ge=3, le=5)],
        even: Annotated[int, Field(multiple_of=2, gt=0)],
        short: Annotated[str, Field(max_length=3)],
        long: Annotated[str, Field(min_length=30)],
        two: Annotated[list[Email], Field(min_length=2, max_length=2)],
        pair: tuple[int, str],
        options: Options,
        tree: Node,
        labels: dict[str, int],
        share: float,
        price: Money,
        names: StrSet,
        day: date,
        moment: DateTime,
        anything: Json,
        size: int = Field(20, ge=5, le=50),
        flag: bool = UNSET,
    ) -> int:
        return 1

    everything = drawn(probe)
    assert {a["color"] for a in everything} == {"red", "blue"}
    assert {a["stage"] for a in everything} == {"a", 2, None}
    assert {a["small"] for a in everything} <= {3, 4, 5}
    assert {a["flag"] for a in everything} == {True, False}
    assert any(a["tree"].get("children") for a in everything)


def test_forms_are_filled_with_a_value_of_their_field() -> None:
    def probe(
        state: DeskState,
        query: Annotated[str, Forms(requester="from:{}")],
        fields: Annotated[dict[str, list[str]], Forms(**{"tickets.requester": {"by": ["{}"]}})],
    ) -> int:
        return 1

    for arguments in drawn(probe):
        assert arguments["query"].removeprefix("from:") in REQUESTERS
        assert arguments["fields"]["by"][0] in REQUESTERS


@pytest.mark.parametrize(
    ("form", "value", "filled"),
    [
        ("{}", 5, 5),
        ("from:{}", "a b", "from:a b"),
        ("total > {}", 5, "total > 5"),
        ({"a": "{}", "op": "eq", "n": 1}, "x", {"a": "x", "op": "eq", "n": 1}),
        ([{"v": ["{}"]}], date(2026, 3, 2), [{"v": ["2026-03-02"]}]),
    ],
)
def test_a_form_has_one_hole(form: Any, value: Any, filled: Any) -> None:
    assert fill(form, value) == filled


def test_optional_parameters_are_given_as_often_as_asked() -> None:
    tool = desk.tools["update_ticket"]
    never = [draw_arguments(tool, STATE, Random(n), optional=0.0) for n in range(10)]
    assert all(list(arguments) == ["ticket_id"] for arguments in never)
    always = [draw_arguments(tool, STATE, Random(n), optional=1.0) for n in range(10)]
    assert all(len(arguments) == 4 for arguments in always)


def test_a_cursor_is_left_to_the_page_that_gives_it() -> None:
    tool = desk.tools["list_tickets"]
    for n in range(20):
        assert "cursor" not in draw_arguments(tool, STATE, Random(n), optional=1.0)


def test_a_parameter_named_like_a_field_takes_its_values() -> None:
    def probe(state: DeskState, subject: str) -> int:
        return 1

    subjects = {ticket.subject for ticket in STATE.tickets}
    assert all(arguments["subject"] in subjects for arguments in drawn(probe))


def test_a_reserved_word_has_its_public_name() -> None:
    def probe(state: DeskState, from_: Email) -> int:
        return 1

    assert list(drawn(probe, 1)[0]) == ["from"]


def test_the_same_seed_draws_the_same() -> None:
    tool = desk.tools["create_ticket"]
    first = [draw_arguments(tool, STATE, Random(n)) for n in range(20)]
    assert first == [draw_arguments(tool, STATE, Random(n)) for n in range(20)]
    assert len({json.dumps(arguments) for arguments in first}) > 10


def test_an_empty_state_still_gives_valid_arguments() -> None:
    for tool in desk.tools.values():
        for n in range(10):
            arguments = draw_arguments(tool, DeskState(), Random(n), optional=1.0)
            tool.validate_json(json.dumps(arguments))


def test_most_drawn_calls_of_a_service_succeed() -> None:
    env = compose(desk, seed=2, scale=60)
    rng, good, total = Random(1), 0, 0
    for tool in desk.tools.values():
        if tool.kind == "deterministic":
            for _ in range(20):
                arguments = draw_arguments(tool, env.state("desk"), rng)
                good += not env.call(tool.full_name, arguments).is_error
                total += 1
    assert good / total > 0.7


def test_sources_reach_into_nested_values() -> None:
    kinds, names = sources(DeskState)
    assert ("tickets", ("comments", "text")) in names["text"]
    assert ("tickets", ("requester",)) in kinds[("email", "")]
    world = World(STATE, Random(1))
    assert world.key("Ticket") in TICKETS
    assert world.key("Nothing") is None
