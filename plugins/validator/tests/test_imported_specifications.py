"""What an imported tool's specification says is no fault: PUT, echoes, ids by accident."""

from __future__ import annotations

from typing import Any

import pytest
from compoworld_validator import validate

from compoworld_core import Context, Entity, Service, State, Table
from compoworld_core.resources import Page, paginate, require
from compoworld_core.service import Original
from compoworld_core.types import Json, Title


class Card(Entity):
    id: str
    title: Title
    color: str | None = None
    parts: Json = None


class CardsState(State):
    cards: Table[Card] = Table()


def cards(method: str) -> Service[CardsState]:
    """Cards whose update empties what a call leaves out, as its source says or not."""
    service = Service("cards", state=CardsState, domain="productivity_collaboration")
    text: dict[str, Any] = {"type": "string"}
    properties = {"card_id": text, "title": text, "color": text}
    schema = {"type": "object", "properties": properties, "required": ["card_id", "title"]}
    update = Original("Update a card.", schema, lambda given: [], method)

    @service.tool(read_only=True)
    def get_card(state: CardsState, card_id: str) -> Card:
        return require(state.cards, card_id, "card")

    @service.tool(read_only=True)
    def list_cards(state: CardsState) -> Page[Card]:
        return paginate(list(state.cards), 100, None)

    @service.tool(name="update_card", original=update)
    def update_card(
        state: CardsState, card_id: str, title: Title, color: str | None = None
    ) -> Card:
        require(state.cards, card_id, "card")
        return state.cards.update(card_id, title=title, color=color)

    @service.seed
    def seed(ctx: Context, scale: int) -> CardsState:
        state = CardsState(ledger=ctx.ledger)
        for n in range(8):
            state.cards.insert(
                Card(id=ctx.new_id("c_"), title=f"Card {n}", color=("red", "blue")[n % 2])
            )
        return state

    return service


@pytest.mark.parametrize(("method", "faults"), [("PUT", []), ("PATCH", ["update_card"])])
def test_only_put_may_empty_what_a_call_leaves_out(method: str, faults: list[str]) -> None:
    found = validate(cards(method), cases=30).as_json()["quarantined"]
    assert [each["tool"] for each in found] == faults
