"""Shopify: what its tools do, refuse and leave alone."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any, cast

import pytest
from compoworld_services_ecommerce_retail.shopify import service
from compoworld_services_ecommerce_retail.shopify.state import Order, ShopifyState, Variant

from compoworld_core import Environment, compose
from compoworld_core.cast import draw_cast
from compoworld_core.testing import dangling


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=6, scale=300)


def world(env: Environment) -> ShopifyState:
    return cast("ShopifyState", env.state("shopify"))


def ok(env: Environment, tool: str, /, **arguments: Any) -> Any:
    observation = env.call(f"shopify.{tool}", arguments)
    assert not observation.is_error, observation.text
    return observation.data


def refused(env: Environment, code: str, tool: str, /, **arguments: Any) -> str:
    before = env.digest()
    observation = env.call(f"shopify.{tool}", arguments)
    assert observation.code == code, observation.text
    assert env.digest() == before
    return observation.text


def found(env: Environment, tool: str, query: str) -> list[str]:
    return [row["id"] for row in ok(env, tool, query=query)["items"]]


def saleable(env: Environment) -> Variant:
    state = world(env)
    return next(v for v in state.variants if state.products[v.productId].status == "ACTIVE")


def order_in(env: Environment, **fields: Any) -> Order:
    return world(env).orders.where(cancelledAt=None, **fields)[0]


def today(env: Environment) -> Any:
    return world(env).ledger.now.date()


def test_orders_are_found_by_name_email_and_status(env: Environment) -> None:
    order = next(iter(world(env).orders))
    assert found(env, "get_orders", f"name:{order.name}") == [order.id]
    assert order.id in found(env, "get_orders", f"email:{str(order.email).upper()}")
    paid = world(env).orders.where(displayFinancialStatus="PAID")
    assert found(env, "get_orders", "financial_status:paid") == [row.id for row in paid][:30]


def test_terms_are_conditions_and_or_gives_alternatives(env: Environment) -> None:
    first, second = list(world(env).orders)[:2]
    both = f"name:{second.name} OR name:{first.name}"
    assert found(env, "get_orders", both) == [first.id, second.id]
    assert found(env, "get_orders", f"name:{first.name} name:{second.name}") == []


def test_a_minus_leaves_out(env: Environment) -> None:
    kept = ok(env, "get_orders_count", query="-status:cancelled")["count"]
    assert kept == len(world(env).orders.where(cancelledAt=None))
    assert kept < ok(env, "get_orders_count")["count"]
    assert ok(env, "get_orders_count", query="NOT status:cancelled")["count"] == kept


def test_a_star_stands_for_the_rest(env: Environment) -> None:
    customer = next(iter(world(env).customers))
    domain = str(customer.email).partition("@")[2]
    same = [c.id for c in world(env).customers if str(c.email).endswith(f"@{domain}")]
    assert found(env, "get_customers", f"email:*@{domain}") == same


def test_numbers_and_dates_are_compared(env: Environment) -> None:
    count = ok(env, "get_orders_count", query="current_total_price:>=500")["count"]
    assert count == len([row for row in world(env).orders if row.totalPrice >= 500])
    day = (today(env) - timedelta(days=30)).isoformat()
    recent = ok(env, "get_orders_count", query=f"created_at:>={day}")["count"]
    assert recent == len(
        [o for o in world(env).orders if o.createdAt.date().isoformat() >= day]
    )


def test_an_unknown_search_field_is_refused_with_the_closest(env: Environment) -> None:
    text = refused(env, "invalid_argument", "get_orders", query="emial:x@y.example")
    assert "email" in text
    refused(env, "invalid_argument", "get_orders", query="created_at:>soon")
    refused(env, "invalid_argument", "get_orders", query="(status:open)")


def test_customers_are_counted_by_what_they_bought(env: Environment) -> None:
    page = ok(env, "get_customers", query="orders_count:>2")
    assert page["items"]
    for row in page["items"]:
        assert row["numberOfOrders"] == len(world(env).orders.where(customerId=row["id"]))
        assert row["numberOfOrders"] > 2


def test_pages_follow_each_other(env: Environment) -> None:
    seen: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = ok(env, "get_orders", first=25, **after)
        seen += [row["id"] for row in page["items"]]
        if page["next_cursor"] is None:
            break
        after = {"after": page["next_cursor"]}
    assert seen == [row.id for row in world(env).orders]


def test_an_order_is_placed_with_positions_and_a_number(env: Environment) -> None:
    variant, customer = saleable(env), next(iter(world(env).customers))
    order = ok(
        env,
        "create_order",
        lineItems=[{"variantId": variant.id, "quantity": 3}],
        email=customer.email,
        poNumber="PO-1",
        tags=["express", "express"],
    )
    assert order["customerId"] == customer.id
    assert Decimal(order["totalPrice"]) == variant.price * 3
    assert order["tags"] == ["express"]
    assert [line["sku"] for line in order["lineItems"]] == [variant.sku]
    names = [row.name for row in world(env).orders]
    assert names.count(order["name"]) == 1
    assert ok(env, "get_order", id=order["id"]) == order


def test_what_is_not_for_sale_cannot_be_ordered(env: Environment) -> None:
    variant = saleable(env)
    ok(env, "update_product", id=variant.productId, status="ARCHIVED")
    line = {"variantId": variant.id, "quantity": 1}
    refused(env, "failed_precondition", "create_order", lineItems=[line], email="a@b.example")


def test_an_order_needs_a_customer(env: Environment) -> None:
    line = {"variantId": saleable(env).id, "quantity": 1}
    refused(env, "invalid_argument", "create_order", lineItems=[line])


def make_code(env: Environment, **fields: Any) -> Any:
    given = {"title": "Test", "code": "TEST10", "startsAt": today(env).isoformat(), **fields}
    return ok(env, "create_discount_code", **given)


def test_a_discount_code_lowers_the_total_and_is_counted(env: Environment) -> None:
    discount = make_code(env, percentage=10, usageLimit=1)
    variant = saleable(env)
    call = {
        "lineItems": [{"variantId": variant.id, "quantity": 1}],
        "email": "a@b.example",
        "discountCode": "TEST10",
    }
    order = ok(env, "create_order", **call)
    cents = Decimal("0.01")
    off = (variant.price / 10).quantize(cents)
    assert abs(Decimal(order["totalPrice"]) - (variant.price - off)) <= cents
    assert ok(env, "get_discount", id=discount["id"])["timesUsed"] == 1
    refused(env, "failed_precondition", "create_order", **call)


def test_a_code_belongs_to_one_discount(env: Environment) -> None:
    make_code(env, amount="5.00")
    call = {"title": "Again", "code": "test10", "startsAt": today(env).isoformat()}
    refused(env, "conflict", "create_discount_code", **call, amount="5.00")


def test_a_discount_has_one_value_and_dates_in_order(env: Environment) -> None:
    start = today(env)
    call = {"title": "T", "code": "T1", "startsAt": start.isoformat()}
    refused(env, "invalid_argument", "create_discount_code", **call)
    refused(env, "invalid_argument", "create_discount_code", **call, percentage=5, amount="5")
    end = (start - timedelta(days=1)).isoformat()
    refused(env, "invalid_argument", "create_discount_code", **call, percentage=5, endsAt=end)


def test_a_later_start_schedules_the_discount_and_it_can_be_ended_once(
    env: Environment,
) -> None:
    start = (today(env) + timedelta(days=9)).isoformat()
    row = make_code(env, percentage=5, startsAt=start)
    assert row["status"] == "SCHEDULED"
    assert ok(env, "deactivate_discount", id=row["id"])["status"] == "EXPIRED"
    refused(env, "failed_precondition", "deactivate_discount", id=row["id"])


def test_a_pending_order_is_marked_as_paid_once(env: Environment) -> None:
    order = order_in(env, displayFinancialStatus="PENDING")
    assert ok(env, "mark_order_as_paid", id=order.id)["displayFinancialStatus"] == "PAID"
    refused(env, "failed_precondition", "mark_order_as_paid", id=order.id)


def test_an_order_is_sent_once(env: Environment) -> None:
    order = order_in(env, displayFulfillmentStatus="UNFULFILLED")
    parcel = ok(
        env,
        "create_fulfillment",
        orderId=order.id,
        trackingNumber="TRK1",
        trackingCompany="UPS",
    )
    shown = ok(env, "get_order", id=order.id)
    assert shown["displayFulfillmentStatus"] == "FULFILLED"
    assert shown["fulfillments"] == [parcel]
    refused(env, "failed_precondition", "create_fulfillment", orderId=order.id)


def test_an_order_is_refunded_in_parts_up_to_its_total(env: Environment) -> None:
    order = order_in(env, displayFinancialStatus="PAID")
    ok(env, "create_refund", orderId=order.id, amount="1.50", note="Scratch")
    status = ok(env, "get_order", id=order.id)["displayFinancialStatus"]
    assert status == "PARTIALLY_REFUNDED"
    refused(
        env, "invalid_argument", "create_refund", orderId=order.id, amount=str(order.totalPrice)
    )
    rest = ok(env, "create_refund", orderId=order.id)
    assert Decimal(rest["amount"]) == order.totalPrice - Decimal("1.50")
    refused(env, "failed_precondition", "create_refund", orderId=order.id)


def test_an_unpaid_order_cannot_be_refunded(env: Environment) -> None:
    order = order_in(env, displayFinancialStatus="PENDING")
    refused(env, "failed_precondition", "create_refund", orderId=order.id)


def test_cancelling_gives_the_money_and_the_goods_back(env: Environment) -> None:
    order = order_in(env, displayFinancialStatus="PAID", displayFulfillmentStatus="UNFULFILLED")
    state = world(env)
    line = state.line_items.where(orderId=order.id)[0]
    item = state.variants[line.variantId].inventoryItemId
    before = state.inventory_levels.where(inventoryItemId=item)[0].available
    done = ok(env, "cancel_order", orderId=order.id, reason="CUSTOMER", restock=True)
    assert (done["cancelReason"], done["displayFinancialStatus"]) == ("CUSTOMER", "REFUNDED")
    assert Decimal(done["refunds"][0]["amount"]) == order.totalPrice
    after = world(env).inventory_levels.where(inventoryItemId=item)[0].available
    assert after == before + line.quantity
    refused(env, "failed_precondition", "cancel_order", orderId=order.id, reason="CUSTOMER")


def test_a_sent_order_cannot_be_cancelled(env: Environment) -> None:
    order = order_in(env, displayFulfillmentStatus="FULFILLED")
    refused(env, "failed_precondition", "cancel_order", orderId=order.id, reason="OTHER")


def test_an_order_keeps_what_an_update_leaves_out(env: Environment) -> None:
    order = order_in(env)
    changed = ok(env, "update_order", id=order.id, note="Call first")
    assert (changed["note"], changed["poNumber"]) == ("Call first", order.poNumber)
    refused(env, "invalid_argument", "update_order", id=order.id)


def test_a_customers_address_and_number_are_the_customers_alone(env: Environment) -> None:
    first, second = list(world(env).customers)[:2]
    refused(env, "conflict", "update_customer", id=first.id, email=second.email)
    refused(env, "conflict", "create_customer", email=str(first.email).upper())
    made = ok(env, "create_customer", email="New@New.example", firstName="Ada", lastName="Lund")
    assert (made["displayName"], made["email"]) == ("Ada Lund", "new@new.example")
    renamed = ok(env, "update_customer", id=made["id"], lastName="Holt")
    assert renamed["displayName"] == "Ada Holt"


def test_tags_are_added_and_taken_off_any_kind_of_record(env: Environment) -> None:
    state = world(env)
    for row in (order_in(env), next(iter(state.customers)), next(iter(state.products))):
        added = ok(env, "add_tags", id=row.id, tags=["checked"])
        assert added["tags"] == sorted({*row.tags, "checked"})
        assert ok(env, "remove_tags", id=row.id, tags=["checked"])["tags"] == list(row.tags)
    refused(env, "not_found", "remove_tags", id=order_in(env).id, tags=["never"])
    refused(env, "not_found", "add_tags", id=next(iter(state.locations)).id, tags=["x"])


def test_stock_is_adjusted_where_the_item_is(env: Environment) -> None:
    state = world(env)
    level = next(
        row
        for row in state.inventory_levels
        if state.inventory_items[row.inventoryItemId].tracked
    )
    call = {"inventoryItemId": level.inventoryItemId, "locationId": level.locationId}
    changed = ok(env, "adjust_inventory", **call, delta=7, reason="received")
    assert changed["available"] == level.available + 7
    refused(env, "failed_precondition", "adjust_inventory", **call, delta=-100_000)
    other = next(row for row in state.locations if not row.isActive)
    refused(
        env,
        "failed_precondition",
        "adjust_inventory",
        inventoryItemId=level.inventoryItemId,
        locationId=other.id,
        delta=1,
    )


def test_a_price_change_leaves_orders_alone(env: Environment) -> None:
    line = next(iter(world(env).line_items))
    ok(env, "update_product_variant", id=line.variantId, price="1.25")
    assert world(env).line_items[line.id].price == line.price
    refused(env, "invalid_argument", "update_product_variant", id=line.variantId, price="-1")


def test_a_stock_number_moves_with_its_item_and_is_unique(env: Environment) -> None:
    first, second = list(world(env).variants)[:2]
    ok(env, "update_product_variant", id=first.id, sku="NEW-1")
    assert world(env).inventory_items[first.inventoryItemId].sku == "NEW-1"
    refused(env, "conflict", "update_product_variant", id=second.id, sku="NEW-1")


def test_a_draft_becomes_an_order_once(env: Environment) -> None:
    variant = saleable(env)
    draft = ok(
        env,
        "create_draft_order",
        lineItems=[{"variantId": variant.id, "quantity": 2}],
        email="a@b.example",
        note="Quote of Monday",
    )
    order = ok(env, "complete_draft_order", id=draft["id"], paymentPending=True)
    assert order["displayFinancialStatus"] == "PENDING"
    assert (order["note"], order["totalPrice"]) == (draft["note"], draft["totalPrice"])
    assert world(env).draft_orders[draft["id"]].orderId == order["id"]
    refused(env, "failed_precondition", "complete_draft_order", id=draft["id"])


def test_a_product_is_shown_with_variants_and_stock(env: Environment) -> None:
    product = next(iter(world(env).products))
    shown = ok(env, "get_product", id=product.id)
    variants = ok(env, "get_product_variants", productId=product.id)["items"]
    assert shown["variants"] == variants
    items = {variant["inventoryItemId"] for variant in variants}
    levels = [row for row in world(env).inventory_levels if row.inventoryItemId in items]
    assert shown["totalInventory"] == sum(level.available for level in levels)


def test_the_shop_tells_its_name(env: Environment) -> None:
    assert ok(env, "get_shop")["name"] == world(env).shop_name


@pytest.mark.parametrize("scale", [20, 200, 2000])
def test_seeds_refer_to_what_exists(scale: int) -> None:
    state = service.new_state(draw_cast(7, scale), 7, scale)
    assert list(dangling(state)) == []
    records = sum(len(state.table(name)) for name in state.tables())
    assert 0.7 * scale <= records <= 1.5 * scale


def test_seeded_orders_add_up(env: Environment) -> None:
    for order in world(env).orders:
        lines = world(env).line_items.where(orderId=order.id)
        assert order.totalPrice == sum(line.price * line.quantity for line in lines)


def test_seeded_customers_are_the_casts() -> None:
    people = {person.email: person.name for person in draw_cast(3, 200).customers}
    state = service.new_state(draw_cast(3, 200), 3, 200)
    assert all(people[str(row.email)] == row.displayName for row in state.customers)
