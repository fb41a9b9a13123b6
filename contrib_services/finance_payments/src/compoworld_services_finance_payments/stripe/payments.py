"""Tools for payments, refunds, disputes and the balance."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from compoworld_core import UNSET, Context, Ref
from compoworld_core.context import MIXED
from compoworld_core.resources import Page, check, given, require
from compoworld_core.types import Cents, Currency, Text
from compoworld_services_finance_payments.stripe.listing import (
    Limit,
    newest,
)
from compoworld_services_finance_payments.stripe.listing import (
    amount as positive,
)
from compoworld_services_finance_payments.stripe.state import (
    Charge,
    Customer,
    Dispute,
    PaymentIntent,
    Refund,
    StripeState,
    service,
)

_SETTLES_AFTER = timedelta(days=7)
Statement = Annotated[Text, Field(max_length=20_000)]


class Funds(BaseModel):
    """Money in one currency."""

    model_config = ConfigDict(extra="forbid")

    amount: Cents
    currency: Currency


class Balance(BaseModel):
    """What the account holds: paid out next, and not settled yet."""

    model_config = ConfigDict(extra="forbid")

    object: Literal["balance"] = "balance"
    available: list[Funds]
    pending: list[Funds]


class Evidence(BaseModel):
    """What we tell the bank about a disputed charge."""

    model_config = ConfigDict(extra="forbid")

    cancellation_policy_disclosure: Statement = Field(
        default_factory=lambda: UNSET,
        description="How and when the customer was shown the refund policy.",
    )
    duplicate_charge_explanation: Statement = Field(
        default_factory=lambda: UNSET,
        description="How this charge differs from the one that it seems to repeat.",
    )
    uncategorized_text: Statement = Field(
        default_factory=lambda: UNSET, description="Anything else that supports our side."
    )


@service.tool(read_only=True)
def retrieve_balance(state: StripeState, ctx: Context) -> Balance:
    """Show the account's balance per currency; charges settle after seven days."""
    settled_before = ctx.now - _SETTLES_AFTER
    available: dict[str, int] = {}
    pending: dict[str, int] = {}
    for charge in state.charges:
        held = available if charge.created <= settled_before else pending
        kept = charge.amount - charge.amount_refunded
        held[charge.currency] = held.get(charge.currency, 0) + kept
    for dispute in state.disputes:
        if dispute.status != "won":  # the bank holds the amount back until we win
            kept = available.get(dispute.currency, 0) - dispute.amount
            available[dispute.currency] = kept
    return Balance(available=_funds(available), pending=_funds(pending))


def _funds(amounts: dict[str, int]) -> list[Funds]:
    return [Funds(amount=cents, currency=code) for code, cents in sorted(amounts.items())]


@service.tool(read_only=True)
def list_payment_intents(
    state: StripeState, customer: Ref[Customer] = UNSET, limit: Limit = 10
) -> Page[PaymentIntent]:
    """List payments, newest first.

    Args:
        customer: only the payments of this customer.
        limit: how many at most.
    """
    return newest(state.payment_intents.where(**given(customer=customer)), limit)


@service.tool
def create_refund(
    state: StripeState,
    ctx: Context,
    payment_intent: Ref[PaymentIntent],
    amount: Cents = UNSET,
) -> Refund:
    """Give back all or a part of a succeeded payment.

    Args:
        payment_intent: the payment.
        amount: how much, in the smallest currency unit; all that is left if left out.
    """
    payment = require(state.payment_intents, payment_intent, "payment intent")
    check(
        payment.status == "succeeded",
        "failed_precondition",
        f"the payment is {payment.status}; only a succeeded one can be refunded",
    )
    disputes = state.disputes.where(payment_intent=payment_intent)
    check(
        all(dispute.status == "won" for dispute in disputes),
        "failed_precondition",
        "the payment is disputed; the bank decides about its amount",
    )
    earlier = state.refunds.where(payment_intent=payment_intent)
    left = payment.amount - sum(refund.amount for refund in earlier)
    check(left > 0, "failed_precondition", "the payment has been refunded in full")
    back = given(amount=amount).get("amount", left)
    positive(back, "amount")
    check(
        back <= left,
        "invalid_argument",
        f"amount {back} is more than the {left} {payment.currency} that is left to refund",
    )
    charge = state.charges.get(payment.latest_charge)
    if charge is not None:
        state.charges.update(charge.id, amount_refunded=charge.amount_refunded + back)
    return state.refunds.insert(
        Refund(
            id=ctx.new_id("re_", length=24, alphabet=MIXED),
            payment_intent=payment_intent,
            charge=None if charge is None else charge.id,
            amount=back,
            currency=payment.currency,
            created=ctx.now,
        )
    )


@service.tool(read_only=True)
def list_disputes(
    state: StripeState,
    charge: Ref[Charge] = UNSET,
    payment_intent: Ref[PaymentIntent] = UNSET,
    limit: Limit = 10,
) -> Page[Dispute]:
    """List disputes, newest first.

    Args:
        charge: only those about this charge.
        payment_intent: only those about this payment.
        limit: how many at most.
    """
    chosen = given(charge=charge, payment_intent=payment_intent)
    return newest(state.disputes.where(**chosen), limit)


@service.tool
def update_dispute(
    state: StripeState,
    ctx: Context,
    dispute: Ref[Dispute],
    evidence: Evidence = UNSET,
    submit: bool = UNSET,
) -> Dispute:
    """Stage evidence on a dispute, or send it to the bank, which ends the editing.

    Args:
        dispute: the dispute that needs a response.
        evidence: texts to put on it; those left out stay as they are.
        submit: true sends everything to the bank now, as does leaving it out; false keeps it
            staged.
    """
    row = require(state.disputes, dispute, "dispute")
    check(
        row.status == "needs_response",
        "failed_precondition",
        f"the dispute is {row.status}; evidence is taken while it needs_response",
    )
    check(
        row.evidence_due_by >= ctx.now.date(),
        "failed_precondition",
        f"the evidence was due by {row.evidence_due_by.isoformat()}",
    )
    texts = {} if evidence is UNSET else given(**evidence.__dict__)
    changes: dict[str, object] = dict(texts)
    if submit is UNSET or submit:
        held = (
            row.cancellation_policy_disclosure,
            row.duplicate_charge_explanation,
            row.uncategorized_text,
        )
        check(
            any(texts.values()) or any(held),
            "failed_precondition",
            "there is no evidence to submit; give some, or set submit to false",
        )
        changes |= {"status": "under_review", "submission_count": row.submission_count + 1}
    check(bool(changes), "invalid_argument", "give evidence, or submit what is staged")
    return state.disputes.update(dispute, **changes)
