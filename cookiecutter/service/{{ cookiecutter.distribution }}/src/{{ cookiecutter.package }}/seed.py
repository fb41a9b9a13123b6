"""A plausible world: the customers are those that every other service knows."""

from __future__ import annotations

from datetime import timedelta

from compoworld_core import Context, Table
from {{ cookiecutter.package }}.state import (
    Comment,
    DeskState,
    Priority,
    Request,
    Status,
    service,
)

_SUBJECTS = (
    "Question about {}",
    "Replacement for {}",
    "Delivery of {} is late",
    "Manual for {} wanted",
    "Offer for more of {}",
    "{} does not start",
)
_DETAILS = (
    "They asked for an answer this week.",
    "They called twice already.",
    "A colleague of theirs will be the contact from next month on.",
    "It stopped after the last update.",
    "They would rather have it by mail.",
)
_COMMENTS = (
    "Called back, nobody picked up.",
    "Sent the form.",
    "They will come back to us.",
    "Passed on to the workshop.",
    "Waiting for a part.",
)
_STATUSES: tuple[Status, ...] = ("open", "waiting", "closed")
_PRIORITIES: tuple[Priority, ...] = ("low", "normal", "high")


@service.seed
def seed(ctx: Context, scale: int) -> DeskState:
    """About `scale` records: two requests for each comment."""
    rng, cast = ctx.rng, ctx.cast
    requests = []
    for _ in range(max(1, scale * 2 // 3)):
        created = cast.today - timedelta(days=rng.randrange(1, 120), minutes=rng.randrange(600))
        customer = rng.choice(cast.customers)
        requests.append(
            Request(
                id=ctx.new_id("rq_"),
                subject=rng.choice(_SUBJECTS).format(rng.choice(cast.products).name),
                details=rng.choice(_DETAILS),
                customer=customer.email,
                priority=rng.choice(_PRIORITIES),
                status=rng.choice(_STATUSES),
                created_at=created,
                updated_at=created + timedelta(hours=rng.randrange(1, 20)),
            )
        )
    requests.sort(key=lambda request: request.created_at)
    comments = [
        Comment(
            id=ctx.new_id("cm_"),
            request_id=request.id,
            author=rng.choice(cast.staff).email,
            text=rng.choice(_COMMENTS),
            created_at=request.updated_at,
        )
        for request in rng.sample(requests, scale // 3)
    ]
    return DeskState(requests=Table(requests), comments=Table(comments))
