"""Stripe: what its tools do, refuse and leave alone."""

from __future__ import annotations

from typing import Any, cast

import pytest
from compoworld_services_finance_payments.stripe import service
from compoworld_services_finance_payments.stripe.state import StripeState

from compoworld_core import Environment, compose
from compoworld_core.cast import draw_cast
from compoworld_core.testing import dangling


@pytest.fixture
def env() -> Environment:
    return compose(service, seed=3, scale=400)


def world(env: Environment) -> StripeState:
    return cast("StripeState", env.state("stripe"))


def ok(env: Environment, tool: str, /, **arguments: Any) -> Any:
    observation = env.call(f"stripe.{tool}", arguments)
    assert not observation.is_error, observation.text
    return observation.data


def refused(env: Environment, code: str, tool: str, /, **arguments: Any) -> str:
    before = env.digest()
    observation = env.call(f"stripe.{tool}", arguments)
    assert observation.code == code, observation.text
    assert env.digest() == before
    return observation.text


def draft_with(env: Environment, *cents: int) -> dict[str, Any]:
    """A draft invoice of a new customer with one item per amount."""
    customer = ok(env, "create_customer", name="Ada Lund", email="ada@lund.example")
    invoice = ok(env, "create_invoice", customer=customer["id"], days_until_due=14)
    product = ok(env, "create_product", name="Desk")
    for amount in cents:
        price = ok(
            env, "create_price", product=product["id"], unit_amount=amount, currency="USD"
        )
        ok(
            env,
            "create_invoice_item",
            customer=customer["id"],
            price=price["id"],
            invoice=invoice["id"],
        )
    return cast("dict[str, Any]", invoice)


def invoice_of(env: Environment, invoice: dict[str, Any]) -> dict[str, Any]:
    page = ok(env, "list_invoices", customer=invoice["customer"])
    return next(row for row in page["items"] if row["id"] == invoice["id"])


def with_status(env: Environment, table: str, status: str) -> Any:
    return world(env).table(table).where(status=status)[0]


def test_customers_are_found_by_exact_email(env: Environment) -> None:
    known = next(iter(world(env).customers))
    page = ok(env, "list_customers", email=known.email)
    assert [row["id"] for row in page["items"]] == [known.id]


def test_lists_show_the_newest_first_and_say_how_many_there_are(env: Environment) -> None:
    page = ok(env, "list_customers", limit=5)
    dates = [row["created"] for row in page["items"]]
    assert len(dates) == 5
    assert dates == sorted(dates, reverse=True)
    assert page["total"] == len(world(env).customers)


def test_a_limit_outside_the_products_range_is_refused(env: Environment) -> None:
    refused(env, "invalid_argument", "list_customers", limit=101)


def test_an_invoice_is_drafted_filled_and_finalized(env: Environment) -> None:
    invoice = draft_with(env, 1500, 2500)
    assert invoice_of(env, invoice)["amount_due"] == 4000
    opened = ok(env, "finalize_invoice", invoice=invoice["id"])
    assert opened["status"] == "open"
    assert opened["number"].startswith("INV-")
    assert opened["customer_email"] == "ada@lund.example"


def test_numbers_of_invoices_do_not_repeat(env: Environment) -> None:
    first = ok(env, "finalize_invoice", invoice=draft_with(env, 100)["id"])
    numbers = [row.number for row in world(env).invoices if row.number]
    assert numbers.count(first["number"]) == 1


def test_an_invoice_over_nothing_is_paid_at_once(env: Environment) -> None:
    assert ok(env, "finalize_invoice", invoice=draft_with(env)["id"])["status"] == "paid"


def test_a_finalized_invoice_takes_no_items_and_cannot_be_finalized_again(
    env: Environment,
) -> None:
    invoice = draft_with(env, 700)
    ok(env, "finalize_invoice", invoice=invoice["id"])
    price = world(env).prices.where(type="one_time", active=True)[0]
    refused(env, "failed_precondition", "finalize_invoice", invoice=invoice["id"])
    refused(
        env,
        "failed_precondition",
        "create_invoice_item",
        customer=invoice["customer"],
        price=price.id,
        invoice=invoice["id"],
    )


def test_an_item_must_be_for_the_invoices_customer(env: Environment) -> None:
    invoice = draft_with(env)
    other = next(iter(world(env).customers))
    price = world(env).prices.where(type="one_time", active=True)[0]
    refused(
        env,
        "invalid_argument",
        "create_invoice_item",
        customer=other.id,
        price=price.id,
        invoice=invoice["id"],
    )


def test_a_payment_is_refunded_in_parts_up_to_its_amount(env: Environment) -> None:
    state = world(env)
    payment = next(
        row
        for row in state.payment_intents.where(status="succeeded")
        if not state.refunds.where(payment_intent=row.id)
        and not state.disputes.where(payment_intent=row.id)
    )
    first = ok(env, "create_refund", payment_intent=payment.id, amount=100)
    assert first["amount"] == 100
    rest = ok(env, "create_refund", payment_intent=payment.id)
    assert rest["amount"] == payment.amount - 100
    assert world(env).charges[rest["charge"]].amount_refunded == payment.amount
    refused(env, "failed_precondition", "create_refund", payment_intent=payment.id)


def test_more_than_was_paid_cannot_be_refunded(env: Environment) -> None:
    state = world(env)
    payment = next(
        row
        for row in state.payment_intents.where(status="succeeded")
        if not state.disputes.where(payment_intent=row.id)
        and not state.refunds.where(payment_intent=row.id)
    )
    text = refused(
        env,
        "invalid_argument",
        "create_refund",
        payment_intent=payment.id,
        amount=payment.amount + 1,
    )
    assert str(payment.amount) in text


def test_a_failed_payment_cannot_be_refunded(env: Environment) -> None:
    failed = next(row for row in world(env).payment_intents if row.status != "succeeded")
    refused(env, "failed_precondition", "create_refund", payment_intent=failed.id)


def test_a_disputed_payment_cannot_be_refunded(env: Environment) -> None:
    dispute = with_status(env, "disputes", "needs_response")
    refused(env, "failed_precondition", "create_refund", payment_intent=dispute.payment_intent)


def test_a_refund_lowers_the_balance(env: Environment) -> None:
    before = ok(env, "retrieve_balance")
    state = world(env)
    payment = next(
        row
        for row in state.payment_intents.where(status="succeeded")
        if not state.refunds.where(payment_intent=row.id)
        and not state.disputes.where(payment_intent=row.id)
    )
    ok(env, "create_refund", payment_intent=payment.id, amount=250)

    def held(balance: dict[str, Any]) -> int:
        funds = [*balance["available"], *balance["pending"]]
        return sum(fund["amount"] for fund in funds)

    assert held(before) - held(ok(env, "retrieve_balance")) == 250


def test_evidence_is_staged_before_it_is_submitted(env: Environment) -> None:
    dispute = with_status(env, "disputes", "needs_response")
    staged = ok(
        env,
        "update_dispute",
        dispute=dispute.id,
        evidence={"uncategorized_text": "Signed by the customer."},
        submit=False,
    )
    assert staged["status"] == "needs_response"
    sent = ok(env, "update_dispute", dispute=dispute.id)
    assert (sent["status"], sent["submission_count"]) == ("under_review", 1)
    assert sent["uncategorized_text"] == "Signed by the customer."
    refused(
        env,
        "failed_precondition",
        "update_dispute",
        dispute=dispute.id,
        evidence={"uncategorized_text": "More."},
    )


def test_nothing_cannot_be_submitted_as_evidence(env: Environment) -> None:
    dispute = with_status(env, "disputes", "needs_response")
    refused(env, "failed_precondition", "update_dispute", dispute=dispute.id, submit=True)


def test_disputes_are_found_by_charge_and_by_payment(env: Environment) -> None:
    dispute = next(iter(world(env).disputes))
    by_charge = ok(env, "list_disputes", charge=dispute.charge)
    by_payment = ok(env, "list_disputes", payment_intent=dispute.payment_intent)
    assert [row["id"] for row in by_charge["items"]] == [dispute.id]
    assert by_payment["items"] == by_charge["items"]


def test_canceled_subscriptions_are_listed_only_when_asked_for(env: Environment) -> None:
    row = with_status(env, "subscriptions", "active")
    ended = ok(env, "cancel_subscription", subscription=row.id)
    assert ended["status"] == "canceled"
    shown = ok(env, "list_subscriptions", customer=row.customer)["items"]
    every = ok(env, "list_subscriptions", customer=row.customer, status="all")["items"]
    assert row.id not in [item["id"] for item in shown]
    assert row.id in [item["id"] for item in every]
    refused(env, "failed_precondition", "cancel_subscription", subscription=row.id)


def test_a_change_of_quantity_is_prorated(env: Environment) -> None:
    row = with_status(env, "subscriptions", "active")
    item = world(env).subscription_items.where(subscription=row.id)[0]
    waiting = len(world(env).invoice_items.where(invoice=None))
    changed = ok(
        env,
        "update_subscription",
        subscription=row.id,
        items=[{"id": item.id, "quantity": item.quantity + 2}],
    )
    quantities = {entry["id"]: entry["quantity"] for entry in changed["items"]}
    assert quantities[item.id] == item.quantity + 2
    added = world(env).invoice_items.where(invoice=None)[waiting:]
    assert [entry.proration for entry in added] == [True]
    assert added[0].amount > 0


def test_no_proration_leaves_no_invoice_item(env: Environment) -> None:
    row = with_status(env, "subscriptions", "active")
    item = world(env).subscription_items.where(subscription=row.id)[0]
    before = len(world(env).invoice_items)
    ok(
        env,
        "update_subscription",
        subscription=row.id,
        proration_behavior="none",
        items=[{"id": item.id, "quantity": item.quantity + 2}],
    )
    assert len(world(env).invoice_items) == before


def test_always_invoice_bills_the_difference_at_once(env: Environment) -> None:
    row = with_status(env, "subscriptions", "active")
    item = world(env).subscription_items.where(subscription=row.id)[0]
    before = {invoice.id for invoice in world(env).invoices}
    ok(
        env,
        "update_subscription",
        subscription=row.id,
        proration_behavior="always_invoice",
        items=[{"id": item.id, "quantity": item.quantity + 5}],
    )
    new = [invoice for invoice in world(env).invoices if invoice.id not in before]
    assert [(invoice.status, invoice.customer) for invoice in new] == [("open", row.customer)]


def test_a_subscription_keeps_an_item_and_takes_recurring_prices_only(env: Environment) -> None:
    row = with_status(env, "subscriptions", "active")
    items = world(env).subscription_items.where(subscription=row.id)
    gone = [{"id": item.id, "deleted": True} for item in items]
    refused(env, "failed_precondition", "update_subscription", subscription=row.id, items=gone)
    price = world(env).prices.where(type="one_time", active=True)[0]
    refused(
        env,
        "failed_precondition",
        "update_subscription",
        subscription=row.id,
        items=[{"price": price.id}],
    )


def test_a_coupon_takes_an_amount_or_a_percentage(env: Environment) -> None:
    amount = ok(env, "create_coupon", name="Spring", amount_off=500)
    assert (amount["amount_off"], amount["percent_off"], amount["currency"]) == (
        500,
        None,
        "usd",
    )
    percent = ok(env, "create_coupon", name="Autumn", amount_off=0, percent_off=12.5)
    assert (percent["amount_off"], percent["percent_off"]) == (None, "12.5")
    refused(env, "invalid_argument", "create_coupon", name="x", amount_off=5, percent_off=5)
    refused(env, "invalid_argument", "create_coupon", name="x", amount_off=0)


def test_a_repeating_coupon_needs_its_months(env: Environment) -> None:
    call = {"name": "Half year", "amount_off": 300, "duration": "repeating"}
    refused(env, "invalid_argument", "create_coupon", **call)
    assert ok(env, "create_coupon", **call, duration_in_months=6)["duration_in_months"] == 6


def test_a_payment_link_needs_an_active_price_and_a_safe_address(env: Environment) -> None:
    price = world(env).prices.where(active=True)[0]
    link = ok(env, "create_payment_link", price=price.id, quantity=2)
    assert link["url"].startswith("https://")
    refused(
        env,
        "invalid_argument",
        "create_payment_link",
        price=price.id,
        quantity=2,
        redirect_url="ftp://x.example",
    )
    refused(env, "not_found", "create_payment_link", price="price_0", quantity=2)


def test_an_unknown_currency_is_refused_with_those_that_exist(env: Environment) -> None:
    product = ok(env, "create_product", name="Desk")
    text = refused(
        env,
        "invalid_argument",
        "create_price",
        product=product["id"],
        unit_amount=100,
        currency="xyz",
    )
    assert "eur" in text


def test_the_documentation_answers_with_the_page_that_fits_best(env: Environment) -> None:
    page = ok(env, "search_stripe_documentation", question="How do I answer a dispute?")
    assert page["items"][0]["title"] == "Answering a dispute"
    python = ok(
        env,
        "search_stripe_documentation",
        question="creating a customer with curl",
        language="python",
    )
    assert {row["language"] for row in python["items"]} <= {"", "python"}


@pytest.mark.parametrize("scale", [20, 200, 2000])
def test_seeds_refer_to_what_exists(scale: int) -> None:
    state = service.new_state(draw_cast(7, scale), 7, scale)
    assert list(dangling(state)) == []
    records = sum(len(state.table(name)) for name in state.tables())
    assert 0.7 * scale <= records <= 1.5 * scale


def test_seeded_invoices_add_up(env: Environment) -> None:
    for invoice in world(env).invoices:
        items = world(env).invoice_items.where(invoice=invoice.id)
        assert invoice.amount_due == sum(item.amount for item in items)
        assert (invoice.number is None) == (invoice.status == "draft")


def test_seeded_customers_are_the_casts() -> None:
    people = {person.email: person.name for person in draw_cast(3, 200).customers}
    state = service.new_state(draw_cast(3, 200), 3, 200)
    assert all(people[str(row.email)] == row.name for row in state.customers)
