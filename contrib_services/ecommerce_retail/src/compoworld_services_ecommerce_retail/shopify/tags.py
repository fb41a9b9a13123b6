"""Tools that tag records of any kind."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import ToolError
from compoworld_core.resources import check, require
from compoworld_core.types import Meaning, RefTo, Tag
from compoworld_services_ecommerce_retail.shopify.state import ShopifyState, service
from compoworld_services_ecommerce_retail.shopify.values import tag_set

TaggedId = Annotated[
    str,
    RefTo("DraftOrder"),
    RefTo("Product"),
    RefTo("Customer"),
    RefTo("Order"),
    Meaning("id"),
]
"""The id of a record that can have tags."""

_TABLES = {
    "Order": "orders",
    "Customer": "customers",
    "Product": "products",
    "DraftOrder": "draft_orders",
}


class Tagged(BaseModel):
    """A record's tags after a change."""

    model_config = ConfigDict(extra="forbid")

    id: str
    tags: tuple[Tag, ...]


def _find(state: ShopifyState, id: str) -> tuple[Any, Any]:
    """(table, row) of a global id."""
    kind = id.removeprefix("gid://shopify/").partition("/")[0]
    if kind not in _TABLES:
        raise ToolError(
            "not_found",
            f"no record {id[:80]!r} that can have tags; ids look like gid://shopify/Order/…"
            f" and are of: {', '.join(_TABLES)}",
        )
    table = state.table(_TABLES[kind])
    return table, require(table, id, kind)


@service.tool(idempotent=True)
def add_tags(
    state: ShopifyState, id: TaggedId, tags: Annotated[list[Tag], Field(min_length=1)]
) -> Tagged:
    """Add tags to an order, customer, product or draft order; those it has stay.

    Args:
        id: the record.
        tags: tags to add.
    """
    table, row = _find(state, id)
    new = table.update(row.id, tags=tag_set([*row.tags, *tag_set(tags)]))
    return Tagged(id=new.id, tags=new.tags)


@service.tool(idempotent=True)
def remove_tags(
    state: ShopifyState, id: TaggedId, tags: Annotated[list[Tag], Field(min_length=1)]
) -> Tagged:
    """Take tags off an order, customer, product or draft order.

    Args:
        id: the record.
        tags: tags to take off, each of which it must have.
    """
    table, row = _find(state, id)
    for tag in tags:
        check(
            tag in row.tags,
            "not_found",
            f"it has no tag {tag[:60]!r}; its tags are: {', '.join(row.tags) or 'none'}",
        )
    kept = tuple(tag for tag in row.tags if tag not in tags)
    new = table.update(row.id, tags=kept)
    return Tagged(id=new.id, tags=new.tags)
