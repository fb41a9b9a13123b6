"""Tools for stock and the places that hold it."""

# ruff: noqa: N803, N815 - names of the product's API

from __future__ import annotations

from typing import Annotated, Literal

from compoworld_core import UNSET, Context, Ref
from compoworld_core.resources import Page, check, require
from compoworld_core.types import Forms, Quantity
from compoworld_services_ecommerce_retail.shopify.search import (
    By,
    First,
    Syntax,
    find,
    page,
    text_of,
)
from compoworld_services_ecommerce_retail.shopify.state import (
    InventoryItem,
    InventoryLevel,
    Location,
    ShopifyState,
    service,
)
from compoworld_services_ecommerce_retail.shopify.values import MOST_PIECES

_SYNTAX = Syntax(
    fields={
        "id": By("id"),
        "sku": By("sku"),
        "created_at": By("createdAt", "moment"),
    },
    text=("sku",),
)
Reason = Literal[
    "correction", "cycle_count_available", "damaged", "other", "promotion", "received",
    "restock", "shrinkage",
]  # fmt: skip


class InventoryItemView(InventoryItem):
    """An inventory item with its stock at each location."""

    inventoryLevels: tuple[InventoryLevel, ...]


def _view(state: ShopifyState, row: InventoryItem) -> InventoryItemView:
    return InventoryItemView.model_construct(
        **{name: getattr(row, name) for name in InventoryItem.model_fields},
        inventoryLevels=tuple(state.inventory_levels.where(inventoryItemId=row.id)),
    )


def restock(state: ShopifyState, variant: str, count: int) -> None:
    """Put goods of a variant back where they are stocked first."""
    level = state.inventory_levels.first(
        inventoryItemId=state.variants[variant].inventoryItemId
    )
    if level is not None:
        state.inventory_levels.update(level.id, available=level.available + count)


@service.tool(read_only=True)
def get_inventory_items(
    state: ShopifyState,
    first: First = 50,
    after: str = UNSET,
    query: Annotated[str, Forms(sku="sku:{}")] = UNSET,
) -> Page[InventoryItemView]:
    """List inventory items with their stock per location. A page holds at most 20.

    Args:
        first: how many at most.
        after: cursor of the earlier page.
        query: search terms, such as sku:LAM-2041.
    """
    rows = find(state, state.inventory_items, _SYNTAX, text_of(query))
    part = page(rows, min(first, 20), after)
    items = [_view(state, row) for row in part.items]
    return Page(items=items, total=part.total, next_cursor=part.next_cursor)


@service.tool(read_only=True)
def get_inventory_item(state: ShopifyState, id: Ref[InventoryItem]) -> InventoryItemView:
    """Show an inventory item with its stock at each location.

    Args:
        id: id of the item, gid://shopify/InventoryItem/…
    """
    return _view(state, require(state.inventory_items, id, "inventory item"))


@service.tool
def adjust_inventory(
    state: ShopifyState,
    ctx: Context,
    inventoryItemId: Ref[InventoryItem],
    locationId: Ref[Location],
    delta: Quantity,
    reason: Reason = "correction",
) -> InventoryLevel:
    """Add to or take from the stock of an item at a location.

    Args:
        inventoryItemId: the item.
        locationId: where it is stocked.
        delta: how many more, or fewer with a minus sign.
        reason: why the stock changes.
    """
    item = require(state.inventory_items, inventoryItemId, "inventory item")
    place = require(state.locations, locationId, "location")
    check(item.tracked, "failed_precondition", f"the stock of {item.sku} is not tracked")
    check(place.isActive, "failed_precondition", f"location {place.name} is deactivated")
    check(
        delta != 0 and abs(delta) <= MOST_PIECES,
        "invalid_argument",
        f"delta must be from -{MOST_PIECES} to {MOST_PIECES} and not 0",
    )
    level = state.inventory_levels.first(inventoryItemId=inventoryItemId, locationId=locationId)
    check(
        level is not None, "failed_precondition", f"{item.sku} is not stocked at {place.name}"
    )
    assert level is not None
    available = level.available + delta
    check(
        0 <= available <= 1_000_000_000,
        "failed_precondition",
        f"{place.name} has {level.available} of {item.sku}; {available} is not possible",
    )
    return state.inventory_levels.update(level.id, available=available)


@service.tool(read_only=True)
def get_locations(state: ShopifyState, first: First = 50, after: str = UNSET) -> Page[Location]:
    """List the places that hold stock.

    Args:
        first: how many at most.
        after: cursor of the earlier page.
    """
    return page(list(state.locations), first, after)
