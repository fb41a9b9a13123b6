"""Faults in what becomes of a text, a number, a list or a flag that a call gives."""

from collections.abc import Callable
from typing import Any, Literal

import pytest
from compoworld_validator import validate

from compoworld_core import Context, Entity, Service, State, Table, ToolError
from compoworld_core.resources import require
from compoworld_core.types import Title

_last: list[Any] = []


class Plant(Entity):
    id: str
    name: Title
    tags: tuple[str, ...] = ()
    stock: int
    price: int
    shelf_id: str
    remark: str = ""
    planted_at: str


class Shelf(Entity):
    id: str
    name: Title


class Receipt(Entity):
    id: str
    plant_id: str
    amount: int


class NurseryState(State):
    plants: Table[Plant] = Table()
    shelves: Table[Shelf] = Table()
    receipts: Table[Receipt] = Table()


def _plant(state: NurseryState, plant_id: str) -> Plant:
    return require(state.plants, plant_id, "plant")


def get_plant(state: NurseryState, plant_id: str) -> Plant:
    return _plant(state, plant_id)


def list_plants(
    state: NurseryState, planted_since: str | None = None, shelf_id: str | None = None
) -> list[Plant]:
    found = list(state.plants)
    if shelf_id is not None:
        require(state.shelves, shelf_id, "shelf")
        found = [plant for plant in found if plant.shelf_id == shelf_id]
    return [p for p in found if planted_since is None or p.planted_at >= planted_since]


def search_plants(state: NurseryState, query: str) -> list[Plant]:
    return [plant for plant in state.plants if query.casefold() in plant.name.casefold()]


def list_rooms(state: NurseryState) -> dict[str, list[str]]:
    return {"rooms": ["north", "south", "cellar"]}


def add_stock(state: NurseryState, plant_id: str, more: int) -> Plant:
    plant = _plant(state, plant_id)
    return state.plants.update(plant_id, stock=plant.stock + more)


def annotate_plant(state: NurseryState, plant_id: str, annotation: str) -> Plant:
    _plant(state, plant_id)
    return state.plants.update(plant_id, remark=annotation)


def tag_plant(state: NurseryState, plant_id: str, tags: list[str]) -> Plant:
    plant = _plant(state, plant_id)
    return state.plants.update(plant_id, tags=tuple(dict.fromkeys([*plant.tags, *tags])))


def remove_plant_tags(state: NurseryState, plant_id: str, tags: list[str]) -> Plant:
    plant = _plant(state, plant_id)
    return state.plants.update(plant_id, tags=tuple(t for t in plant.tags if t not in tags))


def move_plant(state: NurseryState, plant_id: str, shelf_id: str) -> Plant:
    _plant(state, plant_id)
    require(state.shelves, shelf_id, "shelf")
    return state.plants.update(plant_id, shelf_id=shelf_id)


def sell_plant(
    state: NurseryState, plant_id: str, receipt: bool = False, restock: bool = False
) -> Plant:
    plant = _plant(state, plant_id)
    if receipt:
        made = Receipt(id=f"rc_{len(state.receipts)}", plant_id=plant_id, amount=plant.price)
        state.receipts.insert(made)
    return state.plants.update(plant_id, stock=plant.stock + (0 if restock else -1))


def describe_plant(
    state: NurseryState, plant_id: str, annotation: str, include_price: bool = False
) -> Plant:
    plant = _plant(state, plant_id)
    price = f" for {plant.price} crowns each" if include_price else ""
    return state.plants.update(plant_id, remark=f"{annotation}{price}")


def manage_shelves(
    state: NurseryState, action: Literal["add", "remove"], shelf_id: str
) -> dict[str, str]:
    if action == "add":
        if shelf_id in state.shelves:
            raise ToolError("conflict", f"there is a shelf {shelf_id!r} already")
        state.shelves.insert(Shelf(id=shelf_id, name="New shelf"))
    else:
        require(state.shelves, shelf_id, "shelf")
        if any(plant.shelf_id == shelf_id for plant in state.plants):
            raise ToolError("conflict", f"plants stand on {shelf_id!r}")
        state.shelves.delete(shelf_id)
    return {"action": action}


_READING = (get_plant, list_plants, search_plants, list_rooms)
_WRITING = (
    add_stock,
    annotate_plant,
    tag_plant,
    remove_plant_tags,
    move_plant,
    sell_plant,
    describe_plant,
    manage_shelves,
)


def nursery(**instead: Callable[..., Any]) -> Service[NurseryState]:
    """A healthy service, some of its tools replaced."""
    service = Service("nursery", state=NurseryState, domain="productivity_collaboration")
    for function in (*_READING, *_WRITING):
        name = function.__name__
        service.tool(name=name, read_only=function in _READING)(instead.get(name, function))

    @service.seed
    def seed(ctx: Context, scale: int) -> NurseryState:
        state = NurseryState(ledger=ctx.ledger)
        kinds = ("Maple", "Willow", "Juniper", "Magnolia", "Hawthorn", "Rowan", "Alder")
        for number in range(4):
            state.shelves.insert(Shelf(id=f"shelf_{number}{number}x", name=f"Shelf {number}"))
        for number in range(21):
            plant = Plant(
                id=ctx.new_id("pl_"),
                name=f"{kinds[number % 7]} No. {number}",
                tags=(("shade", "Sunny"), ("potted", "rare"), ("rare", "shade"))[number % 3],
                stock=40 + number * 13,
                price=700 + number * 31,
                shelf_id=f"shelf_{number % 4}{number % 4}x",
                planted_at=f"2026-0{1 + number // 7}-{10 + number}T09:00:00Z",
            )
            state.plants.insert(plant)
        return state

    return service


def late(state: NurseryState, plant_id: str, more: int) -> Plant:
    return add_stock(state, plant_id, more + 1)


def lowered(state: NurseryState, plant_id: str, annotation: str) -> Plant:
    return annotate_plant(state, plant_id, annotation.lower())


def cut(state: NurseryState, plant_id: str, annotation: str) -> Plant:
    return annotate_plant(state, plant_id, annotation[:-1])


def first_kept(state: NurseryState, plant_id: str, tags: list[str]) -> Plant:
    return remove_plant_tags(state, plant_id, tags[:-1])


def turned(state: NurseryState, plant_id: str, shelf_id: str) -> Plant:
    return move_plant(state, shelf_id, plant_id)


def swapped(
    state: NurseryState, plant_id: str, receipt: bool = False, restock: bool = False
) -> Plant:
    return sell_plant(state, plant_id, restock, receipt)


def opposite(
    state: NurseryState, plant_id: str, annotation: str, include_price: bool = False
) -> Plant:
    return describe_plant(state, plant_id, annotation, not include_price)


def keeps(
    state: NurseryState, action: Literal["add", "remove"], shelf_id: str
) -> dict[str, str]:
    shelf = state.shelves.get(shelf_id)
    found = manage_shelves(state, action, shelf_id)
    if shelf is not None:
        state.shelves.insert(shelf)
    return found


def headless(
    state: NurseryState, planted_since: str | None = None, shelf_id: str | None = None
) -> list[Plant]:
    found = list_plants(state, planted_since, shelf_id)
    return found[1:] if planted_since else found


def anywhere(
    state: NurseryState, planted_since: str | None = None, shelf_id: str | None = None
) -> list[Plant]:
    return list_plants(state, planted_since, None)


def beheaded(state: NurseryState, query: str) -> list[Plant]:
    return search_plants(state, query)[1:]


def doubled(state: NurseryState) -> dict[str, list[str]]:
    return {"rooms": ["north", "south", "cellar", "cellar"]}


def recalled(state: NurseryState, plant_id: str) -> Plant:
    if plant_id in state.plants:
        _last[:] = [get_plant(state, plant_id)]
    found: Plant = _last[0] if _last else get_plant(state, plant_id)
    return found


def nameless(state: NurseryState, plant_id: str) -> Plant:
    plant = state.plants.get(plant_id)
    if plant is None:
        raise ToolError("not_found", "no plant None")
    return plant


def kept_back(state: NurseryState, plant_id: str, tags: list[str]) -> Plant:
    _plant(state, plant_id)
    return _plant(state, plant_id).model_copy(update={"tags": tuple(tags)})


def test_the_healthy_service_passes() -> None:
    assert validate(nursery()).findings == {}


@pytest.mark.parametrize(
    ("tool", "sick", "reason"),
    [
        ("add_stock", late, "argument_lost"),
        ("annotate_plant", lowered, "argument_lost"),
        ("annotate_plant", cut, "argument_lost"),
        ("remove_plant_tags", first_kept, "argument_lost"),
        ("move_plant", turned, "refused_pair"),
        ("sell_plant", swapped, "argument_lost"),
        ("describe_plant", opposite, "argument_lost"),
        ("manage_shelves", keeps, "no_effect"),
        ("list_plants", headless, "filter_wrong"),
        ("list_plants", anywhere, "argument_lost"),
        ("search_plants", beheaded, "search_wrong"),
        ("list_rooms", doubled, "paging_wrong"),
        ("get_plant", nameless, "argument_lost"),
        ("tag_plant", kept_back, "result_differs"),
    ],
)
def test_a_fault_is_found_in_its_tool(tool: str, sick: Callable[..., Any], reason: str) -> None:
    found = validate(nursery(**{tool: sick})).findings
    assert {name: finding.reason.value for name, finding in found.items()} == {tool: reason}


def test_what_an_earlier_call_found_is_no_answer_to_a_refusal() -> None:
    found = validate(nursery(get_plant=recalled)).findings
    assert set(found) == {"get_plant"}
